// SPDX-License-Identifier: MIT OR Apache-2.0
//! Losses, marks, persistent congestion, and reductions that are taken back.

use crate::eighty;
use crate::pipe::{MTU, Pipe, RTT, ms};
use cwnd::Controller;
use cwnd::driver::{EcnOutcome, Reduction};
use cwnd::transport::{Acked, Config, Lost, Phase, Snapshot, Transport};

// RFC 9002 §7.3.2: one reduction per round trip, however the losses of a window are told. CUBIC keeps 0.7 of 80.
#[test]
fn scattered_losses_of_one_window_are_one_reduction() {
    let mut pipe = eighty("cubic", Config::new());
    let all = std::mem::take(&mut pipe.out);
    let lost: Vec<_> = all.iter().step_by(9).map(|p| Lost::new(p.sent, p.bytes)).collect();
    let rest: Vec<_> = all.iter().enumerate().filter(|(n, _)| n % 9 > 0).map(|(_, p)| *p).collect();
    let epoch = pipe.cc.on_lost(pipe.now, &lost[..4], false);
    assert!(epoch.is_some());
    assert_eq!((pipe.cc.window(), pipe.cc.phase()), (56 * MTU, Phase::Recovery));
    assert_eq!(pipe.cc.on_lost(pipe.now, &lost[4..], false), epoch);
    pipe.cc.on_acked(pipe.now, &rest, None);
    assert_eq!((pipe.cc.window(), pipe.cc.in_flight()), (56 * MTU, 0));
    // A packet sent after the reduction ends the recovery.
    pipe.round();
    assert_eq!((pipe.cc.phase(), pipe.cc.metrics().epochs.by_loss), (Phase::CongestionAvoidance, 1));
}

// RFC 9002 §B.2 takes lost packets out of the flight. Ten of 80 are lost, later in the same round trip 30 more; the loss of a packet
// that was sent after the reduction is the second: from the 40 that were out, not from what is left.
#[test]
fn a_second_reduction_counts_what_was_lost_before_it() {
    let mut pipe = eighty("reno", Config::new());
    let all = std::mem::take(&mut pipe.out);
    pipe.lose(&all[..10], false);
    pipe.cc.on_acked(pipe.now, &all[10..50], None);
    pipe.send();
    let new = std::mem::take(&mut pipe.out);
    assert_eq!((pipe.cc.window(), new.len()), (40 * MTU, 10));
    pipe.lose(&all[50..], false);
    pipe.lose(&new[..1], false);
    assert_eq!(pipe.cc.ssthresh(), Some(20 * MTU));
}

// RFC 9002 §7.6.2: two datagrams; ssthresh is that of the loss. Then 2, 4, 8, 16, 32.
#[test]
fn persistent_congestion_leaves_two_datagrams() {
    let mut pipe = eighty("cubic", Config::new());
    pipe.now += ms(1000);
    let all = std::mem::take(&mut pipe.out);
    pipe.lose(&all, true);
    assert_eq!((pipe.cc.window(), pipe.cc.ssthresh(), pipe.cc.in_flight()), (2 * MTU, Some(56 * MTU), 0));
    (0..4).for_each(|_| pipe.round());
    assert_eq!((pipe.cc.window(), pipe.cc.metrics().epochs.persistent), (32 * MTU, 1));
}

// RFC 9002 §7.1: marks of one window are one reduction. RFC 9438 §4.6: a mark in every window ends at one datagram.
#[test]
fn marks_reduce_once_per_window_down_to_two_datagrams() {
    let mut pipe = eighty("cubic", Config::new());
    let all = std::mem::take(&mut pipe.out);
    assert_eq!(pipe.cc.on_ecn(pipe.now, 1, Some(all[0].sent)), EcnOutcome::Reduced);
    pipe.cc.on_acked(pipe.now, &all[..8], None);
    assert_eq!(pipe.cc.on_ecn(pipe.now, 1, Some(all[20].sent)), EcnOutcome::Ignored);
    pipe.cc.on_acked(pipe.now, &all[8..], None);
    assert_eq!((pipe.cc.window(), pipe.cc.metrics().epochs.by_ecn), (56 * MTU, 1));
    for windows in 0.. {
        assert!(windows < 20, "{} bytes", pipe.cc.window());
        pipe.send();
        pipe.now += RTT;
        let all = std::mem::take(&mut pipe.out);
        let outcome = pipe.cc.on_ecn(pipe.now, 1, Some(all.last().unwrap().sent));
        pipe.cc.on_acked(pipe.now, &all, None);
        if outcome == EcnOutcome::AtFloor {
            break;
        }
    }
    assert_eq!((pipe.cc.window(), pipe.cc.ssthresh()), (2 * MTU, Some(2 * MTU))); // RFC 9002 §7.2
}

