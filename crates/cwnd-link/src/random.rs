// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counter-based random numbers: the n-th number of a stream is a function of (seed, stream, n), so no element's draws
//! depend on another's.
//!
//! Probabilities are integers in units of 2⁻⁶⁴. Distributions that need a logarithm take it from `libm`, which is the same
//! code on every machine and in the browser, so a seed gives the same bytes everywhere.

use std::f64::consts::TAU;

/// A stream of random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RandomStream {
    key: u64,
    counter: u64,
}

/// Certainty. (1 − 2⁻⁶⁴, which this value would otherwise be, cannot be expressed.)
pub const CERTAIN: u64 = u64::MAX;

/// 2⁶⁴.
const TWO_64: f64 = 18_446_744_073_709_551_616.0;
/// 2⁻⁵³: a double holds every multiple of it below 1.
const ULP: f64 = 1.0 / 9_007_199_254_740_992.0;

/// A probability in units of 2⁻⁶⁴ as a number from 0 to 1.
#[must_use]
pub fn fraction(probability: u64) -> f64 {
    probability as f64 / TWO_64
}

/// A number from 0 to 1 as a probability in units of 2⁻⁶⁴; values outside are clamped.
#[must_use]
pub fn probability(fraction: f64) -> u64 {
    (fraction * TWO_64) as u64
}

/// SplitMix64's output function (Steele, Lea and Flood 2014): a bijection that spreads every input bit.
const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

impl RandomStream {
    /// Stream number `stream` of the run with this `seed`.
    #[must_use]
    pub const fn new(seed: u64, stream: u64) -> Self {
        Self { key: mix(mix(seed.wrapping_add(GOLDEN)) ^ stream.wrapping_mul(GOLDEN)), counter: 0 }
    }

    /// The next number.
    #[inline]
    pub const fn next_u64(&mut self) -> u64 {
        self.counter = self.counter.wrapping_add(1);
        mix(self.key.wrapping_add(self.counter.wrapping_mul(GOLDEN)))
    }

    /// A number below `bound`, uniform; 0 when `bound` is 0.
    #[inline]
    pub const fn below(&mut self, bound: u64) -> u64 {
        ((self.next_u64() as u128 * bound as u128) >> 64) as u64
    }

    /// Whether an event of this probability, in units of 2⁻⁶⁴, happens; always with [`CERTAIN`]. Always takes one draw.
    #[inline]
    pub const fn happens(&mut self, probability: u64) -> bool {
        (self.next_u64() < probability) | (probability == CERTAIN)
    }

    /// Uniform on [0, 1), a multiple of 2⁻⁵³.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * ULP
    }

    /// Exponential with this mean, at most 36.7 times it (−ln 2⁻⁵³).
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * libm::log(1.0 - self.unit())
    }

    /// Standard normal (Box and Muller 1958), within ± 8.6. Two draws.
    pub fn normal(&mut self) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - self.unit()));
        radius * libm::cos(TAU * self.unit())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_reproducible_and_differ() {
        let draw = |seed, stream| RandomStream::new(seed, stream).next_u64();
        assert_eq!(draw(1, 0), draw(1, 0));
        assert_ne!(draw(1, 0), draw(1, 1));
        assert_ne!(draw(1, 0), draw(2, 0));
    }

    // 10⁵ draws below 10: each digit 10⁴ ± 5 σ, σ = √(10⁵ · 0.1 · 0.9) = 95.
    #[test]
    fn draws_are_uniform() {
        let mut stream = RandomStream::new(7, 7);
        let mut seen = [0_i64; 10];
        for _ in 0..100_000 {
            seen[stream.below(10) as usize] += 1;
        }
        assert!(seen.iter().all(|n| (n - 10_000).abs() < 475), "{seen:?}");
    }

    #[test]
    fn certain_things_happen_and_impossible_ones_do_not() {
        let mut stream = RandomStream::new(1, 1);
        assert!((0..1000).all(|_| stream.happens(CERTAIN) && !stream.happens(0)));
        assert_eq!((probability(1.0), probability(0.0), probability(0.5)), (CERTAIN, 0, 1 << 63));
        assert!(fraction(CERTAIN) >= 1.0 && fraction(1 << 62) == 0.25);
    }

    /// Largest distance between the distribution of `n` sorted samples and `cdf`, times √n (Kolmogorov and Smirnov).
    fn distance(mut samples: Vec<f64>, cdf: impl Fn(f64) -> f64) -> f64 {
        samples.sort_by(f64::total_cmp);
        let n = samples.len() as f64;
        let gap = samples.iter().enumerate().map(|(i, &x)| {
            let f = cdf(x);
            (f - i as f64 / n).abs().max(((i + 1) as f64 / n - f).abs())
        });
        gap.fold(0.0, f64::max) * n.sqrt()
    }

    // Above 1.95 in one of a thousand honest samples (Kolmogorov's distribution).
    #[test]
    fn distributions_are_what_they_say() {
        for seed in 1..=3 {
            let mut stream = RandomStream::new(seed, 0);
            let exponential = (0..100_000).map(|_| stream.exponential(2.5)).collect();
            let d = distance(exponential, |x| 1.0 - (-x / 2.5_f64).exp());
            assert!(d < 1.95, "exponential, seed {seed}: {d}");
            let normal = (0..100_000).map(|_| stream.normal()).collect();
            let d = distance(normal, |x| 0.5 * libm::erfc(-x / std::f64::consts::SQRT_2));
            assert!(d < 1.95, "normal, seed {seed}: {d}");
        }
    }

    // The first numbers of a stream are fixed: if they change, every recorded result changes.
    #[test]
    fn the_same_seed_gives_the_same_bits_on_every_machine() {
        let mut stream = RandomStream::new(1, 0);
        assert_eq!(stream.exponential(1.0).to_bits(), EXPONENTIAL_BITS);
        assert_eq!(stream.normal().to_bits(), NORMAL_BITS);
    }

    const EXPONENTIAL_BITS: u64 = 4_603_281_817_054_832_895;
    const NORMAL_BITS: u64 = 13_830_646_938_958_992_909;
}
