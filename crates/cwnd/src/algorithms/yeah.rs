// SPDX-License-Identifier: MIT OR Apache-2.0
//! YeAH-TCP (Baiocchi, Castellani and Vacirca 2007): Scalable TCP while the queue is short, standard TCP while it is long.
//!
//! Once per round trip the segments in the queue are estimated as Vegas does, Q = w · (RTT − base) / RTT. With more than 80, or
//! a queueing delay over an eighth of the base RTT, the round is slow: standard TCP, and beyond 80 the queue is taken
//! out of the window, down to the window that a standard flow beside it would have. That window is estimated by counting
//! slow rounds. A loss removes the queue, an eighth to half of the window; half after 16 slow rounds in a row, when
//! others are there.
//!
//! The paper and Linux name the same constants and rules, so `yeah` and `yeah-linux` differ in name alone; the paper's fractions of
//! a segment are rounded down. A round with fewer than three RTT samples is not judged. Linux's bound of the window,
//! 2³² / 128, is the transport's. What the golden trace does not show: windows over 80 segments, slow start, idle periods.

use super::additive_increase;
use super::vegas::UNKNOWN_US;
use crate::conn::{CaState, Conn};
use crate::hook_argument_types::{AckSample, CaEvent};
use crate::hooks::{CongestionControl, Info, PrivateWords};
use crate::math::seq_after;
use crate::params::ParamKind;
use crate::registration::{Recovery, Registered, Set};
use crate::rescale::{Rescale, SegmentState};
use crate::slow_start;

crate::params! {
    /// Settings of YeAH-TCP.
    ///
    /// ```
    /// use cwnd::{Algorithm, Conn, algorithms::yeah::Yeah};
    ///
    /// let mut cc = Yeah::builder().delta(2).build()?;
    /// let mut conn = Conn { packets_out: 100, ..Conn::new(1448, 100) };
    /// cc.init(&mut conn);
    /// assert_eq!(cc.ssthresh(&mut conn), 75); // 100 − 100/2²
    /// # Ok::<(), cwnd::ParamError>(())
    /// ```
    pub struct YeahParams for Yeah {
        alpha: ParamKind::Whole, "segments", 1 => 1_000_000, "Baiocchi et al. 2007 (Q_max)",
            "with more segments than this in the queue, a round is slow and drains the queue";
        phi: ParamKind::Whole, "", 1 => 1_000, "Baiocchi et al. 2007 (φ)",
            "with a queueing delay above 1/phi of the base RTT, a round is slow";
        gamma: ParamKind::Whole, "", 1 => 1_000, "Baiocchi et al. 2007 (γ)",
            "1/gamma of the queue is drained per round";
        epsilon: ParamKind::Whole, "log2", 0 => 16, "Baiocchi et al. 2007 (ε); Linux",
            "a round reduces the window by at most 1/2^epsilon";
        delta: ParamKind::Whole, "log2", 1 => 16, "Baiocchi et al. 2007; Linux",
            "a loss reduces the window by at least 1/2^delta";
        rho: ParamKind::Whole, "rounds", 0 => 1_000, "Baiocchi et al. 2007; Linux",
            "after this many slow rounds in a row, a loss halves the window";
        zeta: ParamKind::Whole, "rounds", 0 => 1_000_000, "Linux",
            "after more fast rounds than this, the window of the imagined standard flow restarts at 2";
        per_segment: ParamKind::Whole, "segments", 1 => 10_000, "Kelly 2003 (a = 0.01)",
            "acknowledged segments per segment of growth in fast rounds, or the window if that is smaller";
    }
}

crate::state! {
    /// State of YeAH-TCP.
    ///
    /// ```
    /// use cwnd::{Algorithm, Configured, Conn, algorithms::yeah::Yeah};
    ///
    /// let mut cc = Configured::<Yeah>::registered();
    /// let mut conn = Conn { packets_out: 100, ..Conn::new(1448, 100) };
    /// cc.init(&mut conn);
    /// assert_eq!(cc.ssthresh(&mut conn), 88); // 100 − 100/8, rounded up
    /// ```
    pub struct Yeah {
        /// The round ends when this byte is acknowledged.
        round_end_seq: u32 as unchanged,
        /// RTT samples of this round.
        samples: u32 as unchanged,
        /// Smallest RTT of this round, and of the connection, µs.
        round_min_rtt_us: u32 as unchanged,
        base_rtt_us: u32 as unchanged,
        /// Segments in the queue in the last round.
        queue: u32 as segments,
        /// Slow rounds in a row.
        slow_rounds: u32 as unchanged,
        /// Window of a standard flow beside this one, segments.
        reno_window: u32 as segments,
        fast_rounds: u32 as unchanged,
    }
}

