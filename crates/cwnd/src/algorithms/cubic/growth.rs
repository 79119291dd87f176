// SPDX-License-Identifier: MIT OR Apache-2.0
//! The window's growth within one epoch: the curve, and the Reno-friendly estimates beside it.

use super::Cubic;
use super::curve::{T_MAX_US, T_SHIFT, alpha_x64k, k_x1024, w_cubic_x64k};
use super::parameter_sets::{
    CLOCK_TICKS, CubicParams, FRIENDLY_FORMULA, FRIENDLY_NEWRENO, FRIENDLY_TARGET, FRIENDLY_WINDOW,
    INCREMENT_COUNTED, K_FROM_W_MAX, LOOKAHEAD_NONE, LOOKAHEAD_SRTT,
};
use crate::conn::Conn;
use crate::math::{ONE_X64K, scale_x64k, us_to_x1024};

impl Cubic {
    /// Congestion avoidance begins. // RFC 9438 §4.2
    fn begin_epoch(&mut self, conn: &Conn, params: &CubicParams) {
        self.in_epoch = 1;
        self.undo.t = self.undo.t.saturating_add(self.t);
        self.t = 0;
        self.t_rest_us = 0;
        self.w_est = if params.friendliness == FRIENDLY_FORMULA && self.w_max > 0 {
            scale_x64k(self.w_max, params.beta) // RFC 8312 §4.2 eq 4
        } else {
            conn.cwnd // RFC 9438 §4.3, R9438-4.8-a: also after a timeout
        };
        self.est_credit = 0;
        self.credit = 0;
        self.alpha_x64k = if params.alpha > 0 { params.alpha } else { alpha_x64k(params.beta) };
        if self.cwnd_prior == 0 {
            self.cwnd_prior = conn.cwnd; // RFC 9438 §4.10: slow start left without a loss
        }
        if conn.cwnd < self.w_max {
            let missing = if params.k_from == K_FROM_W_MAX {
                scale_x64k(self.w_max, ONE_X64K.saturating_sub(params.beta)) // RFC 8312 §4.1 eq 2
            } else {
                self.w_max - conn.cwnd // RFC 9438 §4.2
            };
            self.k_x1024 = k_x1024(missing, params.c);
            self.origin = self.w_max;
        } else {
            // RFC 9438 §4.8, §4.10: after a timeout or a lossless exit the curve starts at its plateau.
            self.k_x1024 = 0;
            self.origin = conn.cwnd;
        }
    }

    /// The time since the last acknowledgement counts: the window was in use. (Where the clock has jumped back none has passed,
    /// so two acknowledgements without a pause between them may be 2³¹ µs apart, 35 minutes.) // RFC 9438 §4.2
    #[inline]
    pub(super) fn count_time(&mut self, now: u32, params: &CubicParams) {
        let gap = now.wrapping_sub(self.last_ack);
        self.last_ack = now;
        if gap >= 1 << 31 {
            return;
        }
        if params.clock == CLOCK_TICKS {
            self.t = self.t.saturating_add(gap);
        } else {
            let gap = gap + u32::from(self.t_rest_us);
            self.t = self.t.saturating_add(gap >> T_SHIFT);
            self.t_rest_us = gap as u8;
        }
    }

    /// Time t of the curve, µs, at most `T_MAX_US`.
    #[inline]
    pub(super) fn t_us(&self, conn: &Conn, params: &CubicParams) -> u64 {
        if params.clock == CLOCK_TICKS {
            ticks_to_us(self.t, conn.tick_hz).min(T_MAX_US)
        } else {
            (u64::from(self.t) << T_SHIFT) | u64::from(self.t_rest_us)
        }
    }

