// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rate of the kernel's tick counter.

use rustix::time::{ClockId, clock_getres};

/// Ticks per second. The coarse clock moves once per tick, and its resolution is a tick's length in nanoseconds, rounded; no
/// published configuration of the kernel is needed for it.
pub(crate) fn tick_hz() -> u32 {
    let tick = clock_getres(ClockId::MonotonicCoarse);
    let ns = u64::try_from(tick.tv_nsec).unwrap_or(0).max(1);
    rate(ns)
}

fn rate(ns: u64) -> u32 {
    u32::try_from((1_000_000_000 + ns / 2) / ns).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    // 10⁹ / 300 = 3 333 333.3: the clock says 3 333 333.
    #[test]
    fn the_rates_that_kernels_are_built_with_come_out_whole() {
        for (ns, hz) in [(10_000_000, 100), (4_000_000, 250), (3_333_333, 300), (1_000_000, 1000)] {
            assert_eq!(rate(ns), hz);
        }
    }

    #[test]
    fn this_kernels_rate_is_one_that_kernels_have() {
        assert!([100, 250, 300, 1000].contains(&tick_hz()), "{}", tick_hz());
    }
}
