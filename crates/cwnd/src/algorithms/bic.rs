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

use super::{COUNT_ACKS, COUNT_NAMES, COUNT_SEGMENTS, additive_increase, counted, grow_per_rtt};
use crate::conn::{AckSample, CaState, Conn};
use crate::control::{CongestionControl, Info};
use crate::math::ONE_X64K;
use crate::params::Kind;
use crate::registry::{Recovery, Registered, Set};
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
    pub struct BicParams {
        beta: Kind::Decimal, "", 6_554 => 64_881, "Xu et al. 2004; Linux",
            "factor of the window kept after a loss";
        max_increment: Kind::Whole, "segments", 1 => 1_000, "Xu et al. 2004 (S_max)",
            "largest growth of a round trip";
        low_window: Kind::Whole, "segments", 0 => 1_000_000, "Xu et al. 2004",
            "up to this window it is standard TCP";
        smooth_part: Kind::Whole, "", 4 => 1_000, "Linux",
            "round trips for the last B segments of the search, and the first beyond it; search = linux only";
        fast_convergence: Kind::Flag, "", 0 => 1, "Xu et al. 2004 §III.D",
            "remember a lower maximum when losses come below the last one";
        updates_per_s: Kind::Whole, "1/s", 0 => 1_000, "Linux",
            "how often the increment is computed anew at an unchanged window; 0: at every acknowledgement";
        ack_ratio: Kind::Flag, "", 0 => 1, "Linux",
            "multiply growth by the mean segments per acknowledgement: right where acknowledgements count";
        counting: Kind::Choice(COUNT_NAMES), "", 0 => 1, "RFC 3465; Linux",
            "what grows the window: acknowledged segments, or acknowledgements";
        search: Kind::Choice(SEARCH_NAMES), "", 0 => 1, "Linux; Xu et al. 2004 §III",
            "linux: a quarter of the distance to the last maximum per round trip; midpoint: a half, as in the paper";
        min_increment: Kind::Decimal, "segments", 66 => 65_536, "Xu et al. 2004 (S_min)",
            "a smaller step of the search goes to the maximum; search = midpoint only";
    }
}

