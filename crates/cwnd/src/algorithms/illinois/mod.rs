// SPDX-License-Identifier: MIT OR Apache-2.0
//! Illinois (Liu, Basar and Srikant 2008): losses say when the window turns, queueing delay says how much. With empty
//! queues it grows fast and gives little after a loss, with full ones the reverse.
//!
//! Once per round trip, from the mean queueing delay d_a and the largest one seen, d_m: α falls from α_max at or below
//! η₁ d_m as κ₁/(κ₂ + d_a) to α_min at d_m; β rises from β_min at η₂ d_m in a line to β_max at η₃ d_m. After delay was high,
//! α_max is back only after θ round trips of low delay. Below W_thresh it is standard TCP.
//!
//! `illinois` keeps every fraction. `illinois-linux` has the kernel's arithmetic: α in 1/128, β in 1/64, what is left over
//! when the window grows is forgotten, and α and β of a larger window last to the round trip's end below W_thresh too.
//! `illinois-2.6.22` adds that kernel's mistake: after a loss it kept β of the window instead of giving β away.
//! Deviation of `illinois`: a window grows by at most one segment per acknowledged segment.

#[cfg(test)]
mod tests;

use super::grow_per_rtt;
use crate::conn::{CaState, Conn};
use crate::hook_argument_types::AckSample;
use crate::hooks::{CongestionControl, Info};
use crate::math::{ONE_X64K, scale_x64k, seq_after};
use crate::params::ParamKind;
use crate::registration::{Recovery, Registered, Set};
use crate::rescale::{Rescale, SegmentState};
use crate::slow_start;

/// No RTT known yet, µs.
const UNKNOWN_US: u32 = 0x7fff_ffff;

const ARITHMETIC_NAMES: &[&str] = &["exact", "linux"];
const EXACT: u32 = 0;
const KERNELS: u32 = 1;

const BETA_NAMES: &[&str] = &["given", "kept"];
const GIVEN: u32 = 0;
const KEPT: u32 = 1;

crate::params! {
    /// Settings of Illinois.
    ///
    /// ```
    /// use cwnd::{Fraction, algorithms::illinois::Illinois};
    ///
    /// let cc = Illinois::builder().alpha_max(Fraction::whole(5)).w_thresh(20).build()?;
    /// assert_eq!((cc.params.alpha_max, cc.params.w_thresh), (327_680, 20)); // 5 × 65 536; segments
    /// # Ok::<(), cwnd::ParamError>(())
    /// ```
    pub struct IllinoisParams for Illinois {
        alpha_min: ParamKind::Decimal, "segments", 655 => 655_360, "Liu et al. 2008 §3",
            "growth per round trip at the largest delay";
        alpha_max: ParamKind::Decimal, "segments", 655 => 6_553_600, "Liu et al. 2008 §3",
            "growth per round trip at low delay";
        beta_min: ParamKind::Decimal, "", 1_024 => 64_881, "Liu et al. 2008 §3",
            "share of the window given up after a loss at low delay";
        beta_max: ParamKind::Decimal, "", 1_024 => 64_881, "Liu et al. 2008 §3",
            "share of the window given up after a loss at high delay";
        eta1: ParamKind::Whole, "%", 0 => 100, "Liu et al. 2008 §3",
            "share of the largest delay up to which growth is alpha_max";
        eta2: ParamKind::Whole, "%", 0 => 100, "Liu et al. 2008 §3",
            "share of the largest delay up to which beta_min is given up";
        eta3: ParamKind::Whole, "%", 0 => 100, "Liu et al. 2008 §3",
            "share of the largest delay from which beta_max is given up";
        theta: ParamKind::Whole, "round trips", 1 => 255, "Liu et al. 2008 §3",
            "round trips of low delay before growth is alpha_max again";
        w_thresh: ParamKind::Whole, "segments", 0 => 1_000_000, "Liu et al. 2008 §3",
            "below this window, standard TCP";
        arithmetic: ParamKind::Choice(ARITHMETIC_NAMES), "", 0 => 1, "Linux",
            "exact: fractions are kept; linux: rounded as the kernel does";
        beta_is: ParamKind::Choice(BETA_NAMES), "", 0 => 1, "Linux 2.6.22",
            "meaning of beta: the share of the window given up after a loss, or (a kernel bug) kept";
    }
}

