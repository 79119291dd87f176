// SPDX-License-Identifier: MIT OR Apache-2.0
//! A pacer for stacks that have none of their own: a bucket of tokens. // RFC 9002 §7.7

use core::time::Duration;

use super::Transport;
use super::clock::micros;
use crate::algorithm::Algorithm;

/// Spaces packets by [`Transport::pacing_rate`]: at most [`Transport::burst`] bytes leave back to back, and what is beyond them at the rate.
/// A stack keeps one beside its [`Transport`], tells it of each packet, and asks it when the next one may leave.
///
/// ```
/// # use core::time::Duration;
/// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
/// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
/// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new().initial_rtt(rtt), begin);
/// let mut pacer = Pacer::new();
/// for _ in 0..10 {
///     assert_eq!(pacer.departure(begin, 1200, &cc), begin); // a burst of ten datagrams
///     cc.on_sent(begin, 1200);
///     pacer.on_sent(begin, 1200, &cc);
/// }
/// // Twice 12 000 bytes in 50 ms are 480 bytes per millisecond, so 1200 take 2.5 ms.
/// assert_eq!(pacer.departure(begin, 1200, &cc), Duration::from_micros(2500));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Pacer {
    /// Bytes that have left beyond what the rate has allowed since: 0 is a full bucket.
    owed: u64,
    /// Up to when the rate has been counted, µs.
    counted_us: u64,
}

impl Pacer {
    /// A pacer that lets a burst go.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// let cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), Duration::ZERO);
    /// assert_eq!(Pacer::new().departure(Duration::ZERO, 1200, &cc), Duration::ZERO);
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self { owed: 0, counted_us: 0 }
    }

    /// When a packet of `bytes` bytes may leave: `now` or later. Without a rate it is `now`. A packet that is larger than a burst waits
    /// for a full bucket.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// let cc = Transport::new(Configured::<Reno>::registered(), &Config::new().paced(false), Duration::ZERO);
    /// let mut pacer = Pacer::new();
    /// pacer.on_sent(Duration::ZERO, 1_000_000, &cc);
    /// assert_eq!(pacer.departure(Duration::ZERO, 1200, &cc), Duration::ZERO); // this transport is not paced
    /// ```
    #[must_use]
    pub fn departure<A: Algorithm>(&self, now: Duration, bytes: u64, transport: &Transport<A>) -> Duration {
        let Some(rate) = transport.pacing_rate() else { return now };
        let (owed, counted_us) = self.at(now, rate);
        let room = transport.burst().saturating_sub(bytes);
        let Some(beyond) = owed.checked_sub(room).filter(|bytes| *bytes > 0) else { return now };
        let wait_us = beyond.saturating_mul(1_000_000).div_ceil(rate.max(1));
        now.max(Duration::from_micros(counted_us.saturating_add(wait_us)))
    }

    /// A packet of `bytes` bytes has left.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// let cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), Duration::ZERO);
    /// let mut pacer = Pacer::new();
    /// pacer.on_sent(Duration::ZERO, cc.burst(), &cc);
    /// assert!(pacer.departure(Duration::ZERO, 1200, &cc) > Duration::ZERO);
    /// ```
    pub fn on_sent<A: Algorithm>(&mut self, now: Duration, bytes: u64, transport: &Transport<A>) {
        let Some(rate) = transport.pacing_rate() else {
            *self = Self { owed: 0, counted_us: micros(now) };
            return;
        };
        let (owed, counted_us) = self.at(now, rate);
        *self = Self { owed: owed.saturating_add(bytes), counted_us };
    }

    /// What is owed at `now`, and up to when the rate is counted then: whole bytes, so that no part of the time is lost.
    fn at(self, now: Duration, rate: u64) -> (u64, u64) {
        let now_us = micros(now);
        let passed_us = now_us.saturating_sub(self.counted_us);
        let allowed = super::clock::amount(rate, passed_us);
        if allowed >= self.owed {
            return (0, now_us.max(self.counted_us));
        }
        // Less than is owed: at most u64 bytes, whose time is at most `passed_us`.
        let took_us = allowed.saturating_mul(1_000_000) / rate.max(1);
        (self.owed - allowed, self.counted_us.saturating_add(took_us.min(passed_us)))
    }
}
