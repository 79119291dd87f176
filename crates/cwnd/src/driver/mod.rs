// SPDX-License-Identifier: MIT OR Apache-2.0
//! What Linux's TCP does around a congestion module, for transports that lack it: enter and leave recovery, timeouts,
//! ECN, undo, proportional rate reduction, idle restart. The simulator's TCP and QUIC stacks use this one; in the
//! kernel, the kernel plays its role.
//!
//! The transport detects losses and keeps `conn.snd_una`, `snd_nxt`, `packets_out` and `in_flight`; it may send while
//! `in_flight < conn.cwnd`. Packets have *positions*, numbers that grow in the order of first transmission (TCP segment
//! numbers, QUIC packet numbers).

mod prr;
#[cfg(test)]
mod tests;

use crate::conn::{ACK_SLOW_PATH, ACK_WINDOW_UPDATE, AckSample, CaEvent, CaState, Conn};
use crate::registry::Controller;
use prr::Prr;

/// How the window goes down at the start of recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Reduction {
    /// At once to `ssthresh` (RFC 6675, RFC 9002).
    #[default]
    Immediate,
    /// Step by step as acknowledgements arrive (RFC 6937, RFC 9937).
    Proportional,
}

/// The driver's own settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How the window goes down.
    pub reduction: Reduction,
    /// Window after a timeout, segments: 1 in TCP (RFC 5681 §3.1), 2 in QUIC (RFC 9002 §7.2).
    pub loss_window: u32,
    /// Whether a timeout within fast recovery reduces `ssthresh` again: a MUST in TCP (RFC 5681 §3.1: the timer has not
    /// resent that segment yet); not so in Linux, nor for QUIC's persistent congestion (RFC 9002 §7.6.2).
    pub timeout_reduces_again: bool,
    /// Whether the window falls back to the initial one after an idle time of a timeout (RFC 5681 §4.1: SHOULD).
    pub idle_restart: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            reduction: Reduction::Immediate,
            loss_window: 1,
            timeout_reduces_again: true,
            idle_restart: true,
        }
    }
}

/// One acknowledgement, or one batch of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    /// When it arrived, µs.
    pub now_us: u64,
    /// TCP: everything before this position is acknowledged. QUIC: the largest acknowledged packet number.
    pub position: u64,
    /// Segments that left the sender's list with it; 0 for a duplicate acknowledgement.
    pub acked: u32,
    /// Segments that it newly says have arrived (cumulatively or selectively).
    pub delivered: u32,
    /// Round trip of the newest segment, µs, if valid.
    pub rtt_us: Option<u32>,
    /// Whether it made the transport declare further losses.
    pub new_loss: bool,
}

/// What an ECN echo led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcnOutcome {
    /// It belongs to a window that was already reduced.
    Ignored,
    /// The window was reduced.
    Reduced,
    /// The window is one segment and cannot shrink: the transport sends only when its retransmission timer, backed off
    /// exponentially, expires (RFC 9438 §4.6, RFC 3168 §6.1.2).
    AtFloor,
}

/// A connection's congestion control: its variables, its algorithm, and the state machine between them.
#[derive(Debug)]
pub struct Driver {
    /// The variables that the algorithm reads and writes.
    pub conn: Conn,
    /// The algorithm.
    pub cc: Controller,
    options: Options,
    prr: Prr,
    /// First position beyond the data that was out when the present or last episode began.
    recovery_end: u64,
    initial_cwnd: u32,
    prior_ssthresh: u32,
    /// Whether the present or last episode may still turn out spurious.
    undo_open: bool,
    last_sent_us: Option<u64>,
    /// `is_cwnd_limited` and `max_packets_out` are judged anew when this byte is acknowledged.
    usage_end_seq: u32,
}

impl Driver {
    /// Starts `cc` on `conn`.
    #[must_use]
    pub fn new(mut cc: Controller, mut conn: Conn, options: Options) -> Self {
        let initial_cwnd = conn.cwnd;
        cc.init(&mut conn);
        Self {
            conn,
            cc,
            options,
            prr: Prr::default(),
            recovery_end: 0,
            initial_cwnd,
            prior_ssthresh: 0,
            undo_open: false,
            last_sent_us: None,
            usage_end_seq: 0,
        }
    }

    /// First position beyond the present or last episode's data (RFC 6582's `recover` + 1).
    #[inline]
    #[must_use]
    pub const fn recovery_end(&self) -> u64 {
        self.recovery_end
    }

