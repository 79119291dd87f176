// SPDX-License-Identifier: MIT OR Apache-2.0
//! What applications do: flows begin and end, sources of traffic start transfers, actions take place.

use crate::engine::Simulation;
use crate::flow::{FlowState, NO_TRANSFER, Owner};
use crate::line::{Kind, Packet};
use crate::queue::{Class, Id};
use crate::record::{EventKind, NO_LINK, TransferRow};
use crate::sources::NO_FLOW;
use crate::traffic::{self, Direction, Event, Transfer};
use cwnd_scenario::FlowAction;
use std::sync::Arc;

impl Simulation {
    /// One of the scenario's flows starts.
    pub(crate) fn begin(&mut self, now: u64, number: u32) {
        let named = &self.named[number as usize];
        let flow = &mut self.flows[number as usize];
        flow.start_at = u64::MAX;
        if let Some(bytes) = named.group.size {
            flow.goal = bytes.div_ceil(u64::from(self.scenario.mss()));
            flow.end_with(bytes, self.scenario.mss());
            flow.transfer = self.tables.start_transfer(TransferRow {
                group: None,
                number,
                start_ns: now,
                end_ns: None,
                bytes: Some(bytes),
                rtt_ns: named.rtt,
                reverse: named.group.route == cwnd_scenario::Route::Reverse,
            });
        }
        self.note(now, number, EventKind::Start, NO_LINK, 0);
        self.respond_to(now, number);
    }

    /// An action on one of the scenario's flows.
    pub(crate) fn act(&mut self, now: u64, number: u32, action: &FlowAction) {
        let flow = &mut self.flows[number as usize];
        let waits = flow.start_at != u64::MAX;
        let kind = match action {
            FlowAction::Start => {
                if flow.sender.is_stopped(now) {
                    flow.sender.resume();
                }
                if waits {
                    return self.begin(now, number);
                }
                EventKind::Start
            }
            FlowAction::Stop => {
                flow.sender.stop();
                EventKind::Stop
            }
            FlowAction::Switch(..) => {
                if let Some(controller) = action.controller() {
                    flow.sender.switch(controller);
                }
                EventKind::Switch
            }
        };
        self.note(now, number, kind, NO_LINK, 0);
        if !waits {
            self.respond_to(now, number);
        }
    }

    pub(crate) fn wake_source(&mut self, number: u32, at: Option<u64>) {
        if let Some(at) = at {
            self.timers.push(&mut self.orders, at, Id::new(Class::Source, number));
        }
    }

    /// What a source announced happens.
    pub(crate) fn on_source(&mut self, now: u64, number: u32) {
        self.timers.remove_first();
        match self.background.sources[number as usize].pending.take() {
            Some(Event::Start(transfer)) => self.start_transfer(now, number, transfer),
            Some(Event::Send(packet)) => self.send_datagram(now, number, packet),
            _ => {}
        }
        let at = self.background.next(number);
        self.wake_source(number, at);
    }

    fn in_measure(&self, at: u64) -> bool {
        self.scenario.measure.0 <= at && at < self.scenario.measure.1
    }

    fn start_transfer(&mut self, now: u64, source: u32, transfer: Transfer) {
        let group = self.background.sources[source as usize].group;
        let mss = self.scenario.mss();
        let measured = self.in_measure(now);
        self.background.groups[group as usize].load.started(&transfer, mss, measured);
        let way = transfer.direction as usize;
        let known = self.background.sources[source as usize].connections[way];
        let number =
            if transfer.fresh || known == NO_FLOW { self.connect(now, source, &transfer) } else { known };
        let keeps = self.background.groups[group as usize].group.keeps();
        self.background.sources[source as usize].connections[way] = if keeps { number } else { NO_FLOW };
        let flow = &mut self.flows[number as usize];
        let row = TransferRow {
            group: Some(group),
            number: source,
            start_ns: now,
            end_ns: None,
            bytes: transfer.bytes,
            rtt_ns: self.network.propagation(flow.route) + flow.tails.0 + flow.tails.1,
            reverse: transfer.direction == Direction::Reverse,
        };
        flow.transfer = self.tables.start_transfer(row);
        if let Some(bytes) = transfer.bytes {
            flow.sender.write(bytes.div_ceil(u64::from(mss)));
            flow.goal = flow.sender.data_end();
            flow.end_with(bytes, mss);
        } else {
            flow.sender.write(u64::MAX);
        }
        self.respond_to(now, number);
    }

