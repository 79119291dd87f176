// SPDX-License-Identifier: MIT OR Apache-2.0
//! The exponential distribution: the gaps of Leith, Shorten and McCullagh 2007 and of ns-2; the round trip times of Ha, Rhee and Xu
//! 2008, truncated to an interval.

use super::describe::{Bounds, Continuous, Density, Described, parameters};
use libm::{exp, log};

parameters! {
    /// P(X > x) = e^(−x/mean).
    pub struct Exponential {
        mean: Mean, "the mean of exponential";
        bounds: Bounds, "bounds of the values";
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ExponentialDensity {
    pub mean: f64,
}

impl Density for ExponentialDensity {
    fn at_survival(self, p: f64) -> f64 {
        -self.mean * log(p)
    }

    fn survival(self, x: f64) -> f64 {
        exp(-x / self.mean)
    }

    fn mean_between(self, a: f64, b: f64) -> Option<f64> {
        let upper = |x: f64| if x.is_finite() { (x + self.mean) * exp(-x / self.mean) } else { 0.0 };
        Some(upper(a) - upper(b))
    }
}

impl Described for Exponential {
    const NAME: &'static str = "exponential";
    const HELP: &'static str = "P(X > x) = e^(-x/mean)";
}

impl Continuous for Exponential {
    type Density = ExponentialDensity;

    fn density(&self) -> ExponentialDensity {
        ExponentialDensity { mean: self.mean as f64 }
    }

    fn bounds(&self) -> Bounds {
        self.bounds
    }
}
