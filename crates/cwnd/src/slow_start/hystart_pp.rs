// SPDX-License-Identifier: MIT OR Apache-2.0
//! HyStart++ (RFC 9406): leave slow start when the RTT of a round rises, after five rounds of slower growth that tell
//! whether the rise was real.
//!
//! Deviation: a connection that is paced has no limit on growth per ACK (§4.2: L = infinity); an unpaced one has L = 8.

use super::{SlowStart, phase};
use crate::conn::{Conn, PacingStatus};

/// RFC 9406 §4.3 (recommended values).
const MIN_RTT_THRESH_US: u32 = 4_000;
const MAX_RTT_THRESH_US: u32 = 16_000;
const MIN_RTT_DIVISOR: u32 = 8;
const N_RTT_SAMPLE: u8 = 8;
const CSS_GROWTH_DIVISOR: u32 = 4;
const CSS_ROUNDS: u8 = 5;
const L_UNPACED: u32 = 8;

impl SlowStart {
    /// Segments of growth for `acked` segments. // RFC 9406 §4.2
    pub(super) fn hystart_pp_growth(&mut self, conn: &Conn, acked: u32) -> u32 {
        if self.phase == phase::DONE {
            return acked;
        }
        let limited = if conn.pacing_status == PacingStatus::None { acked.min(L_UNPACED) } else { acked };
        if self.phase != phase::CSS {
            return limited;
        }
        let credit = u32::from(self.css_credit).saturating_add(limited);
        self.css_credit = (credit % CSS_GROWTH_DIVISOR) as u8;
        credit / CSS_GROWTH_DIVISOR
    }

    pub(super) fn hystart_pp_on_rtt(&mut self, conn: &mut Conn, rtt_us: u32) {
        if self.round_is_over(conn) && self.next_round(conn) {
            return;
        }
        let rtt_us = rtt_us.max(1);
        if self.round_min_rtt_us == 0 || rtt_us < self.round_min_rtt_us {
            self.round_min_rtt_us = rtt_us;
        }
        self.samples = self.samples.saturating_add(1).min(N_RTT_SAMPLE);
        if self.samples < N_RTT_SAMPLE {
            return;
        }
        if self.phase == phase::CSS {
            // RFC 9406 §4.2: the rise was spurious when the RTT falls below what CSS began with.
            if self.round_min_rtt_us < self.reference {
                self.phase = phase::WATCHING;
                self.reference = 0;
            }
        } else if self.last_round != 0 {
            let threshold = (self.last_round / MIN_RTT_DIVISOR).clamp(MIN_RTT_THRESH_US, MAX_RTT_THRESH_US);
            if self.round_min_rtt_us >= self.last_round.saturating_add(threshold) {
                self.reference = self.round_min_rtt_us;
                self.phase = phase::CSS;
                self.css_rounds = 0;
                self.css_credit = 0;
            }
        }
    }