    /// Advances `w_est` by `α · acked / cwnd`. // RFC 9438 §4.3, figure 4
    fn grow_estimate(&mut self, cwnd: u32, acked: u32, params: &CubicParams) {
        let alpha = if params.alpha_one == 1 && self.w_est >= self.cwnd_prior {
            ONE_X64K // R9438-4.3-c: as Reno from there on
        } else {
            self.alpha_x64k
        };
        self.est_credit += u64::from(alpha) * u64::from(acked); // R9438-4.3-b
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

    /// Takes the window to an estimate that is `lead` segments above it. One segment is the estimate's own growth. A larger lead is
    /// left where the transport lowered the window (RFC 7661, RFC 5681 §4.1), or by an ACK of more than a window: it is regained by
    /// half a window per round trip, the limit of RFC 9438 §4.2.
    fn reach(&mut self, conn: &mut Conn, lead: u32, acked: u32) {
        if lead == 1 {
            conn.grow(acked.min(1));
            self.credit = self.est_credit;
            return;
        }
        let cwnd_x64k = u64::from(conn.cwnd.max(1)) << 16;
        let ahead_x64k = (u64::from(lead) << 16).min(cwnd_x64k / 2);
        self.spend(conn, cwnd_x64k, ahead_x64k, acked.min(lead));
    }

    /// Grows by `ahead / cwnd` for each segment acknowledged, by one at most. // RFC 9438 §4.4, §4.5
    fn spend(&mut self, conn: &mut Conn, cwnd_x64k: u64, ahead_x64k: u64, acked: u32) {
        // `ahead_x64k` is below 2⁴⁸, so 2¹⁶ segments in one acknowledgement are as many as 64 bits hold.
        self.credit = self.credit.saturating_add(ahead_x64k * u64::from(acked.min(1 << 16)));
        if self.credit >= cwnd_x64k {
            // Credit gathered at a larger window makes no burst here.
            conn.grow((self.credit / cwnd_x64k).min(u64::from(acked)) as u32);
            self.credit %= cwnd_x64k;
        }
    }

    /// Sets the window to the estimate where the estimate is above the curve at `t`; whether it is.
    fn follow_estimate(&mut self, conn: &mut Conn, t_us: u64, acked: u32, params: &CubicParams) -> bool {
        // RFC 9438 §4.3, RFC 8312 §4.2: the test reads the curve at t, not at t + RTT.
        let curve_x64k = w_cubic_x64k(self.origin, params.c, self.k_x1024, us_to_x1024(t_us));
        if params.friendliness == FRIENDLY_FORMULA {
            // RFC 8312 §4.2 eq 4; Rhee and Xu 2005 eq 4
            // At most 10 · 2¹⁶ · 2⁴⁰ before the division.
            let round_trips_x64k = u64::from(self.alpha_x64k) * t_us / u64::from(rtt_us(conn, params).max(1));
            let estimate_x64k = (u64::from(self.w_est) << 16) + round_trips_x64k;
            if curve_x64k >= estimate_x64k {
                return false;
            }
            let estimate = (estimate_x64k >> 16).min(u64::from(u32::MAX)) as u32;
            if estimate > conn.cwnd {
                self.reach(conn, estimate - conn.cwnd, acked);
            }
            return true;
        }
        // R9438-4.3-a
        if !self.below_estimate(curve_x64k, conn.cwnd.max(1)) {
            return false;
        }
        if self.w_est > conn.cwnd {
            self.reach(conn, self.w_est - conn.cwnd, acked);
        } else if self.w_est == conn.cwnd {
            self.credit = self.credit.max(self.est_credit);
        }
        true
    }

    /// One acknowledgement in congestion avoidance.
    pub(super) fn grow(&mut self, conn: &mut Conn, acked: u32, params: &CubicParams) {
        if self.in_epoch == 0 {
            self.begin_epoch(conn, params);
        }
        let cwnd = conn.cwnd.max(1);
        let t_us = self.t_us(conn, params);
        if matches!(params.friendliness, FRIENDLY_WINDOW | FRIENDLY_TARGET) {
            self.grow_estimate(cwnd, acked, params);
        }
        if matches!(params.friendliness, FRIENDLY_WINDOW | FRIENDLY_FORMULA)
            && self.follow_estimate(conn, t_us, acked, params)
        {
            return;
        }
        let ahead_us = match params.lookahead {
            LOOKAHEAD_SRTT => rtt_us(conn, params),
            LOOKAHEAD_NONE => 0,
            _ => self.min_rtt_us,
        };
        let t_x1024 = us_to_x1024(t_us.saturating_add(u64::from(ahead_us)));
        let mut target_x64k = w_cubic_x64k(self.origin, params.c, self.k_x1024, t_x1024);
        if params.friendliness == FRIENDLY_TARGET {
            target_x64k = target_x64k.max((u64::from(self.w_est) << 16) + self.est_credit / u64::from(cwnd));
        }
        // RFC 9438 §4.2: the target lies between cwnd and 1.5 cwnd.
        let cwnd_x64k = u64::from(cwnd) << 16;
        let mut ahead_x64k = target_x64k.saturating_sub(cwnd_x64k);
        // Without the limit at most 2 cwnd: no sender can do more in a round trip of its own clocking.
        ahead_x64k = ahead_x64k.min(if params.limit_target == 1 { cwnd_x64k / 2 } else { cwnd_x64k });
        if params.max_increment > 0 {
            // At most 10⁵ · 2¹⁶ · 2²⁹: S_max segments per second are S_max · RTT per round trip.
            let per_rtt = (u64::from(params.max_increment) << 16) * u64::from(conn.srtt_us8 >> 3) / 1_000_000;
            ahead_x64k = ahead_x64k.min(per_rtt);
        }
        if params.friendliness == FRIENDLY_NEWRENO {
            // FreeBSD D46546: where NewReno's next window is above the curve one RTT ahead, the window is that.
            let one = u64::from(ONE_X64K);
            if ahead_x64k < one * u64::from(acked) / u64::from(cwnd) {
                ahead_x64k = one;
                self.in_newreno = 1;
            }
        }
        if params.increment == INCREMENT_COUNTED {
            Self::count_increment(conn, cwnd_x64k, ahead_x64k, acked);
            return;
        }
        // R9438-4.4-a, R9438-4.5-a: cwnd += (target − cwnd) / cwnd for each segment acknowledged.
        self.spend(conn, cwnd_x64k, ahead_x64k, acked);
    }

    /// The pseudocode's way: one segment when the count exceeds cwnd / (target − cwnd). // Ha et al. 2008, Algorithm 1
    pub(super) fn count_increment(conn: &mut Conn, cwnd_x64k: u64, ahead_x64k: u64, acked: u32) {
        let needed = cwnd_x64k.checked_div(ahead_x64k).unwrap_or((cwnd_x64k >> 16) * 100);
        if u64::from(conn.cwnd_cnt) > needed {
            conn.grow(1);
            conn.cwnd_cnt = 0;
        } else {
            conn.cwnd_cnt = conn.cwnd_cnt.saturating_add(acked);
        }
    }
}

/// The clock that this form reads, wrapping.
#[inline]
pub(super) fn now(conn: &Conn, params: &CubicParams) -> u32 {
    if params.clock == CLOCK_TICKS { conn.ticks } else { conn.now_us32() }
}

/// Smoothed RTT as this form knows it, µs: a clock of ticks has whole ticks, and one at least.
fn rtt_us(conn: &Conn, params: &CubicParams) -> u32 {
    let srtt_us = conn.srtt_us8 >> 3;
    if params.clock != CLOCK_TICKS {
        return srtt_us;
    }
    let ticks = u64::from(srtt_us) * u64::from(conn.tick_hz) / 1_000_000;
    ticks_to_us(ticks.clamp(1, u64::from(u32::MAX)) as u32, conn.tick_hz).min(u64::from(u32::MAX)) as u32
}

/// `ticks` in µs.
fn ticks_to_us(ticks: u32, hz: u32) -> u64 {
    u64::from(ticks) * 1_000_000 / u64::from(hz.max(1))
}
