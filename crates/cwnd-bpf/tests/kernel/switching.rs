// SPDX-License-Identifier: MIT OR Apache-2.0
//! Live connections change their algorithm.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use cwnd::CaState;
use cwnd_bpf::{ConnectionFilter, Error, Hook, Load as _, connections, switch};
use rustix::net::sockopt;

use crate::network::{Going, TestNetwork};
use crate::scope::Alone;
use crate::{kernel_is_ours, module, until};

/// To the port of `TestNetwork`'s receiver.
fn to_the_receiver() -> ConnectionFilter {
    ConnectionFilter { remote_port: Some(5001), ..ConnectionFilter::ALL }
}

// ha2008 §4.2: a pluggable module can be put under a connection that runs.
#[test]
fn a_transfer_is_moved_to_our_algorithm_in_mid_flight_and_back_and_finishes() {
    if !kernel_is_ours() {
        return;
    }
    let network = TestNetwork::new("switch", "200mbit", 30);
    let loaded = module("htcp").load("cwnd_switch").expect("loaded");
    let calls = |hook| loaded.counters().expect("counters").calls(hook);
    let transfer = thread::scope(|scope| {
        let going = Going::new();
        let more = Arc::clone(&going.0);
        let transfer = scope.spawn(|| network.transfer_while("reno", &{ more }));
        let moves = |from: &str, to: &str| {
            let from = ConnectionFilter { algorithm: Some(from.to_owned()), ..to_the_receiver() };
            let mut report = None;
            until("a connection to be moved", || {
                assert!(!transfer.is_finished(), "it ended before it was moved to {to}");
                let walk = network.in_sender(|| switch(&from, to)).expect("a walk");
                report = (walk.matched > 0).then_some(walk);
                report.is_some()
            });
            report.expect("a walk that found it")
        };
        let there = moves("reno", "cwnd_switch");
        assert_eq!((there.matched, there.changed, there.unreported), (1, 1, 0));
        let [connection] = &there.connections[..] else { panic!("{there:?}") };
        assert_eq!((connection.algorithm.as_str(), connection.remote.port()), ("reno", 5001));
        assert!(connection.refused.is_none(), "{connection}");
        assert_eq!((calls(Hook::Init), calls(Hook::Release)), (1, 0));
        // It runs on ours until it has grown and lost there.
        until("a hundred acknowledgements and a loss on ours", || {
            let counters = loaded.counters().expect("counters");
            assert!(!transfer.is_finished(), "it ended on ours: {counters}");
            counters.entered(CaState::Recovery) > 0 && counters.calls(Hook::CongAvoid) > 100
        });
        let back = moves("cwnd_switch", "reno");
        assert_eq!((back.matched, back.changed), (1, 1));
        assert_eq!((calls(Hook::Init), calls(Hook::Release)), (1, 1));
        let of_ours = calls(Hook::CongAvoid);
        println!("{}", loaded.counters().expect("counters"));
        drop(going);
        let transfer = transfer.join().expect("a transfer");
        // Not one call after `release`.
        assert_eq!(calls(Hook::CongAvoid), of_ours);
        transfer
    });
    assert_eq!(transfer.congestion, "reno");
    // A hundred acknowledgements and a loss are on ours alone.
    assert!(transfer.received > 100 * 1448, "{} bytes", transfer.received);
}

/// A connection over the loopback: the end that connected, and the one that accepted.
fn pair(listener: &TcpListener) -> (TcpStream, TcpStream) {
    let connected = TcpStream::connect(listener.local_addr().expect("an address")).expect("connected");
    let (accepted, _) = listener.accept().expect("accepted");
    for end in [&connected, &accepted] {
        sockopt::set_tcp_congestion(end, "reno").expect("reno");
    }
    (connected, accepted)
}

#[test]
fn only_what_matches_is_moved() {
    if !kernel_is_ours() {
        return;
    }
    let (here, elsewhere) = (Alone::new("here"), Alone::new("elsewhere"));
    let _loaded = module("veno").load("cwnd_matches").expect("loaded");
    let listen = || {
        let four = TcpListener::bind((Ipv4Addr::LOCALHOST, 7001)).expect("a listener");
        let six = TcpListener::bind((Ipv6Addr::LOCALHOST, 7002)).expect("a listener");
        let pairs = (pair(&four), pair(&six));
        (pairs, four, six)
    };
    let (((four, four_there), (mut six, mut six_there)), listener, _six) = here.within(listen);
    let (((other, _other_there), _), ..) = elsewhere.within(listen);
    let algorithm = |end: &TcpStream| sockopt::tcp_congestion(end).expect("a name");
    let all = here.within(|| connections(&ConnectionFilter::ALL)).expect("a walk");
    assert_eq!((all.matched, all.changed, all.connections.len()), (4, 0, 4), "{all:?}");
    let ends = all.connections.iter().map(|connection| (connection.local, connection.remote));
    let expected = [&four, &four_there, &six, &six_there]
        .map(|end| (end.local_addr().expect("an address"), end.peer_addr().expect("an address")));
    assert!(expected.iter().all(|end| ends.clone().any(|seen| seen == *end)), "{all:?}");

    let local = ConnectionFilter { local_port: Some(7001), ..ConnectionFilter::ALL };
    let report = here.within(|| switch(&local, "cwnd_matches")).expect("a walk");
    assert_eq!((report.matched, report.changed), (1, 1), "{report:?}");
    assert_eq!(
        [&four, &four_there, &six, &six_there].map(algorithm),
        ["reno", "cwnd_matches", "reno", "reno"]
    );
    // The listener is no connection, and another namespace is not ours.
    assert_ne!(sockopt::tcp_congestion(&listener).expect("a name"), "cwnd_matches");
    assert_eq!(algorithm(&other), "reno");

    let remote = ConnectionFilter {
        remote_port: Some(7002),
        algorithm: Some("reno".to_owned()),
        ..ConnectionFilter::ALL
    };
    let report = here.within(|| switch(&remote, "cwnd_matches")).expect("a walk");
    assert_eq!((report.matched, report.changed), (1, 1), "{report:?}");
    assert_eq!((algorithm(&six), algorithm(&six_there)), ("cwnd_matches".to_owned(), "reno".to_owned()));
    // Again: it is not on reno any more; and what is on the algorithm already is not moved.
    let report = here.within(|| switch(&remote, "cwnd_matches")).expect("a walk");
    assert_eq!((report.matched, report.changed), (0, 0), "{report:?}");
    let anyhow = ConnectionFilter { algorithm: None, ..remote };
    let report = here.within(|| switch(&anyhow, "cwnd_matches")).expect("a walk");
    assert_eq!((report.matched, report.changed), (1, 0), "{report:?}");
    six.write_all(b"still there").expect("sent");
    let mut text = [0; 11];
    six_there.read_exact(&mut text).expect("received");
    assert_eq!(&text, b"still there");
}

#[test]
fn a_refusal_comes_with_its_reason() {
    if !kernel_is_ours() {
        return;
    }
    let everything = switch(&ConnectionFilter::ALL, "reno").expect_err("all of the machine").to_string();
    assert!(everything.contains("to select connections"), "{everything}");
    let unknown = switch(&to_the_receiver(), "cwnd_nowhere").expect_err("no such algorithm");
    assert!(matches!(unknown, Error::NotRegistered(_)), "{unknown}");
}
