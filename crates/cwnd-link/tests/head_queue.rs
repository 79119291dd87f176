// SPDX-License-Identifier: MIT OR Apache-2.0
//! A queue that decides at the head: nothing is lost from sight, and where its discipline drops nothing it is the FIFO.

use cwnd_link::random::RandomStream;
use cwnd_link::{
    Backlog, CodelConfig, DropCause, DropHeadConfig, Fifo, FifoConfig, HeadDiscipline, HeadQueue,
    HeadQueueConfig, Limit, OfferResult, QueueConfig, Rate, Steps, Taken, Trace,
};
use proptest::prelude::*;

/// Gaps between packets, ns, and their sizes: bursts, about a serialisation, idle times.
fn packets() -> impl Strategy<Value = Vec<(u64, u32)>> {
    let gap = prop_oneof![4 => Just(0), 4 => 0_u64..3_000_000, 1 => 0_u64..30_000_000, 2 => Just(1_000_000)];
    let size = prop_oneof![3 => Just(1500_u32), 1 => 1_u32..3000];
    prop::collection::vec((gap, size), 1..300)
}

fn rates() -> impl Strategy<Value = Rate> {
    let rate = || prop_oneof![Just(12_000_000_u64), Just(7_000_000), 1_000_000_u64..100_000_000];
    let step = prop_oneof![2 => rate(), 1 => Just(0_u64)];
    let changes = prop::collection::btree_map(1_u64..200_000_000, step, 1..6);
    prop_oneof![
        rate().prop_map(Rate::Constant),
        (rate(), changes).prop_map(|(first, changes)| {
            Rate::Steps(Steps::new(first, changes.into_iter().collect()).expect("a map's keys rise"))
        }),
        prop::collection::vec(0_u64..9, 1..12).prop_filter_map("a period above 0", |mut times| {
            times.sort_unstable();
            let text: Vec<String> = times.iter().map(u64::to_string).collect();
            Some(Rate::Trace(Trace::parse(&text.join("\n")).ok()?))
        }),
    ]
}

fn limits() -> impl Strategy<Value = Limit> {
    let bytes = || 0_u64..45_000;
    prop_oneof![
        (0_u64..30).prop_map(Limit::Packets),
        bytes().prop_map(Limit::Bytes),
        bytes().prop_map(Limit::BytesInAll)
    ]
}

fn codel(target: u64, interval: u64) -> HeadDiscipline {
    HeadDiscipline::Codel(CodelConfig { target, interval, ecn: false, mtu: 1500 })
}

fn queue(rate: Rate, limit: Limit, discipline: HeadDiscipline) -> HeadQueue<usize> {
    HeadQueue::new(HeadQueueConfig { rate, limit: Steps::constant(limit), discipline })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    // A target that no packet waits for is never passed: the same packets are accepted, and they leave when they leave the FIFO.
    #[test]
    fn without_drops_at_the_head_it_is_the_fifo(packets in packets(), rate in rates(), limit in limits(), every in 1_usize..4) {
        let fifo = FifoConfig { rate: rate.clone(), limit: Steps::constant(limit), queue: QueueConfig::DropTail };
        let mut fifo = Fifo::from_config(fifo, RandomStream::new(1, 0));
        let mut queue = queue(rate, limit, codel(u64::MAX, 1));
        let (mut expected, mut got) = (Vec::new(), Vec::new());
        let mut now = 0;
        for (number, &(gap, size)) in packets.iter().enumerate() {
            now += gap;
            // Popped late, or at the same instant: what was taken, and when, does not depend on it.
            if number % every == 0 {
                got.extend(std::iter::from_fn(|| queue.pop(now)));
                prop_assert_eq!(queue.backlog(now), fifo.backlog(now));
            }
            let accepted = fifo.push(now, size);
            prop_assert_eq!(queue.push(now, size, number).is_ok(), accepted.is_some(), "packet {} at {}", number, now);
            expected.extend(accepted.map(|at| (number, at)));
        }
        got.extend(std::iter::from_fn(|| queue.pop(u64::MAX)));
        let departures = got.iter().filter_map(|taken| match taken.result {
            OfferResult::Departs { at, .. } => Some((taken.packet, at)),
            OfferResult::Dropped(_) => None,
        });
        // Behind a rate that stays 0, the FIFO says never; the queue takes nothing.
        expected.retain(|&(_, at)| at < u64::MAX);
        prop_assert_eq!(departures.filter(|&(_, at)| at < u64::MAX).collect::<Vec<_>>(), expected);
    }

    // Pushed = refused + departed + dropped + queued, in packets and bytes, at every instant; in order, nothing early, nothing twice.
    #[test]
    fn packets_are_conserved_at_every_instant(
        packets in packets(), rate in rates(), limit in limits(),
        target in 0_u64..10_000_000, interval in 1_u64..30_000_000,
    ) {
        let mut queue = queue(rate, limit, codel(target, interval));
        let (mut now, mut inside, mut next) = (0, Backlog::default(), 0);
        let mut leaving: Vec<(u64, u64)> = Vec::new();
        for (number, &(gap, size)) in packets.iter().enumerate() {
            for at in [now + gap / 2, now + gap] {
                prop_assert!(queue.next_event() >= now);
                while let Some(Taken { packet, size, arrived, at: taken, result }) = queue.pop(at) {
                    prop_assert!(packet >= next && arrived <= taken && taken <= at);
                    next = packet + 1;
                    inside.packets -= 1;
                    inside.bytes -= u64::from(size);
                    match result {
                        OfferResult::Departs { begins, at, .. } => {
                            prop_assert!(begins == taken && begins <= at);
                            leaving.push((at, u64::from(size)));
                        }
                        OfferResult::Dropped(cause) => {
                            prop_assert!(cause == DropCause::Head && taken - arrived >= target);
                        }
                    }
                }
                leaving.retain(|&(departs, _)| departs > at);
                prop_assert!(leaving.len() <= 1, "one packet is sent at a time: {:?}", leaving);
                let expected = Backlog {
                    packets: inside.packets + leaving.len() as u64,
                    bytes: inside.bytes + leaving.iter().map(|&(_, size)| size).sum::<u64>(),
                };
                prop_assert_eq!(queue.backlog(at), expected);
                prop_assert_eq!(queue.packets().count() as u64, inside.packets);
            }
            now += gap;
            if queue.push(now, size, number).is_ok() {
                inside.packets += 1;
                inside.bytes += u64::from(size);
            }
        }
    }
}