    /// Call before a transmission; `rto_us` is the present retransmission timeout.
    #[inline]
    pub fn on_sent(&mut self, now_us: u64, rto_us: u64) {
        self.conn.now_us = now_us;
        if self.conn.packets_out == 0 {
            if self.options.idle_restart
                && let Some(last) = self.last_sent_us
                && now_us.saturating_sub(last) > rto_us
                && self.conn.ca_state != CaState::Loss
            {
                // RFC 5681 §4.1: after an idle RTO restart from the initial window.
                self.conn.cwnd = self.conn.cwnd.min(self.initial_cwnd);
                self.cc.cwnd_event(&mut self.conn, CaEvent::CwndRestart);
            }
            self.cc.cwnd_event(&mut self.conn, CaEvent::TxStart);
        }
        self.last_sent_us = Some(now_us);
        self.conn.lsndtime_ticks = self.conn.ticks;
        self.prr.out = self.prr.out.saturating_add(1);
    }

    /// Call after a burst of transmissions; `limited` says that the window stopped it (Linux's `tcp_cwnd_validate`).
    #[inline]
    pub fn on_burst_end(&mut self, limited: bool) {
        let conn = &mut self.conn;
        let window_over = conn.snd_una.wrapping_sub(self.usage_end_seq) < 1 << 31;
        if window_over || limited || (!conn.is_cwnd_limited && conn.packets_out > conn.max_packets_out) {
            conn.is_cwnd_limited = limited;
            conn.max_packets_out = conn.packets_out;
            self.usage_end_seq = conn.snd_nxt;
        }
    }

    /// An acknowledgement arrived, and the transport has updated `conn` for it.
    #[inline]
    pub fn on_ack(&mut self, ack: &Ack) {
        let conn = &mut self.conn;
        conn.now_us = ack.now_us;
        conn.delivered += u64::from(ack.delivered);
        if ack.acked > 0 {
            let rtt_us = ack.rtt_us.map_or(-1, |rtt| rtt.min(i32::MAX as u32) as i32);
            let sample = AckSample { pkts_acked: ack.acked, rtt_us, in_flight: conn.in_flight };
            self.cc.pkts_acked(conn, &sample);
        }
        let slow = ack.acked == 0 || ack.delivered != ack.acked || conn.ca_state != CaState::Open;
        self.cc.in_ack_event(conn, if slow { ACK_SLOW_PATH } else { ACK_WINDOW_UPDATE });
        if self.in_episode() && ack.position >= self.recovery_end {
            self.leave_recovery();
        }
        if self.cc.has_cong_control() {
            self.cc.cong_control(&mut self.conn, ack.delivered);
        } else if matches!(self.conn.ca_state, CaState::Recovery | CaState::Cwr) {
            if self.options.reduction == Reduction::Proportional {
                self.prr.on_ack(&mut self.conn, ack);
            }
        } else if ack.acked > 0 {
            let una = self.conn.snd_una;
            self.cc.cong_avoid(&mut self.conn, una, ack.delivered);
        }
    }

    /// Duplicate acknowledgements came, or ceased, without a loss being decided.
    #[inline]
    pub fn on_disorder(&mut self, disorder: bool) {
        match (self.conn.ca_state, disorder) {
            (CaState::Open, true) => self.enter(CaState::Disorder),
            (CaState::Disorder, false) => self.enter(CaState::Open),
            _ => {}
        }
    }

    /// The packet at `lost` is lost; `next` is the position that the next new packet will have. Call before the loss is
    /// taken out of `packets_out`: the flight that is reduced includes it. Returns whether this began an episode: one reduction per window of data (RFC 9438 §4.6, RFC 9002 §7.3.2).
    pub fn on_loss(&mut self, now_us: u64, lost: u64, next: u64) -> bool {
        self.conn.now_us = now_us;
        if self.in_episode() {
            if lost < self.recovery_end {
                return false;
            }
            self.leave_recovery();
        }
        self.reduce(next);
        self.enter(CaState::Recovery);
        self.start_reduction(self.cc.min_cwnd(&self.conn));
        true
    }

