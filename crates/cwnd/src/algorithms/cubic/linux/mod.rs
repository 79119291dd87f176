// SPDX-License-Identifier: MIT OR Apache-2.0
//! CUBIC as the Linux kernel computes it: in ticks, with an integer count of acknowledgements per segment.
//!
//! `cubic-linux` gives the windows of Linux 6.x to the last integer, wrapped arithmetic included: beyond 346 s without a
//! loss (the cube of the distance to K, × 410, is kept in 64 bits), and from six million segments on (32 bits). The historic kernels are sets of the same mechanism:
//!
//! * `cubic-2.2-linux` (2.6.25): version 2.2 of Ha, Rhee and Xu. No clamp, 717/1024 kept where the paper prints 0.8, and
//!   no count of its own before the first loss: after a timeout the curve starts at its plateau, as in Algorithm 1.
//!   Acknowledgements count, in `w_tcp` as they are; the count of the increase is then corrected for delayed ACKs.
//! * `cubic-2.1` (2.6.22): keeps 819/1024; the increase is clamped to S_max = 16 segments per 100 ms beyond the plateau
//!   only; counts are corrected for delayed ACKs, and an increment takes one acknowledgement more than counted.
//! * `cubic-2.0` (2.6.19): the same, clamped throughout; the first slow start ends at 100 segments.
//! * `cubic-2.6.18`: Algorithm 1 of Leith, Shorten and McCullagh (2007). Its line 23 and its text disagree about the
//!   clamp; the text's 20 packets/s (S_max = 2 per 100 ms) is taken, which is what the kernel had before its delay was
//!   kept in eighths; 160 packets/s is `max_increment=16`. Line 28 tests `cwnd_cnt > cnt`: two acknowledgements more than
//!   counted. It leaves out the TCP-friendly part, which is kept here as in the kernel that it describes, and the
//!   correction for delayed ACKs, which is not.
//! * `cubic-2.6.18-unfixed`: the kernel before the scaling fix of October 2006: K is of C = 0.4, but the curve of C = 1/32, so
//!   that the window comes back far too slowly.
//!
//! `cubic-linux` moves an epoch by the time in which nothing is in flight, as the kernel does since 2015. It does so for every such moment:
//! where a whole window is acknowledged at once and the next one sent then, that is all of the time, and the window stands still. The
//! historic sets count that time, as their kernels did (`idle=counts`). Ticks are compared as the kernel does, by a signed difference of 32 bits: idle time of 2³¹ ticks, 24.8 days at 1 kHz, and more is taken for none, and counts.
//!
//! An epoch that starts at tick 0 counts as none, once in 2³² ticks, as in the kernel.

mod parameter_sets;
#[cfg(test)]
mod tests;

use crate::algorithms::{additive_increase, counted};
use crate::conn::{CaState, Conn};
use crate::hook_argument_types::{AckSample, CaEvent};
use crate::hooks::{CongestionControl, Info};
use crate::math::{cbrt, cbrt_table};
use crate::rescale::{Rescale, SegmentState};
use crate::slow_start::SlowStart;
pub use parameter_sets::CubicLinuxParams;
use parameter_sets::{
    CLAMP_ALWAYS, CLAMP_CONVEX, CLOCK_TICKS, IDLE_COUNTS, RATIO_SHIFT, RATIO_START_X16, ROOT_TABLE,
    UNKNOWN_ALWAYS, UNKNOWN_CURVE,
};

/// (K · 2¹⁰)³ = missing / C · 2³⁰, and C is kept in 1/1024.
const CURVE_SHIFT: u32 = 40;

