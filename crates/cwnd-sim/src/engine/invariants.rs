// SPDX-License-Identifier: MIT OR Apache-2.0
//! Invariants between any two events, checked in debug builds at intervals. Sender, receiver and links check themselves.

use super::Simulation;
use crate::network::Packet;
use crate::schedule::{EventClass, EventId};
use crate::tcp::Owner;
use cwnd_link::{Link, NEVER};
use cwnd_traffic::Direction;
use std::collections::BTreeSet;

impl Simulation {
    /// Panics with the invariant that does not hold.
    pub(super) fn check(&self) {
        // In time slices no line has an entry, and a flow none but that of a transfer's start.
        if self.time_slices.is_none() {
            self.check_order();
        }
        self.check_flows();
    }

    /// Every flow and every delay line has an entry no later than its next event.
    fn check_order(&self) {
        let timers: BTreeSet<(u64, EventId)> =
            self.timers.entries().map(|entry| (entry.time, entry.id)).collect();
        let armed = |class: EventClass, number: usize, time: u64| {
            time == NEVER || timers.contains(&(time, EventId::new(class, number as u32)))
        };
        for (number, flow) in self.flows.iter().enumerate() {
            assert!(flow.armed <= flow.next_event(), "flow {number}: armed for {} ns", flow.armed);
            assert!(flow.rto_armed <= flow.sender.rto_at(), "flow {number}: armed for {} ns", flow.rto_armed);
            assert!(
                armed(EventClass::Flow, number, flow.armed),
                "flow {number}: no entry at {} ns",
                flow.armed
            );
            assert!(
                armed(EventClass::Rto, number, flow.rto_armed),
                "flow {number}: no entry at {} ns",
                flow.rto_armed
            );
        }
        for (number, (link, &time)) in self.network.links.iter().zip(&self.network.links_armed).enumerate() {
            assert!(time <= link.next_event(), "link {number}: armed for {time} ns");
            assert!(armed(EventClass::Departure, number, time), "link {number}: no entry at {time} ns");
        }
        let lines: BTreeSet<(u64, EventId)> =
            self.network.event_queue.entries().map(|entry| (entry.time, entry.id)).collect();
        for (number, line) in self.network.lines.iter().enumerate() {
            assert_eq!(line.armed, line.next(), "line {number}");
            assert!(line.iter().map(Packet::due).is_sorted(), "line {number}");
            let id = EventId::new(EventClass::Line, number as u32);
            assert!(
                line.armed == NEVER || lines.contains(&(line.armed, id)),
                "line {number}: no entry at {} ns",
                line.armed
            );
        }
    }

    /// Packets and acknowledgements in delay lines and links are those that the flows count as in the network.
    fn check_flows(&self) {
        let mut in_lines = vec![(0_u64, 0_u32); self.flows.len()];
        let in_links = self.network.links.iter().flat_map(Link::packets).copied();
        for packet in self.packets_on_lines().chain(in_links) {
            match packet {
                Packet::Data { flow, .. } => in_lines[flow as usize].0 += 1,
                Packet::Ack { flow, .. } => in_lines[flow as usize].1 += 1,
                Packet::Datagram { .. } => {
                    if let Some(frame) = packet.frame() {
                        let out = &mut in_lines[frame.flow as usize];
                        match frame.direction {
                            Direction::Forward => out.0 += 1,
                            Direction::Reverse => out.1 += 1,
                        }
                    }
                }
            }
        }
        for (number, (flow, out)) in self.flows.iter().zip(in_lines).enumerate() {
            assert_eq!(
                (flow.in_network(), flow.acks_out),
                out,
                "flow {number}: data and acknowledgements out"
            );
            let dropped = flow.count.dropped.total();
            assert!(flow.count.forwarded + dropped <= flow.sender.sent.packets, "flow {number}");
            assert!(flow.receiver.distinct >= flow.receiver.next(), "flow {number}");
            assert!(flow.owner != Owner::Free || flow.has_drained(), "flow {number} has ended");
        }
    }
}
