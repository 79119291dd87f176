// SPDX-License-Identifier: MIT OR Apache-2.0
//! Four integer cube roots. CUBIC needs one at the start of every epoch (RFC 9438 §4.2, K), without floats.
//!
//! [`cbrt`] is what our CUBIC uses: exact. [`cbrt_table`] is Linux's since CUBIC 2.2 (2008), with its rounding, answer for answer.
//! [`cbrt_bisection`] and [`cbrt_newton`] are what Linux had before (Ha, Rhee and Xu 2008, table 1). docs/results/cube-root.md
//! compares them: cycles, and the error over all arguments.

/// The largest cube root of a 64-bit number: ∛(2⁶⁴ − 1), rounded down.
const LARGEST: u64 = 2_642_245;

/// Whether `x³ > n`, without overflow (and without `checked_mul`, which is 128 bits wide inside: BPF has none).
const fn over(x: u64, n: u64) -> bool {
    x > LARGEST || x * x * x > n
}

/// `n / d`, for a `d` that the compiler cannot see to be above zero: a panic has no place in the kernel.
const fn quotient(n: u64, d: u64) -> u64 {
    n / if d == 0 { 1 } else { d }
}

/// Integer cube root, rounded down: the largest `r` with `r³ <= n`.
///
/// Newton–Raphson from a power of two above the root. The error squares at each step (2 → 1.42 → 1.11 → 1.011 →
/// 1.0002 → 1 + 10⁻⁸), so six steps are exact for 64 bits; the count is fixed because the kernel's verifier walks every
/// path of a data-dependent loop.
///
/// ```
/// use cwnd::math::cbrt;
///
/// assert_eq!((cbrt(26), cbrt(27)), (2, 3));
/// ```
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
        // x >= 1 throughout: it starts there and 2x + n/x² is at least 3 for x >= 2 (and x = 1 only for n < 8).
        x = (2 * x + quotient(n, x * x)) / 3;
        step += 1;
    }
    // Newton from above ends on the root or one beyond it; x³ fits, as x <= 2_642_246 < 2⁶⁴ᐟ³ · (1 + 10⁻⁶).
    if over(x, n) { (x - 1) as u32 } else { x as u32 }
}

/// Integer cube root, rounded down, by halving the interval that holds it: one bit a step, 22 steps.
///
/// ```
/// use cwnd::math::cbrt_bisection;
///
/// assert_eq!((cbrt_bisection(26), cbrt_bisection(27)), (2, 3));
/// ```
#[must_use]
pub const fn cbrt_bisection(n: u64) -> u32 {
    // low³ <= n < high³ throughout; 2²² − 0 halves to 1 in 22 steps.
    let (mut low, mut high) = (0_u64, 1_u64 << 22);
    let mut step = 0;
    while step < 22 {
        let middle = (low + high) / 2;
        if over(middle, n) {
            high = middle;
        } else {
            low = middle;
        }
        step += 1;
    }
    low as u32
}

/// Integer cube root, rounded down, by Newton–Raphson until it no longer falls: `x ← (2x + n/x²)/3`.
///
/// ```
/// use cwnd::math::cbrt_newton;
///
/// assert_eq!((cbrt_newton(26), cbrt_newton(27)), (2, 3));
/// ```
#[must_use]
pub const fn cbrt_newton(n: u64) -> u32 {
    if n == 0 {
        return 0;
    }
    let bits = 64 - n.leading_zeros();
    let mut x = 1_u64 << bits.div_ceil(3);
    let mut step = 0;
    // From above it falls until it stands on the root (the mean of x, x and n/x² is no less than ∛n): six steps of `cbrt`
    // reach the root or one beyond, a seventh the root, an eighth sees that it stands.
    while step < 8 {
        let next = (2 * x + quotient(n, x * x)) / 3;
        if next >= x {
            break;
        }
        x = next;
        step += 1;
    }
    x as u32
}

