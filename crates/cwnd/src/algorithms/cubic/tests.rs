// SPDX-License-Identifier: MIT OR Apache-2.0
//! CUBIC against RFC 9438, section by section. One segment is acknowledged at a time unless a test says otherwise.

use super::bench::Bench;
use super::curve::w_cubic_x64k;
use super::forms::*;
use super::*;
use crate::algorithms::FROM_CWND;
use crate::params::{Params, Refused};
use crate::registry::Controller;
use crate::slow_start;

fn standard() -> CubicParams {
    CubicParams { slow_start: slow_start::STANDARD, ..RFC9438 }
}

fn w_max_of(cubic: &Cubic) -> u32 {
    cubic.w_max
}

#[test]
fn the_state_fills_the_kernels_private_area_and_no_more() {
    assert_eq!(size_of::<Cubic>(), crate::PRIVATE_BYTES);
}

// RFC 9438 §4.6 SHOULD: beta_cubic = 0.7.
// R9438-4.6-b
#[test]
fn seven_tenths_are_kept_by_default() {
    let cubic = Controller::by_name("cubic").expect("registered");
    assert_eq!(cubic.param(0), 45_875); // 0.7 × 65 536 = 45 875.2
}

// RFC 9438 §5.1 SHOULD: C = 0.4.
// R9438-5.1-b
#[test]
fn c_is_four_tenths_by_default() {
    let cubic = Controller::by_name("cubic").expect("registered");
    assert_eq!(cubic.param(1), 26_214); // 0.4 × 65 536 = 26 214.4
}

// RFC 9438 §4.6: ssthresh = flight · 0.7, whole segments, at least 2; W_max from the window before.
#[test]
fn a_loss_keeps_seven_tenths_of_the_flight() {
    for (cwnd, flight, expected) in
        [(100, 100, 70), (100, 50, 35), (100, 103, 70), (3, 3, 2), (2, 2, 2), (1, 1, 2)]
    {
        let mut bench = Bench::new(standard(), cwnd, 100_000);
        bench.conn.packets_out = flight;
        assert_eq!(
            bench.cubic.ssthresh(&mut bench.conn, &bench.params),
            expected,
            "cwnd {cwnd}, flight {flight}"
        );
        assert_eq!(w_max_of(&bench.cubic), cwnd);
        assert_eq!(bench.cubic.cwnd_prior, cwnd);
    }
}

// RFC 9438 §4.6 MUST (REQUIRED of QUIC): where the window is reduced instead of the flight, it does not grow beyond what
// is in flight: a flow whose application sends a tenth of it keeps it where it was.
// R9438-4.6-c
#[test]
fn a_window_that_is_not_used_does_not_grow() {
    for params in [standard(), CubicParams { reduce_from: FROM_CWND, ..standard() }] {
        let mut bench = Bench::new(params, 100, 100_000);
        bench.lose();
        let before = bench.conn.cwnd;
        bench.conn.is_cwnd_limited = false;
        bench.conn.max_packets_out = before / 10;
        bench.seconds(60.0, 1);
        assert_eq!(bench.conn.cwnd, before);
    }
}

// RFC 9438 §4.7 SHOULD: fast convergence. W_max = cwnd · (1 + 0.7) / 2 below the last W_max. Rows RF3, K7:
// losses at 100 and 80 give 68 (not 0.85 · 100), a loss at half of 100 gives 42.5.
// R9438-4.7-a
#[test]
fn fast_convergence_remembers_less_when_a_loss_comes_early() {
    let mut bench = Bench::new(standard(), 100, 100_000);
    bench.lose();
    bench.conn.cwnd = 80;
    bench.lose();
    assert_eq!(w_max_of(&bench.cubic), 68);
    assert_eq!(bench.conn.ssthresh, 56, "Q3: the reduction itself stays 0.7 of the window");
    bench.conn.cwnd = 68;
    bench.lose();
    assert_eq!(w_max_of(&bench.cubic), 68, "equal is not below");
    bench.conn.cwnd = 50;
    bench.lose();
    assert_eq!(w_max_of(&bench.cubic), 42); // 42.5 less the rounding of 0.85 to 55 705/65 536
}