// 12 Mbit/s: 1500 bytes take 1 ms. Packets 0 to 4 at once at room for two: 0 is being sent, 1 and 2 wait; 3 takes the place of 1, 4 that of
// 2. Sent: 0 by 1 ms, 3 by 2, 4 by 3. With room for 3000 bytes it is the same; a packet of 4000 bytes does not fit at all and pushes nobody out.
#[test]
fn drop_head_drops_the_oldest_packets_that_wait() {
    for limit in [Limit::Packets(2), Limit::Bytes(3000), Limit::BytesInAll(4500)] {
        let mut queue = queue(Rate::Constant(12_000_000), limit, HeadDiscipline::DropHead(DropHeadConfig));
        for packet in 0..5 {
            assert!(queue.push(0, 1500, packet).is_ok(), "{limit:?}");
        }
        if limit != Limit::Packets(2) {
            assert_eq!(queue.push(0, 4000, 5), Err(5), "{limit:?}");
        }
        assert_eq!(queue.backlog(0), Backlog { packets: 3, bytes: 4500 });
        let taken: Vec<_> = std::iter::from_fn(|| queue.pop(10_000_000)).collect();
        let seen: Vec<_> = taken
            .iter()
            .map(|taken| match taken.result {
                OfferResult::Departs { at, .. } => (taken.packet, Some(at)),
                OfferResult::Dropped(cause) => {
                    assert_eq!((cause, taken.at), (DropCause::Full, 0));
                    (taken.packet, None)
                }
            })
            .collect();
        let sent = |ms: u64| Some(ms * 1_000_000);
        assert_eq!(seen, [(0, sent(1)), (1, None), (2, None), (3, sent(2)), (4, sent(3))], "{limit:?}");
    }
}

// 12 Mbit/s: 0 is sent up to 1 ms, 1 to 4 wait. The limit falls from 4 to 2 at 0.5 ms, which by itself drops nothing; at 0.6 ms 5 arrives:
// drop-head keeps 4 and 5, and CoDel, whose target is never passed, refuses 5 and keeps 1 to 4.
#[test]
fn a_smaller_limit_drops_packets_of_a_drop_head_queue_at_the_next_arrival() {
    for (discipline, accepts, packets) in
        [(HeadDiscipline::DropHead(DropHeadConfig), true, 3), (codel(u64::MAX, 1), false, 5)]
    {
        let limit =
            Steps::new(Limit::Packets(4), vec![(500_000, Limit::Packets(2))]).expect("its times rise");
        let mut queue =
            HeadQueue::new(HeadQueueConfig { rate: Rate::Constant(12_000_000), limit, discipline });
        for packet in 0..5 {
            assert!(queue.push(0, 1500, packet).is_ok(), "{packet}");
        }
        assert_eq!(queue.pop(550_000).map(|taken| taken.packet), Some(0));
        assert!(queue.pop(550_000).is_none());
        assert_eq!(queue.backlog(550_000).packets, 5);
        assert_eq!(queue.push(600_000, 1500, 5).is_ok(), accepts);
        let dropped = std::iter::from_fn(|| queue.pop(600_000)).map(|taken| taken.packet);
        assert_eq!(dropped.collect::<Vec<_>>(), if accepts { vec![1, 2, 3] } else { vec![] });
        assert_eq!(queue.backlog(600_000).packets, packets);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    // Drop-head loses no packet from sight: each one that came is refused, dropped from the head, sent or still there, in order, and what waits
    // is within the limit. It refuses only what would not fit into the empty queue.
    #[test]
    fn drop_head_conserves_packets_and_keeps_to_its_limit(packets in packets(), rate in rates(), limit in limits()) {
        let mut queue = queue(rate, limit, HeadDiscipline::DropHead(DropHeadConfig));
        let (mut now, mut next, mut inside) = (0, 0, 0_usize);
        for (number, &(gap, size)) in packets.iter().enumerate() {
            now += gap;
            let before = inside;
            match queue.push(now, size, number) {
                Ok(()) => inside += 1,
                Err(packet) => {
                    prop_assert_eq!(packet, number);
                    let too_large = match limit {
                        Limit::Packets(most) => most == 0,
                        Limit::Bytes(most) => u64::from(size) > most,
                        // The packet being sent counts too.
                        Limit::BytesInAll(most) => u64::from(size) + 3000 > most,
                        Limit::Time(_) => false,
                    };
                    prop_assert!(too_large, "packet {number} of {size} bytes refused with {before} inside");
                }
            }
            while let Some(Taken { packet, at, arrived, result, .. }) = queue.pop(now) {
                prop_assert!(packet >= next && arrived <= at && at <= now);
                next = packet + 1;
                inside -= 1;
                prop_assert!(!matches!(result, OfferResult::Dropped(cause) if cause != DropCause::Full));
            }
            prop_assert_eq!(queue.packets().count(), inside);
            if let Limit::Packets(most) = limit {
                prop_assert!(inside as u64 <= most.max(1) + 1, "{inside} packets at a limit of {most}");
            }
        }
    }
}
