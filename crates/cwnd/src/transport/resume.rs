// SPDX-License-Identifier: MIT OR Apache-2.0
//! Careful Resume: the window of an earlier connection over the same path (RFC 9959, draft-ietf-tsvwg-careful-resume).
//!
//! The transport has the arithmetic: the limits of the jump, and the retreat from one that was too large. The stack has the rest: which
//! connection was over the same path, how old what it saved may be, and whether the first packets have arrived.

use core::time::Duration;

use super::Transport;
use super::clock::micros;
use crate::algorithm::Algorithm;
use crate::conn::{Conn, INFINITE_SSTHRESH};

/// What is worth remembering of a path. Plain numbers: a stack may write them down, for a later connection.
///
/// ```
/// # use core::time::Duration;
/// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
/// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
/// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
/// let saved = Snapshot::new(1_000_000, Duration::from_millis(55), Duration::from_millis(50)); // of an earlier connection
/// let sent = cc.on_sent(begin, 1200);
/// cc.on_burst_end(begin, Limit::Application);
/// cc.on_acked(rtt, &[Acked::new(sent, 1200)], None); // the path is confirmed
/// assert!(cc.restore(&saved));
/// assert_eq!(cc.window(), 499_200); // whole datagrams of half a million
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Snapshot {
    /// Congestion window, bytes.
    pub window: u64,
    /// Smoothed round trip time; zero where none was measured.
    pub smoothed_rtt: Duration,
    /// Smallest round trip time; zero where none was measured.
    pub min_rtt: Duration,
}

impl Snapshot {
    /// These values, as [`Transport::snapshot`] gave them.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
    /// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
    /// let saved = Snapshot::new(1_000_000, Duration::from_millis(55), Duration::from_millis(50));
    /// assert!(!cc.restore(&saved)); // not before there is a round trip time
    /// ```
    #[must_use]
    pub const fn new(window: u64, smoothed_rtt: Duration, min_rtt: Duration) -> Self {
        Self { window, smoothed_rtt, min_rtt }
    }
}

/// A jump that the path has not yet carried.
#[derive(Clone, Copy, Debug)]
pub(super) struct Jump {
    /// Bytes that the path is known to carry: those in flight at the jump, and those acknowledged since. // PipeSize
    pipe: u64,
    /// The window is validated when the packet at this position, or one after it, is acknowledged.
    until: u64,
    /// A packet that was sent after the jump has been acknowledged: `until` is the last one sent by then.
    validating: bool,
}

impl<A: Algorithm> Transport<A> {
    /// What a later connection over this path may begin with.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
    /// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
    /// assert_eq!(cc.snapshot(), Snapshot::new(12_000, Duration::ZERO, Duration::ZERO));
    /// ```
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let conn = &self.driver.conn;
        Snapshot {
            window: self.window(),
            smoothed_rtt: Duration::from_micros((conn.srtt_us8 / 8).into()),
            min_rtt: Duration::from_micros(conn.min_rtt_us.into()),
        }
    }

    /// Raises the window to half of what `saved` had, and never lowers it; `true` if it did. Round trip times are compared and not taken
    /// over: they are this connection's.
    ///
    /// It does nothing before the first sample of the round trip time (the path is not confirmed), after a loss, an ECN mark or the end of
    /// the first slow start (the path has answered), where the smallest round trip is less than half or more than ten times that of
    /// `saved` (another path), and where the window is half of what was saved already.
    ///
    /// Until the packets of that window are acknowledged, a loss or a mark takes the window back to half of what the path has carried
    /// by then, or to what the algorithm makes of that, whichever is less. A stack must pace what it sends of the new window.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
    /// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
    /// let small = Snapshot::new(20_000, rtt, rtt);
    /// let sent = cc.on_sent(begin, 1200);
    /// cc.on_burst_end(begin, Limit::Application);
    /// cc.on_acked(rtt, &[Acked::new(sent, 1200)], None);
    /// assert!(!cc.restore(&small)); // half of it is less than the window
    /// ```
    pub fn restore(&mut self, saved: &Snapshot) -> bool {
        let conn = &self.driver.conn;
        let min_rtt_us = u64::from(conn.min_rtt_us);
        let saved_rtt_us = micros(saved.min_rtt);
        let same_path = min_rtt_us >= saved_rtt_us / 2 && min_rtt_us <= saved_rtt_us.saturating_mul(10);
        let unanswered = conn.ssthresh == INFINITE_SSTHRESH && !self.driver.in_recovery_epoch();
        let target = saved.window / 2;
        if min_rtt_us == 0 || !same_path || !unanswered || target <= self.window() {
            return false;
        }
        let segments = u32::try_from(target / u64::from(conn.mss)).unwrap_or(u32::MAX).min(conn.cwnd_clamp);
        if segments <= conn.cwnd {
            return false;
        }
        self.driver.conn.cwnd = segments;
        self.window_spare = 0;
        self.jump = Some(Jump { pipe: self.in_flight, until: self.next, validating: false });
        true
    }

    /// `bytes` more have arrived, the newest of them with the packet at `position`.
    pub(super) fn validate(&mut self, bytes: u64, position: u64) {
        let Some(jump) = &mut self.jump else { return };
        jump.pipe = jump.pipe.saturating_add(bytes);
        if position < jump.until {
            return;
        }
        if jump.validating {
            self.jump = None;
            return;
        }
        // What has been sent by now is what the jump is judged by.
        *jump = Jump { until: self.next.saturating_sub(1), validating: true, ..*jump };
        // The window that was jumped to and not used is not kept. // RFC 9959 §3.3
        let used = jump.pipe.max(self.in_flight).max(self.config.initial_window_bytes());
        let conn = &mut self.driver.conn;
        let segments = u32::try_from(used.div_ceil(u64::from(conn.mss))).unwrap_or(u32::MAX);
        conn.cwnd = conn.cwnd.min(segments);
    }

    /// Congestion, before the reduction: it starts from what the path has carried. // RFC 9959: Safe Retreat
    pub(super) fn safe_retreat(&mut self) -> Option<u32> {
        let jump = self.jump.take()?;
        let conn: &mut Conn = &mut self.driver.conn;
        let carried = u32::try_from(jump.pipe / u64::from(conn.mss)).unwrap_or(u32::MAX).max(2);
        conn.cwnd = conn.cwnd.min(carried);
        Some((carried / 2).max(2))
    }
}
