// SPDX-License-Identifier: MIT OR Apache-2.0
//! HyStart++ (RFC 9406): leave slow start when the RTT of a round rises, after five rounds of slower growth that tell
//! whether the rise was real.
//!
//! A connection that is paced has no limit on growth per ACK (§4.3: L = infinity); an unpaced one has L = 8. The values that
//! §4.3 recommends are parameters, [`SlowStartParams`].

use super::{SlowStart, SlowStartParams, phase};
use crate::conn::{Conn, PacingStatus};

impl SlowStart {
    /// Segments of growth for `acked` segments. // RFC 9406 §4.2
    pub(super) fn hystart_pp_growth(&mut self, conn: &Conn, params: &SlowStartParams, acked: u32) -> u32 {
        let unlimited = params.l == 0 || conn.pacing_status != PacingStatus::None; // R9406-4.3-b
        let limited = if unlimited { acked } else { acked.min(params.l) }; // R9406-4.2-b
        if self.phase != phase::CSS {
            return limited;
        }
        let divisor = params.css_growth_divisor.max(1);
        let credit = u32::from(self.css_credit).saturating_add(limited);
        self.css_credit = (credit % divisor) as u8;
        credit / divisor // R9406-4.2-d
    }

    #[inline]
    pub(super) fn hystart_pp_on_rtt(&mut self, conn: &mut Conn, params: &SlowStartParams, rtt_us: u32) {
        if self.round_is_over(conn) && self.next_round(conn, params) {
            return;
        }
        let rtt_us = rtt_us.max(1);
        if self.round_min_rtt_us == 0 || rtt_us < self.round_min_rtt_us {
            self.round_min_rtt_us = rtt_us;
        }
        self.samples = self.samples.saturating_add(1); // R9406-4.3-f
        if u32::from(self.samples) < params.n_rtt_sample {
            return;
        }
        if self.phase == phase::CSS {
            // RFC 9406 §4.2: the rise was spurious when the RTT falls below what CSS began with.
            if self.round_min_rtt_us < self.reference {
                self.phase = phase::WATCHING; // R9406-4.2-e
                self.reference = 0;
            }
        } else if self.last_round != 0 {
            // RFC 9406 §4.2: RttThresh = max(MIN_RTT_THRESH, min(lastRoundMinRTT / MIN_RTT_DIVISOR, MAX_RTT_THRESH))
            let share = self.last_round / params.min_rtt_divisor.max(1); // R9406-4.3-g
            let threshold = share.min(params.max_rtt_thresh).max(params.min_rtt_thresh);
            // R9406-4.2-c
            if self.round_min_rtt_us >= self.last_round.saturating_add(threshold) {
                self.reference = self.round_min_rtt_us;
                self.phase = phase::CSS;
                self.css_rounds = 0;
                self.css_credit = 0;
            }
        }
    }