crate::state! {
    /// State of Illinois.
    ///
    /// ```
    /// use cwnd::{Algorithm, Configured, Conn, algorithms::illinois::Illinois};
    ///
    /// let mut cc = Configured::<Illinois>::registered();
    /// let mut conn = Conn { packets_out: 100, ..Conn::new(1448, 100) };
    /// cc.init(&mut conn);
    /// assert_eq!(cc.ssthresh(&mut conn), 50); // half, before a delay is known
    /// ```
    pub struct Illinois {
        /// RTT samples of this round, µs, and how many.
        sum_rtt_us: u64 as unchanged,
        samples: u32 as unchanged,
        /// Smallest and largest RTT of the connection, µs.
        base_rtt_us: u32 as unchanged,
        max_rtt_us: u32 as unchanged,
        /// The round ends when this byte is acknowledged.
        round_end_seq: u32 as unchanged,
        /// α and β, scaled by [`alpha_bits`] and [`beta_bits`].
        alpha: u32 as unchanged,
        beta: u32 as unchanged,
        /// Segments of the newest acknowledgement.
        acked: u16 as segments,
        /// 1 once delay has been high since the last `theta` rounds of low delay, and how many of them there were.
        was_high: u8 as unchanged,
        low_rounds: u8 as unchanged,
    }
}

/// Bits behind the point of α.
const fn alpha_bits(params: &IllinoisParams) -> u32 {
    if params.arithmetic == KERNELS { 7 } else { 16 }
}

/// Bits behind the point of β.
const fn beta_bits(params: &IllinoisParams) -> u32 {
    if params.arithmetic == KERNELS { 6 } else { 16 }
}

/// A decimal parameter with `bits` behind its point, rounded down.
const fn with_bits(value_x64k: u32, bits: u32) -> u32 {
    value_x64k >> (16 - bits)
}

/// `percent` of `delay_us`, rounded down.
const fn part(delay_us: u64, percent: u32) -> u64 {
    delay_us * percent as u64 / 100
}

/// κ₁ / (κ₂ + d_a), with both delays beyond η₁ d_m: α_max at 0, α_min at the largest. // Liu et al. 2008 §3
fn falling_alpha(delay: u64, largest: u64, alpha_min: u32, alpha_max: u32) -> u32 {
    let range = u64::from(alpha_max.saturating_sub(alpha_min));
    let divisor = largest + delay * range / u64::from(alpha_min.max(1));
    (largest * u64::from(alpha_max) / divisor.max(1)) as u32
}

/// The line from `beta_min` at `from` to `beta_max` at `to`, for a delay between them. // Liu et al. 2008 §3
fn rising_beta(delay: u64, from: u64, to: u64, beta_min: u32, beta_max: u32) -> u32 {
    let weighted =
        to.saturating_sub(delay) * u64::from(beta_min) + delay.saturating_sub(from) * u64::from(beta_max);
    (weighted / to.saturating_sub(from).max(1)) as u32
}

impl Illinois {
    /// Standard TCP's α = 1 and β = 1/2.
    fn be_standard(&mut self, params: &IllinoisParams) {
        self.alpha = with_bits(ONE_X64K, alpha_bits(params));
        self.beta = with_bits(ONE_X64K / 2, beta_bits(params));
    }

    fn next_round(&mut self, conn: &Conn) {
        self.round_end_seq = conn.snd_nxt;
        self.sum_rtt_us = 0;
        self.samples = 0;
    }

