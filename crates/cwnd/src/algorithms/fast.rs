// SPDX-License-Identifier: MIT OR Apache-2.0
//! FAST (Wei, Jin, Low and Hegde 2006): keeps α segments of its own waiting in the path's queues, whatever its speed.
//!
//! Every other round trip w becomes min(2w, (1 − γ) w + γ (baseRTT/RTT · w + α)): at rest w · (RTT − baseRTT)/RTT = α. RTT is a
//! moving mean in which a sample weighs min(3/w, 1/4); a loss halves the window. The start doubles the window each round
//! trip until the queueing delay passes the threshold of ns-2's module, and the rule above takes over.
//!
//! Deviations. A larger window is reached with the acknowledgements of the round after the decision, one segment for
//! each, not in one burst. The start is a slow start that delay ends; ns-2's module doubles again whenever delay is below
//! the threshold, which at rates where α segments take less time than that never ends. α is a constant (the paper's
//! tunes it to the rate), β = α (with which ns-2's module always acts), and w is whole segments, rounded to nearest. Without
//! any RTT sample it is standard TCP.

use super::additive_increase;
use crate::conn::{CaState, Conn};
use crate::hook_argument_types::AckSample;
use crate::hooks::{CongestionControl, Info};
use crate::math::{ONE_X64K, scale_x64k, seq_after};
use crate::params::ParamKind;
use crate::registration::{Recovery, Registered, Set};
use crate::rescale::{Rescale, SegmentState};
use crate::slow_start;

crate::params! {
    /// Settings of FAST.
    ///
    /// ```
    /// use cwnd::algorithms::fast::Fast;
    ///
    /// let cc = Fast::builder().alpha(20).build()?;
    /// assert_eq!((cc.params.alpha, cc.params.start_delay), (20, 750)); // 20 segments at rest; µs
    /// # Ok::<(), cwnd::ParamError>(())
    /// ```
    pub struct FastParams for Fast {
        alpha: ParamKind::Whole, "segments", 1 => 1_000_000, "Wei et al. 2006 §III; ns-2",
            "segments of a flow in queues in equilibrium";
        gamma: ParamKind::Decimal, "", 655 => 65_536, "Wei et al. 2006 §III; ns-2",
            "share of the way to the new window per update";
        start_delay: ParamKind::Whole, "us", 0 => 10_000_000, "ns-2 (mi_threshold)",
            "queueing delay that ends slow start";
    }
}

crate::state! {
    /// State of FAST.
    ///
    /// ```
    /// use cwnd::{Algorithm, Configured, Conn, algorithms::fast::Fast};
    ///
    /// let mut cc = Configured::<Fast>::registered();
    /// let mut conn = Conn { packets_out: 100, ..Conn::new(1448, 100) };
    /// cc.init(&mut conn);
    /// assert_eq!(cc.ssthresh(&mut conn), 50); // half: it turns at the delay, and hardly ever at a loss
    /// ```
    pub struct Fast {
        /// Mean RTT, in 1/65536 µs; 0 before the first sample.
        mean_rtt_us_x64k: u64 as unchanged,
        /// Smallest RTT, µs; 0 before the first sample.
        base_rtt_us: u32 as unchanged,
        /// The round ends when this byte is acknowledged.
        round_end_seq: u32 as unchanged,
        /// Window decided on and still to be reached, segments; 0 for none.
        target: u32 as segments,
        /// 1 while the round shows what the last decision did; it ends without another.
        settling: u8 as unchanged,
    }
}

/// min(2w, (1 − γ) w + γ (baseRTT/RTT · w + α)), at least 2. // Wei et al. 2006 §III
fn next_window(window: u32, base_rtt_us: u32, rtt_us: u32, params: &FastParams) -> u32 {
    let unqueued = u64::from(window) * u64::from(base_rtt_us) / u64::from(rtt_us.max(1));
    let aim = unqueued.min(u64::from(u32::MAX)) as u32;
    let aim = aim.saturating_add(params.alpha);
    let next = if aim >= window {
        window.saturating_add(scale_x64k(aim - window, params.gamma)).min(window.saturating_mul(2))
    } else {
        window - scale_x64k(window - aim, params.gamma)
    };
    next.max(2)
}