crate::state! {
    /// State of the kernel's CUBIC.
    ///
    /// ```
    /// use cwnd::{Algorithm, Configured, Conn, algorithms::cubic::linux::CubicLinux};
    ///
    /// let mut cc = Configured::<CubicLinux>::registered();
    /// let mut conn = Conn { packets_out: 100, ..Conn::new(1448, 100) };
    /// cc.init(&mut conn);
    /// assert_eq!(cc.ssthresh(&mut conn), 70); // 100 × 717/1024
    /// ```
    pub struct CubicLinux {
        /// Acknowledgements to one segment of growth.
        count: u32 as unchanged,
        /// Window of the last loss, less after fast convergence; 0: none known.
        last_max: u32 as segments,
        last_cwnd: u32 as segments,
        last_ticks: u32 as unchanged,
        /// Window of the curve's plateau in this epoch.
        origin: u32 as segments,
        k_x1024: u32 as unchanged,
        /// Smallest RTT, µs or ticks as `clock` says; 0: none known.
        delay_min: u32 as unchanged,
        /// Tick at which the epoch began; 0: none runs.
        epoch_start_ticks: u32 as unchanged,
        /// Acknowledgements not yet turned into growth of `w_tcp`.
        acked: u32 as segments,
        /// Estimate of an AIMD flow's window.
        w_tcp: u32 as segments,
        /// Segments per acknowledgement, in 1/16.
        ack_ratio_x16: u32 as unchanged,
        slow_start: SlowStart as nested,
    }
}

impl CubicLinux {
    fn reset(&mut self, conn: &Conn, params: &CubicLinuxParams) {
        let mut slow_start = self.slow_start;
        slow_start.on_timeout(conn, &params.slow_start);
        *self = Self { ack_ratio_x16: RATIO_START_X16, slow_start, ..Self::default() };
    }

    fn begin_epoch(&mut self, conn: &Conn, acked: u32, params: &CubicLinuxParams) {
        self.epoch_start_ticks = conn.ticks;
        self.acked = acked;
        self.w_tcp = conn.cwnd;
        if self.last_max <= conn.cwnd {
            self.k_x1024 = 0;
            self.origin = conn.cwnd;
        } else {
            let factor = (1_u64 << CURVE_SHIFT) / u64::from((params.c >> 6).max(1));
            let missing = u64::from(self.last_max - conn.cwnd).min(u64::MAX / factor.max(1));
            let cube = factor * missing;
            self.k_x1024 = if params.root == ROOT_TABLE { cbrt_table(cube) } else { cbrt(cube) };
            self.origin = self.last_max;
        }
    }

    /// Smallest RTT in ticks, rounded up.
    fn delay_ticks(&self, hz: u32, params: &CubicLinuxParams) -> u32 {
        if params.clock == CLOCK_TICKS {
            return self.delay_min;
        }
        (u64::from(self.delay_min) * u64::from(hz)).div_ceil(1_000_000).min(u64::from(u32::MAX)) as u32
    }

    /// The curve's window one smallest RTT ahead, and whether that lies beyond the plateau.
    fn target(&self, conn: &Conn, params: &CubicLinuxParams) -> (u32, bool) {
        let hz = conn.tick_hz.max(1);
        // A clock that stands before the epoch is at its start.
        let since = conn.ticks.wrapping_sub(self.epoch_start_ticks);
        let since = if since < 1 << 31 { since } else { 0 };
        let t_ticks = u64::from(since) + u64::from(self.delay_ticks(hz, params));
        let t = (t_ticks << 10) / u64::from(hz);
        let k = u64::from(self.k_x1024);
        let offset = t.abs_diff(k);
        let cube = offset.wrapping_mul(offset).wrapping_mul(offset);
        let delta = (cube.wrapping_mul(u64::from(params.curve_c >> 6)) >> CURVE_SHIFT) as u32;
        if t < k { (self.origin.wrapping_sub(delta), false) } else { (self.origin.wrapping_add(delta), true) }
    }

