// SPDX-License-Identifier: MIT OR Apache-2.0
//! Times and rates as integers of 64 bits: microseconds, and bytes per second.

use core::time::Duration;

const PER_SECOND: u64 = 1_000_000;

/// A time in µs; the last that there is for one beyond 584 000 years. (`Duration::as_micros` takes 128 bits, which BPF has not.)
pub(super) const fn micros(time: Duration) -> u64 {
    time.as_secs().saturating_mul(PER_SECOND).saturating_add(time.subsec_micros() as u64)
}

/// `bytes` in `us` microseconds, bytes/s, rounded down.
pub(super) const fn rate(bytes: u64, us: u64) -> u64 {
    let us = if us == 0 { 1 } else { us };
    match bytes.checked_mul(PER_SECOND) {
        Some(scaled) => scaled / us,
        None => (bytes / us).saturating_mul(PER_SECOND),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_rates_saturate() {
        assert_eq!(micros(Duration::new(2, 345_678_999)), 2_345_678);
        assert_eq!(micros(Duration::MAX), u64::MAX);
        assert_eq!(rate(12_000, 50_000), 240_000);
        assert_eq!(rate(12_000, 0), 12_000_000_000);
        assert_eq!(rate(u64::MAX, 0), u64::MAX);
        assert_eq!(rate(u64::MAX, u64::MAX), PER_SECOND);
    }
}
