// SPDX-License-Identifier: MIT OR Apache-2.0
//! Claims over every stack and each of its own algorithms, and over every QUIC.

use crate::harness::{
    MS, Network, Path, SECOND, UNLIMITED, connect, connect_with, is_reproducible, linked, quic, transfer,
    with_algorithms,
};
use cwnd_scenario::Stack;
use cwnd_sim::{ConnectionSpec, StackAlgorithm, Stacks};
use cwnd_stacks::RealStacks;

/// The largest datagram of a stack: a TCP has the 8 bytes of UDP's header.
fn longest(stack: Stack, datagram: u16) -> usize {
    usize::from(datagram) + if stack == Stack::Smoltcp { 8 } else { 0 }
}

#[test]
fn every_algorithm_fills_a_bottleneck_with_a_buffer_of_one_bdp() {
    for (stack, algorithm) in with_algorithms(linked()) {
        let path = Path::new(10, 40);
        let out = transfer(connect(stack, algorithm, 1, false), &path, 20);
        let goodput = out.goodput(&path, 20);
        println!("{stack:?} {algorithm}: goodput {goodput:.4}, {} drops, {:?}", out.drops, out.sender);
        assert_eq!(out.failure, None, "{stack:?} {algorithm}");
        // 1452 of 1480 bytes are the datagram, and about 1420 of them data: 0.96 at most.
        let least = match (stack, algorithm) {
            // noq's BBRv3: 0.863 to 0.866 in twelve runs.
            (Stack::Noq, "bbr") => 0.8,
            // smoltcp leaves recovery at the first acknowledgement of new data, so several losses of a window cost a timeout of a second
            // or more: 0.888 and 0.662.
            (Stack::Smoltcp, "reno") => 0.85,
            (Stack::Smoltcp, _) => 0.6,
            _ => 0.9,
        };
        assert!(goodput > least, "{stack:?} {algorithm}: {goodput}");
        assert!(
            out.longest <= longest(stack, 1452),
            "{stack:?} {algorithm}: a datagram of {} bytes",
            out.longest
        );
        assert!(out.sender.min_rtt >= 40 * MS && out.sender.min_rtt < 43 * MS, "{:?}", out.sender);
        assert!(out.sender.srtt >= out.sender.min_rtt, "{:?}", out.sender);
        assert!(out.drops == 0 || out.sender.lost > 0, "{:?}", out.sender);
    }
}

#[test]
fn one_seed_gives_one_sequence_of_bytes_and_another_gives_others() {
    for (stack, algorithm) in with_algorithms(linked()) {
        let path = Path::new(20, 30);
        let run = |seed| transfer(connect(stack, algorithm, seed, false), &path, 15);
        let [first, again, other] = [1, 1, 2].map(run);
        if !is_reproducible(stack, algorithm) {
            // Said where it is so, and nowhere else. Two runs may be equal by chance, so nothing is asserted.
            println!("{stack:?} {algorithm}: equal bytes: {}", first.bytes == again.bytes);
            continue;
        }
        assert_eq!(first.bytes, again.bytes, "{stack:?} {algorithm}");
        assert_eq!(first.sender, again.sender, "{stack:?} {algorithm}");
        assert_ne!(first.bytes, other.bytes, "{stack:?} {algorithm}");
    }
}

/// TLS draws its keys from the system, so bytes differ; lengths and times do not.
#[cfg(feature = "tls")]
#[test]
fn tls_and_no_cryptography_give_the_same_datagrams_at_the_same_times() {
    for (stack, algorithm) in with_algorithms(quic()).filter(|&(stack, own)| is_reproducible(stack, own)) {
        let path = Path::new(10, 40);
        let run = |tls| transfer(connect(stack, algorithm, 3, tls), &path, 10);
        let (null, tls, again) = (run(false), run(true), run(true));
        println!("{stack:?} {algorithm}: {:?} datagrams, {} drops", null.datagrams, null.drops);
        assert_eq!(
            (null.datagrams, &null.drop_times),
            (tls.datagrams, &tls.drop_times),
            "{stack:?} {algorithm}"
        );
        assert_eq!((null.shape, tls.shape), (tls.shape, again.shape), "{stack:?} {algorithm}");
        assert_eq!((null.sender, null.receiver), (tls.sender, tls.receiver), "{stack:?} {algorithm}");
        assert_ne!(null.bytes, tls.bytes, "{stack:?} {algorithm}");
        assert_ne!(tls.bytes, again.bytes, "{stack:?} {algorithm}");
    }
}

