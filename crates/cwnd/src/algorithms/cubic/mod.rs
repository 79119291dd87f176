// SPDX-License-Identifier: MIT OR Apache-2.0
//! CUBIC: the window as a cubic function of the time since the last loss.
//!
//! `cubic` is RFC 9438. Deviations, each safe in its direction: `cwnd` never shrinks on an ACK (the text's
//! `cwnd = W_est` can take back a fraction of the lead that W(t + RTT) gave); acknowledged *segments* count
//! (RFC 9438 §4.4 read literally counts ACKs, which ties growth to the receiver's ACK ratio); windows after a
//! reduction are whole segments, rounded to nearest.
//!
//! `cubic-2.2` is Algorithm 1 of Ha, Rhee and Xu (2008). Where its pseudocode and its text differ, the text's increment
//! `(target − cwnd) / cwnd` is the default and the pseudocode's `cwnd_cnt > cnt` (one increment per cnt + 2 counts) is
//! `increment=counted`. It counts acknowledgements, as printed: with delayed ACKs W_tcp grows at half of α, as standard TCP
//! of its time grows at half a segment per round trip. `counting=segments` is the form that no ACK ratio touches.
//!
//! A congestion avoidance stage, and with it t, begins after a reduction and wherever slow start ends: also after the slow
//! start that follows an idle period (RFC 5681 §4.1). The papers and Linux keep the old curve there; so that all forms obey
//! one rule, theirs here do not.
//!
//! Valid for every window that 32 bits hold and for epochs of any length: the curve's time is kept up to 12 days, and long
//! before that every legal curve is above every window (`curve.rs`, which asserts it).

mod curve;
mod growth;
pub mod linux;
mod parameter_sets;
#[cfg(test)]
mod parameter_sets_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod time_tests;
#[cfg(test)]
mod virtual_flow;

use super::{FROM_FLIGHT, counted};
use crate::conn::{CaState, Conn};
use crate::hook_argument_types::{AckSample, CaEvent};
use crate::hooks::{CongestionControl, Info};
use crate::math::{ONE_X64K, scale_x64k};
use crate::rescale::{Rescale, SegmentState};
use crate::slow_start::SlowStart;
use growth::now;
pub use parameter_sets::CubicParams;
use parameter_sets::{COMPARE_LAST, FRIENDLY_NEWRENO};

crate::state! {
    /// What a spurious reduction took, to be given back. // RFC 9438 §4.9.2
    struct CurveSnapshot {
        cwnd: u32 as segments,
        cwnd_prior: u32 as segments,
        w_max: u32 as segments,
        origin: u32 as segments,
        k_x1024: u32 as unchanged,
        /// What `t` was when it last became 0 since the reduction: with `t` it is the time of the curve to be given back.
        t: u32 as unchanged,
        w_est: u32 as segments,
    }
}

/// Values of [`Cubic`]'s `undo_kept`.
const NOTHING_KEPT: u8 = 0;
const KEPT_BEFORE_EPOCH: u8 = 1;
const KEPT_IN_EPOCH: u8 = 2;