/// State of BIC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Bic {
    /// Acknowledged segments, or acknowledgements, to one segment of growth.
    count: u32,
    last_max: u32,
    last_cwnd: u32,
    last_ticks: u32,
    /// Segments per acknowledgement, in 1/16.
    ack_ratio_x16: u32,
    /// The paper's search: growth of the present step, and the window that ends it, in 1/2²⁴ of a segment.
    step_x16m: u64,
    step_end_x16m: u64,
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
        if params.updates_per_s > 0 && self.last_cwnd == cwnd && since.cast_signed() <= pause.cast_signed() {
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
            summary: "the kernel's, tick for tick",
            source: "Linux 6.1, golden traces",
            recovery: Recovery::SackPrr,
            params: LINUX,
        },
        Set {
            name: "bic-2.6",
            summary: "the kernel's of the papers' years: acknowledgements count, corrected by their ratio",
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

    fn ssthresh(&mut self, conn: &mut Conn, params: &BicParams) -> u32 {
        let cwnd = conn.cwnd;
        let kept = |fraction_x64k: u32| ((u64::from(cwnd) * u64::from(fraction_x64k)) >> 16) as u32;
        self.last_max = if params.fast_convergence == 1 && cwnd < self.last_max {
            kept((ONE_X64K + params.beta) / 2)
        } else {
            cwnd
        };
        (self.step_x16m, self.step_end_x16m) = (0, 0);
        // The paper's own rule begins at low_window, the kernel's above it.
        let lowest = if params.search == MIDPOINT { params.low_window } else { params.low_window + 1 };
        let window = if cwnd < lowest { cwnd >> 1 } else { kept(params.beta) };
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

#[cfg(test)]
mod tests {
    use super::*;

    fn search(cwnd: u32, last_max: u32) -> u32 {
        Bic { last_max, ..Bic::default() }.search(cwnd, &LINUX)
    }

    // Far below the maximum 16 segments per round trip, near it a quarter of the distance, at it 1/5 of a segment, and
    // the mirror image beyond: (cwnd − W_max)/3, then 16 again. Growth per round trip is cwnd / count.
    #[test]
    fn the_search_is_linear_then_logarithmic_then_the_mirror_image() {
        assert_eq!(search(1600, 2000), 1600 / 16); // a quarter of 400 is more than 16
        assert_eq!(search(1960, 2000), 1960 / 10);
        assert_eq!(search(1998, 2000), 1998 * 5);
        assert_eq!(search(2003, 2000), 2003 * 5);
        assert_eq!(search(2030, 2000), 2030 * 3 / 30); // ten segments per round trip
        assert_eq!(search(2048, 2000), 2048 / 16);
        assert_eq!(search(14, 2000), 14, "standard TCP up to 14 segments");
    }

    // 1600 of 2000: 16 segments per round trip, a count of 100. Two segments to an acknowledgement make it 50, and 800 acknowledgements are a
    // round trip: 16 segments. Where segments count all the same, that is 32.
    #[test]
    fn the_ack_ratio_makes_up_for_delayed_acks_where_acknowledgements_count() {
        let grown = |counting: u32| {
            let params = BicParams { counting, ..LINUX };
            let mut bic = Bic { last_max: 2000, ack_ratio_x16: 32, ..Bic::default() };
            let mut conn = Conn { is_cwnd_limited: true, ssthresh: 1000, ..Conn::new(1448, 1600) };
            for _ in 0..800 {
                bic.cong_avoid(&mut conn, 0, 2, &params);
            }
            conn.cwnd - 1600
        };
        assert!((15..=16).contains(&grown(COUNT_ACKS)), "{}", grown(COUNT_ACKS));
        assert!((31..=32).contains(&grown(COUNT_SEGMENTS)), "{}", grown(COUNT_SEGMENTS));
    }

    // Up to 14 segments nothing makes up for them, nor in slow start: half a segment per round trip, and 1.5 times, as standard TCP counts.
    #[test]
    fn where_acknowledgements_count_a_small_window_grows_as_standard_tcps() {
        let params = BicParams { counting: COUNT_ACKS, ..LINUX };
        let after = |cwnd: u32, ssthresh: u32, acks: u32| {
            let mut bic = Bic { last_max: 20, ack_ratio_x16: 32, ..Bic::default() };
            let mut conn = Conn { is_cwnd_limited: true, ssthresh, ..Conn::new(1448, cwnd) };
            for _ in 0..acks {
                bic.cong_avoid(&mut conn, 0, 2, &params);
            }
            conn.cwnd
        };
        assert_eq!((after(10, 5, 9), after(10, 5, 10)), (10, 11));
        assert_eq!(after(10, 100, 5), 15);
    }

    #[test]
    fn fast_convergence_remembers_nine_tenths() {
        let (mut bic, mut conn) = (Bic::default(), Conn::new(1448, 1000));
        assert_eq!(bic.ssthresh(&mut conn, &LINUX), 799); // 1000 · 819/1024
        conn.cwnd = 900;
        bic.ssthresh(&mut conn, &LINUX);
        assert_eq!(bic.last_max, 809); // 900 · 1843/2048
    }

    /// Growth of a round trip of `bic-2004` at `window`, in segments.
    fn step(window: f64, last_max: u32) -> f64 {
        let one = f64::from(1 << 24);
        step_x16m((window * one) as u64, u64::from(last_max) << 24, &PAPER) as f64 / one
    }

    // Xu et al. 2004 §III: the midpoint, but no further than 32; below 0.01 the maximum; then 1, 2, 4, … beyond it.
    #[test]
    fn the_papers_search_goes_to_the_midpoint() {
        assert!((step(875.0, 1000) - 32.0).abs() < 1e-6); // 62.5 is too far
        assert!((step(939.0, 1000) - 30.5).abs() < 1e-6);
        assert!((step(999.5, 1000) - 0.25).abs() < 1e-6);
        assert!((step(999.984, 1000) - 0.016).abs() < 1e-6); // half of it is less than 0.01
        let beyond =
            [(1000.0, 1.0), (1001.0, 1.0), (1002.0, 2.0), (1004.0, 4.0), (1032.0, 32.0), (1064.0, 32.0)];
        for (window, expected) in beyond {
            assert!((step(window, 1000) - expected).abs() < 1e-6, "{window}");
        }
        assert!((step(500.0, 0) - 32.0).abs() < 1e-6, "before any loss");
    }

    // By hand: a loss at 1000 leaves 875; then round trip by round trip 907, 939, 969.5 (the midpoint of 939 and 1000), 984.75,
    // 992.375, … half the distance each, 1000 once the half is below 0.01 (thirteen halvings: 61/2¹³ = 0.0074), 1001, 1002, 1004.
    #[test]
    fn the_papers_window_returns_in_halves_and_probes_in_doubles() {
        let mut bic = Bic::default();
        let mut conn = Conn { is_cwnd_limited: true, ..Conn::new(1448, 1000) };
        bic.init(&mut conn, &PAPER);
        assert_eq!(bic.ssthresh(&mut conn, &PAPER), 875);
        (conn.cwnd, conn.ssthresh) = (875, 875);
        let (mut ends, mut last) = (Vec::new(), 0);
        while conn.cwnd < 1040 {
            bic.cong_avoid(&mut conn, 0, 1, &PAPER);
            if bic.step_end_x16m != last {
                last = bic.step_end_x16m;
                ends.push(last as f64 / f64::from(1 << 24));
            }
        }
        let mut expected = vec![907.0, 939.0];
        expected.extend((1..=12).map(|n| 1000.0 - 61.0 / f64::from(1 << n)));
        expected.extend([1000.0, 1001.0, 1002.0, 1004.0, 1008.0, 1016.0, 1032.0, 1064.0]);
        assert_eq!(ends.len(), expected.len(), "{ends:?}");
        // A step ends with the acknowledgement that passes its end, which is up to 32/875 of a segment too far.
        for (end, expected) in ends.iter().zip(expected) {
            assert!((end - expected).abs() < 0.2, "{end}, not {expected}: {ends:?}");
        }
    }

    #[test]
    fn the_papers_form_is_standard_tcp_below_fourteen_and_remembers_fifteen_sixteenths() {
        let (mut bic, mut conn) = (Bic::default(), Conn::new(1448, 13));
        assert_eq!(bic.ssthresh(&mut conn, &PAPER), 6);
        assert_eq!(bic.midpoint_growth_x16m(&conn, &PAPER), 1 << 24);
        conn.cwnd = 14;
        assert_eq!(bic.ssthresh(&mut conn, &PAPER), 12); // 12.25
        conn.cwnd = 1000;
        bic.ssthresh(&mut conn, &PAPER);
        conn.cwnd = 800;
        bic.ssthresh(&mut conn, &PAPER);
        assert_eq!(bic.last_max, 750); // 800 · (1 + 0.875)/2
    }
}