// RFC 9438 §4.7 SHOULD: can be disabled, for a single flow without other traffic.
// R9438-4.7-b
#[test]
fn fast_convergence_can_be_disabled() {
    let mut bench = Bench::new(CubicParams { fast_convergence: 0, ..standard() }, 100, 100_000);
    bench.lose();
    bench.conn.cwnd = 80;
    bench.lose();
    assert_eq!(w_max_of(&bench.cubic), 80);
}

/// RFC 9438 §4.2: the window follows C(t − K)³ + W_max. From W_max = 1000, K = 9.0856 s, at each s = t/K.
fn follows_the_curve(parts: [f64; 2]) {
    let mut bench = Bench::new(CubicParams { friendliness: FRIENDLY_OFF, ..standard() }, 1000, 100_000);
    bench.lose();
    let (begin, k) = (bench.conn.now_us, 9.0856);
    for s in parts {
        while (bench.conn.now_us - begin) as f64 / 1e6 < s * k {
            bench.round(1);
        }
        // The epoch begins with the first ACK, and the window arrives where the curve is one RTT ahead.
        let d = (bench.conn.now_us - begin) as f64 / 1e6 - k;
        let (curve, lag) = (1000.0 + 0.4 * d.powi(3), 3.0 * 0.4 * d.powi(2) * 0.1);
        assert!(
            (f64::from(bench.conn.cwnd) - curve).abs() <= 1.0 + lag,
            "s = {s}: {} beside {curve}",
            bench.conn.cwnd
        );
    }
}

// RFC 9438 §4.4 MUST: at half of K the curve is 1000 − 300/8 = 962.5, at K 1000.
// R9438-4.4-a
#[test]
fn below_w_max_the_window_follows_the_concave_curve() {
    follows_the_curve([0.5, 1.0]);
}

// RFC 9438 §4.5 MUST: at 1½ K the curve is 1000 + 300/8 = 1037.5, at 2 K 1300.
// R9438-4.5-a
#[test]
fn beyond_w_max_the_window_follows_the_convex_curve() {
    follows_the_curve([1.5, 2.0]);
}

// Rows Q4, X2: with fast convergence the curve still begins at the window, so growth starts at once.
#[test]
fn growth_starts_within_a_round_trip_after_fast_convergence() {
    for w in [50, 1000] {
        let mut bench = Bench::new(CubicParams { friendliness: FRIENDLY_OFF, ..standard() }, w, 100_000);
        bench.lose();
        bench.conn.cwnd = w * 9 / 10;
        bench.lose();
        let begin = bench.conn.cwnd;
        bench.round(1);
        bench.round(1);
        assert!(bench.conn.cwnd > begin, "W = {w}");
        let w0 = w_cubic_x64k(bench.cubic.origin, bench.params.c, bench.cubic.k_x1024, 0) >> 16;
        assert!(w0.abs_diff(u64::from(begin)) <= 1, "the curve begins at {w0}, the window at {begin}");
    }
}

// RFC 9438 §4.3 SHOULD: in the Reno-friendly region the window is W_est, growing α = 0.529 per RTT.
// RTT 10 ms, W_max = 20: 0.529 · 50 RTTs = 26.5 segments; the curve at 0.5 s has gained 14 − 0.4·(2.47 − 0.5)³ …
// R9438-4.3-a
#[test]
fn at_short_round_trips_the_window_is_renos_estimate() {
    let mut bench = Bench::new(CubicParams { alpha_one: 0, ..standard() }, 20, 10_000);
    bench.lose();
    assert_eq!(bench.conn.cwnd, 14);
    for _ in 0..50 {
        bench.round(1);
    }
    let expected = 14.0 + 50.0 * 3.0 * 0.3 / 1.7; // 40.5
    assert!((f64::from(bench.conn.cwnd) - expected).abs() <= 1.5, "{}", bench.conn.cwnd);
}

// RFC 9438 §4.3 SHOULD: the window is W_est, not more, whatever an acknowledgement brings.
#[test]
fn large_acknowledgements_do_not_lift_the_window_above_the_estimate() {
    let mut bench = Bench::new(standard(), 100, 1_000);
    bench.lose();
    for _ in 0..100 {
        bench.round(10);
        assert_eq!(bench.conn.cwnd, bench.cubic.w_est);
    }
}

