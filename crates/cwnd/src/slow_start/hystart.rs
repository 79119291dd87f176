// SPDX-License-Identifier: MIT OR Apache-2.0
//! Hybrid slow start with Linux's constants (6.x): leave when a round's train of closely spaced ACKs lasts half the
//! smallest RTT, or when the RTT of a round has risen by an eighth.
//!
//! Source: Ha and Rhee, "Taming the elephants" (2011), and the public documentation of Linux's parameters.

use super::{SlowStart, phase};
use crate::conn::{Conn, PacingStatus};

/// Below this window nothing is decided, segments.
const LOW_WINDOW: u32 = 16;
/// ACKs no further apart than this belong to one train, µs.
const ACK_DELTA_US: u32 = 2_000;
/// Samples before the delay rule may decide.
const MIN_SAMPLES: u8 = 8;
const DELAY_MIN_US: u32 = 4_000;
const DELAY_MAX_US: u32 = 16_000;
/// Allowance of the train rule for the host's own bursts, µs at most.
const ACK_DELAY_MAX_US: u64 = 1_000;

impl SlowStart {
    /// The state that corresponds to that of Linux's module: the round's end, its smallest RTT (all ones: none), its begin, the train's last
    /// acknowledgement; samples, and whether slow start was left.
    pub(crate) const fn of_hystart(words: [u32; 4], samples: u8, has_left: bool) -> Self {
        let [round_end_seq, round_min_rtt_us, last_round, reference] = words;
        Self {
            round_end_seq,
            round_min_rtt_us: if round_min_rtt_us == u32::MAX { 0 } else { round_min_rtt_us },
            last_round,
            reference,
            samples,
            phase: if has_left { phase::DONE } else { phase::WATCHING },
            css_rounds: 0,
            css_credit: 0,
        }
    }

    /// Begins a round and its train of acknowledgements.
    pub(super) fn begin_train(&mut self, conn: &Conn) {
        self.phase = phase::WATCHING;
        self.last_round = conn.now_us32();
        self.reference = conn.now_us32();
        self.round_end_seq = conn.snd_nxt;
        self.round_min_rtt_us = 0;
        self.samples = 0;
    }

    pub(super) fn hystart_on_rtt(&mut self, conn: &mut Conn, rtt_us: u32, min_rtt_us: u32) {
        if self.round_is_over(conn) {
            self.begin_train(conn);
        }
        if conn.cwnd < LOW_WINDOW {
            return;
        }
        let now_us = conn.now_us32();
        if now_us.wrapping_sub(self.reference) <= ACK_DELTA_US {
            self.reference = now_us;
            let mut threshold_us = min_rtt_us.saturating_add(ack_delay_us(conn));
            // A paced sender may have spread its packets over half an RTT by itself.
            if conn.pacing_status == PacingStatus::None {
                threshold_us >>= 1;
            }
            if now_us.wrapping_sub(self.last_round) > threshold_us {
                // The sample counts all the same, as in the kernel's state.
                self.leave(conn);
            }
        }
        let rtt_us = rtt_us.max(1);
        if self.round_min_rtt_us == 0 || rtt_us < self.round_min_rtt_us {
            self.round_min_rtt_us = rtt_us;
        }
        if self.samples < MIN_SAMPLES {
            self.samples += 1;
            return;
        }
        let rise_us = (min_rtt_us >> 3).clamp(DELAY_MIN_US, DELAY_MAX_US);
        if self.round_min_rtt_us > min_rtt_us.saturating_add(rise_us) {
            self.leave(conn);
        }
    }
}

/// Time that four of the largest bursts need at the pacing rate, at most 1 ms; none without a rate.
fn ack_delay_us(conn: &Conn) -> u32 {
    if conn.pacing_rate == 0 || conn.pacing_rate == u64::MAX {
        return 0;
    }
    let burst_us = u64::from(conn.gso_max_size) * 4 * 1_000_000 / conn.pacing_rate;
    burst_us.min(ACK_DELAY_MAX_US) as u32
}

#[cfg(test)]
mod tests {
    use super::super::HYSTART;
    use super::*;

    fn start(cwnd: u32) -> (SlowStart, Conn) {
        let mut conn = Conn::new(1000, cwnd);
        conn.now_us = 1_000_000;
        conn.snd_nxt = 1000 * cwnd;
        (SlowStart::default(), conn)
    }

    // packetdrill: min RTT 200 ms, next round 240 ms (> 225 = 1.125 ×): the ninth sample leaves.
    #[test]
    fn the_ninth_late_sample_ends_slow_start() {
        let (mut ss, mut conn) = start(20);
        for sample in 1..=9 {
            assert!(conn.in_slow_start(), "before sample {sample}");
            conn.now_us += 5_000; // further apart than a train
            ss.on_rtt(&mut conn, &HYSTART, 240_000, 200_000);
        }
        assert_eq!(conn.ssthresh, 20);
    }

    #[test]
    fn a_train_of_half_the_minimum_rtt_ends_slow_start() {
        let (mut ss, mut conn) = start(100);
        let mut acks = 0;
        while conn.in_slow_start() {
            ss.on_rtt(&mut conn, &HYSTART, 40_000, 40_000);
            conn.now_us += 1_000;
            acks += 1;
            assert!(acks < 100);
        }
        assert_eq!(acks, 22); // the first ACK at 0, the one at 21 ms is the first beyond 20 ms
    }

    // Half of 4 ms: acknowledgements at 0, 1 and 2 ms, and the one at 3 ms leaves; its sample is the fourth, and the smallest.
    #[test]
    fn the_sample_that_ends_a_train_counts() {
        let (mut ss, mut conn) = start(100);
        for rtt_us in [5_000, 5_000, 5_000, 4_500] {
            ss.on_rtt(&mut conn, &HYSTART, rtt_us, 4_000);
            conn.now_us += 1_000;
        }
        assert_eq!((ss.phase, ss.samples, ss.round_min_rtt_us), (phase::DONE, 4, 4_500));
    }

    // At 524 288 000 bytes/s four bursts of 65 536 bytes take 500 µs: half of 40.5 ms is 20.25 ms, 162 gaps of 125 µs.
    #[test]
    fn the_hosts_own_bursts_are_allowed_for() {
        let (mut ss, mut conn) = start(100);
        conn.pacing_rate = 524_288_000;
        let mut gaps = 0;
        loop {
            ss.on_rtt(&mut conn, &HYSTART, 40_000, 40_000);
            if !conn.in_slow_start() || gaps > 1_000 {
                break;
            }
            conn.now_us += 125;
            gaps += 1;
        }
        assert_eq!(gaps, 163);
    }

    // Row L7: the smallest RTT falls from 150 to 100 ms within a round: no exit.
    #[test]
    fn a_falling_minimum_is_no_reason_to_leave() {
        let (mut ss, mut conn) = start(100);
        for _ in 0..20 {
            conn.now_us += 5_000;
            ss.on_rtt(&mut conn, &HYSTART, 150_000, 150_000);
        }
        for _ in 0..20 {
            conn.now_us += 5_000;
            ss.on_rtt(&mut conn, &HYSTART, 100_000, 100_000);
        }
        assert!(conn.in_slow_start());
    }

    #[test]
    fn below_sixteen_segments_nothing_is_decided() {
        let (mut ss, mut conn) = start(15);
        for _ in 0..50 {
            ss.on_rtt(&mut conn, &HYSTART, 400_000, 40_000);
        }
        assert!(conn.in_slow_start());
    }
}
