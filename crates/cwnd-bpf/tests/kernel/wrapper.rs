// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's own algorithms, recorded by a wrapper around their functions, and repeated by our `-linux` sets.

use std::time::Duration;

use cwnd::replay::Call;
use cwnd::{CaEvent, Controller};
use cwnd_bpf::{CallRecord, Hook, Load as _, Wrapper};

use crate::network::TestNetwork;
use crate::recording::{record_on, replay};
use crate::{MEGABYTE, kernel_is_ours};

/// What the glue made of the kernel's fields, where the two disagree.
fn mistaken(record: &CallRecord) -> Option<String> {
    let (core, kernel) = (&record.row.before, &record.kernel);
    let in_flight = kernel.packets_out - kernel.sacked_out - kernel.lost_out + kernel.retrans_out;
    let min_rtt_us = if kernel.rtt_min_us == u32::MAX { 0 } else { kernel.rtt_min_us };
    let agree = core.packets_out == kernel.packets_out
        && core.in_flight == in_flight
        && core.min_rtt_us == min_rtt_us
        && core.tick_hz > 0;
    (!agree).then(|| format!("{core:?} of {kernel:?}"))
}

/// Every call of the kernel's `name` during `traffic`; none of them may end otherwise on the host.
fn repeated(name: &str, set: &str, traffic: impl Fn(&str) + Sync) -> Vec<CallRecord> {
    let kernel_name = format!("cwnd_w_{name}");
    let wrapper = Wrapper::find(name).expect("a wrapper");
    let loaded = wrapper.load_recording(&kernel_name, 1 << 26).unwrap_or_else(|why| panic!("{name}: {why}"));
    let records = record_on(loaded, traffic).expect("records");
    let (differences, first) = replay(&records, Controller::by_name(set).expect("registered"));
    assert_eq!((differences, first), (0, None), "{name}");
    assert_eq!(records.iter().find_map(mistaken), None, "{name}");
    records
}

fn any(records: &[CallRecord], holds: impl Fn(&CallRecord) -> bool) -> bool {
    records.iter().any(holds)
}

#[test]
fn the_kernels_reno_is_recorded_and_repeated_without_a_difference() {
    if !kernel_is_ours() {
        return;
    }
    let network = TestNetwork::new("wreno", "200mbit", 30);
    let records = repeated("reno", "reno-linux", |name| {
        network.transfer(name, 10 * MEGABYTE);
    });
    // A replay that could not fail would not have failed: another algorithm differs.
    let other = Controller::by_name("scalable-linux").expect("registered");
    assert!(replay(&records, other).0 > 0);
}

/// Rounds of traffic, each with all its calls repeated, until one shows what is looked for: what a round comes to depends on how
/// the machine's other work delays its packets. Returns the calls of all rounds.
fn until(what: &str, round: impl Fn() -> Vec<CallRecord>, shows: impl Fn(&[CallRecord]) -> bool) -> usize {
    let mut calls = 0;
    for _ in 0..ROUNDS {
        let records = round();
        calls += records.len();
        if shows(&records) {
            return calls;
        }
    }
    panic!("{ROUNDS} rounds without {what}");
}

/// After how many rounds something that each of them most likely shows is not there.
const ROUNDS: u32 = 10;

// Four settings: losses, a start that HyStart ends, idle periods, an application that sends too little; then losses until 10⁵
// fresh calls are together. How many calls a transfer makes depends on how many segments an acknowledgement covers.
#[test]
fn the_kernels_cubic_is_recorded_and_repeated_without_a_difference() {
    if !kernel_is_ours() {
        return;
    }
    let small = TestNetwork::new("wsmall", "200mbit", 60);
    let large = TestNetwork::new("wlarge", "200mbit", 2000);
    let lossy = || {
        repeated("cubic", "cubic-linux", |name| {
            small.transfer(name, 40 * MEGABYTE);
        })
    };

    // The queue drops a packet in 1024, and what it has no room for: 40 MB are 27 000 packets.
    let losses = lossy();
    assert!(losses.iter().filter(|record| record.row.call.hook() == Hook::Ssthresh).count() >= 5);
    // A replay that could not fail would not have failed: another algorithm differs.
    let other = Controller::by_name("cubic").expect("registered");
    assert!(replay(&losses, other).0 > 0);
    let mut calls = losses.len();

    let hystart = || {
        repeated("cubic", "cubic-linux", |name| {
            large.transfer(name, 20 * MEGABYTE);
        })
    };
    let left = |record: &CallRecord| {
        record.row.call.hook() == Hook::PktsAcked && record.row.after.ssthresh != record.row.before.ssthresh
    };
    calls += until("a slow start that HyStart ends", hystart, |records| any(records, left));

    let idle = || {
        repeated("cubic", "cubic-linux", |name| {
            large.transfer_in_parts(name, 24 * MEGABYTE, 4 * MEGABYTE, Duration::from_millis(600));
        })
    };
    let restarts = |record: &CallRecord| record.row.call == Call::CwndEvent { event: CaEvent::CwndRestart };
    calls += until("a restart after idle", idle, |records| any(records, restarts));

    let limited = || {
        repeated("cubic", "cubic-linux", |name| {
            large.transfer_in_parts(name, 8 * MEGABYTE, 15_000, Duration::from_millis(1));
        })
    };
    calls += until("an application that limits most calls", limited, |records| {
        2 * records.iter().filter(|record| record.row.before.is_cwnd_limited).count() < records.len()
    });

    while calls < 100_000 {
        let more = lossy().len();
        assert!(more >= 1000, "{more} calls for 27 000 packets");
        calls += more;
    }
    println!("{calls} calls");
}
