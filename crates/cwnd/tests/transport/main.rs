// SPDX-License-Identifier: MIT OR Apache-2.0
//! The transport as a QUIC stack uses it, through a pipe of a fixed delay.

mod pacer;
mod paths;
mod pipe;
mod random;
mod rates;
mod reductions;
mod sizes;
mod spurious;

use cwnd::transport::{Acked, Config, Limit, Phase, Transport};
use cwnd::{Configured, Controller, algorithms};
use pipe::{MTU, Pipe, RTT, ms};
use std::time::Duration;

fn eighty(name: &str, config: Config) -> Pipe {
    let mut pipe = Pipe::new(name, config);
    (0..3).for_each(|_| pipe.round());
    pipe.send();
    assert_eq!(pipe.out.len(), 80); // 10, 20, 40, 80
    pipe.now += RTT;
    pipe
}

#[test]
fn slow_start_doubles_whatever_the_batch() {
    for batch in [1, 2, 8, 1000] {
        let mut pipe = Pipe { batch, ..Pipe::new("cubic", Config::new()) };
        (0..3).for_each(|_| pipe.round());
        assert_eq!((pipe.cc.window(), pipe.cc.phase()), (80 * MTU, Phase::SlowStart), "batches of {batch}");
    }
}

// Ten packets of 1000 bytes are 8 segments and 400 bytes: from 10 segments to 18. The 400 and eighteen more of 1000 (18 400) are 15 and
// 400: to 33. One at a time or at once.
#[test]
fn acknowledged_bytes_grow_the_window_by_their_segments() {
    for batch in [1, 3, 1000] {
        let mut cc = Transport::new(Controller::by_name("reno").unwrap(), &Config::new(), ms(0));
        for (round, (packets, window)) in [(10, 18), (18, 33)].into_iter().enumerate() {
            let at = RTT * round as u32;
            let sent: Vec<_> = (0..packets).map(|_| Acked::new(cc.on_sent(at, 1000), 1000)).collect();
            cc.on_burst_end(at, Limit::Window);
            sent.chunks(batch).for_each(|batch| cc.on_acked(at + RTT, batch, None));
            assert_eq!((cc.window(), cc.in_flight()), (window * MTU, 0), "batches of {batch}");
        }
    }
}

fn registered() -> impl Iterator<Item = &'static str> {
    cwnd::registry::all().flat_map(|algorithm| algorithm.sets().map(|set| set.name))
}

// Ten seconds of 200 round trips at most; the pipe has 100 segments with its queue, so that a loss comes whenever more are out.
#[test]
fn every_algorithm_runs_and_grows() {
    for name in registered() {
        let mut pipe = Pipe { holds: 100 * MTU, ..Pipe::new(name, Config::new()) };
        let mut largest = 0;
        while pipe.now < ms(10_000) {
            pipe.round();
            assert!(pipe.cc.window() >= MTU, "{name}");
            largest = largest.max(pipe.cc.window());
        }
        assert!(largest >= 20 * MTU, "{name}: {largest}");
    }
}

// RFC 9002 §7.8: a hundred round trips with two packets each, of a window of ten. Slow start grows to what is below twice the flight.
#[test]
fn an_application_that_sends_little_does_not_grow_the_window() {
    for name in ["reno", "cubic", "cubic-linux", "bic", "htcp", "scalable"] {
        let mut pipe = Pipe::new(name, Config::new());
        for _ in 0..100 {
            pipe.send_at_most(2);
            pipe.cc.on_burst_end(pipe.now, Limit::Application);
            pipe.now += RTT;
            pipe.acknowledge();
        }
        assert_eq!(pipe.cc.window(), 10 * MTU, "{name}");
        assert!(pipe.cc.metrics().delivery_rate.unwrap().app_limited);
    }
}

