// SPDX-License-Identifier: MIT OR Apache-2.0
use super::*;
use crate::NEVER;

// 1500 bytes at 12 Mbit/s take 1 ms.
#[test]
fn packets_leave_one_after_the_other() {
    let mut link = Fifo::new(12_000_000, Limit::Packets(10));
    assert_eq!(link.push(0, 1500), Some(1_000_000));
    assert_eq!(link.push(0, 1500), Some(2_000_000));
    assert_eq!(link.push(1_500_000, 1500), Some(3_000_000));
    assert_eq!(link.push(9_000_000, 1500), Some(10_000_000), "idle since 3 ms");
}

#[test]
fn the_answer_tells_the_wait_from_the_serialisation() {
    let mut link = Fifo::new(12_000_000, Limit::Packets(10));
    for (now, begins, at) in [(5, 5, 1_000_005), (5, 1_000_005, 2_000_005), (3_000_000, 3_000_000, 4_000_000)]
    {
        assert_eq!(link.offer(now, 1500, Ecn::Capable), OfferResult::Departs { begins, at, mark: false });
    }
    // Another size, so not the fast path: 750 bytes take half a ms.
    let (begins, at) = (4_000_000, 4_500_000);
    assert_eq!(link.offer(3_000_000, 750, Ecn::Capable), OfferResult::Departs { begins, at, mark: false });
    assert_eq!((link.serialisation(), link.free_at()), (500_000, 4_500_000));
}

#[test]
fn the_limit_counts_waiting_packets() {
    let mut link = Fifo::new(12_000_000, Limit::Packets(2));
    let accepted = (0..5).filter(|_| link.push(0, 1500).is_some()).count();
    assert_eq!(accepted, 3, "one on the wire and two waiting");
    assert_eq!(link.backlog(0), Backlog { packets: 3, bytes: 4500 });
    assert_eq!(link.push(999_999, 1500), None);
    assert!(link.push(1_000_000, 1500).is_some(), "the first has left");
}

#[test]
fn a_limit_of_nothing_lets_one_packet_be_sent() {
    for limit in [Limit::Packets(0), Limit::Bytes(0), Limit::Time(0), Limit::Bytes(1499)] {
        let mut link = Fifo::new(12_000_000, limit);
        assert!(link.push(0, 1500).is_some());
        assert!(link.push(0, 1500).is_none() && link.push(999_999, 1500).is_none(), "{limit:?}");
        assert!(link.push(1_000_000, 1500).is_some());
    }
}

#[test]
fn a_limit_in_bytes_counts_waiting_bytes() {
    let mut link = Fifo::new(12_000_000, Limit::Bytes(2000));
    assert!(link.push(0, 1500).is_some());
    assert!(link.push(0, 1500).is_some());
    assert!(link.push(0, 501).is_none());
    assert!(link.push(0, 500).is_some());
}

// One size only: 4499 bytes have room for two of 1500, 4500 for three; the one being sent is not counted. With a small packet
// in between (not the fast path) the same.
#[test]
fn a_limit_in_bytes_is_exact_at_its_edge() {
    for (limit, room) in [(4499, 2), (4500, 3), (4501, 3)] {
        let mut link = Fifo::new(12_000_000, Limit::Bytes(limit));
        let accepted = (0..9).filter(|_| link.push(0, 1500).is_some()).count();
        assert_eq!(accepted, 1 + room, "{limit}");
        let mut link = Fifo::new(12_000_000, Limit::Bytes(limit + 1));
        assert!(link.push(0, 40).is_some(), "on the wire");
        assert!(link.push(0, 1).is_some(), "waits");
        let accepted = (0..9).filter(|_| link.push(0, 1500).is_some()).count();
        assert_eq!(accepted, room, "{limit}");
    }
}

// 10 packets wait at most, of whatever size; 10 × 1500 bytes are 15 000, in which 288 of 52 bytes have room (14 976).
#[test]
fn bytes_have_room_for_many_small_packets_and_packets_have_not() {
    for (limit, room) in [(Limit::Packets(10), 10), (Limit::Bytes(15_000), 288)] {
        let mut link = Fifo::new(12_000_000, limit);
        assert_eq!((0..1000).filter(|_| link.push(0, 52).is_some()).count(), 1 + room, "{limit:?}");
    }
}

// 2 ms at 12 Mbit/s: the wait before 1500 bytes is 0, 1, 2 and then 3 ms. A minute packet is accepted at just 2 ms and
// not a nanosecond over.
#[test]
fn a_limit_in_time_bounds_the_wait() {
    let mut link = Fifo::new(12_000_000, Limit::Time(2_000_000));
    assert_eq!((0..9).filter(|_| link.push(0, 1500).is_some()).count(), 3);
    assert_eq!(link.push(999_999, 1), None);
    assert_eq!(link.push(1_000_000, 3), Some(3_002_000));
    assert_eq!(link.push(1_000_000, 3), None, "2.002 ms");
}

// 1500 bytes at 7 Mbit/s take 12000/7 µs = 1 714 285.714… ns: 7 packets take 12 000 000 ns exactly.
#[test]
fn fractions_of_a_nanosecond_are_not_lost() {
    let mut link = Fifo::new(7_000_000, Limit::Packets(10));
    let last = (0..7).filter_map(|_| link.push(0, 1500)).last();
    assert_eq!(last, Some(12_000_000));
}

