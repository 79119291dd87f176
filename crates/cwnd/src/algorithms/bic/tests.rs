// SPDX-License-Identifier: MIT OR Apache-2.0
//! What BIC does, with the arithmetic beside each claim.

use super::*;

fn search(cwnd: u32, last_max: u32) -> u32 {
    Bic { last_max, ..Bic::default() }.search(cwnd, &LINUX)
}

// Far below the maximum 16 segments per round trip, near it a quarter of the distance, at it 1/5 of a segment, and
// the mirror image beyond: (cwnd − W_max)/3, then 16 again. Growth per round trip is cwnd / count.
#[test]
fn the_search_is_linear_then_logarithmic_then_the_mirror_image() {
    assert_eq!(search(1600, 2000), 1600 / 16); // a quarter of 400 is more than 16
    assert_eq!(search(1960, 2000), 1960 / 10);
    assert_eq!(search(1998, 2000), 1998 * 5);
    assert_eq!(search(2003, 2000), 2003 * 5);
    assert_eq!(search(2030, 2000), 2030 * 3 / 30); // ten segments per round trip
    assert_eq!(search(2048, 2000), 2048 / 16);
    assert_eq!(search(14, 2000), 14, "standard TCP up to 14 segments");
}

// 1600 of 2000: 16 segments per round trip, a count of 100. Two segments to an acknowledgement make it 50, and 800 acknowledgements are a
// round trip: 16 segments. Where segments count all the same, that is 32.
#[test]
fn the_ack_ratio_makes_up_for_delayed_acks_where_acknowledgements_count() {
    let grown = |counting: u32| {
        let params = BicParams { counting, ..LINUX };
        let mut bic = Bic { last_max: 2000, ack_ratio_x16: 32, ..Bic::default() };
        let mut conn = Conn { is_cwnd_limited: true, ssthresh: 1000, ..Conn::new(1448, 1600) };
        for _ in 0..800 {
            bic.cong_avoid(&mut conn, 0, 2, &params);
        }
        conn.cwnd - 1600
    };
    assert!((15..=16).contains(&grown(COUNT_ACKS)), "{}", grown(COUNT_ACKS));
    assert!((31..=32).contains(&grown(COUNT_SEGMENTS)), "{}", grown(COUNT_SEGMENTS));
}

// Up to 14 segments nothing makes up for them, nor in slow start: half a segment per round trip, and 1.5 times, as standard TCP counts.
#[test]
fn where_acknowledgements_count_a_small_window_grows_as_standard_tcps() {
    let params = BicParams { counting: COUNT_ACKS, ..LINUX };
    let after = |cwnd: u32, ssthresh: u32, acks: u32| {
        let mut bic = Bic { last_max: 20, ack_ratio_x16: 32, ..Bic::default() };
        let mut conn = Conn { is_cwnd_limited: true, ssthresh, ..Conn::new(1448, cwnd) };
        for _ in 0..acks {
            bic.cong_avoid(&mut conn, 0, 2, &params);
        }
        conn.cwnd
    };
    assert_eq!((after(10, 5, 9), after(10, 5, 10)), (10, 11));
    assert_eq!(after(10, 100, 5), 15);
}

#[test]
fn fast_convergence_remembers_nine_tenths() {
    let (mut bic, mut conn) = (Bic::default(), Conn::new(1448, 1000));
    assert_eq!(bic.ssthresh(&mut conn, &LINUX), 799); // 1000 · 819/1024
    conn.cwnd = 900;
    bic.ssthresh(&mut conn, &LINUX);
    assert_eq!(bic.last_max, 809); // 900 · 1843/2048
}

/// Growth of a round trip of `bic-2004` at `window`, in segments.
fn step(window: f64, last_max: u32) -> f64 {
    let one = f64::from(1 << 24);
    step_x16m((window * one) as u64, u64::from(last_max) << 24, &PAPER) as f64 / one
}

// Xu et al. 2004 §III: the midpoint, but no further than 32; below 0.01 the maximum; then 1, 2, 4, … beyond it.
#[test]
fn the_papers_search_goes_to_the_midpoint() {
    assert!((step(875.0, 1000) - 32.0).abs() < 1e-6); // 62.5 is too far
    assert!((step(939.0, 1000) - 30.5).abs() < 1e-6);
    assert!((step(999.5, 1000) - 0.25).abs() < 1e-6);
    assert!((step(999.984, 1000) - 0.016).abs() < 1e-6); // half of it is less than 0.01
    let beyond = [(1000.0, 1.0), (1001.0, 1.0), (1002.0, 2.0), (1004.0, 4.0), (1032.0, 32.0), (1064.0, 32.0)];
    for (window, expected) in beyond {
        assert!((step(window, 1000) - expected).abs() < 1e-6, "{window}");
    }
    assert!((step(500.0, 0) - 32.0).abs() < 1e-6, "before any loss");
}

// By hand: a loss at 1000 leaves 875; then round trip by round trip 907, 939, 969.5 (the midpoint of 939 and 1000), 984.75,
// 992.375, … half the distance each, 1000 once the half is below 0.01 (thirteen halvings: 61/2¹³ = 0.0074), 1001, 1002, 1004.
#[test]
fn the_papers_window_returns_in_halves_and_probes_in_doubles() {
    let mut bic = Bic::default();
    let mut conn = Conn { is_cwnd_limited: true, ..Conn::new(1448, 1000) };
    bic.init(&mut conn, &PAPER);
    assert_eq!(bic.ssthresh(&mut conn, &PAPER), 875);
    (conn.cwnd, conn.ssthresh) = (875, 875);
    let (mut ends, mut last) = (Vec::new(), 0);
    while conn.cwnd < 1040 {
        bic.cong_avoid(&mut conn, 0, 1, &PAPER);
        if bic.step_end_x16m != last {
            last = bic.step_end_x16m;
            ends.push(last as f64 / f64::from(1 << 24));
        }
    }
    let mut expected = vec![907.0, 939.0];
    expected.extend((1..=12).map(|n| 1000.0 - 61.0 / f64::from(1 << n)));
    expected.extend([1000.0, 1001.0, 1002.0, 1004.0, 1008.0, 1016.0, 1032.0, 1064.0]);
    assert_eq!(ends.len(), expected.len(), "{ends:?}");
    // A step ends with the acknowledgement that passes its end, which is up to 32/875 of a segment too far.
    for (end, expected) in ends.iter().zip(expected) {
        assert!((end - expected).abs() < 0.2, "{end}, not {expected}: {ends:?}");
    }
}

#[test]
fn the_papers_form_is_standard_tcp_below_fourteen_and_remembers_fifteen_sixteenths() {
    let (mut bic, mut conn) = (Bic::default(), Conn::new(1448, 13));
    assert_eq!(bic.ssthresh(&mut conn, &PAPER), 6);
    assert_eq!(bic.midpoint_growth_x16m(&conn, &PAPER), 1 << 24);
    conn.cwnd = 14;
    assert_eq!(bic.ssthresh(&mut conn, &PAPER), 12); // 12.25
    conn.cwnd = 1000;
    bic.ssthresh(&mut conn, &PAPER);
    conn.cwnd = 800;
    bic.ssthresh(&mut conn, &PAPER);
    assert_eq!(bic.last_max, 750); // 800 · (1 + 0.875)/2
}
