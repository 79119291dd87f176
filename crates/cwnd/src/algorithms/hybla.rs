// SPDX-License-Identifier: MIT OR Apache-2.0
//! Hybla (Caini and Firrincieli 2004): on a long path the window grows as fast, in segments per second, as that of a
//! reference flow whose round trip takes RTT₀ = 25 ms. With ρ = RTT/RTT₀, at least 1, an acknowledgement is worth 2^ρ − 1
//! segments in slow start and ρ²/w in congestion avoidance; a loss halves the window.
//!
//! ρ comes from the smallest smoothed RTT so far, because a ρ that followed the queue would feed it; the exponent is
//! bounded at 16. `hybla-growth` computes with ρ in 1/1024 and the window in 1/65536; `hybla-linux` has the kernel's ρ in 1/8
//! and window in 1/128, so that growth ends where ρ²/w falls below 1/128. Both count acknowledgements, as the paper does,
//! and are standard TCP while losses are repaired. The rest of the paper's proposal (packet spacing, Hoe's estimate of the
//! first threshold, a threshold larger by ρ) belongs to the transport and is not here. What the
//! golden trace does not show: eighths of ρ other than 5/8 and 6/8 in slow start (the table is 128 · 2^(k/8), rounded down,
//! as those two are).

use super::standard;
use crate::conn::{CaState, Conn};
use crate::hooks::{CongestionControl, Info, PrivateWords};
use crate::params::ParamKind;
use crate::registration::{Recovery, Registered, Set};
use crate::rescale::{Rescale, SegmentState};

/// Names of the arithmetics, in the order of their numbers.
const ARITHMETIC_NAMES: &[&str] = &["fine", "linux"];
/// ρ in 1/1024, the window in 1/65536.
const FINE: u32 = 0;
/// ρ in 1/8, the window in 1/128.
const LINUX: u32 = 1;

/// Largest exponent of slow start's 2^ρ.
const MAX_EXPONENT: u32 = 16;
/// 2^(1/2), 2^(1/4), … 2^(1/1024) in 2⁻³⁰.
const ROOTS_OF_TWO_X2_30: [u64; 10] = [
    1_518_500_250,
    1_276_901_417,
    1_170_923_762,
    1_121_280_436,
    1_097_253_708,
    1_085_434_106,
    1_079_572_136,
    1_076_653_033,
    1_075_196_443,
    1_074_468_888,
];

/// Names of the windows that a connection starts with, in the order of their numbers.
const START_NAMES: &[&str] = &["initial", "rho"];
/// The transport's initial window.
const START_INITIAL: u32 = 0;
/// ρ segments.
const START_RHO: u32 = 1;

crate::params! {
    /// Settings of Hybla.
    ///
    /// ```
    /// use cwnd::{Algorithm, Configured, Conn, algorithms::hybla::Hybla};
    ///
    /// let mut cc = Hybla::builder().rtt0_ms(50).build()?;
    /// let mut conn = Conn { srtt_us8: 8 * 100_000, is_cwnd_limited: true, ..Conn::new(1448, 10) };
    /// cc.init(&mut conn);
    /// cc.cong_avoid(&mut conn, 0, 1);
    /// assert_eq!(conn.cwnd, 13); // ρ = 100 ms / 50 ms = 2: 10 + 2² − 1
    /// # Ok::<(), cwnd::ParamError>(())
    /// ```
    pub struct HyblaParams for Hybla {
        rtt0_ms: ParamKind::Whole, "ms", 1 => 10_000, "Caini and Firrincieli 2004",
            "round trip of the reference flow";
        arithmetic: ParamKind::Choice(ARITHMETIC_NAMES), "", 0 => 1, "Linux",
            "ρ and the window in 1/1024 and 1/65536, or in the kernel's 1/8 and 1/128";
        first_window: ParamKind::Choice(START_NAMES), "", 0 => 1, "Linux",
            "initial window: the transport's, or ρ";
        largest: ParamKind::Whole, "segments", 0 => 1_073_741_824, "Linux",
            "largest window that growth reaches; 0: no limit";
    }
}

crate::state! {
    /// State of Hybla.
    ///
    /// ```
    /// use cwnd::{Algorithm, Configured, Conn, algorithms::hybla::Hybla};
    ///
    /// let mut cc = Configured::<Hybla>::registered();
    /// let mut conn = Conn { srtt_us8: 8 * 100_000, is_cwnd_limited: true, ..Conn::new(1448, 10) };
    /// cc.init(&mut conn);
    /// cc.cong_avoid(&mut conn, 0, 1);
    /// assert_eq!(conn.cwnd, 25); // ρ = 100 ms / 25 ms = 4: 10 + 2⁴ − 1
    /// ```
    pub struct Hybla {
        /// Smallest smoothed RTT so far × 8, µs; [`u32::MAX`] before the first.
        min_srtt_us8: u32 as unchanged,
        /// ρ in the arithmetic's parts.
        rho: u32 as unchanged,
        /// What the window has beyond whole segments, in the arithmetic's parts.
        fraction: u32 as segments,
        /// 1 while nothing is being repaired.
        active: u8 as unchanged,
    }
}

