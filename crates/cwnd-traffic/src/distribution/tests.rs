// SPDX-License-Identifier: MIT OR Apache-2.0
//! Densities: quantile by survival probability, survival function, partial means.

use super::AnyDensity;
use super::body_tail::BodyTailDensity;
use super::describe::bounds_have_a_middle;
use super::exponential::ExponentialDensity;
use super::lognormal::LognormalDensity;
use super::pareto::ParetoDensity;
use super::pareto2::Pareto2Density;
use super::weibull::WeibullDensity;
use super::{Bounds, DistributionKind, Parameter, ParameterKind, ParameterValue, Scale};
use crate::normal_and_gamma::normal_cdf;
use libm::{exp, log, tgamma};

fn distributions() -> Vec<AnyDensity> {
    vec![
        AnyDensity::Exponential(ExponentialDensity { mean: 1e9 }),
        AnyDensity::Pareto(ParetoDensity { minimum: 1448.0, shape: 1.2 }),
        AnyDensity::Pareto2(Pareto2Density { scale: 2896.0, shape: 1.2 }),
        AnyDensity::Lognormal(LognormalDensity { mu: 9.357, sigma: 1.318 }),
        AnyDensity::Weibull(WeibullDensity { scale: 1.46e9, shape: 0.382 }),
        AnyDensity::BodyTail(BodyTailDensity {
            mu: 9.357,
            sigma: 1.318,
            body: 0.968,
            minimum: 133e3,
            shape: 1.1,
            tail: 0.07,
        }),
    ]
}

// `body` above is Φ((ln 133 000 − 9.357)/1.318) = Φ(1.8519) to three digits; the piece needs it exactly to be
// continuous.
fn exact(distribution: AnyDensity) -> AnyDensity {
    match distribution {
        AnyDensity::BodyTail(BodyTailDensity { mu, sigma, minimum, shape, tail, .. }) => {
            let body = normal_cdf((log(minimum) - mu) / sigma);
            AnyDensity::BodyTail(BodyTailDensity { mu, sigma, body, minimum, shape, tail })
        }
        other => other,
    }
}

// The tests below are of this list.
#[test]
fn every_density_is_tested() {
    assert_eq!(distributions().len(), AnyDensity::COUNT, "a new one belongs in `distributions`, above");
}

// `at_least` and `at_most` are around the mean or the scale, so a row of bounds before it, or without it, does not compile.
#[test]
fn bounds_without_a_middle_are_noticed() {
    let row = |kind| Parameter { name: "row", kind, help: "" };
    let (mean, bounds) = (row(ParameterKind::Mean), row(ParameterKind::Bounds));
    let most = row(ParameterKind::UpperBound("why"));
    assert!(bounds_have_a_middle(&[mean, bounds]));
    assert!(bounds_have_a_middle(&[row(ParameterKind::Scale(None)), most]));
    for rows in [&[bounds][..], &[bounds, mean], &[row(ParameterKind::Positive), most]] {
        assert!(!bounds_have_a_middle(rows), "{rows:?}");
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
    let mean = |distribution: AnyDensity| distribution.mean_between(0.0, f64::INFINITY).expect("finite");
    let near = |actual: f64, expected: f64| {
        assert!((actual / expected - 1.0).abs() < 1e-9, "{actual} for {expected}");
    };
    let [exponential, pareto, pareto2, lognormal, weibull, ..] = distributions()[..] else {
        panic!("they begin the list")
    };
    near(mean(exponential), 1e9);
    near(mean(pareto), 8688.0);
    near(mean(pareto2), 14_480.0);
    near(mean(lognormal), exp(9.357 + 1.318 * 1.318 / 2.0));
    near(mean(weibull), 1.46e9 * tgamma(1.0 + 1.0 / 0.382));
    assert_eq!(
        AnyDensity::Pareto(ParetoDensity { minimum: 1.0, shape: 1.0 }).mean_between(0.0, f64::INFINITY),
        None
    );
    assert_eq!(
        AnyDensity::Pareto2(Pareto2Density { scale: 1.0, shape: 0.9 }).mean_between(0.0, f64::INFINITY),
        None
    );
    // Shape 1 up to 1000 minima: ln 1000.
    near(
        AnyDensity::Pareto(ParetoDensity { minimum: 1.0, shape: 1.0 })
            .mean_between(0.0, 1000.0)
            .expect("finite"),
        log(1000.0),
    );
}

// Every parameter that refers to another refers to one before it, so that a distribution can be read row by row.
#[test]
fn every_distribution_can_be_built_from_its_rows() {
    for kind in DistributionKind::ALL {
        let rows = kind.parameters();
        for (index, row) in rows.iter().enumerate() {
            let (ParameterKind::NotBelow(other)
            | ParameterKind::Above(other)
            | ParameterKind::OptionalAbove(other)
            | ParameterKind::Scale(Some(other))) = row.kind
            else {
                continue;
            };
            assert!(rows[..index].iter().any(|row| row.name == other), "{kind:?}: {other}");
        }
        let values: Vec<ParameterValue> = rows
            .iter()
            .map(|row| match row.kind {
                ParameterKind::Number(min, _) => ParameterValue::Number(min),
                ParameterKind::OptionalAbove(_) | ParameterKind::UpperBound(_) => {
                    ParameterValue::Optional(Some(9))
                }
                ParameterKind::Scale(_) => ParameterValue::Scale(Scale::Parameter(5)),
                ParameterKind::Bounds => {
                    ParameterValue::Bounds(Bounds { at_least: Some(1), at_most: Some(9) })
                }
                _ => ParameterValue::Number(7),
            })
            .collect();
        assert_eq!(kind.with(&values).parameters(), Some((*kind, values)));
    }
}
