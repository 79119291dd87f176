// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a loss, a timeout and an undo leave: RFC 9438 §4.6 to §4.9.

use super::*;
use crate::algorithms::FROM_CWND;
use crate::algorithms::cubic::virtual_flow::VirtualFlow;

// RFC 9438 §4.6 SHOULD: beta_cubic = 0.7.
// R9438-4.6-b
#[test]
fn seven_tenths_are_kept_by_default() {
    let cubic = Controller::by_name("cubic").expect("registered");
    assert_eq!(cubic.param(0), 45_875); // 0.7 × 65 536 = 45 875.2
}

// RFC 9438 §4.6: ssthresh = flight · 0.7, whole segments, at least 2; W_max from the window before.
#[test]
fn a_loss_keeps_seven_tenths_of_the_flight() {
    for (cwnd, flight, expected) in
        [(100, 100, 70), (100, 50, 35), (100, 103, 70), (3, 3, 2), (2, 2, 2), (1, 1, 2)]
    {
        let mut flow = VirtualFlow::new(standard(), cwnd, 100_000);
        flow.conn.packets_out = flight;
        assert_eq!(
            flow.cubic.ssthresh(&mut flow.conn, &flow.params),
            expected,
            "cwnd {cwnd}, flight {flight}"
        );
        assert_eq!(w_max_of(&flow.cubic), cwnd);
        assert_eq!(flow.cubic.cwnd_prior, cwnd);
    }
}

// RFC 9438 §4.6 MUST (REQUIRED of QUIC): where the window is reduced instead of the flight, it does not grow beyond what
// is in flight: a flow whose application sends a tenth of it keeps it where it was.
// R9438-4.6-c
#[test]
fn a_window_that_is_not_used_does_not_grow() {
    for params in [standard(), CubicParams { reduce_from: FROM_CWND, ..standard() }] {
        let mut flow = VirtualFlow::new(params, 100, 100_000);
        flow.lose();
        let before = flow.conn.cwnd;
        flow.conn.is_cwnd_limited = false;
        flow.conn.max_packets_out = before / 10;
        flow.seconds(60.0, 1);
        assert_eq!(flow.conn.cwnd, before);
    }
}

// RFC 9438 §4.7 SHOULD: fast convergence. W_max = cwnd · (1 + 0.7) / 2 below the last W_max. Rows RF3, K7:
// losses at 100 and 80 give 68 (not 0.85 · 100), a loss at half of 100 gives 42.5.
// R9438-4.7-a
#[test]
fn fast_convergence_remembers_less_when_a_loss_comes_early() {
    let mut flow = VirtualFlow::new(standard(), 100, 100_000);
    flow.lose();
    flow.conn.cwnd = 80;
    flow.lose();
    assert_eq!(w_max_of(&flow.cubic), 68);
    assert_eq!(flow.conn.ssthresh, 56, "Q3: the reduction itself stays 0.7 of the window");
    flow.conn.cwnd = 68;
    flow.lose();
    assert_eq!(w_max_of(&flow.cubic), 68, "equal is not below");
    flow.conn.cwnd = 50;
    flow.lose();
    assert_eq!(w_max_of(&flow.cubic), 42); // 42.5 less the rounding of 0.85 to 55 705/65 536
}

// RFC 9438 §4.7 SHOULD: can be disabled, for a single flow without other traffic.
// R9438-4.7-b
#[test]
fn fast_convergence_can_be_disabled() {
    let mut flow = VirtualFlow::new(CubicParams { fast_convergence: 0, ..standard() }, 100, 100_000);
    flow.lose();
    flow.conn.cwnd = 80;
    flow.lose();
    assert_eq!(w_max_of(&flow.cubic), 80);
}

// RFC 9438 §4.8 SHOULD: after a timeout W_est = cwnd at the start of congestion avoidance, K = 0, W_max = cwnd.
// R9438-4.8-a
#[test]
fn after_a_timeout_the_curve_starts_at_its_plateau() {
    let mut flow = VirtualFlow::new(standard(), 100, 100_000);
    flow.time_out();
    assert_eq!(flow.conn.ssthresh, 70);
    while flow.conn.cwnd < 70 {
        flow.round(1);
    }
    flow.conn.ca_state = CaState::Open;
    flow.round(1);
    assert_eq!((flow.cubic.k_x1024, flow.cubic.in_epoch), (0, 1));
    assert_eq!((flow.cubic.origin, flow.cubic.w_est), (70, 70));
}

