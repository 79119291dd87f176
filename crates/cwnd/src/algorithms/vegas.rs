// SPDX-License-Identifier: MIT OR Apache-2.0
//! Vegas (Brakmo and Peterson 1995): once per round trip, compare the window with what it would be without queueing, and
//! keep the difference, the segments that wait in queues, between two bounds.
//!
//! With fewer than three RTT samples in a round, and while losses are repaired, it is standard TCP.
//!
//! | | `vegas` | `vegas-linux` |
//! | --- | --- | --- |
//! | segments in queues | 1 to 3 (paper §3.2) | 2 to 4 |
//! | slow start doubles | every other round trip, and holds between, so that a round's rates can be compared (paper §3.3) | every round trip |
//! | slow start ends at | 7/8 of the window | the window without queueing, and one |
//! | a loss keeps | 3/4 | 1/2 |
//!
//! The paper prints neither the 7/8 nor the 3/4. They are those of the authors' implementation as ns-2 carries it, measured there:
//! 48 to 42 segments at the end of slow start, 67.0 to 50.4 at a loss. Deviation of both: the paper's retransmission before the third
//! duplicate acknowledgement, by a fine-grained clock (§3.1), is the transport's business and not here.

use super::standard;
use crate::conn::{CaState, Conn};
use crate::hook_argument_types::{AckSample, CaEvent};
use crate::hooks::{CongestionControl, Info};
use crate::math::{ONE_X64K, seq_after};
use crate::params::ParamKind;
use crate::registration::{Recovery, Registered, Set};
use crate::rescale::{Rescale, SegmentState};
use crate::slow_start;

/// No RTT known yet, µs.
pub(super) const UNKNOWN_US: u32 = 0x7fff_ffff;

/// Names of the windows at which slow start ends, in the order of their numbers.
const EXIT_NAMES: &[&str] = &["target", "eighth"];
/// The window without queueing, and one segment.
const EXIT_TARGET: u32 = 0;
/// An eighth less than the present window.
const EXIT_EIGHTH: u32 = 1;

crate::params! {
    /// Settings of Vegas.
    ///
    /// ```
    /// use cwnd::{Algorithm, Conn, Fraction, algorithms::vegas::Vegas};
    ///
    /// let mut cc = Vegas::builder().kept(Fraction::new(1, 2)).build()?;
    /// let mut conn = Conn { packets_out: 100, ..Conn::new(1448, 100) };
    /// cc.init(&mut conn);
    /// assert_eq!(cc.ssthresh(&mut conn), 50); // 100 × 1/2
    /// # Ok::<(), cwnd::ParamError>(())
    /// ```
    pub struct VegasParams for Vegas {
        alpha: ParamKind::Whole, "segments", 0 => 1_000_000, "Brakmo and Peterson 1995 §4",
            "grow while fewer segments than this wait in queues";
        beta: ParamKind::Whole, "segments", 0 => 1_000_000, "Brakmo and Peterson 1995 §4",
            "shrink while more segments than this wait in queues";
        gamma: ParamKind::Whole, "segments", 0 => 1_000_000, "Brakmo and Peterson 1995 §5",
            "leave slow start when more segments than this wait in queues";
        doubling_rounds: ParamKind::Whole, "round trips", 1 => 16, "Brakmo and Peterson 1995 §3.3; Linux",
            "slow start grows in the first of this many round trips and holds its window in the others";
        slow_start_exit: ParamKind::Choice(EXIT_NAMES), "", 0 => 1, "ns-2; Linux",
            "window after slow start: the window without queueing plus one, or 7/8 of the current one";
        kept: ParamKind::Decimal, "", 6_554 => 64_881, "ns-2; Linux",
            "fraction of the window kept after a loss, rounded down to whole segments";
    }
}

