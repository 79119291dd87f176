// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's CUBIC, hand arithmetic beside each claim. The golden traces are replayed by `tests/python`.

use super::parameter_sets::*;
use super::*;
use crate::algorithms::COUNT_SEGMENTS;
use crate::registration::Registered;
use crate::slow_start;

/// A connection in congestion avoidance at `cwnd`, HZ 1000, RTT 100 ms; the smallest RTT is known.
fn virtual_flow(params: &CubicLinuxParams, cwnd: u32) -> (CubicLinux, Conn) {
    let mut conn = Conn { ticks: 10_000, is_cwnd_limited: true, packets_out: cwnd, ..Conn::new(1448, cwnd) };
    let mut cubic = CubicLinux::default();
    cubic.init(&mut conn, params);
    cubic.pkts_acked(&mut conn, &AckSample::new(1, 100_000, cwnd), params);
    conn.ssthresh = cwnd;
    (cubic, conn)
}

fn lose(cubic: &mut CubicLinux, conn: &mut Conn, params: &CubicLinuxParams) {
    conn.ssthresh = cubic.ssthresh(conn, params);
    conn.cwnd = conn.ssthresh;
    conn.cwnd_cnt = 0;
}

/// `ticks` of growth with an acknowledgement of one segment every `cwnd`th part of 100 ms.
fn grow(cubic: &mut CubicLinux, conn: &mut Conn, params: &CubicLinuxParams, ticks: u32) {
    let begin = conn.ticks;
    let mut sent = 0_u64;
    while conn.ticks.wrapping_sub(begin) < ticks {
        sent += 1_000_000_000_000 / u64::from(conn.cwnd.max(1));
        conn.ticks = begin.wrapping_add((sent / 10_000_000_000) as u32);
        cubic.cong_avoid(conn, 0, 1, params);
    }
}

// packetdrill's cubic-rto: 10 · 717/1024 = 7.002; fast convergence 900 · 1741/2048 = 765.08.
#[test]
fn a_loss_keeps_717_of_1024_and_rounds_down() {
    let (mut cubic, mut conn) = virtual_flow(&LINUX, 10);
    assert_eq!(cubic.ssthresh(&mut conn, &LINUX), 7);
    conn.cwnd = 1000;
    assert_eq!(cubic.ssthresh(&mut conn, &LINUX), 700);
    conn.cwnd = 900;
    assert_eq!(cubic.ssthresh(&mut conn, &LINUX), 630);
    assert_eq!(cubic.last_max, 765);
    conn.cwnd = 1;
    assert_eq!(cubic.ssthresh(&mut conn, &LINUX), 2);
}

// K for 300 missing segments is ∛(2⁴⁰/410 · 300) = 9294/1024 s = 9.08 s: the window is back at 1000 then.
#[test]
fn the_window_is_back_after_k() {
    let (mut cubic, mut conn) = virtual_flow(&LINUX, 1000);
    lose(&mut cubic, &mut conn, &LINUX);
    grow(&mut cubic, &mut conn, &LINUX, 8_976); // one RTT early: the curve is read one RTT ahead
    assert_eq!(cubic.k_x1024, 9294);
    assert!((998..=1001).contains(&conn.cwnd), "{}", conn.cwnd);
}

// At 100 segments, far below its maximum, a count of 1 would double the window each round trip: 2 is the floor.
#[test]
fn growth_is_at_most_half_the_window_in_a_round_trip() {
    let (mut cubic, mut conn) = virtual_flow(&LINUX, 100);
    cubic.last_max = 100_000;
    cubic.update(&conn, 1, &LINUX);
    conn.ticks += 60_000;
    cubic.update(&conn, 1, &LINUX);
    assert_eq!(cubic.count, 2);
}

// 717/1024 gives 8 · 1741 / 3 / 307 = 15 eighths of cwnd to a segment of the estimate: 18 at a window of 10, so 19
// acknowledged segments are one segment more, and exactly 18 wait.
#[test]
fn the_estimate_grows_by_a_segment_for_15_eighths_of_a_window() {
    let mut cubic = CubicLinux { w_tcp: 10, acked: 18, count: 1000, ..CubicLinux::default() };
    cubic.apply_tcp_friendliness(10, &LINUX);
    assert_eq!((cubic.w_tcp, cubic.acked, cubic.count), (10, 18, 1000));
    cubic.acked += 1;
    cubic.apply_tcp_friendliness(10, &LINUX);
    assert_eq!((cubic.w_tcp, cubic.acked, cubic.count), (11, 1, 10));
}