/// Parts of ρ, as a power of two.
const fn rho_shift(arithmetic: u32) -> u32 {
    if arithmetic == LINUX { 3 } else { 10 }
}

/// Parts of a segment, as a power of two.
const fn window_shift(arithmetic: u32) -> u32 {
    if arithmetic == LINUX { 7 } else { 16 }
}

/// ρ = RTT/RTT₀, at least 1, rounded down to the arithmetic's parts.
fn rho(srtt_us8: u32, params: &HyblaParams) -> u32 {
    let shift = rho_shift(params.arithmetic);
    let rtt0_us8 = u64::from(params.rtt0_ms.max(1)) * 8_000;
    ((u64::from(srtt_us8) << shift) / rtt0_us8).max(1 << shift).min(u64::from(u32::MAX)) as u32
}

/// 2^ρ − 1, in the arithmetic's parts of a segment.
fn slow_start_growth(rho: u32, arithmetic: u32) -> u64 {
    let shift = rho_shift(arithmetic);
    let (whole, parts) = ((rho >> shift).min(MAX_EXPONENT), rho & ((1 << shift) - 1));
    let mut power_x2_30 = 1_u64 << 30;
    // The fraction's bits, from the highest: 2^(1/2 + 1/8) = 2^(1/2) · 2^(1/8).
    for (bit, root_x2_30) in (1..).zip(ROOTS_OF_TWO_X2_30) {
        if bit <= shift && parts & (1 << (shift - bit)) != 0 {
            power_x2_30 = (power_x2_30 * root_x2_30) >> 30;
        }
    }
    let window_shift = window_shift(arithmetic);
    ((power_x2_30 >> (30 - window_shift)) << whole) - (1 << window_shift)
}

/// ρ²/w, in the arithmetic's parts of a segment.
fn avoidance_growth(rho: u32, cwnd: u32, arithmetic: u32) -> u64 {
    let rho_squared = u64::from(rho) * u64::from(rho); // in 1/64 and 1/2²⁰
    let scaled = if arithmetic == LINUX { rho_squared << 1 } else { rho_squared >> 4 };
    scaled / u64::from(cwnd.max(1))
}

impl Hybla {
    /// The window that the connection starts with.
    fn start(&self, conn: &mut Conn, params: &HyblaParams) {
        if params.first_window == START_RHO {
            conn.cwnd = (self.rho >> rho_shift(params.arithmetic)).max(1).min(conn.cwnd_clamp);
        }
    }

    /// Growth for one acknowledgement.
    fn grow(&mut self, conn: &mut Conn, acked: u32, params: &HyblaParams) {
        if self.active == 0 {
            standard(conn, acked);
            return;
        }
        let (shift, in_slow_start) = (window_shift(params.arithmetic), conn.in_slow_start());
        let one = 1_u64 << shift;
        let growth = if in_slow_start {
            slow_start_growth(self.rho, params.arithmetic)
        } else {
            let growth = avoidance_growth(self.rho, conn.cwnd, params.arithmetic);
            if growth < one {
                // For standard TCP, which goes on from here while losses are repaired.
                conn.cwnd_cnt = conn.cwnd_cnt.saturating_add(1);
            }
            growth
        };
        conn.grow((growth >> shift).min(u64::from(u32::MAX)) as u32);
        let fraction = u64::from(self.fraction) + growth % one;
        if fraction >= one {
            conn.grow(1);
            conn.cwnd_cnt = 0;
        }
        self.fraction = (fraction % one) as u32;
        if in_slow_start {
            conn.cwnd = conn.cwnd.min(conn.ssthresh);
        }
    }

    fn follow_rtt(&mut self, conn: &Conn, params: &HyblaParams) {
        if conn.srtt_us8 > 0 && conn.srtt_us8 < self.min_srtt_us8 {
            self.min_srtt_us8 = conn.srtt_us8;
            self.rho = rho(conn.srtt_us8, params);
        }
    }
}

