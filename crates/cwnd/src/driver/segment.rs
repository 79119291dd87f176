// SPDX-License-Identifier: MIT OR Apache-2.0
//! Another size of segments, another path, another algorithm.

use super::flight::{LargestFlight, Rounds};
use super::prr::Prr;
use super::rtt::Variation;
use super::undo::Undo;
use super::{DEFAULT_TICK_HZ, Driver, NEVER};
use crate::algorithm::Algorithm;
use crate::conn::{Conn, INFINITE_SSTHRESH};
use crate::rescale::{Rescale, clamped};

impl<A: Algorithm> Driver<A> {
    /// Segments have `mss` bytes from now on: path MTU discovery found another size. `window`, `ssthresh` and what is in flight keep their
    /// bytes, as in Linux after a probe of the MTU (`tcp_mtup_probe_success`), which leaves at least two segments here. `spare` are bytes
    /// that the transport's window has beyond `conn.cwnd` segments, less than one; returns those that it has now.
    ///
    /// What an algorithm has learnt is in segments, too, and becomes counts of the new ones ([`CongestionControl::rescale`]); in Linux it stays
    /// as it is, so that CUBIC's W_max would be a plateau of seven times the bytes after a step from 1200 to 9000. An algorithm without that
    /// function begins anew at the present window, as at [`Driver::switch`], once there has been a reduction. A reduction before this call
    /// is not undone after it.
    ///
    /// Growth is in the new segments from then on. [`Transport::on_mtu`](crate::transport::Transport::on_mtu) therefore calls this in
    /// congestion avoidance only when the next reduction begins, so that the curve goes on in bytes as it was.
    ///
    /// [`CongestionControl::rescale`]: crate::CongestionControl::rescale
    ///
    /// `initial_cwnd` is the window of an idle restart in the new segments.
    ///
    /// ```
    /// # use cwnd::{CaState, Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// # let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::QUIC);
    ///
    /// let spare = driver.on_mss(50_000, 9000, 0, 10); // 12 000 bytes
    /// assert_eq!((driver.conn.cwnd, spare), (2, 0)); // two segments at least
    /// let spare = driver.on_mss(50_000, 1400, spare, 10); // 18 000 bytes = 12 × 1400 + 1200
    /// assert_eq!((driver.conn.cwnd, spare), (12, 1200));
    /// ```
    pub fn on_mss(&mut self, now_us: u64, mss: u32, spare: u32, initial_cwnd: u32) -> u32 {
        self.conn.set_now(now_us);
        let scale = Rescale::new(self.conn.mss, mss);
        self.initial_cwnd = initial_cwnd.max(1);
        if scale.is_same() {
            return spare;
        }
        let conn = &mut self.conn;
        let window = scale.bytes(conn.cwnd).saturating_add(spare.into());
        let ssthresh = match conn.ssthresh {
            INFINITE_SSTHRESH => INFINITE_SSTHRESH,
            finite => scale.down(finite).clamp(2, INFINITE_SSTHRESH - 1),
        };
        conn.mss = mss.max(1);
        conn.prior_cwnd = scale.down(conn.prior_cwnd);
        conn.max_packets_out = scale.up(conn.max_packets_out);
        conn.packets_out = scale.up(conn.packets_out);
        conn.in_flight = scale.up(conn.in_flight);
        conn.cwnd_cnt = 0;
        let (cwnd, spare) = match clamped(window / scale.now()) {
            cwnd @ 2..=u32::MAX => (cwnd.min(conn.cwnd_clamp), (window % scale.now()) as u32),
            _ => (2, 0),
        };
        conn.cwnd = cwnd;
        conn.ssthresh = ssthresh;
        self.largest.rescale(scale);
        self.prr.rescale(scale);
        self.prr.target = self.prr.target.max(self.options.loss_window.into()); // RFC 9002 §7.2
        self.undo.close();
        if !self.cc.rescale(scale) && ssthresh != INFINITE_SSTHRESH {
            self.cc.release(&mut self.conn);
            self.cc.init(&mut self.conn);
            // The start of some algorithms sets a window. This is none.
            (self.conn.cwnd, self.conn.ssthresh) = (cwnd, ssthresh);
        }
        spare
    }

    /// Window of an idle restart, segments.
    pub(crate) fn set_initial_cwnd(&mut self, segments: u32) {
        self.initial_cwnd = segments.max(1);
    }

    /// Starts the same algorithm with the same settings on `conn`: another path, of which nothing is known. // RFC 9000 §9.4
    ///
    /// ```
    /// # use cwnd::{CaState, Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// # let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::QUIC);
    ///
    /// driver.on_loss(50_000, 0, 10);
    /// driver.restart(Conn::new(1200, 10));
    /// assert_eq!((driver.conn.cwnd, driver.recovery_end()), (10, 0));
    /// assert_eq!(driver.conn.ssthresh, cwnd::INFINITE_SSTHRESH);
    /// ```
    pub fn restart(&mut self, mut conn: Conn) {
        self.cc.release(&mut self.conn);
        if conn.tick_hz == 0 {
            conn.tick_hz = DEFAULT_TICK_HZ;
        }
        self.initial_cwnd = conn.cwnd;
        self.prr = Prr::default();
        self.recovery_end = 0;
        self.undo = Undo::default();
        self.rounds = Rounds::new(conn.now_us);
        self.variation = Variation::default();
        self.largest = LargestFlight::default();
        self.last_sent_us = NEVER;
        self.usage_end_seq = conn.snd_nxt;
        self.conn = conn;
        self.cc.init(&mut self.conn);
    }

    /// Puts another algorithm in charge of the running connection.
    ///
    /// ```
    /// # use cwnd::{CaState, Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// # let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::QUIC);
    ///
    /// driver.on_loss(50_000, 0, 10);
    /// driver.switch(Configured::<Reno>::registered());
    /// assert_eq!(driver.conn.cwnd, 5); // the connection's variables stay
    /// ```
    pub fn switch(&mut self, cc: A) {
        self.cc.release(&mut self.conn);
        self.cc = cc;
        self.conn.cwnd_cnt = 0;
        self.undo.close();
        self.cc.init(&mut self.conn);
    }
}