impl Fast {
    fn rtt_us(&self) -> u32 {
        (self.mean_rtt_us_x64k >> 16).min(u64::from(u32::MAX)) as u32
    }

    fn queueing_delay_us(&self) -> u32 {
        self.rtt_us().saturating_sub(self.base_rtt_us)
    }

    /// Begins a round in which nothing has been decided yet.
    fn restart(&mut self, conn: &Conn) {
        self.round_end_seq = conn.snd_nxt;
        self.target = 0;
        self.settling = 0;
    }

    fn end_of_round(&mut self, conn: &mut Conn, params: &FastParams) {
        self.round_end_seq = conn.snd_nxt;
        self.settling = u8::from(self.settling == 0);
        if self.settling == 0 || self.base_rtt_us == 0 {
            return;
        }
        self.target = next_window(conn.cwnd, self.base_rtt_us, self.rtt_us(), params).min(conn.cwnd_clamp);
        if self.target < conn.cwnd {
            conn.cwnd = self.target;
            conn.ssthresh = conn.ssthresh.min(conn.cwnd); // a smaller window is no slow start
        }
    }
}

impl Registered for Fast {
    const NAME: &'static str = "fast";
    const SUMMARY: &'static str = "keeps a fixed number of segments in queues at any speed";
    const SETS: &'static [Set<FastParams>] = &[Set {
        name: "fast",
        summary: "100 segments in queues, half the way per update",
        source: "Wei, Jin, Low and Hegde 2006; ns-2's constants",
        recovery: Recovery::Sack,
        params: FastParams { alpha: 100, gamma: ONE_X64K / 2, start_delay: 750 },
    }];
}

impl CongestionControl for Fast {
    type Params = FastParams;

    fn init(&mut self, conn: &mut Conn, _params: &FastParams) {
        *self = Self::default();
        self.restart(conn);
    }

    fn rescale(&mut self, scale: Rescale) -> bool {
        SegmentState::rescale(self, scale);
        true
    }

    fn ssthresh(&mut self, conn: &mut Conn, _params: &FastParams) -> u32 {
        (conn.cwnd / 2).max(2)
    }

    fn cong_avoid(&mut self, conn: &mut Conn, ack: u32, acked: u32, params: &FastParams) {
        if conn.in_slow_start() {
            if self.queueing_delay_us() > params.start_delay {
                conn.ssthresh = conn.cwnd;
                self.restart(conn);
            } else if conn.cwnd_limited() {
                slow_start::standard(conn, acked);
            }
            return;
        }
        if seq_after(ack, self.round_end_seq) {
            self.end_of_round(conn, params);
        }
        if conn.cwnd_limited() {
            if self.base_rtt_us == 0 {
                let window = conn.cwnd;
                additive_increase(conn, window, acked);
            } else {
                conn.grow(acked.min(self.target.saturating_sub(conn.cwnd)));
            }
        }
    }

    fn set_state(&mut self, conn: &mut Conn, new: CaState, _params: &FastParams) {
        if new != CaState::Disorder {
            self.restart(conn);
        }
    }

    fn pkts_acked(&mut self, conn: &mut Conn, sample: &AckSample, _params: &FastParams) {
        if sample.rtt_us < 0 {
            return;
        }
        let rtt_us = (sample.rtt_us as u32).max(1);
        let rtt_us_x64k = u64::from(rtt_us) << 16;
        if self.base_rtt_us == 0 {
            self.base_rtt_us = rtt_us;
            self.mean_rtt_us_x64k = rtt_us_x64k;
            return;
        }
        self.base_rtt_us = self.base_rtt_us.min(rtt_us);
        // A sample weighs min(3/w, 1/4). // Wei et al. 2006 §III
        let apart = self.mean_rtt_us_x64k.abs_diff(rtt_us_x64k);
        let step = apart * 3 / u64::from(conn.cwnd.max(12));
        self.mean_rtt_us_x64k = if rtt_us_x64k > self.mean_rtt_us_x64k {
            self.mean_rtt_us_x64k.saturating_add(step)
        } else {
            self.mean_rtt_us_x64k.saturating_sub(step)
        };
    }