#[test]
fn a_handshake_survives_the_loss_of_its_first_datagrams() {
    for stack in linked() {
        for lost in 0..4 {
            let mut path = Path::new(10, 40);
            path.lost.insert(lost);
            let out = transfer(connect(stack, "cubic", 1, false), &path, 5);
            assert_eq!(out.failure, None, "{stack:?} without datagram {lost}");
            // The first costs a second, and leaves a slow start threshold of a few packets.
            // smoltcp after a second without its first: 0.46.
            let least = if stack.is_quic() { 0.5 } else { 0.3 };
            assert!(out.goodput(&path, 5) > least, "{stack:?} without datagram {lost}: {out:?}");
        }
    }
}

#[test]
fn datagrams_are_as_long_as_they_may_be_and_no_longer() {
    for stack in linked() {
        for datagram in [1200, 1472, 8972, 16_383] {
            let algorithm = StackAlgorithm::Stock("cubic".to_owned());
            let spec = ConnectionSpec {
                stack,
                algorithm,
                datagram,
                receive_window: None,
                tls: false,
                seed: 1,
                exec: None,
            };
            let mut path = Path::new(20, 40);
            path.buffer *= 4;
            let connection = RealStacks.connect(spec).expect("a connection");
            let headers = connection.sender.headers() as usize;
            let out = transfer(connection, &path, 5);
            assert_eq!(out.longest, longest(stack, datagram), "{stack:?}");
            // The packet is as long for every stack: 20 bytes of IPv4, and 8 of UDP or as much more of TCP.
            assert_eq!(out.longest + headers, usize::from(datagram) + 28, "{stack:?}");
            assert_eq!(out.failure, None, "{stack:?} {datagram}");
            let least = if stack.is_quic() { 0.5 } else { 0.2 };
            assert!(out.goodput(&path, 5) > least, "{stack:?} {datagram}: {}", out.goodput(&path, 5));
        }
    }
}

/// One datagram in so many is lost, from the first on, drawn from a generator of the test.
#[test]
fn random_loss_ends_no_connection() {
    for (stack, algorithm) in with_algorithms(linked()) {
        for one_in in [100, 20, 5] {
            let mut path = Path::new(10, 40);
            let mut state: u64 = one_in;
            path.lost = (0..20_000)
                .filter(|_| {
                    state =
                        state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    (state >> 33).is_multiple_of(one_in)
                })
                .collect();
            let out = transfer(connect(stack, algorithm, 1, false), &path, 30);
            println!("{stack:?} {algorithm}, one in {one_in}: {} bytes, {:?}", out.receiver.read, out.sender);
            assert_eq!(out.failure, None, "{stack:?} {algorithm}, one in {one_in}");
            // smoltcp with one in five: 50 400 bytes, most of the time between timeouts.
            let least = if stack.is_quic() { 50_000 } else { 30_000 };
            assert!(out.receiver.read > least, "{stack:?} {algorithm}, one in {one_in}: {:?}", out.receiver);
        }
    }
}

#[test]
fn a_finite_write_arrives_exactly_and_then_the_sender_is_quiet() {
    for stack in linked() {
        for bytes in [1, 100_000, 3_000_001] {
            let path = Path::new(10, 40);
            let out = Network::new(connect(stack, "cubic", 1, false), path).write(bytes).run(20 * SECOND);
            assert_eq!(out.receiver.read, bytes, "{stack:?}");
            // 3 MB take 2.5 s of the bottleneck; smoltcp waits for its timeouts beside: 8.9 s.
            let limit = if stack.is_quic() { 4 } else { 12 };
            assert!(out.last_sent < limit * SECOND, "{stack:?} still sends after {} ms", out.last_sent / MS);
            assert_eq!(out.failure, None, "{stack:?}");
        }
    }
}

#[test]
fn an_application_that_finishes_may_go_on_later() {
    for stack in linked() {
        let mut network = Network::new(connect(stack, "cubic", 1, false), Path::new(10, 40)).write(u64::MAX);
        network.run_to(2 * SECOND);
        let mut network = network.finish();
        network.run_to(15 * SECOND);
        let paused = network.outcome();
        let limit = if stack.is_quic() { 3 } else { 12 };
        assert!(paused.last_sent < limit * SECOND, "{stack:?} sends until {} ms", paused.last_sent / MS);
        let out = network.write(250_000).run(30 * SECOND);
        assert_eq!(out.receiver.read, paused.receiver.read + 250_000, "{stack:?}");
        assert_eq!(out.failure, None, "{stack:?}");
    }
}

