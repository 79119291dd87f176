// SPDX-License-Identifier: MIT OR Apache-2.0
//! Application events: flows begin and end, traffic sources start transfers, actions are applied.

use super::Simulation;
use crate::index::OptionIndex;
use crate::network::{Packet, PathIndex, PathNeeds};
use crate::schedule::{EventClass, EventId};
use crate::tcp::{ENDLESS, FlowState, Handshake, Owner};
use cwnd::registry::Recovery;
use cwnd_link::NEVER;
use cwnd_record::{EventKind, TransferRow};
use cwnd_scenario::FlowAction;
use cwnd_traffic::{Connection, Datagram, Direction, SourceEvent, Transfer};
use std::sync::Arc;

impl Simulation {
    /// One of the scenario's flows starts.
    pub(super) fn start_flow(&mut self, now: u64, number: u32) {
        let named = &self.scenario_flows[number as usize];
        let flow = &mut self.flows[number as usize];
        flow.start_at = NEVER;
        if let Some(bytes) = named.group.size {
            flow.goal = bytes.div_ceil(u64::from(self.scenario.mss()));
            flow.set_last_segment(bytes, self.scenario.mss());
            flow.transfer = OptionIndex::some(self.tables.start_transfer(TransferRow {
                group: None,
                number,
                start_ns: now,
                end_ns: None,
                bytes: Some(bytes),
                rtt_ns: named.rtt,
                reverse: named.group.route == cwnd_scenario::RouteSpec::Reverse,
            }));
        }
        self.record_event(now, number, EventKind::Start, None, 0);
        if self.has_stack(number) {
            return self.open_stack(now, number);
        }
        self.open(now, number);
    }

    /// A connection opens: with a handshake the flow may send when that is over.
    fn open(&mut self, now: u64, number: u32) {
        let flow = &mut self.flows[number as usize];
        if flow.handshake == Handshake::Ahead {
            let links = self.network.propagation_at(flow.route, now);
            flow.begin_handshake(now, links);
            self.arm(number);
        } else {
            self.respond_to(now, number);
        }
    }

    /// A handshake is over.
    pub(super) fn on_open(&mut self, now: u64, number: u32) {
        self.flows[number as usize].start_at = NEVER;
        self.note_handshake(now, number);
        self.respond_to(now, number);
    }

    /// A flow's connection is open, after a handshake if it has one.
    fn note_handshake(&mut self, now: u64, number: u32) {
        let flow = &mut self.flows[number as usize];
        let links = self.network.propagation_at(flow.route, now);
        flow.end_handshake(now, links);
    }

    /// An action on one of the scenario's flows.
    pub(super) fn apply_action(&mut self, now: u64, number: u32, action: &FlowAction) {
        let flow = &mut self.flows[number as usize];
        let opens = flow.handshake == Handshake::GoesOn;
        let has_stack = self.has_stack(number);
        let flow = &mut self.flows[number as usize];
        let waits = flow.start_at != NEVER && !opens;
        let kind = match action {
            FlowAction::Start => {
                if flow.sender.is_stopped(now) {
                    flow.sender.resume();
                }
                if waits {
                    return self.start_flow(now, number);
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
                    self.choose_ack_path(number);
                }
                EventKind::Switch
            }
        };
        self.record_event(now, number, kind, None, 0);
        if has_stack {
            if !waits {
                self.write_to_stack(now, number, kind == EventKind::Start);
            }
        } else if !waits && !opens {
            self.respond_to(now, number);
        }
    }

    /// The time that a flow's key `stop` gives has come: the sender sends nothing new by itself.
    pub(super) fn note_stop(&mut self, now: u64, number: u32) {
        if self.flows[number as usize].sender.stops_at() == now {
            self.record_event(now, number, EventKind::Stop, None, 0);
            if self.has_stack(number) {
                self.write_to_stack(now, number, false);
            }
        }
    }

    pub(super) fn wake_source(&mut self, number: u32, at: Option<u64>) {
        if let Some(at) = at {
            self.timers.push(at, EventId::new(EventClass::Source, number));
        }
    }

    /// The event that a source announced is due.
    pub(super) fn on_source(&mut self, now: u64, number: u32) {
        self.timers.remove_first();
        match self.background.sources[number as usize].pending.take() {
            Some(SourceEvent::Start(transfer)) => self.start_transfer(now, number, transfer),
            Some(SourceEvent::Send(datagram)) => self.send_datagram(now, number, datagram),
            _ => {}
        }
        let at = self.background.next(number);
        self.wake_source(number, at);
    }

    #[inline(always)]
    pub(super) fn in_measure(&self, at: u64) -> bool {
        self.scenario.measure.0 <= at && at < self.scenario.measure.1
    }

