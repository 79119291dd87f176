// SPDX-License-Identifier: MIT OR Apache-2.0
//! Samples from distributions.
//!
//! A sample takes one number of the random stream and inverts the distribution function, so the n-th sample is a function of
//! (seed, stream, n), also with bounds: these narrow the interval that is inverted. Functions other than + − × ÷ √ are those of the
//! crate `libm`, whose results do not depend on the platform's C library. So samples are the same wherever `f64` is IEEE 754's double
//! (not on x86 without SSE2).
//!
//! A heavy tail is resolved to a probability of 2⁻⁵³: a Pareto of shape 1.2 reaches 2 · 10¹³ times its minimum.
//! Values are rounded to whole units and are at most 2⁶³.

use crate::cdf::{CERTAIN, Cdf, Interpolation};
use crate::distribution::{AnyDensity, AnyDiscrete, Bounds, Distribution, Prepared};
use crate::random::{Random, scaled};

/// A distribution, prepared for sampling.
#[derive(Clone, Debug)]
pub struct Sampler {
    kind: SamplerKind,
    low: u64,
    high: u64,
    mean: Option<f64>,
}

#[derive(Clone, Debug)]
enum SamplerKind {
    Constant,
    Discrete(AnyDiscrete),
    /// The density, P(X > high) and P(X > low) − P(X > high).
    Continuous(AnyDensity, f64, f64),
    Empirical(Cdf),
}

/// Largest value.
const MAX: u64 = 1 << 63;

/// `number` as a probability between 0 and 1, exclusive, in steps of 2⁻⁵².
fn probability(number: u64) -> f64 {
    ((number >> 12) as f64 + 0.5) * (1.0 / (1_u64 << 52) as f64)
}

impl Sampler {
    /// Prepares `distribution`. No sample is below `floor` (a transfer has at least one byte).
    #[must_use]
    pub fn new(distribution: &Distribution, floor: u64) -> Self {
        let (kind, low, high, mean) = match distribution.prepared() {
            Prepared::Constant(value) => (SamplerKind::Constant, value, value, Some(value.max(floor) as f64)),
            Prepared::Discrete(discrete) => {
                let (min, max) = discrete.range();
                let (min, max) = (min.max(floor), max.max(floor));
                let mean = discrete.mean(min, max);
                (SamplerKind::Discrete(discrete), min, max, Some(mean))
            }
            Prepared::Continuous(density, bounds) => Self::continuous(density, bounds),
            Prepared::Empirical(cdf) => {
                (SamplerKind::Empirical(cdf.clone()), 0, MAX, Some(empirical_mean(cdf)))
            }
        };
        let mut sampler = Self { kind, low: low.max(floor), high: high.max(floor), mean };
        // Rounding and the floor change the mean, which matters for small counts (objects of a page).
        let added = sampler.mean_over(|number| sampler.at(number) as f64 - sampler.exact(number));
        sampler.mean = sampler.mean.map(|mean| mean + added);
        sampler
    }

    fn continuous(density: AnyDensity, bounds: Bounds) -> (SamplerKind, u64, u64, Option<f64>) {
        let (from, to) = bounds.interval();
        let (above, below) = (density.survival(to), density.survival(from));
        let between = density.mean_between(from, to).map(|sum| sum / (below - above));
        (
            SamplerKind::Continuous(density, above, below - above),
            bounds.at_least.unwrap_or(0),
            bounds.at_most.unwrap_or(MAX),
            between,
        )
    }

    /// An exponential distribution; its mean may have a fraction.
    #[must_use]
    pub fn exponential(mean: f64) -> Self {
        Self {
            kind: SamplerKind::Continuous(AnyDensity::exponential(mean), 0.0, 1.0),
            low: 0,
            high: MAX,
            mean: Some(mean),
        }
    }

    /// The next value.
    pub fn draw(&self, random: &mut impl Random) -> u64 {
        self.at(random.next_u64())
    }

    /// The value that the random number `number` stands for.
    fn at(&self, number: u64) -> u64 {
        match &self.kind {
            SamplerKind::Constant => self.low,
            SamplerKind::Discrete(discrete) => discrete.at(number, self.low, self.high),
            // The conversion saturates: values too large, and infinity, become u64::MAX.
            SamplerKind::Continuous(..) => ((self.exact(number) + 0.5) as u64).clamp(self.low, self.high),
            SamplerKind::Empirical(cdf) => empirical(cdf, scaled(number, CERTAIN)).clamp(self.low, self.high),
        }
    }

    /// The same before rounding and bounds.
    fn exact(&self, number: u64) -> f64 {
        match &self.kind {
            SamplerKind::Continuous(density, above, width) => {
                density.at_survival(above + probability(number) * width)
            }
            SamplerKind::Empirical(cdf) => empirical(cdf, scaled(number, CERTAIN)) as f64,
            SamplerKind::Constant | SamplerKind::Discrete(_) => self.at(number) as f64,
        }
    }

    /// A function's mean over 4096 equally likely slices of the distribution.
    fn mean_over(&self, f: impl Fn(u64) -> f64) -> f64 {
        (0..4096_u64).map(|slice| f((slice << 52) + (1 << 51))).sum::<f64>() / 4096.0
    }

    /// The mean of a bounded function of the values. Its variation within a slice, in the last slice over the whole tail, is neglected.
    pub(super) fn mean_of(&self, f: impl Fn(u64) -> f64) -> f64 {
        self.mean_over(|number| f(self.at(number)))
    }

    /// The mean of the samples, exact up to rounding; `None` when it is infinite.
    #[must_use]
    pub const fn mean(&self) -> Option<f64> {
        self.mean
    }
}

/// The value at which a measured distribution reaches a probability (in 10⁻¹⁵, below 10¹⁵): whole numbers throughout.
fn empirical(cdf: &Cdf, probability: u64) -> u64 {
    let points = cdf.points();
    let next = points.partition_point(|(_, p)| *p <= probability);
    let (value, p) = points[next];
    let Some((before, q)) = next
        .checked_sub(1)
        .and_then(|i| points.get(i))
        .filter(|_| cdf.interpolation() == Interpolation::Linear)
    else {
        return value;
    };
    let (rise, width) = (u128::from(value - before), u128::from(p - q));
    // The middle of the probability's own 10⁻¹⁵, to nearest.
    let part = (rise * (2 * u128::from(probability - q) + 1) + width) / (2 * width);
    before + part as u64
}

fn empirical_mean(cdf: &Cdf) -> f64 {
    let (mut mean, mut last) = (0.0, None);
    for &(value, p) in cdf.points() {
        let (before, q) = last
            .filter(|_| cdf.interpolation() == Interpolation::Linear)
            .unwrap_or((value, last.map_or(0, |(_, q)| q)));
        mean += (p - q) as f64 * ((before as f64 + value as f64) / 2.0);
        last = Some((value, p));
    }
    mean / CERTAIN as f64
}
