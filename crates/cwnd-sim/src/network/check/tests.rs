// SPDX-License-Identifier: MIT OR Apache-2.0
//! Each thing that cannot be is found; and real links beside checks of their own settings, and of settings that they do not keep.

use super::*;
use cwnd_link::random::RandomStream;
use cwnd_link::{
    CodelConfig, FifoConfig, HeadDiscipline, HeadQueueConfig, Link, Offered, PacketClass, QueueConfig, Tick,
    Trace,
};

const MS: u64 = 1_000_000;
/// 1500 bytes take 1 ms.
const RATE: u64 = 12_000_000;

fn arrival(rate: Rate, limit: Limit) -> LinkConfig {
    LinkConfig::queue_only(FifoConfig { rate, limit: Steps::constant(limit), queue: QueueConfig::DropTail })
}

fn head(rate: Rate, limit: Limit) -> LinkConfig {
    let discipline =
        HeadDiscipline::Codel(CodelConfig { target: 5 * MS, interval: 100 * MS, ecn: false, mtu: 1500 });
    let head = HeadQueueConfig { rate, limit: Steps::constant(limit), discipline };
    LinkConfig { server: ServerConfig::Head(head), ..arrival(Rate::Constant(1), limit) }
}

/// Two may wait.
fn check() -> LinkCheck {
    LinkCheck::new(&arrival(Rate::Constant(RATE), Limit::Packets(2)))
}

fn is_broken(check: &LinkCheck, words: &str) -> bool {
    check.broken().is_some_and(|broken| broken.contains(words))
}

#[test]
fn what_a_link_may_do_is_no_fault() {
    let mut check = check();
    // One is sent, two wait; one more when the first has left.
    for (now, departs) in [(0, MS), (0, 2 * MS), (0, 3 * MS), (MS, 4 * MS), (9 * MS, 10 * MS)] {
        check.accepts(now, 1500, departs);
    }
    assert_eq!(check.broken(), None);
}

#[test]
fn each_thing_that_cannot_be_is_found() {
    for (what, wrong) in [
        ("faster than the rate", [(0, MS), (0, 2 * MS - 1000)]),
        ("faster after an idle time", [(0, MS), (5 * MS, 6 * MS - 1000)]),
        ("before it came", [(0, MS), (5 * MS, 4 * MS)]),
        ("out of order", [(0, 5 * MS), (0, 3 * MS)]),
    ] {
        let mut check = check();
        for (now, departs) in wrong {
            check.accepts(now, 1500, departs);
        }
        assert!(check.broken().is_some(), "{what}");
    }
    let mut full = check();
    for packet in 1..=4 {
        full.accepts(0, 1500, packet * MS);
    }
    assert!(is_broken(&full, "3 packets wait with it (limit 2)"), "{full:?}");
    let mut roomy = check();
    roomy.accepts(0, 1500, MS);
    roomy.refuses(0, 1500, DropCause::Loss);
    assert_eq!(roomy.broken(), None);
    roomy.refuses(0, 1500, DropCause::Full);
    assert!(is_broken(&roomy, "it refused 1500 bytes although there is room"), "{roomy:?}");
}

// A nanosecond too early each: no packet by itself is too early by more than rounding, but a thousand of them are by 1 µs.
#[test]
fn a_rate_is_kept_over_the_whole_of_a_busy_period() {
    let mut check = LinkCheck::new(&arrival(Rate::Constant(RATE), Limit::Packets(2000)));
    for packet in 1..=1000 {
        check.accepts(0, 1500, packet * (MS - 1));
    }
    assert!(is_broken(&check, "bytes were sent from 0 ns"), "{check:?}");
}

// 12 Mbit/s until 10 ms, then 6: a packet that begins at 9.5 ms has half of it sent by 10 ms and leaves at 11 ms.
#[test]
fn a_rate_that_changes_is_integrated() {
    let rate = Steps::new(RATE, vec![(10 * MS, RATE / 2)]).expect("rising");
    let steps = |departs| {
        let mut check = LinkCheck::new(&arrival(Rate::Steps(rate.clone()), Limit::Packets(2)));
        check.accepts(19 * MS / 2, 1500, departs);
        check.broken().is_some()
    };
    assert!(!steps(11 * MS) && steps(11 * MS - 1000));
}