    /// Acknowledgements to one segment of growth on the curve.
    fn count_on_curve(&self, conn: &Conn, params: &CubicLinuxParams) -> u32 {
        let cwnd = conn.cwnd;
        let (target, beyond) = self.target(conn, params);
        // Where it lies at or below the window, almost no growth.
        let mut count = match target.checked_sub(cwnd) {
            None | Some(0) => cwnd.wrapping_mul(100),
            Some(missing) => cwnd / missing,
        };
        if params.clamp == CLAMP_ALWAYS || (params.clamp == CLAMP_CONVEX && beyond) {
            // S_max segments per 100 ms are S_max · 10 · delay / HZ per round trip.
            let delay = u64::from(self.delay_ticks(conn.tick_hz, params));
            let per_rtt = 10 * u64::from(params.max_increment) * delay;
            if let Some(least) = (u64::from(cwnd) * u64::from(conn.tick_hz)).checked_div(per_rtt) {
                count = count.max(least.min(u64::from(u32::MAX)) as u32);
            }
        }
        if self.last_max > 0 || params.unknown == UNKNOWN_CURVE {
            count
        } else if params.unknown == UNKNOWN_ALWAYS {
            params.unknown_count
        } else {
            count.min(params.unknown_count)
        }
    }

    /// Lets the AIMD estimate grow, and the count be no larger than it asks for. // Ha et al. 2008 §3.3
    fn apply_tcp_friendliness(&mut self, cwnd: u32, params: &CubicLinuxParams) {
        let beta = params.beta >> 6;
        let scale = 8 * (1024 + beta) / 3 / (1024_u32.saturating_sub(beta)).max(1);
        let per_segment = (cwnd.wrapping_mul(scale) >> 3).max(1);
        // More than a segment's worth is spent; exactly a segment's worth waits.
        let segments = self.acked.saturating_sub(1) / per_segment;
        self.acked = self.acked.saturating_sub(segments.saturating_mul(per_segment));
        self.w_tcp = self.w_tcp.saturating_add(segments);
        if self.w_tcp > cwnd {
            self.count = self.count.min(cwnd / (self.w_tcp - cwnd));
        }
    }

    fn update(&mut self, conn: &Conn, acked: u32, params: &CubicLinuxParams) {
        let cwnd = conn.cwnd;
        self.acked = self.acked.saturating_add(acked);
        let since = conn.ticks.wrapping_sub(self.last_ticks);
        let pause = conn.tick_hz.checked_div(params.updates_per_s);
        if self.last_cwnd == cwnd && pause.is_some_and(|pause| (since as i32) <= pause as i32) {
            return;
        }
        // The curve is read once per tick; today's kernel counts for the estimate all the same.
        let same_tick = params.spare_acks == 0 && self.epoch_start_ticks != 0 && since == 0;
        if !same_tick {
            self.last_cwnd = cwnd;
            self.last_ticks = conn.ticks;
            if self.epoch_start_ticks == 0 {
                self.begin_epoch(conn, acked, params);
            }
            self.count = self.count_on_curve(conn, params);
        }
        if params.friendliness == 1 {
            self.apply_tcp_friendliness(cwnd, params);
        }
        if params.ack_ratio == 1 {
            self.count = (self.count.min(u32::MAX >> RATIO_SHIFT) << RATIO_SHIFT) / self.ack_ratio_x16.max(1);
        }
        // At most 1.5 times the window per round trip; the historic kernels allowed 2.
        self.count = self.count.max(if params.spare_acks == 0 { 2 } else { 1 });
    }
}

impl CongestionControl for CubicLinux {
    type Params = CubicLinuxParams;

    fn init(&mut self, conn: &mut Conn, params: &CubicLinuxParams) {
        self.slow_start = SlowStart::default();
        self.reset(conn, params);
        if params.slow_start.is_standard() && params.start_ssthresh > 0 {
            conn.ssthresh = params.start_ssthresh;
        }
    }

    fn rescale(&mut self, scale: Rescale) -> bool {
        SegmentState::rescale(self, scale);
        self.epoch_start_ticks = 0; // C is in segments: K holds for the old ones only
        true
    }

