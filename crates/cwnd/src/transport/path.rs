// SPDX-License-Identifier: MIT OR Apache-2.0
//! Another size of datagrams, and another path.

use core::time::Duration;

use super::delivery::Delivery;
use super::losses::Losses;
use super::metrics::EpochCounts;
use super::{Transport, conn};
use crate::algorithm::Algorithm;

impl<A: Algorithm> Transport<A> {
    /// The largest datagram has `bytes` bytes of payload from now on: path MTU discovery found another size (RFC 9000 §14.3). The window and
    /// `ssthresh` keep their bytes, but are at least two datagrams (RFC 9002 §7.2). What the algorithm has learnt of windows, in datagrams
    /// of the old size, is forgotten: see [`Driver::on_mss`](crate::driver::Driver::on_mss). 0 counts as 1.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
    /// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
    /// cc.on_mtu(begin, 1400);
    /// assert_eq!(cc.window(), 12_000); // in bytes, what it was
    /// ```
    pub fn on_mtu(&mut self, now: Duration, bytes: u16) {
        let now_us = self.advance(now);
        let mtu = bytes.max(1);
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
        self.window_spare = window_spare;
        self.in_flight = 0;
        self.acked_end = 0;
        self.acked_spare = 0;
        self.sent_spare = 0;
        self.new_loss = false;
        self.latest_rtt_us = 0;
        self.delivery = Delivery::new(0, now_us);
        self.jump = None;
        self.losses = Losses::default();
        self.epochs = EpochCounts::default();
    }
}
