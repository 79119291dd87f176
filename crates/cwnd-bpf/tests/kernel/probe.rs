// SPDX-License-Identifier: MIT OR Apache-2.0
//! Acknowledgements of any algorithm, seen from outside it.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use cwnd_bpf::{Probe, ProbeSample};

use crate::network::{Going, TestNetwork};
use crate::{MEGABYTE, kernel_is_ours, until};

#[test]
fn every_acknowledgement_of_the_wanted_connections_is_seen() {
    if !kernel_is_ours() {
        return;
    }
    let network = TestNetwork::new("probe", "200mbit", 30);
    let mut probe = Probe::attach(5001, "reno", 1 << 22).expect("attached");
    let mut other_port = Probe::attach(1, "", 1 << 16).expect("attached");
    let mut other_algorithm = Probe::attach(5001, "cubic", 1 << 16).expect("attached");
    let (mut samples, mut sent): (Vec<ProbeSample>, _) = (Vec::new(), 0);
    let network_of = &network;
    // 5 MB at least, and until a thousand acknowledgements have come and a loss has: one covers two segments, or more.
    thread::scope(|scope| {
        let going = Going::new();
        let more = Arc::clone(&going.0);
        let transfer = scope.spawn(move || network_of.transfer_while("reno", &more));
        let is_enough = |samples: &[ProbeSample]| {
            let Some((first, last)) = samples.first().zip(samples.last()) else { return false };
            let acked = last.conn.snd_una.wrapping_sub(first.conn.snd_una);
            samples.len() > 1000
                && u64::from(acked) > 5 * MEGABYTE
                && samples.iter().any(|seen| seen.conn.ssthresh < 1 << 30)
        };
        until("a thousand samples and a loss", || {
            assert!(!transfer.is_finished(), "it ended after {} samples", samples.len());
            samples.extend(probe.take(Duration::ZERO).expect("samples"));
            is_enough(&samples)
        });
        drop(going);
        until("the end of the transfer", || {
            samples.extend(probe.take(Duration::ZERO).expect("samples"));
            transfer.is_finished()
        });
        sent = transfer.join().expect("a transfer").received;
    });
    samples.extend(probe.take(Duration::ZERO).expect("samples"));
    assert_eq!(probe.lost().expect("a count"), 0);
    assert!(samples.iter().all(|seen| seen.algorithm == "reno" && seen.kernel.remote_port == 5001));
    let last = samples.last().expect("samples");
    let acked = last.conn.snd_una.wrapping_sub(samples[0].conn.snd_una);
    // All but what the handshake and the end acknowledge.
    assert!(u64::from(acked) + MEGABYTE > sent, "{acked} of {sent} bytes");
    assert_eq!(other_port.take(Duration::ZERO).expect("samples"), []);
    assert_eq!(other_algorithm.take(Duration::ZERO).expect("samples"), []);
}

// One page holds sixteen samples or so, and nobody takes them out. On a busy machine one acknowledgement covers a hundred
// segments, so the transfer goes on until enough have found no room, however many bytes that takes.
#[test]
fn what_finds_no_room_is_counted() {
    if !kernel_is_ours() {
        return;
    }
    let network = TestNetwork::new("proberoom", "200mbit", 30);
    let mut probe = Probe::attach(5001, "reno", 1).expect("attached");
    thread::scope(|scope| {
        let going = Going::new();
        let more = Arc::clone(&going.0);
        let transfer = scope.spawn(|| network.transfer_while("reno", &{ more }));
        until("a hundred samples that find no room", || {
            let lost = probe.lost().expect("a count");
            assert!(!transfer.is_finished(), "it ended: {lost} lost");
            lost > 100
        });
        drop(going);
    });
    let samples = probe.take(Duration::ZERO).expect("samples");
    assert!((8..32).contains(&samples.len()), "{} samples in 4096 bytes", samples.len());
}

// A page holds sixteen samples or so; the transfer has hundreds of acknowledgements, of which none is wanted.
#[test]
fn what_other_algorithms_send_takes_no_room() {
    if !kernel_is_ours() {
        return;
    }
    let network = TestNetwork::new("probeother", "200mbit", 30);
    let mut probe = Probe::attach(5001, "scalable", 1).expect("attached");
    network.transfer("cubic", 5 * MEGABYTE);
    assert_eq!(probe.lost().expect("a count"), 0);
    assert_eq!(probe.take(Duration::ZERO).expect("samples"), []);
}
