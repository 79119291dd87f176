// SPDX-License-Identifier: MIT OR Apache-2.0
//! BIC (Xu, Harfoush and Rhee 2004): a binary search for the window at which the last loss came, then beyond it.
//!
//! `bic` and `bic-linux` have the kernel's constants, with which BIC was the default of Linux 2.6.8 to 2.6.18 and ran in the
//! CUBIC papers' experiments: at most 16 segments per round trip, 4 as the search's divisor, 1/5 of a segment as the
//! smallest step, 819/1024 kept. `bic` counts time in whole updates and segments as they are; `bic-linux` repeats an
//! increment for 1/32 s at an unchanged window, and divides by the ACK ratio although segments count: its growth is
//! about twice what the constants say. `bic-2.6` is the kernel of the papers' years, in which acknowledgements counted, so that
//! the division makes up for delayed ACKs: in slow start and up to 14 segments it does not, as standard TCP of its time
//! does not. Deviation: an increment there took one acknowledgement more than counted.
//!
//! `bic-2004` is the paper's: a round trip goes to the midpoint between the window that had no loss (w_min) and the one
//! that had (W_max), by at most S_max = 32; once that is less than S_min = 0.01, to W_max; beyond it to W_max + 1, 2, 4, …, and on
//! by S_max; 0.875 kept; standard TCP below 14. Its deviations: a step lasts until its window is reached, not for a measured
//! round trip; a window grows by at most one segment per acknowledged segment (32 more than doubles the smallest); before any
//! loss W_max counts as long passed.

#[cfg(test)]
mod tests;

use crate::algorithms::{COUNT_ACKS, COUNT_NAMES, COUNT_SEGMENTS, additive_increase, counted, grow_per_rtt};
use crate::conn::{CaState, Conn};
use crate::hook_argument_types::AckSample;
use crate::hooks::{CongestionControl, Info};
use crate::math::ONE_X64K;
use crate::params::ParamKind;
use crate::registration::{Recovery, Registered, Set};
use crate::rescale::{Rescale, SegmentState};
use crate::slow_start;

/// Divisor of the search's step (BICTCP_B).
const B: u32 = 4;
/// The ACK ratio is kept in 1/16.
const RATIO_SHIFT: u32 = 4;
/// Before any loss a round trip grows the window by at least 1/20.
const UNKNOWN_MAX_COUNT: u32 = 20;

const SEARCH_NAMES: &[&str] = &["linux", "midpoint"];
const LINUXS: u32 = 0;
const MIDPOINT: u32 = 1;

crate::params! {
    /// Settings of BIC.
    ///
    /// ```
    /// use cwnd::{Algorithm, Conn, Fraction, algorithms::bic::Bic};
    ///
    /// let mut cc = Bic::builder().beta(Fraction::new(7, 8)).build()?;
    /// let mut conn = Conn { packets_out: 100, ..Conn::new(1448, 100) };
    /// cc.init(&mut conn);
    /// assert_eq!(cc.ssthresh(&mut conn), 87); // 100 × 7/8
    /// # Ok::<(), cwnd::ParamError>(())
    /// ```
    pub struct BicParams for Bic {
        beta: ParamKind::Decimal, "", 6_554 => 64_881, "Xu et al. 2004; Linux",
            "factor of the window kept after a loss";
        max_increment: ParamKind::Whole, "segments", 1 => 1_000, "Xu et al. 2004 (S_max)",
            "max growth per round trip";
        low_window: ParamKind::Whole, "segments", 0 => 1_000_000, "Xu et al. 2004",
            "up to this window, standard TCP";
        smooth_part: ParamKind::Whole, "", 4 => 1_000, "Linux",
            "round trips for the last four segments of the search, and the first beyond it; search = linux only";
        fast_convergence: ParamKind::Flag, "", 0 => 1, "Xu et al. 2004 §III.D",
            "remember a lower maximum when a loss occurs below the last one";
        updates_per_s: ParamKind::Whole, "1/s", 0 => 1_000, "Linux",
            "how often the increment is recomputed at an unchanged window; 0: at every acknowledgement";
        ack_ratio: ParamKind::Flag, "", 0 => 1, "Linux",
            "multiply growth by the mean segments per acknowledgement: correct if acknowledgements are counted";
        counting: ParamKind::Choice(COUNT_NAMES), "", 0 => 1, "RFC 3465; Linux",
            "what grows the window: acknowledged segments, or acknowledgements";
        search: ParamKind::Choice(SEARCH_NAMES), "", 0 => 1, "Linux; Xu et al. 2004 §III",
            "linux: a quarter of the distance to the last maximum per round trip; midpoint: a half, as in the paper";
        min_increment: ParamKind::Decimal, "segments", 66 => 65_536, "Xu et al. 2004 (S_min)",
            "a smaller step of the search jumps to the maximum; search = midpoint only";
    }
}

