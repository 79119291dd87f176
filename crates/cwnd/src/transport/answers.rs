// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a stack reads.

use core::time::Duration;

use super::Transport;
use super::clock::rate;
use crate::algorithm::Algorithm;
use crate::conn::{CaState, Conn, INFINITE_SSTHRESH};
use crate::hooks::Info;

/// Smallest part of a timeout that stands for the variation of the round trip time: `kGranularity`. // RFC 9002 §6.1.2
const GRANULARITY_US: u32 = 1000;

impl<A: Algorithm> Transport<A> {
    /// Congestion window, bytes: at least one datagram.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
    /// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
    /// assert_eq!(cc.window(), 10 * 1200);
    /// ```
    #[inline]
    #[must_use]
    pub const fn window(&self) -> u64 {
        let conn = &self.driver.conn;
        let segments = if conn.cwnd == 0 { 1 } else { conn.cwnd };
        segments as u64 * conn.mss as u64 + self.window_spare as u64
    }

    /// Bytes in flight: sent, and neither acknowledged nor lost nor discarded.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
    /// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
    /// cc.on_sent(begin, 1000);
    /// cc.on_sent(begin, 1200);
    /// assert_eq!(cc.in_flight(), 2200);
    /// ```
    #[inline]
    #[must_use]
    pub const fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// Whether a packet of `bytes` bytes fits into the window (RFC 9002 §7). Probes may be sent all the same (§7.5).
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
    /// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
    /// while cc.may_send(1200) {
    ///     cc.on_sent(begin, 1200);
    /// }
    /// assert_eq!(cc.in_flight(), cc.window());
    /// ```
    #[inline]
    #[must_use]
    pub const fn may_send(&self, bytes: u64) -> bool {
        self.in_flight.saturating_add(bytes) <= self.window()
    }

    /// Slow start threshold, bytes: at least two datagrams, as the window is. `None` before anything has set it.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
    /// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
    /// assert_eq!(cc.ssthresh(), None);
    /// let packets: Vec<_> = (0..10).map(|_| Lost::new(cc.on_sent(begin, 1200), 1200)).collect();
    /// cc.on_lost(rtt, &packets[..1], false);
    /// assert_eq!(cc.ssthresh(), Some(6_000)); // half of what was in flight
    /// ```
    #[must_use]
    pub const fn ssthresh(&self) -> Option<u64> {
        let conn = &self.driver.conn;
        match conn.ssthresh {
            INFINITE_SSTHRESH => None,
            segments => {
                let (bytes, two) = (segments as u64 * conn.mss as u64, 2 * self.mtu as u64);
                Some(if bytes < two { two } else { bytes })
            }
        }
    }

    /// Rate at which to send, bytes per second: the algorithm's own, or N windows per smoothed round trip (RFC 9002 §7.7). `None`: packets
    /// are not paced.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
    /// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
    /// let sent = cc.on_sent(begin, 1200);
    /// cc.on_burst_end(begin, Limit::Application);
    /// cc.on_acked(rtt, &[Acked::new(sent, 1200)], None);
    /// assert_eq!(cc.pacing_rate(), Some(480_000)); // twice 12 000 bytes in 50 ms
    /// ```
    #[must_use]
    pub fn pacing_rate(&self) -> Option<u64> {
        let conn = &self.driver.conn;
        if conn.pacing_rate != u64::MAX {
            return Some(conn.pacing_rate.max(1));
        }
        if !self.config.paced {
            return None;
        }
        let doubles = conn.in_slow_start() && !matches!(conn.ca_state, CaState::Recovery | CaState::Cwr);
        let percent =
            if doubles { self.config.slow_start_pacing_percent } else { self.config.pacing_percent };
        // Two words at most: 2⁴⁸ bytes of window, and 2³² per cent saturate.
        let window = self.window().saturating_mul(percent.into()) / 100;
        Some(rate(window, self.srtt_us().unwrap_or(self.config.initial_rtt_us).into()).max(1))
    }