    /// Mean queueing delay of this round, and the largest of the connection, µs.
    fn delays_us(&self) -> (u64, u64) {
        let mean = self.sum_rtt_us / u64::from(self.samples.max(1));
        let base = u64::from(self.base_rtt_us);
        (mean.saturating_sub(base), u64::from(self.max_rtt_us).saturating_sub(base))
    }

    fn new_alpha(&mut self, delay: u64, largest: u64, params: &IllinoisParams) -> u32 {
        let bits = alpha_bits(params);
        let alpha_max = with_bits(params.alpha_max, bits);
        let low = part(largest, params.eta1);
        if delay > low {
            self.was_high = 1;
            return falling_alpha(delay - low, largest - low, with_bits(params.alpha_min, bits), alpha_max);
        }
        if self.was_high != 0 {
            self.low_rounds = self.low_rounds.saturating_add(1);
            if u32::from(self.low_rounds) < params.theta {
                return self.alpha;
            }
            self.low_rounds = 0;
            self.was_high = 0;
        }
        alpha_max
    }

    fn new_beta(delay: u64, largest: u64, params: &IllinoisParams) -> u32 {
        let bits = beta_bits(params);
        let (beta_min, beta_max) = (with_bits(params.beta_min, bits), with_bits(params.beta_max, bits));
        let (from, to) = (part(largest, params.eta2), part(largest, params.eta3));
        if delay <= from {
            beta_min
        } else if delay >= to || to <= from {
            beta_max
        } else {
            rising_beta(delay, from, to, beta_min, beta_max)
        }
    }

    fn end_of_round(&mut self, conn: &Conn, params: &IllinoisParams) {
        if conn.cwnd < params.w_thresh {
            self.be_standard(params);
        } else if self.samples > 0 {
            let (delay, largest) = self.delays_us();
            self.alpha = self.new_alpha(delay, largest, params);
            self.beta = Self::new_beta(delay, largest, params);
        }
        self.next_round(conn);
    }

    /// Growth as the kernel computes it.
    fn kernels_growth(&mut self, conn: &mut Conn) {
        let acked = core::mem::replace(&mut self.acked, 1); // an acknowledgement without a sample counts one
        conn.cwnd_cnt = conn.cwnd_cnt.saturating_add(u32::from(acked));
        let credit = (u64::from(conn.cwnd_cnt) * u64::from(self.alpha)) >> 7;
        let window = u64::from(conn.cwnd.max(1));
        if credit >= window {
            conn.grow((credit / window).min(u64::from(u32::MAX)) as u32);
            conn.cwnd_cnt = 0;
        }
    }
}

const PAPER: IllinoisParams = IllinoisParams {
    alpha_min: 19_661, // 0.3
    alpha_max: 10 * ONE_X64K,
    beta_min: ONE_X64K / 8,
    beta_max: ONE_X64K / 2,
    eta1: 1,
    eta2: 10,
    eta3: 80,
    theta: 5,
    w_thresh: 15,
    arithmetic: EXACT,
    beta_is: GIVEN,
};
const LINUX: IllinoisParams = IllinoisParams { arithmetic: KERNELS, ..PAPER };

impl Registered for Illinois {
    const NAME: &'static str = "illinois";
    const SUMMARY: &'static str = "reduces at losses; queueing delay sets growth and reduction";
    const SETS: &'static [Set<IllinoisParams>] = &[
        Set {
            name: "illinois",
            summary: "0.3 to 10 segments per round trip, 1/2 to 7/8 kept",
            source: "Liu, Basar and Srikant 2008",
            recovery: Recovery::Sack,
            params: PAPER,
        },
        Set {
            name: "illinois-linux",
            summary: "as in Linux, rounding for rounding",
            source: "Linux 6.1, golden traces",
            recovery: Recovery::Linux,
            params: LINUX,
        },
        Set {
            name: "illinois-2.6.22",
            summary: "an early kernel bug: keeps what it should give up after a loss",
            source: "Linux 2.6.22.6",
            recovery: Recovery::Sack,
            params: IllinoisParams { beta_is: KEPT, ..LINUX },
        },
    ];
}

