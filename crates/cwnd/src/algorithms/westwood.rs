// SPDX-License-Identifier: MIT OR Apache-2.0
//! Westwood+ (Grieco and Mascolo 2004; Mascolo et al. 2001): standard TCP whose window after a loss is what the path has
//! been delivering, bandwidth × smallest RTT, instead of a half.
//!
//! Once per round trip the acknowledged bytes over the time that they took are a sample of the bandwidth; a low-pass
//! filter smooths the samples. `westwood` takes the estimate over at the loss, as the paper's pseudocode does, filters
//! once with 0.9 and counts µs. `westwood-linux` reduces to a half, takes the estimate over when the reduction ends or a
//! timeout comes, filters twice with 7/8, takes no sample shorter than 50 ms, and counts in ticks of the kernel.
//!
//! Deviations of `westwood`: before the first sample a loss halves the flight; the estimate never raises the window.

use super::standard;
use crate::conn::Conn;
use crate::hook_argument_types::{ACK_SLOW_PATH, AckSample, CaEvent};
use crate::hooks::{CongestionControl, Info};
use crate::math::ONE_X64K;
use crate::params::ParamKind;
use crate::registration::{Recovery, Registered, Set};
use crate::rescale::{Rescale, SegmentState};

const CLOCK_NAMES: &[&str] = &["us", "ticks"];
const MICROSECONDS: u32 = 0;
const TICKS: u32 = 1;

const ADOPT_NAMES: &[&str] = &["loss", "end"];
const AT_LOSS: u32 = 0;
const AT_END: u32 = 1;

/// RTT before the first sample, s: so long that no bandwidth is sampled.
const UNKNOWN_RTT_S: u32 = 20;
/// With the clock in µs the bandwidth is kept in 1/4096 of a byte per µs (2 kbit/s, which is also a byte per tick at 250 Hz).
const US_SHIFT: u32 = 12;

crate::params! {
    /// Settings of Westwood+.
    ///
    /// ```
    /// use cwnd::algorithms::westwood::Westwood;
    ///
    /// let cc = Westwood::builder().filters(2).build()?;
    /// assert_eq!((cc.params.filters, cc.params.filter), (2, 58_982)); // 0.9 × 65 536, twice in a row
    /// # Ok::<(), cwnd::ParamError>(())
    /// ```
    pub struct WestwoodParams for Westwood {
        clock: ParamKind::Choice(CLOCK_NAMES), "", 0 => 1, "Linux",
            "unit of times: microseconds, or the kernel's ticks";
        adopt: ParamKind::Choice(ADOPT_NAMES), "", 0 => 1, "Grieco and Mascolo 2004 §2; Linux",
            "when the estimate becomes the window: at the loss, or at the end of a reduction to a half";
        filter: ParamKind::Decimal, "", 0 => 65_535, "Grieco and Mascolo 2004 §2; Linux",
            "weight of the old value in the bandwidth filter";
        filters: ParamKind::Whole, "", 1 => 2, "Linux",
            "bandwidth filters in series";
        min_sample: ParamKind::Whole, "ms", 0 => 10_000, "Linux",
            "shortest time over which bandwidth is sampled; a round trip if that is longer";
    }
}

crate::state! {
    /// State of Westwood+. Times are in the unit of [`WestwoodParams::clock`].
    ///
    /// ```
    /// use cwnd::{Algorithm, Configured, Conn, algorithms::westwood::Westwood};
    ///
    /// let mut cc = Configured::<Westwood>::registered();
    /// let mut conn = Conn { packets_out: 100, ..Conn::new(1448, 100) };
    /// cc.init(&mut conn);
    /// assert_eq!(cc.ssthresh(&mut conn), 50); // half, before a bandwidth is known
    /// ```
    pub struct Westwood {
        /// Bandwidth after one filter, and after all: bytes per tick, or 1/4096 bytes per µs.
        filtered_once: u32 as unchanged,
        bandwidth: u32 as unchanged,
        /// When the present sample began, and the bytes acknowledged since.
        sample_start: u32 as unchanged,
        sample_bytes: u32 as unchanged,
        snd_una: u32 as unchanged,
        /// Bytes that duplicate acknowledgements have announced before their cumulative one came.
        announced: u32 as unchanged,
        /// Newest and smallest RTT.
        rtt: u32 as unchanged,
        rtt_min: u32 as unchanged,
        /// 1 until the first acknowledgement.
        first_ack: u8 as unchanged,
        /// 1 after a timeout, which may mean another path.
        forget_rtt_min: u8 as unchanged,
    }
}

