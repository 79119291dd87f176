// SPDX-License-Identifier: MIT OR Apache-2.0
//! What holds between any two events, checked in debug builds now and then. Sender, receiver and links check themselves.

use crate::engine::Simulation;
use crate::flow::Owner;
use crate::line::Kind;
use crate::queue::{Class, Id};
use std::collections::BTreeSet;

impl Simulation {
    /// Panics, saying what does not hold.
    pub(crate) fn check(&self) {
        self.check_order();
        self.check_flows();
    }

    /// Everything that waits for a time is in a queue for no later than that.
    fn check_order(&self) {
        let timers: BTreeSet<(u64, Id)> =
            self.timers.entries().map(|entry| (entry.time, entry.id())).collect();
        let armed = |class: Class, number: usize, time: u64| {
            time == u64::MAX || timers.contains(&(time, Id::new(class, number as u32)))
        };
        for (number, flow) in self.flows.iter().enumerate() {
            assert!(flow.armed <= flow.next_event(), "flow {number}: armed for {} ns", flow.armed);
            assert!(flow.rto_armed <= flow.sender.rto_at(), "flow {number}: armed for {} ns", flow.rto_armed);
            assert!(armed(Class::Main, number, flow.armed), "flow {number}: no entry at {} ns", flow.armed);
            assert!(
                armed(Class::Rto, number, flow.rto_armed),
                "flow {number}: no entry at {} ns",
                flow.rto_armed
            );
        }
        let lines: BTreeSet<(u64, Id)> =
            self.network.queue.entries().map(|entry| (entry.time, entry.id())).collect();
        for (number, line) in self.network.lines.iter().enumerate() {
            assert_eq!(line.armed, line.next(), "line {number}");
            assert!(line.iter().map(|packet| packet.due).is_sorted(), "line {number}");
            let id = Id::new(Class::Main, number as u32);
            assert!(
                line.armed == u64::MAX || lines.contains(&(line.armed, id)),
                "line {number}: no entry at {} ns",
                line.armed
            );
        }
    }

    /// Packets and acknowledgements under way are those that flows have out.
    fn check_flows(&self) {
        let mut under_way = vec![(0_u64, 0_u32); self.flows.len()];
        for packet in self.network.lines.iter().flat_map(crate::line::Line::iter) {
            match packet.kind {
                Kind::Fused | Kind::Hop | Kind::Data => under_way[packet.flow as usize].0 += 1,
                Kind::Ack | Kind::AckHop => under_way[packet.flow as usize].1 += 1,
                Kind::Datagram => {}
            }
        }
        for (number, (flow, out)) in self.flows.iter().zip(under_way).enumerate() {
            assert_eq!(
                (flow.on_the_way(), flow.acks_out),
                out,
                "flow {number}: data and acknowledgements out"
            );
            let dropped = flow.count.dropped.total();
            assert!(flow.count.forwarded + dropped <= flow.sender.sent.packets, "flow {number}");
            assert!(flow.receiver.distinct >= flow.receiver.next(), "flow {number}");
            assert!(flow.owner != Owner::Nobody || flow.is_gone(), "flow {number} has ended");
        }
    }
}