crate::state! {
    /// State of CUBIC.
    ///
    /// ```
    /// use cwnd::{Algorithm, Configured, Conn, algorithms::cubic::Cubic};
    ///
    /// let mut cc = Configured::<Cubic>::registered();
    /// let mut conn = Conn { packets_out: 100, ..Conn::new(1448, 100) };
    /// cc.init(&mut conn);
    /// assert_eq!(cc.ssthresh(&mut conn), 70); // 100 × 0.7
    /// ```
    pub struct Cubic {
        /// Progress towards the next segment of `cwnd`, in 1/65536 segment × cwnd (no division per ACK).
        credit: u64 as squared,
        /// The same for `w_est`.
        est_credit: u64 as squared,
        /// Window before the last reduction, less after fast convergence; 0: none known.
        w_max: u32 as segments,
        /// Window before the last reduction, or at the first exit from slow start.
        cwnd_prior: u32 as segments,
        /// Window of the curve's plateau in this epoch.
        origin: u32 as segments,
        k_x1024: u32 as unchanged,
        /// Time t of the curve (RFC 9438 §4.2), in 256 µs (`T_SHIFT`), or in ticks with `clock=ticks`. Only time in which the
        /// window was in use is added, so that a pause of any length leaves it alone.
        t: u32 as unchanged,
        /// When the last acknowledgement came, or the last pause ended.
        last_ack: u32 as unchanged,
        /// Estimate of Reno's window, whole segments.
        w_est: u32 as segments,
        alpha_x64k: u32 as unchanged,
        min_rtt_us: u32 as unchanged,
        undo: CurveSnapshot as nested,
        slow_start: SlowStart as nested,
        /// 1 while `origin` … `w_est` describe the present epoch.
        in_epoch: u8 as unchanged,
        /// What of `t` lies below its unit, µs.
        t_rest_us: u8 as unchanged,
        /// `NOTHING_KEPT`, or what `in_epoch` was when `undo` was kept: `KEPT_BEFORE_EPOCH`, `KEPT_IN_EPOCH`.
        undo_kept: u8 as unchanged,
        /// 1 once the window grew as NewReno's (`friendliness=newreno`).
        in_newreno: u8 as unchanged,
    }
}

impl Cubic {
    /// Keeps what the first reduction of a recovery epoch takes. Within fast recovery a timeout reduces again (RFC 5681 §3.1) in the same
    /// epoch: the window before it is still the one that is kept. During the repair after a timeout every reduction begins another epoch,
    /// and the proof of that epoch gives back what that epoch took. // RFC 9438 §4.9.2
    fn keep_undo(&mut self, conn: &Conn) {
        let same_epoch =
            matches!(conn.ca_state, CaState::Cwr | CaState::Recovery) && conn.prior_cwnd == self.undo.cwnd;
        if self.undo_kept != NOTHING_KEPT && same_epoch {
            return;
        }
        // R9438-4.9.2-b
        self.undo = CurveSnapshot {
            cwnd: conn.cwnd,
            cwnd_prior: self.cwnd_prior,
            w_max: self.w_max,
            origin: self.origin,
            k_x1024: self.k_x1024,
            t: 0,
            w_est: self.w_est,
        };
        self.undo_kept = if self.in_epoch == 1 { KEPT_IN_EPOCH } else { KEPT_BEFORE_EPOCH };
    }
}

impl CongestionControl for Cubic {
    type Params = CubicParams;

    fn init(&mut self, conn: &mut Conn, params: &CubicParams) {
        *self = Self { last_ack: now(conn, params), ..Self::default() };
    }

    fn rescale(&mut self, scale: Rescale) -> bool {
        SegmentState::rescale(self, scale);
        // C is in segments: K holds for the old ones only. A stage begins anew, also after an undo.
        self.in_epoch = 0;
        self.undo_kept = self.undo_kept.min(KEPT_BEFORE_EPOCH);
        true
    }

    fn ssthresh(&mut self, conn: &mut Conn, params: &CubicParams) -> u32 {
        self.keep_undo(conn);
        let cwnd = conn.cwnd;
        let first = params.halve_first == 1 && self.w_max == 0;
        let compared = if params.convergence_from == COMPARE_LAST { self.cwnd_prior } else { self.w_max };
        self.w_max = if first {
            scale_x64k(cwnd, params.beta)
        // R9438-4.7-b
        } else if params.fast_convergence == 1 && cwnd < compared {
            scale_x64k(cwnd, (ONE_X64K + params.beta) / 2) // R9438-4.7-a
        } else {
            cwnd
        };
        self.cwnd_prior = cwnd; // RFC 9438 §4.6
        self.in_epoch = 0;
        let basis = if params.reduce_from == FROM_FLIGHT { conn.flight() } else { cwnd };
        let halved = first || (params.friendliness == FRIENDLY_NEWRENO && self.in_newreno == 1);
        if params.newreno_for_good == 0 {
            self.in_newreno = 0;
        }
        scale_x64k(basis, if halved { ONE_X64K / 2 } else { params.beta }).max(2) // RFC 9438 §4.6
    }

