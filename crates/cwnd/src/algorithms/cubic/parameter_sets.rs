// SPDX-License-Identifier: MIT OR Apache-2.0
//! The forms of CUBIC that share this mechanism, the window as a function of real time, as named parameter sets. The
//! kernels' forms, which count acknowledgements in ticks, are sets of `linux`.
//!
//! Where the documents contradict themselves or each other, the choice:
//!
//! * `cubic-2.2`: Algorithm 1 of Ha, Rhee and Xu (2008), which counts acknowledgements, in W_tcp (`ack_cnt`) as in `cwnd_cnt`.
//!   The kernel of that version keeps 717/1024 (`cubic-2.2-linux`); the paper's β = 0.2 (0.8 kept) is taken. No clamp, though
//!   its table 1 lists 32 packets per RTT for earlier versions.
//! * `cubic-rfc8312`: K from W_max (1 − β); the estimate by Eq. 4, from the time since the epoch began; no limit of 1.5
//!   windows to the target; the window, not the flight, is reduced; fast convergence compares with the last maximum as it was,
//!   not as fast convergence left it.
//! * `cubic-2005`: Rhee and Xu. "β = 0.8" is the factor kept, so K is ∛(W_max · 0.2 / C). α by the formula, 1/3; the text's 0.5
//!   is `alpha=0.5`. The curve is read at the present. S_max = 160 segments/s. No fast convergence.
//! * `cubic-freebsd`: as `cubic-rfc8312`, from a clock of ticks for time and RTT, an RTT being one tick at least; the first loss
//!   halves the window and makes 0.7 of it W_max.
//! * `cubic-freebsd-newreno`: review D46546. Below NewReno's next window the window is that; a loss then halves it. The
//!   rest as the review's companion change: K from the window, target limited, flight reduced. Nothing was found in that
//!   code that ends the state once entered, so a flow that was in it once is halved ever after: `newreno_for_good`.

use super::Cubic;
use super::curve::{C_MAX_X64K, C_MIN_X64K};
use crate::algorithms::{COUNT_ACKS, COUNT_NAMES, COUNT_SEGMENTS, FROM_CWND, FROM_FLIGHT, REDUCE_NAMES};
use crate::params::ParamKind;
use crate::registration::{Recovery, Registered, Set};
use crate::slow_start::{self, SlowStartParams};

#[cfg(test)]
pub(super) const FRIENDLY_OFF: u32 = 0;
pub(super) const FRIENDLY_WINDOW: u32 = 1;
pub(super) const FRIENDLY_TARGET: u32 = 2;
pub(super) const FRIENDLY_FORMULA: u32 = 3;
pub(super) const FRIENDLY_NEWRENO: u32 = 4;
pub(super) const INCREMENT_EXACT: u32 = 0;
pub(super) const INCREMENT_COUNTED: u32 = 1;
pub(super) const LOOKAHEAD_SRTT: u32 = 0;
pub(super) const LOOKAHEAD_MIN_RTT: u32 = 1;
pub(super) const LOOKAHEAD_NONE: u32 = 2;
pub(super) const K_FROM_WINDOW: u32 = 0;
pub(super) const K_FROM_W_MAX: u32 = 1;
pub(super) const CLOCK_US: u32 = 0;
pub(super) const CLOCK_TICKS: u32 = 1;
pub(super) const COMPARE_W_MAX: u32 = 0;
pub(super) const COMPARE_LAST: u32 = 1;