// RFC 9438 §4.3 SHOULD: α = 1 once W_est reaches cwnd_prior. Row RF1: also after fast convergence it is the
// window before the loss (18), not W_max (15.3), that counts.
// R9438-4.3-c
#[test]
fn alpha_becomes_one_at_the_window_before_the_reduction() {
    let mut bench = Bench::new(standard(), 20, 1_000);
    bench.lose();
    bench.conn.cwnd = 18;
    bench.lose();
    assert_eq!((w_max_of(&bench.cubic), bench.conn.cwnd), (15, 13));
    let mut rounds_to = |target: u32| {
        let mut rounds = 0.0;
        while bench.conn.cwnd < target {
            bench.round(1);
            rounds += 1.0;
        }
        rounds
    };
    let slow: f64 = rounds_to(18);
    assert!((slow - 5.0 / 0.529).abs() <= 1.5, "{slow} RTTs for 5 segments at α = 0.529");
    let fast: f64 = rounds_to(28);
    assert!((fast - 10.0).abs() <= 1.5, "{fast} RTTs for 10 segments at α = 1");
}

// RFC 9438 §4.2: the target is at most 1.5 cwnd, so is a round trip's growth. Row RF2.
#[test]
fn a_round_trip_grows_the_window_by_half_at_most() {
    let mut bench = Bench::new(standard(), 10, 100_000);
    bench.lose();
    bench.round(1);
    bench.conn.now_us += 60_000_000; // the curve is 86 000 segments up
    bench.cubic.last_ack = bench.conn.now_us32();
    let before = bench.conn.cwnd;
    bench.round(1);
    assert!(bench.conn.cwnd <= before + before / 2 + 1, "{before} to {}", bench.conn.cwnd);
    assert!(bench.conn.cwnd > before);
}

// RFC 9438 §4.2 MUST NOT: time in which the application limits the flow is not part of t. Rows L1, F1, S1.
#[test]
fn application_limited_time_does_not_move_the_curve() {
    let mut bench = Bench::new(standard(), 1000, 100_000);
    bench.lose();
    bench.seconds(3.0, 1);
    let (before, age) = (bench.conn.cwnd, bench.cubic.t_us(&bench.conn, &bench.params));
    bench.conn.is_cwnd_limited = false;
    for _ in 0..1000 {
        bench.conn.now_us += 10_000;
        bench.ack(1);
    }
    assert_eq!(bench.conn.cwnd, before);
    assert_eq!(bench.cubic.t_us(&bench.conn, &bench.params), age, "10 s of pause are not part of t");
    bench.conn.is_cwnd_limited = true;
    let gain = bench.conn.cwnd;
    bench.round(1);
    assert!(bench.conn.cwnd - gain <= before / 50, "no jump: {gain} to {}", bench.conn.cwnd);
}

// Row K1: at two segments nothing is in flight once per RTT, which is no idleness.
#[test]
fn two_segments_without_loss_grow() {
    let mut bench = Bench::new(standard(), 2, 10_000);
    bench.lose();
    bench.conn.cwnd = 2;
    for _ in 0..8 {
        bench.cubic.cwnd_event(&mut bench.conn, CaEvent::TxStart, &bench.params);
        bench.round(2);
    }
    assert!(bench.conn.cwnd >= 3);
}

// RFC 9438 §4.8 SHOULD: after a timeout W_est = cwnd at the start of congestion avoidance, K = 0, W_max = cwnd.
// R9438-4.8-a
#[test]
fn after_a_timeout_the_curve_starts_at_its_plateau() {
    let mut bench = Bench::new(standard(), 100, 100_000);
    bench.time_out();
    assert_eq!(bench.conn.ssthresh, 70);
    while bench.conn.cwnd < 70 {
        bench.round(1);
    }
    bench.conn.ca_state = CaState::Open;
    bench.round(1);
    assert_eq!((bench.cubic.k_x1024, bench.cubic.in_epoch), (0, 1));
    assert_eq!((bench.cubic.origin, bench.cubic.w_est), (70, 70));
}

