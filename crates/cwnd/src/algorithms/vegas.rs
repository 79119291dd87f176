// SPDX-License-Identifier: MIT OR Apache-2.0
//! Vegas (Brakmo and Peterson 1995): once per round trip, compare the window with what it would be without queueing, and
//! keep the difference, the segments that wait in queues, between two bounds.
//!
//! With fewer than three RTT samples in a round, and while losses are repaired, it is standard TCP. The forms differ in
//! their bounds: `vegas` has the paper's 1 and 3, `vegas-linux` the kernel's 2 and 4.

use super::standard;
use crate::conn::{AckSample, CaEvent, CaState, Conn};
use crate::control::{CongestionControl, Info};
use crate::math::seq_after;
use crate::params::Kind;
use crate::registry::{Recovery, Registered, Set};
use crate::slow_start;

/// No RTT known yet, µs.
pub(super) const UNKNOWN_US: u32 = 0x7fff_ffff;

crate::params! {
    /// Settings of Vegas.
    pub struct VegasParams {
        alpha: Kind::Whole, "segments", 0 => 1_000_000, "Brakmo and Peterson 1995 §4",
            "grow while fewer segments than this wait in queues";
        beta: Kind::Whole, "segments", 0 => 1_000_000, "Brakmo and Peterson 1995 §4",
            "shrink while more segments than this wait in queues";
        gamma: Kind::Whole, "segments", 0 => 1_000_000, "Brakmo and Peterson 1995 §5",
            "leave slow start when more segments than this wait in queues";
    }
}

/// State of Vegas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Vegas {
    /// The round ends when this byte is acknowledged.
    round_end_seq: u32,
    /// RTT samples of this round.
    samples: u32,
    /// Smallest RTT of this round, and of the connection, µs.
    round_min_rtt_us: u32,
    base_rtt_us: u32,
    /// 1 while nothing is being repaired.
    active: u8,
}

impl Vegas {
    fn begin(&mut self, conn: &Conn) {
        self.active = 1;
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

    fn end_of_round(&mut self, conn: &mut Conn, acked: u32, params: &VegasParams) {
        let (target, waiting) = self.target_and_waiting(conn.cwnd);
        if conn.in_slow_start() {
            if waiting > params.gamma {
                conn.cwnd = conn.cwnd.min(target.saturating_add(1));
                conn.ssthresh = conn.ssthresh.min(conn.cwnd);
            } else {
                slow_start::standard(conn, acked);
            }
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

impl Registered for Vegas {
    const NAME: &'static str = "vegas";
    const SUMMARY: &'static str = "keeps a few segments waiting in queues, judged by the RTT";
    const SETS: &'static [Set<VegasParams>] = &[
        Set {
            name: "vegas",
            summary: "between 1 and 3 segments in queues",
            source: "Brakmo and Peterson 1995",
            recovery: Recovery::Sack,
            params: VegasParams { alpha: 1, beta: 3, gamma: 1 },
        },
        Set {
            name: "vegas-linux",
            summary: "between 2 and 4 segments in queues",
            source: "Linux 6.1, golden traces",
            recovery: Recovery::Sack,
            params: VegasParams { alpha: 2, beta: 4, gamma: 1 },
        },
    ];
}

impl CongestionControl for Vegas {
    type Params = VegasParams;

    fn init(&mut self, conn: &mut Conn, _params: &VegasParams) {
        *self = Self { base_rtt_us: UNKNOWN_US, ..Self::default() };
        self.begin(conn);
    }

    fn ssthresh(&mut self, conn: &mut Conn, _params: &VegasParams) -> u32 {
        (conn.cwnd >> 1).max(2)
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
            slow_start::standard(conn, acked);
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
        let params = VegasParams { alpha: 2, beta: 4, gamma: 1 };
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
        let params = VegasParams { alpha: 2, beta: 4, gamma: 1 };
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

    // Brakmo and Peterson 1995 have no word on it; the kernel measures anew after silence, as the path may have changed.
    #[test]
    fn silence_makes_it_measure_anew() {
        let params = VegasParams { alpha: 2, beta: 4, gamma: 1 };
        let (mut vegas, mut conn) = (Vegas::default(), Conn::new(1448, 10));
        vegas.init(&mut conn, &params);
        for event in [CaEvent::TxStart, CaEvent::CwndRestart] {
            vegas.pkts_acked(&mut conn, &AckSample { pkts_acked: 1, rtt_us: 40_000, in_flight: 10 }, &params);
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
