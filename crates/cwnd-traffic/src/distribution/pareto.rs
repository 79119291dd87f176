// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Pareto distribution: the sizes of Leith, Shorten and McCullagh 2007; ns-2's `Pareto`.

use super::describe::{Bounds, Continuous, Density, Described, ONE, Scale, fraction, parameters};
use libm::{log, pow};

parameters! {
    /// P(X > x) = (minimum/x)^shape for x ≥ minimum; mean = minimum · shape/(shape − 1).
    pub struct Pareto {
        shape: Number(100_000, 100 * ONE), "the shape of pareto";
        minimum: Scale(Some("shape")), "the smallest value";
        at_most: UpperBound("no at_least: a Pareto's minimum is its lower bound"), "upper bound of the values";
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ParetoDensity {
    pub minimum: f64,
    pub shape: f64,
}

impl Density for ParetoDensity {
    fn at_survival(self, p: f64) -> f64 {
        self.minimum * pow(p, -1.0 / self.shape)
    }

    fn survival(self, x: f64) -> f64 {
        pow(self.minimum / x.max(self.minimum), self.shape)
    }

    // minimum^shape ∫ x^−shape dx above the minimum.
    fn mean_between(self, a: f64, b: f64) -> Option<f64> {
        let Self { minimum, shape } = self;
        let (from, to) = (a.max(minimum), b.max(minimum));
        if to.is_infinite() && shape <= 1.0 {
            return None;
        }
        if shape == 1.0 {
            return Some(minimum * log(to / from));
        }
        // x^(1−shape) about the minimum, so that nothing overflows.
        let upper = |x: f64| if x.is_infinite() { 0.0 } else { pow(minimum / x, shape - 1.0) };
        Some(minimum * shape / (shape - 1.0) * (upper(from) - upper(to)))
    }
}

impl Described for Pareto {
    const NAME: &'static str = "pareto";
    const HELP: &'static str = "P(X > x) = (minimum/x)^shape from the minimum on; mean = minimum shape/(shape - 1), none for a shape of 1 or less";
}

impl Continuous for Pareto {
    type Density = ParetoDensity;

    fn density(&self) -> ParetoDensity {
        let shape = fraction(self.shape);
        let minimum = match self.minimum {
            Scale::Parameter(minimum) => minimum as f64,
            Scale::Mean(mean) => mean as f64 * (shape - 1.0) / shape,
        };
        ParetoDensity { minimum, shape }
    }

    fn bounds(&self) -> Bounds {
        Bounds { at_least: None, at_most: self.at_most }
    }
}
