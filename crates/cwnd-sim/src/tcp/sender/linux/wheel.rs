// SPDX-License-Identifier: MIT OR Apache-2.0
//! When a timer of a Linux host fires: at a tick of its clock, and from 63 ticks on at a bucket of the timer wheel.
//!
//! TCP sets its timers in ticks (jiffies): the tick in which it sets one, plus the wait, rounded up to whole ticks. The wheel has levels of 64
//! buckets. A bucket of level `n` spans 8ⁿ ticks, and a level takes waits below 63 · 8ⁿ ticks. A timer fires at the bucket boundary that
//! follows its tick of expiry, so on level 0 one tick after that. Nothing fires early. At 250 Hz, waits of up to 248 ms end up to 8 ms late, waits
//! of up to 2012 ms 36 ms, waits of up to 16.1 s 260 ms. // Linux: kernel/time/timer.c, calc_wheel_index
//!
//! Timers of high resolution, for pacing and for fewer ACKs, are not on the wheel. `cwnd-sim/tests/simulations/timer_wheel.rs` has times of
//! the kernel.

/// Levels of the wheel; below 101 Hz it has one less, which only waits of hours would tell apart.
const LEVELS: u32 = 9;
/// A level takes waits below so many of its buckets.
const BUCKETS: u64 = 63;

/// The tick counter of one host.
#[derive(Clone, Copy, Debug, Default)]
pub struct TickClock {
    hz: u64,
    /// What the counter has run at time 0, µs.
    phase_us: u64,
    /// A tick, µs; 0 if that is not a whole number.
    tick_us: u64,
}

/// The tick of the bucket boundary at which a timer fires that expires at tick `expires`, set at tick `now`.
const fn bucket_end(expires: u64, now: u64) -> u64 {
    let wait = expires.saturating_sub(now);
    let mut level = 0;
    while level + 1 < LEVELS && wait >= BUCKETS << (3 * level) {
        level += 1;
    }
    ((expires >> (3 * level)) + 1) << (3 * level)
}

impl TickClock {
    /// A counter of `hz` ticks a second that has run for `phase_us` µs at time 0.
    pub fn new(hz: u32, phase_us: u64) -> Self {
        let hz = u64::from(hz);
        Self { hz, phase_us, tick_us: if 1_000_000_u64.is_multiple_of(hz) { 1_000_000 / hz } else { 0 } }
    }

    /// The tick of this time, µs.
    // Below 2⁶⁴: times are 8.64e12 µs at most, phases 2³², and rates 1 MHz.
    #[inline]
    pub const fn tick(&self, at_us: u64) -> u64 {
        let at_us = at_us + self.phase_us;
        match at_us.checked_div(self.tick_us) {
            Some(ticks) => ticks,
            None => at_us * self.hz / 1_000_000,
        }
    }

    /// How long the counter has run at this time, µs.
    pub const fn since_phase_us(&self, at_us: u64) -> u64 {
        at_us + self.phase_us
    }

    /// Whole ticks that cover `wait_us`.
    #[inline]
    pub const fn ticks(&self, wait_us: u64) -> u64 {
        if self.tick_us > 0 {
            wait_us.div_ceil(self.tick_us)
        } else {
            (wait_us * self.hz).div_ceil(1_000_000)
        }
    }

    /// `us` rounded up to whole ticks, µs.
    #[inline]
    pub const fn round_up(&self, us: u64) -> u64 {
        self.us(self.ticks(us))
    }

    /// The shortest wait that is not on the first level, µs.
    pub const fn shortest_coarse_us(&self) -> u64 {
        self.us(BUCKETS - 1) + 1
    }

    /// When a tick begins and ends, µs.
    pub const fn span_us(&self, tick: u64) -> (u64, u64) {
        (self.us(tick).saturating_sub(self.phase_us), self.us(tick + 1) - self.phase_us)
    }

    /// How long so many ticks are, rounded up, µs.
    #[inline]
    const fn us(&self, ticks: u64) -> u64 {
        if self.tick_us > 0 { ticks * self.tick_us } else { (ticks * 1_000_000).div_ceil(self.hz) }
    }

    /// The tick at which a timer expires that is set at `set_us` for `wait_us` later.
    #[inline]
    pub const fn expires(&self, set_us: u64, wait_us: u64) -> u64 {
        self.tick(set_us) + self.ticks(wait_us)
    }

    /// When a timer fires that is set at `set_us` and expires at tick `expires`, µs. `in_timer`: it is set in a tick in which a timer
    /// has just fired, where the wheel counts from the next tick on.
    #[inline]
    pub const fn fires_us(&self, set_us: u64, expires: u64, in_timer: bool) -> u64 {
        self.us(bucket_end(expires, self.tick(set_us) + in_timer as u64)) - self.phase_us
    }
}

#[cfg(test)]
mod tests;
