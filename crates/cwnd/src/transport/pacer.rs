// SPDX-License-Identifier: MIT OR Apache-2.0
//! A pacer for stacks that have none of their own: a bucket of tokens. // RFC 9002 §7.7

use core::time::Duration;

use super::Transport;
use super::clock::micros;
use crate::algorithm::Algorithm;

/// Millionths of a byte in a byte.
const MILLION: u64 = 1_000_000;

/// Spaces packets by [`Transport::pacing_rate`]: at most [`Transport::burst`] bytes leave back to back, and what is beyond them at the rate.
/// A stack keeps one beside its [`Transport`], tells it of each packet, and asks it when the next one may leave.
///
/// What a packet takes of the rate is kept in millionths of a byte, so a rate is met to the byte. Departures are whole microseconds: a rate of
/// more than a burst per microsecond is not reached.
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
    /// What has left beyond what the rate has allowed since, in millionths of a byte (byte/s · µs): 0 is a full bucket.
    owed_x1m: u64,
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
        Self { owed_x1m: 0, counted_us: 0 }
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
        let (owed_x1m, counted_us) = self.at(now, rate);
        let room_x1m = transport.burst().saturating_sub(bytes).saturating_mul(MILLION);
        let wait_us = owed_x1m.saturating_sub(room_x1m).div_ceil(rate.max(1));
        if wait_us == 0 {
            return now;
        }
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
            *self = Self { owed_x1m: 0, counted_us: micros(now) };
            return;
        };
        let (owed_x1m, counted_us) = self.at(now, rate);
        *self = Self { owed_x1m: owed_x1m.saturating_add(bytes.saturating_mul(MILLION)), counted_us };
    }

    /// What is owed at `now`, and up to when the rate is counted then.
    fn at(self, now: Duration, rate: u64) -> (u64, u64) {
        let now_us = micros(now).max(self.counted_us);
        let allowed_x1m = rate.saturating_mul(now_us - self.counted_us);
        (self.owed_x1m.saturating_sub(allowed_x1m), now_us)
    }
}
