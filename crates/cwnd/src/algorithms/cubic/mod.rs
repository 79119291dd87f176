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
//! `increment=counted`. Its rates are meant per packet, so segments count, as Linux's correction for delayed ACKs had it.
//!
//! Valid for windows up to 2³⁰ segments and epochs of any length (`curve.rs`, `tests.rs`: both ends).

pub mod counted;
mod curve;
#[cfg(test)]
mod tests;

use super::{COUNT_NAMES, COUNT_SEGMENTS, FROM_CWND, FROM_FLIGHT, REDUCE_NAMES, counted};
use crate::conn::{AckSample, CaEvent, CaState, Conn};
use crate::control::{CongestionControl, Info};
use crate::math::{ONE_X64K, scale_x64k, us_to_x1024};
use crate::params::Kind;
use crate::registry::{Recovery, Registered, Set};
use crate::slow_start::{self, SlowStart};
use curve::{T_MAX_X1024, alpha_x64k, k_x1024, w_cubic_x64k};

const FRIENDLY_OFF: u32 = 0;
const FRIENDLY_WINDOW: u32 = 1;
const FRIENDLY_TARGET: u32 = 2;
const INCREMENT_EXACT: u32 = 0;
const INCREMENT_COUNTED: u32 = 1;
const LOOKAHEAD_SRTT: u32 = 0;
const LOOKAHEAD_MIN_RTT: u32 = 1;

crate::params! {
    /// Settings of CUBIC.
    pub struct CubicParams {
        beta: Kind::Decimal, "", 6_554 => 64_881, "RFC 9438 §4.6",
            "factor of the window kept after a loss";
        c: Kind::Decimal, "segments/s^3", 66 => 458_752, "RFC 9438 §5.1",
            "scale of the cubic function";
        fast_convergence: Kind::Flag, "", 0 => 1, "RFC 9438 §4.7",
            "remember a lower W_max when losses come below the last one";
        friendliness: Kind::Choice(&["off", "window", "target"]), "", 0 => 2, "RFC 9438 §4.3; Ha et al. 2008 §3.3",
            "Reno-friendly region: none, window set to W_est (RFC 9438), or growth aimed at W_tcp (Algorithm 1)";
        alpha_one: Kind::Flag, "", 0 => 1, "RFC 9438 §4.3",
            "let W_est grow as Reno's window once it reaches the window before the last reduction";
        increment: Kind::Choice(&["exact", "counted"]), "", 0 => 1, "RFC 9438 §4.4; Ha et al. 2008 Algorithm 1",
            "(target - cwnd) / cwnd with its fraction kept, or the pseudocode's integer count";
        lookahead: Kind::Choice(&["srtt", "min_rtt"]), "", 0 => 1, "RFC 9438 §4.2; Ha et al. 2008 Algorithm 1",
            "how far ahead of the present the curve is read";
        reduce_from: Kind::Choice(REDUCE_NAMES), "", 0 => 1, "RFC 9438 §4.6; Ha et al. 2008 §3.6",
            "what a loss multiplies by beta";
        counting: Kind::Choice(COUNT_NAMES), "", 0 => 1, "RFC 9438 §4.3",
            "what grows the window: acknowledged segments, or acknowledgements";
        slow_start: Kind::Choice(slow_start::NAMES), "", 0 => 2, "RFC 9438 §4.10",
            "slow start: standard, hystart++ (RFC 9406) or hystart (Linux)";
    }
}

const RFC9438: CubicParams = CubicParams {
    beta: 45_875, // 0.7 // RFC 9438 §4.6
    c: 26_214,    // 0.4 // RFC 9438 §5.1
    fast_convergence: 1,
    friendliness: FRIENDLY_WINDOW,
    alpha_one: 1,
    increment: INCREMENT_EXACT,
    lookahead: LOOKAHEAD_SRTT,
    reduce_from: FROM_FLIGHT,
    counting: COUNT_SEGMENTS,
    slow_start: slow_start::HYSTART_PP, // RFC 9438 §4.10
};

const V2_2: CubicParams = CubicParams {
    beta: 52_429, // 0.8: 1 − β with the paper's β = 0.2
    friendliness: FRIENDLY_TARGET,
    alpha_one: 0,
    lookahead: LOOKAHEAD_MIN_RTT,
    reduce_from: FROM_CWND,
    slow_start: slow_start::STANDARD,
    ..RFC9438
};