    /// An ECN echo for the packet at `marked` arrived. // RFC 9438 §4.6, RFC 3168 §6.1.2
    pub fn on_ecn(&mut self, now_us: u64, marked: u64, next: u64) -> EcnOutcome {
        self.conn.now_us = now_us;
        if self.in_episode() {
            if marked < self.recovery_end {
                return EcnOutcome::Ignored;
            }
            self.leave_recovery();
        }
        let cwnd = self.conn.cwnd;
        self.reduce(next);
        self.enter(CaState::Cwr);
        if cwnd <= 1 {
            return EcnOutcome::AtFloor;
        }
        // RFC 9438 §4.6: keep reducing down to one segment, though ssthresh stays at two.
        self.start_reduction(self.conn.ssthresh.min(cwnd - 1));
        EcnOutcome::Reduced
    }

    /// The retransmission timer fired (TCP), or congestion persisted (QUIC). Further timeouts for the same data leave
    /// `ssthresh` where it is (RFC 5681 §3.1); within fast recovery, see [`Options::timeout_reduces_again`].
    pub fn on_timeout(&mut self, now_us: u64, lost: u64, next: u64) {
        self.conn.now_us = now_us;
        let covered = lost < self.recovery_end
            && match self.conn.ca_state {
                CaState::Loss => true,
                CaState::Recovery | CaState::Cwr => !self.options.timeout_reduces_again,
                CaState::Open | CaState::Disorder => false,
            };
        if !covered {
            self.reduce(next);
            self.cc.cwnd_event(&mut self.conn, CaEvent::Loss);
        }
        self.recovery_end = next;
        self.conn.cwnd = self.options.loss_window;
        self.conn.cwnd_cnt = 0;
        self.enter(CaState::Loss);
    }

    /// Ends the episode early; recoveries that last only to the first new acknowledgement need this.
    pub fn leave_recovery(&mut self) {
        if matches!(self.conn.ca_state, CaState::Recovery | CaState::Cwr) {
            if self.options.reduction == Reduction::Proportional {
                self.conn.cwnd = self.conn.ssthresh;
            }
            self.cc.cwnd_event(&mut self.conn, CaEvent::CompleteCwr);
        }
        self.enter(CaState::Open);
    }

    /// The losses of the present or last episode were none: takes the reduction back, once. // RFC 9438 §4.9
    pub fn on_spurious(&mut self, now_us: u64) -> bool {
        if !self.undo_open {
            return false;
        }
        self.undo_open = false;
        self.conn.now_us = now_us;
        let restored = self.cc.undo_cwnd(&mut self.conn);
        self.conn.cwnd = self.conn.cwnd.max(restored).min(self.conn.cwnd_clamp);
        self.conn.ssthresh = self.conn.ssthresh.max(self.prior_ssthresh);
        self.recovery_end = 0;
        self.enter(CaState::Open);
        true
    }

    /// Puts another algorithm in charge of the running connection.
    pub fn switch(&mut self, cc: Controller) {
        self.cc.release(&mut self.conn);
        self.cc = cc;
        self.conn.cwnd_cnt = 0;
        self.undo_open = false;
        self.cc.init(&mut self.conn);
    }

    /// Whether a window reduction or the repair after a timeout is going on.
    #[inline]
    #[must_use]
    pub const fn in_episode(&self) -> bool {
        matches!(self.conn.ca_state, CaState::Cwr | CaState::Recovery | CaState::Loss)
    }

    /// Asks the algorithm for the new threshold and opens an episode that ends at `next`.
    fn reduce(&mut self, next: u64) {
        // A second reduction in one episode (a timeout within recovery) keeps the first one's undo.
        if !self.in_episode() || !self.undo_open {
            self.conn.prior_cwnd = self.conn.cwnd;
            self.prior_ssthresh = self.conn.ssthresh;
            self.undo_open = true;
        }
        self.conn.ssthresh = self.cc.ssthresh(&mut self.conn);
        self.conn.cwnd_cnt = 0;
        self.recovery_end = next;
    }

    /// Brings the window towards `target`, by the chosen way.
    fn start_reduction(&mut self, target: u32) {
        match self.options.reduction {
            Reduction::Immediate => self.conn.cwnd = target,
            Reduction::Proportional => self.prr = Prr::start(&self.conn),
        }
    }

    fn enter(&mut self, new: CaState) {
        self.cc.set_state(&mut self.conn, new);
        self.conn.ca_state = new;
    }
}

impl Drop for Driver {
    /// The connection ends.
    fn drop(&mut self) {
        self.cc.release(&mut self.conn);
    }
}