impl Yeah {
    fn next_round(&mut self, conn: &Conn) {
        self.round_end_seq = conn.snd_nxt;
        self.samples = 0;
        self.round_min_rtt_us = UNKNOWN_US;
    }

    /// Takes `queue` out of the window, as far as a standard flow would let it.
    fn decongest(&self, conn: &mut Conn, queue: u32, params: &YeahParams) {
        let cut = (queue / params.gamma.max(1)).min(conn.cwnd >> params.epsilon.min(31));
        conn.cwnd = conn.cwnd.saturating_sub(cut).max(self.reno_window);
        conn.ssthresh = conn.cwnd;
    }

    fn judge(&mut self, conn: &mut Conn, params: &YeahParams) {
        let delay_us = self.round_min_rtt_us.saturating_sub(self.base_rtt_us);
        let rtt_us = u64::from(self.round_min_rtt_us.max(1));
        let queue = (u64::from(conn.cwnd) * u64::from(delay_us) / rtt_us) as u32;
        if queue > params.alpha || delay_us > self.base_rtt_us / params.phi.max(1) {
            if queue > params.alpha && conn.cwnd > self.reno_window {
                self.decongest(conn, queue, params);
            }
            self.reno_window = if self.reno_window <= 2 {
                (conn.cwnd >> 1).max(2)
            } else {
                self.reno_window.saturating_add(1)
            };
            self.slow_rounds = (self.slow_rounds + 1).min(0xff_ffff);
        } else {
            self.fast_rounds = self.fast_rounds.saturating_add(1);
            if self.fast_rounds > params.zeta {
                (self.reno_window, self.fast_rounds) = (2, 0);
            }
            self.slow_rounds = 0;
        }
        self.queue = queue;
    }

    /// What a loss takes out.
    fn reduction(&self, cwnd: u32, params: &YeahParams) -> u32 {
        let half = (cwnd >> 1).max(2);
        if self.slow_rounds >= params.rho {
            return half;
        }
        self.queue.min(half).max(cwnd >> params.delta.min(31))
    }
}

const PAPER: YeahParams =
    YeahParams { alpha: 80, phi: 8, gamma: 1, epsilon: 1, delta: 3, rho: 16, zeta: 50, per_segment: 100 };

impl Registered for Yeah {
    const NAME: &'static str = "yeah";
    const SUMMARY: &'static str = "YeAH-TCP: Scalable TCP while the queue is short, else standard TCP";
    const SETS: &'static [Set<YeahParams>] = &[
        Set {
            name: "yeah",
            summary: "at most 80 segments in the queue, a delay of 1/8 of the base RTT",
            source: "Baiocchi, Castellani and Vacirca 2007",
            recovery: Recovery::Sack,
            params: PAPER,
        },
        Set {
            name: "yeah-linux",
            summary: "as in Linux, which follows the paper",
            source: "Linux 6.1, golden traces",
            recovery: Recovery::Linux,
            params: PAPER,
        },
    ];

    /// Words: the round's end, its begin, the window then; active and samples (16 bits each); the round's smallest RTT; the base
    /// RTT; the queue; slow rounds; the standard flow's window; fast rounds.
    fn from_words(words: &PrivateWords) -> Option<Self> {
        let [round_end_seq, _, _, packed, round_min_rtt_us, base_rtt_us, queue, slow_rounds, rest @ ..] =
            *words;
        let [reno_window, fast_rounds, ..] = rest;
        let samples = packed >> 16;
        Some(Self {
            round_end_seq,
            samples,
            round_min_rtt_us,
            base_rtt_us,
            queue,
            slow_rounds,
            reno_window,
            fast_rounds,
        })
    }
}

impl CongestionControl for Yeah {
    type Params = YeahParams;

    fn init(&mut self, conn: &mut Conn, _params: &YeahParams) {
        *self = Self { base_rtt_us: UNKNOWN_US, reno_window: 2, ..Self::default() };
        self.next_round(conn);
    }

    fn rescale(&mut self, scale: Rescale) -> bool {
        SegmentState::rescale(self, scale);
        true
    }

    fn ssthresh(&mut self, conn: &mut Conn, params: &YeahParams) -> u32 {
        let reduction = self.reduction(conn.cwnd, params);
        self.fast_rounds = 0;
        self.reno_window = (self.reno_window >> 1).max(2);
        conn.cwnd.saturating_sub(reduction).max(2)
    }