/// What a spurious reduction took, to be given back. // RFC 9438 §4.9.2
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
struct Undo {
    cwnd: u32,
    cwnd_prior: u32,
    w_max: u32,
    origin: u32,
    k_x1024: u32,
    epoch_start_us: u32,
    w_est: u32,
}

/// State of CUBIC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Cubic {
    /// Progress towards the next segment of `cwnd`, in 1/65536 segment × cwnd (no division per ACK).
    credit: u64,
    /// The same for `w_est`.
    est_credit: u64,
    /// Window before the last reduction, less after fast convergence; 0: none known.
    w_max: u32,
    /// Window before the last reduction, or at the first exit from slow start.
    cwnd_prior: u32,
    /// Window of the curve's plateau in this epoch.
    origin: u32,
    k_x1024: u32,
    epoch_start_us: u32,
    /// When the last acknowledgement came.
    last_ack_us: u32,
    /// Estimate of Reno's window, whole segments.
    w_est: u32,
    alpha_x64k: u32,
    min_rtt_us: u32,
    undo: Undo,
    slow_start: SlowStart,
    /// 1 while `epoch_start_us` … `w_est` describe the present epoch.
    in_epoch: u8,
    undo_in_epoch: u8,
    /// 1 while `undo` can be given back.
    undo_kept: u8,
}

impl Cubic {
    /// Congestion avoidance begins. // RFC 9438 §4.2
    fn begin_epoch(&mut self, conn: &Conn, params: &CubicParams) {
        self.in_epoch = 1;
        self.epoch_start_us = conn.now_us32();
        self.w_est = conn.cwnd; // RFC 9438 §4.3; §4.8: also after a timeout
        self.est_credit = 0;
        self.credit = 0;
        self.alpha_x64k = alpha_x64k(params.beta);
        if self.cwnd_prior == 0 {
            self.cwnd_prior = conn.cwnd; // RFC 9438 §4.10: slow start left without a loss
        }
        if conn.cwnd < self.w_max {
            self.k_x1024 = k_x1024(self.w_max - conn.cwnd, params.c);
            self.origin = self.w_max;
        } else {
            // RFC 9438 §4.8, §4.10: after a timeout or a lossless exit the curve starts at its plateau.
            self.k_x1024 = 0;
            self.origin = conn.cwnd;
        }
    }

    /// Time since the epoch began, µs; 0 if the clock stands before it. Keeps the epoch within the curve's reach.
    fn elapsed_us(&mut self, now_us: u32) -> u32 {
        const REACH_US: u32 = 1 << 30;
        let elapsed = now_us.wrapping_sub(self.epoch_start_us);
        if elapsed >= 1 << 31 {
            return 0;
        }
        if elapsed > REACH_US {
            self.epoch_start_us = now_us.wrapping_sub(REACH_US);
            return REACH_US;
        }
        elapsed
    }

    /// The time since the last acknowledgement does not count: the window was not in use. // RFC 9438 §4.2
    fn skip_pause(&mut self, now_us: u32) {
        let pause = now_us.wrapping_sub(self.last_ack_us);
        let age = now_us.wrapping_sub(self.epoch_start_us);
        if self.in_epoch == 1 && pause < 1 << 31 && age < 1 << 31 {
            self.epoch_start_us = self.epoch_start_us.wrapping_add(pause.min(age));
        }
        self.last_ack_us = now_us;
    }

    /// Advances `w_est` by `α · acked / cwnd`. // RFC 9438 §4.3, figure 4
    fn grow_estimate(&mut self, cwnd: u32, acked: u32, params: &CubicParams) {
        let alpha = if params.alpha_one == 1 && self.w_est >= self.cwnd_prior {
            ONE_X64K // RFC 9438 §4.3: as Reno from there on
        } else {
            self.alpha_x64k
        };
        self.est_credit += u64::from(alpha) * u64::from(acked);
        let segment = u64::from(cwnd) << 16;
        if self.est_credit >= segment {
            self.w_est = self.w_est.saturating_add((self.est_credit / segment) as u32);
            self.est_credit %= segment;
        }
    }