    /// Most bytes to send back to back: the initial window (RFC 9002 §7.7).
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
    /// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
    /// assert_eq!(cc.burst(), 12_000);
    /// ```
    #[must_use]
    pub const fn burst(&self) -> u64 {
        self.config.initial_window_of(self.mtu)
    }

    /// Whether one packet may leave though it does not fit into the window: a loss began a recovery, and nothing was sent since (RFC 9002
    /// §7.3.2). It speeds up the repair of what was lost.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
    /// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
    /// let packets: Vec<_> = (0..10).map(|_| Lost::new(cc.on_sent(begin, 1200), 1200)).collect();
    /// cc.on_lost(rtt, &packets[..1], false);
    /// assert!(!cc.may_send(1200) && cc.allows_fast_retransmission()); // 9 of 5 are out
    /// cc.on_sent(rtt, 1200);
    /// assert!(!cc.allows_fast_retransmission()); // one packet
    /// ```
    #[must_use]
    pub const fn allows_fast_retransmission(&self) -> bool {
        self.fast_retransmission
    }

    /// Smoothed round trip time; `None` before the first sample.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
    /// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
    /// let sent = cc.on_sent(begin, 1200);
    /// cc.on_acked(rtt, &[Acked::new(sent, 1200)], None);
    /// assert_eq!((cc.smoothed_rtt(), cc.min_rtt()), (Some(rtt), Some(rtt)));
    /// ```
    #[inline]
    #[must_use]
    pub const fn smoothed_rtt(&self) -> Option<Duration> {
        measured(self.driver.conn.srtt_us8 / 8)
    }

    /// Smallest round trip time on this path; `None` before the first sample.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// let cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), Duration::ZERO);
    /// assert_eq!(cc.min_rtt(), None);
    /// ```
    #[inline]
    #[must_use]
    pub const fn min_rtt(&self) -> Option<Duration> {
        measured(self.driver.conn.min_rtt_us)
    }

    /// The algorithm in charge.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
    /// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
    /// assert_eq!(cc.algorithm(), &Configured::registered());
    /// ```
    #[must_use]
    pub const fn algorithm(&self) -> &A {
        &self.driver.cc
    }

    /// The connection as the algorithm sees it, in segments.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
    /// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
    /// assert_eq!((cc.conn().cwnd, cc.conn().mss), (10, 1200));
    /// ```
    #[must_use]
    pub const fn conn(&self) -> &Conn {
        &self.driver.conn
    }

    /// The algorithm's inner variables.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
    /// use cwnd::algorithms::cubic::Cubic;
    ///
    /// let cc = Transport::new(Configured::<Cubic>::registered(), &Config::new(), begin);
    /// assert!(cc.info().named().any(|(name, value)| (name, value) == ("w_max", 0)));
    /// ```
    #[must_use]
    pub fn info(&self) -> Info {
        self.driver.cc.info(&self.driver.conn)
    }

    /// Smoothed round trip time, µs.
    fn srtt_us(&self) -> Option<u32> {
        Some(self.driver.conn.srtt_us8 / 8).filter(|us| *us > 0)
    }

    /// The probe timeout (RFC 9002 §6.2.1), µs: after so long without a packet the window restarts.
    pub(super) fn rto_us(&self) -> u64 {
        // RFC 9002 §6.2.2: twice the initial round trip, of which half is the variation.
        let initial_us = self.config.initial_rtt_us;
        let (srtt_us, var_us4) = match self.srtt_us() {
            Some(us) => (us, self.driver.rttvar_us4()),
            None => (initial_us, initial_us.saturating_mul(2)),
        };
        u64::from(srtt_us) + u64::from(var_us4.max(GRANULARITY_US)) + u64::from(self.config.max_ack_delay_us)
    }
}

/// A time in µs, 0 before the first sample.
const fn measured(us: u32) -> Option<Duration> {
    if us == 0 { None } else { Some(Duration::from_micros(us as u64)) }
}
