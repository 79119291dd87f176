// SPDX-License-Identifier: MIT OR Apache-2.0
//! H-TCP (Leith and Shorten 2004): standard TCP for a second after each loss, then growth that rises with the time Δ since
//! it: α(Δ) = 1 + 10 (Δ − Δ_L) + ((Δ − Δ_L)/2)² segments per round trip. A loss keeps β = RTTmin/RTTmax of the window, between
//! 0.5 and 0.8, which empties the queue and no more; 0.5 if the throughput changed by more than a fifth since the loss
//! before. α is multiplied by 2 (1 − β), so that flows with different β share alike.
//!
//! `htcp` computes in 1/1024, anew at each acknowledgement, with no RTT scaling: the paper's basic form, and what FreeBSD and
//! ns-3 do unless told otherwise. Not in the paper: Δ stands still while nothing is sent or the application holds the flow
//! back, as RFC 9438 §5.8 asks of CUBIC, because α would make a burst of a pause; and α is at most the window, so
//! that nothing outgrows slow start.
//!
//! `htcp-linux` is the kernel's: whole α(Δ), ticks for times, α in 1/128 computed anew when the window grows, α / (100 ms /
//! RTTmin) within a factor of 10 and 1/2, RTTmin above 10 ms for an adaptive β and one loss at steady throughput before it,
//! RTTmax growing by 20 ms per sample at most, segments beyond a full window not counted. In both RTTmax fades by 5 % of its
//! distance from RTTmin at each loss (Linux). What the golden trace does not show: RTTmin other than 40 ms, slow
//! start, timeouts, undo, Δ over 2 s.
//!
//! Both count acknowledged segments, as the kernel's module has done from 2.6.18 at the latest (`net/ipv4/tcp_htcp.c` of that
//! version: `snd_cwnd_cnt` grows by what `pkts_acked` was told), where its standard TCP and BIC counted acknowledgements.

mod parameter_sets;
mod units;

use crate::conn::{CaState, Conn};
use crate::hook_argument_types::{AckSample, CaEvent};
use crate::hooks::{CongestionControl, Info};
use crate::rescale::{Rescale, SegmentState};
use crate::slow_start;
pub use parameter_sets::HtcpParams;
use parameter_sets::{FINE, LINUX};
use units::{hz, in_units, now, over, parts, rise, since};

crate::state! {
    /// State of H-TCP. Times are in µs or ticks, RTTs too, throughput in segments per second.
    ///
    /// ```
    /// use cwnd::{Algorithm, Configured, Conn, algorithms::htcp::Htcp};
    ///
    /// let mut cc = Configured::<Htcp>::registered();
    /// let mut conn = Conn { packets_out: 100, ..Conn::new(1448, 100) };
    /// cc.init(&mut conn);
    /// assert_eq!(cc.ssthresh(&mut conn), 50); // half, before a round trip is known
    /// ```
    pub struct Htcp {
        last_congestion: u64 as unchanged,
        /// Fine: up to when Δ has counted.
        last_busy: u64 as unchanged,
        /// Where the throughput's present measurement began.
        measured_from: u64 as unchanged,
        /// Fine: acknowledged segments times α, below the window in the same unit.
        credit: u64 as squared,
        /// Of the last loss, should it be undone.
        undo_last_congestion: u64 as unchanged,
        undo_max_rtt: u32 as unchanged,
        undo_old_max_throughput: u32 as segments,
        /// In the arithmetic's parts.
        alpha: u32 as unchanged,
        beta: u32 as unchanged,
        /// 0 before the first sample.
        min_rtt: u32 as unchanged,
        max_rtt: u32 as unchanged,
        /// Segments in the throughput's present measurement.
        packets: u32 as segments,
        throughput: u32 as segments,
        /// Largest throughput since the last loss, and up to the loss before.
        max_throughput: u32 as segments,
        old_max_throughput: u32 as segments,
        /// Linux: segments of the acknowledgement being processed.
        acked: u32 as segments,
        /// 1 once a loss came at steady throughput.
        steady: u8 as unchanged,
        /// 1 while the last loss may be undone.
        can_undo: u8 as unchanged,
    }
}

impl Htcp {
    /// α from the time since the last loss and from β.
    fn update_alpha(&mut self, conn: &Conn, params: &HtcpParams) {
        let (hz, delta) = (hz(conn, params), since(conn, self.last_congestion, params));
        let min_rtt = u64::from(self.min_rtt);
        let reference = u64::from(params.rtt_reference_ms) * hz / 125; // × 8 / 1000
        let scaled = params.rtt_reference_ms > 0 && self.min_rtt > 0;
        let (beta, parts) = (u64::from(self.beta), u64::from(parts(params)));
        // 2⁴⁰ is beyond any window, and its products fit.
        let alpha = if params.arithmetic == LINUX {
            let mut factor = (1 + over(rise(delta, hz, params), hz)).min(1 << 40);
            if scaled {
                factor = over(factor << 3, over(reference, min_rtt).clamp(4, 80));
            }
            2 * factor.max(1) * parts.saturating_sub(beta)
        } else {
            // Δ in 1/1024 s makes α(Δ) come out in 1/1024.
            let mut factor = (1_024 + rise(delta * 16 / 15_625, 1_024, params)).min(1 << 40);
            if scaled {
                factor = over(factor << 10, over(reference << 7, min_rtt).clamp(512, 10_240)).max(1_024);
            }
            (factor * parts.saturating_sub(beta)) >> 9
        };
        self.alpha = alpha.clamp(1, u64::from(u32::MAX)) as u32;
    }

