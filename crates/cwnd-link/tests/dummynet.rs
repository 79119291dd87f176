// SPDX-License-Identifier: MIT OR Apache-2.0
//! A link that ticks, and a limit that counts the packet being sent: FreeBSD's dummynet, by hand and beside a model of it.

use cwnd_link::random::RandomStream;
use cwnd_link::{
    Backlog, CodelConfig, DelayConfig, DisciplineConfig, DropCause, FifoConfig, HeadDiscipline, Limit, Link,
    LinkConfig, Loss, Offered, PacketClass, QueueConfig, Rate, ServerConfig, Steps, Tick, Transit,
};
use proptest::prelude::*;
use std::collections::VecDeque;

const MS: u64 = 1_000_000;
/// A byte is a microsecond.
const RATE: u64 = 8_000_000;

fn link(limit: Limit, tick: Option<u64>, delay: u64, discipline: DisciplineConfig) -> Link<usize> {
    let stream = RandomStream::new(1, 0);
    let config = LinkConfig {
        server: ServerConfig::new(discipline, Rate::Constant(RATE), Steps::constant(limit), stream),
        loss: (Loss::None, stream),
        delay: (DelayConfig::constant(delay), stream),
        tick: tick.map(Tick::every),
    };
    Link::new(config, (0, 1000 * MS), 1000 * MS)
}

fn droptail(limit: Limit, tick: Option<u64>, delay: u64) -> Link<usize> {
    link(limit, tick, delay, DisciplineConfig::Arrival(QueueConfig::DropTail))
}

/// When a packet leaves and arrives, or `None` where the queue is full.
fn offer(link: &mut Link<usize>, now: u64, size: u32) -> Option<(u64, u64)> {
    let transit = match link.offer(now, size, PacketClass::Data) {
        Offered::Departs(transit) => Ok(transit),
        Offered::Dropped(cause) => Err(cause),
        Offered::Holds => link
            .enqueue(now, size, PacketClass::Data, 0)
            .map(|known| known.expect("a queue that decides at arrival")),
    };
    match transit {
        Ok(Transit { departs, arrives, .. }) => Some((departs, arrives)),
        Err(cause) => {
            assert_eq!(cause, DropCause::Full);
            None
        }
    }
}

// 600 bytes take 600 µs. At 0.9 ms the link has been idle: by its clock the packet comes at 0 and has been sent at 0.6, so it leaves at 1 ms.
// The next one is sent from 0.6 to 1.2 ms and leaves at 2 ms, the third from 1.2 to 1.8 and leaves at 2 ms, too. 5.5 ms later: at 8 ms.
#[test]
fn packets_leave_at_ticks_and_the_rate_is_kept_between_them() {
    let mut link = droptail(Limit::Packets(9), Some(MS), 5 * MS + MS / 2);
    let sent = [0.9, 0.9, 1.1].map(|ms| offer(&mut link, (ms * 1e6) as u64, 600));
    assert_eq!(sent, [Some((MS, 7 * MS)), Some((2 * MS, 8 * MS)), Some((2 * MS, 8 * MS))]);
    // Both are there until they leave: at 1.9 ms two, at 2 ms none.
    assert_eq!(link.backlog(1_900_000), Backlog { packets: 2, bytes: 1200 });
    assert_eq!(link.backlog(2 * MS), Backlog { packets: 0, bytes: 0 });
    // 1.0 − 0.6 − 0.9 is less than nothing; 2.0 − 0.6 − 0.9 and 2.0 − 0.6 − 1.1 ms.
    assert_eq!((link.count.wait_sum, link.count.wait_max), (800_000, 500_000));
}

// Without ticks the same packets leave at 1.5, 2.1 and 2.7 ms.
#[test]
fn without_ticks_a_packet_leaves_when_it_has_been_sent() {
    let mut link = droptail(Limit::Packets(9), None, 0);
    let sent = [0.9, 0.9, 1.1].map(|ms| offer(&mut link, (ms * 1e6) as u64, 600));
    assert_eq!(sent.map(|at| at.map(|(departs, _)| departs)), [1_500_000, 2_100_000, 2_700_000].map(Some));
}

// Of ten packets at once, a limit of four takes the one that is sent and four that wait; counting that one, four.
#[test]
fn a_limit_may_count_the_packet_that_is_sent() {
    let accepted = |limit: Limit| {
        let mut link = droptail(limit, None, 0);
        (0..10).filter(|_| offer(&mut link, 0, 1000).is_some()).count()
    };
    assert_eq!([Limit::Packets(4), Limit::Packets(4).in_all()].map(accepted), [5, 4]);
    assert_eq!([Limit::Bytes(4500), Limit::Bytes(4500).in_all()].map(accepted), [5, 4]);
    assert_eq!([Limit::Packets(1), Limit::Packets(1).in_all()].map(accepted), [2, 1]);
    // An idle link takes any packet.
    assert_eq!(accepted(Limit::Bytes(500).in_all()), 1);
    let time = Limit::Time(4 * MS);
    assert_eq!(accepted(time), accepted(time.in_all()));
}