// RFC 9002 §7.8: a sender that its pacer holds back uses its window.
#[test]
fn a_pacer_that_holds_back_does_not_stop_growth() {
    let mut pipe = eighty("reno", Config::new());
    let all = std::mem::take(&mut pipe.out);
    pipe.lose(&all, false); // 40, congestion avoidance
    pipe.round();
    for limit in [Limit::Pacer, Limit::Application] {
        let before = pipe.cc.window();
        for _ in 0..4 {
            pipe.send_at_most(30);
            pipe.cc.on_burst_end(pipe.now, limit);
            pipe.now += RTT;
            pipe.acknowledge();
        }
        // Four times 30 of about 40 segments: two or three round trips' growth.
        let growth = (pipe.cc.window() - before) / MTU;
        assert!(
            if limit == Limit::Pacer { (2..=3).contains(&growth) } else { growth == 0 },
            "{limit:?} {growth}"
        );
    }
}

// RFC 5681 §4.1. RFC 9002 §6.2.1: 50 ms + 4 · rttvar + 25 ms. rttvar is 25 ms at the first sample and loses a quarter per round trip
// after it: four samples leave 25 · 0.75³ = 10.5 ms: 117 ms in all.
#[test]
fn an_idle_time_of_a_timeout_restarts_from_the_initial_window() {
    for (idle, restart, expected) in [(116, true, 160), (119, true, 10), (119, false, 160)] {
        let mut pipe = Pipe::new("cubic", Config::new().idle_restart(restart));
        (0..4).for_each(|_| pipe.round());
        pipe.now += ms(idle) - RTT; // a packet was sent a round trip ago
        pipe.cc.on_sent(pipe.now, MTU);
        assert_eq!(pipe.cc.window(), expected * MTU, "{idle} ms");
    }
}

#[test]
fn discarded_packets_leave_the_flight_and_nothing_else() {
    let mut pipe = Pipe::new("cubic", Config::new());
    pipe.send();
    pipe.cc.on_discarded(5 * MTU);
    assert_eq!((pipe.cc.in_flight(), pipe.cc.window(), pipe.cc.ssthresh()), (5 * MTU, 10 * MTU, None));
}

// One algorithm, linked alone, does what the registry's does.
#[test]
fn a_single_algorithm_is_the_registrys() {
    type Cubic = Configured<algorithms::cubic::Cubic>;
    let mut one = Pipe::of(Transport::new(Cubic::registered(), &Config::new(), ms(0)));
    let mut any = Pipe::new("cubic", Config::new());
    for round in 0..100 {
        one.round();
        any.round();
        if round % 20 == 5 {
            one.send();
            any.send();
            let (a, b) = (std::mem::take(&mut one.out), std::mem::take(&mut any.out));
            one.lose(&a, false);
            any.lose(&b, false);
        }
        assert_eq!(one.cc.metrics(), any.cc.metrics());
    }
}

#[test]
fn a_transport_may_be_sent_to_another_thread() {
    fn shared<T: Clone + Send + Sync + std::fmt::Debug>() {}
    shared::<Transport>();
    shared::<Transport<Configured<algorithms::reno::Reno>>>();
}

#[test]
#[cfg(debug_assertions)]
fn facts_that_cannot_be_stop_a_build_with_debug_assertions() {
    type Fault = fn(&mut Transport);
    let faults: [(&str, Fault); 3] = [
        ("time runs back", |cc| {
            cc.on_sent(ms(9), 1);
        }),
        ("more bytes leave the flight than are in it", |cc| cc.on_discarded(1)),
        ("a packet that was never sent is acknowledged or lost", |cc| {
            let foreign = cc.clone().on_sent(ms(10), 1);
            cc.on_acked(ms(10), &[Acked::new(foreign, 1)], None);
        }),
    ];
    for (message, fault) in faults {
        let cc = |config: Config| Transport::new(Controller::by_name("reno").unwrap(), &config, ms(10));
        let mut checked = cc(Config::new());
        let stopped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| fault(&mut checked)));
        assert_eq!(stopped.unwrap_err().downcast_ref::<String>().map(String::as_str), Some(message));
        let mut trusting = cc(Config::new().trusting());
        fault(&mut trusting);
        assert_eq!((trusting.window(), trusting.metrics().smoothed_rtt), (12_000, None::<Duration>));
    }
}
