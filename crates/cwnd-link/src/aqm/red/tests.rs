// SPDX-License-Identifier: MIT OR Apache-2.0
use super::super::Backlog;
use super::*;
use crate::aqm::DropCause;
use crate::random::{CERTAIN, probability};
use crate::{Fifo, FifoConfig, OfferResult, QueueConfig, Rate, Steps};

const PARAMS: RedConfig = RedConfig {
    min: Limit::Packets(5),
    max: Limit::Packets(15),
    max_p: 0,
    weight: 1 << 62,
    gentle: true,
    ecn: false,
    mean_packet: 1500,
};

/// 1500 bytes at 12 Mbit/s: 1 ms each.
const BUSY: Arrival = Arrival {
    now: 0,
    size: 1500,
    ecn: Ecn::NotCapable,
    waiting: Backlog { packets: 8, bytes: 12_000 },
    idle_since: None,
    rate: 12_000_000,
    full: false,
};

// Weight 1/4, a queue of 8: 0 → 2 → 3.5 → 4.625. Idle from 10 to 12.9 ms, two packets' time: × 0.75² = 2.6015625. Idle for
// half a packet's time: unchanged.
#[test]
fn the_average_by_hand() {
    let mut red = Red::new(PARAMS, RandomStream::new(1, 0));
    let mut after = |arrival: Arrival| {
        red.on_arrival(&arrival);
        red.avg
    };
    assert_eq!([after(BUSY), after(BUSY), after(BUSY)], [2.0, 3.5, 4.625]);
    let none = Backlog::default();
    let idle = Arrival { now: 12_900_000, idle_since: Some(10_000_000), waiting: none, ..BUSY };
    assert_eq!(after(idle), 2.601_562_5);
    assert_eq!(after(Arrival { now: 20_500_000, idle_since: Some(20_000_000), ..idle }), 2.601_562_5);
    // A year without a packet is over at once, and the average with it.
    assert_eq!(after(Arrival { now: 32_000_000_000_000_000, idle_since: Some(20_500_000), ..idle }), 0.0);
}

// The same in bytes: 12 000 · 1/4 = 3000, then 5250.
#[test]
fn the_average_in_bytes() {
    let mut red = Red::new(
        RedConfig { min: Limit::Bytes(7500), max: Limit::Bytes(22_500), ..PARAMS },
        RandomStream::new(1, 0),
    );
    red.on_arrival(&BUSY);
    assert_eq!(red.avg, 3000.0);
    red.on_arrival(&BUSY);
    assert_eq!(red.avg, 5250.0);
}

// Weight 1/2, min 1, max 3, max_p 0, not gentle: packets are dropped from an average of 3 on and never below. Eight arrive at
// once; they find the link idle, then 0, 1, 2, 3, 4 waiting:
//   average 0, 0, 0.5, 1.25, 2.125, 3.0625 (drop), 3.53125 (drop), 3.765625 (drop).
// At 1 ms one of the five has left, one is being sent and 3 wait: (3.765625 + 3)/2 = 3.38 (drop). At 2 ms 2 wait: 2.69, accepted;
// behind it 3: 2.85, accepted; 4: 3.42 (drop).
#[test]
fn a_burst_through_a_link_by_hand() {
    let red = RedConfig {
        min: Limit::Packets(1),
        max: Limit::Packets(3),
        weight: 1 << 63,
        gentle: false,
        ..PARAMS
    };
    let config = FifoConfig {
        rate: Rate::Constant(12_000_000),
        limit: Steps::constant(Limit::Packets(100)),
        queue: QueueConfig::Red(red),
    };
    let mut link = Fifo::from_config(config, RandomStream::new(1, 0));
    let mut taken = |now, n| (0..n).map(|_| link.push(now, 1500).is_some()).collect::<Vec<_>>();
    assert_eq!(taken(0, 8), [true, true, true, true, true, false, false, false]);
    assert_eq!(taken(1_000_000, 1), [false]);
    assert_eq!(taken(2_000_000, 3), [true, true, false]);
}

// min 5, max 15, max_p 0.1; halfway up 0.05. Gentle: at 22.5, halfway from 15 to 30, 0.1 + 0.9/2.
#[test]
fn the_drop_probability_by_hand() {
    let p = |avg, gentle| drop_probability(avg, 5.0, 15.0, 0.1, gentle);
    assert_eq!([p(5.0, false), p(10.0, false), p(15.0, false)], [0.0, 0.05, 1.0]);
    assert_eq!([p(10.0, true), p(15.0, true), p(22.5, true), p(30.0, true)], [0.05, 0.1, 0.55, 1.0]);
}

// p_b = 1/50: at once 1/50, after 25 packets 1/25, after 49 certain.
#[test]
fn the_chance_rises_with_the_packets_since_the_last_hit() {
    assert_eq!(spaced_probability(0.02, 0), 0.02);
    assert!((spaced_probability(0.02, 25) - 0.04).abs() < 1e-15);
    assert!(spaced_probability(0.02, 48) < 0.51);
    assert_eq!(spaced_probability(0.02, 49), 1.0);
    assert_eq!(spaced_probability(0.02, 1_000_000), 1.0);
}

