// SPDX-License-Identifier: MIT OR Apache-2.0
//! H-TCP's settings and its published forms.

use super::Htcp;
use crate::hooks::PrivateWords;
use crate::params::ParamKind;
use crate::registration::{Recovery, Registered, Set};

/// Names of the arithmetics, in the order of their numbers.
const ARITHMETIC_NAMES: &[&str] = &["fine", "linux"];
/// α and β in 1/1024, times in µs.
pub(super) const FINE: u32 = 0;
/// α and β in 1/128, times in ticks.
pub(super) const LINUX: u32 = 1;

crate::params! {
    /// Settings of H-TCP.
    ///
    /// ```
    /// use cwnd::{Algorithm, Conn, Fraction, algorithms::htcp::Htcp};
    ///
    /// let mut cc = Htcp::builder().beta_min(Fraction::new(3, 4)).build()?;
    /// let mut conn = Conn { packets_out: 100, ..Conn::new(1448, 100) };
    /// cc.init(&mut conn);
    /// assert_eq!(cc.ssthresh(&mut conn), 75); // 100 × 3/4, before a round trip is known
    /// # Ok::<(), cwnd::ParamError>(())
    /// ```
    pub struct HtcpParams for Htcp {
        delta_l_ms: ParamKind::Whole, "ms", 0 => 600_000, "Leith and Shorten 2004 (Δ_L)",
            "standard TCP for this long after a loss";
        slope: ParamKind::Whole, "1/s", 0 => 1_000, "Leith and Shorten 2004",
            "factor of Δ − Δ_L in α";
        divisor: ParamKind::Whole, "s", 1 => 1_000, "Leith and Shorten 2004",
            "((Δ − Δ_L) / divisor)² is added to α";
        beta_min: ParamKind::Decimal, "", 6_554 => 64_881, "Leith and Shorten 2004",
            "smallest factor of the window kept after a loss";
        beta_max: ParamKind::Decimal, "", 6_554 => 64_881, "Leith and Shorten 2004",
            "largest factor of the window kept after a loss";
        switch: ParamKind::Whole, "%", 0 => 1_000, "Leith and Shorten 2004 (Δ_B)",
            "change of throughput between losses above which the smallest factor is used; 0: never";
        rtt_reference_ms: ParamKind::Whole, "ms", 0 => 10_000, "Linux",
            "α is divided by this over RTTmin; 0: not divided";
        rtt_floor_ms: ParamKind::Whole, "ms", 0 => 10_000, "Linux",
            "RTTmin above which β follows the RTT";
        rtt_step_ms: ParamKind::Whole, "ms", 0 => 10_000, "Linux",
            "samples further than this above RTTmax are ignored; 0: none is ignored";
        fading: ParamKind::Whole, "%", 0 => 100, "Linux",
            "part of RTTmax − RTTmin that remains at each loss";
        arithmetic: ParamKind::Choice(ARITHMETIC_NAMES), "", 0 => 1, "Linux",
            "units: 1/1024 and µs, or the kernel's 1/128 and ticks";
    }
}

pub(super) const PAPER: HtcpParams = HtcpParams {
    delta_l_ms: 1_000,
    slope: 10,
    divisor: 2,
    beta_min: 32_768, // 0.5
    beta_max: 52_429, // 0.8
    switch: 20,
    rtt_reference_ms: 0,
    rtt_floor_ms: 0,
    rtt_step_ms: 0,
    fading: 95,
    arithmetic: FINE,
};

impl Registered for Htcp {
    const NAME: &'static str = "htcp";
    const SUMMARY: &'static str = "H-TCP: growth that rises with the time since the last loss";
    const SETS: &'static [Set<HtcpParams>] = &[
        Set {
            name: "htcp",
            summary: "1 + 10 Δ + Δ²/4 segments per round trip from a second after a loss on, RTTmin/RTTmax kept",
            source: "Leith and Shorten 2004",
            recovery: Recovery::Sack,
            params: PAPER,
        },
        Set {
            name: "htcp-linux",
            summary: "as in Linux: whole steps of α, scaled by the RTT, in ticks",
            source: "Linux 6.1, golden traces",
            recovery: Recovery::Linux,
            params: HtcpParams {
                rtt_reference_ms: 100,
                rtt_floor_ms: 10,
                rtt_step_ms: 20,
                arithmetic: LINUX,
                ..PAPER
            },
        },
    ];

    /// Words: α × 128; β × 128, steady, acked (8, 8 and 16 bits); segments counted; RTTmin; RTTmax; last loss; three for
    /// undo (last loss, RTTmax, old throughput); smallest throughput; largest; of the loss before; present; since when.
    fn from_words(words: &PrivateWords) -> Option<Self> {
        let [alpha, packed, packets, min_rtt, max_rtt, last, undo_last, undo_max_rtt, rest @ ..] = *words;
        let [undo_old_max_throughput, _, max_throughput, old_max_throughput, throughput, from, ..] = rest;
        Some(Self {
            last_congestion: u64::from(last),
            measured_from: u64::from(from),
            last_busy: 0,
            credit: 0,
            undo_last_congestion: u64::from(undo_last),
            undo_max_rtt,
            undo_old_max_throughput,
            alpha,
            beta: packed & 0xff,
            min_rtt,
            max_rtt,
            packets,
            throughput,
            max_throughput,
            old_max_throughput,
            acked: packed >> 16,
            steady: (packed >> 8) as u8,
            can_undo: u8::from(undo_last != 0),
        })
    }
}
