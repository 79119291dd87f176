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

/// Calls and packets of a transfer of two megabytes on the kernel's `name`.
fn recorded(name: &str, network: &TestNetwork) -> (Vec<CallRecord>, Vec<PacketRecord>) {
    let wrapper = Wrapper::of_transport(name).expect("a wrapper");
    let loaded = wrapper.record_transport(&format!("cwnd_t_{name}"), 1 << 24);
    let (loaded, mut recorder, programs) = loaded.unwrap_or_else(|why| panic!("{name}: {why}"));
    let (mut calls, mut packets) = (Vec::new(), Vec::new());
    thread::scope(|scope| {
        let traffic = scope.spawn(|| network.transfer(loaded.name(), 2 * MEGABYTE));
        while !traffic.is_finished() {
            calls.extend(recorder.take(PATIENCE).expect("records"));
            packets.extend(recorder.packets());
        }
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
    (calls, packets)
}

// 2 MB are 1 400 segments at most; a packet handed over may hold several. The retransmissions and the FIN make it a little more.
#[test]
fn packets_and_calls_of_the_kernels_own_are_recorded_in_one_order() {
    if !kernel_is_ours() {
        return;
    }
    let network = TestNetwork::new("transport", "200mbit", 60);
    for name in ["cubic", "reno"] {
        let (calls, packets) = recorded(name, &network);
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
        let bytes: u64 = packets
            .iter()
            .filter(|packet| packet.raw.kind == SENT)
            .map(|packet| u64::from(packet.raw.bytes) - u64::from(packet.raw.header[12] >> 4) * 4)
            .sum();
        assert!((2 * MEGABYTE..3 * MEGABYTE).contains(&bytes), "{name}: {bytes} bytes of data");
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