    /// Whether `w_x64k < W_est`, the fraction of `W_est` included.
    fn below_estimate(&self, w_x64k: u64, cwnd: u32) -> bool {
        match w_x64k.checked_sub(u64::from(self.w_est) << 16) {
            None => true,
            // `est_credit` is below cwnd · 2¹⁶, so from 2³² on the answer is no: the product fits 64 bits.
            Some(above) => above.min(u64::from(u32::MAX)) * u64::from(cwnd) < self.est_credit,
        }
    }

    /// One acknowledgement in congestion avoidance.
    fn grow(&mut self, conn: &mut Conn, acked: u32, params: &CubicParams) {
        if self.in_epoch == 0 {
            self.begin_epoch(conn, params);
        }
        let cwnd = conn.cwnd.max(1);
        let t_us = self.elapsed_us(conn.now_us32());
        let ahead_us = if params.lookahead == LOOKAHEAD_SRTT { conn.srtt_us8 >> 3 } else { self.min_rtt_us };
        if params.friendliness != FRIENDLY_OFF {
            self.grow_estimate(cwnd, acked, params);
        }
        if params.friendliness == FRIENDLY_WINDOW {
            // RFC 9438 §4.3: the test reads the curve at t, not at t + RTT.
            let now = w_cubic_x64k(self.origin, params.c, self.k_x1024, us_to_x1024(t_us));
            if self.below_estimate(now, cwnd) {
                if self.w_est > conn.cwnd {
                    // Where the transport lowered the window (RFC 5681 §4.1), W_est is regained as fast as ACKs come.
                    conn.grow((self.w_est - conn.cwnd).min(acked));
                    self.credit = self.est_credit;
                } else if self.w_est == conn.cwnd {
                    self.credit = self.credit.max(self.est_credit);
                }
                return;
            }
        }
        let t_x1024 = us_to_x1024(t_us.saturating_add(ahead_us)).min(T_MAX_X1024);
        let mut target_x64k = w_cubic_x64k(self.origin, params.c, self.k_x1024, t_x1024);
        if params.friendliness == FRIENDLY_TARGET {
            target_x64k = target_x64k.max((u64::from(self.w_est) << 16) + self.est_credit / u64::from(cwnd));
        }
        // RFC 9438 §4.2: the target lies between cwnd and 1.5 cwnd.
        let cwnd_x64k = u64::from(cwnd) << 16;
        let ahead_x64k = target_x64k.saturating_sub(cwnd_x64k).min(cwnd_x64k / 2);
        if params.increment == INCREMENT_COUNTED {
            Self::count_increment(conn, cwnd_x64k, ahead_x64k, acked);
            return;
        }
        // RFC 9438 §4.4, §4.5: cwnd += (target − cwnd) / cwnd for each segment acknowledged.
        // `ahead_x64k` is below 2⁴⁷, so 2¹⁶ segments in one acknowledgement are as many as 64 bits hold.
        self.credit = self.credit.saturating_add(ahead_x64k * u64::from(acked.min(1 << 16)));
        if self.credit >= cwnd_x64k {
            // Credit gathered at a larger window makes no burst here.
            conn.grow((self.credit / cwnd_x64k).min(u64::from(acked)) as u32);
            self.credit %= cwnd_x64k;
        }
    }

    /// The pseudocode's way: one segment when the count exceeds cwnd / (target − cwnd). // Ha et al. 2008, Algorithm 1
    fn count_increment(conn: &mut Conn, cwnd_x64k: u64, ahead_x64k: u64, acked: u32) {
        let needed = cwnd_x64k.checked_div(ahead_x64k).unwrap_or((cwnd_x64k >> 16) * 100);
        if u64::from(conn.cwnd_cnt) > needed {
            conn.grow(1);
            conn.cwnd_cnt = 0;
        } else {
            conn.cwnd_cnt = conn.cwnd_cnt.saturating_add(acked);
        }
    }