/// 64 × the starting value for a root whose argument has these six leading bits (8 … 63; the first eight are never read).
///
/// Figures of Linux, found from its answers: of all starting values between 65 and 320, this one alone gives the root that
/// a running kernel gave (`every_entry_is_the_only_one_that_gives_linuxs_answer`). They lie 5 to 9 above 64 ∛i: a start above
/// the root makes up for the step's division by 1024/341, which takes 1/1024 away.
const START_X64: [u16; 64] = [
    0, 0, 0, 0, 0, 0, 0, 0, 133, 139, 144, 148, 153, 157, 161, 166, //
    167, 171, 174, 178, 180, 183, 186, 189, 191, 195, 197, 200, 202, 204, 207, 209, //
    210, 212, 214, 216, 219, 221, 223, 225, 227, 229, 231, 232, 234, 235, 237, 239, //
    241, 242, 244, 246, 247, 249, 250, 252, 254, 255, 256, 258, 260, 261, 262, 264,
];

/// Cube root as Linux takes it: a table over the six leading bits, then one Newton–Raphson step. Within 0.16 % of the root
/// for `n >= 2³¹`, the smallest argument that CUBIC has; coarser below (docs/results/cube-root.md).
///
/// Below 64, where no argument of CUBIC's lies, it is the root rounded to nearest.
///
/// ```
/// use cwnd::math::cbrt_table;
///
/// assert_eq!(cbrt_table(26), 3); // ∛26 = 2.96: to nearest, this small
/// ```
#[inline]
#[must_use]
pub const fn cbrt_table(n: u64) -> u32 {
    match n {
        0 => return 0,
        1..=3 => return 1,   // 1.5³ = 3.4
        4..=15 => return 2,  // 2.5³ = 15.6
        16..=42 => return 3, // 3.5³ = 42.9
        43..=63 => return 4, // 4.5³ = 91.1
        _ => {}
    }
    // n = i · 8^shift, i in 8 … 63: at most 60 bits go, and the mask changes nothing but the compiler's mind.
    let shift = (63 - n.leading_zeros()) / 3 - 1;
    let x = ((START_X64[(n >> (3 * shift)) as usize & 63] as u64) << shift) >> 6;
    linux_step(x, n)
}

