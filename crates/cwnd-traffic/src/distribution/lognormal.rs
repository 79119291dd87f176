// SPDX-License-Identifier: MIT OR Apache-2.0
//! The lognormal distribution: bodies of web sizes. Quantiles by Wichura's AS 241 (1988).

use super::describe::{Bounds, Continuous, Density, Described, ONE, Scale, fraction, parameters};
use crate::normal_and_gamma::{normal_cdf, normal_quantile};
use libm::{exp, log};

parameters! {
    /// ln X is normal with deviation sigma about ln median; mean = median · e^(sigma²/2).
    pub struct Lognormal {
        sigma: Number(1_000, 10 * ONE), "the sigma of lognormal";
        median: Scale(None), "the median";
        bounds: Bounds, "bounds of the values";
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LognormalDensity {
    pub mu: f64,
    pub sigma: f64,
}

impl Density for LognormalDensity {
    fn at_survival(self, p: f64) -> f64 {
        exp(self.mu - self.sigma * normal_quantile(p))
    }

    fn survival(self, x: f64) -> f64 {
        normal_cdf((self.mu - log(x)) / self.sigma)
    }

    // e^(μ+σ²/2) (Φ(z_b − σ) − Φ(z_a − σ)) with z = (ln x − μ)/σ.
    fn mean_between(self, a: f64, b: f64) -> Option<f64> {
        let Self { mu, sigma } = self;
        let below = |x: f64| if x <= 0.0 { 0.0 } else { normal_cdf((log(x) - mu) / sigma - sigma) };
        Some(exp(mu + sigma * sigma / 2.0) * (below(b) - below(a)))
    }
}

impl Described for Lognormal {
    const NAME: &'static str = "lognormal";
    const HELP: &'static str =
        "ln X is normal with deviation sigma about ln median; mean = median e^(sigma^2/2)";
}

impl Continuous for Lognormal {
    type Density = LognormalDensity;

    fn density(&self) -> LognormalDensity {
        let sigma = fraction(self.sigma);
        let mu = match self.median {
            Scale::Parameter(median) => log(median as f64),
            Scale::Mean(mean) => log(mean as f64) - sigma * sigma / 2.0,
        };
        LognormalDensity { mu, sigma }
    }

    fn bounds(&self) -> Bounds {
        self.bounds
    }
}
