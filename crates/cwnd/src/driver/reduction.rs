// SPDX-License-Identifier: MIT OR Apache-2.0
//! A reduction of the window from its beginning to its end, at once or proportionally.

use super::prr::Prr;
use super::{Ack, Driver, Flight, RecoveryEpoch, Reduction};
use crate::algorithm::Algorithm;
use crate::conn::{CaState, Conn, INFINITE_SSTHRESH};
use crate::hook_argument_types::CaEvent;

impl<A: Algorithm> Driver<A> {
    /// A recovery epoch begins: ends the one before, and keeps what an undo has to give back.
    pub(super) fn open_epoch(&mut self) {
        if self.in_recovery_epoch() {
            self.end_epoch();
        }
        self.conn.prior_cwnd = self.conn.cwnd;
        self.undo.open(self.threshold_to_restore(), self.recovery_end);
    }

    /// The threshold that an undo or a restart gives back. In Linux it leads slow start to three quarters of the window at least, unless a
    /// reduction goes on. // Linux: tcp_current_ssthresh
    pub(super) fn threshold_to_restore(&self) -> u32 {
        let Conn { cwnd, ssthresh, ca_state, .. } = self.conn;
        if self.options.tells_as_linux && !matches!(ca_state, CaState::Cwr | CaState::Recovery) {
            ssthresh.max((cwnd >> 1) + (cwnd >> 2))
        } else {
            ssthresh
        }
    }

    /// A reduction is over. Linux does not say so to an algorithm with `cong_control`. // Linux: tcp_end_cwnd_reduction
    fn tell_complete_cwr(&mut self) {
        if !(self.options.tells_as_linux && self.cc.has_cong_control()) {
            self.cc.cwnd_event(&mut self.conn, CaEvent::CompleteCwr);
        }
    }

    /// The epoch's data has been repaired.
    pub(super) fn end_epoch(&mut self) {
        let state = self.conn.ca_state;
        // Linux: tcp_try_undo_recovery opens, then tcp_end_cwnd_reduction; at the end of CWR it is the other way round.
        let opens_first = self.options.tells_as_linux && state == CaState::Recovery;
        if matches!(state, CaState::Recovery | CaState::Cwr) {
            self.finish_reduction();
            if opens_first {
                self.enter(CaState::Open);
            }
            self.tell_complete_cwr();
        }
        if !opens_first {
            self.enter(CaState::Open);
        }
    }

    /// Whether a proportional reduction goes on: the window is what it lets go at the moment.
    #[inline]
    pub(crate) fn reduces_step_by_step(&self) -> bool {
        matches!(self.conn.ca_state, CaState::Recovery | CaState::Cwr)
            && self.options.reduction == Reduction::Proportional
            && !self.cc.has_cong_control()
    }

    /// The window is where the reduction leads: what a proportional one lets go at the moment is no window.
    pub(super) fn finish_reduction(&mut self) {
        // An algorithm with `cong_control` may have set no threshold. // Linux: tcp_end_cwnd_reduction
        let target = if self.options.tells_as_linux { self.conn.ssthresh } else { self.prr.target };
        if self.reduces_step_by_step() && target < INFINITE_SSTHRESH {
            self.conn.cwnd = target;
        }
    }

    /// Asks the algorithm for the new threshold after `flight` segments; the epoch lasts until `next`.
    pub(super) fn reduce(&mut self, next: u64, flight: u32) {
        let packets_out = self.conn.packets_out;
        self.conn.packets_out = flight;
        self.conn.ssthresh = self.cc.ssthresh(&mut self.conn);
        self.conn.packets_out = packets_out;
        self.conn.cwnd_cnt = 0;
        self.recovery_end = next;
    }

    /// Linux stays in CWR until data sent since is acknowledged: the first of it has the CWR flag, which ends the echoes.
    pub(super) fn holds_cwr(&self, position: u64) -> bool {
        let in_cwr = self.conn.ca_state == CaState::Cwr;
        self.options.tells_as_linux && in_cwr && position == self.recovery_end
    }

    /// What was out when the lost data was, segments. // RFC 5681 §3.1, RFC 9438 §4.6
    pub(super) fn flight(&self) -> u32 {
        match self.options.flight {
            Flight::Outstanding => self.conn.packets_out,
            Flight::Pipe => self.conn.packets_out.max(self.largest.largest()),
        }
    }