crate::params! {
    /// Settings of CUBIC.
    ///
    /// ```
    /// use cwnd::{Algorithm, Conn, Fraction, algorithms::cubic::Cubic};
    ///
    /// let mut cc = Cubic::builder().beta(Fraction::new(8, 10)).build()?;
    /// let mut conn = Conn { packets_out: 100, ..Conn::new(1448, 100) };
    /// cc.init(&mut conn);
    /// assert_eq!(cc.ssthresh(&mut conn), 80); // 100 × 0.8
    /// # Ok::<(), cwnd::ParamError>(())
    /// ```
    pub struct CubicParams for Cubic {
        beta: ParamKind::Decimal, "", 6_554 => 64_881, "RFC 9438 §4.6",
            "factor of the window kept after a loss";
        c: ParamKind::Decimal, "segments/s^3", C_MIN_X64K => C_MAX_X64K, "RFC 9438 §5.1",
            "scale of the cubic function";
        fast_convergence: ParamKind::Flag, "", 0 => 1, "RFC 9438 §4.7",
            "remember a lower W_max when a loss occurs below the last one";
        convergence_from: ParamKind::Choice(&["w_max", "w_last_max"]), "", 0 => 1, "RFC 9438 §4.7; RFC 8312 §4.6",
            "what fast convergence compares the window with: W_max after fast convergence, or the window before the last loss";
        friendliness: ParamKind::Choice(&["off", "window", "target", "formula", "newreno"]), "", 0 => 4,
            "RFC 9438 §4.3; Ha et al. 2008 §3.3; RFC 8312 §4.2; FreeBSD D46546",
            "Reno-friendly region. window: cwnd is set to W_est; target: growth aims at W_tcp; formula: Eq. 4 of RFC 8312; newreno: NewReno's own growth";
        alpha: ParamKind::Decimal, "segments", 0 => 655_360, "RFC 9438 §4.3; Rhee and Xu 2005 §II.C",
            "growth of W_est per round trip; 0: 3 (1 - beta) / (1 + beta)";
        alpha_one: ParamKind::Flag, "", 0 => 1, "RFC 9438 §4.3",
            "let W_est grow like Reno's window once it reaches the window before the last reduction";
        increment: ParamKind::Choice(&["exact", "counted"]), "", 0 => 1, "RFC 9438 §4.4; Ha et al. 2008 Algorithm 1",
            "increment: exact (target - cwnd) / cwnd, or the pseudocode's integer count";
        lookahead: ParamKind::Choice(&["srtt", "min_rtt", "none"]), "", 0 => 2, "RFC 9438 §4.2; Ha et al. 2008 Algorithm 1",
            "how far ahead of the present the curve is read";
        k_from: ParamKind::Choice(&["window", "w_max"]), "", 0 => 1, "RFC 9438 §4.2; RFC 8312 §4.1",
            "what K is computed from: W_max minus the window at the epoch's start, or W_max (1 - beta)";
        limit_target: ParamKind::Flag, "", 0 => 1, "RFC 9438 §4.2",
            "aim at no more than 1.5 times the window";
        max_increment: ParamKind::Whole, "segments/s", 0 => 100_000, "Rhee and Xu 2005 §II.B (S_max)",
            "largest growth on the curve; 0: no limit";
        clock: ParamKind::Choice(&["us", "ticks"]), "", 0 => 1, "FreeBSD",
            "unit of time and RTT: microseconds, or the host's ticks";
        halve_first: ParamKind::Flag, "", 0 => 1, "FreeBSD 13",
            "at the first loss, halve the window and set W_max to beta times it";
        newreno_for_good: ParamKind::Flag, "", 0 => 1, "FreeBSD D46546",
            "with friendliness=newreno: once in the Reno-friendly region, every later loss halves the window";
        reduce_from: ParamKind::Choice(REDUCE_NAMES), "", 0 => 1, "RFC 9438 §4.6; Ha et al. 2008 §3.6",
            "what a loss multiplies by beta";
        counting: ParamKind::Choice(COUNT_NAMES), "", 0 => 1, "RFC 9438 §4.3; Ha et al. 2008 Algorithm 1",
            "what grows the window: acknowledged segments, or acknowledgements";
        ..slow_start: SlowStartParams;
    }
}