    fn info(&self, conn: &Conn, _params: &FastParams) -> Info {
        let waiting = u64::from(conn.cwnd) * u64::from(self.queueing_delay_us());
        Info::of(&[
            ("target", u64::from(self.target)),
            ("waiting", waiting / u64::from(self.rtt_us().max(1))),
            ("base_rtt_us", u64::from(self.base_rtt_us)),
            ("mean_rtt_us", u64::from(self.rtt_us())),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMS: FastParams = FastParams { alpha: 100, gamma: ONE_X64K / 2, start_delay: 750 };

    // Wei et al. 2006 §III, γ = 1/2, α = 100, base RTT 40 ms.
    #[test]
    fn an_update_goes_half_the_way_to_alpha_waiting_segments() {
        assert_eq!(next_window(500, 40_000, 40_000, &PARAMS), 550); // nothing waits: half of α more
        assert_eq!(next_window(1000, 40_000, 50_000, &PARAMS), 950); // 200 wait: (1000 + 800 + 100)/2
        assert_eq!(next_window(500, 40_000, 50_000, &PARAMS), 500); // 100 wait: at rest
        assert_eq!(next_window(20, 40_000, 40_000, &PARAMS), 40); // min(2w, 70)
        assert_eq!(next_window(2, 1, 1_000_000, &FastParams { alpha: 1, ..PARAMS }), 2);
    }

    fn running(cwnd: u32, rtt_us: i32) -> (Fast, Conn) {
        let mut fast = Fast::default();
        let mut conn = Conn { is_cwnd_limited: true, ssthresh: 2, ..Conn::new(1448, cwnd) };
        fast.init(&mut conn, &PARAMS);
        fast.pkts_acked(&mut conn, &AckSample::new(1, 40_000, 1), &PARAMS);
        for _ in 0..2000 {
            fast.pkts_acked(&mut conn, &AckSample::new(1, rtt_us, 1), &PARAMS);
        }
        (fast, conn)
    }

    /// Acknowledges a window, one segment at a time.
    fn round(fast: &mut Fast, conn: &mut Conn) {
        conn.snd_nxt = conn.snd_una.wrapping_add(conn.cwnd.wrapping_mul(1448));
        for _ in 0..conn.cwnd {
            conn.snd_una = conn.snd_una.wrapping_add(1448);
            let una = conn.snd_una;
            fast.cong_avoid(conn, una, 1, &PARAMS);
        }
    }

    // Of the constant RTT nothing waits: α γ = 50 segments more at each update, reached with the round's acknowledgements.
    #[test]
    fn the_window_is_updated_every_other_round_trip() {
        let (mut fast, mut conn) = running(500, 40_000);
        let windows: [u32; 6] = core::array::from_fn(|_| {
            round(&mut fast, &mut conn);
            conn.cwnd
        });
        assert_eq!(windows, [550, 550, 600, 600, 650, 650]);
    }

    #[test]
    fn a_smaller_window_is_taken_at_once_and_is_no_slow_start() {
        let (mut fast, mut conn) = running(1000, 50_000);
        conn.ssthresh = 1000;
        conn.snd_nxt = 1000 * 1448;
        fast.cong_avoid(&mut conn, 1448, 1, &PARAMS);
        assert_eq!((conn.cwnd, conn.ssthresh), (950, 950));
    }

    // The mean goes a quarter of the way to a sample at small windows, 3/w at large ones.
    #[test]
    fn a_sample_weighs_three_over_the_window_at_most_a_quarter() {
        for (cwnd, mean_us) in [(4, 42_500), (300, 40_100)] {
            let (mut fast, mut conn) = running(cwnd, 40_000);
            fast.pkts_acked(&mut conn, &AckSample::new(1, 50_000, 1), &PARAMS);
            assert_eq!(fast.rtt_us(), mean_us, "window {cwnd}");
        }
    }

    #[test]
    fn delay_ends_the_start() {
        let (mut fast, mut conn) = running(100, 40_700);
        conn.ssthresh = 1000;
        fast.cong_avoid(&mut conn, 1448, 1, &PARAMS);
        assert_eq!((conn.cwnd, conn.ssthresh), (101, 1000));
        let (mut fast, mut conn) = running(100, 40_800);
        conn.ssthresh = 1000;
        fast.cong_avoid(&mut conn, 1448, 1, &PARAMS);
        assert_eq!((conn.cwnd, conn.ssthresh), (100, 100));
    }
}