// RFC 9002 §6.2, §7: a timer finds half of the packets lost. No acknowledgement comes: at once as many as 0.7 · 80 leaves beside the 40
// in flight, proportionally the one that has to go.
#[test]
fn losses_that_a_timer_finds_let_go_what_the_reduction_allows() {
    for (reduction, expected, more) in [(Reduction::Immediate, 16, 20), (Reduction::Proportional, 1, 0)] {
        let mut pipe = eighty("cubic", Config::new().reduction(reduction));
        let all = std::mem::take(&mut pipe.out);
        let epoch = pipe.lose(&all[..40], false);
        assert_eq!(pipe.cc.ssthresh(), Some(56 * MTU));
        pipe.send();
        assert_eq!(pipe.out.len(), expected, "{reduction:?}");
        assert_eq!(pipe.lose(&all[40..60], false), epoch, "of the same window");
        pipe.send();
        assert_eq!(pipe.out.len(), expected + more, "{reduction:?}");
    }
}

// RFC 9438 §4.9, with persistent congestion and without; a mark in the same window prohibits it.
#[test]
fn a_spurious_loss_is_undone_and_one_with_a_mark_is_not() {
    for (persistent, marked) in [(false, false), (true, false), (false, true)] {
        let mut pipe = eighty("cubic", Config::new());
        let all = std::mem::take(&mut pipe.out);
        let epoch = pipe.lose(&all[..10], persistent).expect("begun");
        if marked {
            assert_eq!(pipe.cc.on_ecn(pipe.now, 1, Some(all[20].sent)), EcnOutcome::Ignored);
        }
        let lost: Vec<_> = all[..10].iter().map(|packet| Lost::new(packet.sent, packet.bytes)).collect();
        assert_eq!(pipe.cc.on_spurious(pipe.now, epoch, &lost), !marked);
        let expected = if marked { (56 * MTU, Some(56 * MTU)) } else { (80 * MTU, None) };
        assert_eq!((pipe.cc.window(), pipe.cc.ssthresh()), expected, "persistent: {persistent}");
        assert!(!pipe.cc.on_spurious(pipe.now, epoch, &lost), "once");
    }
}

// RFC 9438 §4.2, §4.7: two losses, at 100 and then below it at 80. Fast convergence: W_max = 80 · (1 + 0.7) / 2 = 68, and the window
// goes on from 56. K = ∛((68 - 56) / 0.4) = 3.1 s. With a plateau at 68 the window is there after K, 62 round trips of 50 ms; but W_est
// adds 0.53 per round trip from the beginning: 56 + 0.53 · 10 = 61.3 after ten of them.
#[test]
fn cubic_grows_within_a_few_round_trips_after_a_loss_under_fast_convergence() {
    let mut pipe = Pipe::new("cubic", Config::new().initial_window(100).unwrap());
    pipe.round_without_growth();
    pipe.send();
    let all = std::mem::take(&mut pipe.out);
    pipe.lose(&all, false); // 70
    while pipe.cc.window() < 80 * MTU {
        pipe.round();
    }
    pipe.send();
    let all = std::mem::take(&mut pipe.out);
    pipe.lose(&all[..1], false);
    assert_eq!(pipe.cc.window(), 56 * MTU);
    pipe.now += RTT;
    pipe.cc.on_acked(pipe.now, &all[1..], None);
    let mut windows = vec![];
    for _ in 0..11 {
        pipe.round();
        windows.push(pipe.cc.window() / MTU);
    }
    assert!(windows[4] >= 58 && (60..=64).contains(&windows[10]), "{windows:?}");
}

