// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the transport keeps account of: packets that it knows, bytes in flight, remainders of segments, the clock.

use core::time::Duration;

use super::clock::micros;
use super::facts::Sent;
use super::{Config, Transport};
use crate::algorithm::Algorithm;
use crate::conn::{Conn, PacingStatus};
use crate::driver::Driver;

impl<A: Algorithm> Transport<A> {
    /// The newest of `packets` and the bytes of all that were sent on this path.
    pub(super) fn newest(&self, packets: impl Iterator<Item = (Sent, u64)>) -> Option<(Sent, u64)> {
        let mut all: Option<(Sent, u64)> = None;
        for (sent, bytes) in packets.filter(|(sent, _)| self.knows(sent)) {
            all = Some(match all {
                Some((newest, sum)) if newest.position > sent.position => (newest, sum.saturating_add(bytes)),
                Some((_, sum)) => (sent, sum.saturating_add(bytes)),
                None => (sent, bytes),
            });
        }
        all
    }

    /// Whether a packet counts: it was sent on this path. // RFC 9000 §9.4
    pub(super) fn knows(&self, sent: &Sent) -> bool {
        let known = sent.position < self.next;
        self.check(known || sent.path != self.path, "a packet that was never sent is acknowledged or lost");
        known && sent.path == self.path
    }

    /// The token of the packet that leaves at `now_us`; `empty`: with nothing in flight before it.
    #[inline]
    pub(super) fn token(&mut self, now_us: u64, empty: bool) -> Sent {
        let (delivered_ago_us, first_sent_ago_us) = self.delivery.on_sent(now_us, empty);
        if empty {
            let conn = &mut self.driver.conn;
            (conn.delivered_us, conn.first_sent_us) = (now_us as u32, now_us as u32);
        }
        let position = self.next;
        self.next = position.saturating_add(1);
        Sent {
            position,
            time_us: now_us,
            delivered: self.delivery.delivered,
            delivered_ago_us,
            first_sent_ago_us,
            end_seq: self.driver.conn.snd_nxt,
            path: self.path,
            app_limited: self.driver.conn.app_limited != 0,
        }
    }

    /// Whole segments in the acknowledged bytes; the remainder stays for the next.
    pub(super) fn segments(&mut self, bytes: u64) -> u32 {
        whole_segments(bytes, &mut self.acked_spare, self.driver.conn.mss)
    }

    /// Whole segments in `bytes` that are sent, the remainder of those before with them, and how many more will then be out.
    #[inline]
    pub(super) fn sent_segments(&mut self, bytes: u64) -> (u32, u32) {
        let Conn { mss, packets_out, .. } = self.driver.conn;
        let out = self.in_flight.saturating_add(bytes).div_ceil(mss.into());
        let more_out = u32::try_from(out).unwrap_or(u32::MAX).saturating_sub(packets_out);
        (whole_segments(bytes, &mut self.sent_spare, mss), more_out)
    }

    /// A proportional reduction allows segments beside what is in flight, and that may be less than whole segments: the window is the bytes
    /// in flight and what is allowed. An acknowledgement of less than a segment leaves what was allowed before it.
    #[cold]
    pub(super) fn allow_in_bytes(&mut self, acked: u32, allowed_before: u64) {
        let conn = &mut self.driver.conn;
        let mss = u64::from(conn.mss);
        let more = u64::from(conn.cwnd.saturating_sub(conn.in_flight)).saturating_mul(mss);
        let allowed = if acked == 0 { allowed_before.min(more.saturating_add(mss)) } else { more };
        let window = self.in_flight.saturating_add(allowed).max(mss);
        conn.cwnd = u32::try_from(window / mss).unwrap_or(u32::MAX);
        self.window_spare = (window % mss) as u32;
    }

    /// `bytes` leave the flight, or all that are in it; how many did.
    pub(super) fn leave_flight(&mut self, bytes: u64) -> u64 {
        self.check(bytes <= self.in_flight, "more bytes leave the flight than are in it");
        let bytes = bytes.min(self.in_flight);
        self.in_flight -= bytes;
        bytes
    }

    /// Shows the algorithm what is in flight, in segments.
    pub(super) fn show_flight(&mut self) {
        let conn = &mut self.driver.conn;
        let segments = self.in_flight.div_ceil(conn.mss.into());
        conn.in_flight = u32::try_from(segments).unwrap_or(u32::MAX);
        conn.packets_out = conn.in_flight;
    }

    /// The clock goes on to `now`, or stands where that is earlier.
    pub(super) fn advance(&mut self, now: Duration) -> u64 {
        let now_us = micros(now);
        if !self.begun {
            self.begin(now_us);
        }
        self.check(now_us >= self.driver.conn.now_us, "time runs back");
        self.driver.conn.set_now(now_us.max(self.driver.conn.now_us));
        self.driver.conn.now_us
    }

    /// The driver does something for the packet at `position` that may begin an epoch.
    pub(super) fn reducing<T>(&mut self, position: u64, act: impl FnOnce(&mut Driver<A>) -> T) -> T {
        let begins = position >= self.driver.recovery_end();
        if begins {
            self.resize();
        }
        let most = if begins { self.safe_retreat() } else { None };
        if begins {
            self.window_spare = 0; // also where the window keeps its whole segments
        }
        self.watching(|driver| {
            let result = act(driver);
            if let Some(most) = most {
                driver.limit_reduction(most);
            }
            result
        })
    }

    /// The driver does something; bytes beyond whole segments do not survive a smaller window.
    pub(super) fn watching<T>(&mut self, act: impl FnOnce(&mut Driver<A>) -> T) -> T {
        let before = self.driver.conn.cwnd;
        let result = act(&mut self.driver);
        if self.driver.conn.cwnd < before {
            self.window_spare = 0;
        }
        result
    }

    /// Stops a build with debug assertions at a fact that cannot be. See [the module](super#order-of-calls).
    #[inline]
    #[track_caller]
    pub(super) fn check(&self, holds: bool, fault: &'static str) {
        debug_assert!(holds || !self.config.checked, "{fault}");
    }
}

/// Whole segments in `bytes` and what was left over before; what is left over now stays.
fn whole_segments(bytes: u64, spare: &mut u32, mss: u32) -> u32 {
    let bytes = bytes.saturating_add((*spare).into());
    *spare = (bytes % u64::from(mss)) as u32;
    u32::try_from(bytes / u64::from(mss)).unwrap_or(u32::MAX)
}

/// A path of which nothing is known, and the bytes of its window beyond whole segments.
pub(super) fn conn(config: &Config, now_us: u64) -> (Conn, u32) {
    let (mss, window) = (u64::from(config.mtu), config.initial_window_bytes());
    let mut conn = Conn::new(config.mtu.into(), (window / mss) as u32);
    if config.paced {
        conn.pacing_status = PacingStatus::Needed;
    }
    conn.set_now(now_us);
    (conn, (window % mss) as u32)
}

/// A round trip, µs: at least one.
pub(super) fn rtt_us(now_us: u64, sent_us: u64) -> u32 {
    u32::try_from(now_us.saturating_sub(sent_us)).unwrap_or(u32::MAX).max(1)
}
