// SPDX-License-Identifier: MIT OR Apache-2.0
//! A reduction of the window from its beginning to its end, at once or proportionally.

use super::prr::Prr;
use super::{Driver, Flight, Reduction};
use crate::conn::{CaEvent, CaState};

impl Driver {
    /// A recovery epoch begins: ends the one before, and keeps what an undo has to give back.
    pub(super) fn open_epoch(&mut self) {
        if self.in_recovery_epoch() {
            self.end_epoch();
        }
        self.conn.prior_cwnd = self.conn.cwnd;
        self.undo.open(self.conn.ssthresh, self.recovery_end);
    }

    /// The epoch's data has been repaired.
    pub(super) fn end_epoch(&mut self) {
        if matches!(self.conn.ca_state, CaState::Recovery | CaState::Cwr) {
            self.finish_reduction();
            self.cc.cwnd_event(&mut self.conn, CaEvent::CompleteCwr);
        }
        self.enter(CaState::Open);
    }

    /// The window is where the reduction leads: what a proportional one lets go at the moment is no window.
    pub(super) fn finish_reduction(&mut self) {
        if matches!(self.conn.ca_state, CaState::Recovery | CaState::Cwr)
            && self.options.reduction == Reduction::Proportional
            && !self.cc.has_cong_control()
        {
            self.conn.cwnd = self.prr.target;
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

    /// What was out when the lost data was, segments. // RFC 5681 §3.1, RFC 9438 §4.6
    pub(super) fn flight(&self) -> u32 {
        match self.options.flight {
            Flight::Outstanding => self.conn.packets_out,
            Flight::Pipe => self.conn.packets_out.max(self.largest.largest()),
        }
    }

    /// Brings the window towards `target`, by the chosen way.
    pub(super) fn start_reduction(&mut self, target: u32) {
        if self.cc.has_cong_control() {
            return;
        }
        match self.options.reduction {
            Reduction::Immediate => self.conn.cwnd = target,
            Reduction::Proportional => {
                self.prr = Prr::start(self.flight(), target);
                self.prr.hold(&mut self.conn);
            }
        }
    }

    /// No acknowledgement came with what was found: the proportional reduction allows nothing more for it.
    pub(super) fn hold(&mut self) {
        if self.options.reduction == Reduction::Proportional && !self.cc.has_cong_control() {
            self.prr.hold(&mut self.conn);
        }
    }
}
