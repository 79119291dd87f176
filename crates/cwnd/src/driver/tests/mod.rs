// SPDX-License-Identifier: MIT OR Apache-2.0
//! The driver's state machine, and a QUIC stack's way of using it.

mod idle;
mod linux;
mod rate;
mod recovery_epochs;
mod segment;

use super::*;
use crate::INFINITE_SSTHRESH;
use crate::hook_argument_types::CaEvent;

fn driver(name: &str, cwnd: u32, options: Options) -> Driver {
    let mut conn = Conn { is_cwnd_limited: true, ..Conn::new(1200, cwnd) };
    conn.packets_out = cwnd;
    conn.in_flight = cwnd;
    Driver::new(Controller::by_name(name).expect("registered"), conn, options)
}

fn ack(now_us: u64, position: u64, acked: u32) -> Ack {
    Ack {
        now_us,
        position,
        acked,
        delivered: acked,
        rtt_us: Some(50_000),
        oldest_rtt_us: None,
        new_loss: false,
    }
}

// RFC 9438 §4.6 MUST: window and threshold go down at once on entering recovery. Rows N4, DR8: one reduction per window, after its end too.
// R9438-4.6-a
#[test]
fn a_window_of_losses_is_one_reduction() {
    let mut driver = driver("cubic", 100, Options::default());
    assert!(driver.on_loss(1, 10, 100).is_some());
    assert_eq!((driver.conn.cwnd, driver.conn.ssthresh), (70, 70));
    for lost in 11..100 {
        assert!(driver.on_loss(2, lost, 150).is_none());
    }
    assert_eq!(driver.conn.cwnd, 70);
    driver.on_ack(&ack(3, 100, 1));
    assert_eq!(driver.conn.ca_state, CaState::Open);
    assert!(driver.on_loss(3, 50, 150).is_none(), "old data, found lost late");
    assert_eq!((driver.on_ecn(3, 60, 150), driver.conn.cwnd), (EcnOutcome::Ignored, 70));
    assert!(driver.on_loss(4, 120, 160).is_some(), "the next window's loss is another reduction");
}

// A loss beyond the epoch's data ends the epoch and begins the next, without an acknowledgement between.
#[test]
fn a_loss_of_later_data_begins_another_epoch() {
    let mut driver = driver("reno", 100, Options::default());
    driver.on_loss(1, 10, 100);
    driver.conn.packets_out = 50;
    assert!(driver.on_loss(2, 100, 150).is_some());
    assert_eq!(driver.conn.cwnd, 25);
}

// RFC 5681 §3.1, RFC 9438 §4.8; row SM3: a timeout within recovery reduces the threshold (0.7 of a window of 70), timeouts
// one after the other leave it there. Rows M1, Q5: for persistent congestion (and in Linux) the recovery's reduction was it.
#[test]
fn timeouts_reduce_the_threshold_once() {
    for (timeout_reduces_again, threshold) in [(true, 49), (false, 70)] {
        let mut driver = driver("cubic", 100, Options { timeout_reduces_again, ..Options::default() });
        driver.on_loss(1, 10, 100);
        for now in 2..7 {
            driver.on_timeout(now, 10, 100);
            assert_eq!((driver.conn.cwnd, driver.conn.ssthresh), (1, threshold));
        }
    }
}

// Linux's tcp_enter_loss clears what congestion avoidance has gathered. Threshold 2: the first acknowledgement doubles one segment, the
// next is half of a segment more. After the second timeout it takes three again.
// Row DR14.
#[test]
fn a_repeated_timeout_clears_the_fraction_of_a_segment() {
    let mut driver = driver("reno", 4, Options::default());
    let mut windows = Vec::new();
    for timeout in [2, 20] {
        driver.on_timeout(timeout, 10, 100);
        for position in 11..13 {
            driver.on_ack(&ack(timeout + position, position, 1));
            windows.push((driver.conn.cwnd, driver.conn.cwnd_cnt));
        }
    }
    driver.on_ack(&ack(50, 13, 1));
    windows.push((driver.conn.cwnd, driver.conn.cwnd_cnt));
    assert_eq!(windows, [(2, 0), (2, 1), (2, 0), (2, 1), (3, 0)]);
}

#[test]
fn a_timeouts_repair_is_slow_start_up_to_the_data_that_was_out() {
    let mut driver = driver("cubic", 100, Options::default());
    driver.on_timeout(2, 10, 100);
    driver.on_ack(&ack(9, 50, 1));
    assert_eq!(driver.conn.cwnd, 2, "slow start during the repair");
    driver.on_ack(&ack(9, 100, 1));
    assert_eq!(driver.conn.ca_state, CaState::Open);
}