    /// Begins a round; true when CSS has lasted its five rounds and slow start is over.
    fn next_round(&mut self, conn: &mut Conn) -> bool {
        if self.phase == phase::FRESH {
            self.phase = phase::WATCHING;
        } else if self.phase == phase::CSS {
            // RFC 9406 §4.2: the partial round in which CSS began counts.
            self.css_rounds = self.css_rounds.saturating_add(1);
            if self.css_rounds >= CSS_ROUNDS {
                self.leave(conn);
                return true;
            }
        }
        self.round_end_seq = conn.snd_nxt;
        self.last_round = self.round_min_rtt_us;
        self.round_min_rtt_us = 0;
        self.samples = 0;
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::HYSTART_PP;
    use super::*;

    /// One round: `samples` acknowledgements of one segment each, all with `rtt_us`.
    fn round(ss: &mut SlowStart, conn: &mut Conn, samples: u32, rtt_us: u32) {
        conn.snd_nxt = conn.snd_una + 1000 * conn.cwnd;
        for _ in 0..samples {
            conn.snd_una += 1000;
            ss.on_rtt(conn, HYSTART_PP, rtt_us, 0);
            ss.grow(conn, HYSTART_PP, 1);
        }
        conn.snd_una = conn.snd_nxt + 1;
    }

    #[test]
    fn a_steady_rtt_never_ends_slow_start() {
        let (mut ss, mut conn) = (SlowStart::default(), Conn::new(1000, 10));
        for _ in 0..10 {
            round(&mut ss, &mut conn, 20, 100_000);
        }
        assert_eq!(conn.cwnd, 210); // one segment per segment acknowledged
        assert!(conn.in_slow_start());
    }

    // Row NE3. RFC 9406 §4.2: threshold for 100 ms is clamp(100/8, 4, 16) = 12.5 ms.
    #[test]
    fn a_rise_by_an_eighth_enters_css_and_five_rounds_later_congestion_avoidance() {
        let (mut ss, mut conn) = (SlowStart::default(), Conn::new(1000, 100));
        round(&mut ss, &mut conn, 20, 100_000);
        round(&mut ss, &mut conn, 20, 112_499);
        assert_eq!(ss.phase, phase::WATCHING, "0.1 µs below the threshold");
        let mut ss = SlowStart::default();
        let mut conn = Conn::new(1000, 100);
        round(&mut ss, &mut conn, 20, 100_000);
        round(&mut ss, &mut conn, 20, 112_500);
        assert_eq!(ss.phase, phase::CSS);
        // 100 + 20 + 7 before the eighth sample + 13/4 after it: the eighth is already in CSS.
        assert_eq!(conn.cwnd, 100 + 20 + 7 + 3);
        for _ in 0..4 {
            assert!(conn.in_slow_start());
            round(&mut ss, &mut conn, 20, 112_500);
        }
        round(&mut ss, &mut conn, 1, 112_500);
        assert!(!conn.in_slow_start());
        assert_eq!(conn.ssthresh, 100 + 20 + 7 + 3 + 4 * 5); // a quarter of 80 segments in CSS, one of them at the round's start
    }

    #[test]
    fn css_is_left_when_the_rtt_falls_again() {
        let (mut ss, mut conn) = (SlowStart::default(), Conn::new(1000, 100));
        round(&mut ss, &mut conn, 20, 100_000);
        round(&mut ss, &mut conn, 20, 120_000);
        assert_eq!(ss.phase, phase::CSS);
        round(&mut ss, &mut conn, 20, 100_000);
        assert_eq!(ss.phase, phase::WATCHING);
    }

    // RFC 9406 §4.3: HyStart++ is for the first slow start; after a loss a rising RTT ends nothing, and growth has no limit.
    #[test]
    fn after_a_loss_slow_start_is_the_standards() {
        let (mut ss, mut conn) = (SlowStart::default(), Conn::new(1000, 100));
        ss.on_reduction(HYSTART_PP);
        for rtt_us in [100_000, 120_000, 140_000, 160_000, 180_000, 200_000, 220_000, 240_000] {
            round(&mut ss, &mut conn, 20, rtt_us);
        }
        assert!(conn.in_slow_start());
        assert_eq!(conn.cwnd, 260);
        ss.grow(&mut conn, HYSTART_PP, 40);
        assert_eq!(conn.cwnd, 300);
    }

    // RFC 9406 §4.2: fewer than eight samples decide nothing.
    #[test]
    fn seven_samples_decide_nothing() {
        let (mut ss, mut conn) = (SlowStart::default(), Conn::new(1000, 7));
        round(&mut ss, &mut conn, 7, 100_000);
        round(&mut ss, &mut conn, 7, 200_000);
        assert_eq!(ss.phase, phase::WATCHING);
    }

    #[test]
    fn an_unpaced_sender_grows_by_at_most_eight_segments_per_ack() {
        let (mut ss, mut conn) = (SlowStart::default(), Conn::new(1000, 10));
        ss.grow(&mut conn, HYSTART_PP, 40);
        assert_eq!(conn.cwnd, 18);
        conn.pacing_status = PacingStatus::Needed;
        ss.grow(&mut conn, HYSTART_PP, 40);
        assert_eq!(conn.cwnd, 58);
    }
}