// Leith et al. 2007: above ssthresh = 100 and before any loss, one segment per 50 acknowledgements, which its line 28
// makes 52: e.g. 52 · ln 2 = 36 round trips to double.
#[test]
fn before_its_first_loss_the_historic_kernel_doubles_in_36_round_trips() {
    let (mut cubic, mut conn) = virtual_flow(&V2_6_18, 200);
    grow(&mut cubic, &mut conn, &V2_6_18, 3_600);
    assert!((390..=405).contains(&conn.cwnd), "{}", conn.cwnd);
}

// S_max: 16 segments per 100 ms are 160 per second; far from the plateau (missing 10 000, K = 29 s) the curve would
// give 3 · 0.4 · 29² = 1009 per second. 2.1 clamps beyond the plateau only.
#[test]
fn the_clamp_of_2_0_holds_throughout_and_that_of_2_1_beyond_the_plateau() {
    let grown = |params: &CubicLinuxParams| {
        let (mut cubic, mut conn) = virtual_flow(params, 40_000);
        cubic.last_max = 50_000;
        cubic.ack_ratio_x16 = 1 << RATIO_SHIFT;
        cubic.pkts_acked(&mut conn, &AckSample::new(1, -1, 0), params);
        grow(&mut cubic, &mut conn, params, 1_000);
        conn.cwnd - 40_000
    };
    let (clamped, free) = (grown(&V2_0), grown(&V2_1));
    assert!((155..=165).contains(&clamped), "{clamped} of 160");
    assert!((940..=1_060).contains(&free), "{free} of about 1000");
    assert!((18..=22).contains(&grown(&V2_6_18)), "20 of the text of Leith et al.");
}

// The scaling bug: 1/32 instead of 410/1024 is 12.8 times too small, while K stays.
#[test]
fn the_unfixed_kernel_grows_12_8_times_more_slowly_beyond_the_plateau() {
    let beyond = |params: &CubicLinuxParams| {
        let params = CubicLinuxParams { clamp: CLAMP_OFF, friendliness: 0, ..*params };
        let (mut cubic, mut conn) = virtual_flow(&params, 1000);
        cubic.last_max = 1000;
        cubic.update(&conn, 1, &params);
        conn.ticks += 20_000;
        cubic.target(&conn, &params).0 - 1000
    };
    assert_eq!(beyond(&V2_0), 3251); // 0.400390625 · 20.1³ = 3251.4
    assert_eq!(beyond(&UNFIXED), 253); // 0.03125 · 20.1³ = 253.8
}

// Row L9, kernel commit 30927520dbae: ten seconds of idling move the epoch by ten seconds, not the window.
#[test]
fn idle_time_does_not_count() {
    let (mut cubic, mut conn) = virtual_flow(&LINUX, 1000);
    lose(&mut cubic, &mut conn, &LINUX);
    grow(&mut cubic, &mut conn, &LINUX, 2_000);
    let age = conn.ticks - cubic.epoch_start_ticks;
    conn.lsndtime_ticks = conn.ticks;
    conn.ticks += 10_000;
    cubic.cwnd_event(&mut conn, CaEvent::TxStart, &LINUX);
    assert_eq!(conn.ticks - cubic.epoch_start_ticks, age);
}

// The kernels of before 2015, as do their sets, let idle time count: 3 s after the loss, and 10 s later at once, the curve is that of 13 s.
// Row K1.
#[test]
fn idle_time_counts_in_the_kernels_of_before_2015() {
    for params in [V2_1, V2_2, V2_0] {
        let (mut cubic, mut conn) = virtual_flow(&params, 1000);
        lose(&mut cubic, &mut conn, &params);
        grow(&mut cubic, &mut conn, &params, 3_000);
        let begin = cubic.epoch_start_ticks;
        conn.lsndtime_ticks = conn.ticks;
        conn.ticks += 10_000;
        cubic.cwnd_event(&mut conn, CaEvent::TxStart, &params);
        assert_eq!(cubic.epoch_start_ticks, begin);
    }
}

/// Idle times, ticks of a millisecond: to the last that a signed difference of 32 bits tells from the past, 24.8 days.
const PAUSES: [u32; 10] = [
    1_000,
    10_000,
    600_000,
    36 * 60_000,
    4_294_967, // 2³² µs
    110 * 60_000,
    24 * 3_600_000,
    12 * 24 * 3_600_000,
    24 * 24 * 3_600_000,
    (1 << 31) - 1,
];

/// Every set, with standard slow start.
fn sets() -> impl Iterator<Item = (&'static str, CubicLinuxParams)> {
    CubicLinux::SETS
        .iter()
        .map(|set| (set.name, CubicLinuxParams { slow_start: slow_start::STANDARD, ..set.params }))
}