// RFC 9438 §4.6 MUST: reduce on ECE down to one segment. MUST: at one segment reduce the rate further, which the
// transport does by its timer. ssthresh stays at two.
#[test]
fn ecn_reduces_to_one_segment_and_then_says_so() {
    let mut driver = driver("cubic", 4, Options::default());
    let mut windows = vec![4];
    let mut position = 0;
    let outcome = loop {
        let outcome = driver.on_ecn(position, position, position + 10);
        if outcome == EcnOutcome::AtFloor {
            break outcome;
        }
        assert_eq!(
            driver.on_ecn(position, position + 5, position + 10),
            EcnOutcome::Ignored,
            "once per window"
        );
        windows.push(driver.conn.cwnd);
        driver.conn.packets_out = driver.conn.cwnd;
        position += 10;
    };
    assert_eq!((windows, outcome), (vec![4, 3, 2, 1], EcnOutcome::AtFloor)); // 2.8, 2.1, and then one less each
    assert_eq!(driver.conn.ssthresh, 2);
}

// RFC 9438 §4.9.2: what a spurious loss took comes back, once; a real one after it stays.
#[test]
fn a_spurious_loss_is_undone_once() {
    let mut driver = driver("cubic", 100, Options::default());
    let epoch = driver.on_loss(1, 10, 100).expect("begun");
    assert!(driver.on_spurious(2, epoch));
    assert_eq!(
        (driver.conn.cwnd, driver.conn.ssthresh, driver.conn.ca_state),
        (100, INFINITE_SSTHRESH, CaState::Open)
    );
    assert!(!driver.on_spurious(3, epoch));
    driver.on_loss(4, 20, 100);
    assert_eq!(driver.conn.cwnd, 70);
}

// The window may have got a bound since: a route's locked `cwnd`, a BPF program's TCP_BPF_SNDCWND_CLAMP.
// Row DR14.
#[test]
fn an_undo_keeps_to_the_clamp() {
    let mut driver = driver("cubic", 100, Options::default());
    let epoch = driver.on_loss(1, 10, 100).expect("begun");
    driver.conn.cwnd_clamp = 80;
    assert!(driver.on_spurious(2, epoch));
    assert_eq!(driver.conn.cwnd, 80);
}

// Linux undoes when every retransmission of the epoch was for nothing, those after its timeouts too.
// Row DR11.
#[test]
fn a_timeout_within_recovery_is_undone_with_the_proof_of_both() {
    for loss_first in [true, false] {
        let mut driver = driver("cubic", 100, Options::default());
        let loss = driver.on_loss(1, 10, 100).expect("begun");
        let timeout = driver.on_timeout(2, 10, 100);
        let (one, other) = if loss_first { (loss, timeout) } else { (timeout, loss) };
        assert!(!driver.on_spurious(3, one) && !driver.on_spurious(3, one));
        assert_eq!((driver.conn.cwnd, driver.conn.ca_state), (1, CaState::Loss));
        assert!(driver.on_spurious(3, other));
        assert_eq!((driver.conn.cwnd, driver.conn.ca_state), (100, CaState::Open));
    }
}

// RFC 9937 §6.2: 20 out, ssthresh 14 (CUBIC keeps 0.7): 14 segments are sent for 20 delivered, and the window ends at 14.
#[test]
fn proportional_reduction_sends_seven_for_ten() {
    let options = Options { reduction: Reduction::Proportional, ..Options::default() };
    let mut driver = driver("cubic", 20, options);
    driver.on_loss(1, 0, 20);
    driver.conn.in_flight = 19;
    let mut sent = 0;
    for now in 2..21 {
        driver.conn.in_flight -= 1;
        driver.on_ack(&Ack { acked: 0, position: 0, ..ack(now, 0, 0) });
        let delivered = Ack { acked: 0, delivered: 1, ..ack(now, 0, 0) };
        driver.on_ack(&delivered);
        while driver.conn.in_flight < driver.conn.cwnd {
            driver.on_sent(now, 1_000_000);
            driver.conn.in_flight += 1;
            sent += 1;
        }
    }
    assert!((13..=15).contains(&sent), "{sent}");
    driver.on_ack(&ack(30, 20, 1));
    assert_eq!(driver.conn.ca_state, CaState::Open);
    assert!((14..=15).contains(&driver.conn.cwnd), "{}", driver.conn.cwnd);
}

// RFC 9937 §6.2: CEIL(prr_delivered · ssthresh / RecoverFS) − prr_out. 20 out, ssthresh 14: after k of the deliveries ⌈0.7 k⌉ have been sent.
// Row DR14.
#[test]
fn proportional_reduction_rounds_what_may_be_sent_up() {
    let mut driver =
        driver("cubic", 20, Options { reduction: Reduction::Proportional, ..Options::default() });
    driver.conn.in_flight = 19;
    driver.on_loss(1, 0, 20);
    let (mut sent, mut totals) = (0, Vec::new());
    for now in 2..9 {
        driver.conn.in_flight -= 1;
        driver.on_ack(&Ack { acked: 0, delivered: 1, ..ack(now, 0, 0) });
        while driver.conn.in_flight < driver.conn.cwnd {
            driver.on_sent(now, 1_000_000);
            driver.conn.in_flight += 1;
            sent += 1;
        }
        totals.push(sent);
    }
    assert_eq!(totals, [1, 2, 3, 3, 4, 5, 5]); // 0.7, 1.4, 2.1, 2.8, 3.5, 4.2, 4.9
}

