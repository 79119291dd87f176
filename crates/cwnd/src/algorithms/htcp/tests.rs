// SPDX-License-Identifier: MIT OR Apache-2.0
//! H-TCP's worked numbers.

use super::parameter_sets::PAPER;
use super::*;

const KERNEL: HtcpParams =
    HtcpParams { rtt_reference_ms: 100, rtt_floor_ms: 10, rtt_step_ms: 20, arithmetic: LINUX, ..PAPER };

fn at(seconds: u32) -> Conn {
    let (now_us, ticks) = (u64::from(seconds) * 1_000_000, seconds * 250);
    Conn { now_us, ticks, tick_hz: 250, is_cwnd_limited: true, ssthresh: 2, ..Conn::new(1448, 100) }
}

/// α of `params` so many seconds after a loss, in segments per round trip times 1024, with this β and RTTmin.
fn alpha_x1024(seconds: u32, beta_x1024: u32, min_rtt_ms: u32, params: &HtcpParams) -> u32 {
    let (scale, hz) = (1_024 / parts(params), hz(&at(0), params));
    let min_rtt = in_units(min_rtt_ms, 1_000, hz);
    let mut htcp = Htcp { beta: beta_x1024 / scale, min_rtt, ..Htcp::default() };
    htcp.update_alpha(&at(seconds), params);
    htcp.alpha * scale
}

// Leith and Shorten 2004, with β = 0.5, so 2 (1 − β) = 1: α(1) = 1; α(2) = 1 + 10 + (1/2)² = 11.25; α(5) = 1 + 40 + 2²
// = 45; α(10) = 1 + 90 + 4.5² = 111.25.
#[test]
fn alpha_is_one_for_a_second_and_then_rises_with_the_time() {
    for (seconds, expected) in [(0, 1.0), (1, 1.0), (2, 11.25), (5, 45.0), (10, 111.25)] {
        let alpha = alpha_x1024(seconds, 512, 40, &PAPER);
        assert_eq!(alpha, (expected * 1024.0) as u32, "{seconds} s");
    }
    // The kernel at 250 ticks a second: Δ = 2 s is 250 ticks beyond, 1 + (2500 + 125²/250)/250 = 1 + 2562/250 = 11.
    let unscaled = HtcpParams { rtt_reference_ms: 0, ..KERNEL };
    for (seconds, expected) in [(1, 1), (2, 11), (5, 45), (10, 111)] {
        assert_eq!(alpha_x1024(seconds, 512, 40, &unscaled), expected << 10, "{seconds} s");
    }
}

// 2 (1 − β): 0.4 at β = 0.8 (410/1024 with 1024 − 819 = 205), 2/3 at 2/3.
#[test]
fn alpha_shrinks_with_what_a_loss_keeps() {
    assert_eq!(alpha_x1024(0, 819, 40, &PAPER), 410);
    assert_eq!(alpha_x1024(5, 819, 40, &PAPER), 45 * 410);
    assert_eq!(alpha_x1024(0, 682, 40, &PAPER), 684);
}

// 100 ms / RTTmin: 45 · 40/100 = 18; between 1/10 and 2 times: 45 · 2 at 400 ms, 45/10 = 4.5, whole 4, at 4 ms.
#[test]
fn the_kernel_scales_alpha_by_the_rtt() {
    assert_eq!(alpha_x1024(5, 512, 40, &KERNEL), 18 << 10);
    assert_eq!(alpha_x1024(5, 512, 400, &KERNEL), 90 << 10);
    assert_eq!(alpha_x1024(5, 512, 4, &KERNEL), 4 << 10);
}

/// β after two losses at the same throughput, in 1/1024.
fn beta_x1024(min_rtt_ms: u32, max_rtt_ms: u32, params: &HtcpParams) -> u32 {
    let hz = hz(&at(0), params);
    let (min_rtt, max_rtt) = (in_units(min_rtt_ms, 1_000, hz), in_units(max_rtt_ms, 1_000, hz));
    let mut htcp = Htcp { min_rtt, max_rtt, max_throughput: 100, old_max_throughput: 100, ..Htcp::default() };
    htcp.update_beta(&at(0), params);
    htcp.update_beta(&at(0), params);
    htcp.beta * (1_024 / parts(params))
}

// Leith and Shorten 2004: RTTmin/RTTmax in [0.5, 0.8]. 40/60 = 0.667 = 682/1024, 85/128; 40/100 and 40/44 lie outside.
#[test]
fn a_loss_keeps_the_ratio_of_the_rtts_between_a_half_and_four_fifths() {
    let kept = |params: &HtcpParams| [60, 100, 44].map(|max| beta_x1024(40, max, params));
    assert_eq!(kept(&PAPER), [682, 512, 819]);
    assert_eq!(kept(&KERNEL), [85 * 8, 512, 102 * 8]);
    assert_eq!(beta_x1024(8, 10, &KERNEL), 512, "not up to 10 ms");
}

// A change of more than a fifth: 100 to 121 or 79, not 120 or 80.
#[test]
fn a_change_of_throughput_makes_a_loss_halve_the_window() {
    for (throughput, beta) in [(79, 512), (80, 819), (100, 819), (120, 819), (121, 512)] {
        let mut htcp = Htcp { min_rtt: 40_000, max_rtt: 44_000, ..Htcp::default() };
        (htcp.max_throughput, htcp.old_max_throughput) = (throughput, 100);
        htcp.update_beta(&at(0), &PAPER);
        assert_eq!(htcp.beta, beta, "{throughput}");
    }
}

// dw = α/w per segment: √(100² + 2 · 100 α) after 100 of them; α = 11.25: 110.7; α = 45: 137.8.
#[test]
fn a_round_trip_is_worth_alpha_segments() {
    for (seconds, grown) in [(0, 1), (1, 1), (2, 10), (5, 37)] {
        let (mut htcp, mut conn) = (Htcp::default(), at(0));
        htcp.init(&mut conn, &PAPER);
        conn = at(seconds);
        for _ in 0..100 {
            htcp.cong_avoid(&mut conn, 0, 1, &PAPER);
        }
        assert_eq!(conn.cwnd, 100 + grown, "{seconds} s");
    }
}

// Two seconds of traffic and an hour of silence: α is that of two seconds, 11.25.
#[test]
fn time_without_traffic_does_not_count() {
    let (mut htcp, mut conn) = (Htcp::default(), at(0));
    htcp.init(&mut conn, &PAPER);
    htcp.cong_avoid(&mut at(2), 0, 1, &PAPER);
    htcp.cwnd_event(&mut at(3_602), CaEvent::TxStart, &PAPER);
    htcp.cong_avoid(&mut at(3_602), 0, 1, &PAPER);
    assert_eq!(htcp.alpha, 11_520);
}

// The state that undo returns to is the one before the loss; the end of the repair closes it.
#[test]
fn an_undone_loss_does_not_count() {
    let (mut htcp, mut conn) = (Htcp::default(), at(10));
    htcp.init(&mut conn, &PAPER);
    let mut conn = Conn { prior_cwnd: 100, ..at(15) };
    htcp.ssthresh(&mut conn, &PAPER);
    htcp.set_state(&mut conn, CaState::Recovery, &PAPER);
    assert_eq!(htcp.last_congestion, 15_000_000);
    conn.cwnd = 50;
    assert_eq!(htcp.undo_cwnd(&mut conn, &PAPER), 100);
    assert_eq!(htcp.last_congestion, 10_000_000);
    htcp.set_state(&mut conn, CaState::Open, &PAPER);
    assert_eq!(htcp.last_congestion, 10_000_000);
}
