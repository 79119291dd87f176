// SPDX-License-Identifier: MIT OR Apache-2.0
//! Veno (Fu and Liew 2003): Vegas's estimate of the segments that wait in queues tells a loss by congestion from a
//! random one. With few of them waiting a loss is taken for random and a fifth of the window goes instead of half; with
//! many, the window grows by a segment in two round trips instead of one.
//!
//! The estimate is w · (RTT − base) / RTT, once per acknowledgement, from the smallest RTT since the last one. `veno` has it
//! exact to 1/1024 of a segment, counts half of what is acknowledged while many wait, and measures the base RTT anew
//! after a loss, as the paper does. `veno-linux` rounds the estimate up to half segments (so that "fewer than 3" is "at
//! most 2.5"), lets every other increment fall away, and keeps the base RTT. Both leave Veno aside while losses are
//! repaired and before three RTT samples, as Vegas does. A timeout is judged like any loss, as in Linux; in the paper it
//! halves. The golden trace shows no loss taken for random: 4/5 and its rounding down are the sources' alone.

use super::additive_increase;
use super::standard;
use super::vegas::UNKNOWN_US;
use crate::conn::{CaState, Conn};
use crate::hook_argument_types::{AckSample, CaEvent};
use crate::hooks::{CongestionControl, Info, PrivateWords};
use crate::params::ParamKind;
use crate::registration::{Recovery, Registered, Set};
use crate::rescale::{Rescale, SegmentState};
use crate::slow_start;

/// Names of the ways to grow while many segments wait, in the order of their numbers.
const CROWDED_NAMES: &[&str] = &["half", "alternate"];
/// A segment per two windows.
const HALF: u32 = 0;
/// Of two increments one is left out, and with it the segments counted beyond the window (Linux).
const ALTERNATE: u32 = 1;

crate::params! {
    /// Settings of Veno.
    ///
    /// ```
    /// use cwnd::{Algorithm, Conn, algorithms::veno::Veno};
    ///
    /// let mut cc = Veno::builder().random_kept(90).build()?;
    /// let mut conn = Conn { packets_out: 100, ..Conn::new(1448, 100) };
    /// cc.init(&mut conn);
    /// assert_eq!(cc.ssthresh(&mut conn), 90); // a random loss keeps 90 %
    /// # Ok::<(), cwnd::ParamError>(())
    /// ```
    pub struct VenoParams for Veno {
        beta: ParamKind::Whole, "segments", 0 => 1_000_000, "Fu and Liew 2003 §III",
            "with fewer segments than this in queues, a loss is random, and growth is standard TCP's";
        random_kept: ParamKind::Whole, "%", 50 => 99, "Fu and Liew 2003 §III",
            "share of the window kept after a random loss";
        parts: ParamKind::Whole, "1/segment", 1 => 1_024, "Linux",
            "the estimate of segments in queues is rounded up to a multiple of 1/parts of a segment";
        crowded: ParamKind::Choice(CROWDED_NAMES), "", 0 => 1, "Fu and Liew 2003 §III; Linux",
            "growth with more in queues: count half of the acknowledged segments, or skip every other increment";
        fresh_base: ParamKind::Flag, "", 0 => 1, "Fu and Liew 2003 §II",
            "measure the base RTT anew after a loss";
    }
}

crate::state! {
    /// State of Veno.
    ///
    /// ```
    /// use cwnd::{Algorithm, Configured, Conn, algorithms::veno::Veno};
    ///
    /// let mut cc = Configured::<Veno>::registered();
    /// let mut conn = Conn { packets_out: 100, ..Conn::new(1448, 100) };
    /// cc.init(&mut conn);
    /// assert_eq!(cc.ssthresh(&mut conn), 80); // nothing waits in a queue: a random loss
    /// ```
    pub struct Veno {
        /// Smallest RTT since the last acknowledgement, and of the connection, µs.
        min_rtt_us: u32 as unchanged,
        base_rtt_us: u32 as unchanged,
        /// Segments in queues, in `parts`.
        waiting: u32 as segments,
        /// RTT samples, wrapping at 16 bits as the kernel's do.
        samples: u16 as unchanged,
        /// 1 while nothing is being repaired.
        active: u8 as unchanged,
        /// 1 if the next increment counts ([`ALTERNATE`]).
        increment: u8 as unchanged,
    }
}

impl Veno {
    /// The path may have changed: a base RTT as of now.
    fn restart(&mut self) {
        self.base_rtt_us = UNKNOWN_US;
        self.increment = 1;
        self.activate();
    }