// RFC 9438 §4.10: leaving slow start without a loss sets cwnd_prior = W_max = cwnd, K = 0. Rows S3, M4: growth from
// there is convex: +0.4 · 5³ = 50 segments after 5 s (plus what W(t + RTT) is ahead).
#[test]
fn a_lossless_exit_from_slow_start_grows_convexly_from_there() {
    let mut bench = Bench::new(CubicParams { friendliness: FRIENDLY_OFF, ..standard() }, 100, 100_000);
    bench.seconds(5.0, 1);
    assert_eq!((bench.cubic.cwnd_prior, bench.cubic.k_x1024, bench.cubic.origin), (100, 0, 100));
    assert!((149..=154).contains(&bench.conn.cwnd), "{}", bench.conn.cwnd);
}

// RFC 9438 §4.10 MUST: slow start while cwnd <= ssthresh, and it stops exactly there (row M2).
// R9438-4.10-a
#[test]
fn slow_start_stops_at_ssthresh() {
    let mut bench = Bench::new(standard(), 10, 100_000);
    bench.conn.ssthresh = 50;
    bench.conn.cwnd = 49;
    bench.ack(40);
    assert_eq!(bench.conn.cwnd, 50, "slow start takes one segment of the ACK for the last step");
    assert_eq!(bench.cubic.in_epoch, 1, "the other 39 segments are congestion avoidance");
}

// RFC 9438 §4.10 SHOULD: HyStart++ is the default.
// R9438-4.10-b
#[test]
fn hystart_plus_plus_is_the_default() {
    assert_eq!(RFC9438.slow_start, slow_start::HYSTART_PP);
}

// RFC 9438 §4.9.2 MAY: what a reduction takes is kept before it. 4 s after a loss at 1000 the curve has W_max 1000, its plateau,
// K = 9.09 s and W_est above 700.
// R9438-4.9.2-b
#[test]
fn a_reduction_keeps_what_it_takes() {
    let mut bench = Bench::new(standard(), 1000, 100_000);
    bench.lose();
    bench.seconds(4.0, 1);
    let (before, cwnd) = (bench.cubic, bench.conn.cwnd);
    assert!(before.w_max == 1000 && before.w_est > 700 && cwnd > 900, "{before:?}");
    bench.cubic.ssthresh(&mut bench.conn, &bench.params);
    let kept = bench.cubic.undo;
    assert_eq!(
        (kept.cwnd, kept.cwnd_prior, kept.w_max, kept.origin, kept.k_x1024, kept.w_est),
        (cwnd, before.cwnd_prior, 1000, 1000, before.k_x1024, before.w_est)
    );
}

// RFC 9438 §4.9.2 MAY: a spurious reduction is taken back, all of it. Rows L5, RF5.
// R9438-4.9.2-c
#[test]
fn undo_restores_the_curve_and_the_window() {
    let mut bench = Bench::new(standard(), 1000, 100_000);
    bench.lose();
    bench.seconds(4.0, 1);
    let before = bench.cubic;
    let cwnd = bench.conn.cwnd;
    bench.lose();
    assert_eq!(bench.cubic.undo_cwnd(&mut bench.conn, &bench.params), cwnd);
    let after = bench.cubic;
    assert_eq!(
        (after.w_max, after.cwnd_prior, after.k_x1024, after.t, after.w_est, after.origin, after.in_epoch),
        (before.w_max, before.cwnd_prior, before.k_x1024, before.t, before.w_est, before.origin, 1)
    );
}

// RFC 9438 §4.9.2 SHOULD: no restoration when the window is already past the old one.
// R9438-4.9.2-d
#[test]
fn undo_keeps_the_present_when_it_is_better() {
    let mut bench = Bench::new(standard(), 100, 100_000);
    bench.lose();
    bench.conn.cwnd = 120;
    let before = bench.cubic;
    assert_eq!(bench.cubic.undo_cwnd(&mut bench.conn, &bench.params), 120);
    assert_eq!(bench.cubic, before);
}

// Row P3: a timeout within a recovery, both spurious: the first reduction's snapshot counts.
#[test]
fn nested_reductions_undo_to_the_first() {
    let mut bench = Bench::new(standard(), 100, 100_000);
    bench.conn.ssthresh = bench.cubic.ssthresh(&mut bench.conn, &bench.params);
    bench.conn.ca_state = CaState::Recovery;
    bench.conn.cwnd = 70;
    bench.time_out();
    assert_eq!(bench.cubic.undo_cwnd(&mut bench.conn, &bench.params), 100);
    assert_eq!(w_max_of(&bench.cubic), 0, "no loss was known before");
}