    fn start_transfer(&mut self, now: u64, source: u32, transfer: Transfer) {
        let group = self.background.sources[source as usize].group;
        let mss = self.scenario.mss();
        self.background.groups[group as usize].load.started(now, &transfer);
        let direction = transfer.direction as usize;
        let number = match self.background.sources[source as usize].connections[direction].get() {
            Some(number) if transfer.connection == Connection::Last => number,
            _ => {
                let number = self.connect(now, source, &transfer);
                if transfer.connection == Connection::Last {
                    // The other direction of a connection that is open; its handshake has told both ends the round trip time.
                    self.note_handshake(now, number);
                }
                number
            }
        };
        let keeps = self.background.groups[group as usize].group.keeps();
        self.background.sources[source as usize].connections[direction] =
            if keeps { OptionIndex::some(number) } else { OptionIndex::NONE };
        let flow = &mut self.flows[number as usize];
        let row = TransferRow {
            group: Some(group),
            number: source,
            start_ns: now,
            end_ns: None,
            bytes: transfer.bytes,
            rtt_ns: self.network.propagation(flow.route) + flow.access_delay_fwd + flow.access_delay_rev,
            reverse: transfer.direction == Direction::Reverse,
        };
        flow.transfer = OptionIndex::some(self.tables.start_transfer(row));
        if let Some(bytes) = transfer.bytes {
            flow.sender.write(bytes.div_ceil(u64::from(mss)));
            flow.goal = flow.sender.data_end();
            flow.set_last_segment(bytes, mss);
        } else {
            flow.sender.write(ENDLESS);
        }
        if flow.handshake != Handshake::GoesOn {
            self.open(now, number);
        }
    }

    /// A new flow for a source.
    fn connect(&mut self, now: u64, source: u32, transfer: &Transfer) -> u32 {
        let group = self.background.sources[source as usize].group;
        let running = &mut self.background.groups[group as usize];
        let direction = transfer.direction as usize;
        let route = running.routes[direction];
        let template = running.templates[direction].as_mut().expect("validated: the route exists");
        let least = self.network.propagation(route);
        let rtt = transfer.rtt.unwrap_or(template.rtt).max(least);
        let private = rtt != template.rtt;
        let needs = PathNeeds { receiver_events: running.group.closed(), private_lines: private };
        let path = self.network.attach(route, rtt, needs);
        let mss = self.scenario.mss();
        template.start = now;
        if template.group.overhead > 0 {
            let (seed, number) = (self.scenario.seed, running.connections);
            template.overhead_stream = cwnd_scenario::traffic::overhead_stream(seed, group, number);
            running.connections = number.wrapping_add(1);
        }
        if template.recovery == Recovery::Linux {
            let stream = cwnd_scenario::traffic::clock_stream(self.scenario.seed, group, source);
            template.clock_phases_us = cwnd_scenario::clock_phases_us(&template.group, stream);
        }
        let rwnd = transfer.window.map(|bytes| (bytes / u64::from(mss)).clamp(1, 1 << 30) as u32);
        Arc::make_mut(&mut template.group).rwnd = rwnd;
        let mut flow = FlowState::new(template, mss, path, Owner::Source(source, transfer.direction));
        flow.start_at = NEVER;
        flow.private = private;
        flow.set_reading(transfer.bytes.is_some());
        let number = match self.free_slots.pop() {
            Some(place) => {
                self.flows[place as usize] = flow;
                place
            }
            None => {
                self.flows.push(flow);
                self.flows.len() as u32 - 1
            }
        };
        self.choose_ack_path(number);
        number
    }

    /// The last byte of a transfer is at the receiver (of a fused flow, since earlier).
    pub(super) fn complete(&mut self, now: u64, number: u32) {
        let flow = &mut self.flows[number as usize];
        let at = now - flow.lag();
        flow.complete(at, self.scenario.packet_size, &self.scenario.measure);
        if let Some(transfer) = flow.transfer.get() {
            self.tables.end_transfer(transfer, at);
        }
        let Owner::Source(source, direction) = flow.owner else { return };
        let group = self.background.sources[source as usize].group;
        self.background.groups[group as usize].load.finished(at, direction);
        let wake = self.background.finished(source, now);
        self.wake_source(source, wake);
    }

    /// Frees the place of a traffic flow that has ended and has no packet left.
    #[inline]
    pub(super) fn try_to_free(&mut self, number: u32) {
        let flow = &self.flows[number as usize];
        if flow.goal == ENDLESS && flow.sender.is_finished() && flow.has_drained() {
            self.free_flow(number);
        }
    }

    fn free_flow(&mut self, number: u32) {
        let flow = &mut self.flows[number as usize];
        let Owner::Source(source, direction) = flow.owner else { return };
        let source = &self.background.sources[source as usize];
        if source.connections[direction as usize].get() == Some(number) {
            return; // the source will reuse the connection
        }
        let carried = flow.forwarded_bytes(self.scenario.packet_size);
        self.background.groups[source.group as usize].load.carried(direction, carried);
        flow.owner = Owner::Free;
        flow.ack_at = NEVER;
        if flow.private {
            self.network.release_line(flow.delivery_line);
            if flow.ack_line != flow.delivery_line {
                self.network.release_line(flow.ack_line);
            }
        }
        self.free_slots.push(number);
    }

    fn send_datagram(&mut self, now: u64, source: u32, datagram: Datagram) {
        let group = self.background.sources[source as usize].group;
        self.background.groups[group as usize].load.sent(now, &datagram);
        let Datagram { direction, bytes, .. } = datagram;
        let next = PathIndex::FIRST;
        self.forward(now, Packet::Datagram { departs: now, group, direction, bytes, next, due: now });
    }
}
