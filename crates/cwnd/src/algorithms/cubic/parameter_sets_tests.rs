// SPDX-License-Identifier: MIT OR Apache-2.0
//! What tells the historic forms apart, hand arithmetic beside each claim.

use super::parameter_sets::*;
use super::virtual_flow::VirtualFlow;
use super::*;

fn grown_after_loss(params: CubicParams, cwnd: u32, rtt_us: u64, seconds: f64) -> u32 {
    let mut flow = VirtualFlow::new(params, cwnd, rtt_us);
    flow.lose();
    flow.seconds(seconds, 1);
    flow.conn.cwnd
}

// RFC 8312 §4.1 eq 2: K = ∛(W_max (1 − β) / C). After losses at 1000 and 900 W_max is 765 (0.85 · 900) and the window 630:
// K is ∛(765 · 0.3 / 0.4) = 8.31 s, where RFC 9438 takes ∛((765 − 630) / 0.4) = 6.96 s.
#[test]
fn rfc_8312_takes_k_from_w_max_alone() {
    let k_after = |params| {
        let mut flow = VirtualFlow::new(params, 1000, 100_000);
        flow.lose();
        flow.conn.cwnd = 900;
        flow.lose();
        flow.round(1);
        f64::from(flow.cubic.k_x1024) / 1024.0
    };
    assert!((k_after(RFC8312) - 8.31).abs() < 0.01, "{}", k_after(RFC8312));
    assert!((k_after(RFC9438) - 6.96).abs() < 0.01, "{}", k_after(RFC9438));
}

// RFC 8312 §4.6 compares with W_last_max, the window as it was: losses at 100, 80 and 70 leave 0.85 · 70 = 59. RFC 9438
// compares 70 with the 68 that fast convergence left of 80, and keeps 70.
#[test]
fn rfc_8312_compares_with_the_last_maximum_as_it_was() {
    let w_max_after = |params: CubicParams| {
        let mut flow = VirtualFlow::new(params, 100, 100_000);
        for cwnd in [100, 80, 70] {
            flow.conn.cwnd = cwnd;
            flow.lose();
        }
        flow.cubic.w_max
    };
    assert_eq!(w_max_after(RFC8312), 59); // 59.5, and 0.85 is 55 705/65 536
    assert_eq!(w_max_after(RFC9438), 70);
}

// RFC 8312 §4.2 eq 4 at RTT 10 ms, W_max = 20: after one second 14 + 0.5294 · 100 = 66.9.
#[test]
fn rfc_8312_estimates_by_the_time_since_the_loss() {
    let cwnd = grown_after_loss(RFC8312, 20, 10_000, 1.0);
    assert!((66..=67).contains(&cwnd), "{cwnd}");
}

// RFC 8312 has no limit to the target: ten seconds into an epoch the curve to 10 000 segments is far above a window that
// stood still at 70, and 70 acknowledgements double it, where RFC 9438 §4.2 allows half of it.
#[test]
fn rfc_8312_does_not_limit_the_target() {
    let grown = |params: CubicParams| {
        let mut flow = VirtualFlow::new(CubicParams { friendliness: FRIENDLY_OFF, ..params }, 100, 100_000);
        flow.lose();
        flow.cubic.w_max = 10_000;
        flow.ack(1);
        flow.conn.now_us += 10_000_000;
        flow.conn.cwnd = 70;
        flow.cubic.credit = 0;
        for _ in 0..70 {
            flow.cubic.cong_avoid(&mut flow.conn, 0, 1, &flow.params);
        }
        flow.conn.cwnd
    };
    assert_eq!(grown(RFC9438), 105);
    assert_eq!(grown(RFC8312), 140);
}

// Rhee and Xu 2005 §II.B: S_max = 160 segments/s whatever the RTT. 2 000 below a plateau the curve alone would give
// 3 · 0.4 · 17.1² = 351 in the first second.
#[test]
fn the_form_of_2005_grows_by_at_most_160_segments_a_second() {
    for rtt_us in [20_000, 100_000] {
        let grown = grown_after_loss(V2005, 10_000, rtt_us, 1.0) - 8_000;
        assert!((150..=160).contains(&grown), "RTT {rtt_us} µs: {grown}");
    }
}

