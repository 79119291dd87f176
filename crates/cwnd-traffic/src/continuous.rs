// SPDX-License-Identifier: MIT OR Apache-2.0
//! Continuous distributions: quantile by survival probability, survival function, partial means.

use super::normal_and_gamma::{lower_gamma, normal_cdf, normal_quantile};
use crate::distribution::{BodyTail, Family, ONE, Parametric, Scale};
use libm::{exp, log, pow, tgamma};

/// A continuous distribution with its parameters, in units of the value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ContinuousDistribution {
    Exponential {
        mean: f64,
    },
    Pareto {
        minimum: f64,
        shape: f64,
    },
    /// A Pareto distribution minus its minimum (Lomax).
    Pareto2 {
        scale: f64,
        shape: f64,
    },
    Lognormal {
        mu: f64,
        sigma: f64,
    },
    Weibull {
        scale: f64,
        shape: f64,
    },
    /// With probability `tail` the Pareto distribution; else the lognormal one, truncated at the Pareto's minimum. `body` is the
    /// lognormal's probability below that minimum.
    BodyTail {
        mu: f64,
        sigma: f64,
        body: f64,
        minimum: f64,
        shape: f64,
        tail: f64,
    },
}

fn fraction(millionths: u64) -> f64 {
    millionths as f64 / ONE as f64
}

impl ContinuousDistribution {
    pub fn new(spec: &Parametric) -> Self {
        let shape = fraction(spec.shape);
        match spec.family {
            Family::Exponential => {
                let (Scale::Mean(mean) | Scale::Parameter(mean)) = spec.scale;
                Self::Exponential { mean: mean as f64 }
            }
            Family::Pareto => Self::Pareto {
                shape,
                minimum: match spec.scale {
                    Scale::Parameter(minimum) => minimum as f64,
                    Scale::Mean(mean) => mean as f64 * (shape - 1.0) / shape,
                },
            },
            Family::Pareto2 => Self::Pareto2 {
                shape,
                scale: match spec.scale {
                    Scale::Parameter(scale) => scale as f64,
                    Scale::Mean(mean) => mean as f64 * (shape - 1.0),
                },
            },
            Family::Lognormal => Self::Lognormal {
                sigma: shape,
                mu: match spec.scale {
                    Scale::Parameter(median) => log(median as f64),
                    Scale::Mean(mean) => log(mean as f64) - shape * shape / 2.0,
                },
            },
            Family::Weibull => Self::Weibull {
                shape,
                scale: match spec.scale {
                    Scale::Parameter(scale) => scale as f64,
                    Scale::Mean(mean) => mean as f64 / tgamma(1.0 + 1.0 / shape),
                },
            },
        }
    }

    pub fn body_tail(spec: &BodyTail) -> Self {
        let (mu, sigma, minimum) = (log(spec.median as f64), fraction(spec.sigma), spec.tail_from as f64);
        let body = normal_cdf((log(minimum) - mu) / sigma);
        Self::BodyTail {
            mu,
            sigma,
            body,
            minimum,
            shape: fraction(spec.tail_shape),
            tail: fraction(spec.tail_share),
        }
    }

    /// The value that is exceeded with probability `p`, 0 < p ≤ 1.
    pub fn at_survival(self, p: f64) -> f64 {
        match self {
            Self::Exponential { mean } => -mean * log(p),
            Self::Pareto { minimum, shape } => minimum * pow(p, -1.0 / shape),
            Self::Pareto2 { scale, shape } => scale * (pow(p, -1.0 / shape) - 1.0),
            Self::Lognormal { mu, sigma } => exp(mu - sigma * normal_quantile(p)),
            Self::Weibull { scale, shape } => scale * pow(-log(p), 1.0 / shape),
            Self::BodyTail { minimum, shape, tail, .. } if p < tail => minimum * pow(p / tail, -1.0 / shape),
            Self::BodyTail { mu, sigma, body, tail, .. } => {
                exp(mu + sigma * normal_quantile(body * (1.0 - p) / (1.0 - tail)))
            }
        }
    }

    /// P(X > x).
    pub fn survival(self, x: f64) -> f64 {
        if x <= 0.0 {
            return 1.0;
        }
        match self {
            Self::Exponential { mean } => exp(-x / mean),
            Self::Pareto { minimum, shape } => pow(minimum / x.max(minimum), shape),
            Self::Pareto2 { scale, shape } => pow(1.0 + x / scale, -shape),
            Self::Lognormal { mu, sigma } => normal_cdf((mu - log(x)) / sigma),
            Self::Weibull { scale, shape } => exp(-pow(x / scale, shape)),
            Self::BodyTail { minimum, shape, tail, .. } if x >= minimum => tail * pow(minimum / x, shape),
            Self::BodyTail { mu, sigma, body, tail, .. } => {
                1.0 - (1.0 - tail) * normal_cdf((log(x) - mu) / sigma) / body
            }
        }
    }

    /// ∫ x f(x) dx from `a` to `b`; `None` when it is infinite.
    pub fn mean_between(self, a: f64, b: f64) -> Option<f64> {
        match self {
            Self::Exponential { mean } => {
                let upper = |x: f64| if x.is_finite() { (x + mean) * exp(-x / mean) } else { 0.0 };
                Some(upper(a) - upper(b))
            }
            Self::Pareto { minimum, shape } => pareto_between(minimum, shape, a, b),
            Self::Pareto2 { scale, shape } => {
                let shifted = pareto_between(scale, shape, a + scale, b + scale)?;
                Some(shifted - scale * (self.survival(a) - self.survival(b)))
            }
            Self::Lognormal { mu, sigma } => Some(lognormal_between(mu, sigma, a, b)),
            Self::Weibull { scale, shape } => {
                let below = |x: f64| lower_gamma(1.0 + 1.0 / shape, pow(x / scale, shape));
                Some(scale * (below(b) - below(a)))
            }
            Self::BodyTail { mu, sigma, body, minimum, shape, tail } => {
                let of_body = lognormal_between(mu, sigma, a.min(minimum), b.min(minimum)) / body;
                Some((1.0 - tail) * of_body + tail * pareto_between(minimum, shape, a, b)?)
            }
        }
    }
}

