// SPDX-License-Identifier: MIT OR Apache-2.0
//! The formulas of CUBIC, apart from its bookkeeping. // RFC 9438 §4.2, §4.3

use crate::math::{ONE_X64K, cbrt};

/// Smallest and largest legal C, in 1/65536 segment/s³: 0.001 and 7. // RFC 9438 §5.1
pub(super) const C_MIN_X64K: u32 = 66;
pub(super) const C_MAX_X64K: u32 = 458_752;

/// The curve's time is kept in units of 2⁸ µs, so 32 bits of them reach 12.7 days …
pub(super) const T_SHIFT: u32 = 8;
/// … which is this in µs.
pub(super) const T_MAX_US: u64 = (1 << (32 + T_SHIFT)) - 1;

/// The distance from the plateau that is read, 1/1024 s: 2²⁵ (9.1 hours) and more are the same.
const D_MAX_X1024: u64 = (1 << 25) - 1;

// Neither limit shows: K is at most ∛(2³² / C), and from D_MAX past K on every legal curve is above every window of 32 bits.
const _: () = {
    let c = C_MIN_X64K as u64;
    let k = D_MAX_X1024 / 2;
    // At D_MAX / 2 C · k³ is above 2³² segments: c/2¹⁶ · k³/2³⁰ > 2³². (2³² go first, or 64 bits would overflow.)
    assert!(c * ((((k * k) >> 16) * k) >> 16) > 1 << (32 + 16 + 30 - 32));
    // The time reaches K + D_MAX.
    assert!((T_MAX_US >> 10) > k + D_MAX_X1024);
    // C · d³ in 1/65536 segment fits 64 bits with any window beside it.
    let cube = (((D_MAX_X1024 * D_MAX_X1024) >> 12) * D_MAX_X1024) >> 18;
    assert!(cube < (u64::MAX - (1 << 48)) / C_MAX_X64K as u64);
};

/// `K = ∛((W_max − cwnd_epoch) / C)`, the time to regain `W_max`, in 1/1024 s, rounded down below 2¹⁷ segments; within two
/// units of it above. // RFC 9438 §4.2, figure 2
///
/// `missing` segments, any; `c_x64k` in 1/65536 segment/s³, legal.
#[inline]
#[must_use]
pub(super) fn k_x1024(missing: u32, c_x64k: u32) -> u32 {
    // (K · 2¹⁰)³ = missing / C · 2³⁰ = missing · 2⁴⁶ / c_x64k.
    let missing = u64::from(missing);
    let c = u64::from(c_x64k.max(1));
    if missing < 1 << 17 {
        return cbrt((missing << 46) / c);
    }
    // 64 bits hold no more than 2⁹ or 2¹⁸ times less, whose root is 2³ or 2⁶ times less and that much coarser …
    let root = if missing < 1 << 26 {
        u64::from(cbrt((missing << 37) / c)) << 3
    } else {
        u64::from(cbrt((missing << 28) / c)) << 6
    };
    // … so one step of Newton's takes the rest: what C · root³ leaves of `missing`, over the slope 3 C · root².
    let rest_x64k = (missing << 16).saturating_sub(cubic_term_x64k(c_x64k, root as u32));
    // c · root² = c^⅓ · (c · root³)^⅔ is at most 2^6.3 · (2⁷⁸)^⅔ = 2^58.3.
    let slope_x64k = ((3 * c * root * root) >> 30).max(1);
    (root + rest_x64k / slope_x64k) as u32
}

/// `C · d³` in 1/65536 segment, rounded down, with a relative error below 2⁻²⁹; `d` in 1/1024 s, the same from `D_MAX_X1024` on.
#[inline]
fn cubic_term_x64k(c_x64k: u32, d_x1024: u32) -> u64 {
    let d = u64::from(d_x1024).min(D_MAX_X1024);
    let c = u64::from(c_x64k);
    // C·d³ in segments is c/2¹⁶ · cube/2³⁰; in 1/65536 it is (c · cube) >> 30. Drop bits before the product overflows: c is
    // below 2¹⁹, so 45 bits of the cube may stay.
    if d < 1 << 15 {
        (d * d * d * c) >> 30
    } else if d < 1 << 18 {
        (((d * d * d) >> 9) * c) >> 21
    } else if d < 1 << 21 {
        (((d * d * d) >> 18) * c) >> 12
    } else {
        ((((d * d) >> 12) * d) >> 18) * c
    }
}

