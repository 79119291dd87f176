// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every distribution against its distribution function and its mean, both written here a second time.

use crate::driver::{SEGMENT, groups};
use cwnd_link::random::RandomStream;
use cwnd_traffic::{Distribution, Model, Sampler};

const N: usize = 100_000;
const SEEDS: [u64; 3] = [11, 12, 13];

/// A distribution of times (`rtt`) from its TOML.
fn time(toml: &str) -> Distribution {
    groups(&format!("[[traffic]]\nmodel = 'long'\nrtt = {toml}"))[0].rtt.clone().expect("rtt")
}

/// A distribution of sizes.
fn size(toml: &str) -> Distribution {
    match &groups(&format!("[[traffic]]\nmodel = 'mix'\narrivals = '1s'\nsize = {toml}"))[0].model {
        Model::Mix(mix) => mix.size.clone(),
        other => panic!("{other:?}"),
    }
}

fn draws(distribution: &Distribution, seed: u64) -> Vec<u64> {
    sample(distribution, seed, 0)
}

/// The same from another stream: with one and the same, all inverses would be tested with the same probabilities.
fn sample(distribution: &Distribution, seed: u64, stream: usize) -> Vec<u64> {
    let sampler = Sampler::new(distribution, 0);
    let mut stream = RandomStream::new(seed, stream as u64);
    (0..N).map(|_| sampler.draw(&mut || stream.next_u64())).collect()
}

/// Kolmogorov's statistic √n · sup |F_n − F|: above 1.95 once in a thousand samples of F.
fn kolmogorov(mut sample: Vec<u64>, cdf: &dyn Fn(f64) -> f64) -> f64 {
    sample.sort_unstable();
    let n = sample.len() as f64;
    let mut worst: f64 = 0.0;
    for (i, x) in sample.iter().enumerate() {
        let f = cdf(*x as f64);
        worst = worst.max((f - i as f64 / n).abs()).max((f - (i + 1) as f64 / n).abs());
    }
    worst * n.sqrt()
}

/// Φ.
fn phi(z: f64) -> f64 {
    0.5 * libm::erfc(-z / 2_f64.sqrt())
}

/// A distribution function cut to an interval.
fn cut(f: impl Fn(f64) -> f64 + 'static, low: f64, high: f64) -> Box<dyn Fn(f64) -> f64> {
    let (from, to) = (f(low), f(high));
    Box::new(move |x| (f(x).clamp(from, to) - from) / (to - from))
}

