// SPDX-License-Identifier: MIT OR Apache-2.0
//! Slow start, a choice of its own: `standard` (RFC 5681), `hystart++` (RFC 9406), `hystart` (Linux).
//!
//! The three share one small state, because 104 bytes must hold an algorithm together with its slow start.

mod hystart;
mod hystart_pp;

use crate::conn::{Conn, INFINITE_SSTHRESH};
use crate::math::seq_after;
use crate::params::Kind;

/// Names of the choices, in the order of their numbers.
pub const NAMES: &[&str] = &["standard", "hystart++", "hystart"];
const STANDARD_KIND: u32 = 0;
const HYSTART_PP_KIND: u32 = 1;
const HYSTART_KIND: u32 = 2;

crate::params! {
    /// Settings of slow start, the same for every algorithm that carries one.
    pub struct SlowStartParams {
        slow_start: Kind::Choice(NAMES), "", 0 => 2, "RFC 5681 §3.1; RFC 9438 §4.10; RFC 9406; Linux",
            "slow start: standard, hystart++ (RFC 9406) or hystart (Linux)";
        min_rtt_thresh: Kind::Whole, "us", 0 => 10_000_000, "RFC 9406 §4.3 (MIN_RTT_THRESH)",
            "with slow_start=hystart++: least rise of a round's RTT that counts; where it is above max_rtt_thresh, it holds";
        max_rtt_thresh: Kind::Whole, "us", 0 => 10_000_000, "RFC 9406 §4.3 (MAX_RTT_THRESH)",
            "with slow_start=hystart++: rise of a round's RTT that counts whatever the RTT";
        min_rtt_divisor: Kind::Whole, "", 1 => 1_000, "RFC 9406 §4.3 (MIN_RTT_DIVISOR)",
            "with slow_start=hystart++: between the two, the last round's RTT divided by this is the rise that counts";
        n_rtt_sample: Kind::Whole, "samples", 1 => 255, "RFC 9406 §4.3 (N_RTT_SAMPLE)",
            "with slow_start=hystart++: RTT samples of a round before anything is decided";
        css_growth_divisor: Kind::Whole, "", 1 => 255, "RFC 9406 §4.3 (CSS_GROWTH_DIVISOR)",
            "with slow_start=hystart++: in conservative slow start growth is that of slow start divided by this";
        css_rounds: Kind::Whole, "rounds", 1 => 255, "RFC 9406 §4.3 (CSS_ROUNDS)",
            "with slow_start=hystart++: rounds of conservative slow start before congestion avoidance begins";
        l: Kind::Whole, "segments", 0 => 1_000_000, "RFC 9406 §4.3 (L)",
            "with slow_start=hystart++: most that an ACK adds to the window of a flow that is not paced; 0: no limit";
    }
}

/// RFC 5681: one segment per segment acknowledged, up to `ssthresh` or a loss.
pub const STANDARD: SlowStartParams = SlowStartParams { slow_start: STANDARD_KIND, ..HYSTART_PP };
/// RFC 9406, with the values that its §4.3 recommends.
pub const HYSTART_PP: SlowStartParams = SlowStartParams {
    slow_start: HYSTART_PP_KIND,
    min_rtt_thresh: 4_000,
    max_rtt_thresh: 16_000,
    min_rtt_divisor: 8,
    n_rtt_sample: 8,
    css_growth_divisor: 4,
    css_rounds: 5,
    l: 8,
};
/// Hybrid slow start as Linux has it.
pub const HYSTART: SlowStartParams = SlowStartParams { slow_start: HYSTART_KIND, ..HYSTART_PP };

impl SlowStartParams {
    /// Whether this is standard slow start, which needs no RTT.
    #[inline]
    #[must_use]
    pub const fn is_standard(&self) -> bool {
        self.slow_start == STANDARD_KIND
    }