/// Duration `us` µs in ticks of `hz` per second, rounded up.
fn to_ticks(us: u32, hz: u32) -> u32 {
    (u64::from(us) * u64::from(hz)).div_ceil(1_000_000).min(u64::from(u32::MAX)) as u32
}

fn duration(us: u32, conn: &Conn, params: &WestwoodParams) -> u32 {
    if params.clock == TICKS { to_ticks(us, conn.tick_hz) } else { us }
}

/// A step of the filter: `weight` (1/65536) of the old value, the rest of the new one.
fn filtered(old: u32, new: u32, weight_x64k: u32) -> u32 {
    ((u64::from(old) * u64::from(weight_x64k) + u64::from(new) * u64::from(ONE_X64K - weight_x64k)) >> 16)
        as u32
}

/// Segments in flight on a path of this bandwidth and RTT without a queue, at least 2. // Grieco and Mascolo 2004 §2
fn path_capacity(bandwidth: u32, rtt_min: u32, shift: u32, mss: u32) -> u32 {
    let bytes = (u64::from(bandwidth) * u64::from(rtt_min)) >> shift;
    (bytes / u64::from(mss.max(1))).clamp(2, u64::from(u32::MAX)) as u32
}

impl Westwood {
    fn shift(params: &WestwoodParams) -> u32 {
        if params.clock == TICKS { 0 } else { US_SHIFT }
    }

    fn now(conn: &Conn, params: &WestwoodParams) -> u32 {
        if params.clock == TICKS { conn.ticks } else { conn.now_us32() }
    }

    /// The window that the path has been carrying, segments.
    fn estimate(&self, conn: &Conn, params: &WestwoodParams) -> u32 {
        path_capacity(self.bandwidth, self.rtt_min, Self::shift(params), conn.mss)
    }

    /// Takes a sample of the bandwidth if a round trip is over.
    fn sample(&mut self, conn: &Conn, params: &WestwoodParams) {
        let now = Self::now(conn, params);
        let elapsed = now.wrapping_sub(self.sample_start);
        // The kernel's 50 ms are a twentieth of its ticks per second, rounded down: 12 of 250.
        let shortest = if params.clock == TICKS {
            (u64::from(params.min_sample) * u64::from(conn.tick_hz) / 1000) as u32
        } else {
            params.min_sample.saturating_mul(1000)
        };
        if self.rtt == 0 || elapsed <= self.rtt.max(shortest) {
            return;
        }
        let rate = (u64::from(self.sample_bytes) << Self::shift(params)) / u64::from(elapsed.max(1));
        let rate = rate.min(u64::from(u32::MAX)) as u32;
        if self.bandwidth == 0 && self.filtered_once == 0 {
            self.filtered_once = rate;
            self.bandwidth = rate;
        } else {
            self.filtered_once = filtered(self.filtered_once, rate, params.filter);
            self.bandwidth = if params.filters > 1 {
                filtered(self.bandwidth, self.filtered_once, params.filter)
            } else {
                self.filtered_once
            };
        }
        self.sample_bytes = 0;
        self.sample_start = now;
    }

    /// Bytes that have arrived according to this acknowledgement: a duplicate one says that some segment has, and the
    /// cumulative one that follows says so again. // Grieco and Mascolo 2004 §2, delayed and cumulative ACKs
    fn arrived(&mut self, conn: &Conn) -> u32 {
        let advance = conn.snd_una.wrapping_sub(self.snd_una);
        self.snd_una = conn.snd_una;
        if advance == 0 {
            self.announced = self.announced.saturating_add(conn.mss);
            conn.mss
        } else if advance <= conn.mss {
            advance
        } else if self.announced >= advance {
            self.announced -= advance;
            conn.mss
        } else {
            advance - core::mem::take(&mut self.announced)
        }
    }
}

impl Registered for Westwood {
    const NAME: &'static str = "westwood";
    const SUMMARY: &'static str = "after a loss, sets the window to what the path delivered";
    const SETS: &'static [Set<WestwoodParams>] = &[
        Set {
            name: "westwood",
            summary: "Westwood+: the estimate at the loss",
            source: "Grieco and Mascolo 2004",
            recovery: Recovery::Sack,
            params: WestwoodParams {
                clock: MICROSECONDS,
                adopt: AT_LOSS,
                filter: 58_982, // 0.9
                filters: 1,
                min_sample: 0,
            },
        },
        Set {
            name: "westwood-linux",
            summary: "as in Linux: half at the loss, the estimate when recovery ends",
            source: "Linux 6.1, golden traces",
            recovery: Recovery::Linux,
            params: WestwoodParams {
                clock: TICKS,
                adopt: AT_END,
                filter: 57_344, // 7/8
                filters: 2,
                min_sample: 50,
            },
        },
    ];
}