    fn ssthresh(&mut self, conn: &mut Conn, params: &CubicLinuxParams) -> u32 {
        // In 32 bits, as the kernel has it: from 2³²/717, about six million segments, on the product wraps.
        let times = |numerator: u32, shift: u32| conn.cwnd.wrapping_mul(numerator) >> shift;
        let beta = params.beta >> 6;
        self.epoch_start_ticks = 0;
        self.last_max = if params.fast_convergence == 1 && conn.cwnd < self.last_max {
            times(1024 + beta, 11)
        } else {
            conn.cwnd
        };
        times(beta, 10).max(2)
    }

    fn cong_avoid(&mut self, conn: &mut Conn, _ack: u32, acked: u32, params: &CubicLinuxParams) {
        if !conn.cwnd_limited() {
            return;
        }
        let mut acked = counted(params.counting, acked);
        if conn.in_slow_start() {
            acked = self.slow_start.grow(conn, &params.slow_start, acked);
            if acked == 0 {
                return;
            }
        }
        self.update(conn, acked, params);
        let count = self.count;
        if params.spare_acks == 0 {
            additive_increase(conn, count, acked);
        } else if conn.cwnd_cnt >= count.saturating_add(params.spare_acks - 1) {
            conn.grow(1);
            conn.cwnd_cnt = 0;
        } else {
            conn.cwnd_cnt = conn.cwnd_cnt.saturating_add(acked);
        }
    }

    fn set_state(&mut self, conn: &mut Conn, new: CaState, params: &CubicLinuxParams) {
        if new == CaState::Loss {
            self.reset(conn, params);
        }
    }

    fn cwnd_event(&mut self, conn: &mut Conn, event: CaEvent, params: &CubicLinuxParams) {
        if params.idle == IDLE_COUNTS {
            return;
        }
        let idle = conn.ticks.wrapping_sub(conn.lsndtime_ticks);
        // Idle time does not count: the epoch moves with it, not past the present.
        if event == CaEvent::TxStart && self.epoch_start_ticks != 0 && (idle as i32) > 0 {
            let moved = self.epoch_start_ticks.wrapping_add(idle);
            let past_now = (conn.ticks.wrapping_sub(moved) as i32) < 0;
            self.epoch_start_ticks = if past_now { conn.ticks } else { moved };
        }
    }

    fn pkts_acked(&mut self, conn: &mut Conn, sample: &AckSample, params: &CubicLinuxParams) {
        if params.ack_ratio == 1 && conn.ca_state == CaState::Open {
            let old = self.ack_ratio_x16;
            self.ack_ratio_x16 = old.wrapping_add(sample.pkts_acked).wrapping_sub(old >> RATIO_SHIFT);
        }
        if sample.rtt_us < 0 {
            return;
        }
        // RTTs of the first second after a reduction are not believed.
        let age = conn.ticks.wrapping_sub(self.epoch_start_ticks);
        if self.epoch_start_ticks != 0 && (age as i32) < conn.tick_hz as i32 {
            return;
        }
        let rtt_us = sample.rtt_us as u32;
        let delay = if params.clock == CLOCK_TICKS {
            (u64::from(rtt_us) * u64::from(conn.tick_hz) / 1_000_000) as u32
        } else {
            rtt_us
        };
        let delay = delay.max(1);
        if self.delay_min == 0 || delay < self.delay_min {
            self.delay_min = delay;
        }
        self.slow_start.on_rtt(conn, &params.slow_start, rtt_us, self.delay_min);
    }

    fn info(&self, _conn: &Conn, params: &CubicLinuxParams) -> Info {
        let delay = if params.clock == CLOCK_TICKS { "min_rtt_ticks" } else { "min_rtt_us" };
        Info {
            fields: [
                ("last_max", u64::from(self.last_max)),
                ("origin", u64::from(self.origin)),
                ("k_s_x1024", u64::from(self.k_x1024)),
                ("count", u64::from(self.count)),
                ("w_tcp", u64::from(self.w_tcp)),
                (delay, u64::from(self.delay_min)),
                ("epoch_start_ticks", u64::from(self.epoch_start_ticks)),
                ("", 0),
            ],
        }
    }
}