    /// Whether HyStart++ is at work on `conn`: only in the initial slow start, while `ssthresh` has its initial, arbitrarily high
    /// value. A loss that is undone gives that value back, and HyStart++ goes on. // RFC 9406 §4.3, RFC 9438 §4.9.2
    #[inline]
    const fn is_hystart_pp(&self, conn: &Conn) -> bool {
        self.slow_start == HYSTART_PP_KIND && conn.ssthresh >= INFINITE_SSTHRESH
    }
}

/// State of whichever slow start is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct SlowStart {
    /// The round ends when this byte is acknowledged.
    round_end_seq: u32,
    /// Smallest RTT of this round, µs; 0 before the first sample.
    round_min_rtt_us: u32,
    /// HyStart++: smallest RTT of the last round, µs. HyStart: when the round began, µs.
    last_round: u32,
    /// HyStart++: RTT that entry into CSS was judged by, µs. HyStart: when the train's last ACK came, µs.
    reference: u32,
    /// RTT samples of this round, counted up to what the rule asks for.
    samples: u8,
    /// See the constants `phase::*`.
    phase: u8,
    /// HyStart++: rounds spent in CSS.
    css_rounds: u8,
    /// HyStart++: acknowledged segments not yet turned into growth in CSS, below the divisor.
    css_credit: u8,
}

/// Values of [`SlowStart`]'s `phase`; a fresh state is all zero.
mod phase {
    /// No round has begun.
    pub const FRESH: u8 = 0;
    /// Exponential growth, watching.
    pub const WATCHING: u8 = 1;
    /// HyStart++'s conservative slow start.
    pub const CSS: u8 = 2;
    /// Left because the RTT rose; never watches again on this connection until reset.
    pub const DONE: u8 = 3;
}

/// Standard slow start without state: grows for `acked` segments up to `ssthresh` and returns those left over.
#[inline]
pub fn standard(conn: &mut Conn, acked: u32) -> u32 {
    let growth = acked.min(conn.ssthresh.saturating_sub(conn.cwnd));
    conn.grow(growth);
    acked - growth
}

impl SlowStart {
    /// Grows the window for `acked` segments in slow start and returns those left over when `ssthresh` is reached
    /// (RFC 5681 §3.1; RFC 9438 §4.10: also at `cwnd == ssthresh`, where nothing is left to grow).
    #[inline]
    pub fn grow(&mut self, conn: &mut Conn, params: &SlowStartParams, acked: u32) -> u32 {
        if params.is_hystart_pp(conn) {
            let growth = self.hystart_pp_growth(conn, params, acked);
            return standard(conn, growth);
        }
        standard(conn, acked)
    }

    /// An RTT sample arrived while in slow start; `min_rtt_us` is the algorithm's smallest RTT. May set `ssthresh`.
    #[inline]
    pub fn on_rtt(&mut self, conn: &mut Conn, params: &SlowStartParams, rtt_us: u32, min_rtt_us: u32) {
        if self.phase == phase::DONE || !conn.in_slow_start() {
            return;
        }
        if params.is_hystart_pp(conn) {
            self.hystart_pp_on_rtt(conn, params, rtt_us);
        } else if params.slow_start == HYSTART_KIND {
            self.hystart_on_rtt(conn, rtt_us, min_rtt_us);
        }
    }

    /// At a connection's start and after a timeout HyStart watches anew.
    #[inline]
    pub fn on_timeout(&mut self, conn: &Conn, params: &SlowStartParams) {
        if params.slow_start == HYSTART_KIND {
            self.begin_train(conn);
        }
    }

    /// Whether the round ended: everything that was out when it began is acknowledged.
    fn round_is_over(&self, conn: &Conn) -> bool {
        self.phase == phase::FRESH || seq_after(conn.snd_una, self.round_end_seq)
    }

    /// Leaves slow start at the present window.
    fn leave(&mut self, conn: &mut Conn) {
        conn.ssthresh = conn.cwnd;
        self.phase = phase::DONE;
    }
}