// The same 1 714 285.714… ns: the first of three is reported gone at 1 714 285, and there is room again just then.
#[test]
fn there_is_room_from_the_reported_departure_on() {
    let mut link = Fifo::new(7_000_000, Limit::Packets(2));
    assert_eq!((0..9).filter(|_| link.push(0, 1500).is_some()).count(), 3);
    assert_eq!((link.push(1_714_284, 1500), link.push(1_714_285, 1500)), (None, Some(6_857_142)));
}

// At 10 Tbit/s a byte takes less than a nanosecond, and 1000 bytes 0.8 ns: 5 packets leave within 4 ns.
#[test]
fn a_link_may_be_faster_than_a_packet_per_nanosecond() {
    let mut link = Fifo::new(10_000_000_000_000, Limit::Packets(10));
    let times: Vec<u64> = (0..5).filter_map(|_| link.push(1, 1000)).collect();
    assert_eq!(times, [1, 2, 3, 4, 5], "1.8, 2.6, 3.4, 4.2, 5");
    assert_eq!((link.backlog(1).packets, link.backlog(3).packets), (4, 2));
}

fn at_12m(limit: Steps<Limit>, rate: Rate, queue: QueueConfig) -> Fifo {
    Fifo::from_config(FifoConfig { rate, limit, queue }, RandomStream::new(1, 0))
}

// Room for 2 until 10 ms, for 4 until 20 ms, for 1 from then on: queued packets are not dropped, but none is accepted.
#[test]
fn the_room_changes_when_it_is_told_to() {
    let changes = vec![(10_000_000, Limit::Packets(4)), (20_000_000, Limit::Packets(1))];
    let limit = Steps::new(Limit::Packets(2), changes).expect("rising");
    let mut link = at_12m(limit, Rate::Constant(12_000_000), QueueConfig::DropTail);
    let mut burst = |now| (0..9).filter(|_| link.push(now, 1500).is_some()).count();
    assert_eq!((burst(0), burst(10_000_000), burst(19_999_999)), (3, 5, 5));
    assert_eq!(burst(20_000_000), 0, "four wait still");
    assert_eq!(burst(24_000_000), 1, "one is being sent until 24.999999, none waits");
}

// 24 Mbit/s from 1 ms on. A limit of 1 ms is room for 1 packet before and for 2 after.
#[test]
fn a_limit_in_time_grows_with_the_rate() {
    let rate = Rate::Steps(Steps::new(12_000_000, vec![(1_000_000, 24_000_000)]).expect("rising"));
    let mut link = at_12m(Steps::constant(Limit::Time(1_000_000)), rate, QueueConfig::DropTail);
    let times: Vec<Option<u64>> = (0..4).map(|_| link.push(0, 1500)).collect();
    assert_eq!(times, [Some(1_000_000), Some(1_500_000), None, None]);
    let times: Vec<Option<u64>> = (0..4).map(|_| link.push(2_000_000, 1500)).collect();
    assert_eq!(times, [Some(2_500_000), Some(3_000_000), Some(3_500_000), None]);
}

#[test]
fn a_dead_link_fills_up_and_then_drops() {
    let rate = Rate::Steps(Steps::new(12_000_000, vec![(1_500_000, 0)]).expect("rising"));
    let mut link = at_12m(Steps::constant(Limit::Packets(3)), rate, QueueConfig::DropTail);
    let times: Vec<Option<u64>> = (0..6).map(|_| link.push(0, 1500)).collect();
    assert_eq!(times, [Some(1_000_000), Some(NEVER), Some(NEVER), Some(NEVER), None, None]);
    let late = NEVER - 1;
    assert_eq!(link.push(late, 1500), Some(NEVER), "the first has left, the second is being sent for ever");
    assert_eq!(link.push(late, 1500), None);
    assert_eq!(link.backlog(late), Backlog { packets: 4, bytes: 6000 });
}

// At 1 bit/s 5·10⁸ bytes take 4·10¹⁸ ns, 127 years, and 2⁶⁴ ns are 585 years: behind one that waits for one on the wire there
// is no room, whatever the limit says, and no departure wraps. In sizes that mix, and behind RED, the same.
#[test]
fn a_queue_that_would_take_centuries_is_full() {
    let red = crate::RedConfig {
        min: Limit::Packets(1 << 40),
        max: Limit::Packets(1 << 41),
        max_p: 1,
        weight: 1,
        gentle: true,
        ecn: false,
        mean_packet: 1500,
    };
    let big = 500_000_000;
    for (queue, other) in
        [(QueueConfig::DropTail, big), (QueueConfig::DropTail, big - 1), (QueueConfig::Red(red), big)]
    {
        let limit = Steps::constant(Limit::Packets(u64::from(u32::MAX)));
        let config = FifoConfig { rate: Rate::Constant(1), limit, queue };
        let mut link = Fifo::from_config(config, RandomStream::new(1, 0));
        let sizes = [big, other, big, other, big, other];
        let left: Vec<_> = sizes.iter().map(|&size| link.push(7, size)).collect();
        let second = 4_000_000_000_000_000_007 + u64::from(other) * 8_000_000_000;
        assert_eq!(left[..2], [Some(4_000_000_000_000_000_007), Some(second)], "{queue:?}");
        assert_eq!(left[2..], [None; 4], "{queue:?}");
    }
}