/// Linux's step: `(2x + n/(x(x − 1)))/3`, the third taken as 341/1024.
const fn linux_step(x: u64, n: u64) -> u32 {
    // x <= 264 · 2²⁰ / 64 = 4 325 376: no product below overflows.
    (((2 * x + quotient(n, x * x.saturating_sub(1))) * 341) >> 10) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2⁴⁰/410, Linux's form of 1/C: K in 1/1024 s is the cube root of this times the missing segments.
    const CUBE_FACTOR: u64 = 2_681_735_677;

    /// Missing segments and the K that the `cubic` of a running Linux 6.18 gave for them: one pair for each entry of the
    /// table, chosen so that it tells that entry from every other. `vectors/cube-root` has more of them.
    const LINUX: [(u64, u32); 56] = [
        (26, 4116),
        (15119, 34362),
        (2097, 17788),
        (2301, 18343),
        (2505, 18876),
        (2786, 19545),
        (2914, 19852),
        (49, 5088),
        (3327, 20739),
        (3530, 21157),
        (58, 5379),
        (3938, 21949),
        (65, 5585),
        (68, 5671),
        (4555, 23033),
        (4761, 23377),
        (4965, 23701),
        (81, 6013),
        (84, 6086),
        (5580, 24653),
        (90, 6228),
        (5990, 25236),
        (97, 6386),
        (100, 6451),
        (6606, 26067),
        (6811, 26333),
        (7015, 26593),
        (113, 6715),
        (116, 6777),
        (7631, 27356),
        (7836, 27599),
        (8038, 27835),
        (8247, 28075),
        (132, 7075),
        (8656, 28534),
        (8861, 28751),
        (9138, 29044),
        (145, 7298),
        (148, 7349),
        (9754, 29682),
        (9887, 29823),
        (10089, 30020),
        (10297, 30228),
        (164, 7606),
        (10705, 30621),
        (170, 7698),
        (11114, 31005),
        (11321, 31200),
        (180, 7846),
        (11730, 31571),
        (11937, 31752),
        (12138, 31934),
        (12346, 32119),
        (196, 8072),
        (12755, 32463),
        (12960, 32641),
    ];

    #[test]
    fn every_entry_is_the_only_one_that_gives_linuxs_answer() {
        let mut entries = 8..64;
        let index = |n: u64| n >> (3 * ((63 - n.leading_zeros()) / 3 - 1));
        for (missing, k) in LINUX {
            let n = CUBE_FACTOR * missing;
            let shift = (63 - n.leading_zeros()) / 3 - 1;
            let fits: Vec<u64> =
                (65..=320).filter(|start| linux_step((start << shift) >> 6, n) == k).collect();
            let i = entries.next().expect("an entry for each pair");
            assert_eq!(index(n), i);
            assert_eq!(fits, [u64::from(START_X64[i as usize])], "entry {i}");
        }
        assert_eq!(entries.next(), None);
    }

    #[test]
    fn k_after_a_loss_is_linuxs() {
        // W_max and K in 1/1024 s; W_max − ⌊717 W_max/1024⌋ segments are missing.
        for (w_max, k) in [
            (10, 2003),
            (20, 2523),
            (50, 3426),
            (100, 4316),
            (200, 5436),
            (500, 7380),
            (1000, 9294),
            (2000, 11_718),
            (5000, 15_902),
            (10_000, 20_031),
            (50_000, 34_272),
            (100_000, 43_161),
            (500_000, 73_782),
        ] {
            assert_eq!(cbrt_table(CUBE_FACTOR * (w_max - w_max * 717 / 1024)), k, "K for {w_max}");
        }
    }

    #[test]
    fn the_tables_error_over_a_million_windows_is_the_published_one() {
        // Mean 0.027 %, largest 0.152 %.
        let errors = (1..=1_000_000_u64).map(|missing| {
            let n = CUBE_FACTOR * missing;
            (f64::from(cbrt_table(n)) / (n as f64).cbrt() - 1.0).abs()
        });
        let (sum, largest) = errors.fold((0.0, 0.0_f64), |(sum, most), e| (sum + e, most.max(e)));
        assert_eq!(
            (format!("{:.5}", sum / 1e6), format!("{largest:.5}")),
            ("0.00027".into(), "0.00152".into())
        );
    }

    #[test]
    fn the_tables_root_is_near_for_every_argument_of_64_bits() {
        // Both sides of every cube, and both ends of every entry of the table. The root below 2¹⁰ is an integer too small for
        // 0.16 %: there it may be off by one.
        let near = |n: u64| {
            let (root, exact) = (f64::from(cbrt_table(n)), (n as f64).cbrt());
            assert!((root - exact).abs() <= 1.0 + 0.0016 * exact, "cube root of {n}: {root} for {exact}");
        };
        for r in 1..=LARGEST {
            near(r * r * r);
            near(r * r * r - 1);
        }
        for shift in 0..=20 {
            for i in 8..64_u64 {
                near(i << (3 * shift));
                near(((i + 1) << (3 * shift)).wrapping_sub(1));
            }
        }
        near(u64::MAX);
    }

    #[test]
    fn the_table_rounds_to_nearest_below_64() {
        for n in 0..64_u64 {
            let r = u64::from(cbrt_table(n));
            // (r − ½)³ <= n < (r + ½)³, times eight.
            assert!(
                (2 * r).saturating_sub(1).pow(3) <= 8 * n && 8 * n < (2 * r + 1).pow(3),
                "cube root of {n}: {r}"
            );
        }
    }

    const EXACT: [fn(u64) -> u32; 3] = [cbrt, cbrt_bisection, cbrt_newton];

    #[test]
    fn the_others_are_exact_up_to_a_million() {
        let mut root = 0_u64;
        for n in 0..1_000_000_u64 {
            if (root + 1).pow(3) <= n {
                root += 1;
            }
            for method in EXACT {
                assert_eq!(u64::from(method(n)), root, "cube root of {n}");
            }
        }
    }

    #[test]
    fn the_others_are_exact_at_both_sides_of_every_cube() {
        // 2_642_245³ = 18 446 724 184 312 856 125 is the last cube below 2⁶⁴.
        for method in EXACT {
            for r in 1..=LARGEST {
                let cube = r * r * r;
                assert_eq!(u64::from(method(cube)), r);
                assert_eq!(u64::from(method(cube - 1)), r - 1);
            }
            assert_eq!(u64::from(method(u64::MAX)), LARGEST);
        }
    }
}