crate::state! {
    /// State of Vegas.
    ///
    /// ```
    /// use cwnd::{Algorithm, Configured, Conn, algorithms::vegas::Vegas};
    ///
    /// let mut cc = Configured::<Vegas>::registered();
    /// let mut conn = Conn { packets_out: 100, ..Conn::new(1448, 100) };
    /// cc.init(&mut conn);
    /// assert_eq!(cc.ssthresh(&mut conn), 75); // 100 × 3/4
    /// ```
    pub struct Vegas {
        /// The round ends when this byte is acknowledged.
        round_end_seq: u32 as unchanged,
        /// RTT samples of this round.
        samples: u32 as unchanged,
        /// Smallest RTT of this round, and of the connection, µs.
        round_min_rtt_us: u32 as unchanged,
        base_rtt_us: u32 as unchanged,
        /// 1 while nothing is being repaired.
        active: u8 as unchanged,
        /// Rounds of slow start since the last one that grew; 0 in one that grows.
        holding: u8 as unchanged,
    }
}

impl Vegas {
    fn begin(&mut self, conn: &Conn) {
        self.active = 1;
        self.holding = 0;
        self.next_round(conn);
    }

    fn next_round(&mut self, conn: &Conn) {
        self.round_end_seq = conn.snd_nxt;
        self.samples = 0;
        self.round_min_rtt_us = UNKNOWN_US;
    }

    /// Window without queueing, and the segments that wait: w · base / RTT, and w · (RTT − base) / base.
    fn target_and_waiting(&self, cwnd: u32) -> (u32, u32) {
        let (rtt, base) = (u64::from(self.round_min_rtt_us.max(1)), u64::from(self.base_rtt_us.max(1)));
        let target = u64::from(cwnd) * base / rtt;
        let waiting = u64::from(cwnd) * rtt.saturating_sub(base) / base;
        (target.min(u64::from(u32::MAX)) as u32, waiting.min(u64::from(u32::MAX)) as u32)
    }

    /// Slow start's growth for `acked` segments, in rounds that grow. // Brakmo and Peterson 1995 §3.3
    fn slow_start(&self, conn: &mut Conn, acked: u32) {
        if self.holding == 0 {
            slow_start::standard(conn, acked);
        }
    }

    fn end_of_round(&mut self, conn: &mut Conn, acked: u32, params: &VegasParams) {
        let (target, waiting) = self.target_and_waiting(conn.cwnd);
        if conn.in_slow_start() {
            if waiting > params.gamma {
                conn.cwnd = if params.slow_start_exit == EXIT_EIGHTH {
                    conn.cwnd - conn.cwnd / 8
                } else {
                    conn.cwnd.min(target.saturating_add(1))
                };
                conn.ssthresh = conn.ssthresh.min(conn.cwnd);
            } else {
                self.slow_start(conn, acked);
            }
            self.holding =
                if u32::from(self.holding) + 1 < params.doubling_rounds { self.holding + 1 } else { 0 };
        } else if waiting > params.beta {
            conn.cwnd = conn.cwnd.saturating_sub(1);
            conn.ssthresh = conn.ssthresh.min(conn.cwnd);
        } else if waiting < params.alpha {
            conn.grow(1);
        }
        conn.cwnd = conn.cwnd.max(2).min(conn.cwnd_clamp);
        // A later loss shall not find a threshold far below the window (Linux's tcp_current_ssthresh).
        conn.ssthresh = conn.ssthresh.max((conn.cwnd >> 1) + (conn.cwnd >> 2));
    }
}

const LINUX: VegasParams = VegasParams {
    alpha: 2,
    beta: 4,
    gamma: 1,
    doubling_rounds: 1,
    slow_start_exit: EXIT_TARGET,
    kept: ONE_X64K / 2,
};

impl Registered for Vegas {
    const NAME: &'static str = "vegas";
    const SUMMARY: &'static str = "keeps a few segments in queues, estimated from the RTT";
    const SETS: &'static [Set<VegasParams>] = &[
        Set {
            name: "vegas",
            summary: "between 1 and 3 segments in queues; doubles every other round trip, keeps 3/4 after a loss",
            source: "Brakmo and Peterson 1995; ns-2",
            recovery: Recovery::Sack,
            params: VegasParams {
                alpha: 1,
                beta: 3,
                gamma: 1,
                doubling_rounds: 2,
                slow_start_exit: EXIT_EIGHTH,
                kept: 49_152, // 3/4
            },
        },
        Set {
            name: "vegas-linux",
            summary: "between 2 and 4 segments in queues; doubles every round trip, keeps half",
            source: "Linux 6.1, golden traces",
            recovery: Recovery::Linux,
            params: LINUX,
        },
    ];
}

