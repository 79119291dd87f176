// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lull's rules, with the arithmetic done by hand.

use cwnd::registry::Registered;
use cwnd::{AckSample, CongestionControl, Conn};
use lull::lull::{Lull, LullParams};

const PARAMS: LullParams = Lull::SETS[0].params;

/// A connection in congestion avoidance whose window is used.
fn conn(cwnd: u32) -> Conn {
    Conn {
        is_cwnd_limited: true,
        ssthresh: 2,
        packets_out: cwnd,
        ..Conn::new(1448, cwnd)
    }
}

fn sample(rtt_us: i32) -> AckSample {
    AckSample::new(1, rtt_us, 10)
}

#[test]
fn a_loss_keeps_beta_of_the_flight_and_never_less_than_two() {
    let mut lull = Lull::default();
    assert_eq!(lull.ssthresh(&mut conn(100), &PARAMS), 70); // 100 × 0.7
    let half = LullParams {
        beta: 32_768,
        ..PARAMS
    }; // 0.5 × 65 536
    assert_eq!(lull.ssthresh(&mut conn(100), &half), 50);
    assert_eq!(lull.ssthresh(&mut conn(2), &half), 2);
}

#[test]
fn a_window_of_acknowledged_segments_is_one_segment_of_growth() {
    let (mut lull, mut conn) = (Lull::default(), conn(10));
    for _ in 0..9 {
        lull.cong_avoid(&mut conn, 0, 1, &PARAMS);
    }
    assert_eq!((conn.cwnd, conn.cwnd_cnt), (10, 9));
    lull.cong_avoid(&mut conn, 0, 1, &PARAMS);
    assert_eq!((conn.cwnd, conn.cwnd_cnt), (11, 0));
}

// 479 acknowledged segments were saved up at a window of 480, and an idle time took the window to 10: one segment, and the
// credit starts again.
#[test]
fn credit_of_a_larger_window_is_no_burst() {
    let (mut lull, mut conn) = (
        Lull::default(),
        Conn {
            cwnd_cnt: 479,
            ..conn(10)
        },
    );
    lull.cong_avoid(&mut conn, 0, 1, &PARAMS);
    assert_eq!((conn.cwnd, conn.cwnd_cnt), (11, 1));
}

#[test]
fn it_rests_while_the_queue_is_longer_than_asked_for() {
    let (mut lull, mut conn) = (Lull::default(), conn(10));
    lull.pkts_acked(&mut conn, &sample(40_000), &PARAMS);
    lull.pkts_acked(&mut conn, &sample(45_001), &PARAMS); // 5.001 ms of queueing
    lull.cong_avoid(&mut conn, 0, 10, &PARAMS);
    assert_eq!((conn.cwnd, conn.cwnd_cnt), (10, 0));
    lull.pkts_acked(&mut conn, &sample(45_000), &PARAMS); // 5 ms
    lull.pkts_acked(&mut conn, &sample(-1), &PARAMS); // no sample
    lull.cong_avoid(&mut conn, 0, 10, &PARAMS);
    assert_eq!(conn.cwnd, 11);
}

#[test]
fn slow_start_grows_by_what_is_acknowledged_up_to_the_threshold() {
    let (mut lull, mut conn) = (
        Lull::default(),
        Conn {
            ssthresh: 16,
            ..conn(10)
        },
    );
    lull.cong_avoid(&mut conn, 0, 4, &PARAMS);
    assert_eq!(conn.cwnd, 14);
    lull.cong_avoid(&mut conn, 0, 4, &PARAMS); // 2 to the threshold, 2 of the 16 that the next segment takes
    assert_eq!((conn.cwnd, conn.cwnd_cnt), (16, 2));
}

#[test]
fn a_window_that_the_application_does_not_use_does_not_grow() {
    let (mut lull, mut conn) = (
        Lull::default(),
        Conn {
            is_cwnd_limited: false,
            ..conn(10)
        },
    );
    lull.cong_avoid(&mut conn, 0, 100, &PARAMS);
    assert_eq!((conn.cwnd, conn.cwnd_cnt), (10, 0));
}
