// SPDX-License-Identifier: MIT OR Apache-2.0
//! CUBIC 2.2 as Algorithm 1 of Ha, Rhee and Xu (2008) prints it.

use super::*;
use crate::algorithms::cubic::virtual_flow::VirtualFlow;

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
    let mut flow = VirtualFlow::new(V2_2, 100, 100_000);
    flow.lose();
    assert_eq!(flow.conn.cwnd, 80);
    flow.seconds(1.0, 1);
    let cubic = &flow.cubic;
    assert!(cubic.origin == 100 && cubic.k_x1024 > 0 && cubic.w_est >= 80 && cubic.in_epoch == 1);
    flow.conn.cwnd = 90;
    flow.lose();
    assert_eq!(w_max_of(&flow.cubic), 81);
    flow.time_out();
    let cubic = &flow.cubic;
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
        let mut flow = VirtualFlow::new(CubicParams { c: 66, counting, ..V2_2 }, 100, 100_000);
        flow.lose();
        flow.conn.ssthresh = 79; // beyond slow start's last segment
        (1..1000).find(|_| {
            flow.ack(acked);
            flow.cubic.w_est == 81
        })
    };
    let (one, two) = (acks_to_a_segment(V2_2.counting, 1), acks_to_a_segment(V2_2.counting, 2));
    assert!(one == two && (Some(240)..=Some(246)).contains(&one), "{one:?}, {two:?}");
    assert!(acks_to_a_segment(crate::algorithms::COUNT_SEGMENTS, 2) <= Some(123));
}

// The same of its slow start: "cwnd ← cwnd + 1" for each acknowledgement.
#[test]
fn version_2_2_starts_by_a_segment_for_each_acknowledgement() {
    let mut flow = VirtualFlow::new(V2_2, 10, 100_000);
    flow.conn.ssthresh = 100;
    for _ in 0..10 {
        flow.ack(2);
    }
    assert_eq!(flow.conn.cwnd, 20);
}