/// dummynet as its sources describe it: at each tick a pipe gets the bits of a tick for credit, and sends from the head what the credit covers;
/// an empty queue loses what is left of it. The limit counts all packets in the queue, the one being sent included.
struct Dummynet {
    tick: u64,
    limit: usize,
    queue: VecDeque<(usize, u64)>,
    /// Bits times 10⁹.
    credit: u64,
    ticks: u64,
    /// When each packet left, by its number.
    left: Vec<(usize, u64)>,
}

impl Dummynet {
    fn advance(&mut self, now: u64) {
        while (self.ticks + 1) * self.tick <= now {
            self.ticks += 1;
            if self.queue.is_empty() {
                continue;
            }
            self.credit += RATE * self.tick;
            while let Some(&(number, bytes)) = self.queue.front()
                && bytes * 8_000_000_000 <= self.credit
            {
                self.credit -= bytes * 8_000_000_000;
                self.queue.pop_front();
                self.left.push((number, self.ticks * self.tick));
            }
            if self.queue.is_empty() {
                self.credit = 0;
            }
        }
    }

    fn offer(&mut self, now: u64, number: usize, bytes: u64) -> bool {
        self.advance(now);
        if self.queue.len() >= self.limit {
            return false;
        }
        self.queue.push_back((number, bytes));
        true
    }
}

fn packets() -> impl Strategy<Value = Vec<(u64, u32)>> {
    let gap = prop_oneof![4 => Just(0), 4 => 0_u64..3_000_000, 1 => 0_u64..30_000_000, 2 => Just(MS)];
    let size = prop_oneof![3 => Just(1500_u32), 1 => 1_u32..3000];
    prop::collection::vec((gap, size), 1..200)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    // The same packets are accepted, each leaves at the same tick, and as many are in the queue at every arrival.
    #[test]
    fn a_link_that_ticks_is_dummynet(packets in packets(), limit in 1_usize..20, tick in prop_oneof![Just(MS), Just(10 * MS), 1_u64..5_000_000]) {
        let mut link = droptail(Limit::Packets(limit as u64).in_all(), Some(tick), 0);
        let mut model = Dummynet { tick, limit, queue: VecDeque::new(), credit: 0, ticks: 0, left: Vec::new() };
        let (mut now, mut departures) = (0, Vec::new());
        for (number, &(gap, size)) in packets.iter().enumerate() {
            now += gap;
            let departs = offer(&mut link, now, size);
            prop_assert_eq!(departs.is_some(), model.offer(now, number, u64::from(size)), "packet {} at {}", number, now);
            prop_assert_eq!(link.backlog(now).packets, model.queue.len() as u64);
            departures.extend(departs.map(|(departs, arrives)| {
                assert!(departs == arrives && departs > now && departs.is_multiple_of(tick));
                (number, departs)
            }));
        }
        model.advance(now + 10_000 * MS);
        prop_assert_eq!(departures, model.left);
    }

    // A queue that decides at the head, and drops nothing there, has the same ticks; no event lies in the past.
    #[test]
    fn a_queue_that_decides_at_the_head_has_the_same_ticks(packets in packets(), limit in 1_u64..20, tick in 1_u64..5_000_000) {
        let limit = Limit::Packets(limit).in_all();
        let never = HeadDiscipline::Codel(CodelConfig { target: u64::MAX, interval: 1, ecn: false, mtu: 1500 });
        let mut head = link(limit, Some(tick), MS, DisciplineConfig::Head(never));
        let mut fifo = droptail(limit, Some(tick), MS);
        let (mut expected, mut got) = (Vec::new(), Vec::new());
        let mut now = 0;
        let pop = |head: &mut Link<usize>, by: u64, got: &mut Vec<_>| {
            while head.next_event() <= by {
                let at = head.next_event();
                let (number, result) = head.pop(at).expect("announced");
                let Transit { departs, arrives, .. } = result.expect("nothing is dropped at the head");
                assert!(departs >= at);
                got.push((number, departs, arrives));
            }
        };
        for (number, &(gap, size)) in packets.iter().enumerate() {
            now += gap;
            pop(&mut head, now, &mut got);
            let accepted = offer(&mut fifo, now, size);
            assert!(matches!(head.offer(now, size, PacketClass::Data), Offered::Holds));
            prop_assert_eq!(head.enqueue(now, size, PacketClass::Data, number).is_ok(), accepted.is_some());
            prop_assert!(head.next_event() >= now);
            expected.extend(accepted.map(|(departs, arrives)| (number, departs, arrives)));
        }
        pop(&mut head, now + 10_000 * MS, &mut got);
        prop_assert_eq!(got, expected);
    }
}

#[test]
fn a_link_config_has_no_ticks_unless_it_says_so() {
    let fifo = FifoConfig {
        rate: Rate::Constant(RATE),
        limit: Steps::constant(Limit::Packets(1)),
        queue: QueueConfig::DropTail,
    };
    assert_eq!(LinkConfig::queue_only(fifo).tick, None);
}