crate::state! {
    /// State of BIC.
    ///
    /// ```
    /// use cwnd::{Algorithm, Configured, Conn, algorithms::bic::Bic};
    ///
    /// let mut cc = Configured::<Bic>::registered();
    /// let mut conn = Conn { packets_out: 100, ..Conn::new(1448, 100) };
    /// cc.init(&mut conn);
    /// assert_eq!(cc.ssthresh(&mut conn), 79); // 100 × 819/1024
    /// ```
    pub struct Bic {
        /// Acknowledged segments, or acknowledgements, to one segment of growth.
        count: u32 as unchanged,
        last_max: u32 as segments,
        last_cwnd: u32 as segments,
        last_ticks: u32 as unchanged,
        /// Segments per acknowledgement, in 1/16.
        ack_ratio_x16: u32 as unchanged,
        /// The paper's search: growth of the present step, and the window that ends it, in 1/2²⁴ of a segment.
        step_x16m: u64 as segments,
        step_end_x16m: u64 as segments,
    }
}

/// How far the next round trip goes from `window`, all in 1/2²⁴ of a segment. // Xu et al. 2004 §III
fn step_x16m(window: u64, last_max: u64, params: &BicParams) -> u64 {
    let step = if window < last_max {
        let distance = last_max - window;
        if distance / 2 < u64::from(params.min_increment) << 8 { distance } else { distance / 2 }
    } else {
        (window - last_max).max(1 << 24) // W_max + 1, + 2, + 4, …
    };
    step.min(u64::from(params.max_increment) << 24)
}

impl Bic {
    fn reset(&mut self) {
        *self = Self { ack_ratio_x16: 2 << RATIO_SHIFT, ..Self::default() };
    }

    /// Acknowledged segments to one segment of growth, before the correction for delayed ACKs.
    fn search(&self, cwnd: u32, params: &BicParams) -> u32 {
        let smooth = cwnd.saturating_mul(params.smooth_part) / B;
        let max_increment = params.max_increment.max(1);
        let fastest = cwnd / max_increment;
        if cwnd <= params.low_window {
            cwnd
        } else if cwnd < self.last_max {
            let step = (self.last_max - cwnd) / B;
            if step > max_increment {
                fastest
            } else if step <= 1 {
                smooth
            } else {
                cwnd / step
            }
        } else {
            let beyond = cwnd - self.last_max;
            if beyond < B {
                smooth
            } else if beyond < max_increment * (B - 1) {
                cwnd.saturating_mul(B - 1) / beyond.max(1)
            } else {
                fastest
            }
        }
    }

    /// Growth of the present round trip in the paper's form.
    fn midpoint_growth_x16m(&mut self, conn: &Conn, params: &BicParams) -> u64 {
        if conn.cwnd < params.low_window {
            return 1 << 24;
        }
        let window = (u64::from(conn.cwnd) << 24) + u64::from(conn.cwnd_cnt >> 8);
        // The second: the transport has set a window from before this step.
        if window >= self.step_end_x16m || window.saturating_add(self.step_x16m) < self.step_end_x16m {
            self.step_x16m = step_x16m(window, u64::from(self.last_max) << 24, params);
            self.step_end_x16m = window.saturating_add(self.step_x16m);
        }
        self.step_x16m
    }

    fn update(&mut self, conn: &Conn, params: &BicParams) {
        let cwnd = conn.cwnd;
        let pause = conn.tick_hz.checked_div(params.updates_per_s).unwrap_or(0);
        let since = conn.ticks.wrapping_sub(self.last_ticks);
        if params.updates_per_s > 0 && self.last_cwnd == cwnd && (since as i32) <= pause as i32 {
            return;
        }
        self.last_cwnd = cwnd;
        self.last_ticks = conn.ticks;
        self.count = self.search(cwnd, params);
        if cwnd <= params.low_window {
            return;
        }
        if self.last_max == 0 {
            self.count = self.count.min(UNKNOWN_MAX_COUNT);
        }
        if params.ack_ratio == 1 {
            self.count = (self.count << RATIO_SHIFT) / self.ack_ratio_x16.max(1);
        }
        self.count = self.count.max(1);
    }
}