#[test]
fn an_endpoint_shows_no_rtt_that_it_has_not_measured() {
    for stack in linked() {
        // Longer than the 333 ms that both stacks begin with.
        let mut network = Network::new(connect(stack, "cubic", 1, false), Path::new(10, 500)).write(u64::MAX);
        network.run_to(499 * MS);
        let probe = network.outcome().sender;
        assert_eq!((probe.srtt, probe.min_rtt), (0, 0), "{stack:?}");
        for seconds in [1, 2, 10] {
            network.run_to(seconds * SECOND);
            let probe = network.outcome().sender;
            assert!(probe.min_rtt >= 500 * MS && probe.min_rtt < 510 * MS, "{stack:?}: {probe:?}");
            assert!(probe.srtt >= probe.min_rtt, "{stack:?}: {probe:?}");
        }
    }
}

#[test]
fn marks_reach_the_controller_of_every_quic() {
    for stack in quic() {
        let mut path = Path::new(10, 40);
        path.mark_above = Some(path.buffer / 4);
        path.buffer *= 8;
        let out = transfer(connect(stack, "cubic", 1, false), &path, 10);
        println!("{stack:?}: {} marks, {:?}", out.marks, out.sender);
        assert!(out.marks > 0 && out.drops == 0, "{stack:?}: {} marks, {} drops", out.marks, out.drops);
        assert!(out.sender.congestion_events > 0, "{stack:?}: {:?}", out.sender);
        assert_eq!(out.sender.lost, 0, "{stack:?}: {:?}", out.sender);
        assert!(out.goodput(&path, 10) > 0.8, "{stack:?}: {}", out.goodput(&path, 10));
    }
}

/// quinn gives a stream up that has more than 1024 gaps, noq one with 2048 packets behind a lost one; slow start makes both at this rate
/// where no receive window limits it.
#[test]
fn at_1_gbit_data_flow_or_the_endpoint_says_why_not() {
    for (stack, algorithm) in with_algorithms(quic()) {
        let path = Path::new(1000, 40);
        let out = transfer(connect_with(stack, algorithm, (1, false), UNLIMITED), &path, 5);
        let goodput = out.goodput(&path, 5);
        println!(
            "{stack:?} {algorithm}: goodput {goodput:.3}, {} drops, failure {:?}",
            out.drops, out.failure
        );
        assert!(goodput > 0.5 || out.failure.is_some(), "{stack:?} {algorithm}: {goodput}");
    }
}

/// One gap: quinn joins what lies behind it. noq counts each packet behind it as a piece of its own, and ends the connection when
/// there are more than 2048 (`assembler.rs`: pieces that fill their packet are never joined). noq's default receive window, 1.25 MB,
/// never lets so many be sent.
#[test]
fn one_loss_with_3_mb_behind_it_ends_a_connection_of_noq_and_none_of_quinn() {
    for (stack, ends) in [(Stack::Quinn, false), (Stack::Noq, true)] {
        // 5 MB are in flight when datagram 12000 is lost, and nothing else is.
        let mut path = Path::new(1000, 40);
        path.buffer *= 40;
        path.lost.insert(12_000);
        let out = transfer(connect_with(stack, "cubic", (1, false), UNLIMITED), &path, 1);
        assert_eq!(out.drops, 1);
        assert_eq!(out.failure.is_some_and(|reason| reason.contains("too many gaps")), ends, "{stack:?}");
    }
}

#[test]
fn what_a_stack_cannot_be_is_said_in_one_line() {
    let refusal = |stack, algorithm: &str, datagram| {
        let algorithm = StackAlgorithm::Stock(algorithm.to_owned());
        let spec = ConnectionSpec {
            stack,
            algorithm,
            datagram,
            receive_window: None,
            tls: false,
            seed: 1,
            exec: None,
        };
        RealStacks.connect(spec).map(|_| ()).expect_err("refused")
    };
    assert!(refusal(Stack::Smoltcp, "newreno", 1452).contains("cubic, reno"));
    assert!(refusal(Stack::Smoltcp, "reno", 500).contains("548"));
    for stack in quic() {
        assert!(refusal(stack, "vegas", 1452).contains("newreno"));
        assert!(refusal(stack, "cubic", 1199).contains("1200"));
        assert!(refusal(stack, "cubic", 16_384).contains("16383"));
    }
}