// RFC 9937 §6.2 counts bytes: whatever the sizes of what leaves, what is in flight at the end of a proportional reduction of 120 000
// bytes is 0.5 (Reno) or 0.7 (CUBIC) of them, but for less than a segment, and the part of a packet that does not fit.
#[test]
fn a_proportional_reduction_takes_as_much_from_packets_of_ten_sizes() {
    for (name, target) in [("reno", 60_000), ("cubic", 84_000)] {
        for size in [40, 120, 600, 700, 900, 1100, 1190, 1200, 2400, 12_000] {
            let config = Config::new().initial_window(100).unwrap().reduction(Reduction::Proportional);
            let mut cc = Transport::new(Controller::by_name(name).expect(name), &config, ms(0));
            let mut all = Vec::new();
            while cc.may_send(size) {
                all.push(Acked::new(cc.on_sent(ms(0), size), size));
            }
            let lost = (1200 / size).max(1) as usize;
            let told: Vec<_> = all[..lost].iter().map(|packet| Lost::new(packet.sent, size)).collect();
            cc.on_lost(ms(50), &told, false);
            for (packet, at) in all[lost..].iter().zip(51..) {
                cc.on_acked(ms(at), std::slice::from_ref(packet), None);
                while cc.may_send(size) {
                    cc.on_sent(ms(at), size);
                }
            }
            let short = target - cc.in_flight().min(target);
            assert!(cc.in_flight() <= target && short < 1200 + size, "{name}, {size} bytes: {short} short");
        }
    }
}

// RFC 9002 §7.2: two datagrams are the minimum, whatever size they get to have during a reduction. Ten of 1200 bytes are 1.3 of 9000.
#[test]
fn larger_datagrams_in_a_proportional_reduction_leave_two_of_them() {
    let config = Config::new().reduction(Reduction::Proportional);
    let mut cc = Transport::new(Controller::by_name("cubic").expect("it is registered"), &config, ms(0));
    let all: Vec<_> = (0..10).map(|_| Acked::new(cc.on_sent(ms(0), 1200), 1200)).collect();
    cc.on_lost(ms(50), &[Lost::new(all[0].sent, 1200)], false);
    cc.on_mtu(9000);
    cc.on_acked(ms(52), &all[1..], None);
    for round in 2..8 {
        let packet = Acked::new(cc.on_sent(ms(50 * round), 9000), 9000);
        cc.on_ecn(ms(50 * round + 50), 1, Some(packet.sent));
        cc.on_acked(ms(50 * round + 50), &[packet], None);
        assert_eq!(cc.window(), 18_000, "round {round}");
    }
}

// RFC 9959, Safe Retreat: no more than half of what the path has carried, 100 packets, however the window goes down.
#[test]
fn a_jump_that_was_too_large_ends_at_half_of_what_was_carried() {
    for reduction in [Reduction::Immediate, Reduction::Proportional] {
        for name in ["reno", "cubic", "vegas", "illinois", "scalable"] {
            let config = Config::new().reduction(reduction);
            let mut cc = Transport::new(Controller::by_name(name).expect(name), &config, ms(0));
            let first = cc.on_sent(ms(0), MTU);
            cc.on_acked(ms(50), &[Acked::new(first, MTU)], None);
            assert!(cc.restore(&Snapshot::new(2000 * MTU, ms(55), ms(50))), "{name}");
            let mut all = Vec::new();
            while cc.may_send(MTU) {
                all.push(Acked::new(cc.on_sent(ms(51), MTU), MTU));
            }
            cc.on_acked(ms(101), &all[..100], None);
            let lost: Vec<_> = all[100..110].iter().map(|packet| Lost::new(packet.sent, MTU)).collect();
            cc.on_lost(ms(101), &lost, false);
            for packet in &all[110..] {
                cc.on_acked(ms(102), std::slice::from_ref(packet), None);
                while cc.may_send(MTU) {
                    cc.on_sent(ms(102), MTU);
                }
            }
            assert!(cc.window() <= 51 * MTU, "{name}, {reduction:?}: {} packets", cc.window() / MTU);
        }
    }
}