/// a k^a ∫ x^−a dx between two values above the minimum k.
fn pareto_between(minimum: f64, shape: f64, from: f64, to: f64) -> Option<f64> {
    let (from, to) = (from.max(minimum), to.max(minimum));
    if to.is_infinite() && shape <= 1.0 {
        return None;
    }
    if shape == 1.0 {
        return Some(minimum * log(to / from));
    }
    // x^(1−a) about the minimum, so that nothing overflows.
    let upper = |x: f64| if x.is_infinite() { 0.0 } else { pow(minimum / x, shape - 1.0) };
    Some(minimum * shape / (shape - 1.0) * (upper(from) - upper(to)))
}

/// e^(μ+σ²/2) (Φ(z_b − σ) − Φ(z_a − σ)) with z = (ln x − μ)/σ.
fn lognormal_between(mu: f64, sigma: f64, from: f64, to: f64) -> f64 {
    let below = |x: f64| if x <= 0.0 { 0.0 } else { normal_cdf((log(x) - mu) / sigma - sigma) };
    exp(mu + sigma * sigma / 2.0) * (below(to) - below(from))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distributions() -> Vec<ContinuousDistribution> {
        vec![
            ContinuousDistribution::Exponential { mean: 1e9 },
            ContinuousDistribution::Pareto { minimum: 1448.0, shape: 1.2 },
            ContinuousDistribution::Pareto2 { scale: 2896.0, shape: 1.2 },
            ContinuousDistribution::Lognormal { mu: 9.357, sigma: 1.318 },
            ContinuousDistribution::Weibull { scale: 1.46e9, shape: 0.382 },
            ContinuousDistribution::BodyTail {
                mu: 9.357,
                sigma: 1.318,
                body: 0.968,
                minimum: 133e3,
                shape: 1.1,
                tail: 0.07,
            },
        ]
    }

    // `body` above is Φ((ln 133 000 − 9.357)/1.318) = Φ(1.8519) to three digits; the piece needs it exactly to be
    // continuous.
    fn exact(distribution: ContinuousDistribution) -> ContinuousDistribution {
        match distribution {
            ContinuousDistribution::BodyTail { mu, sigma, minimum, shape, tail, .. } => {
                let body = normal_cdf((log(minimum) - mu) / sigma);
                ContinuousDistribution::BodyTail { mu, sigma, body, minimum, shape, tail }
            }
            other => other,
        }
    }

    #[test]
    fn value_and_survival_are_inverse() {
        for distribution in distributions().into_iter().map(exact) {
            for i in 1..1000 {
                let p = f64::from(i) / 1000.0;
                assert!(
                    (distribution.survival(distribution.at_survival(p)) - p).abs() < 1e-12,
                    "{distribution:?} at {p}"
                );
            }
        }
    }

    // A partial mean is the integral of the inverse: ∫ x f dx between S(a) and S(b) is ∫ x(p) dp, here by 10⁵
    // midpoints.
    #[test]
    fn partial_means_are_integrals_of_the_inverse() {
        for distribution in distributions().into_iter().map(exact) {
            for (high, low) in [(0.9, 0.1), (0.999, 0.5), (0.3, 0.001), (0.1, 0.01)] {
                let width = (high - low) / 1e5;
                let sum: f64 =
                    (0..100_000).map(|i| distribution.at_survival(low + (f64::from(i) + 0.5) * width)).sum();
                let actual = distribution
                    .mean_between(distribution.at_survival(high), distribution.at_survival(low))
                    .expect("finite");
                assert!(
                    (actual / (sum * width) - 1.0).abs() < 1e-5,
                    "{distribution:?}: {actual} for {}",
                    sum * width
                );
            }
        }
    }

    // Unbounded: 1 s; 6 · 1448 = 8688 (1448 · 1.2/0.2); 2896/0.2 = 14 480; e^(9.357 + 1.318²/2) = 27 593; 1.46 s ·
    // Γ(1 + 1/0.382).
    #[test]
    fn means_are_the_textbooks() {
        let mean = |distribution: ContinuousDistribution| {
            distribution.mean_between(0.0, f64::INFINITY).expect("finite")
        };
        let near = |actual: f64, expected: f64| {
            assert!((actual / expected - 1.0).abs() < 1e-9, "{actual} for {expected}");
        };
        let [exponential, pareto, pareto2, lognormal, weibull, _] = distributions()[..] else {
            panic!("six distributions")
        };
        near(mean(exponential), 1e9);
        near(mean(pareto), 8688.0);
        near(mean(pareto2), 14_480.0);
        near(mean(lognormal), exp(9.357 + 1.318 * 1.318 / 2.0));
        near(mean(weibull), 1.46e9 * tgamma(1.0 + 1.0 / 0.382));
        assert_eq!(
            ContinuousDistribution::Pareto { minimum: 1.0, shape: 1.0 }.mean_between(0.0, f64::INFINITY),
            None
        );
        assert_eq!(
            ContinuousDistribution::Pareto2 { scale: 1.0, shape: 0.9 }.mean_between(0.0, f64::INFINITY),
            None
        );
        // Shape 1 up to 1000 minima: ln 1000.
        near(
            ContinuousDistribution::Pareto { minimum: 1.0, shape: 1.0 }
                .mean_between(0.0, 1000.0)
                .expect("finite"),
            log(1000.0),
        );
    }
}