// Weight 1: the average is the queue. Above min the count rises, below it starts anew.
#[test]
fn the_count_starts_anew_below_the_lower_threshold() {
    let mut red = Red::new(RedConfig { weight: CERTAIN, ..PARAMS }, RandomStream::new(1, 0));
    let mut after = |packets| {
        red.on_arrival(&Arrival { waiting: Backlog { packets, bytes: 0 }, ..BUSY });
        red.count
    };
    assert_eq!([after(8), after(5), after(9), after(4), after(8), after(99)], [0, 1, 2, -1, 0, 0]);
}

/// Numbers of the hit ones among `n` arrivals of `size` bytes at an average that stays.
fn hits(config: RedConfig, arrival: Arrival, n: u64, seed: u64) -> Vec<u64> {
    let mut red = Red::new(RedConfig { weight: CERTAIN, ..config }, RandomStream::new(seed, 0));
    (1..=n).filter(|_| red.on_arrival(&arrival) != Admission::Accept).collect()
}

fn ten_waiting(size: u32) -> Arrival {
    Arrival { size, waiting: Backlog { packets: 10, bytes: 15_000 }, ..BUSY }
}

// Halfway between 5 and 15 with max_p 0.04: p_b = 1/50, so gaps are uniform on 1 … 49. Of about 10⁶/25 = 40 000 gaps each length
// has 816 ± 5 σ, σ = 28.3.
#[test]
fn drops_are_spaced_evenly() {
    for seed in 1..=3 {
        let hits = hits(RedConfig { max_p: probability(0.04), ..PARAMS }, ten_waiting(1500), 1_000_000, seed);
        let mut seen = [0_i64; 50];
        for pair in hits.windows(2) {
            seen[(pair[1] - pair[0]) as usize] += 1;
        }
        assert!(seen[0] == 0 && seen[1..].iter().all(|n| (n - 816).abs() < 142), "seed {seed}: {seen:?}");
    }
}

// In bytes a packet of half the mean size has half the p_b: gaps uniform on 1 … 99, mean 50, σ 28.6, so of 10⁵ packets 2000 ± 5 ·
// √(10⁵ · 28.6²/50³) = 128 are hit; of full ones (1 … 49: mean 25, σ 14.1) 4000 ± 179.
#[test]
fn small_packets_are_hit_less_often_in_bytes_and_alike_in_packets() {
    let bytes =
        RedConfig { min: Limit::Bytes(7500), max: Limit::Bytes(22_500), max_p: probability(0.04), ..PARAMS };
    let count = |config, size| hits(config, ten_waiting(size), 100_000, 1).len() as i64;
    assert!((count(bytes, 1500) - 4000).abs() < 179, "{}", count(bytes, 1500));
    assert!((count(bytes, 750) - 2000).abs() < 128, "{}", count(bytes, 750));
    let packets = RedConfig { max_p: probability(0.04), ..PARAMS };
    assert_eq!(count(packets, 750), count(packets, 1500));
}

#[test]
fn what_may_be_marked_is_marked_where_chance_decides_and_dropped_where_not() {
    let likely = RedConfig {
        min: Limit::Packets(1),
        max: Limit::Packets(100),
        max_p: CERTAIN,
        weight: CERTAIN,
        ecn: true,
        ..PARAMS
    };
    let answer = |config, packets, ecn, full| {
        let mut red = Red::new(config, RandomStream::new(1, 0));
        let arrival = Arrival { ecn, full, waiting: Backlog { packets, bytes: 0 }, ..BUSY };
        // p_b is 98/99 at most, so the second packet at the latest is hit.
        (0..2).map(|_| red.on_arrival(&arrival)).find(|answer| *answer != Admission::Accept)
    };
    assert_eq!(answer(likely, 99, Ecn::Capable, false), Some(Admission::Mark));
    assert_eq!(answer(likely, 99, Ecn::NotCapable, false), Some(Admission::Drop));
    assert_eq!(answer(RedConfig { ecn: false, ..likely }, 99, Ecn::Capable, false), Some(Admission::Drop));
    assert_eq!(answer(likely, 200, Ecn::Capable, false), Some(Admission::Drop));
    assert_eq!(answer(likely, 1, Ecn::Capable, true), Some(Admission::NoRoom));
    assert_eq!(answer(likely, 0, Ecn::Capable, false), None);
}

// A mark comes through the link with the departure, and the packet takes its place.
#[test]
fn a_marked_packet_departs() {
    let red = RedConfig {
        min: Limit::Packets(1),
        max: Limit::Packets(4),
        max_p: CERTAIN,
        weight: CERTAIN,
        ecn: true,
        ..PARAMS
    };
    let config = FifoConfig {
        rate: Rate::Constant(12_000_000),
        limit: Steps::constant(Limit::Packets(3)),
        queue: QueueConfig::Red(red),
    };
    let mut link = Fifo::from_config(config, RandomStream::new(1, 0));
    let results: Vec<OfferResult> =
        (0..200).map(|n| link.offer(n / 4 * 1_000_000, 1500, Ecn::Capable)).collect();
    let marked = results.iter().filter(|v| matches!(v, OfferResult::Departs { mark: true, .. })).count();
    let departed = results.iter().filter(|v| matches!(v, OfferResult::Departs { .. })).count();
    assert!(marked > 0 && departed > marked);
    // One leaves per ms: the link is never idle, and three wait at the end beside the one being sent.
    assert_eq!(departed, 49 + 4);
    assert!(results.iter().all(|v| *v != OfferResult::Dropped(DropCause::Early)));
}