impl CongestionControl for Vegas {
    type Params = VegasParams;

    fn init(&mut self, conn: &mut Conn, _params: &VegasParams) {
        *self = Self { base_rtt_us: UNKNOWN_US, ..Self::default() };
        self.begin(conn);
    }

    fn rescale(&mut self, scale: Rescale) -> bool {
        SegmentState::rescale(self, scale);
        true
    }

    fn ssthresh(&mut self, conn: &mut Conn, params: &VegasParams) -> u32 {
        let kept = (u64::from(conn.cwnd) * u64::from(params.kept)) >> 16;
        (kept as u32).max(2) // below the window: `kept` is below 1
    }

    fn cong_avoid(&mut self, conn: &mut Conn, ack: u32, acked: u32, params: &VegasParams) {
        if self.active == 0 {
            standard(conn, acked);
        } else if seq_after(ack, self.round_end_seq) {
            // Fewer than three samples may all be of a delayed acknowledgement.
            if self.samples <= 2 {
                standard(conn, acked);
            } else {
                self.end_of_round(conn, acked, params);
            }
            self.next_round(conn);
        } else if conn.in_slow_start() {
            self.slow_start(conn, acked);
        }
    }

    fn set_state(&mut self, conn: &mut Conn, new: CaState, _params: &VegasParams) {
        if new == CaState::Open {
            self.begin(conn);
        } else {
            self.active = 0;
        }
    }

    fn cwnd_event(&mut self, conn: &mut Conn, event: CaEvent, params: &VegasParams) {
        if matches!(event, CaEvent::TxStart | CaEvent::CwndRestart) {
            self.init(conn, params); // the path may have changed while nothing was sent
        }
    }

    fn pkts_acked(&mut self, _conn: &mut Conn, sample: &AckSample, _params: &VegasParams) {
        if sample.rtt_us < 0 {
            return;
        }
        let rtt_us = (sample.rtt_us as u32).saturating_add(1); // never 0: it divides
        self.base_rtt_us = self.base_rtt_us.min(rtt_us);
        self.round_min_rtt_us = self.round_min_rtt_us.min(rtt_us);
        self.samples = self.samples.saturating_add(1);
    }

