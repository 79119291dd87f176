// SPDX-License-Identifier: MIT OR Apache-2.0
//! SQRT, the binomial algorithm with k = l = 1/2 (Bansal and Balakrishnan 2001): w + α/√w per round trip, w − β√w after a
//! loss. It gives away little, so that its rate is even, and grows slowly back.
//!
//! **The law is a choice.** The CUBIC papers (Rhee and Xu 2005, Ha, Rhee and Xu 2008) name "SQRT" among the high-speed
//! variants and cite Hatano, Fukuhara, Shigeno and Okada, "TCP-friendly SQRT TCP for high speed networks" (APSITT 2003),
//! of which no primary text was found and whose law those papers do not give. This is the other published SQRT: same
//! name, its law known from its authors, friendly to standard TCP as that title claims (k + l = 1). It is not a
//! high-speed algorithm: its mean window is standard TCP's at every loss rate, √(α/β)/√p, with α = 1 and β = 2/3 √1.5/√p.
//! Do not read results of this flow as Hatano et al.'s.
//!
//! Deviations: √w of whole segments; a window grows by at most one segment per acknowledged segment, and gives away of
//! the flight, not of the window (RFC 5681 §3.1), to nearest.

use super::grow_per_rtt;
use crate::conn::Conn;
use crate::hooks::{CongestionControl, Info};
use crate::math::{ONE_X64K, sqrt};
use crate::params::ParamKind;
use crate::registration::{Recovery, Registered, Set};
use crate::rescale::{Rescale, SegmentState};
use crate::slow_start;

crate::params! {
    /// Settings of SQRT.
    ///
    /// ```
    /// use cwnd::{Algorithm, Conn, Fraction, algorithms::sqrt::Sqrt};
    ///
    /// let mut cc = Sqrt::builder().beta(Fraction::whole(1)).build()?;
    /// let mut conn = Conn { packets_out: 100, ..Conn::new(1448, 100) };
    /// cc.init(&mut conn);
    /// assert_eq!(cc.ssthresh(&mut conn), 90); // 100 − √100
    /// # Ok::<(), cwnd::ParamError>(())
    /// ```
    pub struct SqrtParams for Sqrt {
        alpha: ParamKind::Decimal, "", 655 => 6_553_600, "Bansal and Balakrishnan 2001 §II",
            "growth per round trip: this over the window's square root";
        beta: ParamKind::Decimal, "", 655 => 65_536, "Bansal and Balakrishnan 2001 §II",
            "a loss reduces the window by this times its square root";
    }
}

crate::state! {
    /// State of SQRT: none beside the connection's.
    ///
    /// ```
    /// use cwnd::{Algorithm, Configured, Conn, algorithms::sqrt::Sqrt};
    ///
    /// let mut cc = Configured::<Sqrt>::registered();
    /// let mut conn = Conn { packets_out: 100, ..Conn::new(1448, 100) };
    /// cc.init(&mut conn);
    /// assert_eq!(cc.ssthresh(&mut conn), 93); // 100 − √100 × 2/3
    /// ```
    pub struct Sqrt {
        unused: u32 as unchanged,
    }
}

/// √`window` in 1/65536.
fn root_x64k(window: u32) -> u64 {
    u64::from(sqrt(u64::from(window) << 32))
}

/// α / √w, in 1/2²⁴ of a segment. // Bansal and Balakrishnan 2001 §II, k = 1/2
fn growth_x16m(window: u32, alpha_x64k: u32) -> u64 {
    (u64::from(alpha_x64k) << 24) / root_x64k(window).max(1)
}

/// β √w, segments, to nearest. // Bansal and Balakrishnan 2001 §II, l = 1/2
fn window_decrease(window: u32, beta_x64k: u32) -> u32 {
    ((root_x64k(window) * u64::from(beta_x64k) + (1 << 31)) >> 32) as u32
}

impl Registered for Sqrt {
    const NAME: &'static str = "sqrt";
    const SUMMARY: &'static str =
        "a smooth rate: grows by 1/√w per round trip, gives up √w · 2/3 after a loss";
    const SETS: &'static [Set<SqrtParams>] = &[Set {
        name: "sqrt",
        summary: "binomial, k = l = 1/2 (not the SQRT-TCP that the CUBIC papers cite: its rule is unknown)",
        source: "Bansal and Balakrishnan 2001",
        recovery: Recovery::Sack,
        params: SqrtParams { alpha: ONE_X64K, beta: 43_691 }, // 2/3
    }];
}

impl CongestionControl for Sqrt {
    type Params = SqrtParams;

    fn rescale(&mut self, scale: Rescale) -> bool {
        SegmentState::rescale(self, scale);
        true
    }

    fn ssthresh(&mut self, conn: &mut Conn, params: &SqrtParams) -> u32 {
        let flight = conn.flight();
        flight.saturating_sub(window_decrease(flight, params.beta)).max(2)
    }

    fn cong_avoid(&mut self, conn: &mut Conn, _ack: u32, acked: u32, params: &SqrtParams) {
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
        let growth = growth_x16m(conn.cwnd, params.alpha);
        grow_per_rtt(conn, growth, acked);
    }

    fn info(&self, conn: &Conn, params: &SqrtParams) -> Info {
        Info::of(&[
            ("growth_per_rtt_x64k", growth_x16m(conn.cwnd, params.alpha) >> 8),
            ("given_away", u64::from(window_decrease(conn.cwnd, params.beta))),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMS: SqrtParams = SqrtParams { alpha: ONE_X64K, beta: 43_691 };

    // 900 segments: √900 = 30, a loss takes 20, a round trip brings 1/30.
    #[test]
    fn a_loss_takes_two_thirds_of_the_root_and_a_round_trip_brings_one_over_it() {
        let mut sqrt = Sqrt::default();
        let mut conn =
            Conn { ssthresh: 900, is_cwnd_limited: true, packets_out: 900, ..Conn::new(1448, 900) };
        assert_eq!(sqrt.ssthresh(&mut conn, &PARAMS), 880);
        assert_eq!(growth_x16m(900, PARAMS.alpha), (1 << 24) / 30);
        for _ in 0..30 * 900 {
            sqrt.cong_avoid(&mut conn, 0, 1, &PARAMS);
        }
        assert_eq!(conn.cwnd, 900, "30 · 900 acknowledged segments are a segment, less what rounding takes");
        sqrt.cong_avoid(&mut conn, 0, 1, &PARAMS);
        assert_eq!(conn.cwnd, 901);
    }

    #[test]
    fn at_small_windows_a_loss_leaves_at_least_two() {
        for (flight, kept) in [(1, 2), (2, 2), (3, 2), (4, 3), (9, 7), (16, 13)] {
            let mut conn = Conn { packets_out: flight, ..Conn::new(1448, 20) };
            assert_eq!(Sqrt::default().ssthresh(&mut conn, &PARAMS), kept, "{flight} in flight");
        }
    }
}
