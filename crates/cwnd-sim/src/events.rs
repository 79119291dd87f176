// SPDX-License-Identifier: MIT OR Apache-2.0
//! Event handlers: a packet reaches the end of a delay line, a timer of a flow fires.

use crate::ack::ACK_BYTES;
use crate::counts::EventKind;
use crate::delay_line::{Packet, PacketKind};
use crate::engine::Simulation;
use crate::event_queue::{EventClass, EventId};
use crate::flow::{Owner, RecoveryState};
use crate::prefetch::prefetch;
use crate::receiver::AckPacket;
use crate::record::NO_LINK;
use cwnd_link::{DropCause, PacketClass, Transit};

/// The flow of the packet this many places behind the front of a delay line is prefetched.
const AHEAD: usize = 4;

/// With more flows than this, not all are in the cache.
const MANY: usize = 256;

/// Why a sender's state has changed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trigger {
    /// An acknowledgement.
    Ack,
    /// A timer, the application, an action.
    Other,
}

impl Simulation {
    /// The front of a delay line is due.
    #[inline]
    pub(crate) fn on_line(&mut self, now: u64, number: u32) {
        let line = &mut self.network.lines[number as usize];
        if line.armed != now {
            self.network.event_queue.remove_first(); // stale: the front is due at another time
            return;
        }
        let Some((packet, counted)) = line.pop() else { return };
        debug_assert_eq!(packet.due, now);
        if self.flows.len() > MANY
            && let Some(next) = line.get(AHEAD)
            && let Some(flow) = self.flows.get(next.flow as usize)
        {
            prefetch(flow);
        }
        match packet.kind {
            PacketKind::Fused | PacketKind::Data => self.on_data(now, &packet, counted),
            PacketKind::Link => self.forward(now, packet),
            PacketKind::Ack => self.on_ack(now, &packet),
            PacketKind::AckLink => self.forward_ack(now, packet),
            PacketKind::Datagram => self.forward_datagram(now, packet),
        }
        let line = &mut self.network.lines[number as usize];
        line.armed = line.next();
        if line.armed == u64::MAX {
            self.network.event_queue.remove_first();
        } else {
            self.network.event_queue.replace_first(&mut self.event_seq, line.armed);
        }
    }

    /// Adds timers for the flow's next events, where it has none that is early enough.
    #[inline(never)]
    pub(crate) fn arm(&mut self, number: u32) {
        let flow = &mut self.flows[number as usize];
        let (next, rto) = (flow.next_event(), flow.sender.rto_at());
        if next < flow.armed {
            flow.armed = next;
            self.timers.push(&mut self.event_seq, next, EventId::new(EventClass::Main, number));
        }
        if rto < flow.rto_armed {
            flow.rto_armed = rto;
            self.timers.push(&mut self.event_seq, rto, EventId::new(EventClass::Rto, number));
        }
    }

    /// A flow's timer entry is due. A timer that was moved leaves its entry where it is; only here is the entry moved, too.
    pub(crate) fn on_timer(&mut self, now: u64, number: u32) {
        let flow = &mut self.flows[number as usize];
        if flow.armed != now {
            self.timers.remove_first();
            return;
        }
        if flow.next_event() <= now {
            self.fire(now, number);
        }
        let flow = &mut self.flows[number as usize];
        flow.armed = flow.next_event();
        let next = flow.armed;
        self.move_first(next);
    }

    /// The same for its retransmission timer.
    pub(crate) fn on_rto_timer(&mut self, now: u64, number: u32) {
        let flow = &mut self.flows[number as usize];
        if flow.rto_armed != now {
            self.timers.remove_first();
            return;
        }
        if flow.sender.rto_at() <= now {
            let recovery_state = RecoveryState::of(flow);
            flow.sender.on_timeout(now);
            self.record_event(now, number, EventKind::Timeout, NO_LINK, 0);
            self.respond(now, number, recovery_state, Trigger::Other);
        }
        let flow = &mut self.flows[number as usize];
        flow.rto_armed = flow.sender.rto_at();
        let next = flow.rto_armed;
        self.move_first(next);
    }

    /// Moves the first timer to this time.
    fn move_first(&mut self, next: u64) {
        if next == u64::MAX {
            self.timers.remove_first();
        } else {
            self.timers.replace_first(&mut self.event_seq, next);
        }
        if self.flows.len() > MANY
            && let Some(flow) = self.flows.get(self.timers.first().id().number() as usize)
        {
            prefetch(flow);
        }
    }

    fn fire(&mut self, now: u64, number: u32) {
        let flow = &mut self.flows[number as usize];
        let recovery_state = RecoveryState::of(flow);
        if let Some(host) = &mut flow.host
            && host.next() <= now
        {
            if let Some(packet) = host.pop() {
                self.leave_host(now, number, packet.position, packet.at);
            }
        } else if flow.start_at <= now {
            self.start_flow(now, number);
        } else if flow.ack_at <= now {
            flow.ack_at = u64::MAX;
            let ack = flow.receiver.on_delay_over();
            self.acknowledge(now, number, &ack, recovery_state);
        } else {
            flow.sender.on_wake(now);
            self.respond(now, number, recovery_state, Trigger::Other);
        }
    }