/// A round trip of 100 ms at full use, a segment to an acknowledgement.
fn round(cubic: &mut CubicLinux, conn: &mut Conn, params: &CubicLinuxParams) {
    let (begin, acks) = (conn.ticks, conn.cwnd);
    for ack in 1..=u64::from(acks) {
        conn.ticks = begin.wrapping_add((100 * ack / u64::from(acks)) as u32);
        let sample = AckSample::new(1, 100_000, conn.cwnd);
        cubic.pkts_acked(conn, &sample, params);
        cubic.cong_avoid(conn, 0, 1, params);
        conn.packets_out = conn.cwnd;
    }
}

// Both bounds: twenty round trips after the pause the windows are those of a flow that had none, 3 s after a loss. The count is
// computed anew with the first acknowledgement after a pause, 31 ms early at most, and a segment is counted at 1/32 s: 43 segments/s
// there, so one segment, and one for rounding.
#[test]
fn idle_time_below_24_days_leaves_the_curve_where_it_was() {
    for (name, params) in sets().filter(|(_, params)| params.idle == IDLE_MOVES_EPOCH) {
        let windows = |idle: u32| -> Vec<u32> {
            let (mut cubic, mut conn) = virtual_flow(&params, 1000);
            lose(&mut cubic, &mut conn, &params);
            (0..30).for_each(|_| round(&mut cubic, &mut conn, &params));
            conn.lsndtime_ticks = conn.ticks;
            conn.ticks = conn.ticks.wrapping_add(idle);
            if idle > 0 {
                cubic.cwnd_event(&mut conn, CaEvent::TxStart, &params);
            }
            (0..20)
                .map(|_| {
                    round(&mut cubic, &mut conn, &params);
                    conn.cwnd
                })
                .collect()
        };
        let busy = windows(0);
        assert!(busy[19] > busy[0], "{name} grows: {busy:?}");
        for idle in PAUSES {
            for (with, without) in windows(idle).iter().zip(&busy) {
                assert!(with.abs_diff(*without) <= 2, "{name}, {idle} ms idle: {with} beside {without}");
            }
        }
    }
}

// The transport restarts from 10 segments; slow start ends at ssthresh. From there a segment takes two acknowledgements at least (today's
// kernel: count 2; the historic ones: count 1 and `spare_acks` more), so a round trip adds half of the window at most, or a third.
#[test]
fn after_an_idle_restart_nothing_doubles_past_ssthresh() {
    for (name, params) in sets() {
        let (mut cubic, mut conn) = virtual_flow(&params, 1000);
        lose(&mut cubic, &mut conn, &params);
        let ssthresh = conn.ssthresh;
        (0..100).for_each(|_| round(&mut cubic, &mut conn, &params));
        conn.lsndtime_ticks = conn.ticks;
        conn.ticks += 10_000;
        conn.cwnd = 10;
        cubic.cwnd_event(&mut conn, CaEvent::CwndRestart, &params);
        cubic.cwnd_event(&mut conn, CaEvent::TxStart, &params);
        for _ in 0..20 {
            let base = conn.cwnd.max(ssthresh);
            round(&mut cubic, &mut conn, &params);
            let most = base + base / (1 + params.spare_acks.max(1)) + 1;
            assert!(conn.cwnd <= most, "{name}, ssthresh {ssthresh}: {base} to {}", conn.cwnd);
        }
        assert!(conn.cwnd >= ssthresh, "{name}: {}", conn.cwnd);
    }
}

// Recorded from the kernel's own module on Linux 6.18, whose window had run away: 2 183 157 349 · 717 is 1 565 323 819 233, in 32
// bits 1 955 723 489, a 1024th of which is 1 909 886; 698 610 460 gives 2 624 505.
#[test]
fn a_loss_at_a_window_of_billions_wraps_as_the_kernels_does() {
    for (cwnd, ssthresh) in [(2_183_157_349, 1_909_886), (698_610_460, 2_624_505)] {
        let (mut cubic, mut conn) = virtual_flow(&LINUX, 10);
        conn.cwnd = cwnd;
        assert_eq!(cubic.ssthresh(&mut conn, &LINUX), ssthresh);
    }
}

