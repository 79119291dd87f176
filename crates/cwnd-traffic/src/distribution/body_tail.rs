// SPDX-License-Identifier: MIT OR Apache-2.0
//! A lognormal body and a Pareto tail: the file sizes of Surge (Barford and Crovella 1998).

use super::describe::{Bounds, Continuous, Density, Described, ONE, fraction, parameters};
use super::lognormal::LognormalDensity;
use super::pareto::ParetoDensity;
use crate::normal_and_gamma::{normal_cdf, normal_quantile};
use libm::{exp, log, pow};

parameters! {
    /// With probability `tail_share` a Pareto distribution from `tail_from` on, else a lognormal one truncated there.
    pub struct BodyTail {
        median: Positive, "the median of the body";
        sigma: Number(1_000, 10 * ONE), "sigma of the body's lognormal";
        tail_from: Above("median"), "start of the tail: the smallest value of the Pareto";
        tail_shape: Number(100_000, 100 * ONE), "the shape of the tail's Pareto";
        tail_share: Number(1, ONE - 1), "the probability of the tail, between 0 and 1";
        at_most: OptionalAbove("tail_from"), "upper bound of the values";
    }
}

/// With probability `tail` the Pareto distribution; else the lognormal one, truncated at the Pareto's minimum. `body` is the
/// lognormal's probability below that minimum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BodyTailDensity {
    pub mu: f64,
    pub sigma: f64,
    pub body: f64,
    pub minimum: f64,
    pub shape: f64,
    pub tail: f64,
}

impl Density for BodyTailDensity {
    fn at_survival(self, p: f64) -> f64 {
        let Self { mu, sigma, body, minimum, shape, tail } = self;
        if p < tail {
            return minimum * pow(p / tail, -1.0 / shape);
        }
        exp(mu + sigma * normal_quantile(body * (1.0 - p) / (1.0 - tail)))
    }

    fn survival(self, x: f64) -> f64 {
        let Self { mu, sigma, body, minimum, shape, tail } = self;
        if x >= minimum {
            return tail * pow(minimum / x, shape);
        }
        1.0 - (1.0 - tail) * normal_cdf((log(x) - mu) / sigma) / body
    }

    fn mean_between(self, a: f64, b: f64) -> Option<f64> {
        let Self { mu, sigma, body, minimum, shape, tail } = self;
        let of_body = LognormalDensity { mu, sigma }.mean_between(a.min(minimum), b.min(minimum))? / body;
        Some((1.0 - tail) * of_body + tail * ParetoDensity { minimum, shape }.mean_between(a, b)?)
    }
}

impl Described for BodyTail {
    const NAME: &'static str = "body-tail";
    const HELP: &'static str =
        "with probability tail_share a Pareto from tail_from, otherwise a lognormal truncated there";
}

impl Continuous for BodyTail {
    type Density = BodyTailDensity;

    fn density(&self) -> BodyTailDensity {
        let (mu, sigma, minimum) = (log(self.median as f64), fraction(self.sigma), self.tail_from as f64);
        let body = normal_cdf((log(minimum) - mu) / sigma);
        let (shape, tail) = (fraction(self.tail_shape), fraction(self.tail_share));
        BodyTailDensity { mu, sigma, body, minimum, shape, tail }
    }

    fn bounds(&self) -> Bounds {
        Bounds { at_least: None, at_most: self.at_most }
    }
}