impl CongestionControl for Westwood {
    type Params = WestwoodParams;

    fn init(&mut self, conn: &mut Conn, params: &WestwoodParams) {
        let unknown = duration(UNKNOWN_RTT_S * 1_000_000, conn, params);
        *self = Self {
            sample_start: Self::now(conn, params),
            snd_una: conn.snd_una,
            rtt: unknown,
            rtt_min: unknown,
            first_ack: 1,
            forget_rtt_min: 1,
            ..Self::default()
        };
    }

    fn rescale(&mut self, scale: Rescale) -> bool {
        SegmentState::rescale(self, scale);
        true
    }

    fn ssthresh(&mut self, conn: &mut Conn, params: &WestwoodParams) -> u32 {
        if params.adopt == AT_END {
            (conn.cwnd / 2).max(2)
        } else if self.bandwidth == 0 {
            (conn.flight() / 2).max(2)
        } else {
            self.estimate(conn, params).min(conn.cwnd).max(2)
        }
    }

    fn cong_avoid(&mut self, conn: &mut Conn, _ack: u32, acked: u32, _params: &WestwoodParams) {
        standard(conn, acked);
    }

    fn cwnd_event(&mut self, conn: &mut Conn, event: CaEvent, params: &WestwoodParams) {
        match event {
            CaEvent::CompleteCwr if params.adopt == AT_END => {
                conn.ssthresh = self.estimate(conn, params);
                conn.cwnd = conn.ssthresh.min(conn.cwnd_clamp);
            }
            CaEvent::Loss => {
                if params.adopt == AT_END {
                    conn.ssthresh = self.estimate(conn, params);
                }
                self.forget_rtt_min = 1;
            }
            _ => {}
        }
    }

    fn in_ack_event(&mut self, conn: &mut Conn, flags: u32, params: &WestwoodParams) {
        if self.first_ack != 0 {
            self.first_ack = 0;
            self.snd_una = conn.snd_una; // the connection's opening is no data
        }
        self.sample(conn, params);
        let bytes = if flags & ACK_SLOW_PATH != 0 {
            self.arrived(conn)
        } else {
            let before = core::mem::replace(&mut self.snd_una, conn.snd_una);
            conn.snd_una.wrapping_sub(before)
        };
        self.sample_bytes = self.sample_bytes.saturating_add(bytes);
        self.rtt_min = if self.forget_rtt_min != 0 { self.rtt } else { self.rtt_min.min(self.rtt) };
        self.forget_rtt_min = 0;
    }

    fn pkts_acked(&mut self, conn: &mut Conn, sample: &AckSample, params: &WestwoodParams) {
        if sample.rtt_us > 0 {
            self.rtt = duration(sample.rtt_us as u32, conn, params);
        }
    }

