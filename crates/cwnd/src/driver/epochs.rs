// SPDX-License-Identifier: MIT OR Apache-2.0
//! What begins a recovery epoch: a loss, an ECN echo, a timeout; and what takes it back.

use super::{Driver, EcnOutcome, RecoveryEpoch};
use crate::algorithm::Algorithm;
use crate::conn::CaState;

impl<A: Algorithm> Driver<A> {
    /// The packet at `lost` was found lost; `next` is the position that the next new packet will have. Returns the epoch's name if
    /// this began one: one reduction per window of data (RFC 9438 §4.6, RFC 9002 §7.3.2).
    ///
    /// ```
    /// # use cwnd::{CaState, Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// # let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::QUIC);
    ///
    /// assert!(driver.on_loss(50_000, 0, 10).is_some());
    /// assert_eq!((driver.conn.cwnd, driver.conn.ssthresh), (5, 5)); // half of 10
    /// assert!(driver.on_loss(50_000, 1, 10).is_none()); // of the same window
    /// ```
    pub fn on_loss(&mut self, now_us: u64, lost: u64, next: u64) -> Option<RecoveryEpoch> {
        self.conn.set_now(now_us);
        if lost < self.recovery_end {
            if matches!(self.conn.ca_state, CaState::Recovery | CaState::Cwr) {
                self.hold();
            }
            return None;
        }
        self.open_epoch();
        self.reduce(next, self.flight());
        self.enter(CaState::Recovery);
        self.start_reduction(self.cc.min_cwnd(&self.conn)); // R9438-4.6-a
        Some(self.undo.by_loss())
    }

    /// An ECN echo for the packet at `marked` arrived. What it asks for is never undone, nor is an epoch that it came in: it says
    /// that there was congestion. // RFC 9438 §4.6, RFC 3168 §6.1.2
    ///
    /// ```
    /// # use cwnd::{CaState, Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// # let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::QUIC);
    ///
    /// assert_eq!(driver.on_ecn(50_000, 0, 10), EcnOutcome::Reduced);
    /// assert_eq!(driver.on_ecn(50_000, 1, 10), EcnOutcome::Ignored); // of the same window
    /// assert_eq!((driver.conn.cwnd, driver.conn.ca_state), (5, CaState::Cwr));
    /// ```
    pub fn on_ecn(&mut self, now_us: u64, marked: u64, next: u64) -> EcnOutcome {
        self.conn.set_now(now_us);
        if marked < self.recovery_end {
            self.undo.close();
            return EcnOutcome::Ignored;
        }
        self.open_epoch();
        self.undo.close();
        let cwnd = self.conn.cwnd;
        let flight = self.flight();
        // What was marked has just left the flight. Linux reduces from what is left of it.
        let flight = if self.options.tells_as_linux { flight } else { flight.max(self.conn.max_packets_out) };
        self.reduce(next, flight);
        // Linux has a rule of its own for it: `holds_cwr`.
        self.undo.echoed = !self.options.tells_as_linux;
        self.enter(CaState::Cwr);
        // R9438-4.6-e: keep reducing down to one segment, though ssthresh stays at two; RFC 9002 §7.2: to two in QUIC. Linux's window ends
        // at ssthresh.
        let floor = u32::from(self.options.loss_window);
        let most =
            if self.options.tells_as_linux { u32::MAX } else { cwnd.saturating_sub(1).max(floor.min(cwnd)) };
        self.start_reduction(self.conn.ssthresh.min(most));
        // R9438-4.6-f
        if cwnd <= floor { EcnOutcome::AtFloor } else { EcnOutcome::Reduced }
    }

    /// The retransmission timer fired (TCP), or congestion persisted (QUIC). Further timeouts for the same data leave
    /// `ssthresh` where it is (RFC 5681 §3.1); within fast recovery, see [`Options::timeout_reduces_again`](super::Options::timeout_reduces_again).
    ///
    /// A timeout within an epoch is a part of it, with a name of its own: an undo takes the proof of both.
    ///
    /// ```
    /// # use cwnd::{CaState, Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// # let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::QUIC);
    ///
    /// driver.on_timeout(1_000_000, 9, 10);
    /// assert_eq!((driver.conn.cwnd, driver.conn.ssthresh), (2, 5)); // QUIC's loss window, half of 10
    /// ```
    pub fn on_timeout(&mut self, now_us: u64, lost: u64, next: u64) -> RecoveryEpoch {
        self.conn.set_now(now_us);
        let begins = lost >= self.recovery_end;
        if begins {
            self.open_epoch();
        }
        let again = self.options.timeout_reduces_again && self.conn.ca_state != CaState::Loss;
        if begins || again {
            self.finish_reduction();
            self.reduce_by_timeout(next);
        }
        self.collapse(next);
        if begins { self.undo.by_timeout() } else { self.undo.join_timeout() }
    }

    /// Ends the epoch early, at an acknowledgement of everything before `position`; recoveries that last only to the first new
    /// acknowledgement need this. Later losses are another epoch's, of data too that was out when this one began.
    ///
    /// ```
    /// # use cwnd::{CaState, Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// # let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::QUIC);
    ///
    /// driver.on_loss(50_000, 0, 10);
    /// driver.leave_recovery(4); // Reno's: at the first new acknowledgement
    /// assert_eq!((driver.conn.ca_state, driver.recovery_end()), (CaState::Open, 4));
    /// ```
    pub fn leave_recovery(&mut self, position: u64) {
        self.end_epoch();
        self.recovery_end = self.recovery_end.min(position);
    }

    /// The losses, or the timeout, that began `epoch` were none: takes the reduction back, once. Nothing happens where another
    /// reduction came after it, where an ECN echo came in it, and where not all of it is proven so. // RFC 9438 §4.9
    ///
    /// ```
    /// # use cwnd::{CaState, Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// # let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::QUIC);
    ///
    /// let epoch = driver.on_loss(50_000, 0, 10).unwrap();
    /// assert!(driver.on_spurious(60_000, epoch)); // packet 0 came late
    /// assert_eq!(driver.conn.cwnd, 10);
    /// assert!(!driver.on_spurious(60_000, epoch)); // once
    /// ```
    pub fn on_spurious(&mut self, now_us: u64, epoch: RecoveryEpoch) -> bool {
        self.on_spurious_into(now_us, epoch, CaState::Open)
    }

    /// As [`Driver::on_spurious`], with [`CaState::Disorder`] after it where something is still missing, as in Linux.
    ///
    /// ```
    /// # use cwnd::{CaState, Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// # let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::QUIC);
    ///
    /// let epoch = driver.on_loss(50_000, 0, 10).unwrap();
    /// assert!(driver.on_spurious_into(60_000, epoch, CaState::Disorder));
    /// assert_eq!((driver.conn.ca_state, driver.conn.cwnd), (CaState::Disorder, 10));
    /// ```
    pub fn on_spurious_into(&mut self, now_us: u64, epoch: RecoveryEpoch, state: CaState) -> bool {
        self.conn.set_now(now_us);
        if !self.undo.prove(epoch) {
            return false;
        }
        let restored = self.cc.undo_cwnd(&mut self.conn);
        self.conn.cwnd = self.conn.cwnd.max(restored).min(self.conn.cwnd_clamp);
        self.conn.ssthresh = self.conn.ssthresh.max(self.undo.ssthresh);
        // A later loss of this data is judged anew; one of the epoch before has had its reduction.
        self.recovery_end = self.undo.recovery_end;
        if self.conn.ca_state != state || !self.options.tells_as_linux {
            self.enter(state);
        }
        true
    }
}
