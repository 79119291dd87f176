// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fixed-point helpers. `_x1024` counts 1/1024, `_x64k` counts 1/65536.

/// 1.0 in `_x64k`.
pub const ONE_X64K: u32 = 1 << 16;

/// Integer cube root, rounded down: the largest `r` with `r³ <= n`.
///
/// Newton–Raphson from a power of two above the root. The error squares at each step (2 → 1.42 → 1.11 → 1.011 →
/// 1.0002 → 1 + 10⁻⁸), so six steps are exact for 64 bits; the count is fixed because the kernel's verifier walks every
/// path of a data-dependent loop.
#[inline]
#[must_use]
pub const fn cbrt(n: u64) -> u32 {
    if n == 0 {
        return 0;
    }
    let bits = 64 - n.leading_zeros();
    let mut x = 1_u64 << bits.div_ceil(3);
    let mut step = 0;
    while step < 6 {
        // x >= 1 throughout: it starts there and 2x + n/x² is at least 3 for x >= 2 (and x = 1 only for n < 8). The
        // compiler does not see it, and a panic left for x² = 0 has no place in the kernel.
        let square = x * x;
        x = (2 * x + n / if square == 0 { 1 } else { square }) / 3;
        step += 1;
    }
    // Newton from above ends on the root or one beyond it; x³ fits, as x <= 2_642_246 < 2⁶⁴ᐟ³ · (1 + 10⁻⁶).
    if over(x, n) { (x - 1) as u32 } else { x as u32 }
}

/// Whether `x³ > n`, without overflow (and without `checked_mul`, which is 128 bits wide inside: BPF has none).
const fn over(x: u64, n: u64) -> bool {
    const LARGEST: u64 = 2_642_245; // ∛(2⁶⁴ − 1)
    x > LARGEST || x * x * x > n
}

/// `value × fraction`, `fraction` in 1/65536, rounded to nearest.
#[inline]
#[must_use]
pub const fn scale_x64k(value: u32, fraction_x64k: u32) -> u32 {
    let scaled = (value as u64 * fraction_x64k as u64 + (ONE_X64K as u64) / 2) >> 16;
    if scaled > u32::MAX as u64 { u32::MAX } else { scaled as u32 }
}

/// Microseconds as 1/1024 s, rounded down. 2³² µs (71 minutes) is 4 398 046.
#[inline]
#[must_use]
pub const fn us_to_x1024(us: u32) -> u32 {
    // 1024 / 10⁶ = 16 / 15625
    (us as u64 * 16 / 15_625) as u32
}

/// Whether sequence number `a` lies after `b`, both wrapping.
#[inline]
#[must_use]
pub const fn seq_after(a: u32, b: u32) -> bool {
    a != b && a.wrapping_sub(b) < 1 << 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cbrt_is_exact_up_to_a_million() {
        let mut root = 0_u64;
        for n in 0..1_000_000_u64 {
            if (root + 1).pow(3) <= n {
                root += 1;
            }
            assert_eq!(u64::from(cbrt(n)), root, "cube root of {n}");
        }
    }

    #[test]
    fn cbrt_is_exact_at_both_sides_of_every_cube() {
        // 2_642_245³ = 18 446 724 184 312 856 125 is the last cube below 2⁶⁴.
        for r in 1..=2_642_245_u64 {
            let cube = r * r * r;
            assert_eq!(u64::from(cbrt(cube)), r);
            assert_eq!(u64::from(cbrt(cube - 1)), r - 1);
        }
        assert_eq!(cbrt(u64::MAX), 2_642_245);
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
        assert_eq!(us_to_x1024(u32::MAX), 4_398_046); // 4294.967295 s × 1024
    }

    #[test]
    fn sequence_order_wraps() {
        assert!(seq_after(1, 0));
        assert!(!seq_after(0, 0));
        assert!(seq_after(5, u32::MAX - 5));
        assert!(!seq_after(u32::MAX - 5, 5));
    }
}
