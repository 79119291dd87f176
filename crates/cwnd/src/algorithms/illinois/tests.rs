// SPDX-License-Identifier: MIT OR Apache-2.0
//! What Illinois does, with the arithmetic beside each claim.

use super::*;

/// State after a round of this mean delay, when the largest ever was 10 ms and the base RTT is 40 ms.
fn after_round(delay_us: u32, params: &IllinoisParams) -> (Illinois, Conn) {
    let mut illinois = Illinois::default();
    let mut conn = Conn { is_cwnd_limited: true, ssthresh: 20, ..Conn::new(1448, 100) };
    illinois.init(&mut conn, params);
    illinois.base_rtt_us = 40_000;
    illinois.max_rtt_us = 50_000;
    round(&mut illinois, &mut conn, delay_us, params);
    (illinois, conn)
}

fn round(illinois: &mut Illinois, conn: &mut Conn, delay_us: u32, params: &IllinoisParams) {
    let rtt_us = i32::try_from(40_000 + delay_us).expect("small");
    illinois.pkts_acked(conn, &AckSample::new(1, rtt_us, 1), params);
    conn.snd_nxt = conn.snd_nxt.wrapping_add(100 * 1448);
    illinois.cong_avoid(conn, illinois.round_end_seq.wrapping_add(1), 1, params);
}

// Liu et al. 2008 §3. d_m = 10 ms: d_1 = 0.1 ms, κ-curve α = 9.9 · 10 / (9.9 + (d − 0.1) · 9.7/0.3).
// d = 5 ms: 99 / (9.9 + 158.43) = 0.588. In the kernel's integers 4900 · 1242/38 = 160 152, and
// 9900 · 1280 / (9900 + 160 152) = 74 (of 128: 0.578).
#[test]
fn growth_falls_from_ten_segments_to_three_tenths_as_delay_rises() {
    let alpha = |delay_us| after_round(delay_us, &PAPER).0.alpha;
    assert_eq!(alpha(100), 10 * ONE_X64K);
    assert!(alpha(101).abs_diff(10 * ONE_X64K) < ONE_X64K / 25);
    assert!(alpha(5000).abs_diff(38_546) <= 10, "{}", alpha(5000)); // 99 / 168.333 · 65 536 = 38 543
    assert!(alpha(10_000).abs_diff(19_661) <= 2);
    assert_eq!(after_round(5000, &LINUX).0.alpha, 74);
}

// d_2 = 1 ms, d_3 = 8 ms, between them 1/8 + 3/8 · (d − 1)/7: 5/16 at 4.5 ms.
#[test]
fn what_a_loss_costs_rises_from_an_eighth_to_a_half_as_delay_rises() {
    for (delay_us, kept) in [(0, 88), (1000, 88), (4500, 69), (8000, 50), (10_000, 50)] {
        let (mut illinois, mut conn) = after_round(delay_us, &PAPER);
        conn.cwnd = 100;
        assert_eq!(illinois.ssthresh(&mut conn, &PAPER), kept, "{delay_us} µs"); // 87.5 and 68.75, to nearest
    }
    let (mut illinois, mut conn) = after_round(4500, &LINUX);
    conn.cwnd = 100;
    assert_eq!(illinois.beta, 20); // of 64: (8 · 3500 + 32 · 3500) / 7000
    assert_eq!(illinois.ssthresh(&mut conn, &LINUX), 69); // 100 − ⌊31.25⌋
}

// Row of Linux 2.6.22.6: ⌊100 · 8/64⌋ = 12 are left at low delay, where 88 should be.
#[test]
fn an_early_kernel_kept_what_it_should_have_given() {
    let params = IllinoisParams { beta_is: KEPT, ..LINUX };
    let (mut illinois, mut conn) = after_round(0, &params);
    conn.cwnd = 100;
    assert_eq!(illinois.ssthresh(&mut conn, &params), 12);
    assert_eq!(illinois.ssthresh(&mut conn, &LINUX), 88);
}

#[test]
fn after_high_delay_five_low_rounds_bring_the_fast_growth_back() {
    let (mut illinois, mut conn) = after_round(9000, &PAPER);
    let high = illinois.alpha;
    for low in 1..=5 {
        round(&mut illinois, &mut conn, 0, &PAPER);
        assert_eq!(illinois.alpha == 10 * ONE_X64K, low == 5, "round {low}");
        assert!(low == 5 || illinois.alpha == high);
    }
}

#[test]
fn below_fifteen_segments_it_is_standard_tcp() {
    let (mut illinois, mut conn) = after_round(0, &PAPER);
    (conn.cwnd, conn.ssthresh, conn.cwnd_cnt) = (14, 2, 0);
    for _ in 0..14 {
        illinois.cong_avoid(&mut conn, 0, 1, &PAPER);
    }
    assert!(conn.cwnd == 14 && conn.cwnd_cnt > u32::MAX - 100, "{conn:?}"); // 14 · ⌊2³²/14⌋ is 2³² − 4
    assert_eq!(illinois.ssthresh(&mut conn, &PAPER), 7);
}

// The kernel's α of a larger window lasts to the round's end: at 2 segments a stretch ACK of 4 grows it by 20.
#[test]
fn the_kernels_form_may_grow_by_more_than_was_acknowledged() {
    let (mut illinois, mut conn) = after_round(0, &LINUX);
    (conn.cwnd, conn.ssthresh, conn.cwnd_cnt) = (2, 2, 0);
    illinois.acked = 4;
    illinois.cong_avoid(&mut conn, 0, 4, &LINUX);
    assert_eq!(conn.cwnd, 22); // 4 · 10 / 2
}