/// `W(t) = C (t − K)³ + W_max` in 1/65536 segment, at least 0. // RFC 9438 §4.2, figure 1
///
/// Times in 1/1024 s, `origin` (W_max) in segments.
#[inline]
#[must_use]
pub(super) fn w_cubic_x64k(origin: u32, c_x64k: u32, k_x1024: u32, t_x1024: u32) -> u64 {
    let origin_x64k = u64::from(origin) << 16; // below 2⁴⁸: with any term it fits, as asserted above
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

    /// Every C that a rounding could tell from its neighbours: both ends, powers of two and their neighbours, the sets' own.
    fn every_c() -> impl Iterator<Item = u32> {
        let near = (7..19).flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + 1]);
        let tables = [2_621, C, 26_112, 26_240, 262_144]; // 0.04, 0.4, 102/256, 410/1024, 4 // RFC 9438 tables 1 to 3
        [C_MIN_X64K, C_MIN_X64K + 1, C_MAX_X64K - 1, C_MAX_X64K].into_iter().chain(near).chain(tables)
    }

    /// Windows at every border of the arithmetic, and between.
    fn every_window() -> impl Iterator<Item = u32> {
        let near = (0..32).flat_map(|bit| {
            let two = 1_u32 << bit;
            [two - 1, two, two.saturating_add(1), two + two / 3, two + two / 2 + 7]
        });
        near.chain([u32::MAX - 1, u32::MAX])
    }

    // K = ∛(missing / C), against 128 bits: k is K's floor below 2¹⁷ segments, and within two units of K up to 2³² − 1.
    #[test]
    fn k_is_right_for_every_window_and_every_c() {
        let cube = |k: u64| u128::from(k).pow(3);
        for c in every_c() {
            for missing in every_window() {
                let (k, exact) =
                    (u64::from(k_x1024(missing, c)), (u128::from(missing) << 46) / u128::from(c));
                let (below, above) = if missing < 1 << 17 { (0, 1) } else { (1, 2) };
                assert!(
                    cube(k.saturating_sub(below)) <= exact && exact < cube(k + above),
                    "C {c}, {missing} missing: K = {k}"
                );
            }
        }
    }

    // C · d³, against 128 bits: never above, below by a 2²⁹th of it and by a 65536th of a segment at most.
    #[test]
    fn the_cubic_term_is_right_at_every_distance_and_every_c() {
        let near = (0..25).flat_map(|bit| {
            let two = 1_u32 << bit;
            [two - 1, two, two + 1, two + two / 3, two + two / 2 + 7, 2 * two - 1]
        });
        let distances: Vec<u32> = near.chain((0..1 << 25).step_by(65_521)).collect();
        for c in every_c() {
            for &d in &distances {
                let exact = (u128::from(d).pow(3) * u128::from(c)) >> 30;
                let ours = u128::from(cubic_term_x64k(c, d));
                assert!(
                    ours <= exact && exact - ours <= (exact >> 29) + 1,
                    "C {c}, d {d}: {ours}, not {exact}"
                );
            }
        }
    }

    // W(0) is the window that K was computed for, W(K) is W_max: K is off by two units at most, d = 2/1024 s, and W by
    // C ((K + d)³ − K³) = C (3 K² d + 3 K d² + d³).
    #[test]
    fn the_curve_passes_through_both_its_windows() {
        for c in every_c() {
            for missing in every_window() {
                for origin in [missing, missing.saturating_add(missing / 2), u32::MAX] {
                    let k = k_x1024(missing, c);
                    assert_eq!(w_cubic_x64k(origin, c, k, k), u64::from(origin) << 16);
                    let begin = w_cubic_x64k(origin, c, k, 0) as f64 / 65_536.0;
                    let (c, k, d) = (f64::from(c) / 65_536.0, f64::from(k) / 1024.0, 2.0 / 1024.0);
                    let off =
                        c * (3.0 * k * k * d + 3.0 * k * d * d + d * d * d) + f64::from(missing) / 5e8 + 1e-4;
                    let expected = f64::from(origin - missing);
                    assert!(
                        (begin - expected).abs() <= off,
                        "C {c}, {missing} below {origin}: the curve begins at {begin}, off by more than {off}"
                    );
                }
            }
        }
    }

    // Over all 12 days, for every legal C, K and window; before they end every curve is above every window.
    #[test]
    fn the_curve_never_falls_and_ends_above_every_window() {
        let days = (0..200_u32).map(|step| step * 997).chain((0..=(T_MAX_US / 977) as u32).step_by(199_999));
        let times: Vec<u32> = days.collect();
        for c in every_c() {
            for missing in [0, 1, 30, 1 << 17, 1 << 30, u32::MAX] {
                for origin in [missing.max(2), u32::MAX] {
                    let k = k_x1024(missing, c);
                    let (mut last, mut last_t) = (0, 0);
                    for &t in &times {
                        let w = w_cubic_x64k(origin, c, k, t);
                        assert!(t < last_t || w >= last, "C {c}, K {k}, t {t}: {w} after {last}");
                        (last, last_t) = (w, t);
                    }
                    assert!(last >> 16 > u64::from(u32::MAX), "C {c}, K {k}: {last}");
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