// Opportunities at 1 (two), 3 and 5 ms; then at 6 (two), 8 and 10. Of 1500 and 2000 bytes at 0 ms the first leave at 1, the others at 3, where
// 1000 more have room. At 3 ms itself the opportunity is missed.
#[test]
fn a_trace_carries_its_opportunities() {
    let trace = Trace::parse("1\n1\n3\n5").expect("a trace");
    let broken = |packets: &[(u64, u32, u64)]| {
        let mut check = LinkCheck::new(&arrival(Rate::Trace(trace.clone()), Limit::Packets(9)));
        packets.iter().for_each(|&(now, size, departs)| check.accepts(now * MS, size, departs * MS));
        check.broken().is_some()
    };
    assert!(!broken(&[(0, 1500, 1), (0, 2000, 3), (0, 1000, 3), (3, 100, 5), (4, 1500, 6), (6, 3000, 10)]));
    assert!(broken(&[(0, 1500, 1), (0, 2000, 1)]), "3500 bytes at 1 ms");
    assert!(broken(&[(0, 1500, 1), (0, 2000, 3), (0, 1001, 3)]), "4501 bytes by 3 ms");
    assert!(broken(&[(3, 100, 3)]), "it has missed that one");
    assert!(broken(&[(5003, 1500, 5004)]), "none at 5004 ms");
    assert!(!broken(&[(5003, 1500, 5005)]));
}

// Two of 1000 bytes wait behind one: 2000 bytes of waiting ones, 3000 in all.
#[test]
fn limits_in_bytes_and_in_time_are_looked_at() {
    for (limit, is_too_small) in [
        (Limit::Bytes(2000), false),
        (Limit::Bytes(1999), true),
        (Limit::BytesInAll(3000), false),
        (Limit::BytesInAll(2999), true),
        // 8000 bits at 12 Mbit/s are 2/3 ms: the last one waits 4/3 ms.
        (Limit::Time(1_333_334), false),
        (Limit::Time(1_333_330), true),
    ] {
        let mut fifo = LinkCheck::new(&arrival(Rate::Constant(RATE), limit));
        for departs in [666_666, 1_333_333, 2_000_000] {
            fifo.accepts(0, 1000, departs);
        }
        assert_eq!(fifo.broken().is_some(), is_too_small, "{limit:?}: {fifo:?}");
        let mut codel = LinkCheck::new(&head(Rate::Constant(RATE), limit));
        codel.holds(0, 1000);
        codel.check_dequeue(0, 1000, 666_666);
        codel.holds(1, 1000);
        codel.holds(1, 1000);
        codel.ends(2, 2);
        // It is a nanosecond later.
        assert_eq!(codel.broken().is_some(), is_too_small, "{limit:?}: {codel:?}");
    }
    // A limit that shrinks at 1 ms: what has been accepted may stay.
    let shrinking = Steps::new(Limit::Bytes(4000), vec![(MS, Limit::Bytes(1000))]).expect("rising");
    let fifo = FifoConfig { rate: Rate::Constant(RATE), limit: shrinking, queue: QueueConfig::DropTail };
    let mut check = LinkCheck::new(&LinkConfig::queue_only(fifo));
    (1..=4).for_each(|packet| check.accepts(0, 1000, packet * 2 * MS));
    assert_eq!(check.broken(), None);
    check.accepts(MS, 1000, 10 * MS);
    assert!(is_broken(&check, "4000 bytes wait with it (limit 1000)"), "{check:?}");
}

#[test]
fn a_queue_that_drops_at_the_head_sends_what_came_in_its_order_and_keeps_the_rest() {
    let link = || LinkCheck::new(&head(Rate::Constant(RATE), Limit::Packets(2)));
    let filled = || {
        let mut check = link();
        check.holds(0, 1500);
        check.check_dequeue(0, 1500, MS);
        check.holds(MS / 2, 1000);
        check.holds(MS / 2, 1500);
        check
    };
    let mut right = filled();
    right.drops_held(MS, 1000);
    right.check_dequeue(MS, 1500, 2 * MS);
    right.ends(3 * MS, 0);
    assert_eq!(right.broken(), None);
    for (words, wrong) in [
        ("bytes were sent from", (|check| check.check_dequeue(MS, 1000, MS + 600_000)) as fn(&mut LinkCheck)),
        ("1500 bytes leave, but 1000 are at the head", |check| check.check_dequeue(MS, 1500, 2 * MS)),
        ("1500 bytes leave, but 1000 are at the head", |check| check.drops_held(MS, 1500)),
        ("that arrives at", |check| check.check_dequeue(MS / 4, 1000, 2 * MS)),
        ("after one that left at", |check| check.check_dequeue(MS, 1000, MS / 2)),
        ("3 packets wait with it (limit 2)", |check| {
            check.holds(MS * 3 / 4, 100);
            check.drops_held(MS, 1000);
        }),
        ("it refused 1500 bytes although there is room", |check| {
            check.drops_held(MS, 1000);
            check.refuses_at_head(MS, 1500, DropCause::Full);
        }),
        ("it holds 1 packets, but 2 arrived and have not left", |check| check.ends(MS, 1)),
    ] {
        let mut check = filled();
        wrong(&mut check);
        check.settle(NEVER);
        assert!(is_broken(&check, words), "{words}: {check:?}");
    }
    let mut empty = link();
    empty.drops_held(0, 1500);
    assert!(is_broken(&empty, "1500 bytes leave that have not arrived"), "{empty:?}");
}

