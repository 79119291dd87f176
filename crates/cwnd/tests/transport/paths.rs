// SPDX-License-Identifier: MIT OR Apache-2.0
//! Other datagrams, other paths, copies, and windows that were saved.

use crate::pipe::{MTU, Pipe, RTT, ms};
use crate::{eighty, registered};
use cwnd::Controller;
use cwnd::driver::EcnOutcome;
use cwnd::transport::{Config, Lost, Snapshot, Transport};

// 56 × 1200 = 67 200 bytes, in slow start 80 × 1200 = 96 000. Two datagrams of 9000 are the least for 2 × 1200.
#[test]
fn another_datagram_size_keeps_the_bytes_of_window_and_threshold() {
    for name in ["cubic", "reno", "htcp"] {
        let mut pipe = eighty(name, Config::new());
        for mtu in [1452, 9000, 1200] {
            pipe.cc.on_mtu(mtu);
            let cc = &pipe.cc;
            assert_eq!((cc.window(), cc.ssthresh(), cc.in_flight()), (96_000, None, 96_000), "{name} {mtu}");
        }
    }
    let mut pipe = eighty("cubic", Config::new());
    let all = std::mem::take(&mut pipe.out);
    pipe.lose(&all, false);
    for mtu in [1452, 9000, 1200] {
        pipe.cc.on_mtu(mtu);
        assert_eq!((pipe.cc.window(), pipe.cc.ssthresh()), (67_200, Some(67_200)), "{mtu}");
        assert_eq!(pipe.cc.burst(), if mtu == 9000 { 18_000 } else { 10 * u64::from(mtu) });
    }
    let mut pipe = eighty("cubic", Config::new());
    let all = std::mem::take(&mut pipe.out);
    pipe.lose(&all, true);
    pipe.cc.on_mtu(9000);
    assert_eq!(pipe.cc.window(), 18_000);
}

// RFC 9000 §9.4. What comes for packets of the old path changes nothing.
#[test]
fn another_path_begins_anew_with_the_same_settings() {
    let mut algorithm = Controller::by_name("cubic").unwrap();
    algorithm.set_param("beta", "0.5").unwrap();
    let mut pipe = Pipe::of(Transport::new(algorithm, &Config::new(), ms(0)));
    (0..3).for_each(|_| pipe.round());
    pipe.send();
    pipe.now += RTT;
    let old = std::mem::take(&mut pipe.out);
    let epoch = pipe.lose(&old[..1], false).unwrap();
    let lost = [Lost::new(old[0].sent, old[0].bytes)];
    pipe.cc.on_path_change(pipe.now);
    let fresh = format!("{:?}", pipe.cc);
    assert_eq!((pipe.cc.window(), pipe.cc.ssthresh(), pipe.cc.in_flight()), (12_000, None, 0));
    assert_eq!(pipe.cc.metrics().smoothed_rtt, None);
    pipe.cc.on_acked(pipe.now, &old[1..40], None);
    pipe.lose(&old[40..], true);
    assert_eq!(pipe.cc.on_ecn(pipe.now, 1, Some(old[40].sent)), EcnOutcome::Ignored);
    assert!(!pipe.cc.on_spurious(pipe.now, epoch, &lost));
    assert_eq!(format!("{:?}", pipe.cc), fresh);
    (0..3).for_each(|_| pipe.round());
    pipe.send();
    let new = std::mem::take(&mut pipe.out);
    pipe.lose(&new[..1], false);
    assert_eq!(pipe.cc.window(), 40 * MTU, "half of 80, as set");
    assert!(!pipe.cc.on_spurious(pipe.now, epoch, &lost), "the first epoch there, too, but of another path");
}

// The same facts to both give the same in every variable; facts to one leave the other.
#[test]
fn a_clone_goes_on_from_the_same_state() {
    for name in registered() {
        let mut pipe = Pipe::new(name, Config::new());
        (0..3).for_each(|_| pipe.round());
        pipe.send();
        pipe.now += RTT;
        let all = std::mem::take(&mut pipe.out);
        pipe.lose(&all[..5], false);
        pipe.cc.on_acked(pipe.now, &all[5..], None);
        (0..7).for_each(|_| pipe.round());
        let (mut twin, before) = (pipe.clone(), format!("{:?}", pipe.cc));
        for other in [&mut twin, &mut pipe] {
            assert_eq!(format!("{:?}", other.cc), before, "{name}");
            (0..20).for_each(|_| other.round());
            other.send();
            let all = std::mem::take(&mut other.out);
            other.lose(&all[..1], false);
            other.now += RTT;
            other.cc.on_acked(other.now, &all[1..], None);
            (0..20).for_each(|_| other.round());
        }
        assert_eq!(format!("{:?}", pipe.cc), format!("{:?}", twin.cc), "{name}");
    }
}

// Half of 400 000: 166 segments of 1200. The retreat: 10 out at the jump and 10 of 166 delivered after it are 20 · 1200 bytes; half is 10.
#[test]
fn a_saved_window_is_restored_by_half_and_given_up_after_a_loss() {
    let saved = Snapshot::new(400_000, RTT, RTT);
    let mut pipe = Pipe::new("cubic", Config::new());
    assert!(!pipe.cc.restore(&saved), "the path is not confirmed");
    pipe.round();
    for refused in [ms(101), ms(4)] {
        assert!(!pipe.cc.restore(&Snapshot::new(400_000, refused, refused)), "another path");
    }
    pipe.send_at_most(10);
    assert!(pipe.cc.restore(&saved));
    assert_eq!((pipe.cc.window(), pipe.cc.ssthresh()), (166 * MTU, None));
    assert!(!pipe.cc.restore(&saved), "once");
    let good = pipe.clone();
    pipe.send();
    pipe.now += RTT;
    let all = std::mem::take(&mut pipe.out);
    pipe.cc.on_acked(pipe.now, &all[..10], None);
    pipe.lose(&all[10..], false);
    assert!(pipe.cc.window() <= 10 * MTU, "{}", pipe.cc.window());
    // The path carries it: a later loss is one like any other, 0.7 of the window.
    let mut pipe = good;
    (0..3).for_each(|_| pipe.round());
    pipe.send();
    pipe.now += RTT;
    let (window, all) = (pipe.cc.window(), std::mem::take(&mut pipe.out));
    pipe.lose(&all[..1], false);
    assert_eq!(pipe.cc.window() / MTU, (window / MTU * 7 + 5) / 10);
    let snapshot = pipe.cc.snapshot();
    assert_eq!((snapshot.window, snapshot.smoothed_rtt, snapshot.min_rtt), (pipe.cc.window(), RTT, RTT));
}