// RFC 9937 §6.2: 20 out, 16 of them lost, target 10: one is forced out. An advance that brings one lets two go, a report one, though three have gone
// for two; an advance that declares another loss one as well; and the target is the most.
#[test]
fn below_the_target_as_much_goes_as_arrives() {
    let options = Options { reduction: Reduction::Proportional, ..Options::default() };
    let mut driver = driver("reno", 20, options);
    driver.conn.in_flight = 4;
    driver.on_loss(1, 0, 20);
    let mut windows = vec![driver.conn.cwnd];
    let report = Ack { acked: 0, delivered: 1, ..ack(2, 0, 0) };
    let unsafe_advance = Ack { new_loss: true, ..ack(2, 2, 1) };
    let largest = Ack { delivered: 4, ..ack(2, 3, 1) };
    for (ack, in_flight) in [(ack(2, 1, 1), 4), (report, 5), (unsafe_advance, 4), (largest, 9)] {
        for _ in driver.conn.in_flight..driver.conn.cwnd {
            driver.on_sent(1, 1_000_000);
        }
        driver.conn.in_flight = in_flight;
        driver.on_ack(&ack);
        windows.push(driver.conn.cwnd);
    }
    assert_eq!(windows, [4 + 1, 4 + 2, 5 + 1, 4 + 1, 10]);
    let before = driver.conn.cwnd;
    driver.conn.in_flight = 3;
    driver.on_ack(&Ack { acked: 0, delivered: 0, ..ack(3, 3, 0) });
    assert_eq!(driver.conn.cwnd, before, "an acknowledgement that brings nothing changes nothing");
}

// All of a recovery's segments are delivered or lost, as many were sent as delivered, and the acknowledgement that says so
// declares another loss. Nothing is in flight, and the window is a segment at least. Found by the fuzzer.
#[test]
fn proportional_reduction_leaves_a_window_of_one_segment_at_least() {
    let options = Options { reduction: Reduction::Proportional, ..Options::default() };
    let mut driver = driver("reno", 10, options);
    driver.on_loss(1, 1, 11);
    driver.on_sent(1, 300_000);
    driver.conn.in_flight = 0;
    driver.on_ack(&Ack { new_loss: true, ..ack(2, 2, 1) });
    assert_eq!((driver.conn.ca_state, driver.conn.cwnd), (CaState::Recovery, 1));
}

// RFC 5681 §4.1: after an idle RTO the window restarts from the initial one.
#[test]
fn an_idle_timeout_restarts_the_window() {
    let mut driver = driver("reno", 10, Options::default());
    driver.on_sent(0, 200_000);
    driver.conn.cwnd = 80;
    (driver.conn.packets_out, driver.conn.in_flight) = (0, 0);
    driver.on_sent(199_999, 200_000);
    assert_eq!(driver.conn.cwnd, 80);
    driver.on_sent(500_000, 200_000);
    assert_eq!(driver.conn.cwnd, 10);
}

#[test]
fn without_idle_restart_an_idle_window_stays() {
    let mut driver = driver("reno", 10, Options { idle_restart: false, ..Options::default() });
    driver.on_sent(0, 200_000);
    driver.conn.cwnd = 80;
    (driver.conn.packets_out, driver.conn.in_flight) = (0, 0);
    driver.on_sent(500_000, 200_000);
    assert_eq!(driver.conn.cwnd, 80);
}

// Rows LN1, NG1: a window that was used in full is remembered for a round trip, and forgotten after it.
// R9438-4.6-d
#[test]
fn use_of_the_window_is_judged_once_per_round_trip() {
    let mut driver = driver("reno", 10, Options::default());
    driver.conn.snd_nxt = 10 * 1200;
    driver.on_burst_end(true);
    driver.conn.packets_out = 2;
    driver.on_burst_end(false);
    assert!(driver.conn.is_cwnd_limited, "limited at t1, not at t2 of the same window");
    driver.conn.snd_una = 10 * 1200;
    driver.on_burst_end(false);
    assert!(!driver.conn.is_cwnd_limited);
}

// Ha et al. 2008 §4.2: algorithms can be switched while the connection runs.
#[test]
fn a_switched_algorithm_starts_afresh_at_the_present_window() {
    let mut driver = driver("cubic", 100, Options::default());
    driver.on_loss(1, 10, 100);
    driver.on_ack(&ack(2, 100, 1));
    driver.switch(Controller::by_name("reno").expect("registered"));
    driver.on_ack(&ack(3, 170, driver.conn.cwnd));
    assert_eq!(driver.conn.cwnd, 71);
}

// RFC 9438 §4.6 MUST: at one segment a persisting echo asks for a rate below a window per round trip: AtFloor tells the transport
// to send by its backed-off timer. Above one segment it does not.
// R9438-4.6-f
#[test]
fn at_one_segment_a_further_echo_is_answered_by_the_timer() {
    for (cwnd, outcome) in [(1, EcnOutcome::AtFloor), (2, EcnOutcome::Reduced)] {
        let mut driver = driver("cubic", cwnd, Options::default());
        assert_eq!(driver.on_ecn(1, 5, 10), outcome, "cwnd {cwnd}");
    }
}