/// Random bursts of packets through a real link, noted by `check`.
fn driven(config: &LinkConfig, check: &mut LinkCheck) {
    let config = LinkConfig { tick: Some(config.tick.unwrap_or(Tick::every(1))), ..config.clone() };
    let mut link: Link<u32> = Link::new(config, (0, NEVER), NEVER);
    let mut random = RandomStream::new(7, 7);
    let (mut now, until) = (0, 3000 * MS);
    loop {
        let next = now + if random.below(3) == 0 { random.below(8 * MS) } else { 0 };
        while link.next_event() <= next.min(until) {
            let at = link.next_event();
            while let Some((size, result)) = link.pop(at) {
                match result {
                    Ok(transit) => check.check_dequeue(at, size, transit.departs),
                    Err(_) => check.drops_held(at, size),
                }
            }
        }
        now = next;
        if now > until {
            if link.decides_at_head() {
                check.ends(until, link.packets().count());
            }
            return;
        }
        let size = [52, 600, 1500, 1500][random.below(4) as usize];
        let Offered::Holds = link.offer(now, size, PacketClass::Data) else { panic!("a link that ticks") };
        match link.enqueue(now, size, PacketClass::Data, size) {
            Ok(Some(transit)) => check.accepts(now, size, transit.departs),
            Ok(None) => check.holds(now, size),
            Err(cause) if link.decides_at_head() => check.refuses_at_head(now, size, cause),
            Err(cause) => check.refuses(now, size, cause),
        }
    }
}

/// Rates, and each a little lower.
fn rates() -> [(Rate, Rate); 3] {
    let steps = |factor: u64| {
        let changes = [(300, 120), (700, 0), (800, 70), (1500, 200)];
        let changes = changes.map(|(ms, share)| (ms * MS, RATE / 100 * share / 100 * factor));
        Rate::Steps(Steps::new(RATE / 100 * factor, changes.to_vec()).expect("rising"))
    };
    let trace = |text: &str| Rate::Trace(Trace::parse(text).expect("a trace"));
    [
        (Rate::Constant(RATE), Rate::Constant(RATE * 99 / 100)),
        (steps(100), steps(99)),
        (trace("0\n1\n1\n2\n7\n9\n9\n9"), trace("0\n1\n1\n2\n7\n9\n9\n10")),
    ]
}

// Restored faults: a link that sends a hundredth too fast, one that takes in one packet, one byte or one nanosecond too much, and one too little,
// which is what a link is beside the check of another one.
#[test]
fn real_links_keep_their_own_settings_and_no_tighter_ones() {
    let limits = [
        (Limit::Packets(10), Limit::Packets(9), Limit::Packets(11)),
        (Limit::Bytes(15_000), Limit::Bytes(13_500), Limit::Bytes(16_500)),
        (Limit::BytesInAll(15_000), Limit::BytesInAll(13_500), Limit::BytesInAll(16_500)),
        (Limit::Time(12 * MS), Limit::Time(11 * MS), Limit::Time(13 * MS)),
    ];
    for make in [arrival, head] {
        for (rate, slower) in rates() {
            for (limit, smaller, larger) in limits {
                let link = make(rate.clone(), limit);
                let place = format!("{:?}, {limit:?}", link.server);
                let beside = |other: &LinkConfig| {
                    let mut check = LinkCheck::new(other);
                    driven(&link, &mut check);
                    check.broken().map(str::to_owned)
                };
                assert_eq!(beside(&link), None, "{place}");
                assert!(beside(&make(slower.clone(), limit)).is_some(), "slower than {place}");
                // How long a queue at the head would wait is known of a constant rate.
                let is_known = matches!(link.server, ServerConfig::Fifo(..))
                    || !matches!(limit, Limit::Time(_))
                    || matches!(rate, Rate::Constant(_));
                if is_known {
                    assert!(beside(&make(rate.clone(), smaller)).is_some(), "less room than {place}");
                    assert!(beside(&make(rate.clone(), larger)).is_some(), "more room than {place}");
                }
            }
        }
    }
}

// dummynet's clock: times are those of ticks, and so is the rate. Limits are not looked at.
#[test]
fn links_that_tick_keep_their_rate() {
    for make in [arrival, head] {
        let link =
            LinkConfig { tick: Some(Tick::every(MS)), ..make(Rate::Constant(RATE), Limit::Packets(10)) };
        for (rate, is_right) in [(RATE, true), (RATE * 8 / 10, false)] {
            let other = make(Rate::Constant(rate), Limit::Packets(10));
            let mut check = LinkCheck::new(&LinkConfig { tick: link.tick, ..other });
            driven(&link, &mut check);
            assert_eq!(check.broken().is_none(), is_right, "{rate} bit/s: {:?}", check.broken());
        }
    }
}
