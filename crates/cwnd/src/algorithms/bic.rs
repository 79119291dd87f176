// SPDX-License-Identifier: MIT OR Apache-2.0
//! BIC (Xu, Harfoush and Rhee 2004): a binary search for the window at which the last loss came, then beyond it.
//!
//! `bic` and `bic-linux` have the kernel's constants, with which BIC was the default of Linux 2.6.8 to 2.6.18: at most 16
//! segments per round trip, 4 as the search's divisor, 1/5 of a segment as the smallest step, 819/1024 kept. The paper's
//! own S_max = 32 is `max_increment=32`; its S_min = 0.01 has no equivalent. `bic` counts time in whole updates and
//! segments as they are; `bic-linux` repeats an increment for 1/32 s at an unchanged window, and divides by the ACK ratio
//! although segments count: its growth is about twice what the constants say.

use super::additive_increase;
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
            "round trips for the last B segments of the search, and the first beyond it";
        fast_convergence: Kind::Flag, "", 0 => 1, "Xu et al. 2004 §III.D",
            "remember a lower maximum when losses come below the last one";
        updates_per_s: Kind::Whole, "1/s", 0 => 1_000, "Linux",
            "how often the increment is computed anew at an unchanged window; 0: at every acknowledgement";
        ack_ratio: Kind::Flag, "", 0 => 1, "Linux",
            "multiply growth by the mean segments per acknowledgement, as if acknowledgements counted";
    }
}

/// State of BIC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Bic {
    /// Acknowledged segments to one segment of growth.
    count: u32,
    last_max: u32,
    last_cwnd: u32,
    last_ticks: u32,
    /// Segments per acknowledgement, in 1/16.
    ack_ratio_x16: u32,
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
            recovery: Recovery::Sack,
            params: LINUX,
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
        let window = if cwnd <= params.low_window { cwnd >> 1 } else { kept(params.beta) };
        window.max(2)
    }

    fn cong_avoid(&mut self, conn: &mut Conn, _ack: u32, acked: u32, params: &BicParams) {
        if !conn.cwnd_limited() {
            return;
        }
        let mut acked = acked;
        if conn.in_slow_start() {
            acked = slow_start::standard(conn, acked);
            if acked == 0 {
                return;
            }
        }
        self.update(conn, params);
        let count = self.count;
        additive_increase(conn, count, acked);
    }

    fn set_state(&mut self, _conn: &mut Conn, new: CaState, _params: &BicParams) {
        if new == CaState::Loss {
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
        Info {
            fields: [
                ("last_max", u64::from(self.last_max)),
                ("acked_to_grow", u64::from(self.count)),
                ("ack_ratio_x16", u64::from(self.ack_ratio_x16)),
                ("", 0),
                ("", 0),
                ("", 0),
                ("", 0),
                ("", 0),
            ],
        }
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

    #[test]
    fn fast_convergence_remembers_nine_tenths() {
        let (mut bic, mut conn) = (Bic::default(), Conn::new(1448, 1000));
        assert_eq!(bic.ssthresh(&mut conn, &LINUX), 799); // 1000 · 819/1024
        conn.cwnd = 900;
        bic.ssthresh(&mut conn, &LINUX);
        assert_eq!(bic.last_max, 809); // 900 · 1843/2048
    }
}
