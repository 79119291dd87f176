// SPDX-License-Identifier: MIT OR Apache-2.0
//! Standard TCP: one segment more per round trip, half the flight after a loss (RFC 5681 §3.1).
//!
//! `reno` counts acknowledged segments, as Linux does; `sack`, `newreno` and `tahoe` count acknowledgements, as the
//! stacks of the papers' years did, and name the recovery that goes with them. Deviation: the window reduction takes
//! the flight without limited transmit's segments (RFC 5681 §3.2 step 2), never more than the window.

use super::{
    COUNT_ACKS, COUNT_NAMES, COUNT_SEGMENTS, FROM_CWND, FROM_FLIGHT, REDUCE_NAMES, additive_increase, counted,
};
use crate::conn::{CaState, Conn};
use crate::hook_argument_types::AckSample;
use crate::hooks::CongestionControl;
use crate::params::ParamKind;
use crate::registration::{Recovery, Registered, Set};
use crate::rescale::{Rescale, SegmentState};
use crate::slow_start::{self, SlowStart, SlowStartParams};

crate::params! {
    /// Settings of standard TCP.
    ///
    /// ```
    /// use cwnd::{Algorithm, Conn, algorithms::reno::Reno};
    ///
    /// let mut conn = Conn { packets_out: 60, ..Conn::new(1448, 100) };
    /// assert_eq!(Reno::builder().build()?.ssthresh(&mut conn), 30); // half of the flight
    /// assert_eq!(Reno::builder().reduce_from("cwnd").build()?.ssthresh(&mut conn), 50);
    /// # Ok::<(), cwnd::ParamError>(())
    /// ```
    pub struct RenoParams for Reno {
        counting: ParamKind::Choice(COUNT_NAMES), "", 0 => 1, "RFC 3465; RFC 5681 eq 3",
            "what grows the window: acknowledged segments, or acknowledgements";
        reduce_from: ParamKind::Choice(REDUCE_NAMES), "", 0 => 1, "RFC 5681 §3.1 eq 4; Linux",
            "threshold after a loss: half of the flight (at most of the window), or of the window";
        ..slow_start: SlowStartParams;
    }
}

crate::state! {
    /// State of standard TCP.
    ///
    /// ```
    /// use cwnd::{Algorithm, Configured, Conn, algorithms::reno::Reno};
    ///
    /// let mut cc = Configured::<Reno>::registered();
    /// let mut conn = Conn { packets_out: 100, ..Conn::new(1448, 100) };
    /// cc.init(&mut conn);
    /// assert_eq!(cc.ssthresh(&mut conn), 50); // half of what is in flight
    /// ```
    pub struct Reno {
        slow_start: SlowStart as nested,
        min_rtt_us: u32 as unchanged,
    }
}

const SEGMENTS: RenoParams =
    RenoParams { counting: COUNT_SEGMENTS, reduce_from: FROM_FLIGHT, slow_start: slow_start::STANDARD };
const PAPERS: RenoParams = RenoParams { counting: COUNT_ACKS, ..SEGMENTS };

impl Registered for Reno {
    const NAME: &'static str = "reno";
    const SUMMARY: &'static str = "standard TCP: one segment per round trip, half after a loss";
    const SETS: &'static [Set<RenoParams>] = &[
        Set {
            name: "reno",
            summary: "acknowledged segments counted",
            source: "RFC 5681, RFC 3465",
            recovery: Recovery::Linux,
            params: SEGMENTS,
        },
        Set {
            name: "reno-linux",
            summary: "as in Linux: halves the window, not the flight",
            source: "Linux 6.1 and 6.18, golden traces",
            recovery: Recovery::Linux,
            params: RenoParams { reduce_from: FROM_CWND, ..SEGMENTS },
        },
        Set {
            name: "sack",
            summary: "one increase per acknowledgement, SACK recovery",
            source: "RFC 5681 eq 3, RFC 6675",
            recovery: Recovery::Sack,
            params: PAPERS,
        },
        Set {
            name: "newreno",
            summary: "one increase per acknowledgement, NewReno recovery",
            source: "RFC 5681 eq 3, RFC 6582",
            recovery: Recovery::NewReno,
            params: PAPERS,
        },
        Set {
            name: "tahoe",
            summary: "one increase per acknowledgement, slow start after every loss",
            source: "RFC 5681 eq 3; Jacobson 1988",
            recovery: Recovery::Tahoe,
            params: PAPERS,
        },
    ];
}

