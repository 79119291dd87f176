// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fixed-point helpers. `_x1024` counts 1/1024, `_x64k` counts 1/65536.

mod cube_root;

pub use cube_root::{cbrt, cbrt_bisection, cbrt_newton, cbrt_table};

/// 1.0 in `_x64k`.
pub const ONE_X64K: u32 = 1 << 16;

/// Integer square root, rounded down: the largest `r` with `r² <= n`.
///
/// Newton–Raphson from a power of two at or above the root, at most twice the root. The relative error goes 1, 1/4, 1/40,
/// 3·10⁻⁴, 5·10⁻⁸, 10⁻¹⁵: five steps are exact for 64 bits, and their count is fixed as in [`cbrt`].
///
/// ```
/// use cwnd::math::sqrt;
///
/// assert_eq!((sqrt(99), sqrt(100)), (9, 10));
/// ```
#[inline]
#[must_use]
pub const fn sqrt(n: u64) -> u32 {
    let bits = 64 - n.leading_zeros();
    let mut x = 1_u64 << bits.div_ceil(2);
    let mut step = 0;
    while step < 5 {
        x = (x + n / if x == 0 { 1 } else { x }) / 2;
        step += 1;
    }
    // From above, rounded down, Newton ends on the root or one beyond it; x <= 2³², so one more is no overflow of x².
    let x = if x > 0xffff_ffff { 0xffff_ffff } else { x };
    if x * x > n { (x - 1) as u32 } else { x as u32 }
}

/// `value × fraction`, `fraction` in 1/65536, rounded to nearest.
///
/// ```
/// use cwnd::math::{ONE_X64K, scale_x64k};
///
/// assert_eq!(scale_x64k(11, ONE_X64K * 7 / 10), 8); // 7.7
/// ```
#[inline]
#[must_use]
pub const fn scale_x64k(value: u32, fraction_x64k: u32) -> u32 {
    let scaled = (value as u64 * fraction_x64k as u64 + (ONE_X64K as u64) / 2) >> 16;
    if scaled > u32::MAX as u64 { u32::MAX } else { scaled as u32 }
}

/// Microseconds as 1/1024 s, rounded down; 2⁴¹ µs (25 days) and more as 2 251 799 813.
///
/// ```
/// assert_eq!(cwnd::math::us_to_x1024(1_500_000), 1536); // 1.5 s × 1024
/// ```
#[inline]
#[must_use]
pub const fn us_to_x1024(us: u64) -> u32 {
    let us = if us > 1 << 41 { 1 << 41 } else { us };
    // 1024 / 10⁶ = 16 / 15625
    (us * 16 / 15_625) as u32
}

/// Whether sequence number `a` lies after `b`, both wrapping.
///
/// ```
/// use cwnd::math::seq_after;
///
/// assert!(seq_after(5, u32::MAX - 5)); // eleven bytes later
/// assert!(!seq_after(5, 5));
/// ```
#[inline]
#[must_use]
pub const fn seq_after(a: u32, b: u32) -> bool {
    a != b && a.wrapping_sub(b) < 1 << 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sqrt_is_exact_up_to_a_million_and_at_both_sides_of_squares() {
        let mut root = 0_u64;
        for n in 0..1_000_000_u64 {
            if (root + 1).pow(2) <= n {
                root += 1;
            }
            assert_eq!(u64::from(sqrt(n)), root, "square root of {n}");
        }
        // Every root to a million, then every 1009th, powers of two, and the last below 2³².
        let far = (1_000_000..u64::from(u32::MAX)).step_by(1009);
        let powers = (0..32).flat_map(|bit| [1_u64 << bit, (1 << bit) + 1]);
        for r in (1..1_000_000).chain(far).chain(powers).chain([u64::from(u32::MAX)]) {
            assert_eq!((u64::from(sqrt(r * r)), u64::from(sqrt(r * r - 1))), (r, r - 1), "{r}");
        }
        assert_eq!(sqrt(u64::MAX), u32::MAX);
    }

    #[test]
    fn scaling_rounds_to_nearest() {
        assert_eq!(scale_x64k(10, 45_875), 7); // 0.7 × 10
        assert_eq!(scale_x64k(11, 45_875), 8); // 7.7
        assert_eq!(scale_x64k(1, ONE_X64K / 2), 1); // 0.5 rounds up
        assert_eq!(scale_x64k(u32::MAX, ONE_X64K), u32::MAX);
    }

    #[test]
    fn microseconds_become_1024ths() {
        assert_eq!(us_to_x1024(1_000_000), 1024);
        assert_eq!(us_to_x1024(u64::from(u32::MAX)), 4_398_046); // 4294.967295 s × 1024
        assert_eq!(us_to_x1024(u64::MAX), 2_251_799_813); // 2 199 023.255552 s × 1024
    }

    #[test]
    fn sequence_order_wraps() {
        assert!(seq_after(1, 0));
        assert!(!seq_after(0, 0));
        assert!(seq_after(5, u32::MAX - 5));
        assert!(!seq_after(u32::MAX - 5, 5));
    }
}