    /// Records an event of one of the scenario's flows.
    #[cold]
    pub(crate) fn record_event(&mut self, now: u64, number: u32, kind: EventKind, link: u32, value: u64) {
        let flow = &self.flows[number as usize];
        if flow.owner == Owner::Scenario {
            self.tables.event((now, number), kind, link, value, flow);
        }
    }

    /// A data packet is at the receiver (of a fused flow it arrived there earlier). Returns the acknowledgement.
    #[inline(always)]
    pub(crate) fn receive(&mut self, now: u64, packet: &Packet, counted: bool) -> Option<AckPacket> {
        let number = packet.flow;
        let flow = &mut self.flows[number as usize];
        flow.count.forwarded += u64::from(!counted);
        let at = now - flow.lag();
        let before = flow.receiver.distinct;
        let ack = flow.receiver.on_packet(packet, flow.ack_every);
        if self.scenario.measure.0 <= at && at < self.scenario.measure.1 {
            flow.count.distinct_measured += flow.receiver.distinct - before;
        }
        if flow.receiver.next() >= flow.goal {
            self.complete(now, number, at);
        }
        ack
    }

    /// A data packet is at the receiver; of a fused flow, its acknowledgement is at the sender.
    #[inline(always)]
    fn on_data(&mut self, now: u64, packet: &Packet, counted: bool) {
        let number = packet.flow;
        let recovery_state = RecoveryState::of(&self.flows[number as usize]);
        let ack = self.receive(now, packet, counted);
        let flow = &mut self.flows[number as usize];
        if let Some(ack) = ack {
            flow.ack_at = u64::MAX;
            if flow.fused {
                flow.sender.on_ack(now, &ack);
                self.respond_at_once(now, number, recovery_state, Trigger::Ack);
            } else {
                self.acknowledge(now, number, &ack, recovery_state);
            }
        } else if flow.ack_at == u64::MAX {
            flow.ack_at = flow.sender.on_tick(now + flow.ack_delay);
            if flow.ack_at < flow.armed {
                self.arm(number);
            }
        }
    }

    /// The receiver sends an acknowledgement.
    #[inline(never)]
    fn acknowledge(&mut self, now: u64, number: u32, ack: &AckPacket, recovery_state: RecoveryState) {
        let flow = &mut self.flows[number as usize];
        if flow.fused {
            flow.sender.on_ack(now, ack);
            self.respond(now, number, recovery_state, Trigger::Ack);
            return;
        }
        flow.acks_out += 1;
        let (ack_line, delay) = (flow.ack_line, flow.access_delay_rev);
        if self.network.routes[flow.route as usize].back.is_empty() {
            let packet = Packet { due: now + delay, ..self.ack_slab.pack(number, ack, None) };
            self.network.push(&mut self.event_seq, ack_line, packet);
        } else {
            let blocks = flow.receiver.blocks();
            let blocks = (!blocks.is_empty()).then_some(blocks);
            let packet = self.ack_slab.pack(number, ack, blocks);
            self.forward_ack(now, packet);
        }
    }

    /// An acknowledgement is at the sender.
    fn on_ack(&mut self, now: u64, packet: &Packet) {
        let flow = &mut self.flows[packet.flow as usize];
        let recovery_state = RecoveryState::of(flow);
        flow.acks_out -= 1;
        let (ack, blocks) = self.ack_slab.unpack(packet, flow.sender.una());
        flow.sender.on_ack_with(now, &ack, blocks.as_ref());
        self.respond(now, packet.flow, recovery_state, Trigger::Ack);
    }

    /// The sender's state has changed: sends the packets that it allows.
    #[inline]
    pub(crate) fn respond_to(&mut self, now: u64, number: u32) {
        let recovery_state = RecoveryState::of(&self.flows[number as usize]);
        self.respond(now, number, recovery_state, Trigger::Other);
    }

    #[inline(never)]
    fn respond(&mut self, now: u64, number: u32, before: RecoveryState, trigger: Trigger) {
        self.respond_at_once(now, number, before, trigger);
    }

    /// The same, inlined: the path of most packets.
    #[inline(always)]
    fn respond_at_once(&mut self, now: u64, number: u32, before: RecoveryState, trigger: Trigger) {
        let after = RecoveryState::of(&self.flows[number as usize]);
        if after != before {
            self.record_event(now, number, EventKind::State, NO_LINK, after.0 as u64);
        }
        match self.flows[number as usize].direct.get() {
            Some(link) => self.send_directly(now, number, link),
            None => {
                while let Some(position) = self.flows[number as usize].sender.send(now) {
                    match &mut self.flows[number as usize].host {
                        Some(host) => host.push(now, position),
                        None => self.leave_host(now, number, position, now),
                    }
                }
            }
        }
        let flow = &mut self.flows[number as usize];
        flow.sender.end_burst();
        if flow.owner == Owner::Scenario {
            flow.record_window(now, self.scenario.measure);
            if trigger == Trigger::Ack && self.scenario.record.per_ack && flow.recorded {
                self.count_forwarded(now);
                self.sample_window(now, number);
            }
        } else {
            self.try_to_free(number);
        }
        let flow = &self.flows[number as usize];
        if flow.next_event() < flow.armed || flow.sender.rto_at() < flow.rto_armed {
            self.arm(number);
        }
    }

