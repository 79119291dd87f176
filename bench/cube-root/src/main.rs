// SPDX-License-Identifier: MIT OR Apache-2.0
//! The four integer cube roots and `f64::cbrt`: `clocks` and `errors` as CSV for `tools/bench/cube_root.py`, `k` for `tools/bench/kernel_cube_root.py`.

use std::hint::black_box;
use std::io::Write;

use cwnd::math::{cbrt, cbrt_bisection, cbrt_newton, cbrt_table};

const METHODS: [&str; 5] = ["bisection", "newton", "table", "cbrt", "f64"];

/// Linux's 2⁴⁰/410: K in 1/1024 s is the cube root of this times the missing segments.
const CUBE_FACTOR: u64 = 2_681_735_677;

/// Calls in a chain, each waiting for the one before.
const CHAIN: usize = 1024;

/// xorshift64*: Vigna 2016.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Uniform in [0, 1).
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// The processor's time stamp counter, once everything before it is done.
#[cfg(target_arch = "x86_64")]
fn clock() -> u64 {
    use std::arch::x86_64::{_mm_lfence, _rdtsc};
    // SAFETY: both are part of every x86-64 processor, and neither touches memory.
    unsafe {
        _mm_lfence();
        let now = _rdtsc();
        _mm_lfence();
        now
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn clock() -> u64 {
    eprintln!("error: clocks are counted with x86-64's time stamp counter");
    std::process::exit(1)
}

/// Clocks of a chain of calls over `arguments`.
#[inline(always)]
fn chain(arguments: &[u64], root: impl Fn(u64) -> u32) -> u64 {
    // Makes each argument wait for the root before it, and changes none.
    let zero = black_box(0_u64);
    let mut last = 0_u64;
    let begin = clock();
    for &n in arguments {
        last = u64::from(root(n | (last & zero)));
    }
    black_box(last);
    clock() - begin
}

/// Clocks of one call, over arguments that never come twice (a processor learns the branches of 1024 arguments within a few
/// repetitions, and a flow takes one root in seconds): a call of a chain in the median, then the standard deviation of single
/// calls, with the counter's own taken out.
fn measure(name: &str, root: impl Fn(u64) -> u32 + Copy, out: &mut impl Write) -> std::io::Result<()> {
    let mut random = Random(1);
    // Missing segments from 1 to 10⁶, as many in each octave.
    let mut arguments = || -> Vec<u64> {
        (0..CHAIN).map(|_| (CUBE_FACTOR as f64 * 1e6_f64.powf(random.unit())) as u64).collect()
    };
    let (mut chained, mut single, mut nothing) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..512 {
        let fresh = arguments();
        let empty = chain(&fresh, |n| n as u32);
        chained.push(chain(&fresh, root).saturating_sub(empty) as f64 / CHAIN as f64);
        for n in arguments() {
            nothing.push(chain(&[n], |n| n as u32) as f64);
            single.push(chain(&[n], root) as f64);
        }
    }
    chained.sort_by(f64::total_cmp);
    let spread = calm_deviation(&mut nothing);
    let deviation = calm_deviation(&mut single);
    let deviation = (deviation.powi(2) - spread.powi(2)).max(0.0).sqrt();
    writeln!(out, "{name},{:.1},{deviation:.1}", chained[chained.len() / 2])
}

/// Standard deviation without the slowest thousandth (interrupts).
fn calm_deviation(clocks: &mut [f64]) -> f64 {
    clocks.sort_by(f64::total_cmp);
    let kept = &clocks[..clocks.len() - clocks.len() / 1000];
    let mean = kept.iter().sum::<f64>() / kept.len() as f64;
    (kept.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / kept.len() as f64).sqrt()
}

fn clocks(out: &mut impl Write) -> std::io::Result<()> {
    writeln!(out, "method,clocks,deviation")?;
    measure("bisection", cbrt_bisection, out)?;
    measure("newton", cbrt_newton, out)?;
    measure("table", cbrt_table, out)?;
    measure("cbrt", cbrt, out)?;
    measure("f64", |n| (n as f64).cbrt() as u32, out)
}

fn root(method: &str, n: u64) -> u32 {
    match method {
        "bisection" => cbrt_bisection(n),
        "newton" => cbrt_newton(n),
        "table" => cbrt_table(n),
        "cbrt" => cbrt(n),
        _ => (n as f64).cbrt() as u32,
    }
}

/// Relative errors in eighths of an octave: least, mean of the absolute value, largest. In each: 4096 random arguments (or all,
/// where there are fewer), the ends of the eighth, and both sides of the cube next to each of 64 of them.
fn errors(out: &mut impl Write) -> std::io::Result<()> {
    writeln!(out, "method,from,to,least,mean,largest")?;
    for method in METHODS {
        let mut random = Random(2);
        for octave in 0..64 {
            for eighth in 0..8_u64 {
                let edge = |e: u64| ((8 + u128::from(e)) << octave).div_ceil(8);
                let (from, to) = (edge(eighth) as u64, (edge(eighth + 1) - 1) as u64);
                if to < from {
                    continue;
                }
                let mut arguments = vec![from, to];
                if to - from < 4096 {
                    arguments.extend(from..=to);
                } else {
                    arguments.extend((0..4096).map(|_| from + random.next() % (to - from + 1)));
                    let cubes = arguments.iter().take(66).map(|&n| u64::from(cbrt(n)).pow(3));
                    let sides: Vec<u64> = cubes.flat_map(|cube| [cube, cube - 1]).collect();
                    arguments.extend(sides.into_iter().filter(|n| (from..=to).contains(n)));
                }
                let (mut least, mut sum, mut largest) = (f64::MAX, 0.0, f64::MIN);
                for &n in &arguments {
                    let error = f64::from(root(method, n)) / (n as f64).cbrt() - 1.0;
                    least = least.min(error);
                    largest = largest.max(error);
                    sum += error.abs();
                }
                writeln!(
                    out,
                    "{method},{from},{to},{least:e},{:e},{largest:e}",
                    sum / arguments.len() as f64
                )?;
            }
        }
    }
    Ok(())
}

/// K in 1/1024 s by the table, for each number of missing segments on a line of the input.
fn k(out: &mut impl Write) -> std::io::Result<()> {
    for line in std::io::stdin().lines() {
        let missing: u64 = line?.trim().parse().map_err(std::io::Error::other)?;
        writeln!(out, "{}", cbrt_table(CUBE_FACTOR * missing))?;
    }
    Ok(())
}

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    match std::env::args().nth(1).as_deref() {
        Some("clocks") => clocks(&mut out),
        Some("errors") => errors(&mut out),
        Some("k") => k(&mut out),
        _ => {
            eprintln!("usage: cwnd-cube-root clocks | errors | k");
            std::process::exit(2)
        }
    }
}