    /// Keeps what the first reduction of an episode takes. // RFC 9438 §4.9.2
    fn keep_undo(&mut self, conn: &Conn) {
        if self.undo_kept == 1 && matches!(conn.ca_state, CaState::Cwr | CaState::Recovery | CaState::Loss) {
            return;
        }
        self.undo = Undo {
            cwnd: conn.cwnd,
            cwnd_prior: self.cwnd_prior,
            w_max: self.w_max,
            origin: self.origin,
            k_x1024: self.k_x1024,
            epoch_start_us: self.epoch_start_us,
            w_est: self.w_est,
        };
        self.undo_in_epoch = self.in_epoch;
        self.undo_kept = 1;
    }
}

impl Registered for Cubic {
    const NAME: &'static str = "cubic";
    const SUMMARY: &'static str = "the window as a cubic function of the time since the last loss";
    const SETS: &'static [Set<CubicParams>] = &[
        Set {
            name: "cubic",
            summary: "today's standard: keeps 0.7, C 0.4, Reno-friendly by W_est, HyStart++",
            source: "RFC 9438",
            recovery: Recovery::Sack,
            params: RFC9438,
        },
        Set {
            name: "cubic-2.2",
            summary: "the form of the CUBIC paper: keeps 0.8, C 0.4, standard slow start",
            source: "Ha, Rhee and Xu 2008, Algorithm 1",
            recovery: Recovery::Sack,
            params: V2_2,
        },
    ];
}

impl CongestionControl for Cubic {
    type Params = CubicParams;

    fn init(&mut self, conn: &mut Conn, _params: &CubicParams) {
        *self = Self { last_ack_us: conn.now_us32(), ..Self::default() };
    }

    fn ssthresh(&mut self, conn: &mut Conn, params: &CubicParams) -> u32 {
        self.keep_undo(conn);
        let cwnd = conn.cwnd;
        self.w_max = if params.fast_convergence == 1 && cwnd < self.w_max {
            scale_x64k(cwnd, (ONE_X64K + params.beta) / 2) // RFC 9438 §4.7
        } else {
            cwnd
        };
        self.cwnd_prior = cwnd; // RFC 9438 §4.6
        self.in_epoch = 0;
        self.slow_start.on_reduction(params.slow_start);
        let basis = if params.reduce_from == FROM_FLIGHT { conn.flight() } else { cwnd };
        scale_x64k(basis, params.beta).max(2) // RFC 9438 §4.6
    }

    fn cong_avoid(&mut self, conn: &mut Conn, _ack: u32, acked: u32, params: &CubicParams) {
        if !conn.cwnd_limited() {
            self.skip_pause(conn.now_us32());
            return;
        }
        self.last_ack_us = conn.now_us32();
        let mut acked = counted(params.counting, acked);
        if conn.cwnd <= conn.ssthresh {
            acked = self.slow_start.grow(conn, params.slow_start, acked); // RFC 9438 §4.10
            if acked == 0 {
                return;
            }
        }
        self.grow(conn, acked, params);
    }

    fn set_state(&mut self, conn: &mut Conn, new: CaState, params: &CubicParams) {
        if new == CaState::Loss {
            // RFC 9438 §4.8: the next epoch starts at its plateau. Ha et al. 2008: cubic_reset().
            self.w_max = 0;
            self.in_epoch = 0;
            self.min_rtt_us = 0;
            self.slow_start.on_timeout(conn, params.slow_start);
        }
    }

    fn cwnd_event(&mut self, conn: &mut Conn, event: CaEvent, _params: &CubicParams) {
        if event == CaEvent::TxStart {
            self.skip_pause(conn.now_us32());
        }
    }

    fn undo_cwnd(&mut self, conn: &mut Conn, _params: &CubicParams) -> u32 {
        if self.undo_kept == 0 || conn.cwnd >= self.undo.cwnd {
            return conn.cwnd.max(conn.prior_cwnd); // RFC 9438 §4.9.2: already past it, keep the present
        }
        let undo = self.undo;
        self.cwnd_prior = undo.cwnd_prior;
        self.w_max = undo.w_max;
        self.origin = undo.origin;
        self.k_x1024 = undo.k_x1024;
        self.epoch_start_us = undo.epoch_start_us;
        self.w_est = undo.w_est;
        self.in_epoch = self.undo_in_epoch;
        self.credit = 0;
        self.est_credit = 0;
        self.undo_kept = 0;
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
        self.slow_start.on_rtt(conn, params.slow_start, rtt_us, self.min_rtt_us);
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