pub(super) const RFC9438: CubicParams = CubicParams {
    beta: 45_875, // 0.7 // R9438-4.6-b
    c: 26_214,    // 0.4 // R9438-5.1-b
    fast_convergence: 1,
    convergence_from: COMPARE_W_MAX,
    friendliness: FRIENDLY_WINDOW,
    alpha: 0,
    alpha_one: 1,
    increment: INCREMENT_EXACT,
    lookahead: LOOKAHEAD_SRTT,
    k_from: K_FROM_WINDOW,
    limit_target: 1,
    max_increment: 0,
    clock: CLOCK_US,
    halve_first: 0,
    newreno_for_good: 0,
    reduce_from: FROM_FLIGHT,
    counting: COUNT_SEGMENTS,
    slow_start: slow_start::HYSTART_PP, // R9438-4.10-b
};

pub(super) const V2_2: CubicParams = CubicParams {
    beta: 52_429, // 0.8: 1 − β with the paper's β = 0.2
    friendliness: FRIENDLY_TARGET,
    alpha_one: 0,
    lookahead: LOOKAHEAD_MIN_RTT,
    reduce_from: FROM_CWND,
    counting: COUNT_ACKS, // Ha et al. 2008 Algorithm 1: ack_cnt, cwnd_cnt
    slow_start: slow_start::STANDARD,
    ..RFC9438
};

pub(super) const RFC8312: CubicParams = CubicParams {
    convergence_from: COMPARE_LAST,
    friendliness: FRIENDLY_FORMULA,
    alpha_one: 0,
    k_from: K_FROM_W_MAX,
    limit_target: 0,
    reduce_from: FROM_CWND,
    slow_start: slow_start::STANDARD, // RFC 8312 §4.8: a choice of three
    ..RFC9438
};

pub(super) const V2005: CubicParams = CubicParams {
    beta: 52_429, // 0.8 kept
    fast_convergence: 0,
    lookahead: LOOKAHEAD_NONE,
    max_increment: 160,
    ..RFC8312
};

pub(super) const FREEBSD: CubicParams = CubicParams {
    beta: 45_824, // 179/256
    c: 26_112,    // 102/256
    clock: CLOCK_TICKS,
    halve_first: 1,
    ..RFC8312
};

pub(super) const FREEBSD_NEWRENO: CubicParams = CubicParams {
    convergence_from: COMPARE_W_MAX,
    friendliness: FRIENDLY_NEWRENO,
    k_from: K_FROM_WINDOW,
    limit_target: 1,
    halve_first: 0,
    newreno_for_good: 1,
    reduce_from: FROM_FLIGHT,
    ..FREEBSD
};

impl Registered for Cubic {
    const NAME: &'static str = "cubic";
    const SUMMARY: &'static str = "the window as a cubic function of the time since the last loss";
    const SETS: &'static [Set<CubicParams>] = &[
        Set {
            name: "cubic",
            summary: "today's standard: keeps 0.7, C 0.4, Reno-friendly by W_est, HyStart++",
            source: "RFC 9438",
            recovery: Recovery::Linux,
            params: RFC9438,
        },
        Set {
            name: "cubic-2.2",
            summary: "the CUBIC paper: keeps 0.8, C 0.4, counts acknowledgements",
            source: "Ha, Rhee and Xu 2008, Algorithm 1",
            recovery: Recovery::Sack,
            params: V2_2,
        },
        Set {
            name: "cubic-rfc8312",
            summary: "the first RFC: W_est from a formula of time, K from W_max alone",
            source: "RFC 8312",
            recovery: Recovery::Sack,
            params: RFC8312,
        },
        Set {
            name: "cubic-2005",
            summary: "the first paper: keeps 0.8, at most 160 segments per second, no fast convergence",
            source: "Rhee and Xu 2005",
            recovery: Recovery::Sack,
            params: V2005,
        },
        Set {
            name: "cubic-freebsd",
            summary: "W_est by RFC 8312's formula, time in ticks",
            source: "FreeBSD 13; RFC 8312",
            recovery: Recovery::Sack,
            params: FREEBSD,
        },
        Set {
            name: "cubic-freebsd-newreno",
            summary: "NewReno's own window instead of the formula",
            source: "FreeBSD review D46546",
            recovery: Recovery::Sack,
            params: FREEBSD_NEWRENO,
        },
    ];
}