// Linux 2.6.25, version 2.2: its `ack_cnt` counts acknowledgements, so with two segments to each W_tcp grows at half its rate. At a window
// of 100 it takes 100 · 15 >> 3 = 187 acknowledgements, 374 segments, to a segment, and one more shows it.
#[test]
fn version_2_2_of_the_kernel_lets_w_tcp_grow_with_acknowledgements() {
    let grown = |params: &CubicLinuxParams, acks: u32| {
        let (mut cubic, mut conn) = virtual_flow(params, 100);
        (cubic.last_max, conn.ssthresh) = (100, 50);
        for _ in 0..acks {
            conn.cwnd_cnt = 0; // the window stands
            cubic.last_cwnd = 0; // and every acknowledgement is an update
            cubic.cong_avoid(&mut conn, 0, 2, params);
        }
        cubic.w_tcp - 100
    };
    assert_eq!((grown(&V2_2, 187), grown(&V2_2, 188), grown(&V2_2, 375)), (0, 1, 2));
    let segments = CubicLinuxParams { counting: COUNT_SEGMENTS, ..V2_2 };
    assert_eq!(grown(&segments, 188), 2, "376 segments are worth two");
}

// The rate of the curve is corrected for delayed ACKs, though: 10 segments missing at a window of 100 are a count of 10, which at two segments to
// an acknowledgement (32/16) becomes 5.
#[test]
fn version_2_2_of_the_kernel_corrects_the_curves_count_by_the_ack_ratio() {
    let count = |ratio_x16: u32| {
        let (mut cubic, mut conn) = virtual_flow(&V2_2, 100);
        cubic.last_max = 110;
        cubic.update(&conn, 1, &V2_2);
        conn.ticks += u32::try_from(u64::from(cubic.k_x1024) * 1000 / 1024).unwrap_or(0);
        cubic.ack_ratio_x16 = ratio_x16;
        cubic.update(&conn, 1, &V2_2);
        cubic.count
    };
    assert_eq!((count(16), count(32)), (10, 5));
}

// Table 1 of Ha et al. 2008: no clamp, and 717/1024 since that kernel. Before the first loss, and after a timeout, the curve itself: one RTT
// ahead of its plateau that is no growth (100 · 100 acknowledgements, halved by the ratio), where version 2.1 takes 50 (25).
#[test]
fn version_2_2_of_the_kernel_has_no_clamp_and_no_count_of_its_own_before_a_loss() {
    let (mut cubic, mut conn) = virtual_flow(&V2_2, 1000);
    assert_eq!(cubic.ssthresh(&mut conn, &V2_2), 700);
    let beyond = |params: &CubicLinuxParams| {
        let (mut cubic, mut conn) = virtual_flow(params, 10_000);
        cubic.last_max = 10_000;
        cubic.update(&conn, 1, params);
        conn.ticks += 30_000;
        cubic.update(&conn, 1, params);
        cubic.count
    };
    // 0.4004 · 30.1³ = 10 919 segments beyond the plateau: a count of 0, which is 1. S_max = 16 in 2.1: 10 000 / 16 · 16/31,
    // the ratio after one acknowledgement of one segment.
    assert_eq!((beyond(&V2_2), beyond(&V2_1)), (1, 322));
    let unknown = |params: &CubicLinuxParams| {
        let (mut cubic, mut conn) = virtual_flow(params, 100);
        cubic.set_state(&mut conn, CaState::Loss, params);
        cubic.update(&conn, 1, params);
        cubic.count
    };
    assert_eq!((unknown(&V2_2), unknown(&V2_1)), (5_000, 25));
}

// Fifteen words, each another number; behind 16 bits without use nine samples and 1 for slow start that was left. No smallest RTT yet is all ones there.
#[test]
fn the_words_of_the_kernels_module_are_a_state() {
    let mut words = core::array::from_fn(|place| place as u32 + 100);
    words[10] = 0x0109_0000;
    let state = CubicLinux::from_words(&words).expect("a layout");
    let CubicLinux { count, last_max, last_cwnd, last_ticks, origin, k_x1024, .. } = state;
    assert_eq!([count, last_max, last_cwnd, last_ticks, origin, k_x1024], [100, 101, 102, 103, 104, 105]);
    let CubicLinux { delay_min, epoch_start_ticks, acked, w_tcp, ack_ratio_x16, slow_start, .. } = state;
    assert_eq!([delay_min, epoch_start_ticks, acked, w_tcp, ack_ratio_x16], [106, 107, 108, 109, 32]);
    assert_eq!(slow_start, slow_start::SlowStart::of_hystart([112, 114, 111, 113], 9, true));
    let fresh = slow_start::SlowStart::of_hystart([112, 0, 111, 113], 9, false);
    (words[10], words[14]) = (0x0009_0000, u32::MAX);
    assert_eq!(CubicLinux::from_words(&words).map(|state| state.slow_start), Some(fresh));
}
