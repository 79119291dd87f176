// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Weibull distribution: pauses within a page in Surge (1.46 s, 0.382: unverified), cache run lengths of PackMime.

use super::describe::{Bounds, Continuous, Density, Described, ONE, Scale, fraction, parameters};
use crate::normal_and_gamma::lower_gamma;
use libm::{exp, log, pow, tgamma};

parameters! {
    /// P(X > x) = e^−((x/scale)^shape); mean = scale · Γ(1 + 1/shape).
    pub struct Weibull {
        shape: Number(100_000, 100 * ONE), "the shape of weibull";
        scale: Scale(None), "the scale";
        bounds: Bounds, "bounds of the values";
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WeibullDensity {
    pub scale: f64,
    pub shape: f64,
}

impl Density for WeibullDensity {
    fn at_survival(self, p: f64) -> f64 {
        self.scale * pow(-log(p), 1.0 / self.shape)
    }

    fn survival(self, x: f64) -> f64 {
        exp(-pow(x / self.scale, self.shape))
    }

    fn mean_between(self, a: f64, b: f64) -> Option<f64> {
        let below = |x: f64| lower_gamma(1.0 + 1.0 / self.shape, pow(x / self.scale, self.shape));
        Some(self.scale * (below(b) - below(a)))
    }
}

impl Described for Weibull {
    const NAME: &'static str = "weibull";
    const HELP: &'static str = "P(X > x) = e^-((x/scale)^shape); mean = scale Gamma(1 + 1/shape)";
}

impl Continuous for Weibull {
    type Density = WeibullDensity;

    fn density(&self) -> WeibullDensity {
        let shape = fraction(self.shape);
        let scale = match self.scale {
            Scale::Parameter(scale) => scale as f64,
            Scale::Mean(mean) => mean as f64 / tgamma(1.0 + 1.0 / shape),
        };
        WeibullDensity { scale, shape }
    }

    fn bounds(&self) -> Bounds {
        self.bounds
    }
}
