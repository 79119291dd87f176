// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fixed-point helpers. `_x1024` counts 1/1024, `_x64k` counts 1/65536.

mod cube_root;

pub use cube_root::{cbrt, cbrt_bisection, cbrt_newton, cbrt_table};

/// 1.0 in `_x64k`.
pub const ONE_X64K: u32 = 1 << 16;

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
