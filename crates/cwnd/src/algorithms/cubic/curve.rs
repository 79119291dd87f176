// SPDX-License-Identifier: MIT OR Apache-2.0
//! The formulas of CUBIC, apart from its bookkeeping. // RFC 9438 §4.2, §4.3

use crate::math::{ONE_X64K, cbrt};

/// Longest time that the curve knows, 1/1024 s: 2³⁰ µs. By then W has grown by 5·10⁸ segments.
pub(super) const T_MAX_X1024: u32 = 1_099_511;

/// `K = ∛((W_max − cwnd_epoch) / C)`, the time to regain `W_max`, in 1/1024 s. // RFC 9438 §4.2, figure 2
///
/// `missing` segments up to 2³⁰; `c_x64k` in segments/s³, above 0.
#[inline]
#[must_use]
pub(super) fn k_x1024(missing: u32, c_x64k: u32) -> u32 {
    // (K · 2¹⁰)³ = missing / C · 2³⁰ = missing · 2⁴⁶ / c_x64k. For larger arguments 2⁹ or 2¹⁸ go after the root.
    let missing = u64::from(missing);
    let c = u64::from(c_x64k.max(1));
    if missing < 1 << 17 {
        cbrt((missing << 46) / c)
    } else if missing < 1 << 26 {
        cbrt((missing << 37) / c) << 3
    } else {
        cbrt((missing << 28) / c) << 6
    }
}

/// `C · d³` in 1/65536 segment; `d` in 1/1024 s, at most 2²⁰ + 2¹⁹.
#[inline]
fn cubic_term_x64k(c_x64k: u32, d_x1024: u32) -> u64 {
    let d = u64::from(d_x1024);
    let cube = d * d * d;
    let c = u64::from(c_x64k);
    // C·d³ in segments is c/2¹⁶ · cube/2³⁰; in 1/65536 it is (c · cube) >> 30. Drop bits before the product overflows.
    if d < 1 << 15 {
        (cube * c) >> 30
    } else if d < 1 << 18 {
        ((cube >> 9) * c) >> 21
    } else {
        ((cube >> 18) * c) >> 12
    }
}

/// `W(t) = C (t − K)³ + W_max` in 1/65536 segment, at least 0. // RFC 9438 §4.2, figure 1
///
/// Times in 1/1024 s, `origin` (W_max) in segments.
#[inline]
#[must_use]
pub(super) fn w_cubic_x64k(origin: u32, c_x64k: u32, k_x1024: u32, t_x1024: u32) -> u64 {
    let origin_x64k = u64::from(origin) << 16;
    let term = cubic_term_x64k(c_x64k, t_x1024.abs_diff(k_x1024));
    if t_x1024 < k_x1024 { origin_x64k.saturating_sub(term) } else { origin_x64k + term }
}

/// `α = 3 (1 − β) / (1 + β)`: additive increase that makes AIMD(α, β) as fast as AIMD(1, ½). // RFC 9438 §4.3
#[inline]
#[must_use]
pub(super) fn alpha_x64k(beta_x64k: u32) -> u32 {
    let one = u64::from(ONE_X64K);
    let beta = u64::from(beta_x64k).min(one);
    (((3 * (one - beta)) << 16) / (one + beta)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    const C: u32 = 26_214; // 0.4

    // RFC 9438 §4.2: K = ∛(0.75 W_max) for C = 0.4 and a window of 0.7 W_max.
    #[test]
    fn k_matches_the_closed_form() {
        for (missing, seconds) in
            [(30, 4.2172), (300, 9.0856), (3000, 19.5743), (300_000, 90.856), (1 << 29, 1103.15)]
        {
            let k = f64::from(k_x1024(missing, C)) / 1024.0;
            assert!((k / seconds - 1.0).abs() < 3e-4, "K({missing}) = {k}, not {seconds}");
        }
        assert_eq!(k_x1024(0, C), 0);
    }

    // W(s·K)/W_max = 1 + 0.3 (s − 1)³ whatever W_max.
    #[test]
    fn the_curve_is_scale_free() {
        for w_max in [100_u32, 1000, 10_000, 1_000_000, 1 << 28] {
            let k = k_x1024(w_max * 3 / 10, C);
            for (num, den, expected) in
                [(0, 4, 0.7), (1, 4, 0.8734375), (2, 4, 0.9625), (4, 4, 1.0), (6, 4, 1.0375), (8, 4, 1.3)]
            {
                let t = (u64::from(k) * num / den) as u32;
                let w = w_cubic_x64k(w_max, C, k, t) as f64 / 65_536.0 / f64::from(w_max);
                assert!((w - expected).abs() < 2e-3, "W_max {w_max}, s = {num}/{den}: {w}, not {expected}");
            }
        }
    }

    #[test]
    fn the_curve_never_falls_and_never_overflows() {
        for k in [0, 1, 4318, 30_000, 1 << 18, T_MAX_X1024] {
            for c in [1, C, 7 * ONE_X64K] {
                let mut last = 0;
                for t in (0..T_MAX_X1024).step_by(997) {
                    let w = w_cubic_x64k(1 << 30, c, k, t);
                    assert!(w >= last, "C {c}, K {k}, t {t}: {w} after {last}");
                    last = w;
                }
            }
        }
    }

    // 3 · 0.3 / 1.7 = 0.52941 and 3 · 0.2 / 1.8 = 0.33333, × 65 536
    #[test]
    fn alpha_matches_the_closed_form() {
        assert_eq!(alpha_x64k(45_875), 34_695); // 34 695.5 for 0.7 exactly
        assert_eq!(alpha_x64k(52_429), 21_844); // 21 845.3 for 0.8 exactly
        assert_eq!(alpha_x64k(ONE_X64K / 2), ONE_X64K);
    }
}