    /// A new flow for a source.
    fn connect(&mut self, now: u64, source: u32, transfer: &Transfer) -> u32 {
        let live = self.background.sources[source as usize];
        let running = &mut self.background.groups[live.group as usize];
        let way = transfer.direction as usize;
        let route = running.routes[way];
        let template = running.templates[way].as_mut().expect("validated: the way exists");
        let least = self.network.propagation(route);
        let rtt = transfer.rtt.unwrap_or(template.rtt).max(least);
        let private = rtt != template.rtt;
        let ties = self.network.tie(route, rtt, running.group.closed(), private);
        let mss = self.scenario.mss();
        template.start = now;
        let rwnd = transfer.window.map(|bytes| (bytes / u64::from(mss)).clamp(1, 1 << 30) as u32);
        Arc::make_mut(&mut template.group).rwnd = rwnd;
        let mut flow = FlowState::new(template, mss, ties, Owner::Source(source, way as u8));
        flow.start_at = u64::MAX;
        flow.private = private;
        match self.free.pop() {
            Some(place) => {
                self.flows[place as usize] = flow;
                place
            }
            None => {
                self.flows.push(flow);
                self.flows.len() as u32 - 1
            }
        }
    }

    /// The last byte of a transfer was at the receiver at `at`.
    pub(crate) fn complete(&mut self, now: u64, number: u32, at: u64) {
        let full = self.scenario.packet_size;
        let measured = self.in_measure(at);
        let flow = &mut self.flows[number as usize];
        flow.goal = u64::MAX;
        flow.count.distinct_short += if measured { u64::from(full - flow.last.1) } else { 0 };
        if flow.transfer != NO_TRANSFER {
            self.tables.end_transfer(flow.transfer, at);
        }
        let Owner::Source(source, way) = flow.owner else { return };
        let group = self.background.sources[source as usize].group;
        self.background.groups[group as usize].load.finished(Direction::ALL[usize::from(way)], measured);
        let wake = self.background.finished(source, now);
        self.wake_source(source, wake);
    }

    /// Gives back the place of a flow of traffic that has ended and of which nothing is left.
    #[inline]
    pub(crate) fn try_to_free(&mut self, number: u32) {
        let flow = &self.flows[number as usize];
        if flow.goal == u64::MAX && flow.sender.is_finished() && flow.is_gone() {
            self.free_flow(number);
        }
    }

    fn free_flow(&mut self, number: u32) {
        let flow = &mut self.flows[number as usize];
        let Owner::Source(source, way) = flow.owner else { return };
        let live = &self.background.sources[source as usize];
        if live.connections[usize::from(way)] == number {
            return; // kept for what follows
        }
        let carried = flow.forwarded_bytes(self.scenario.packet_size);
        self.background.groups[live.group as usize].load.carried(Direction::ALL[usize::from(way)], carried);
        flow.owner = Owner::Nobody;
        flow.ack_at = u64::MAX;
        if flow.private {
            self.network.give_back(flow.exits.0);
            if flow.exits.1 != flow.exits.0 {
                self.network.give_back(flow.exits.1);
            }
        }
        self.free.push(number);
    }

    fn send_datagram(&mut self, now: u64, source: u32, packet: traffic::Packet) {
        let group = self.background.sources[source as usize].group;
        let measured = self.in_measure(now);
        self.background.groups[group as usize].load.sent(&packet, measured);
        let flow = group << 1 | packet.direction as u32;
        let packet = Packet { flow, position: packet.bytes, kind: Kind::Datagram, ..Packet::default() };
        self.forward_datagram(now, packet);
    }

    /// A datagram comes to its next link; behind its last one nobody waits for it.
    pub(crate) fn forward_datagram(&mut self, now: u64, mut packet: Packet) {
        let (group, way) = ((packet.flow >> 1) as usize, (packet.flow & 1) as usize);
        let path = &self.network.routes[self.background.groups[group].routes[way] as usize].path;
        let via = path[usize::from(packet.hop)];
        let last = usize::from(packet.hop) + 1 == path.len();
        let Ok(crossing) = self.network.hops[via.link as usize].offer(now, packet.position, true) else {
            return;
        };
        if !last {
            packet.hop += 1;
            (packet.due, packet.departs) = (crossing.arrives, crossing.departs);
            self.network.push(&mut self.orders, via.line, packet);
        } else if self.in_measure(crossing.departs) {
            let bytes = u64::from(packet.position);
            self.background.groups[group].load.carried(Direction::ALL[way], bytes);
        }
    }
}
