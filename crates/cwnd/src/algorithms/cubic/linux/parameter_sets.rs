// SPDX-License-Identifier: MIT OR Apache-2.0
//! Settings of the kernel's CUBIC, and the kernels' forms of it as named parameter sets.

use super::CubicLinux;
use crate::algorithms::{COUNT_ACKS, COUNT_NAMES, COUNT_SEGMENTS};
use crate::hooks::PrivateWords;
use crate::params::ParamKind;
use crate::registration::{Recovery, Registered, Set};
use crate::slow_start::{self, SlowStart, SlowStartParams};

/// The ACK ratio is kept in 1/16.
pub(super) const RATIO_SHIFT: u32 = 4;
/// The ratio without samples.
pub(super) const RATIO_START_X16: u32 = 2 << RATIO_SHIFT;

pub(super) const ROOT_TABLE: u32 = 0;
pub(super) const ROOT_NEWTON: u32 = 1;
pub(super) const CLOCK_US: u32 = 0;
pub(super) const CLOCK_TICKS: u32 = 1;
pub(super) const CLAMP_OFF: u32 = 0;
pub(super) const CLAMP_CONVEX: u32 = 1;
pub(super) const CLAMP_ALWAYS: u32 = 2;
pub(super) const IDLE_MOVES_EPOCH: u32 = 0;
pub(super) const IDLE_COUNTS: u32 = 1;
pub(super) const UNKNOWN_AT_MOST: u32 = 0;
pub(super) const UNKNOWN_ALWAYS: u32 = 1;
pub(super) const UNKNOWN_CURVE: u32 = 2;

crate::params! {
    /// Settings of the kernel's CUBIC.
    ///
    /// ```
    /// use cwnd::{Algorithm, Conn, Fraction, algorithms::cubic::linux::CubicLinux};
    ///
    /// let mut cc = CubicLinux::builder().beta(Fraction::new(1, 2)).build()?;
    /// let mut conn = Conn { packets_out: 100, ..Conn::new(1448, 100) };
    /// cc.init(&mut conn);
    /// assert_eq!(cc.ssthresh(&mut conn), 50); // 100 × 1/2
    /// # Ok::<(), cwnd::ParamError>(())
    /// ```
    pub struct CubicLinuxParams for CubicLinux {
        beta: ParamKind::Decimal, "", 6_554 => 64_881, "Linux (717/1024 since 2.6.25, 819/1024 before)",
            "factor of the window kept after a loss";
        c: ParamKind::Decimal, "segments/s^3", 64 => 458_752, "Linux (bic_scale 41: 410/1024)",
            "scale of the cubic function in the time K to the plateau";
        curve_c: ParamKind::Decimal, "segments/s^3", 64 => 458_752, "Linux; LKML, 31 October 2006",
            "scale of the cubic function in the curve: differs from c only in the unfixed kernel";
        fast_convergence: ParamKind::Flag, "", 0 => 1, "Ha et al. 2008 §3.7",
            "remember a lower maximum when a loss occurs below the last one";
        friendliness: ParamKind::Flag, "", 0 => 1, "Ha et al. 2008 §3.3",
            "grow at least as fast as an AIMD flow of equal average rate";
        clamp: ParamKind::Choice(&["off", "convex", "always"]), "", 0 => 2, "Ha et al. 2008 table 1; Linux",
            "where S_max limits the increase: nowhere, beyond the plateau, or throughout";
        max_increment: ParamKind::Whole, "segments/100 ms", 1 => 1_000, "Rhee and Xu 2005 §II.B; Linux (S_max)",
            "largest increase";
        unknown_count: ParamKind::Whole, "acknowledgements", 2 => 1_000, "Linux",
            "acknowledgements per segment of growth before the first loss";
        unknown: ParamKind::Choice(&["at_most", "always", "curve"]), "", 0 => 2,
            "Linux; Leith et al. 2007 Algorithm 1; Ha et al. 2008 Algorithm 1",
            "before the first loss: unknown_count limits the curve's count, replaces it, or has no effect";
        spare_acks: ParamKind::Whole, "acknowledgements", 0 => 2, "Linux; Leith et al. 2007 Algorithm 1",
            "acknowledgements per increment beyond the count";
        ack_ratio: ParamKind::Flag, "", 0 => 1, "Linux before 3.x",
            "correct the count for delayed acknowledgements";
        counting: ParamKind::Choice(COUNT_NAMES), "", 0 => 1, "RFC 3465; Linux",
            "what grows the window: acknowledged segments, or acknowledgements";
        updates_per_s: ParamKind::Whole, "1/s", 0 => 1_000, "Linux",
            "how often the count is recomputed at an unchanged window; 0: at every acknowledgement";
        root: ParamKind::Choice(&["table", "newton"]), "", 0 => 1, "Ha et al. 2008 table 1; Linux",
            "cube root: table and one Newton step, or Newton-Raphson alone";
        clock: ParamKind::Choice(&["us", "ticks"]), "", 0 => 1, "Linux",
            "unit of the smallest RTT";
        start_ssthresh: ParamKind::Whole, "segments", 0 => 1_000_000, "Ha et al. 2008 §4.2",
            "initial slow start threshold, without hystart; 0: none";
        idle: ParamKind::Choice(&["moves_epoch", "counts"]), "", 0 => 1, "Linux since 4.3 (2015); Linux before",
            "idle time: it shifts the epoch, or counts as part of it";
        ..slow_start: SlowStartParams;
    }
}