    fn activate(&mut self) {
        self.active = 1;
        self.min_rtt_us = UNKNOWN_US;
    }

    fn few_wait(&self, params: &VenoParams) -> bool {
        self.waiting < params.beta.saturating_mul(params.parts)
    }

    fn grow(&mut self, conn: &mut Conn, acked: u32, params: &VenoParams) {
        let window = conn.cwnd;
        if self.few_wait(params) {
            additive_increase(conn, window, acked);
        } else if params.crowded == HALF {
            additive_increase(conn, window.saturating_mul(2), acked);
        } else if conn.cwnd_cnt < window {
            conn.cwnd_cnt = conn.cwnd_cnt.saturating_add(acked);
        } else {
            conn.cwnd_cnt = 0;
            if self.increment == 1 && window < conn.cwnd_clamp {
                conn.grow(1);
                self.increment = 0;
            } else {
                self.increment = 1;
            }
        }
    }
}

/// Segments that wait in queues: w · (RTT − base) / RTT, rounded up to 1/`parts`.
fn waiting(cwnd: u32, rtt_us: u32, base_rtt_us: u32, parts: u32) -> u32 {
    // Whole segments first, then the parts of the rest: the product of all three does not fit 64 bits.
    let rtt = u64::from(rtt_us.max(1));
    let queued = u64::from(cwnd) * u64::from(rtt_us.saturating_sub(base_rtt_us));
    let (whole, rest) = (queued / rtt, queued % rtt);
    let part = (rest * u64::from(parts)).div_ceil(rtt);
    (whole * u64::from(parts) + part).min(u64::from(u32::MAX)) as u32
}

const LINUX: VenoParams =
    VenoParams { beta: 3, random_kept: 80, parts: 2, crowded: ALTERNATE, fresh_base: 0 };

impl Registered for Veno {
    const NAME: &'static str = "veno";
    const SUMMARY: &'static str = "tells random losses from congestion by the segments in queues";
    const SETS: &'static [Set<VenoParams>] = &[
        Set {
            name: "veno",
            summary: "4/5 kept after a loss with fewer than 3 segments in queues, else half",
            source: "Fu and Liew 2003",
            recovery: Recovery::Sack,
            params: VenoParams { parts: 1_024, crowded: HALF, fresh_base: 1, ..LINUX },
        },
        Set {
            name: "veno-linux",
            summary: "as in Linux: half segments, every other increment",
            source: "Linux 6.1, golden traces",
            recovery: Recovery::Linux,
            params: LINUX,
        },
    ];

    /// Words: active and samples (16 bits each), the smallest RTT, the base RTT, whether the next increment counts, the
    /// estimate in half segments.
    fn from_words(words: &PrivateWords) -> Option<Self> {
        let [first, min_rtt_us, base_rtt_us, increment, waiting, ..] = *words;
        let (active, samples) = ((first & 0xff) as u8, (first >> 16) as u16);
        Some(Self { min_rtt_us, base_rtt_us, waiting, samples, active, increment: increment as u8 })
    }
}

impl CongestionControl for Veno {
    type Params = VenoParams;

    fn init(&mut self, _conn: &mut Conn, _params: &VenoParams) {
        *self = Self::default();
        self.restart();
    }

    fn rescale(&mut self, scale: Rescale) -> bool {
        SegmentState::rescale(self, scale);
        true
    }

    fn ssthresh(&mut self, conn: &mut Conn, params: &VenoParams) -> u32 {
        let reduced = if self.few_wait(params) {
            (u64::from(conn.cwnd) * u64::from(params.random_kept) / 100) as u32
        } else {
            conn.cwnd / 2
        };
        if params.fresh_base == 1 {
            self.base_rtt_us = UNKNOWN_US;
        }
        reduced.max(2)
    }

    fn cong_avoid(&mut self, conn: &mut Conn, _ack: u32, acked: u32, params: &VenoParams) {
        if self.active == 0 {
            standard(conn, acked);
            return;
        }
        if !conn.cwnd_limited() {
            return;
        }
        if self.samples <= 2 {
            standard(conn, acked);
        } else {
            self.waiting = waiting(conn.cwnd, self.min_rtt_us, self.base_rtt_us, params.parts);
            let mut acked = acked;
            if conn.in_slow_start() {
                acked = slow_start::standard(conn, acked);
            }
            if acked > 0 {
                self.grow(conn, acked, params);
            }
            conn.cwnd = conn.cwnd.max(2).min(conn.cwnd_clamp);
        }
        self.min_rtt_us = UNKNOWN_US;
    }