    /// The factor kept, from the throughput's change and the RTTs.
    fn update_beta(&mut self, conn: &Conn, params: &HtcpParams) {
        let parts = parts(params);
        let fixed = |x64k: u32| ((u64::from(x64k) * u64::from(parts)) >> 16) as u32;
        let (min, max) = (fixed(params.beta_min), fixed(params.beta_max));
        let old = self.old_max_throughput;
        self.old_max_throughput = self.max_throughput;
        let change = u64::from(self.max_throughput.abs_diff(old)) * 100;
        if params.switch > 0 && change > u64::from(old) * u64::from(params.switch) {
            (self.beta, self.steady) = (min, 0);
            return;
        }
        let floor = in_units(params.rtt_floor_ms, 1_000, hz(conn, params));
        let follows = self.steady == 1 || params.arithmetic == FINE;
        self.steady = 1;
        self.beta = if follows && self.min_rtt > floor && self.max_rtt > 0 {
            let ratio = over(u64::from(self.min_rtt) * u64::from(parts), u64::from(self.max_rtt));
            (ratio as u32).max(min).min(max)
        } else {
            min
        };
    }

    fn measure_rtt(&mut self, conn: &Conn, rtt_us: u32, params: &HtcpParams) {
        let hz = hz(conn, params);
        let rtt = in_units(rtt_us, 1_000_000, hz);
        if self.min_rtt == 0 || rtt < self.min_rtt {
            self.min_rtt = rtt;
        }
        if conn.ca_state == CaState::Open {
            self.max_rtt = self.max_rtt.max(self.min_rtt);
            let step =
                if params.rtt_step_ms == 0 { u32::MAX } else { in_units(params.rtt_step_ms, 1_000, hz) };
            if rtt > self.max_rtt && rtt <= self.max_rtt.saturating_add(step) {
                self.max_rtt = rtt;
            }
        }
    }

    /// Throughput over a round trip and about a window, smoothed by a quarter.
    fn measure_throughput(&mut self, conn: &Conn, pkts_acked: u32, params: &HtcpParams) {
        if !matches!(conn.ca_state, CaState::Open | CaState::Disorder) {
            self.packets = 0;
            self.measured_from = now(conn, params);
            return;
        }
        self.packets = self.packets.saturating_add(pkts_acked);
        let took = since(conn, self.measured_from, params);
        let nearly_a_window = conn.cwnd.saturating_sub((self.alpha / parts(params)).max(1));
        if self.min_rtt == 0 || self.packets < nearly_a_window || took < u64::from(self.min_rtt) {
            return;
        }
        let current = over(u64::from(self.packets) * hz(conn, params), took).min(1 << 30) as u32;
        let rounds = over(since(conn, self.last_congestion, params), u64::from(self.min_rtt));
        if rounds <= 3 {
            self.throughput = current;
            self.max_throughput = current;
        } else {
            self.throughput = ((3 * u64::from(self.throughput) + u64::from(current)) / 4) as u32;
            self.max_throughput = self.max_throughput.max(self.throughput);
        }
        self.packets = 0;
        self.measured_from = now(conn, params);
    }

    fn mark_active(&mut self, conn: &Conn, params: &HtcpParams) {
        if params.arithmetic == FINE {
            self.last_busy = conn.now_us;
        }
    }

    /// Nothing was sent, or the application held the flow back: that time tells nothing about the path.
    fn exclude_idle_time(&mut self, conn: &Conn, params: &HtcpParams) {
        if params.arithmetic == FINE {
            let pause = conn.now_us.saturating_sub(self.last_busy);
            self.last_congestion = self.last_congestion.saturating_add(pause);
            self.last_busy = conn.now_us;
        }
    }

    /// α/w segments per acknowledged segment, as the kernel counts.
    fn grow_as_linux(&mut self, conn: &mut Conn, params: &HtcpParams) {
        if (u64::from(conn.cwnd_cnt) * u64::from(self.alpha)) >> 7 >= u64::from(conn.cwnd) {
            conn.grow(1);
            conn.cwnd_cnt = 0;
            self.update_alpha(conn, params);
        } else {
            conn.cwnd_cnt = conn.cwnd_cnt.saturating_add(self.acked);
        }
        self.acked = 1;
    }