// Rows A1 to A3: whatever the receiver's ACK ratio, the time from 0.7 P back to P is the same within 3 % and n RTTs.
#[test]
fn the_ack_ratio_does_not_change_the_curve() {
    let time_to_regain = |every| {
        let mut bench = Bench::new(standard(), 320, 200_000);
        bench.lose();
        let begin = bench.conn.now_us;
        while bench.conn.cwnd < 318 {
            bench.round(every);
        }
        (bench.conn.now_us - begin) as f64 / 1e6
    };
    let single = time_to_regain(1);
    for every in [2, 4, 10, 25] {
        let other = time_to_regain(every);
        assert!(
            (other / single - 1.0).abs() < 0.03 + 0.2 / single,
            "ACK every {every}: {other} s, not {single} s"
        );
    }
}

// Rows GV1, SM2, Q2: no fraction is lost. Over one RTT near the plateau the credit is the curve's gain ± 1 segment.
#[test]
fn fractions_of_a_segment_are_kept() {
    for w in [10, 100, 1000, 10_000] {
        let mut bench = Bench::new(CubicParams { friendliness: FRIENDLY_OFF, ..standard() }, w, 20_000);
        bench.lose();
        let k = (0.75 * f64::from(w)).cbrt();
        bench.seconds(k, 1);
        assert!(bench.conn.cwnd.abs_diff(w) <= 1 + w / 1000, "{} at K, not {w}", bench.conn.cwnd);
    }
}

// Rows Q6, GV3, X7: ten years without a loss, an ACK a minute.
#[test]
fn ten_years_without_a_loss_neither_panic_nor_shrink() {
    let mut bench = Bench::new(standard(), 1000, 100_000);
    bench.lose();
    let mut last = bench.conn.cwnd;
    for _ in 0..10 * 365 * 24 * 60 {
        bench.conn.now_us += 60_000_000;
        bench.ack(1000);
        assert!(bench.conn.cwnd >= last);
        last = bench.conn.cwnd;
    }
}

// Rows S2, N5: a clock that stands still or runs backwards.
#[test]
fn a_clock_running_backwards_reads_as_no_time() {
    let mut bench = Bench::new(standard(), 100, 100_000);
    bench.lose();
    bench.round(1);
    bench.conn.now_us -= 50_000_000;
    let before = bench.conn.cwnd;
    for _ in 0..100 {
        bench.ack(1);
    }
    assert!((before..=before + 2).contains(&bench.conn.cwnd), "{before} to {}", bench.conn.cwnd);
}

// Rows F1, K8: a transport that restarts an idle flow from a small window (RFC 5681 §4.1) finds neither W_est nor the
// credit of the large window in its first ACK.
#[test]
fn what_was_gathered_at_a_large_window_makes_no_burst_at_a_small_one() {
    for params in [standard(), V2_2] {
        let mut bench = Bench::new(params, 100, 1_000);
        bench.lose();
        for _ in 0..200 {
            bench.round(1);
        }
        bench.cubic.credit = u64::from(bench.conn.cwnd - 1) << 16;
        (bench.conn.cwnd, bench.conn.ssthresh) = (3, 3);
        for acked in [1, 2] {
            let before = bench.conn.cwnd;
            bench.ack(acked);
            assert!(bench.conn.cwnd <= before + acked, "{before} to {} for {acked}", bench.conn.cwnd);
        }
    }
}

// Ha et al. 2008, Algorithm 1: one increment per cnt + 2 counts, cnt = cwnd / (target − cwnd).
#[test]
fn the_pseudocodes_count_needs_two_more_than_cnt() {
    let mut conn = Conn::new(1448, 100);
    let mut counts = 0;
    while conn.cwnd == 100 {
        Cubic::count_increment(&mut conn, 100 << 16, 10 << 16, 1); // cnt = 10
        counts += 1;
    }
    assert_eq!(counts, 12);
    // At the target cnt is 100 · cwnd.
    let (mut conn, mut counts) = (Conn::new(1448, 100), 0);
    while conn.cwnd == 100 && counts <= 20_000 {
        Cubic::count_increment(&mut conn, 100 << 16, 0, 1);
        counts += 1;
    }
    assert_eq!(counts, 10_002);
}

