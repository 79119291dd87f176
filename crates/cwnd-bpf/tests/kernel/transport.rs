// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's own algorithms with what their connections send and receive, in one order with the calls of their hooks.

use std::collections::BTreeSet;
use std::thread;
use std::time::Duration;

use cwnd_bpf::{CallRecord, Hook, PacketRecord, Wrapper};

use crate::network::TestNetwork;
use crate::{MEGABYTE, kernel_is_ours};

/// How long to wait for a record where there must be one, and between looks at a transfer that runs.
const PATIENCE: Duration = Duration::from_millis(200);
const ACK: u32 = 0;
const SENT: u32 = 1;

/// The data segments in a packet that was sent.
fn data_segments(packet: &PacketRecord) -> u32 {
    let data = packet.raw.bytes.saturating_sub(u32::from(packet.raw.header[12] >> 4) * 4);
    let size = if packet.raw.gso_size > 0 { packet.raw.gso_size } else { 1448 };
    if packet.raw.kind == SENT { data.div_ceil(size) } else { 0 }
}

/// What came of a transfer of two megabytes.
struct Recorded {
    calls: Vec<CallRecord>,
    packets: Vec<PacketRecord>,
    /// Data segments that no program saw.
    unseen: u64,
    /// Data segments that the sender's socket had sent at the end, as `ss` shows them.
    segments: u64,
    /// The socket, as `ss` shows it.
    info: String,
}

/// Calls and packets of a transfer on the kernel's `name`.
fn recorded(name: &str, network: &TestNetwork) -> Recorded {
    let wrapper = Wrapper::of_transport(name).expect("a wrapper");
    let loaded = wrapper.record_transport(&format!("cwnd_t_{name}"), 1 << 24);
    let (loaded, mut recorder, programs) = loaded.unwrap_or_else(|why| panic!("{name}: {why}"));
    let (mut calls, mut packets) = (Vec::new(), Vec::new());
    let transfer = thread::scope(|scope| {
        let traffic = scope.spawn(|| network.transfer(loaded.name(), 2 * MEGABYTE));
        while !traffic.is_finished() {
            calls.extend(recorder.take(PATIENCE).expect("records"));
            packets.extend(recorder.packets());
        }
        traffic.join().expect("a transfer")
    });
    drop(programs);
    loop {
        let more = recorder.take(PATIENCE).expect("records");
        packets.extend(recorder.packets());
        if more.is_empty() {
            break;
        }
        calls.extend(more);
    }
    assert_eq!(loaded.counters().expect("counters").lost(), 0);
    let segments =
        transfer.info.split_once("data_segs_out:").and_then(|(_, rest)| rest.split_whitespace().next());
    let segments = segments.and_then(|number| number.parse().ok()).expect("a count of ss");
    Recorded { calls, packets, unseen: recorder.unseen(), segments, info: transfer.info }
}

// 2 MB are 1 382 segments; how many are sent again is the machine's doing. A packet handed over may hold several.
#[test]
fn packets_and_calls_of_the_kernels_own_are_recorded_in_one_order() {
    if !kernel_is_ours() {
        return;
    }
    let network = TestNetwork::new("transport", "200mbit", 60);
    for name in ["cubic", "reno"] {
        let Recorded { calls, packets, unseen, segments, info } = recorded(name, &network);
        // Every place is taken once.
        let places: Vec<u64> =
            calls.iter().map(|call| call.seq).chain(packets.iter().map(|packet| packet.seq)).collect();
        let distinct: BTreeSet<u64> = places.iter().copied().collect();
        assert_eq!(
            (distinct.len(), distinct.last()),
            (places.len(), Some(&(places.len() as u64 - 1))),
            "{name}"
        );
        // Hooks that the algorithm has no function for, too.
        let hooks: BTreeSet<&str> = calls.iter().map(|call| call.row.call.hook().name()).collect();
        let expected =
            [Hook::Init, Hook::CongAvoid, Hook::CwndEvent, Hook::InAckEvent, Hook::PktsAcked].map(Hook::name);
        assert!(expected.iter().all(|hook| hooks.contains(hook)), "{name}: {hooks:?}");
        let shown: u64 = packets.iter().map(|packet| u64::from(data_segments(packet))).sum();
        assert_eq!(shown + unseen, segments, "{name}: recorded {shown}, unseen {unseen}; {info}");
        // Where the machine keeps some of its tasks from being traced, what falls into their time is unseen.
        assert!(shown > 1382 / 2 && segments >= 1382, "{name}: recorded {shown} of {segments}");
        // What an acknowledgement leads to stands behind it: the clock of its calls is later than the time at which it was seen.
        let acks: Vec<_> = packets.iter().filter(|packet| packet.raw.kind == ACK).collect();
        assert!(acks.len() > 20, "{name}: {} acknowledgements", acks.len());
        for ack in acks {
            let next = calls.iter().find(|call| call.seq > ack.seq && call.connection == ack.connection);
            let late_us = next.map(|call| call.time_us.saturating_add(1).checked_sub(ack.raw.time_ns / 1000));
            assert!(late_us.is_none_or(|late| late.is_some()), "{name}: {ack:?}, {next:?}");
        }
    }
}