    fn set_state(&mut self, _conn: &mut Conn, new: CaState, _params: &VenoParams) {
        if new == CaState::Open {
            self.activate();
        } else {
            self.active = 0;
        }
    }

    fn cwnd_event(&mut self, _conn: &mut Conn, event: CaEvent, _params: &VenoParams) {
        if matches!(event, CaEvent::TxStart | CaEvent::CwndRestart) {
            self.restart();
        }
    }

    fn pkts_acked(&mut self, _conn: &mut Conn, sample: &AckSample, _params: &VenoParams) {
        if sample.rtt_us < 0 {
            return;
        }
        let rtt_us = (sample.rtt_us as u32).saturating_add(1); // never 0: it divides
        self.base_rtt_us = self.base_rtt_us.min(rtt_us);
        self.min_rtt_us = self.min_rtt_us.min(rtt_us);
        self.samples = self.samples.wrapping_add(1);
    }

    fn info(&self, _conn: &Conn, params: &VenoParams) -> Info {
        Info::of(&[
            ("waiting_x1024", u64::from(self.waiting) * 1_024 / u64::from(params.parts.max(1))),
            ("base_rtt_us", if self.base_rtt_us == UNKNOWN_US { 0 } else { u64::from(self.base_rtt_us) }),
            ("samples", u64::from(self.samples)),
            ("active", u64::from(self.active)),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAPER: VenoParams = VenoParams { parts: 1_024, crowded: HALF, fresh_base: 1, ..LINUX };

    // w · (RTT − base) / RTT: 40 · 2/42 = 1.905 segments, 1951 of 1024ths rounded up, 4 halves rounded up.
    #[test]
    fn the_estimate_is_rounded_up_to_its_parts() {
        assert_eq!(waiting(40, 42_000, 40_000, 1_024), 1_951); // 1950.5
        assert_eq!(waiting(40, 42_000, 40_000, 2), 4); // 3.81
        assert_eq!(waiting(40, 40_000, 40_000, 2), 0);
        assert_eq!(waiting(1 << 30, 1 << 30, 1, 2), (1 << 31) - 2); // 2 · 2³⁰ · (1 − 2⁻³⁰)
    }

    /// After an acknowledgement of a full window of 40 segments with this RTT, base RTT 40 ms.
    fn acknowledged(rtt_us: u32, params: &VenoParams) -> (Veno, Conn) {
        let mut veno = Veno { samples: 9, active: 1, increment: 1, ..Veno::default() };
        (veno.base_rtt_us, veno.min_rtt_us) = (40_000, rtt_us);
        let mut conn = Conn { is_cwnd_limited: true, ssthresh: 20, ..Conn::new(1448, 40) };
        veno.cong_avoid(&mut conn, 0, 40, params);
        (veno, conn)
    }

    // Fu and Liew 2003 §III: 40 · 3/43 = 2.79 segments wait, fewer than 3; 40 · 4/44 = 3.64 do not.
    #[test]
    fn growth_is_halved_and_a_loss_is_congestion_from_three_segments_on() {
        let (mut veno, mut conn) = acknowledged(43_000, &PAPER);
        assert_eq!(conn.cwnd, 41);
        conn.cwnd = 40;
        assert_eq!(veno.ssthresh(&mut conn, &PAPER), 32); // 4/5
        let (mut veno, mut conn) = acknowledged(44_000, &PAPER);
        assert_eq!((conn.cwnd, conn.cwnd_cnt), (40, 40), "40 of the 80 that a segment takes");
        assert_eq!(veno.ssthresh(&mut conn, &PAPER), 20);
        assert_eq!(veno.base_rtt_us, UNKNOWN_US);
    }

    // 2.79 rounds up to 3 in half segments: the kernel's bound is 2.5 (40 · 2.6/42.6 = 2.44 is below).
    #[test]
    fn the_kernels_bound_lies_at_two_and_a_half_segments() {
        assert!(!acknowledged(43_000, &LINUX).0.few_wait(&LINUX));
        assert!(acknowledged(42_600, &LINUX).0.few_wait(&LINUX));
    }

    #[test]
    fn the_kernel_leaves_out_every_other_increment() {
        let (mut veno, mut conn) = acknowledged(60_000, &LINUX);
        let mut windows = vec![];
        for _ in 0..8 {
            veno.min_rtt_us = 60_000;
            veno.cong_avoid(&mut conn, 0, 41, &LINUX);
            windows.push(conn.cwnd);
        }
        // Counted full, spent (grown), counted, spent (left out), …
        assert_eq!(windows, [41, 41, 41, 41, 42, 42, 42, 42]);
    }
}
