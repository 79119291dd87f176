// SPDX-License-Identifier: MIT OR Apache-2.0
//! Propagation delay, jitter and reordering: from a packet's departure to its arrival at the other end.
//!
//! arrival = departure + delay at the departure + jitter. Unless jitter may reorder, a packet that would overtake arrives at
//! the time of the one before it (so the mean delay grows by a little); the same holds where the delay itself falls. Chosen packets
//! are then delayed by a fixed extra time, and later ones overtake them, whether or not jitter may reorder.

use crate::random::RandomStream;
use crate::steps::{Stepping, Steps};

/// Time added to each packet's delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Jitter {
    /// None.
    #[default]
    None,
    /// Uniform from 0 to `most`, ns: mean `most` / 2.
    Uniform {
        /// The largest, ns.
        most: u64,
    },
    /// Normal with this mean and standard deviation, ns, of which only values from 0 to twice the mean are taken: the
    /// mean stays, the deviation shrinks (to 0.54 of the mean where `sd` is the mean).
    Normal {
        /// Mean, ns.
        mean: u64,
        /// Standard deviation before truncation, ns.
        sd: u64,
    },
    /// Exponential, unbounded in practice (37 times the mean at the very most).
    Exponential {
        /// Mean, ns.
        mean: u64,
    },
}

impl Jitter {
    fn draw(self, stream: &mut RandomStream) -> u64 {
        match self {
            Self::None => 0,
            Self::Uniform { most } => stream.below(most.saturating_add(1)),
            Self::Normal { mean, sd } => truncated_normal(mean as f64, sd as f64, stream),
            Self::Exponential { mean } => (stream.exponential(mean as f64) + 0.5) as u64,
        }
    }
}

/// By rejection: from the normal distribution where it is narrow, from the uniform one where it is wide, so that at least
/// 0.6 of the trials succeed.
fn truncated_normal(mean: f64, sd: f64, stream: &mut RandomStream) -> u64 {
    loop {
        let x = if sd <= mean { mean + sd * stream.normal() } else { 2.0 * mean * stream.unit() };
        let taken = if sd <= mean {
            (0.0..=2.0 * mean).contains(&x)
        } else {
            let z = (x - mean) / sd;
            stream.unit() < libm::exp(-0.5 * z * z)
        };
        if taken {
            return (x + 0.5) as u64;
        }
    }
}

/// Packets that are delayed extra, so that later ones overtake them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reorder {
    /// Share of packets, a probability in units of 2⁻⁶⁴.
    pub share: u64,
    /// Extra delay, ns.
    pub extra: u64,
}

/// The delay of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DelayConfig {
    /// One-way propagation, ns, from given times on.
    pub propagation: Steps<u64>,
    /// Added to it.
    pub jitter: Jitter,
    /// Whether jitter, and a delay that falls, may put packets out of order.
    pub overtaking: bool,
    /// Packets with an extra delay.
    pub reorder: Option<Reorder>,
}

/// The order in which packets arrive at the far end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PacketOrder {
    /// That in which they depart.
    #[default]
    Kept,
    /// Packets may overtake each other.
    Overtaking,
}

impl DelayConfig {
    /// `propagation` ns and nothing else.
    #[must_use]
    pub const fn constant(propagation: u64) -> Self {
        Self {
            propagation: Steps::constant(propagation),
            jitter: Jitter::None,
            overtaking: false,
            reorder: None,
        }
    }

    /// The order in which packets arrive. Where they may overtake each other, a delay line has to sort them.
    #[must_use]
    pub const fn order(&self) -> PacketOrder {
        if self.overtaking || self.reorder.is_some() { PacketOrder::Overtaking } else { PacketOrder::Kept }
    }
}

/// A running delay.
#[derive(Clone, Debug)]
pub struct Delay {
    propagation: Stepping<u64>,
    /// Whether the delay is constant: propagation only, without steps.
    constant: bool,
    jitter: Jitter,
    overtaking: bool,
    reorder: Option<Reorder>,
    /// Latest arrival so far, without packets with an extra delay, ns.
    last: u64,
    stream: RandomStream,
}

impl Delay {
    /// Starts `config`; `stream` serves jitter and reordering.
    #[must_use]
    pub fn new(config: DelayConfig, stream: RandomStream) -> Self {
        let constant = config.propagation.changes().is_empty()
            && config.jitter == Jitter::None
            && config.reorder.is_none();
        Self {
            propagation: Stepping::new(config.propagation),
            constant,
            jitter: config.jitter,
            overtaking: config.overtaking,
            reorder: config.reorder,
            last: 0,
            stream,
        }
    }

    /// Propagation at `time`, ns: without jitter and without an extra delay.
    #[must_use]
    pub fn propagation_at(&self, time: u64) -> u64 {
        self.propagation.steps().at(time)
    }

    /// The propagation, ns, if there is nothing else, and no other at any time.
    #[inline]
    pub(crate) fn constant(&self) -> Option<u64> {
        self.constant.then(|| self.propagation.value())
    }

    /// When a packet that departs at this time, ns, arrives. Departures must not run backwards.
    #[inline]
    pub fn arrival(&mut self, departs: u64) -> u64 {
        if self.constant { departs.saturating_add(self.propagation.value()) } else { self.drawn(departs) }
    }

