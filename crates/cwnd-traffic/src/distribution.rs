// SPDX-License-Identifier: MIT OR Apache-2.0
//! Distributions of sizes, gaps and counts, as values.
//!
//! A mean is always that of the distribution *without* its bounds, because the papers state that one;
//! [`Sampler::mean`](crate::Sampler::mean) is the mean of the samples.

use crate::cdf::Cdf;

/// One, in millionths, the unit of shapes and shares.
pub const ONE: u64 = 1_000_000;

/// A distribution of times, sizes or counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// Always this.
    Constant(u64),
    /// Each whole number of `min..=max` alike.
    Uniform {
        /// Smallest value.
        min: u64,
        /// Largest value.
        max: u64,
    },
    /// One of the families with a density.
    Parametric(Parametric),
    /// A lognormal body with a Pareto tail.
    BodyTail(BodyTail),
    /// Measured.
    Empirical(Cdf),
}

/// A family with its shape and scale, truncated to bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parametric {
    /// Which family.
    pub family: Family,
    /// Its shape (for [`Family::Lognormal`] sigma), millionths; 10⁶ where it has none.
    pub shape: u64,
    /// Its scale.
    pub scale: Scale,
    /// Lower bound.
    pub at_least: Option<u64>,
    /// Upper bound.
    pub at_most: Option<u64>,
}

/// How a scale was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// By the mean of the unbounded distribution.
    Mean(u64),
    /// By the scale parameter of the family ([`Family::scale_key`]).
    Parameter(u64),
}

/// Families of distributions with a density.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// P(X > x) = e^(−x/mean).
    Exponential,
    /// P(X > x) = (minimum/x)^shape for x ≥ minimum; mean = minimum · shape/(shape − 1).
    Pareto,
    /// P(X > x) = (1 + x/scale)^−shape (Lomax; ns-2's `ParetoII`); mean = scale/(shape − 1).
    Pareto2,
    /// ln X is normal with deviation sigma about ln median; mean = median · e^(sigma²/2).
    Lognormal,
    /// P(X > x) = e^−((x/scale)^shape); mean = scale · Γ(1 + 1/shape).
    Weibull,
}

impl Family {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Exponential, Self::Pareto, Self::Pareto2, Self::Lognormal, Self::Weibull];

    /// Its name in a scenario.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exponential => "exponential",
            Self::Pareto => "pareto",
            Self::Pareto2 => "pareto2",
            Self::Lognormal => "lognormal",
            Self::Weibull => "weibull",
        }
    }

    /// Key of its scale parameter, the alternative to `mean`; the exponential has none.
    #[must_use]
    pub const fn scale_key(self) -> Option<&'static str> {
        match self {
            Self::Exponential => None,
            Self::Pareto => Some("minimum"),
            Self::Pareto2 | Self::Weibull => Some("scale"),
            Self::Lognormal => Some("median"),
        }
    }

    /// Key of its shape, and the accepted range (millionths).
    #[must_use]
    pub const fn shape(self) -> Option<(&'static str, u64, u64)> {
        match self {
            Self::Exponential => None,
            Self::Pareto | Self::Pareto2 => Some(("shape", 100_000, 100 * ONE)),
            Self::Lognormal => Some(("sigma", 1_000, 10 * ONE)),
            Self::Weibull => Some(("shape", 100_000, 100 * ONE)),
        }
    }

    /// Whether values may be far above the mean: a shape of one or less has no mean.
    #[must_use]
    pub const fn is_heavy(self) -> bool {
        matches!(self, Self::Pareto | Self::Pareto2)
    }
}

/// A lognormal body and a Pareto tail (the file sizes of Surge, Barford and Crovella 1998).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyTail {
    /// e^μ of the body.
    pub median: u64,
    /// σ of the body, millionths.
    pub sigma: u64,
    /// Where the tail begins: smallest value of the Pareto.
    pub tail_from: u64,
    /// Shape of the Pareto, millionths.
    pub tail_shape: u64,
    /// Probability of the tail, millionths.
    pub tail_share: u64,
    /// Upper bound.
    pub at_most: Option<u64>,
}

impl Distribution {
    /// Whether the mean of the samples is finite.
    #[must_use]
    pub fn mean_is_finite(&self) -> bool {
        match self {
            Self::Parametric(spec) => !spec.family.is_heavy() || spec.shape > ONE || spec.at_most.is_some(),
            Self::BodyTail(spec) => spec.tail_shape > ONE || spec.at_most.is_some(),
            Self::Constant(_) | Self::Uniform { .. } | Self::Empirical(_) => true,
        }
    }

    /// Whether every sample is zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        match self {
            Self::Constant(value) | Self::Uniform { max: value, .. } => *value == 0,
            Self::Empirical(cdf) => cdf.points().last().is_none_or(|(value, _)| *value == 0),
            Self::Parametric(_) | Self::BodyTail(_) => false,
        }
    }
}