impl Registered for Hybla {
    const NAME: &'static str = "hybla-growth";
    const SUMMARY: &'static str = "grows on long paths like a flow with a 25 ms RTT";
    const SETS: &'static [Set<HyblaParams>] = &[
        Set {
            name: "hybla-growth",
            summary: "Hybla's growth rules (Caini & Firrincieli 2004), without the paper's pacing and its estimate of the first threshold",
            source: "Caini and Firrincieli 2004",
            recovery: Recovery::Sack,
            params: HyblaParams { rtt0_ms: 25, arithmetic: FINE, first_window: START_INITIAL, largest: 0 },
        },
        Set {
            name: "hybla-linux",
            summary: "as in Linux: starts with ρ segments, at most 65 535; eighths of ρ, 128ths of a segment",
            source: "Linux 6.1, golden traces",
            recovery: Recovery::Linux,
            params: HyblaParams { rtt0_ms: 25, arithmetic: LINUX, first_window: START_RHO, largest: 65_535 },
        },
    ];

    /// Words: active; the window's 128ths; ρ; ρ²; ρ in 1/8; ρ² in 1/128; the smallest smoothed RTT × 8.
    fn from_words(words: &PrivateWords) -> Option<Self> {
        let [active, fraction, _, _, rho, _, min_srtt_us8, ..] = *words;
        Some(Self { min_srtt_us8, rho, fraction, active: (active & 0xff) as u8 })
    }
}

impl CongestionControl for Hybla {
    type Params = HyblaParams;

    fn init(&mut self, conn: &mut Conn, params: &HyblaParams) {
        *self = Self { min_srtt_us8: u32::MAX, rho: rho(0, params), fraction: 0, active: 1 };
        self.follow_rtt(conn, params);
        self.start(conn, params);
    }

    fn rescale(&mut self, scale: Rescale) -> bool {
        SegmentState::rescale(self, scale);
        true
    }

    fn ssthresh(&mut self, conn: &mut Conn, _params: &HyblaParams) -> u32 {
        (conn.cwnd >> 1).max(2)
    }

    fn cong_avoid(&mut self, conn: &mut Conn, _ack: u32, acked: u32, params: &HyblaParams) {
        let first = self.min_srtt_us8 == u32::MAX;
        self.follow_rtt(conn, params);
        if first && params.first_window == START_RHO && self.min_srtt_us8 != u32::MAX && conn.cwnd == 1 {
            self.start(conn, params);
            return;
        }
        if !conn.cwnd_limited() {
            return;
        }
        let before = conn.cwnd;
        self.grow(conn, acked, params);
        if params.largest > 0 && conn.cwnd > params.largest {
            conn.cwnd = params.largest.max(before); // the transport's own larger window stays
        }
    }

    fn set_state(&mut self, _conn: &mut Conn, new: CaState, _params: &HyblaParams) {
        self.active = u8::from(new == CaState::Open);
    }