impl CongestionControl for Reno {
    type Params = RenoParams;

    fn init(&mut self, _conn: &mut Conn, _params: &RenoParams) {
        *self = Self::default();
    }

    fn rescale(&mut self, scale: Rescale) -> bool {
        SegmentState::rescale(self, scale);
        true
    }

    fn ssthresh(&mut self, conn: &mut Conn, params: &RenoParams) -> u32 {
        let basis = if params.reduce_from == FROM_FLIGHT { conn.flight() } else { conn.cwnd };
        (basis / 2).max(2) // RFC 5681 §3.1 eq 4
    }

    fn cong_avoid(&mut self, conn: &mut Conn, _ack: u32, acked: u32, params: &RenoParams) {
        if !conn.cwnd_limited() {
            return;
        }
        let mut acked = acked;
        if conn.in_slow_start() {
            acked = self.slow_start.grow(conn, &params.slow_start, counted(params.counting, acked));
            if acked == 0 {
                return;
            }
        }
        let window = conn.cwnd;
        additive_increase(conn, window, counted(params.counting, acked));
    }

    fn set_state(&mut self, conn: &mut Conn, new: CaState, params: &RenoParams) {
        if new == CaState::Loss {
            self.slow_start.on_timeout(conn, &params.slow_start);
        }
    }

    fn pkts_acked(&mut self, conn: &mut Conn, sample: &AckSample, params: &RenoParams) {
        if params.slow_start.is_standard() || sample.rtt_us < 0 {
            return;
        }
        let rtt_us = (sample.rtt_us as u32).max(1);
        if self.min_rtt_us == 0 || rtt_us < self.min_rtt_us {
            self.min_rtt_us = rtt_us;
        }
        self.slow_start.on_rtt(conn, &params.slow_start, rtt_us, self.min_rtt_us);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hooks::Configured;

    fn in_congestion_avoidance(cwnd: u32) -> Conn {
        Conn { ssthresh: cwnd, is_cwnd_limited: true, packets_out: cwnd, ..Conn::new(1448, cwnd) }
    }

    // RFC 5681 §3.1 eq 3: 10 acknowledged segments at a window of 10 are one segment more, whatever the ACK ratio.
    #[test]
    fn a_window_of_acknowledged_segments_is_one_segment_more() {
        for acked in [1, 2, 5, 10] {
            let mut reno = Configured::<Reno> { state: Reno::default(), params: SEGMENTS };
            let mut conn = in_congestion_avoidance(10);
            for _ in 0..10 / acked {
                reno.state.cong_avoid(&mut conn, 0, acked, &reno.params);
            }
            assert_eq!((conn.cwnd, conn.cwnd_cnt), (11, 0), "ACK every {acked}");
        }
    }

    #[test]
    fn counting_acknowledgements_halves_the_growth_with_delayed_acks() {
        let mut reno = Reno::default();
        let mut conn = in_congestion_avoidance(10);
        for _ in 0..10 {
            reno.cong_avoid(&mut conn, 0, 2, &PAPERS);
        }
        assert_eq!(conn.cwnd, 11);
    }

    // RFC 5681 §3.1 eq 4 and its floor of two segments.
    #[test]
    fn a_loss_halves_the_flight_but_never_below_two() {
        let mut reno = Reno::default();
        for (flight, expected) in [(100, 50), (101, 50), (4, 2), (3, 2), (1, 2), (0, 2)] {
            let mut conn = in_congestion_avoidance(200);
            conn.packets_out = flight;
            assert_eq!(reno.ssthresh(&mut conn, &SEGMENTS), expected, "flight {flight}");
        }
    }

    // Row M2: slow start stops exactly at ssthresh, the rest of the ACK is congestion avoidance.
    #[test]
    fn an_ack_across_ssthresh_is_split() {
        let mut reno = Reno::default();
        let mut conn = Conn { ssthresh: 50, is_cwnd_limited: true, ..Conn::new(1448, 49) };
        reno.cong_avoid(&mut conn, 0, 40, &SEGMENTS);
        assert_eq!((conn.cwnd, conn.cwnd_cnt), (50, 39));
    }

    #[test]
    fn an_application_limited_flow_does_not_grow() {
        let mut reno = Reno::default();
        let mut conn = Conn { is_cwnd_limited: false, ..in_congestion_avoidance(10) };
        reno.cong_avoid(&mut conn, 0, 10, &SEGMENTS);
        assert_eq!((conn.cwnd, conn.cwnd_cnt), (10, 0));
    }
}