    /// Brings the window towards `target`, by the chosen way.
    pub(super) fn start_reduction(&mut self, target: u32) {
        // Linux: tp->prior_cwnd
        let before = if self.options.tells_as_linux { self.conn.cwnd } else { self.flight() };
        // It counts for an algorithm with `cong_control`, too: another may take its place before the reduction ends.
        self.prr = Prr::start(before, target);
        if self.cc.has_cong_control() {
            return;
        }
        match self.options.reduction {
            Reduction::Immediate => self.conn.cwnd = target,
            Reduction::Proportional => self.prr.hold(&mut self.conn),
        }
    }

    /// The window is `most` segments at most, now and when the reduction that has begun ends.
    pub(crate) fn limit_reduction(&mut self, most: u32) {
        self.conn.cwnd = self.conn.cwnd.min(most);
        self.prr.target = self.prr.target.min(most);
    }

    /// The threshold goes down because the retransmission timer fired.
    pub(super) fn reduce_by_timeout(&mut self, next: u64) {
        self.reduce(next, self.flight());
        self.cc.cwnd_event(&mut self.conn, CaEvent::Loss);
    }

    /// The window after a timeout; the epoch lasts until `next`.
    pub(super) fn collapse(&mut self, next: u64) {
        self.recovery_end = next;
        let kept = if self.options.timeout_keeps_flight { self.conn.in_flight } else { 0 };
        let loss_window = kept.saturating_add(self.options.loss_window.into());
        // A proportional reduction may have held the window below QUIC's minimum. // RFC 9002 §7.6.2
        let window = if self.options.timeout_keeps_flight { self.conn.cwnd } else { loss_window };
        self.conn.cwnd = window.min(loss_window);
        self.conn.cwnd_cnt = 0;
        self.enter(CaState::Loss);
    }

    /// No acknowledgement came with what was found: the proportional reduction allows nothing more for it.
    pub(super) fn hold(&mut self) {
        if self.options.reduction == Reduction::Proportional && !self.cc.has_cong_control() {
            self.prr.hold(&mut self.conn);
        }
    }
}

/// Reductions for data that has had one: Linux's, for transports that find lost retransmissions or send probes.
impl<A: Algorithm> Driver<A> {
    /// In the repair after a timeout a retransmission was found lost: another epoch, and fast recovery. Linux's `tcp_enter_recovery`
    /// from [`CaState::Loss`].
    ///
    /// ```
    /// # use cwnd::{CaState, Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// # let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::TCP);
    ///
    /// driver.on_timeout(1_000_000, 0, 10); // ssthresh 5, window 1
    /// (driver.conn.cwnd, driver.conn.packets_out) = (6, 6);
    /// driver.on_lost_retransmission(1_100_000, 12);
    /// assert_eq!((driver.conn.ca_state, driver.conn.cwnd), (CaState::Recovery, 3)); // half of 6
    /// ```
    pub fn on_lost_retransmission(&mut self, now_us: u64, next: u64) -> RecoveryEpoch {
        self.conn.set_now(now_us);
        self.renew_epoch();
        self.reduce(next, self.flight());
        self.enter(CaState::Recovery);
        self.start_reduction(self.cc.min_cwnd(&self.conn));
        self.undo.by_loss()
    }

    /// A timer, and no acknowledgement, found the losses that have begun fast recovery: a proportional reduction counts one segment as
    /// delivered. // Linux: tcp_rack_reo_timeout
    ///
    /// ```
    /// # use cwnd::{CaState, Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// # let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::LINUX);
    ///
    /// driver.conn.in_flight = 8; // one has arrived, and the one before it is lost
    /// driver.on_loss(60_000, 0, 10);
    /// driver.on_recovery_by_timer();
    /// assert_eq!(driver.conn.cwnd, 9); // the fast retransmit
    /// driver.on_sent(60_000, 200_000);
    /// driver.conn.in_flight = 7;
    /// driver.on_ack(&Ack::new(61_000, 0, 0, 2)); // with the one, three of ten: two of five may have gone
    /// assert_eq!(driver.conn.cwnd, 8);
    /// ```
    pub fn on_recovery_by_timer(&mut self) {
        if self.options.reduction == Reduction::Proportional && !self.cc.has_cong_control() {
            let one = Ack::new(self.conn.now_us, 0, 0, 1).new_loss(true);
            self.prr.on_ack(&mut self.conn, &one, self.options.tells_as_linux);
        }
    }