    fn info(&self, _conn: &Conn, params: &HyblaParams) -> Info {
        let rho_x1024 = u64::from(self.rho) << (10 - rho_shift(params.arithmetic));
        Info::of(&[
            ("rho_x1024", rho_x1024),
            ("rho2_x1024", (rho_x1024 >> 5) * (rho_x1024 >> 5)),
            ("fraction_x64k", u64::from(self.fraction) << (16 - window_shift(params.arithmetic))),
            ("min_srtt_us_x8", if self.min_srtt_us8 == u32::MAX { 0 } else { u64::from(self.min_srtt_us8) }),
            ("active", u64::from(self.active)),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAPER: HyblaParams = Hybla::SETS[0].params;
    const KERNEL: HyblaParams = Hybla::SETS[1].params;

    fn started(srtt_us: u32, params: &HyblaParams) -> (Hybla, Conn) {
        let mut conn = Conn { is_cwnd_limited: true, srtt_us8: srtt_us * 8, ..Conn::new(1448, 10) };
        let mut hybla = Hybla::default();
        hybla.init(&mut conn, params);
        (hybla, conn)
    }

    // Linux's hybla_init: the window is ρ's whole part: 600 ms / 25 ms = 24, 110 / 25 = 4.4, and 1 up to 49 ms, whatever
    // initial window the transport had.
    #[test]
    fn the_kernels_module_starts_with_rho_segments() {
        for (rtt_us, window) in [(600_000, 24), (110_000, 4), (49_999, 1), (50_000, 2), (1_000, 1)] {
            assert_eq!(started(rtt_us, &KERNEL).1.cwnd, window, "{rtt_us} µs");
            assert_eq!(started(rtt_us, &PAPER).1.cwnd, 10, "{rtt_us} µs");
        }
    }

    // Without a handshake's sample: one segment, then ρ at the first sample, then 2⁴ − 1 for each acknowledgement.
    #[test]
    fn the_first_sample_stands_in_for_the_handshakes() {
        let (mut hybla, mut conn) = started(0, &KERNEL);
        assert_eq!(conn.cwnd, 1);
        conn.srtt_us8 = 100_000 * 8;
        hybla.cong_avoid(&mut conn, 0, 1, &KERNEL);
        assert_eq!(conn.cwnd, 4);
        hybla.cong_avoid(&mut conn, 0, 1, &KERNEL);
        assert_eq!(conn.cwnd, 4 + 15);
    }

    // Linux's hybla_init: snd_cwnd_clamp = 65 535. At ρ = 24 one acknowledgement of slow start is worth 2¹⁶ − 1.
    #[test]
    fn the_kernels_window_stays_below_65_536() {
        let (mut hybla, mut conn) = started(600_000, &KERNEL);
        for _ in 0..3 {
            hybla.cong_avoid(&mut conn, 0, 1, &KERNEL);
            assert_eq!(conn.cwnd, 65_535);
        }
        conn.ssthresh = 2;
        for _ in 0..1000 {
            hybla.cong_avoid(&mut conn, 0, 1, &KERNEL);
        }
        hybla.set_state(&mut conn, CaState::Recovery, &KERNEL);
        for _ in 0..70_000 {
            hybla.cong_avoid(&mut conn, 0, 1, &KERNEL);
        }
        assert_eq!(conn.cwnd, 65_535);
    }

    fn rho_at(rtt_us: u32, params: &HyblaParams) -> u32 {
        rho(rtt_us * 8, params)
    }

    // ρ = RTT/25 ms: 100 ms is 4, 44 ms is 1.76 (14/8 in eighths), 10 ms is 1.
    #[test]
    fn rho_is_the_rtt_over_25_ms_and_at_least_one() {
        assert_eq!((rho_at(100_000, &PAPER), rho_at(100_000, &KERNEL)), (4_096, 32));
        assert_eq!((rho_at(44_000, &PAPER), rho_at(44_000, &KERNEL)), (1_802, 14)); // 1802.24
        assert_eq!((rho_at(10_000, &PAPER), rho_at(10_000, &KERNEL)), (1_024, 8));
    }

    // 2^1 − 1 = 1; 2^4 − 1 = 15; 2^1.5 − 1 = 1.8284 = 119 828/65536, 234/128.
    #[test]
    fn slow_start_grows_by_two_to_the_rho_less_one() {
        assert_eq!((slow_start_growth(1_024, FINE), slow_start_growth(8, LINUX)), (1 << 16, 1 << 7));
        assert_eq!((slow_start_growth(4_096, FINE), slow_start_growth(32, LINUX)), (15 << 16, 15 << 7));
        assert_eq!((slow_start_growth(1_536, FINE), slow_start_growth(12, LINUX)), (119_826, 234));
        // The bound: ρ = 400 is taken as 16.
        assert_eq!(slow_start_growth(400 << 3, LINUX), 65_535 << 7);
    }

    #[test]
    fn powers_of_two_are_right_to_a_65536th_over_the_whole_range() {
        for rho in 1_024..17 * 1_024 {
            let exact = (f64::from(rho) / 1_024.0).exp2() - 1.0;
            let ours = slow_start_growth(rho, FINE) as f64 / 65_536.0;
            assert!((ours - exact).abs() <= exact / 8_192.0, "2^({rho}/1024) − 1 = {exact}, not {ours}");
        }
    }

    /// The window after a full window of acknowledgements, one per segment, in congestion avoidance.
    fn after_round(cwnd: u32, rtt_us: u32, params: &HyblaParams) -> u32 {
        let mut hybla = Hybla::default();
        let mut conn =
            Conn { is_cwnd_limited: true, ssthresh: 2, srtt_us8: rtt_us * 8, ..Conn::new(1448, cwnd) };
        hybla.init(&mut conn, params);
        conn.cwnd = cwnd;
        for _ in 0..cwnd {
            hybla.cong_avoid(&mut conn, 0, 1, params);
        }
        conn.cwnd
    }

    // ρ = 4: 16 segments in a round trip of 100 ms; the reference flow's one in 25 ms, at a quarter of the window.
    #[test]
    fn a_round_trip_is_worth_rho_squared_segments() {
        assert_eq!(after_round(1_600, 100_000, &PAPER), 1_615); // 16 less what the growing window takes
        assert_eq!(after_round(1_600, 25_000, &PAPER), 1_600); // 0.9994
        assert_eq!(after_round(100, 25_000, &KERNEL), 100); // 100 · ⌊128/100⌋/128 = 0.78
    }

    #[test]
    fn the_kernels_window_stands_still_beyond_128_rho_squared() {
        assert_eq!(avoidance_growth(8, 128, LINUX), 1);
        assert_eq!(avoidance_growth(8, 129, LINUX), 0);
        assert_eq!(avoidance_growth(1_024, 129, FINE), 508); // 65536/129
    }
}