/// Name, distribution, its distribution function.
type DistributionCase = (&'static str, Distribution, Box<dyn Fn(f64) -> f64>);

/// Every kind with its distribution function, in ns and bytes. Values are in the millions, or at least a thousand, so
/// that whole units change the statistic by little: at a median of 10⁴ bytes a density of 10⁻⁴ per byte, √n · 10⁻⁴/2
/// = 0.016.
fn cases() -> Vec<DistributionCase> {
    let pareto = |k: f64, a: f64| move |x: f64| 1.0 - (k / x.max(k)).powf(a);
    let lognormal = |mu: f64, s: f64| move |x: f64| phi((x.ln() - mu) / s);
    let body = lognormal(11_580_f64.ln(), 1.318);
    let tail = pareto(133e3, 1.1);
    let surge = move |x: f64| {
        if x < 133e3 { 0.93 * body(x) / body(133e3) } else { 0.93 + 0.07 * tail(x) }
    };
    let points = |x: f64| match x {
        x if x < 1e4 => 0.2 * (x - 1e3) / 9e3,
        x if x < 1e5 => 0.2 + 0.5 * (x - 1e4) / 9e4,
        x => 0.7 + 0.3 * (x - 1e5) / 9e5,
    };
    vec![
        ("uniform", time("{ kind = 'uniform', min = '10ms', max = '50ms' }"), Box::new(|x| (x - 1e7) / 4e7)),
        ("exponential", time("{ kind = 'exponential', mean = '1s' }"), Box::new(|x| 1.0 - (-x / 1e9).exp())),
        (
            "exponential, cut",
            time("{ kind = 'exponential', mean = '100ms', at_least = '1ms', at_most = '200ms' }"),
            cut(|x| 1.0 - (-x / 1e8).exp(), 1e6, 2e8),
        ),
        // Mean 6 packets of 1448 bytes and shape 1.2: a minimum of one packet.
        (
            "pareto",
            size("{ kind = 'pareto', shape = 1.2, mean = '6packets' }"),
            Box::new(pareto(1448.0, 1.2)),
        ),
        (
            "pareto, cut",
            size("{ kind = 'pareto', shape = 1.2, minimum = '100kB', at_most = '10MB' }"),
            cut(pareto(1e5, 1.2), 1e5, 1e7),
        ),
        (
            "pareto, shape 1",
            size("{ kind = 'pareto', shape = 1, minimum = '100kB' }"),
            Box::new(pareto(1e5, 1.0)),
        ),
        // Mean 10 packets: scale 10 · 1448 · 0.2 = 2896.
        (
            "pareto2",
            size("{ kind = 'pareto2', shape = 1.2, mean = '10packets' }"),
            Box::new(|x| 1.0 - (1.0 + x / 2896.0).powf(-1.2)),
        ),
        (
            "lognormal",
            size("{ kind = 'lognormal', median = '11580B', sigma = 1.318 }"),
            Box::new(lognormal(11_580_f64.ln(), 1.318)),
        ),
        // Mean 10 710 and deviation 25 032 (3GPP's main object): sigma² = ln(1 + (25 032/10 710)²) = 1.8657, sigma =
        // 1.3659.
        (
            "lognormal by mean, cut",
            size(
                "{ kind = 'lognormal', mean = '10710B', sigma = 1.365901, at_least = '100B', at_most = '2MB' }",
            ),
            cut(lognormal(10_710_f64.ln() - 1.365_901_f64.powi(2) / 2.0, 1.365_901), 100.0, 2e6),
        ),
        (
            "weibull",
            time("{ kind = 'weibull', scale = '1.46s', shape = 0.382 }"),
            Box::new(|x| 1.0 - (-(x / 1.46e9).powf(0.382)).exp()),
        ),
        // Γ(1 + 1/2) = √π/2: mean 1 s, scale 1/0.886 227 s.
        (
            "weibull by mean, cut",
            time("{ kind = 'weibull', mean = '1s', shape = 2, at_least = '200ms', at_most = '2s' }"),
            cut(|x| 1.0 - (-(x / 1e9 * 0.886_226_925_452_758).powi(2)).exp(), 2e8, 2e9),
        ),
        (
            "body-tail",
            size(
                "{ kind = 'body-tail', median = '11580B', sigma = 1.318, tail_from = '133kB', tail_shape = 1.1, tail_share = 0.07 }",
            ),
            Box::new(surge),
        ),
        (
            "body-tail, cut",
            size(
                "{ kind = 'body-tail', median = '11580B', sigma = 1.318, tail_from = '133kB', tail_shape = 1.1, tail_share = 0.07, at_most = '1MB' }",
            ),
            cut(surge, 0.0, 1e6),
        ),
        (
            "empirical",
            size("{ kind = 'empirical', points = [['1kB', 0], ['10kB', 0.2], ['100kB', 0.7], ['1MB', 1]] }"),
            Box::new(points),
        ),
    ]
}

#[test]
fn every_distribution_has_its_distribution_function() {
    for (number, (name, distribution, cdf)) in cases().into_iter().enumerate() {
        for seed in SEEDS {
            let statistic = kolmogorov(sample(&distribution, seed, number), &cdf);
            println!("{name}, seed {seed}: {statistic:.2}");
            assert!(statistic < 1.95, "{name}, seed {seed}: {statistic}");
        }
    }
}

// The statistic sees small mistakes: a shape of 1.22 for 1.2, 2 % more of a mean, a body that is not cut where the
// tail begins.
#[test]
fn the_statistic_sees_what_is_slightly_off() {
    let pareto = draws(&size("{ kind = 'pareto', shape = 1.22, minimum = '1448B' }"), 11);
    assert!(kolmogorov(pareto, &|x| 1.0 - (1448.0 / x.max(1448.0)).powf(1.2)) > 1.95);
    let exponential = draws(&time("{ kind = 'exponential', mean = '1.02s' }"), 11);
    assert!(kolmogorov(exponential, &|x| 1.0 - (-x / 1e9).exp()) > 1.95);
    let (_, surge, _) = cases().into_iter().find(|(name, ..)| *name == "body-tail").expect("there");
    let uncut = |x: f64| {
        let body = phi((x.ln() - 11_580_f64.ln()) / 1.318);
        0.93 * body + if x > 133e3 { 0.07 * (1.0 - (133e3 / x).powf(1.1)) } else { 0.0 }
    };
    assert!(kolmogorov(draws(&surge, 11), &uncut) > 1.95);
}

// Four standard errors either side, where a variance exists: kinds without a tail, or with a bound.
#[test]
fn means_are_what_they_say() {
    for (number, (name, distribution, _)) in cases().into_iter().enumerate() {
        if ["pareto", "pareto, shape 1", "pareto2", "body-tail"].contains(&name) {
            continue;
        }
        let mean = Sampler::new(&distribution, 0).mean().expect(name);
        for seed in SEEDS {
            let sample = sample(&distribution, seed, number);
            let n = sample.len() as f64;
            let actual = sample.iter().map(|x| *x as f64).sum::<f64>() / n;
            let variance = sample.iter().map(|x| (*x as f64 - actual).powi(2)).sum::<f64>() / (n - 1.0);
            let error = (actual - mean) / (variance / n).sqrt();
            println!("{name}, seed {seed}: mean {actual:.0} for {mean:.0}, {error:+.2} standard errors");
            assert!(error.abs() < 4.0, "{name}, seed {seed}: {actual} for {mean}");
        }
    }
}

// 8688 = 6 · 1448. A tail of 7 % from 133 kB at 1.1 has a mean of 133 kB · 11 = 1463 kB: 0.07 · 1463 kB = 102.4 kB,
// and 0.93 of the body's below 133 kB: 27 600 B · Φ(1.852 − 1.318)/Φ(1.852) = 27 600 · 0.7033/0.9680 = 20.05 kB.
#[test]
fn means_of_heavy_tails_are_exact_or_none() {
    let mean = |distribution: Distribution| Sampler::new(&distribution, 0).mean();
    let near = |actual: Option<f64>, expected: f64| {
        let actual = actual.expect("finite");
        assert!((actual / expected - 1.0).abs() < 2e-3, "{actual} for {expected}");
    };
    near(mean(size("{ kind = 'pareto', shape = 1.2, mean = '6packets' }")), 8688.0);
    near(mean(size("{ kind = 'pareto2', shape = 1.2, mean = '10packets' }")), 14_480.0);
    near(
        mean(size(
            "{ kind = 'body-tail', median = '11580B', sigma = 1.318, tail_from = '133kB', tail_shape = 1.1, tail_share = 0.07 }",
        )),
        0.93 * 20_050.0 + 0.07 * 1_463_000.0,
    );
    assert_eq!(mean(size("{ kind = 'pareto', shape = 1, minimum = '100kB' }")), None);
    assert_eq!(mean(size("{ kind = 'pareto2', shape = 0.8, scale = '100kB' }")), None);
    // Shape 1 up to ten minima: minimum · ln 10/(1 − 1/10).
    near(
        mean(size("{ kind = 'pareto', shape = 1, minimum = '100kB', at_most = '1MB' }")),
        1e5 * 10_f64.ln() / 0.9,
    );
}

// 10⁵ draws of 0.25, 0.5, 0.25: each ± 4 σ, σ = √(10⁵ · 0.25 · 0.75) = 137 and 158.
#[test]
fn steps_draw_their_points_only() {
    let toml = "{ kind = 'empirical', steps = true, points = [['1kB', 0.25], ['2kB', 0.75], ['9kB', 1]] }";
    for seed in SEEDS {
        let sample = draws(&size(toml), seed);
        for (value, expected, bound) in [(1_000, 25_000, 548), (2_000, 50_000, 632), (9_000, 25_000, 548)] {
            let actual = sample.iter().filter(|x| **x == value).count() as i64;
            assert!((actual - expected).abs() < bound, "seed {seed}: {actual} of {value}");
        }
        assert!(sample.iter().all(|x| [1_000, 2_000, 9_000].contains(x)));
    }
    assert_eq!(Sampler::new(&size(toml), 0).mean(), Some(3500.0)); // 250 + 1000 + 2250
}

// Probability on the first point is a mass there; equal values with different probabilities are one too.
#[test]
fn a_measured_distribution_may_have_masses() {
    let toml = "{ kind = 'empirical', points = [['1kB', 0.5], ['2kB', 0.5], ['2kB', 0.75], ['4kB', 1]] }";
    let sample = draws(&size(toml), 11);
    let part = |value: u64| sample.iter().filter(|x| **x == value).count() as f64 / N as f64;
    assert!((part(1000) - 0.5).abs() < 0.0064 && (part(2000) - 0.25).abs() < 0.0056);
    assert!(sample.iter().all(|x| *x == 1000 || (2000..=4000).contains(x)));
    assert_eq!(Sampler::new(&size(toml), 0).mean(), Some(1750.0)); // 500 + 500 + 0.25 · 3000
}

#[test]
fn bounds_hold_and_the_floor_too() {
    for seed in SEEDS {
        let cut = draws(
            &time("{ kind = 'exponential', mean = '100ms', at_least = '1ms', at_most = '101ms' }"),
            seed,
        );
        assert!(cut.iter().all(|x| (1_000_000..=101_000_000).contains(x)));
        assert!(draws(&time("'40ms'"), seed).iter().all(|x| *x == 40_000_000));
    }
    let tiny = size("{ kind = 'exponential', mean = '1B' }");
    let (sampler, mut stream) = (Sampler::new(&tiny, 1), RandomStream::new(1, 0));
    assert!((0..1000).all(|_| sampler.draw(&mut || stream.next_u64()) >= 1));
    // Rounded: 1 + Σ_{k ≥ 1} P(X > k + ½) = 1 + e^−1.5/(1 − e^−1) = 1.3530.
    let mean = sampler.mean().expect("finite");
    assert!((mean - 1.3530).abs() < 1e-3, "{mean}");
    assert_eq!(SEGMENT.payload, 1448);
}