    /// In the repair after a timeout the timer fired for a segment that it has not sent again before: another epoch.
    ///
    /// ```
    /// # use cwnd::{CaState, Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// # let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::TCP);
    ///
    /// driver.on_timeout(1_000_000, 0, 10); // ssthresh 5
    /// (driver.conn.cwnd, driver.conn.packets_out) = (6, 6);
    /// driver.on_further_timeout(2_000_000, 12);
    /// assert_eq!((driver.conn.cwnd, driver.conn.ssthresh), (1, 3)); // half of 6
    /// ```
    // RFC 5681 §3.1: ssthresh is held constant only for a segment that the timer has sent again already
    pub fn on_further_timeout(&mut self, now_us: u64, next: u64) -> RecoveryEpoch {
        self.conn.set_now(now_us);
        self.renew_epoch();
        self.reduce_by_timeout(next);
        self.collapse(next);
        self.undo.by_timeout()
    }

    /// A loss was found that a probe has repaired already: the window is reduced at once, nothing is to be repaired, and nothing can
    /// be undone. // RFC 8985 §7.4.2
    ///
    /// ```
    /// # use cwnd::{CaState, Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// # let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::TCP);
    ///
    /// driver.on_repaired_loss(60_000, 11);
    /// assert_eq!((driver.conn.cwnd, driver.conn.ca_state), (5, CaState::Open));
    /// ```
    pub fn on_repaired_loss(&mut self, now_us: u64, next: u64) {
        self.conn.set_now(now_us);
        self.open_epoch();
        self.undo.close();
        let end = self.recovery_end;
        // What was repaired has just left the flight.
        self.reduce(next, self.flight().max(self.conn.max_packets_out));
        self.recovery_end = end;
        self.enter(CaState::Cwr);
        if !self.cc.has_cong_control() {
            self.conn.cwnd = self.cc.min_cwnd(&self.conn);
        }
        self.tell_complete_cwr();
        self.enter(CaState::Open);
    }

    /// An ECN echo arrived that asks for nothing more: what was taken before it is not given back. [`Driver::on_ecn`] does this, too.
    ///
    /// ```
    /// # use cwnd::{CaState, Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// # let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::TCP);
    ///
    /// let epoch = driver.on_loss(50_000, 0, 10).unwrap();
    /// driver.prohibit_undo();
    /// assert!(!driver.on_spurious(60_000, epoch));
    /// ```
    pub const fn prohibit_undo(&mut self) {
        self.undo.close();
    }

    /// In the reduction that an ECN echo began, something was found lost: fast recovery, without another reduction, until the same data
    /// has arrived. Nothing can be undone. Linux's `tcp_enter_recovery` from [`CaState::Cwr`].
    ///
    /// ```
    /// # use cwnd::{CaState, Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// # let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::TCP);
    ///
    /// driver.on_ecn(50_000, 0, 10);
    /// driver.on_loss_after_echo(50_000);
    /// assert_eq!((driver.conn.ca_state, driver.conn.cwnd), (CaState::Recovery, 5)); // reduced once
    /// ```
    // RFC 3168 §6.1.2: once per window of data
    pub fn on_loss_after_echo(&mut self, now_us: u64) {
        self.conn.set_now(now_us);
        self.enter(CaState::Recovery);
        self.hold();
    }

    /// All data of a recovery has arrived, after its reduction was taken back: Linux's `tcp_end_cwnd_reduction` tells of its end all the same.
    ///
    /// ```
    /// # use cwnd::{CaState, Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// # let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::TCP);
    ///
    /// let epoch = driver.on_loss(50_000, 0, 10).unwrap();
    /// driver.on_spurious(60_000, epoch);
    /// driver.on_undone_reduction_over(); // the algorithm hears `CaEvent::CompleteCwr`
    /// assert_eq!(driver.conn.cwnd, 10);
    /// ```
    pub fn on_undone_reduction_over(&mut self) {
        self.tell_complete_cwr();
    }

    /// Another epoch begins in the repair after a timeout, without that one's end.
    fn renew_epoch(&mut self) {
        self.conn.prior_cwnd = self.conn.cwnd;
        self.undo.open(self.threshold_to_restore(), self.recovery_end);
    }
}
