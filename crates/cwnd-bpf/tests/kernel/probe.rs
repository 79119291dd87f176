// SPDX-License-Identifier: MIT OR Apache-2.0
//! Acknowledgements of any algorithm, seen from outside it.

use std::thread;
use std::time::Duration;

use cwnd_bpf::Probe;

use crate::network::Network;
use crate::{MEGABYTE, kernel_is_ours};

const PATIENCE: Duration = Duration::from_millis(50);

#[test]
fn every_acknowledgement_of_the_wanted_connections_is_seen() {
    if !kernel_is_ours() {
        return;
    }
    let network = Network::new("probe", "200mbit", 30);
    let mut probe = Probe::attach(5001, "reno", 1 << 22).expect("attached");
    let mut other_port = Probe::attach(1, "", 1 << 16).expect("attached");
    let mut other_algorithm = Probe::attach(5001, "cubic", 1 << 16).expect("attached");
    let mut samples = Vec::new();
    thread::scope(|scope| {
        let transfer = scope.spawn(|| network.transfer("reno", 5 * MEGABYTE));
        while !transfer.is_finished() {
            samples.extend(probe.take(PATIENCE).expect("samples"));
        }
    });
    samples.extend(probe.take(PATIENCE).expect("samples"));
    assert_eq!(probe.lost().expect("a count"), 0);
    // Every second segment of 1448 bytes has an acknowledgement of its own, more or less.
    assert!(samples.len() > 1000, "{}", samples.len());
    assert!(samples.iter().all(|seen| seen.algorithm == "reno" && seen.kernel.remote_port == 5001));
    assert!(samples.iter().any(|seen| seen.conn.ssthresh < 1 << 30), "no loss");
    let last = samples.last().expect("samples");
    let acked = last.conn.snd_una.wrapping_sub(samples[0].conn.snd_una);
    assert!(u64::from(acked) > 4 * MEGABYTE, "{acked} bytes");
    assert_eq!(other_port.take(Duration::ZERO).expect("samples"), []);
    assert_eq!(other_algorithm.take(Duration::ZERO).expect("samples"), []);
}
