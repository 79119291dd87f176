// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scalable TCP (Kelly 2003): a hundredth of a segment more per acknowledgement, seven eighths kept after a loss, so that
//! the time to recover does not depend on the window.
//!
//! `scalable` is the paper's: standard TCP up to 16 segments, 1/100 of a segment per counted segment above.
//! `scalable-linux` is the kernel's: one segment per min(cwnd, 100) segments acknowledged, no lower limit.

use super::{COUNT_ACKS, COUNT_NAMES, COUNT_SEGMENTS, additive_increase, counted};
use crate::conn::Conn;
use crate::hooks::CongestionControl;
use crate::params::ParamKind;
use crate::registration::{Recovery, Registered, Set};
use crate::rescale::{Rescale, SegmentState};
use crate::slow_start;

crate::params! {
    /// Settings of Scalable TCP.
    ///
    /// ```
    /// use cwnd::{Algorithm, Conn, algorithms::scalable::Scalable};
    ///
    /// let mut cc = Scalable::builder().low_window(200).build()?;
    /// let mut conn = Conn { packets_out: 100, ..Conn::new(1448, 100) };
    /// cc.init(&mut conn);
    /// assert_eq!(cc.ssthresh(&mut conn), 50); // standard TCP up to a window of 200
    /// # Ok::<(), cwnd::ParamError>(())
    /// ```
    pub struct ScalableParams for Scalable {
        per_segment: ParamKind::Whole, "segments", 1 => 10_000, "Kelly 2003 (a = 0.01)",
            "acknowledged segments per segment of growth";
        low_window: ParamKind::Whole, "segments", 0 => 1_000_000, "Kelly 2003",
            "up to this window, standard TCP; 0: whenever standard TCP is faster";
        counting: ParamKind::Choice(COUNT_NAMES), "", 0 => 1, "RFC 3465; Kelly 2003",
            "what grows the window: acknowledged segments, or acknowledgements";
    }
}

crate::state! {
    /// State of Scalable TCP: none beside the connection's.
    ///
    /// ```
    /// use cwnd::{Algorithm, Configured, Conn, algorithms::scalable::Scalable};
    ///
    /// let mut cc = Configured::<Scalable>::registered();
    /// let mut conn = Conn { packets_out: 100, ..Conn::new(1448, 100) };
    /// cc.init(&mut conn);
    /// assert_eq!(cc.ssthresh(&mut conn), 88); // 100 − 100/8, rounded up
    /// ```
    pub struct Scalable {
        unused: u32 as unchanged,
    }
}

impl Registered for Scalable {
    const NAME: &'static str = "scalable";
    const SUMMARY: &'static str = "Scalable TCP: recovery time independent of the window";
    const SETS: &'static [Set<ScalableParams>] = &[
        Set {
            name: "scalable",
            summary: "0.01 of a segment per acknowledgement above 16 segments, 7/8 kept",
            source: "Kelly 2003; RFC 3649 §8",
            recovery: Recovery::Sack,
            params: ScalableParams { per_segment: 100, low_window: 16, counting: COUNT_ACKS },
        },
        Set {
            name: "scalable-linux",
            summary: "one segment per min(cwnd, 100) acknowledged, 7/8 kept",
            source: "Linux 6.1, golden traces",
            recovery: Recovery::Linux,
            params: ScalableParams { per_segment: 100, low_window: 0, counting: COUNT_SEGMENTS },
        },
    ];
}

impl CongestionControl for Scalable {
    type Params = ScalableParams;

    fn rescale(&mut self, scale: Rescale) -> bool {
        SegmentState::rescale(self, scale);
        true
    }

    fn ssthresh(&mut self, conn: &mut Conn, params: &ScalableParams) -> u32 {
        // Kelly 2003: b = 1/8; below the low window standard TCP's half.
        let cut = if conn.cwnd <= params.low_window { conn.cwnd / 2 } else { conn.cwnd >> 3 };
        (conn.cwnd - cut).max(2)
    }

    fn cong_avoid(&mut self, conn: &mut Conn, _ack: u32, acked: u32, params: &ScalableParams) {
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
        let window = if params.low_window == 0 {
            conn.cwnd.min(params.per_segment)
        } else if conn.cwnd <= params.low_window {
            conn.cwnd
        } else {
            params.per_segment
        };
        additive_increase(conn, window, acked);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAPER: ScalableParams = ScalableParams { per_segment: 100, low_window: 16, counting: COUNT_ACKS };

    // ha2008 §2: the time to recover from a loss does not depend on the window. With a = 0.01 a round trip multiplies the
    // window by 1.01: ln(8/7) / ln(1.01) = 13.4 round trips, at 10² … 10⁵ segments, within one.
    #[test]
    fn recovery_takes_thirteen_round_trips_at_any_window() {
        for window in [100_u32, 1000, 10_000, 100_000] {
            let mut scalable = Scalable::default();
            let mut conn = Conn { is_cwnd_limited: true, ..Conn::new(1448, window) };
            conn.ssthresh = scalable.ssthresh(&mut conn, &PAPER);
            conn.cwnd = conn.ssthresh;
            let mut rounds = 0.0_f64;
            while conn.cwnd < window {
                for _ in 0..conn.cwnd {
                    scalable.cong_avoid(&mut conn, 0, 1, &PAPER);
                }
                rounds += 1.0;
            }
            assert!((rounds - 13.4).abs() <= 1.0, "{rounds} round trips at {window}");
        }
    }

    #[test]
    fn a_small_window_is_standard_tcp() {
        let mut conn = Conn { is_cwnd_limited: true, ssthresh: 2, ..Conn::new(1448, 16) };
        assert_eq!(Scalable::default().ssthresh(&mut conn, &PAPER), 8);
        for _ in 0..16 {
            Scalable::default().cong_avoid(&mut conn, 0, 1, &PAPER);
        }
        assert_eq!(conn.cwnd, 17);
        assert_eq!(Scalable::default().ssthresh(&mut conn, &PAPER), 15); // 17 − 17/8
    }
}
