// SPDX-License-Identifier: MIT OR Apache-2.0
//! A Pareto distribution minus its minimum (Lomax): ns-2's `ParetoII`.

use super::describe::{Bounds, Continuous, Density, Described, ONE, Scale, fraction, parameters};
use super::pareto::ParetoDensity;
use libm::pow;

parameters! {
    /// P(X > x) = (1 + x/scale)^−shape; mean = scale/(shape − 1).
    pub struct Pareto2 {
        shape: Number(100_000, 100 * ONE), "the shape of pareto2";
        scale: Scale(Some("shape")), "the scale";
        bounds: Bounds, "bounds of the values";
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pareto2Density {
    pub scale: f64,
    pub shape: f64,
}

impl Density for Pareto2Density {
    fn at_survival(self, p: f64) -> f64 {
        self.scale * (pow(p, -1.0 / self.shape) - 1.0)
    }

    fn survival(self, x: f64) -> f64 {
        pow(1.0 + x / self.scale, -self.shape)
    }

    fn mean_between(self, a: f64, b: f64) -> Option<f64> {
        let Self { scale, shape } = self;
        let shifted = ParetoDensity { minimum: scale, shape }.mean_between(a + scale, b + scale)?;
        Some(shifted - scale * (self.survival(a) - self.survival(b)))
    }
}

impl Described for Pareto2 {
    const NAME: &'static str = "pareto2";
    const HELP: &'static str =
        "P(X > x) = (1 + x/scale)^-shape (Lomax); mean = scale/(shape - 1), none for a shape of 1 or less";
}

impl Continuous for Pareto2 {
    type Density = Pareto2Density;

    fn density(&self) -> Pareto2Density {
        let shape = fraction(self.shape);
        let scale = match self.scale {
            Scale::Parameter(scale) => scale as f64,
            Scale::Mean(mean) => mean as f64 * (shape - 1.0),
        };
        Pareto2Density { scale, shape }
    }

    fn bounds(&self) -> Bounds {
        self.bounds
    }
}