    /// Sends packets to the flow's only link: [`Simulation::leave_host`] and [`Simulation::forward`] without their checks.
    #[inline(always)]
    fn send_directly(&mut self, now: u64, number: u32, link: u32) {
        let Self { flows, network, event_seq, scenario, tables, .. } = self;
        let flow = &mut flows[number as usize];
        while let Some(position) = flow.sender.send(now) {
            let size = flow.size(position as u32, scenario.packet_size);
            match network.links[link as usize].offer(now, size, PacketClass::Data) {
                Ok(Transit { departs, arrives }) => {
                    if scenario.measure.0 <= departs && departs < scenario.measure.1 {
                        flow.count_forwarded(size, scenario.packet_size);
                    }
                    let packet = Packet {
                        due: arrives.saturating_add(flow.to_next_event),
                        departs,
                        flow: number,
                        position: position as u32,
                        sent_us: (now / 1000) as u32,
                        kind: flow.kind(),
                        ..Packet::default()
                    };
                    network.push(event_seq, flow.delivery_line, packet);
                }
                Err(cause) => {
                    flow.count.dropped.count(cause);
                    if flow.owner == Owner::Scenario {
                        tables.event((now, number), cause.into(), link, position, flow);
                    }
                }
            }
        }
    }

    /// A packet leaves its host. Its round trip time is measured from `decided`, ns.
    #[inline]
    fn leave_host(&mut self, now: u64, number: u32, position: u64, decided: u64) {
        let flow = &self.flows[number as usize];
        let packet = Packet {
            flow: number,
            position: position as u32,
            sent_us: (decided / 1000) as u32,
            kind: PacketKind::Link,
            ..Packet::default()
        };
        match self.network.routes[flow.route as usize].entry {
            None => self.forward(now, packet),
            Some((line, delay)) => {
                let packet = Packet { due: now + delay, departs: now, ..packet };
                self.network.push(&mut self.event_seq, line, packet);
            }
        }
    }

    /// A data packet arrives at its next link.
    #[inline]
    fn forward(&mut self, now: u64, mut packet: Packet) {
        let flow = &mut self.flows[packet.flow as usize];
        let path = &self.network.routes[flow.route as usize].path;
        let route_link = path[usize::from(packet.path_index)];
        let last = usize::from(packet.path_index) + 1 == path.len();
        let size = flow.size(packet.position, self.scenario.packet_size);
        let line = match self.network.links[route_link.link as usize].offer(now, size, PacketClass::Data) {
            Ok(transit) => {
                packet.departs = transit.departs;
                packet.due = transit.arrives;
                if last {
                    let measure = self.scenario.measure;
                    if measure.0 <= transit.departs && transit.departs < measure.1 {
                        flow.count_forwarded(size, self.scenario.packet_size);
                    }
                    packet.kind = flow.kind();
                    packet.due = packet.due.saturating_add(flow.to_next_event);
                    flow.delivery_line
                } else {
                    packet.kind = PacketKind::Link;
                    packet.path_index += 1;
                    route_link.line
                }
            }
            Err(cause) => return self.dropped(now, &packet, cause, route_link.link),
        };
        self.network.push(&mut self.event_seq, line, packet);
    }

    #[cold]
    fn dropped(&mut self, now: u64, packet: &Packet, cause: DropCause, link: u32) {
        let flow = &mut self.flows[packet.flow as usize];
        flow.count.dropped.count(cause);
        if flow.owner == Owner::Scenario {
            let link = if (link as usize) < self.scenario.links.len() { link } else { NO_LINK };
            self.tables.event((now, packet.flow), cause.into(), link, u64::from(packet.position), flow);
        } else if packet.path_index > 0 {
            self.try_to_free(packet.flow);
        }
    }

    /// An acknowledgement arrives at its next link.
    fn forward_ack(&mut self, now: u64, mut packet: Packet) {
        let flow = &mut self.flows[packet.flow as usize];
        let back = &self.network.routes[flow.route as usize].back;
        let route_link = back[usize::from(packet.path_index)];
        let last = usize::from(packet.path_index) + 1 == back.len();
        let Ok(transit) =
            self.network.links[route_link.link as usize].offer(now, ACK_BYTES, PacketClass::Ack)
        else {
            flow.acks_out -= 1;
            self.ack_slab.release(&packet);
            if flow.owner != Owner::Scenario {
                self.try_to_free(packet.flow);
            }
            return;
        };
        let (kind, delay, line) = if last {
            (PacketKind::Ack, flow.access_delay_rev, flow.ack_line)
        } else {
            (PacketKind::AckLink, 0, route_link.line)
        };
        packet.kind = kind;
        packet.path_index += 1;
        packet.due = transit.arrives.saturating_add(delay);
        self.network.push(&mut self.event_seq, line, packet);
    }
}