// RFC 9438 §4.9.2 MAY: what a reduction takes is kept before it. 4 s after a loss at 1000 the curve has W_max 1000, its plateau,
// K = 9.09 s and W_est above 700.
// R9438-4.9.2-b
#[test]
fn a_reduction_keeps_what_it_takes() {
    let mut flow = VirtualFlow::new(standard(), 1000, 100_000);
    flow.lose();
    flow.seconds(4.0, 1);
    let (before, cwnd) = (flow.cubic, flow.conn.cwnd);
    assert!(before.w_max == 1000 && before.w_est > 700 && cwnd > 900, "{before:?}");
    flow.cubic.ssthresh(&mut flow.conn, &flow.params);
    let kept = flow.cubic.undo;
    assert_eq!(
        (kept.cwnd, kept.cwnd_prior, kept.w_max, kept.origin, kept.k_x1024, kept.w_est),
        (cwnd, before.cwnd_prior, 1000, 1000, before.k_x1024, before.w_est)
    );
}

// RFC 9438 §4.9.2 MAY: a spurious reduction is taken back, all of it. Rows L5, RF5.
// R9438-4.9.2-c
#[test]
fn undo_restores_the_curve_and_the_window() {
    let mut flow = VirtualFlow::new(standard(), 1000, 100_000);
    flow.lose();
    flow.seconds(4.0, 1);
    let before = flow.cubic;
    let cwnd = flow.conn.cwnd;
    flow.lose();
    assert_eq!(flow.cubic.undo_cwnd(&mut flow.conn, &flow.params), cwnd);
    let after = flow.cubic;
    assert_eq!(
        (after.w_max, after.cwnd_prior, after.k_x1024, after.t, after.w_est, after.origin, after.in_epoch),
        (before.w_max, before.cwnd_prior, before.k_x1024, before.t, before.w_est, before.origin, 1)
    );
}

// RFC 9438 §4.9.2 SHOULD: no restoration when the window is already past the old one.
// R9438-4.9.2-d
#[test]
fn undo_keeps_the_present_when_it_is_better() {
    let mut flow = VirtualFlow::new(standard(), 100, 100_000);
    flow.lose();
    flow.conn.cwnd = 120;
    let before = flow.cubic;
    assert_eq!(flow.cubic.undo_cwnd(&mut flow.conn, &flow.params), 120);
    assert_eq!(flow.cubic, before);
}

// Row P3: a timeout within a recovery, both spurious: the first reduction's snapshot counts.
#[test]
fn nested_reductions_undo_to_the_first() {
    let mut flow = VirtualFlow::new(standard(), 100, 100_000);
    flow.conn.prior_cwnd = 100;
    flow.conn.ssthresh = flow.cubic.ssthresh(&mut flow.conn, &flow.params);
    flow.conn.ca_state = CaState::Recovery;
    flow.conn.cwnd = 70;
    flow.time_out();
    assert_eq!(flow.cubic.undo_cwnd(&mut flow.conn, &flow.params), 100);
    assert_eq!(w_max_of(&flow.cubic), 0, "no loss was known before");
}

// A timeout in the repair after a timeout is another epoch: its proof gives back what was there before it: 20 segments, and as the window
// before the last reduction the first one's 100.
// Row DR15.
#[test]
fn a_reduction_in_the_repair_after_a_timeout_is_undone_alone() {
    let mut flow = VirtualFlow::new(standard(), 100, 100_000);
    flow.time_out();
    flow.conn.cwnd = 20;
    flow.time_out();
    assert_eq!(flow.cubic.cwnd_prior, 20);
    assert_eq!(flow.cubic.undo_cwnd(&mut flow.conn, &flow.params), 20);
    assert_eq!(flow.cubic.cwnd_prior, 100);
}
