// SPDX-License-Identifier: MIT OR Apache-2.0
//! How the window grows: RFC 9438 §4.2 to §4.5 and §4.10.

use super::*;
use crate::algorithms::cubic::curve::w_cubic_x64k;
use crate::algorithms::cubic::virtual_flow::VirtualFlow;

/// RFC 9438 §4.2: the window follows C(t − K)³ + W_max. From W_max = 1000, K = 9.0856 s, at each s = t/K.
fn follows_the_curve(parts: [f64; 2]) {
    let mut flow = VirtualFlow::new(CubicParams { friendliness: FRIENDLY_OFF, ..standard() }, 1000, 100_000);
    flow.lose();
    let (begin, k) = (flow.conn.now_us, 9.0856);
    for s in parts {
        while (flow.conn.now_us - begin) as f64 / 1e6 < s * k {
            flow.round(1);
        }
        // The epoch begins with the first ACK, and the window arrives where the curve is one RTT ahead.
        let d = (flow.conn.now_us - begin) as f64 / 1e6 - k;
        let (curve, lag) = (1000.0 + 0.4 * d.powi(3), 3.0 * 0.4 * d.powi(2) * 0.1);
        assert!(
            (f64::from(flow.conn.cwnd) - curve).abs() <= 1.0 + lag,
            "s = {s}: {} beside {curve}",
            flow.conn.cwnd
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
        let mut flow = VirtualFlow::new(CubicParams { friendliness: FRIENDLY_OFF, ..standard() }, w, 100_000);
        flow.lose();
        flow.conn.cwnd = w * 9 / 10;
        flow.lose();
        let begin = flow.conn.cwnd;
        flow.round(1);
        flow.round(1);
        assert!(flow.conn.cwnd > begin, "W = {w}");
        let w0 = w_cubic_x64k(flow.cubic.origin, flow.params.c, flow.cubic.k_x1024, 0) >> 16;
        assert!(w0.abs_diff(u64::from(begin)) <= 1, "the curve begins at {w0}, the window at {begin}");
    }
}

// RFC 9438 §4.3 SHOULD: in the Reno-friendly region the window is W_est, growing α = 0.529 per RTT.
// RTT 10 ms, W_max = 20: 0.529 · 50 RTTs = 26.5 segments; the curve at 0.5 s has gained 14 − 0.4·(2.47 − 0.5)³ …
// R9438-4.3-a
#[test]
fn at_short_round_trips_the_window_is_renos_estimate() {
    let mut flow = VirtualFlow::new(CubicParams { alpha_one: 0, ..standard() }, 20, 10_000);
    flow.lose();
    assert_eq!(flow.conn.cwnd, 14);
    for _ in 0..50 {
        flow.round(1);
    }
    let expected = 14.0 + 50.0 * 3.0 * 0.3 / 1.7; // 40.5
    assert!((f64::from(flow.conn.cwnd) - expected).abs() <= 1.5, "{}", flow.conn.cwnd);
}

// RFC 9438 §4.3 SHOULD: the window is W_est, not more, whatever an acknowledgement brings.
#[test]
fn large_acknowledgements_do_not_lift_the_window_above_the_estimate() {
    let mut flow = VirtualFlow::new(standard(), 100, 1_000);
    flow.lose();
    for _ in 0..100 {
        flow.round(10);
        assert_eq!(flow.conn.cwnd, flow.cubic.w_est);
    }
}

// RFC 9438 §4.3 SHOULD: α = 1 once W_est reaches cwnd_prior. Row RF1: also after fast convergence it is the
// window before the loss (18), not W_max (15.3), that counts.
// R9438-4.3-c
#[test]
fn alpha_becomes_one_at_the_window_before_the_reduction() {
    let mut flow = VirtualFlow::new(standard(), 20, 1_000);
    flow.lose();
    flow.conn.cwnd = 18;
    flow.lose();
    assert_eq!((w_max_of(&flow.cubic), flow.conn.cwnd), (15, 13));
    let mut rounds_to = |target: u32| {
        let mut rounds = 0.0;
        while flow.conn.cwnd < target {
            flow.round(1);
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
    let mut flow = VirtualFlow::new(standard(), 10, 100_000);
    flow.lose();
    flow.round(1);
    flow.conn.now_us += 60_000_000; // the curve is 86 000 segments up
    flow.cubic.last_ack = flow.conn.now_us32();
    let before = flow.conn.cwnd;
    flow.round(1);
    assert!(flow.conn.cwnd <= before + before / 2 + 1, "{before} to {}", flow.conn.cwnd);
    assert!(flow.conn.cwnd > before);
}

// RFC 9438 §4.2 MUST NOT: time in which the application limits the flow is not part of t. Rows L1, F1, S1.
#[test]
fn application_limited_time_does_not_move_the_curve() {
    let mut flow = VirtualFlow::new(standard(), 1000, 100_000);
    flow.lose();
    flow.seconds(3.0, 1);
    let (before, age) = (flow.conn.cwnd, flow.cubic.t_us(&flow.conn, &flow.params));
    flow.conn.is_cwnd_limited = false;
    for _ in 0..1000 {
        flow.conn.now_us += 10_000;
        flow.ack(1);
    }
    assert_eq!(flow.conn.cwnd, before);
    assert_eq!(flow.cubic.t_us(&flow.conn, &flow.params), age, "10 s of pause are not part of t");
    flow.conn.is_cwnd_limited = true;
    let gain = flow.conn.cwnd;
    flow.round(1);
    assert!(flow.conn.cwnd - gain <= before / 50, "no jump: {gain} to {}", flow.conn.cwnd);
}

// Row K1: at two segments nothing is in flight once per RTT, which is no idleness.
#[test]
fn two_segments_without_loss_grow() {
    let mut flow = VirtualFlow::new(standard(), 2, 10_000);
    flow.lose();
    flow.conn.cwnd = 2;
    for _ in 0..8 {
        flow.cubic.cwnd_event(&mut flow.conn, CaEvent::TxStart, &flow.params);
        flow.round(2);
    }
    assert!(flow.conn.cwnd >= 3);
}

// RFC 9438 §4.10: leaving slow start without a loss sets cwnd_prior = W_max = cwnd, K = 0. Rows S3, M4: growth from
// there is convex: +0.4 · 5³ = 50 segments after 5 s (plus what W(t + RTT) is ahead).
#[test]
fn a_lossless_exit_from_slow_start_grows_convexly_from_there() {
    let mut flow = VirtualFlow::new(CubicParams { friendliness: FRIENDLY_OFF, ..standard() }, 100, 100_000);
    flow.seconds(5.0, 1);
    assert_eq!((flow.cubic.cwnd_prior, flow.cubic.k_x1024, flow.cubic.origin), (100, 0, 100));
    assert!((149..=154).contains(&flow.conn.cwnd), "{}", flow.conn.cwnd);
}

// RFC 9438 §4.10 MUST: slow start while cwnd <= ssthresh, and it stops exactly there (row M2).
// R9438-4.10-a
#[test]
fn slow_start_stops_at_ssthresh() {
    let mut flow = VirtualFlow::new(standard(), 10, 100_000);
    flow.conn.ssthresh = 50;
    flow.conn.cwnd = 49;
    flow.ack(40);
    assert_eq!(flow.conn.cwnd, 50, "slow start takes one segment of the ACK for the last step");
    assert_eq!(flow.cubic.in_epoch, 1, "the other 39 segments are congestion avoidance");
}

// Rows A1 to A3: whatever the receiver's ACK ratio, the time from 0.7 P back to P is the same within 3 % and n RTTs.
#[test]
fn the_ack_ratio_does_not_change_the_curve() {
    let time_to_regain = |every| {
        let mut flow = VirtualFlow::new(standard(), 320, 200_000);
        flow.lose();
        let begin = flow.conn.now_us;
        while flow.conn.cwnd < 318 {
            flow.round(every);
        }
        (flow.conn.now_us - begin) as f64 / 1e6
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
        let mut flow = VirtualFlow::new(CubicParams { friendliness: FRIENDLY_OFF, ..standard() }, w, 20_000);
        flow.lose();
        let k = (0.75 * f64::from(w)).cbrt();
        flow.seconds(k, 1);
        assert!(flow.conn.cwnd.abs_diff(w) <= 1 + w / 1000, "{} at K, not {w}", flow.conn.cwnd);
    }
}

// Rows Q6, GV3, X7: ten years without a loss, an ACK a minute.
#[test]
fn ten_years_without_a_loss_neither_panic_nor_shrink() {
    let mut flow = VirtualFlow::new(standard(), 1000, 100_000);
    flow.lose();
    let mut last = flow.conn.cwnd;
    for _ in 0..10 * 365 * 24 * 60 {
        flow.conn.now_us += 60_000_000;
        flow.ack(1000);
        assert!(flow.conn.cwnd >= last);
        last = flow.conn.cwnd;
    }
}

// Rows S2, N5: a clock that stands still or runs backwards.
#[test]
fn a_clock_running_backwards_reads_as_no_time() {
    let mut flow = VirtualFlow::new(standard(), 100, 100_000);
    flow.lose();
    flow.round(1);
    flow.conn.now_us -= 50_000_000;
    let before = flow.conn.cwnd;
    for _ in 0..100 {
        flow.ack(1);
    }
    assert!((before..=before + 2).contains(&flow.conn.cwnd), "{before} to {}", flow.conn.cwnd);
}

// Rows F1, K8: a transport that restarts an idle flow from a small window (RFC 5681 §4.1) finds neither W_est nor the
// credit of the large window in its first ACK.
#[test]
fn what_was_gathered_at_a_large_window_makes_no_burst_at_a_small_one() {
    for params in [standard(), V2_2] {
        let mut flow = VirtualFlow::new(params, 100, 1_000);
        flow.lose();
        for _ in 0..200 {
            flow.round(1);
        }
        flow.cubic.credit = u64::from(flow.conn.cwnd - 1) << 16;
        (flow.conn.cwnd, flow.conn.ssthresh) = (3, 3);
        for acked in [1, 2] {
            let before = flow.conn.cwnd;
            flow.ack(acked);
            assert!(flow.conn.cwnd <= before + acked, "{before} to {} for {acked}", flow.conn.cwnd);
        }
    }
}

// RFC 9438 §4.3: W_est grows by the segments that an ACK acknowledges, not by ACKs: 50 segments in 50 ACKs or in 5 add the same,
// α · 50 / cwnd. β = 0.7, W = 14, of which W_est takes 0.529 per window: 50 segments are 1.9 segments.
// R9438-4.3-b
#[test]
fn the_estimate_counts_segments_whatever_the_ack_ratio() {
    let grown = |every: u32| {
        let mut flow = VirtualFlow::new(CubicParams { alpha_one: 0, ..standard() }, 200, 1_000);
        flow.lose();
        for _ in 0..700 / every {
            flow.ack(every);
        }
        flow.cubic.w_est
    };
    // 700 segments at a window of 140 to 143: 5 windows, 0.529 each.
    assert_eq!((grown(1), grown(10), grown(70)), (142, 142, 142));
}