    /// Begins a round; true when CSS has lasted its rounds and slow start is over.
    fn next_round(&mut self, conn: &mut Conn, params: &SlowStartParams) -> bool {
        if self.phase == phase::FRESH {
            self.phase = phase::WATCHING;
        } else if self.phase == phase::CSS {
            // RFC 9406 §4.2: the partial round in which CSS began counts.
            self.css_rounds = self.css_rounds.saturating_add(1);
            if u32::from(self.css_rounds) >= params.css_rounds {
                self.leave(conn); // R9406-4.2-f
                return true;
            }
        }
        self.round_end_seq = conn.snd_nxt;
        self.last_round = self.round_min_rtt_us; // R9406-4.2-a
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
    fn round_with(
        ss: &mut SlowStart,
        conn: &mut Conn,
        params: &SlowStartParams,
        (samples, rtt_us): (u32, u32),
    ) {
        conn.snd_nxt = conn.snd_una + 1000 * conn.cwnd;
        for _ in 0..samples {
            conn.snd_una += 1000;
            ss.on_rtt(conn, params, rtt_us, 0);
            ss.grow(conn, params, 1);
        }
        conn.snd_una = conn.snd_nxt + 1;
    }

    /// The same with the RFC's settings.
    fn round(ss: &mut SlowStart, conn: &mut Conn, samples: u32, rtt_us: u32) {
        round_with(ss, conn, &HYSTART_PP, (samples, rtt_us));
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
    // R9406-4.2-f
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

    // RFC 9406 §4.2, §4.3: a quarter of the growth of slow start; what is left of four is kept for the next acknowledgement.
    // R9406-4.2-d
    #[test]
    fn in_css_four_segments_are_worth_one() {
        let (mut ss, mut conn) =
            (SlowStart { phase: phase::CSS, ..SlowStart::default() }, Conn::new(1000, 100));
        let mut after = |acked| {
            ss.grow(&mut conn, &HYSTART_PP, acked);
            conn.cwnd
        };
        assert_eq!([after(3), after(1), after(6), after(1), after(1)], [100, 101, 102, 102, 103]);
    }

    // R9406-4.2-e
    #[test]
    fn css_is_left_when_the_rtt_falls_again() {
        let (mut ss, mut conn) = (SlowStart::default(), Conn::new(1000, 100));
        round(&mut ss, &mut conn, 20, 100_000);
        round(&mut ss, &mut conn, 20, 120_000);
        assert_eq!(ss.phase, phase::CSS);
        round(&mut ss, &mut conn, 20, 100_000);
        assert_eq!(ss.phase, phase::WATCHING);
    }

    // RFC 9406 §4.3: HyStart++ is for the initial slow start, while ssthresh has its initial value; later a rising RTT ends
    // nothing, and growth has no limit.
    // R9406-4.3-d
    #[test]
    fn with_a_threshold_slow_start_is_the_standards() {
        let (mut ss, mut conn) = (SlowStart::default(), Conn::new(1000, 100));
        conn.ssthresh = 1_000;
        for rtt_us in [100_000, 120_000, 140_000, 160_000, 180_000, 200_000, 220_000, 240_000] {
            round(&mut ss, &mut conn, 20, rtt_us);
        }
        assert_eq!((conn.cwnd, conn.ssthresh), (260, 1_000));
        ss.grow(&mut conn, &HYSTART_PP, 40);
        assert_eq!(conn.cwnd, 300);
    }

    // At ssthresh itself, whatever HyStart++ was doing, all of an ACK is left for congestion avoidance.
    #[test]
    fn at_the_threshold_nothing_is_kept_from_congestion_avoidance() {
        let (mut ss, mut conn) = (SlowStart::default(), Conn::new(1000, 100));
        round(&mut ss, &mut conn, 20, 100_000);
        round(&mut ss, &mut conn, 20, 120_000);
        assert_eq!(ss.phase, phase::CSS);
        conn.ssthresh = conn.cwnd;
        assert_eq!(ss.grow(&mut conn, &HYSTART_PP, 40), 40);
    }

    /// Whether a round at `after_us` that follows one at `before_us` begins CSS.
    fn enters_css(before_us: u32, after_us: u32, params: &SlowStartParams) -> bool {
        let (mut ss, mut conn) = (SlowStart::default(), Conn::new(1000, 100));
        round_with(&mut ss, &mut conn, params, (20, before_us));
        round_with(&mut ss, &mut conn, params, (20, after_us));
        ss.phase == phase::CSS
    }

    // RFC 9406 §4.2, §4.3: an eighth of the RTT, 4 ms at least and 16 ms at most. 24 ms: an eighth is 3 ms, so 28 ms it is.
    // 32 and 128 ms: the clamps and the eighth agree. 400 ms: an eighth is 50 ms, so 416 ms it is.
    // R9406-4.2-c
    #[test]
    fn the_rise_that_counts_is_four_to_sixteen_milliseconds() {
        for (before, after) in [(1_000, 5_000), (24_000, 28_000), (32_000, 36_000), (80_000, 90_000)] {
            assert!(enters_css(before, after, &HYSTART_PP), "{before} to {after} µs");
            assert!(!enters_css(before, after - 1, &HYSTART_PP), "{before} to {after} µs less one");
        }
        for (before, after) in [(128_000, 144_000), (400_000, 416_000), (2_000_000, 2_016_000)] {
            assert!(enters_css(before, after, &HYSTART_PP), "{before} to {after} µs");
            assert!(!enters_css(before, after - 1, &HYSTART_PP), "{before} to {after} µs less one");
        }
    }

    // RFC 9406 §4.3 MAY: the constants may be tuned. A minimum above the maximum: max(MIN, min(…, MAX)) is the minimum.
    // R9406-4.3-g
    #[test]
    fn thresholds_and_divisor_are_settings() {
        for (settings, before, after) in [
            (SlowStartParams { min_rtt_thresh: 1_000, ..HYSTART_PP }, 16_000, 18_000), // 16/8
            (SlowStartParams { max_rtt_thresh: 30_000, ..HYSTART_PP }, 400_000, 430_000),
            (SlowStartParams { min_rtt_divisor: 16, ..HYSTART_PP }, 160_000, 170_000),
            (
                SlowStartParams { min_rtt_thresh: 20_000, max_rtt_thresh: 1_000, ..HYSTART_PP },
                80_000,
                100_000,
            ),
        ] {
            assert!(enters_css(before, after, &settings), "{settings:?}");
            assert!(!enters_css(before, after - 1, &settings), "{settings:?}");
        }
    }

    // RFC 9406 §4.2: CSS lasts CSS_ROUNDS rounds, counted anew at every entry: three rounds, a fall of the RTT, and again CSS,
    // which then lasts five.
    #[test]
    fn each_conservative_slow_start_has_five_rounds_of_its_own() {
        let (mut ss, mut conn) = (SlowStart::default(), Conn::new(1000, 100));
        round(&mut ss, &mut conn, 20, 100_000);
        for _ in 0..3 {
            round(&mut ss, &mut conn, 20, 120_000);
            assert_eq!(ss.phase, phase::CSS);
        }
        round(&mut ss, &mut conn, 20, 100_000);
        assert_eq!(ss.phase, phase::WATCHING);
        for lasted in 1..=5 {
            round(&mut ss, &mut conn, 20, 120_000);
            assert!(ss.phase == phase::CSS && conn.in_slow_start(), "round {lasted} of the second entry");
        }
        round(&mut ss, &mut conn, 1, 120_000);
        assert!(!conn.in_slow_start(), "after five rounds");
    }

    #[test]
    fn rounds_samples_and_growth_of_conservative_slow_start_are_settings() {
        let settings =
            SlowStartParams { css_rounds: 2, n_rtt_sample: 3, css_growth_divisor: 2, ..HYSTART_PP };
        let (mut ss, mut conn) = (SlowStart::default(), Conn::new(1000, 100));
        round_with(&mut ss, &mut conn, &settings, (20, 100_000));
        round_with(&mut ss, &mut conn, &settings, (20, 120_000));
        // 20, then 2 before the third sample, then half of 18.
        assert_eq!((ss.phase, conn.cwnd), (phase::CSS, 100 + 20 + 2 + 9));
        round_with(&mut ss, &mut conn, &settings, (20, 120_000));
        assert!(conn.in_slow_start());
        round_with(&mut ss, &mut conn, &settings, (1, 120_000));
        assert!(!conn.in_slow_start(), "two rounds");
    }

    // RFC 9406 §4.2: fewer than eight samples decide nothing.
    // R9406-4.2-a
    #[test]
    fn seven_samples_decide_nothing() {
        let (mut ss, mut conn) = (SlowStart::default(), Conn::new(1000, 7));
        round(&mut ss, &mut conn, 7, 100_000);
        round(&mut ss, &mut conn, 7, 200_000);
        assert_eq!(ss.phase, phase::WATCHING);
    }

    // RFC 9406 §4.3: every acknowledgement's RTT is a sample of its round, so eight acknowledgements are the eight that decide.
    // R9406-4.3-f
    #[test]
    fn eight_acknowledgements_are_eight_samples() {
        let (mut ss, mut conn) = (SlowStart::default(), Conn::new(1000, 8));
        round(&mut ss, &mut conn, 8, 100_000);
        round(&mut ss, &mut conn, 8, 200_000);
        assert_eq!(ss.phase, phase::CSS);
    }

    // RFC 9406 §4.3 SHOULD: L = infinity where the sender paces.
    // R9406-4.3-b
    #[test]
    fn a_paced_sender_grows_by_all_that_an_ack_acknowledges() {
        let (mut ss, mut conn) = (SlowStart::default(), Conn::new(1000, 10));
        conn.pacing_status = PacingStatus::Needed;
        ss.grow(&mut conn, &HYSTART_PP, 40);
        assert_eq!(conn.cwnd, 50);
    }

    // R9406-4.2-b
    #[test]
    fn an_unpaced_sender_grows_by_at_most_eight_segments_per_ack() {
        let (mut ss, mut conn) = (SlowStart::default(), Conn::new(1000, 10));
        ss.grow(&mut conn, &HYSTART_PP, 40);
        assert_eq!(conn.cwnd, 18);
        let (mut ss, mut conn) = (SlowStart::default(), Conn::new(1000, 10));
        ss.grow(&mut conn, &SlowStartParams { l: 2, ..HYSTART_PP }, 40);
        assert_eq!(conn.cwnd, 12);
        ss.grow(&mut conn, &SlowStartParams { l: 0, ..HYSTART_PP }, 40);
        assert_eq!(conn.cwnd, 52);
    }
}