impl CongestionControl for Illinois {
    type Params = IllinoisParams;

    fn init(&mut self, conn: &mut Conn, params: &IllinoisParams) {
        *self = Self { base_rtt_us: UNKNOWN_US, ..Self::default() };
        self.be_standard(params);
        self.alpha = with_bits(params.alpha_max, alpha_bits(params));
        self.next_round(conn);
    }

    fn rescale(&mut self, scale: Rescale) -> bool {
        SegmentState::rescale(self, scale);
        true
    }

    fn ssthresh(&mut self, conn: &mut Conn, params: &IllinoisParams) -> u32 {
        let bits = beta_bits(params);
        if params.arithmetic == EXACT && conn.cwnd < params.w_thresh {
            self.be_standard(params);
        }
        let beta_x64k = self.beta << (16 - bits);
        let window = match (params.beta_is, params.arithmetic) {
            (GIVEN, EXACT) => scale_x64k(conn.cwnd, ONE_X64K.saturating_sub(beta_x64k)),
            (_, EXACT) => scale_x64k(conn.cwnd, beta_x64k),
            (beta_is, _) => {
                let part = ((u64::from(conn.cwnd) * u64::from(self.beta)) >> bits) as u32;
                if beta_is == GIVEN { conn.cwnd.saturating_sub(part) } else { part }
            }
        };
        window.max(2)
    }

    fn cong_avoid(&mut self, conn: &mut Conn, ack: u32, acked: u32, params: &IllinoisParams) {
        if seq_after(ack, self.round_end_seq) {
            self.end_of_round(conn, params);
        }
        if !conn.cwnd_limited() {
            return;
        }
        let exact = params.arithmetic == EXACT;
        let mut acked = acked;
        if conn.in_slow_start() {
            acked = slow_start::standard(conn, acked);
            if acked == 0 || !exact {
                return;
            }
        }
        if !exact {
            self.kernels_growth(conn);
        } else if conn.cwnd < params.w_thresh {
            grow_per_rtt(conn, 1 << 24, acked);
        } else {
            grow_per_rtt(conn, u64::from(self.alpha) << 8, acked);
        }
    }

    fn set_state(&mut self, conn: &mut Conn, new: CaState, params: &IllinoisParams) {
        if new == CaState::Loss {
            self.be_standard(params);
            self.was_high = 0;
            self.low_rounds = 0;
            self.next_round(conn);
        }
    }

    fn pkts_acked(&mut self, _conn: &mut Conn, sample: &AckSample, _params: &IllinoisParams) {
        self.acked = sample.pkts_acked.min(u32::from(u16::MAX)) as u16;
        if sample.rtt_us < 0 {
            return;
        }
        let rtt_us = sample.rtt_us as u32;
        self.base_rtt_us = self.base_rtt_us.min(rtt_us);
        self.max_rtt_us = self.max_rtt_us.max(rtt_us);
        self.samples = self.samples.saturating_add(1);
        self.sum_rtt_us = self.sum_rtt_us.saturating_add(u64::from(rtt_us));
    }

    fn info(&self, _conn: &Conn, params: &IllinoisParams) -> Info {
        let (delay, largest) = self.delays_us();
        let unscaled = |value: u32, bits: u32| u64::from(value) << (16 - bits);
        Info::of(&[
            ("alpha_per_rtt_x64k", unscaled(self.alpha, alpha_bits(params))),
            ("beta_x64k", unscaled(self.beta, beta_bits(params))),
            ("delay_us", delay),
            ("delay_max_us", largest),
            ("base_rtt_us", u64::from(self.base_rtt_us)),
            ("low_rounds", u64::from(self.low_rounds)),
        ])
    }
}