    fn info(&self, conn: &Conn, params: &WestwoodParams) -> Info {
        let (bandwidth, rtt_min) = (u64::from(self.bandwidth), u64::from(self.rtt_min));
        let (bytes_per_s, rtt_min_us) = if params.clock == TICKS {
            let hz = u64::from(conn.tick_hz);
            (bandwidth * hz, (rtt_min * 1_000_000).checked_div(hz).unwrap_or(0))
        } else {
            ((bandwidth * 1_000_000) >> US_SHIFT, rtt_min)
        };
        Info::of(&[
            ("bandwidth_bytes_per_s", bytes_per_s),
            ("rtt_min_us", rtt_min_us),
            ("estimate", u64::from(self.estimate(conn, params))),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook_argument_types::ACK_WINDOW_UPDATE;

    const PAPER: WestwoodParams =
        WestwoodParams { clock: MICROSECONDS, adopt: AT_LOSS, filter: 58_982, filters: 1, min_sample: 0 };
    const LINUX: WestwoodParams =
        WestwoodParams { clock: TICKS, adopt: AT_END, filter: 57_344, filters: 2, min_sample: 50 };

    /// A connection at 250 Hz after `acks` acknowledgements of one segment, one each millisecond, RTT 40 ms.
    fn after_acks(acks: u32, params: &WestwoodParams) -> (Westwood, Conn) {
        let mut westwood = Westwood::default();
        let mut conn = Conn { tick_hz: 250, packets_out: 100, is_cwnd_limited: true, ..Conn::new(1448, 100) };
        westwood.init(&mut conn, params);
        for ms in 1..=acks {
            conn.now_us = u64::from(ms) * 1000;
            conn.ticks = ms / 4;
            conn.snd_una += 1448;
            let sample = AckSample::new(1, 40_000, 40);
            westwood.pkts_acked(&mut conn, &sample, params);
            westwood.in_ack_event(&mut conn, ACK_WINDOW_UPDATE, params);
        }
        (westwood, conn)
    }

    // 1448 bytes a millisecond are 1.448 · 4096 = 5931.0 units; 5931 · 40 000 µs / 4096 = 57 919 bytes are 39.99
    // segments. The first sample lacks the opening ACK; from below, a filter of 0.9 that rounds down stands still once a
    // tenth of what is missing is less than 1: up to 9 units short.
    #[test]
    fn a_loss_leaves_what_the_path_has_been_delivering() {
        let (mut westwood, mut conn) = after_acks(2000, &PAPER);
        assert!((5922..=5931).contains(&westwood.bandwidth), "{}", westwood.bandwidth);
        assert_eq!(westwood.ssthresh(&mut conn, &PAPER), 39);
        conn.cwnd = 20;
        assert_eq!(westwood.ssthresh(&mut conn, &PAPER), 20, "never more than the window");
        let fields = westwood.info(&conn, &PAPER).fields;
        assert_eq!(fields.get(1), Some(&("rtt_min_us", 40_000)));
    }

    #[test]
    fn before_the_first_sample_a_loss_halves_the_flight() {
        let (mut westwood, mut conn) = after_acks(10, &PAPER);
        assert_eq!((westwood.bandwidth, westwood.ssthresh(&mut conn, &PAPER)), (0, 50));
    }

    #[test]
    fn the_filters_weigh_the_old_value_with_seven_eighths_and_nine_tenths() {
        assert_eq!(filtered(45, 556, LINUX.filter), (7 * 45 + 556) / 8); // 108.9, rounded down as the kernel does
        assert_eq!(filtered(1000, 2000, PAPER.filter), 1100); // 0.9 · 1000 + 0.1 · 2000 = 1100.01
    }

    // 5 521 bytes a tick and 11 ticks: 60 731 bytes, 41.9 segments.
    #[test]
    fn the_kernels_form_halves_first_and_takes_the_estimate_over_at_the_end() {
        let (mut westwood, mut conn) = after_acks(2000, &LINUX);
        assert_eq!((to_ticks(40_000, 250), to_ticks(40_001, 250)), (10, 11));
        assert_eq!(westwood.ssthresh(&mut conn, &LINUX), 50);
        westwood.cwnd_event(&mut conn, CaEvent::CompleteCwr, &LINUX);
        // 1448 bytes a millisecond are 5792 a tick; in ten ticks 57 920 bytes, 40 segments, less the filters' rounding.
        assert_eq!((conn.cwnd, conn.ssthresh), (39, 39));
        westwood.bandwidth = 5521;
        westwood.rtt_min = 11;
        westwood.cwnd_event(&mut conn, CaEvent::Loss, &LINUX);
        assert_eq!((conn.cwnd, conn.ssthresh), (39, 41));
    }

    // Grieco and Mascolo 2004 §2: three duplicates have announced three of the four segments of the cumulative one.
    #[test]
    fn a_segment_counts_once_whether_announced_or_acknowledged() {
        let (mut westwood, mut conn) = after_acks(50, &PAPER);
        let before = westwood.sample_bytes;
        for _ in 0..3 {
            westwood.in_ack_event(&mut conn, ACK_SLOW_PATH, &PAPER);
        }
        conn.snd_una += 4 * 1448;
        westwood.in_ack_event(&mut conn, ACK_SLOW_PATH, &PAPER);
        assert_eq!((westwood.sample_bytes - before, westwood.announced), (4 * 1448, 0));
    }

    #[test]
    fn a_timeout_forgets_the_smallest_rtt() {
        let (mut westwood, mut conn) = after_acks(100, &PAPER);
        westwood.rtt = 80_000;
        westwood.in_ack_event(&mut conn, ACK_WINDOW_UPDATE, &PAPER);
        assert_eq!(westwood.rtt_min, 40_000);
        westwood.cwnd_event(&mut conn, CaEvent::Loss, &PAPER);
        westwood.in_ack_event(&mut conn, ACK_WINDOW_UPDATE, &PAPER);
        assert_eq!(westwood.rtt_min, 80_000);
    }
}