    fn cong_avoid(&mut self, conn: &mut Conn, _ack: u32, acked: u32, params: &CubicParams) {
        // R9438-4.6-c
        if !conn.cwnd_limited() {
            self.last_ack = now(conn, params); // R9438-4.2-a: the time up to here does not count
            return;
        }
        self.count_time(now(conn, params), params);
        let mut acked = counted(params.counting, acked);
        // R9438-4.10-a
        if conn.cwnd <= conn.ssthresh {
            if conn.in_slow_start() {
                self.in_epoch = 0; // RFC 9438 §4.2: a stage begins where slow start ends, after an idle period too
            }
            acked = self.slow_start.grow(conn, &params.slow_start, acked); // RFC 9438 §4.10
            if acked == 0 {
                return;
            }
        }
        self.grow(conn, acked, params);
    }

    fn set_state(&mut self, conn: &mut Conn, new: CaState, params: &CubicParams) {
        if new == CaState::Loss {
            // RFC 9438 §4.8: the next epoch starts at its plateau. Ha et al. 2008, Algorithm 1: cubic_reset() clears all of the
            // curve, and a trace shows it so; the next epoch would set K, origin and W_est anyway.
            self.w_max = 0;
            self.origin = 0;
            self.k_x1024 = 0;
            self.w_est = 0;
            self.in_epoch = 0;
            self.min_rtt_us = 0;
            self.slow_start.on_timeout(conn, &params.slow_start);
        }
    }

    fn cwnd_event(&mut self, conn: &mut Conn, event: CaEvent, params: &CubicParams) {
        if event == CaEvent::TxStart {
            self.last_ack = now(conn, params); // RFC 9438 §4.2: idle time does not count
        }
    }

    fn undo_cwnd(&mut self, conn: &mut Conn, _params: &CubicParams) -> u32 {
        if self.undo_kept == NOTHING_KEPT || conn.cwnd >= self.undo.cwnd {
            return conn.cwnd.max(conn.prior_cwnd); // R9438-4.9.2-d: already past it, keep the present
        }
        let undo = self.undo;
        self.cwnd_prior = undo.cwnd_prior;
        self.w_max = undo.w_max; // R9438-4.9.2-c
        self.origin = undo.origin;
        self.k_x1024 = undo.k_x1024;
        self.t = self.t.saturating_add(undo.t);
        self.w_est = undo.w_est;
        self.in_epoch = u8::from(self.undo_kept == KEPT_IN_EPOCH);
        self.credit = 0;
        self.est_credit = 0;
        self.undo_kept = NOTHING_KEPT;
        undo.cwnd
    }

    fn pkts_acked(&mut self, conn: &mut Conn, sample: &AckSample, params: &CubicParams) {
        if sample.rtt_us < 0 {
            return;
        }
        let rtt_us = (sample.rtt_us as u32).max(1);
        if self.min_rtt_us == 0 || rtt_us < self.min_rtt_us {
            self.min_rtt_us = rtt_us;
        }
        self.slow_start.on_rtt(conn, &params.slow_start, rtt_us, self.min_rtt_us);
    }

    fn info(&self, _conn: &Conn, _params: &CubicParams) -> Info {
        Info {
            fields: [
                ("w_max", u64::from(self.w_max)),
                ("origin", u64::from(self.origin)),
                ("k_s_x1024", u64::from(self.k_x1024)),
                ("w_est", u64::from(self.w_est)),
                ("alpha_x64k", u64::from(self.alpha_x64k)),
                ("cwnd_prior", u64::from(self.cwnd_prior)),
                ("min_rtt_us", u64::from(self.min_rtt_us)),
                ("in_epoch", u64::from(self.in_epoch)),
            ],
        }
    }
}
