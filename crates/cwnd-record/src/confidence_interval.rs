// SPDX-License-Identifier: MIT OR Apache-2.0
//! The confidence interval of a mean, for the web page. Python's intervals are in `python/cwnd/metrics/confidence_intervals.py`.

/// Mean and 95 % confidence interval of values that are about normal: mean ± t · s / √n. `None` for fewer than two.
#[must_use]
pub fn mean_interval(values: &[f64]) -> Option<(f64, f64, f64)> {
    let n = values.len();
    if n < 2 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / n as f64;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    let half = t_95(n - 1) * (squares / (n - 1) as f64 / n as f64).sqrt();
    Some((mean, mean - half, mean + half))
}

/// The t that |T| does not exceed in 95 % of the cases, with `nu` degrees of freedom: by bisection of the distribution, which is a
/// finite sum for whole `nu` (Abramowitz and Stegun, "Handbook of mathematical functions", 26.7.3 and 26.7.4).
fn t_95(nu: usize) -> f64 {
    // Beyond, the quantile is that of the normal distribution to three digits and more.
    if nu > 2000 {
        return 1.959_964 + 2.372_27 / nu as f64; // 26.7.5
    }
    let (mut low, mut high) = (0.0, 20.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if within(middle, nu) < 0.95 { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

/// P(|T| ≤ t).
fn within(t: f64, nu: usize) -> f64 {
    let theta = (t / (nu as f64).sqrt()).atan();
    let (sine, cosine) = theta.sin_cos();
    if nu.is_multiple_of(2) {
        // 26.7.4: sin θ (1 + ½ cos²θ + (1·3)/(2·4) cos⁴θ + …)
        let (mut term, mut sum) = (1.0, 1.0);
        for k in (2..nu).step_by(2) {
            term *= (k - 1) as f64 / k as f64 * cosine * cosine;
            sum += term;
        }
        return sine * sum;
    }
    if nu == 1 {
        return 2.0 * theta / std::f64::consts::PI;
    }
    // 26.7.3: (2/π) (θ + sin θ (cos θ + ⅔ cos³θ + …))
    let (mut term, mut sum) = (cosine, cosine);
    for k in (3..nu).step_by(2) {
        term *= (k - 1) as f64 / k as f64 * cosine * cosine;
        sum += term;
    }
    2.0 / std::f64::consts::PI * (theta + sine * sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Abramowitz and Stegun, table 26.10.
    #[test]
    fn the_quantiles_are_those_of_the_table() {
        for (nu, t) in [
            (1, 12.706),
            (2, 4.303),
            (3, 3.182),
            (4, 2.776),
            (9, 2.262),
            (19, 2.093),
            (30, 2.042),
            (120, 1.980),
        ] {
            assert!((t_95(nu) - t).abs() < 6e-4, "{nu}: {} and {t}", t_95(nu));
        }
        assert!((t_95(2000) - t_95(2001)).abs() < 1e-4);
    }

    // By hand: mean 2, s = 1, t = 4.3027 with two degrees of freedom: 4.3027 / √3 = 2.4842.
    #[test]
    fn an_interval_by_hand() {
        let (mean, low, high) = mean_interval(&[1.0, 2.0, 3.0]).expect("three values");
        assert!(
            (mean - 2.0).abs() < 1e-12 && (high - 4.4842).abs() < 1e-3 && (low + 0.4842).abs() < 1e-3,
            "{low} {high}"
        );
        assert_eq!(mean_interval(&[1.0]), None);
    }
}