// Its text reckons α = 0.5 at 0.8 kept, where the formula gives 3 · 0.2 / 1.8 = 1/3: a variant.
#[test]
fn the_form_of_2005_has_alpha_by_the_formula_or_as_given() {
    let formula = grown_after_loss(V2005, 10, 10_000, 1.0);
    let given = grown_after_loss(CubicParams { alpha: 32_768, ..V2005 }, 10, 10_000, 1.0);
    assert!((40..=41).contains(&formula), "8 + 100/3: {formula}");
    assert!((57..=58).contains(&given), "8 + 100/2: {given}");
}

#[test]
fn the_form_of_2005_has_no_fast_convergence() {
    let mut flow = VirtualFlow::new(V2005, 100, 100_000);
    flow.lose();
    flow.conn.cwnd = 80;
    flow.lose();
    assert_eq!(flow.cubic.w_max, 80);
}

// Seed 004: on a clock of 100 Hz an RTT of 0.5 ms counts as 10 ms. In a second the estimate gains 0.53 · 100 segments where
// NewReno gains 2 000, and 0.53 · 500 (of 1 ms each, rounded up to a tick) at 1000 Hz. A microsecond clock gains 0.53 · 2 000.
#[test]
fn a_coarse_clock_starves_the_formula() {
    let after_a_second = |hz: u32| {
        let mut flow = VirtualFlow::new(CubicParams { halve_first: 0, ..FREEBSD }, 20, 500);
        flow.conn.tick_hz = hz;
        flow.conn.ticks = (flow.conn.now_us * u64::from(hz) / 1_000_000) as u32;
        flow.cubic.init(&mut flow.conn, &flow.params);
        flow.lose();
        flow.seconds(1.0, 1);
        flow.conn.cwnd
    };
    // α = 3 · 77 / 435 = 0.531
    assert!((66..=68).contains(&after_a_second(100)), "14 + 53: {}", after_a_second(100));
    assert!((543..=546).contains(&after_a_second(1_000)), "14 + 531: {}", after_a_second(1_000));
    assert!((1_070..=1_080).contains(&after_a_second(10_000)), "14 + 1062: {}", after_a_second(10_000));
}

// FreeBSD 13: the first loss at 100 leaves 50 and W_max = 70; the second is as any: 0.7.
#[test]
fn freebsd_halves_at_the_first_loss() {
    let mut flow = VirtualFlow::new(FREEBSD, 100, 100_000);
    flow.lose();
    assert_eq!((flow.conn.cwnd, flow.cubic.w_max), (50, 70));
    flow.conn.cwnd = 100;
    flow.lose();
    assert_eq!(flow.conn.cwnd, 70);
}

// Review D46546: at RTT 0.5 ms and 100 Hz the window gains a segment per round trip, NewReno's rate, at once:
// 2 000 in a second, less the second's growth of RTTs that the window itself does not lengthen.
#[test]
fn the_patch_grows_as_newreno_whatever_the_clock_and_halves_ever_after() {
    let mut flow = VirtualFlow::new(FREEBSD_NEWRENO, 20, 500);
    flow.conn.tick_hz = 100;
    flow.cubic.init(&mut flow.conn, &flow.params);
    flow.lose();
    assert_eq!(flow.conn.cwnd, 14);
    // The plateau, 6 segments above, is K = 2.47 s away: until then it is CUBIC's window.
    flow.seconds(2.6, 1);
    let before = flow.conn.cwnd;
    for _ in 0..20 {
        flow.round(1);
    }
    assert_eq!(flow.conn.cwnd - before, 20);
    assert_eq!(flow.cubic.in_newreno, 1);
    flow.lose();
    let halved = flow.conn.cwnd;
    assert_eq!(halved, (before + 20) / 2);
    flow.conn.cwnd = 1000;
    flow.lose();
    assert_eq!(flow.conn.cwnd, 500, "nothing clears the flag");
    flow.params.newreno_for_good = 0;
    flow.lose();
    flow.conn.cwnd = 1000;
    flow.lose();
    assert_eq!(flow.conn.cwnd, 699, "179/256 of 1000");
}
