// SPDX-License-Identifier: MIT OR Apache-2.0
//! Distributions of sizes, gaps and counts, as values. Adding one is a file, and its line in the table below with its `mod`.
//!
//! A mean is always that of the distribution *without* its bounds, because the papers state that one;
//! [`Sampler::mean`](crate::Sampler::mean) is the mean of the samples.

mod body_tail;
mod describe;
mod exponential;
mod lognormal;
mod pareto;
mod pareto2;
#[cfg(test)]
mod tests;
mod uniform;
mod weibull;

pub use describe::{Bounds, ONE, Parameter, ParameterKind, ParameterValue, Scale};
use describe::{Continuous, Density, Described, Discrete};

use crate::cdf::Cdf;

/// The table of distributions: `Name: type;` a line. Those with a density implement [`Continuous`], those over whole numbers
/// [`Discrete`]. A constant and a measured distribution have no rows of parameters.
macro_rules! distributions {
    (
        continuous { $($Continuous:ident: $continuous:path;)* }
        discrete { $($Discrete:ident: $discrete:path;)* }
    ) => {
        $(pub use $continuous;)*
        $(pub use $discrete;)*

        /// A distribution of times, sizes or counts.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Distribution {
            /// Always this.
            Constant(u64),
            $(#[doc = concat!("See [`", stringify!($Continuous), "`](struct@", stringify!($Continuous), ").")] $Continuous($continuous),)*
            $(#[doc = concat!("See [`", stringify!($Discrete), "`](struct@", stringify!($Discrete), ").")] $Discrete($discrete),)*
            /// Measured.
            Empirical(Cdf),
        }

        impl Distribution {
            /// Its kind and the values of its parameters; none for a constant and a measured distribution.
            #[must_use]
            pub fn parameters(&self) -> Option<(DistributionKind, Vec<ParameterValue>)> {
                Some(match self {
                    $(Self::$Continuous(spec) => (DistributionKind::$Continuous, spec.values()),)*
                    $(Self::$Discrete(spec) => (DistributionKind::$Discrete, spec.values()),)*
                    Self::Constant(_) | Self::Empirical(_) => return None,
                })
            }

            /// What its samples are drawn from.
            pub(crate) fn prepared(&self) -> Prepared<'_> {
                match self {
                    Self::Constant(value) => Prepared::Constant(*value),
                    $(Self::$Continuous(spec) => {
                        Prepared::Continuous(AnyDensity::$Continuous(spec.density()), spec.bounds())
                    })*
                    $(Self::$Discrete(spec) => Prepared::Discrete(AnyDiscrete::$Discrete(spec.clone())),)*
                    Self::Empirical(cdf) => Prepared::Empirical(cdf),
                }
            }
        }

        /// A kind of distribution, without its parameters.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum DistributionKind {
            $(#[doc = concat!("See [`Distribution::", stringify!($Continuous), "`].")] $Continuous,)*
            $(#[doc = concat!("See [`Distribution::", stringify!($Discrete), "`].")] $Discrete,)*
        }

        #[cfg(test)]
        impl AnyDensity {
            /// Number of distributions that have a density.
            pub const COUNT: usize = [$(stringify!($Continuous)),*].len();
        }

        impl DistributionKind {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$Continuous,)* $(Self::$Discrete,)*];

            /// Name in a scenario.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$Continuous => <$continuous>::NAME,)*
                    $(Self::$Discrete => <$discrete>::NAME,)*
                }
            }

            /// Its definition, in a line.
            #[must_use]
            pub const fn help(self) -> &'static str {
                match self {
                    $(Self::$Continuous => <$continuous>::HELP,)*
                    $(Self::$Discrete => <$discrete>::HELP,)*
                }
            }

            /// Its parameters.
            #[must_use]
            pub const fn parameters(self) -> &'static [Parameter] {
                match self {
                    $(Self::$Continuous => <$continuous>::PARAMETERS,)*
                    $(Self::$Discrete => <$discrete>::PARAMETERS,)*
                }
            }

            /// With these values of its parameters, in their order.
            ///
            /// # Panics
            /// When the values are not of the kinds of the parameters.
            #[must_use]
            pub fn with(self, values: &[ParameterValue]) -> Distribution {
                match self {
                    $(Self::$Continuous => Distribution::$Continuous(<$continuous>::from_values(values)),)*
                    $(Self::$Discrete => Distribution::$Discrete(<$discrete>::from_values(values)),)*
                }
            }
        }

        /// The density of one of the distributions: an enum, so that calls are inlined.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub(crate) enum AnyDensity {
            $($Continuous(<$continuous as Continuous>::Density),)*
        }

        impl AnyDensity {
            /// See [`Density::at_survival`].
            pub fn at_survival(self, p: f64) -> f64 {
                match self {
                    $(Self::$Continuous(density) => density.at_survival(p),)*
                }
            }

            /// P(X > x).
            pub fn survival(self, x: f64) -> f64 {
                if x <= 0.0 {
                    return 1.0;
                }
                match self {
                    $(Self::$Continuous(density) => density.survival(x),)*
                }
            }

            /// See [`Density::mean_between`].
            pub fn mean_between(self, a: f64, b: f64) -> Option<f64> {
                match self {
                    $(Self::$Continuous(density) => density.mean_between(a, b),)*
                }
            }
        }

        /// One of the distributions over whole numbers.
        #[derive(Clone, Debug)]
        pub(crate) enum AnyDiscrete {
            $($Discrete($discrete),)*
        }

        impl AnyDiscrete {
            /// See [`Discrete::range`].
            pub fn range(&self) -> (u64, u64) {
                match self {
                    $(Self::$Discrete(spec) => spec.range(),)*
                }
            }

            /// See [`Discrete::at`].
            pub fn at(&self, number: u64, low: u64, high: u64) -> u64 {
                match self {
                    $(Self::$Discrete(spec) => spec.at(number, low, high),)*
                }
            }

            /// See [`Discrete::mean`].
            pub fn mean(&self, low: u64, high: u64) -> f64 {
                match self {
                    $(Self::$Discrete(spec) => spec.mean(low, high),)*
                }
            }
        }
    };
}