pub(super) const LINUX: CubicLinuxParams = CubicLinuxParams {
    beta: 45_888,    // 717/1024
    c: 26_240,       // 410/1024
    curve_c: 26_240, // 410/1024
    fast_convergence: 1,
    friendliness: 1,
    clamp: CLAMP_OFF,
    max_increment: 16,
    unknown_count: 20,
    unknown: UNKNOWN_AT_MOST,
    spare_acks: 0,
    ack_ratio: 0,
    counting: COUNT_SEGMENTS,
    updates_per_s: 32,
    root: ROOT_TABLE,
    clock: CLOCK_US,
    slow_start: slow_start::HYSTART,
    start_ssthresh: 0,
    idle: IDLE_MOVES_EPOCH,
};

pub(super) const V2_1: CubicLinuxParams = CubicLinuxParams {
    beta: 52_416, // 819/1024
    clamp: CLAMP_CONVEX,
    unknown_count: 50,
    unknown: UNKNOWN_ALWAYS,
    spare_acks: 1,
    ack_ratio: 1,
    counting: COUNT_ACKS,
    root: ROOT_NEWTON,
    clock: CLOCK_TICKS,
    idle: IDLE_COUNTS,
    slow_start: slow_start::STANDARD,
    ..LINUX
};

pub(super) const V2_2: CubicLinuxParams =
    CubicLinuxParams { beta: LINUX.beta, clamp: CLAMP_OFF, unknown: UNKNOWN_CURVE, root: ROOT_TABLE, ..V2_1 };

pub(super) const V2_0: CubicLinuxParams =
    CubicLinuxParams { clamp: CLAMP_ALWAYS, start_ssthresh: 100, ..V2_1 };

pub(super) const V2_6_18: CubicLinuxParams =
    CubicLinuxParams { max_increment: 2, spare_acks: 2, ack_ratio: 0, ..V2_0 };

pub(super) const UNFIXED: CubicLinuxParams = CubicLinuxParams {
    curve_c: 2_048, // 32/1024
    max_increment: 2,
    ..V2_0
};

impl Registered for CubicLinux {
    const NAME: &'static str = "cubic-linux";
    const SUMMARY: &'static str = "CUBIC in the kernel's integers: ticks and counts of acknowledgements";
    const SETS: &'static [Set<CubicLinuxParams>] = &[
        Set {
            name: "cubic-linux",
            summary: "as in Linux, integer for integer: keeps 717/1024, HyStart, no alpha -> 1",
            source: "Linux 6.1 and 6.18, golden traces",
            recovery: Recovery::Linux,
            params: LINUX,
        },
        Set {
            name: "cubic-2.2-linux",
            summary: "Linux 2.6.25: keeps 717/1024, no clamp, counts acknowledgements",
            source: "Ha, Rhee and Xu 2008, table 1; Linux 2.6.25",
            recovery: Recovery::Sack,
            params: V2_2,
        },
        Set {
            name: "cubic-2.1",
            summary: "Linux 2.6.22: keeps 0.8, increase clamped beyond the plateau",
            source: "Ha, Rhee and Xu 2008, table 1; Linux 2.6.22",
            recovery: Recovery::Sack,
            params: V2_1,
        },
        Set {
            name: "cubic-2.0",
            summary: "Linux 2.6.19: keeps 0.8, increase clamped throughout, slow start to 100 segments",
            source: "Ha, Rhee and Xu 2008, table 1",
            recovery: Recovery::Sack,
            params: V2_0,
        },
        Set {
            name: "cubic-2.6.18",
            summary: "as printed by Leith, Shorten and McCullagh: clamped to 20 segments per second",
            source: "Leith, Shorten and McCullagh 2007, Algorithm 1",
            recovery: Recovery::Sack,
            params: V2_6_18,
        },
        Set {
            name: "cubic-2.6.18-unfixed",
            summary: "before the scaling fix of October 2006: a curve 13 times too flat",
            source: "LKML, 31 October 2006",
            recovery: Recovery::Sack,
            params: UNFIXED,
        },
    ];

    /// Words: the count; `last_max`; the window and the tick of the last reading; the plateau; K; the smallest RTT; the epoch's begin;
    /// acknowledgements; the estimate; samples and whether slow start was left (a byte each, behind 16 bits without use); of the round its
    /// begin, its end, the train's last acknowledgement, its smallest RTT. Today's kernels keep no ACK ratio.
    fn from_words(words: &PrivateWords) -> Option<Self> {
        let [count, last_max, last_cwnd, last_ticks, origin, k_x1024, delay_min, rest @ ..] = *words;
        let [epoch_start_ticks, acked, w_tcp, packed, round_start_us, round_end_seq, rest @ ..] = rest;
        let [train_us, round_min_rtt_us, ..] = rest;
        let [_, _, samples, found] = packed.to_le_bytes();
        let slow_start = SlowStart::of_hystart(
            [round_end_seq, round_min_rtt_us, round_start_us, train_us],
            samples,
            found != 0,
        );
        Some(Self {
            count,
            last_max,
            last_cwnd,
            last_ticks,
            origin,
            k_x1024,
            delay_min,
            epoch_start_ticks,
            acked,
            w_tcp,
            ack_ratio_x16: RATIO_START_X16,
            slow_start,
        })
    }
}