const LINUX: BicParams = BicParams {
    beta: 52_416, // 819/1024
    max_increment: 16,
    low_window: 14,
    smooth_part: 20,
    fast_convergence: 1,
    updates_per_s: 32,
    ack_ratio: 1,
    counting: COUNT_SEGMENTS,
    search: LINUXS,
    min_increment: 655,
};
const PAPER: BicParams = BicParams {
    beta: 57_344, // 0.875
    max_increment: 32,
    low_window: 14,
    smooth_part: 20,
    fast_convergence: 1,
    updates_per_s: 0,
    ack_ratio: 0,
    counting: COUNT_SEGMENTS,
    search: MIDPOINT,
    min_increment: 655, // 0.01
};

impl Registered for Bic {
    const NAME: &'static str = "bic";
    const SUMMARY: &'static str = "a binary search for the window of the last loss";
    const SETS: &'static [Set<BicParams>] = &[
        Set {
            name: "bic",
            summary: "at most 16 segments per round trip, 0.8 kept",
            source: "Xu, Harfoush and Rhee 2004; Linux's constants",
            recovery: Recovery::Sack,
            params: BicParams { updates_per_s: 0, ack_ratio: 0, ..LINUX },
        },
        Set {
            name: "bic-linux",
            summary: "as in Linux, tick for tick",
            source: "Linux 6.1, golden traces",
            recovery: Recovery::Linux,
            params: LINUX,
        },
        Set {
            name: "bic-2.6",
            summary: "Linux at the time of the papers: counts acknowledgements, corrected by their ratio",
            source: "Linux 2.6.18 to 2.6.25",
            recovery: Recovery::Sack,
            params: BicParams { counting: COUNT_ACKS, ..LINUX },
        },
        Set {
            name: "bic-2004",
            summary: "the paper's: halves the distance per round trip, at most 32 segments, 0.875 kept",
            source: "Xu, Harfoush and Rhee 2004",
            recovery: Recovery::Sack,
            params: PAPER,
        },
    ];
}

impl CongestionControl for Bic {
    type Params = BicParams;

    fn init(&mut self, _conn: &mut Conn, _params: &BicParams) {
        self.reset();
    }

    fn rescale(&mut self, scale: Rescale) -> bool {
        SegmentState::rescale(self, scale);
        true
    }

    fn ssthresh(&mut self, conn: &mut Conn, params: &BicParams) -> u32 {
        let cwnd = conn.cwnd;
        let times = |fraction_x64k: u32| ((u64::from(cwnd) * u64::from(fraction_x64k)) >> 16) as u32;
        self.last_max = if params.fast_convergence == 1 && cwnd < self.last_max {
            times((ONE_X64K + params.beta) / 2)
        } else {
            cwnd
        };
        (self.step_x16m, self.step_end_x16m) = (0, 0);
        // The paper's own rule begins at low_window, the kernel's above it.
        let lowest = if params.search == MIDPOINT { params.low_window } else { params.low_window + 1 };
        let window = if cwnd < lowest { cwnd >> 1 } else { times(params.beta) };
        window.max(2)
    }

    fn cong_avoid(&mut self, conn: &mut Conn, _ack: u32, acked: u32, params: &BicParams) {
        if !conn.cwnd_limited() {
            return;
        }
        let mut acked = counted(params.counting, acked);
        if conn.in_slow_start() {
            acked = slow_start::standard(conn, acked);
            if acked == 0 {
                return;
            }
        }
        if params.search == MIDPOINT {
            let growth = self.midpoint_growth_x16m(conn, params);
            grow_per_rtt(conn, growth, acked);
            return;
        }
        self.update(conn, params);
        let count = self.count;
        additive_increase(conn, count, acked);
    }

    fn set_state(&mut self, _conn: &mut Conn, new: CaState, params: &BicParams) {
        // The kernel's form forgets; the paper has no such rule.
        if new == CaState::Loss && params.search != MIDPOINT {
            self.reset();
        }
    }

    fn pkts_acked(&mut self, conn: &mut Conn, sample: &AckSample, _params: &BicParams) {
        if conn.ca_state == CaState::Open {
            let old = self.ack_ratio_x16;
            self.ack_ratio_x16 = old.wrapping_add(sample.pkts_acked).wrapping_sub(old >> RATIO_SHIFT);
        }
    }

    fn info(&self, _conn: &Conn, _params: &BicParams) -> Info {
        Info::of(&[
            ("last_max", u64::from(self.last_max)),
            ("acked_to_grow", u64::from(self.count)),
            ("ack_ratio_x16", u64::from(self.ack_ratio_x16)),
            ("step_per_rtt_x64k", self.step_x16m >> 8),
        ])
    }
}