    /// α/w segments per acknowledged segment.
    fn grow(&mut self, conn: &mut Conn, acked: u32, params: &HtcpParams) {
        self.update_alpha(conn, params);
        let window = (u64::from(conn.cwnd) << 10).max(1);
        // Left from a larger window it is worth one segment, not a burst.
        let earned = u64::from(acked).saturating_mul(u64::from(self.alpha).min(window));
        let credit = self.credit.min(window).saturating_add(earned);
        conn.grow((credit / window).min(u64::from(acked)) as u32);
        self.credit = credit % window;
    }
}

impl CongestionControl for Htcp {
    type Params = HtcpParams;

    fn init(&mut self, conn: &mut Conn, params: &HtcpParams) {
        let parts = parts(params);
        *self = Self { alpha: parts, beta: parts / 2, acked: 1, ..Self::default() };
        self.last_congestion = now(conn, params);
        self.mark_active(conn, params);
    }

    fn rescale(&mut self, scale: Rescale) -> bool {
        SegmentState::rescale(self, scale);
        true
    }

    fn ssthresh(&mut self, conn: &mut Conn, params: &HtcpParams) -> u32 {
        self.update_beta(conn, params);
        self.update_alpha(conn, params);
        self.credit = 0;
        if self.min_rtt > 0 && self.max_rtt > self.min_rtt {
            let apart = u64::from(self.max_rtt - self.min_rtt) * u64::from(params.fading.min(100)) / 100;
            self.max_rtt = self.min_rtt + apart as u32;
        }
        ((u64::from(conn.cwnd) * u64::from(self.beta) / u64::from(parts(params))) as u32).max(2)
    }

    fn cong_avoid(&mut self, conn: &mut Conn, _ack: u32, acked: u32, params: &HtcpParams) {
        if !conn.cwnd_limited() {
            self.exclude_idle_time(conn, params);
            return;
        }
        self.mark_active(conn, params);
        if conn.in_slow_start() {
            slow_start::standard(conn, acked);
        } else if params.arithmetic == LINUX {
            self.grow_as_linux(conn, params);
        } else {
            self.grow(conn, acked, params);
        }
    }

    fn set_state(&mut self, conn: &mut Conn, new: CaState, params: &HtcpParams) {
        self.mark_active(conn, params);
        match new {
            // Δ counts from the end of the repair.
            CaState::Open if self.can_undo == 1 => {
                self.last_congestion = now(conn, params);
                (self.undo_last_congestion, self.can_undo) = (0, 0);
            }
            CaState::Cwr | CaState::Recovery | CaState::Loss => {
                (self.undo_last_congestion, self.can_undo) = (self.last_congestion, 1);
                self.undo_max_rtt = self.max_rtt;
                self.undo_old_max_throughput = self.old_max_throughput;
                self.last_congestion = now(conn, params);
            }
            CaState::Open | CaState::Disorder => {}
        }
    }

    fn cwnd_event(&mut self, conn: &mut Conn, event: CaEvent, params: &HtcpParams) {
        if event == CaEvent::TxStart {
            self.exclude_idle_time(conn, params);
        }
    }

    fn undo_cwnd(&mut self, conn: &mut Conn, _params: &HtcpParams) -> u32 {
        if self.can_undo == 1 {
            self.last_congestion = self.undo_last_congestion;
            self.max_rtt = self.undo_max_rtt;
            self.old_max_throughput = self.undo_old_max_throughput;
            (self.undo_last_congestion, self.can_undo) = (0, 0);
        }
        conn.cwnd.max(conn.prior_cwnd)
    }

    fn pkts_acked(&mut self, conn: &mut Conn, sample: &AckSample, params: &HtcpParams) {
        if conn.ca_state == CaState::Open {
            self.acked = sample.pkts_acked;
        }
        if sample.rtt_us > 0 {
            self.measure_rtt(conn, sample.rtt_us as u32, params);
        }
        if params.switch > 0 {
            self.measure_throughput(conn, sample.pkts_acked, params);
        }
    }

    fn info(&self, conn: &Conn, params: &HtcpParams) -> Info {
        let (scale, hz) = (u64::from(1_024 / parts(params).max(1)), hz(conn, params).max(1));
        let us = |units: u64| units.saturating_mul(1_000_000) / hz;
        Info::of(&[
            ("alpha_per_rtt_x1024", u64::from(self.alpha) * scale),
            ("beta_x1024", u64::from(self.beta) * scale),
            ("min_rtt_us", us(u64::from(self.min_rtt))),
            ("max_rtt_us", us(u64::from(self.max_rtt))),
            ("since_congestion_us", us(since(conn, self.last_congestion, params))),
            ("throughput_segments_per_s", u64::from(self.throughput)),
            ("max_throughput_segments_per_s", u64::from(self.max_throughput)),
            ("steady", u64::from(self.steady)),
        ])
    }
}

#[cfg(test)]
mod tests;