    fn cong_avoid(&mut self, conn: &mut Conn, ack: u32, acked: u32, params: &YeahParams) {
        if !conn.cwnd_limited() {
            return;
        }
        let mut acked = acked;
        if conn.in_slow_start() {
            acked = slow_start::standard(conn, acked);
        }
        if acked > 0 {
            let fast = if self.slow_rounds == 0 { params.per_segment } else { u32::MAX };
            let window = conn.cwnd.min(fast);
            additive_increase(conn, window, acked);
        }
        if seq_after(ack, self.round_end_seq) {
            // Fewer than three samples may all be of a delayed acknowledgement.
            if self.samples > 2 {
                self.judge(conn, params);
            }
            self.next_round(conn);
        }
    }

    fn set_state(&mut self, conn: &mut Conn, new: CaState, _params: &YeahParams) {
        if new == CaState::Open {
            self.next_round(conn);
        }
    }

    fn cwnd_event(&mut self, conn: &mut Conn, event: CaEvent, _params: &YeahParams) {
        if matches!(event, CaEvent::TxStart | CaEvent::CwndRestart) {
            self.base_rtt_us = UNKNOWN_US; // the path may have changed while nothing was sent
            self.next_round(conn);
        }
    }

    fn pkts_acked(&mut self, _conn: &mut Conn, sample: &AckSample, _params: &YeahParams) {
        if sample.rtt_us < 0 {
            return;
        }
        let rtt_us = (sample.rtt_us as u32).saturating_add(1); // never 0: it divides
        self.base_rtt_us = self.base_rtt_us.min(rtt_us);
        self.round_min_rtt_us = self.round_min_rtt_us.min(rtt_us);
        self.samples = self.samples.saturating_add(1);
    }

    fn info(&self, _conn: &Conn, _params: &YeahParams) -> Info {
        let known = |rtt_us: u32| if rtt_us == UNKNOWN_US { 0 } else { u64::from(rtt_us) };
        Info::of(&[
            ("base_rtt_us", known(self.base_rtt_us)),
            ("round_min_rtt_us", known(self.round_min_rtt_us)),
            ("queue", u64::from(self.queue)),
            ("reno_window", u64::from(self.reno_window)),
            ("slow_rounds", u64::from(self.slow_rounds)),
            ("fast_rounds", u64::from(self.fast_rounds)),
            ("samples", u64::from(self.samples)),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A judged round at this window and RTT, base RTT 40 ms, a standard flow's window of 100.
    fn judged(cwnd: u32, rtt_us: u32) -> (Yeah, Conn) {
        let mut yeah = Yeah { base_rtt_us: 40_000, round_min_rtt_us: rtt_us, ..Yeah::default() };
        yeah.reno_window = 100;
        let mut conn = Conn::new(1448, cwnd);
        yeah.judge(&mut conn, &PAPER);
        (yeah, conn)
    }

    // Baiocchi et al. 2007: an eighth of 40 ms is 5 ms; 200 · 5/45 = 22 segments.
    #[test]
    fn a_round_is_slow_above_an_eighth_of_the_base_rtt() {
        let (yeah, conn) = judged(200, 45_000);
        assert_eq!((yeah.slow_rounds, yeah.fast_rounds, yeah.queue, conn.cwnd), (0, 1, 22, 200));
        let (yeah, conn) = judged(200, 45_001);
        assert_eq!((yeah.slow_rounds, yeah.reno_window, conn.cwnd), (1, 101, 200));
    }

    // 2000 · 2/42 = 95 segments of queue are taken out; 1000 · 20/60 = 333 too; 1000 · 60/100 = 600 is over half of
    // the window; and 150 · 100/140 = 107 stops at the standard flow's 100.
    #[test]
    fn beyond_eighty_segments_the_queue_is_taken_out() {
        assert_eq!(judged(2000, 42_000).1.cwnd, 1_905);
        assert_eq!(judged(1000, 60_000).1.cwnd, 667);
        assert_eq!(judged(1000, 100_000).1.cwnd, 500);
        assert_eq!(judged(150, 140_000).1.cwnd, 100);
    }

    // The queue, an eighth at least and half at most; half after 16 slow rounds in a row.
    #[test]
    fn a_loss_takes_out_the_queue_unless_others_are_there() {
        let ssthresh = |queue, slow_rounds| {
            let mut yeah = Yeah { queue, slow_rounds, ..Yeah::default() };
            yeah.ssthresh(&mut Conn::new(1448, 80), &PAPER)
        };
        assert_eq!([ssthresh(3, 0), ssthresh(20, 15), ssthresh(70, 0), ssthresh(20, 16)], [70, 60, 40, 40]);
    }
}
