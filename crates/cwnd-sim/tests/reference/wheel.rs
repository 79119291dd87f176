// SPDX-License-Identifier: MIT OR Apache-2.0
//! When the timers of a Linux host fire whose clock began to tick at time 0: its wheel has levels of buckets of 1, 8, 64, … ticks.

/// A tick at 250 Hz, µs.
const TICK_US: u64 = 4000;

/// `us` in whole ticks, rounded up, µs.
pub const fn in_ticks(us: u64) -> u64 {
    us.div_ceil(TICK_US) * TICK_US
}

/// The tick of this time.
pub const fn tick(at_us: u64) -> u64 {
    at_us / TICK_US
}

/// The tick at which a timer expires.
pub const fn expiry(set_us: u64, wait_us: u64) -> u64 {
    tick(set_us) + wait_us.div_ceil(TICK_US)
}

/// When it fires, ns, on a wheel that has come to tick `at`: at the end of its bucket, on the first level whose 63 buckets reach so far.
pub const fn fires(expires: u64, at: u64) -> u64 {
    let mut bucket = 1;
    while expires - at >= 63 * bucket {
        bucket *= 8;
    }
    (expires / bucket + 1) * bucket * TICK_US * 1000
}