    #[inline(never)]
    fn drawn(&mut self, departs: u64) -> u64 {
        let delay = self.propagation.at(departs).saturating_add(self.jitter.draw(&mut self.stream));
        let mut arrival = departs.saturating_add(delay);
        if !self.overtaking {
            arrival = arrival.max(self.last);
        }
        debug_assert!(arrival >= departs && (self.overtaking || arrival >= self.last));
        self.last = arrival;
        match self.reorder {
            Some(reorder) if self.stream.happens(reorder.share) => arrival.saturating_add(reorder.extra),
            _ => arrival,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{CERTAIN, probability};

    fn delays(config: DelayConfig, gap: u64, packets: u64, seed: u64) -> Vec<u64> {
        let mut delay = Delay::new(config, RandomStream::new(seed, 0));
        (0..packets).map(|n| delay.arrival(n * gap) - n * gap).collect()
    }

    fn moments(delays: &[u64]) -> (f64, f64) {
        let n = delays.len() as f64;
        let mean = delays.iter().sum::<u64>() as f64 / n;
        let square = delays.iter().map(|&d| (d as f64 - mean).powi(2)).sum::<f64>() / n;
        (mean, square.sqrt())
    }

    #[test]
    fn the_delay_is_the_one_at_the_departure() {
        let propagation = Steps::new(10, vec![(100, 30), (200, 5)]).expect("rising");
        let config = DelayConfig { propagation, overtaking: true, ..DelayConfig::constant(0) };
        let arrivals = |config| {
            let mut delay = Delay::new(config, RandomStream::new(1, 0));
            [0, 99, 100, 199, 200, 230].map(|departs| delay.arrival(departs))
        };
        assert_eq!(arrivals(config.clone()), [10, 109, 130, 229, 205, 235]);
        // In order, the packet of 200 waits for the one of 199.
        assert_eq!(arrivals(DelayConfig { overtaking: false, ..config }), [10, 109, 130, 229, 229, 235]);
        assert_eq!(arrivals(DelayConfig::constant(7)), [7, 106, 107, 206, 207, 237]);
    }

    // Means of 10⁵ delays, each within 5 σ/√10⁵ = 0.0158 σ of its value; µs.
    //   uniform 0 … 1000: mean 500, σ = 1000/√12 = 288.7: ± 4.6
    //   exponential, mean 200: σ = 200: ± 3.2
    //   normal 500 ± 100, truncated at 5 σ, which changes nothing: mean 500 ± 1.6, σ = 100 ± 5 · 100/√(2·10⁵) = 1.1
    //   normal 100 ± 100, truncated at 1 σ: σ² = 1 − 2 · 1 · φ(1)/(2Φ(1) − 1) = 1 − 0.483941/0.682689 = 0.291125, σ = 53.96
    //   normal 100 ± 200, truncated at σ/2: σ² = 4·(1 − 2 · 0.5 · φ(0.5)/(2Φ(0.5) − 1)) = 4·(1 − 0.352065/0.382925) = 0.322361: 56.78
    #[test]
    fn jitter_has_its_mean_and_deviation() {
        let us = 1000;
        let cases = [
            (Jitter::Uniform { most: 1000 * us }, 500.0, 288.7),
            (Jitter::Exponential { mean: 200 * us }, 200.0, 200.0),
            (Jitter::Normal { mean: 500 * us, sd: 100 * us }, 500.0, 100.0),
            (Jitter::Normal { mean: 100 * us, sd: 100 * us }, 100.0, 53.96),
            (Jitter::Normal { mean: 100 * us, sd: 200 * us }, 100.0, 56.78),
        ];
        for (jitter, mean, sd) in cases {
            for seed in 1..=3 {
                let config = DelayConfig { jitter, overtaking: true, ..DelayConfig::constant(0) };
                let got = moments(&delays(config, 1, 100_000, seed));
                assert!((got.0 / 1000.0 - mean).abs() < 0.0158 * sd, "{jitter:?}, seed {seed}: {got:?}");
                // The deviation of an exponential sample's σ is σ/√n · √2 at most of the five.
                assert!((got.1 / 1000.0 - sd).abs() < 0.0224 * sd, "{jitter:?}, seed {seed}: {got:?}");
            }
        }
    }

    #[test]
    fn jitter_reorders_only_where_it_may() {
        for overtaking in [false, true] {
            let config = DelayConfig {
                jitter: Jitter::Exponential { mean: 1000 },
                overtaking,
                ..DelayConfig::constant(50)
            };
            assert_eq!(config.order() == PacketOrder::Overtaking, overtaking);
            let mut delay = Delay::new(config, RandomStream::new(3, 0));
            let arrivals: Vec<u64> = (0..1000).map(|n| delay.arrival(n * 100)).collect();
            assert_eq!(arrivals.is_sorted(), !overtaking);
            assert!(arrivals.iter().enumerate().all(|(n, &at)| at >= n as u64 * 100 + 50));
        }
    }

    // One in 20 of 10⁵ is held back by 1 ms: 5000 ± 5 σ = √(10⁵ · 0.05 · 0.95) = 68.9. The others are on time.
    #[test]
    fn a_share_of_packets_is_held_back_and_passed() {
        let reorder = Some(Reorder { share: probability(0.05), extra: 1_000_000 });
        let config = DelayConfig { reorder, ..DelayConfig::constant(20) };
        let seen = delays(config.clone(), 300, 100_000, 1);
        let held = seen.iter().filter(|&&d| d == 1_000_020).count();
        assert!((4655..=5345).contains(&held), "{held}");
        assert_eq!(seen.iter().filter(|&&d| d == 20).count(), 100_000 - held);
        let all = DelayConfig { reorder: Some(Reorder { share: CERTAIN, extra: 5 }), ..config };
        assert_eq!(delays(all, 300, 3, 1), [25, 25, 25]);
    }
}
