// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's own algorithms with what their connections send and receive, in one order with the calls of their hooks.

use std::collections::BTreeSet;
use std::thread;
use std::time::Duration;

use cwnd_bpf::{CallRecord, Hook, PacketRecord, UnseenSegments, Wrapper};

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

/// How many bytes of the stream are in a packet that was sent; each is counted once.
fn covered(packets: &[PacketRecord]) -> u64 {
    let sent = || packets.iter().filter(|packet| packet.raw.kind == SENT);
    let number =
        |packet: &PacketRecord| u32::from_be_bytes(packet.raw.header[4..8].try_into().expect("four bytes"));
    let first = sent().next().map(number).expect("a handshake");
    let mut parts: Vec<(u32, u32)> = sent()
        .map(|packet| {
            let data = packet.raw.bytes.saturating_sub(u32::from(packet.raw.header[12] >> 4) * 4);
            (number(packet).wrapping_sub(first), data)
        })
        .collect();
    parts.sort_unstable();
    let mut reached = 0;
    parts.iter().fold(0, |sum, &(from, data)| {
        let new = (from + data).saturating_sub(reached.max(from));
        reached = reached.max(from + data);
        sum + u64::from(new)
    })
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
    let (mut calls, mut packets, mut unseen) = (Vec::new(), Vec::new(), UnseenSegments::default());
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
    packets.iter().for_each(|packet| unseen.note(packet));
    Recorded { calls, packets, unseen: unseen.segments(), segments, info: transfer.info }
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
        // Where no tracing program runs in some of the interrupts, what leaves in them is unseen: by far the smaller part.
        assert!(unseen * 4 < segments, "{name}: recorded {shown}, unseen {unseen}");
        // Every byte is in some record, or in a segment that is unseen.
        let covered = covered(&packets);
        assert!(
            covered + 1448 * unseen >= 2 * MEGABYTE && covered <= 2 * MEGABYTE,
            "{name}: {covered} bytes, unseen {unseen}"
        );
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
