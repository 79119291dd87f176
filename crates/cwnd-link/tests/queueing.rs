// SPDX-License-Identifier: MIT OR Apache-2.0
//! Links against queueing theory: Poisson arrivals, fixed or exponential service, means and losses in closed form.
//!
//! At 8 Gbit/s a byte takes a nanosecond; packets have a million of them on average, so service takes 1 ms and rounding
//! to bytes is a millionth. Means of 30 batches are nearly independent and nearly normal, so their mean lies within 3.66 standard
//! errors (Student's t, 29 degrees of freedom) of the truth in 999 of 1000 runs; that interval is asked to be narrow, too.

use cwnd_link::random::RandomStream;
use cwnd_link::{Ecn, Fifo, Limit, OfferResult};

const SERVICE_NS: f64 = 1e6;
const BATCHES: usize = 30;
const BATCH: u32 = 100_000;

#[derive(Clone, Copy, Debug)]
enum ServiceTime {
    Fixed,
    Exponential,
}

/// Means of one batch, times in units of the mean service time.
struct Batch {
    wait: f64,
    waiting: f64,
    lost: f64,
}

/// Offers packets at load `rho` and looks at the queue every 3.7 service times. A first batch warms the queue up.
fn batches(service: ServiceTime, rho: f64, limit: Limit, seed: u64) -> Vec<Batch> {
    let mut link = Fifo::new(8_000_000_000, limit);
    let mut gaps = RandomStream::new(seed, 0);
    let mut sizes = RandomStream::new(seed, 1);
    let (mut now, mut look) = (0.0, 0_u64);
    let mut batch = || {
        let (mut wait, mut accepted, mut waiting, mut looks) = (0, 0_u32, 0, 0_u32);
        for _ in 0..BATCH {
            now += gaps.exponential(SERVICE_NS / rho);
            let at = now as u64;
            while look <= at {
                waiting += link.backlog(look).packets.saturating_sub(1);
                looks += 1;
                look += 3_700_000;
            }
            let size = match service {
                ServiceTime::Fixed => 1_000_000,
                ServiceTime::Exponential => sizes.exponential(1e6).round() as u32,
            };
            if let OfferResult::Departs { begins, .. } = link.offer(at, size, Ecn::NotCapable) {
                wait += begins - at;
                accepted += 1;
            }
        }
        Batch {
            wait: wait as f64 / f64::from(accepted) / SERVICE_NS,
            waiting: waiting as f64 / f64::from(looks),
            lost: f64::from(BATCH - accepted) / f64::from(BATCH),
        }
    };
    batch();
    (0..BATCHES).map(|_| batch()).collect()
}

/// Asserts that `truth` is in the interval of 99.9 %, and that its half-width is less than `width` of it.
fn check(name: &str, values: impl Iterator<Item = f64> + Clone, truth: f64, width: f64) {
    let n = BATCHES as f64;
    let mean = values.clone().sum::<f64>() / n;
    let variance = values.map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let half = 3.66 * (variance / n).sqrt();
    println!("{name}: {mean:.5} ± {half:.5}, in theory {truth:.5}");
    assert!((mean - truth).abs() < half, "{name}: {mean} ± {half} instead of {truth}");
    assert!(half < width * truth, "{name}: ± {half} is too wide to tell");
}

const NO_LIMIT: Limit = Limit::Packets(1 << 32);

// M/D/1 (Pollaczek 1930, Khinchin 1932): W_q = ρ / (2 (1 − ρ)) service times, L_q = ρ W_q (Little).
//   ρ = 0.5: 0.5 and 0.25; ρ = 0.8: 2 and 1.6.
#[test]
fn fixed_packets_wait_as_in_m_d_1() {
    for (seed, rho, wait, waiting) in [(1, 0.5, 0.5, 0.25), (2, 0.8, 2.0, 1.6), (3, 0.8, 2.0, 1.6)] {
        let batches = batches(ServiceTime::Fixed, rho, NO_LIMIT, seed);
        let name = format!("M/D/1 at {rho}, seed {seed}");
        check(&format!("{name}, wait"), batches.iter().map(|b| b.wait), wait, 0.02);
        check(&format!("{name}, waiting"), batches.iter().map(|b| b.waiting), waiting, 0.02);
        assert!(batches.iter().all(|b| b.lost == 0.0));
    }
}

// M/M/1: W_q = ρ / (1 − ρ), L_q = ρ W_q.  ρ = 0.5: 1 and 0.5; ρ = 0.8: 4 and 3.2.
#[test]
fn exponential_packets_wait_as_in_m_m_1() {
    for (seed, rho, wait, waiting) in [(1, 0.5, 1.0, 0.5), (2, 0.8, 4.0, 3.2), (3, 0.8, 4.0, 3.2)] {
        let batches = batches(ServiceTime::Exponential, rho, NO_LIMIT, seed);
        let name = format!("M/M/1 at {rho}, seed {seed}");
        check(&format!("{name}, wait"), batches.iter().map(|b| b.wait), wait, 0.03);
        check(&format!("{name}, waiting"), batches.iter().map(|b| b.waiting), waiting, 0.03);
    }
}

// M/M/1/K: of arrivals (1 − ρ) ρᴷ / (1 − ρᴷ⁺¹) are lost; room for 9 beside the one being sent is K = 10.
//   ρ = 0.9: 0.1 · 0.348678 / (1 − 0.313811) = 0.050814; ρ = 1.2: 0.2 · 6.191736 / 6.430084 = 0.192587.
#[test]
fn a_full_queue_loses_as_in_m_m_1_k() {
    for (seed, rho, lost) in [(1, 0.9, 0.050_814), (2, 1.2, 0.192_587)] {
        let batches = batches(ServiceTime::Exponential, rho, Limit::Packets(9), seed);
        check(&format!("M/M/1/10 at {rho}, seed {seed}"), batches.iter().map(|b| b.lost), lost, 0.03);
    }
}

// M/D/1/2 (Gravey, Louvion and Boyer 1990): one waits at most. The queue left behind by departures is a chain of two states with
// a₀ = e^(−ρ): empty with probability π₀ = a₀, since it empties only by no arrival in a service. A cycle of one departure
// takes 1 + π₀/ρ services, of which arrivals number ρ + π₀ and one is served: lost = 1 − 1/(ρ + π₀). ρ = 1: π₀ = 1/e:
// 1 − 1/1.367879 = 0.268941.
#[test]
fn a_queue_for_one_loses_as_in_m_d_1_2() {
    let batches = batches(ServiceTime::Fixed, 1.0, Limit::Packets(1), 1);
    check("M/D/1/2 at 1, seed 1", batches.iter().map(|b| b.lost), 0.268_941, 0.02);
}