    fn info(&self, conn: &Conn, _params: &VegasParams) -> Info {
        let known = |rtt_us: u32| if rtt_us == UNKNOWN_US { 0 } else { u64::from(rtt_us) };
        // Between two rounds there is nothing to judge by.
        let waiting = if self.samples > 0 { self.target_and_waiting(conn.cwnd).1 } else { 0 };
        Info {
            fields: [
                ("base_rtt_us", known(self.base_rtt_us)),
                ("round_min_rtt_us", known(self.round_min_rtt_us)),
                ("waiting", u64::from(waiting)),
                ("samples", u64::from(self.samples)),
                ("active", u64::from(self.active)),
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

    /// One judged round at a window of 40 segments, base RTT 40 ms, with this RTT.
    fn after_round(rtt_us: u32) -> u32 {
        let params = LINUX;
        let mut vegas = Vegas {
            base_rtt_us: 40_000,
            round_min_rtt_us: rtt_us,
            samples: 40,
            active: 1,
            ..Vegas::default()
        };
        let mut conn = Conn { is_cwnd_limited: true, ssthresh: 20, ..Conn::new(1448, 40) };
        vegas.cong_avoid(&mut conn, 1, 1, &params);
        conn.cwnd
    }

    // Brakmo and Peterson 1995 §5: slow start ends when more than γ segments wait, at the window that would leave none:
    // 40 · 40/50 = 32, and one.
    #[test]
    fn slow_start_ends_at_the_window_without_queueing() {
        let params = LINUX;
        let mut vegas = Vegas {
            base_rtt_us: 40_000,
            round_min_rtt_us: 50_000,
            samples: 40,
            active: 1,
            ..Vegas::default()
        };
        let mut conn = Conn { is_cwnd_limited: true, ..Conn::new(1448, 40) };
        vegas.cong_avoid(&mut conn, 1, 1, &params);
        assert_eq!((conn.cwnd, conn.ssthresh), (33, 33));
    }

    const PAPER: VegasParams = Vegas::SETS[0].params;

    /// Windows at the ends of `rounds` round trips of slow start from 10 segments, each ACK of one segment, RTT as the base.
    fn slow_start_windows(params: &VegasParams, rounds: usize) -> Vec<u32> {
        let (mut vegas, mut conn) = (Vegas::default(), Conn { is_cwnd_limited: true, ..Conn::new(1000, 10) });
        conn.snd_nxt = 10_000;
        vegas.init(&mut conn, params);
        let mut windows = vec![];
        for _ in 0..rounds {
            let end = conn.snd_una + 1000 * conn.cwnd;
            conn.snd_nxt = end;
            while conn.snd_una < end {
                conn.snd_una += 1000;
                vegas.pkts_acked(&mut conn, &AckSample::new(1, 40_000, 10), params);
                let una = conn.snd_una;
                conn.snd_nxt = una + 1000 * conn.cwnd;
                vegas.cong_avoid(&mut conn, una, 1, params);
            }
            windows.push(conn.cwnd);
        }
        windows
    }

    // Brakmo and Peterson 1995 §3.3: exponential growth every other round trip, the window fixed in between. ns-2's Vegas, asked
    // every round trip: 1 1 3 3 6 6 12 12 24 24 48 48. A round ends one acknowledgement late (seq_after), so a few segments of the
    // next round's growth fall on this side: 1, 3, 7 of 20, 40, 80.
    #[test]
    fn slow_start_doubles_every_other_round_trip() {
        let paper = slow_start_windows(&PAPER, 6);
        for (window, expected) in paper.iter().zip([20, 20, 40, 40, 80, 80]) {
            assert!(window.abs_diff(expected) <= expected / 10, "{paper:?}");
        }
        let linux = slow_start_windows(&LINUX, 4);
        for (window, expected) in linux.iter().zip([20, 40, 80, 160]) {
            assert!(window.abs_diff(expected) <= expected / 10, "{linux:?}");
        }
    }

    // ns-2's Vegas: 48 segments become 42 where slow start ends (an eighth less), 67 become 50 at a loss (3/4); Linux's 24 → 12, 67 → 33.
    #[test]
    fn slow_start_ends_an_eighth_lower_and_a_loss_keeps_three_quarters() {
        let mut vegas = Vegas {
            base_rtt_us: 40_000,
            round_min_rtt_us: 50_000,
            samples: 40,
            active: 1,
            ..Vegas::default()
        };
        let mut conn = Conn { is_cwnd_limited: true, ..Conn::new(1448, 48) };
        vegas.cong_avoid(&mut conn, 1, 1, &PAPER);
        assert_eq!((conn.cwnd, conn.ssthresh), (42, 42));
        conn.cwnd = 67;
        assert_eq!((vegas.ssthresh(&mut conn, &PAPER), vegas.ssthresh(&mut conn, &LINUX)), (50, 33));
        conn.cwnd = 2;
        assert_eq!((vegas.ssthresh(&mut conn, &PAPER), vegas.ssthresh(&mut conn, &LINUX)), (2, 2));
    }

    // Brakmo and Peterson 1995 have no word on it; the kernel measures anew after silence, as the path may have changed.
    #[test]
    fn silence_makes_it_measure_anew() {
        let params = LINUX;
        let (mut vegas, mut conn) = (Vegas::default(), Conn::new(1448, 10));
        vegas.init(&mut conn, &params);
        for event in [CaEvent::TxStart, CaEvent::CwndRestart] {
            vegas.pkts_acked(&mut conn, &AckSample::new(1, 40_000, 10), &params);
            assert_eq!((vegas.base_rtt_us, vegas.samples), (40_001, 1));
            vegas.cwnd_event(&mut conn, event, &params);
            assert_eq!((vegas.base_rtt_us, vegas.samples), (UNKNOWN_US, 0));
        }
    }

    // ha2008 § 2: rises below alpha, falls above beta, holds between. 40 · (RTT − 40)/40 = RTT − 40 segments wait.
    #[test]
    fn the_window_rises_below_alpha_falls_above_beta_and_holds_between() {
        assert_eq!(after_round(41_000), 41);
        assert_eq!(after_round(42_000), 40);
        assert_eq!(after_round(44_000), 40);
        assert_eq!(after_round(45_000), 39);
    }
}
