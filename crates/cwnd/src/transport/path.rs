// SPDX-License-Identifier: MIT OR Apache-2.0
//! Another size of datagrams, and another path.

use core::time::Duration;

use super::delivery::Delivery;
use super::losses::Losses;
use super::metrics::EpochCounts;
use super::{Config, Transport, conn};
use crate::algorithm::Algorithm;
use crate::conn::INFINITE_SSTHRESH;

impl<A: Algorithm> Transport<A> {
    /// As [`Transport::new`], for a stack whose constructors know no time: the first fact that has one sets the clock.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// let mut cc = Transport::without_time(Configured::<Reno>::registered(), &Config::new());
    /// let boot = Duration::from_secs(1_000_000); // a clock that began long ago
    /// let sent = cc.on_sent(boot, 1200);
    /// cc.on_acked(boot + Duration::from_millis(50), &[Acked::new(sent, 1200)], None);
    /// assert_eq!(cc.smoothed_rtt(), Some(Duration::from_millis(50)));
    /// ```
    #[must_use]
    pub fn without_time(algorithm: A, config: &Config) -> Self {
        Self { begun: false, ..Self::new(algorithm, config, Duration::ZERO) }
    }

    /// The first fact came at this time: the connection begins.
    #[cold]
    pub(super) fn begin(&mut self, now_us: u64) {
        self.begun = true;
        let mtu = self.mtu;
        let (conn, window_spare) = conn(&self.config.mtu(mtu), now_us);
        self.driver.restart(conn);
        self.window_spare = window_spare;
        self.delivery = Delivery::new(0, now_us);
    }

    /// The largest datagram has `bytes` bytes of payload from now on: path MTU discovery found another size, or a black hole (RFC 9000 §14.3).
    /// 0 counts as 1. It has no time of its own: the clock stands.
    ///
    /// Before anything is sent and acknowledged the window is the initial one of the new size (RFC 9002 §7.2: a smaller size in the handshake
    /// lowers it; a larger one does not raise it). Later window and `ssthresh` keep their bytes, but are at least two datagrams (§7.2).
    ///
    /// In the first slow start, and where the window is less than two of the new datagrams, the algorithm counts in these at once; a curve of
    /// CUBIC's then begins anew at that window. In congestion avoidance it goes on in the old ones, so that
    /// the window follows the same curve in bytes, to the next reduction; with that its state becomes counts of the new ones
    /// ([`CongestionControl::rescale`](crate::CongestionControl::rescale)). Until then a window grows by the old size where RFC 9002 §7.3.3
    /// says the new one.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
    /// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
    /// cc.on_mtu(1400);
    /// assert_eq!((cc.window(), cc.mtu()), (12_000, 1400)); // in bytes, what it was
    /// ```
    pub fn on_mtu(&mut self, bytes: u16) {
        self.mtu = bytes.max(1);
        let first_slow_start = self.driver.conn.ssthresh == INFINITE_SSTHRESH;
        let two = 2 * u64::from(self.mtu);
        if first_slow_start || self.window() < two {
            self.resize();
        }
        let initial = self.config.initial_window_of(self.mtu);
        let mss = u64::from(self.driver.conn.mss);
        // RFC 9002 §7.2: should the size decrease before the handshake is over, the initial window follows.
        if self.acked_end == 0 && first_slow_start && initial < self.window() {
            self.driver.conn.cwnd = u32::try_from(initial / mss).unwrap_or(u32::MAX);
            self.window_spare = (initial % mss) as u32;
        }
        self.driver.set_initial_cwnd(u32::try_from(initial / mss).unwrap_or(u32::MAX));
    }

    /// Payload of the largest datagram, bytes: what [`Transport::on_mtu`] said last, or the configuration.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
    /// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
    /// assert_eq!(cc.mtu(), 1200);
    /// ```
    #[must_use]
    pub const fn mtu(&self) -> u16 {
        self.mtu
    }

    /// Whether segments are of another size than datagrams.
    #[inline]
    pub(super) fn resizes(&self) -> bool {
        self.driver.conn.mss != u32::from(self.mtu)
    }

    /// A window below two datagrams is counted in them. // RFC 9002 §7.2
    #[inline]
    pub(super) fn keep_two_datagrams(&mut self) {
        if self.resizes() && self.window() < 2 * u64::from(self.mtu) {
            self.resize();
        }
    }

    /// Segments become as large as datagrams are.
    pub(super) fn resize(&mut self) {
        if !self.resizes() {
            return;
        }
        let (now_us, mtu) = (self.driver.conn.now_us, self.mtu);
        let initial = self.config.initial_window_of(mtu) / u64::from(mtu);
        let initial = u32::try_from(initial).unwrap_or(u32::MAX);
        self.window_spare = self.driver.on_mss(now_us, mtu.into(), self.window_spare, initial);
        self.show_flight();
    }

    /// The connection moves to another path: round trip times, window and algorithm begin anew, with the same settings, and nothing is
    /// in flight there. What is acknowledged, lost or proven spurious of packets sent before counts for nothing. Datagrams have the
    /// configured size again until [`Transport::on_mtu`] says otherwise. Not to be called where only the peer's port changed.
    // RFC 9000 §9.4
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
    /// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
    /// cc.on_sent(begin, 1200);
    /// cc.on_path_change(rtt);
    /// assert_eq!((cc.window(), cc.in_flight()), (12_000, 0));
    /// ```
    pub fn on_path_change(&mut self, now: Duration) {
        let now_us = self.advance(now);
        let (conn, window_spare) = conn(&self.config, now_us);
        self.driver.restart(conn);
        self.path = self.path.wrapping_add(1);
        self.mtu = self.config.mtu;
        self.window_spare = window_spare;
        self.in_flight = 0;
        self.acked_end = 0;
        self.acked_spare = 0;
        self.sent_spare = 0;
        self.new_loss = false;
        self.fast_retransmission = false;
        self.latest_rtt_us = 0;
        self.delivery = Delivery::new(0, now_us);
        self.jump = None;
        self.losses = Losses::default();
        self.epochs = EpochCounts::default();
    }
}