distributions! {
    continuous {
        Exponential: exponential::Exponential;
        Pareto: pareto::Pareto;
        Pareto2: pareto2::Pareto2;
        Lognormal: lognormal::Lognormal;
        Weibull: weibull::Weibull;
        BodyTail: body_tail::BodyTail;
    }
    discrete {
        Uniform: uniform::Uniform;
    }
}

impl AnyDensity {
    /// An exponential density; its mean may have a fraction.
    pub const fn exponential(mean: f64) -> Self {
        Self::Exponential(exponential::ExponentialDensity { mean })
    }
}

/// What samples are drawn from.
pub(crate) enum Prepared<'a> {
    Constant(u64),
    Continuous(AnyDensity, Bounds),
    Discrete(AnyDiscrete),
    Empirical(&'a Cdf),
}

impl Distribution {
    /// Whether the mean of the samples is finite.
    #[must_use]
    pub fn mean_is_finite(&self) -> bool {
        let Prepared::Continuous(density, bounds) = self.prepared() else { return true };
        let (from, to) = bounds.interval();
        density.mean_between(from, to).is_some()
    }

    /// The part of the distribution that is between its bounds; all of one that has none.
    #[must_use]
    pub fn part_between_bounds(&self) -> f64 {
        let Prepared::Continuous(density, bounds) = self.prepared() else { return 1.0 };
        let (from, to) = bounds.interval();
        density.survival(from) - density.survival(to)
    }

    /// The largest sample; `u64::MAX` without a bound.
    #[must_use]
    pub fn largest(&self) -> u64 {
        match self.prepared() {
            Prepared::Constant(value) => value,
            Prepared::Continuous(_, bounds) => bounds.interval().1.ceil() as u64,
            Prepared::Discrete(discrete) => discrete.range().1,
            Prepared::Empirical(cdf) => cdf.points().last().map_or(0, |(value, _)| *value),
        }
    }

    /// Whether every sample is zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.largest() == 0
    }
}