// Ha et al. 2008, Algorithm 1: keeps 0.8, remembers 0.9, and at a timeout cubic_reset() leaves nothing of the curve.
#[test]
fn version_2_2_keeps_eight_tenths() {
    let mut bench = Bench::new(V2_2, 100, 100_000);
    bench.lose();
    assert_eq!(bench.conn.cwnd, 80);
    bench.seconds(1.0, 1);
    let cubic = &bench.cubic;
    assert!(cubic.origin == 100 && cubic.k_x1024 > 0 && cubic.w_est >= 80 && cubic.in_epoch == 1);
    bench.conn.cwnd = 90;
    bench.lose();
    assert_eq!(w_max_of(&bench.cubic), 81);
    bench.time_out();
    let cubic = &bench.cubic;
    assert_eq!((w_max_of(cubic), cubic.origin, cubic.k_x1024, cubic.w_est), (0, 0, 0, 0));
    assert_eq!((cubic.in_epoch, cubic.min_rtt_us), (0, 0));
}

// Ha et al. 2008, Algorithm 1: W_tcp grows by 3β/(2 − β) · ack_cnt/cwnd, an acknowledgement counting once whatever it acknowledges. β = 0.2:
// α = 1/3, so at a window of 80, which becomes 82 on the way, it takes 240 to 246 acknowledgements to a segment, of two segments each as of
// one; where segments count, half of that.
#[test]
fn version_2_2_counts_acknowledgements_as_printed() {
    let acks_to_a_segment = |counting: u32, acked: u32| {
        // C so small that the curve does not move: K = 27 s.
        let mut bench = Bench::new(CubicParams { c: 66, counting, ..V2_2 }, 100, 100_000);
        bench.lose();
        bench.conn.ssthresh = 79; // beyond slow start's last segment
        (1..1000).find(|_| {
            bench.ack(acked);
            bench.cubic.w_est == 81
        })
    };
    let (one, two) = (acks_to_a_segment(V2_2.counting, 1), acks_to_a_segment(V2_2.counting, 2));
    assert!(one == two && (Some(240)..=Some(246)).contains(&one), "{one:?}, {two:?}");
    assert!(acks_to_a_segment(crate::algorithms::COUNT_SEGMENTS, 2) <= Some(123));
}

// The same of its slow start: "cwnd ← cwnd + 1" for each acknowledgement.
#[test]
fn version_2_2_starts_by_a_segment_for_each_acknowledgement() {
    let mut bench = Bench::new(V2_2, 10, 100_000);
    bench.conn.ssthresh = 100;
    for _ in 0..10 {
        bench.ack(2);
    }
    assert_eq!(bench.conn.cwnd, 20);
}

// The range of C begins at 0.001; ten times less is refused.
#[test]
fn c_below_a_thousandth_is_refused() {
    let c = CubicParams::SPECS.iter().find(|spec| spec.name == "c").expect("a parameter");
    assert_eq!(c.parse("0.001"), Ok(66)); // 65.5 in 1/65536
    assert_eq!(c.parse("0.0001"), Err(Refused::OutOfRange));
}

// RFC 9438 §4.3: W_est grows by the segments that an ACK acknowledges, not by ACKs: 50 segments in 50 ACKs or in 5 add the same,
// α · 50 / cwnd. β = 0.7, W = 14, of which W_est takes 0.529 per window: 50 segments are 1.9 segments.
// R9438-4.3-b
#[test]
fn the_estimate_counts_segments_whatever_the_ack_ratio() {
    let grown = |every: u32| {
        let mut bench = Bench::new(CubicParams { alpha_one: 0, ..standard() }, 200, 1_000);
        bench.lose();
        for _ in 0..700 / every {
            bench.ack(every);
        }
        bench.cubic.w_est
    };
    // 700 segments at a window of 140 to 143: 5 windows, 0.529 each.
    assert_eq!((grown(1), grown(10), grown(70)), (142, 142, 142));
}
