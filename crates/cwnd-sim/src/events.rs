// SPDX-License-Identifier: MIT OR Apache-2.0
//! What happens when a packet reaches the end of a line, and when a timer of a flow fires.

use crate::ack::ACK_BYTES;
use crate::engine::Simulation;
use crate::flow::{FlowState, NOT_DIRECT, Owner};
use crate::hop::Crossing;
use crate::line::{Kind, Packet};
use crate::prefetch::prefetch;
use crate::queue::{Class, Id};
use crate::receiver::AckPacket;
use crate::record::{EventKind, NO_LINK};
use cwnd::CaState;

/// How far ahead on a line a flow is looked at, so that it is in the cache when its turn comes.
const AHEAD: usize = 4;

/// So many flows are not all in the cache anyway.
const MANY: usize = 256;

/// A flow's state of recovery: a loss beyond the data of one recovery begins another, in the same state.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Episode(CaState, u64);

impl Episode {
    #[inline]
    const fn of(flow: &FlowState) -> Self {
        Self(flow.sender.driver.conn.ca_state, flow.sender.driver.recovery_end())
    }
}

impl Simulation {
    /// The front of a line is due.
    #[inline]
    pub(crate) fn on_line(&mut self, now: u64, number: u32) {
        let line = &mut self.network.lines[number as usize];
        if line.armed != now {
            self.network.queue.remove_first(); // its front is due at another time by now
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
            Kind::Fused | Kind::Data => self.on_data(now, &packet, counted),
            Kind::Hop => self.forward(now, packet),
            Kind::Ack => self.on_ack(now, &packet),
            Kind::AckHop => self.forward_ack(now, packet),
            Kind::Datagram => self.forward_datagram(now, packet),
        }
        let line = &mut self.network.lines[number as usize];
        line.armed = line.next();
        if line.armed == u64::MAX {
            self.network.queue.remove_first();
        } else {
            self.network.queue.replace_first(&mut self.orders, line.armed);
        }
    }

    /// Makes sure that the flow's next events are among the timers.
    #[inline(never)]
    pub(crate) fn arm(&mut self, number: u32) {
        let flow = &mut self.flows[number as usize];
        let (next, rto) = (flow.next_event(), flow.sender.rto_at());
        if next < flow.armed {
            flow.armed = next;
            self.timers.push(&mut self.orders, next, Id::new(Class::Main, number));
        }
        if rto < flow.rto_armed {
            flow.rto_armed = rto;
            self.timers.push(&mut self.orders, rto, Id::new(Class::Rto, number));
        }
    }

    /// The time of a flow's entry has come. Timers mostly move on without their entries, which are looked at only here.
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

    /// The same of its retransmission timer.
    pub(crate) fn on_rto_timer(&mut self, now: u64, number: u32) {
        let flow = &mut self.flows[number as usize];
        if flow.rto_armed != now {
            self.timers.remove_first();
            return;
        }
        if flow.sender.rto_at() <= now {
            let episode = Episode::of(flow);
            flow.sender.on_timeout(now);
            self.note(now, number, EventKind::Timeout, NO_LINK, 0);
            self.respond(now, number, episode, false);
        }
        let flow = &mut self.flows[number as usize];
        flow.rto_armed = flow.sender.rto_at();
        let next = flow.rto_armed;
        self.move_first(next);
    }

    /// The first of the timers is next due at this time.
    fn move_first(&mut self, next: u64) {
        if next == u64::MAX {
            self.timers.remove_first();
        } else {
            self.timers.replace_first(&mut self.orders, next);
        }
        if self.flows.len() > MANY
            && let Some(flow) = self.flows.get(self.timers.first().id().number() as usize)
        {
            prefetch(flow);
        }
    }

    fn fire(&mut self, now: u64, number: u32) {
        let flow = &mut self.flows[number as usize];
        let episode = Episode::of(flow);
        if let Some(host) = &mut flow.host
            && host.next() <= now
        {
            if let Some(packet) = host.pop() {
                self.launch(now, number, packet.position, packet.at);
            }
        } else if flow.start_at <= now {
            self.begin(now, number);
        } else if flow.ack_at <= now {
            flow.ack_at = u64::MAX;
            let ack = flow.receiver.on_delay_over();
            self.answer(now, number, &ack, episode);
        } else {
            flow.sender.on_wake(now);
            self.respond(now, number, episode, false);
        }
    }

    /// Records an event of one of the scenario's flows.
    #[cold]
    pub(crate) fn note(&mut self, now: u64, number: u32, kind: EventKind, link: u32, value: u64) {
        let flow = &self.flows[number as usize];
        if flow.owner == Owner::Scenario {
            self.tables.event((now, number), kind, link, value, flow);
        }
    }

    /// Data is at the receiver, of a fused flow since a while: what it answers.
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

    /// Data is at the receiver; of a fused flow, its acknowledgement is at the sender.
    #[inline(always)]
    fn on_data(&mut self, now: u64, packet: &Packet, counted: bool) {
        let number = packet.flow;
        let episode = Episode::of(&self.flows[number as usize]);
        let ack = self.receive(now, packet, counted);
        let flow = &mut self.flows[number as usize];
        if let Some(ack) = ack {
            flow.ack_at = u64::MAX;
            if flow.fused {
                flow.sender.on_ack(now, &ack);
                self.respond_at_once(now, number, episode, true);
            } else {
                self.answer(now, number, &ack, episode);
            }
        } else if flow.ack_at == u64::MAX {
            flow.ack_at = flow.sender.on_tick(now + flow.ack_delay);
            if flow.ack_at < flow.armed {
                self.arm(number);
            }
        }
    }

    /// The receiver acknowledges.
    #[inline(never)]
    fn answer(&mut self, now: u64, number: u32, ack: &AckPacket, episode: Episode) {
        let flow = &mut self.flows[number as usize];
        if flow.fused {
            flow.sender.on_ack(now, ack);
            self.respond(now, number, episode, true);
            return;
        }
        flow.acks_out += 1;
        let (exit, tail) = (flow.exits.1, flow.tails.1);
        if self.network.routes[flow.route as usize].back.is_empty() {
            let packet = Packet { due: now + tail, ..self.carried.pack(number, ack, None) };
            self.network.push(&mut self.orders, exit, packet);
        } else {
            let blocks = flow.receiver.blocks();
            let blocks = (!blocks.is_empty()).then_some(blocks);
            let packet = self.carried.pack(number, ack, blocks);
            self.forward_ack(now, packet);
        }
    }

    /// An acknowledgement is at the sender.
    fn on_ack(&mut self, now: u64, packet: &Packet) {
        let flow = &mut self.flows[packet.flow as usize];
        let episode = Episode::of(flow);
        flow.acks_out -= 1;
        let (ack, blocks) = self.carried.unpack(packet, flow.sender.una());
        flow.sender.on_ack_with(now, &ack, blocks.as_ref());
        self.respond(now, packet.flow, episode, true);
    }

    /// The sender has learnt something: it sends what it may.
    #[inline]
    pub(crate) fn respond_to(&mut self, now: u64, number: u32) {
        let episode = Episode::of(&self.flows[number as usize]);
        self.respond(now, number, episode, false);
    }

    #[inline(never)]
    fn respond(&mut self, now: u64, number: u32, before: Episode, is_ack: bool) {
        self.respond_at_once(now, number, before, is_ack);
    }

    /// The same, as part of its caller: most packets come this way.
    #[inline(always)]
    fn respond_at_once(&mut self, now: u64, number: u32, before: Episode, is_ack: bool) {
        let after = Episode::of(&self.flows[number as usize]);
        if after != before {
            self.note(now, number, EventKind::State, NO_LINK, after.0 as u64);
        }
        if self.flows[number as usize].direct == NOT_DIRECT {
            while let Some(position) = self.flows[number as usize].sender.send(now) {
                match &mut self.flows[number as usize].host {
                    Some(host) => host.push(now, position),
                    None => self.launch(now, number, position, now),
                }
            }
        } else {
            self.send_directly(now, number);
        }
        let flow = &mut self.flows[number as usize];
        flow.sender.end_burst();
        if flow.owner == Owner::Scenario {
            flow.note_window(now, self.scenario.measure);
            if is_ack && self.scenario.record.per_ack && flow.recorded {
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

    /// Sends what the sender may to its only link: what [`Simulation::launch`] and [`Simulation::forward`] do, without their
    /// questions.
    #[inline(always)]
    fn send_directly(&mut self, now: u64, number: u32) {
        let Self { flows, network, orders, scenario, tables, .. } = self;
        let flow = &mut flows[number as usize];
        while let Some(position) = flow.sender.send(now) {
            let size = flow.size(position as u32, scenario.packet_size);
            match network.hops[flow.direct as usize].offer(now, size, true) {
                Ok(Crossing { departs, arrives }) => {
                    if scenario.measure.0 <= departs && departs < scenario.measure.1 {
                        flow.count_forwarded(size, scenario.packet_size);
                    }
                    let packet = Packet {
                        due: arrives.saturating_add(flow.beyond),
                        departs,
                        flow: number,
                        position: position as u32,
                        sent_us: (now / 1000) as u32,
                        kind: flow.kind(),
                        ..Packet::default()
                    };
                    network.push(orders, flow.exits.0, packet);
                }
                Err(kind) => {
                    flow.count.dropped.count(kind);
                    if flow.owner == Owner::Scenario {
                        tables.event((now, number), kind, flow.direct, position, flow);
                    }
                }
            }
        }
    }

    /// A packet leaves its host, `decided` ns after which its round trip is measured.
    #[inline]
    fn launch(&mut self, now: u64, number: u32, position: u64, decided: u64) {
        let flow = &self.flows[number as usize];
        let packet = Packet {
            flow: number,
            position: position as u32,
            sent_us: (decided / 1000) as u32,
            kind: Kind::Hop,
            ..Packet::default()
        };
        match self.network.routes[flow.route as usize].entry {
            None => self.forward(now, packet),
            Some((line, delay)) => {
                let packet = Packet { due: now + delay, departs: now, ..packet };
                self.network.push(&mut self.orders, line, packet);
            }
        }
    }

    /// Data comes to its next link.
    #[inline]
    fn forward(&mut self, now: u64, mut packet: Packet) {
        let flow = &mut self.flows[packet.flow as usize];
        let path = &self.network.routes[flow.route as usize].path;
        let via = path[usize::from(packet.hop)];
        let last = usize::from(packet.hop) + 1 == path.len();
        let size = flow.size(packet.position, self.scenario.packet_size);
        let line = match self.network.hops[via.link as usize].offer(now, size, true) {
            Ok(crossing) => {
                packet.departs = crossing.departs;
                packet.due = crossing.arrives;
                if last {
                    let measure = self.scenario.measure;
                    if measure.0 <= crossing.departs && crossing.departs < measure.1 {
                        flow.count_forwarded(size, self.scenario.packet_size);
                    }
                    packet.kind = flow.kind();
                    packet.due = packet.due.saturating_add(flow.beyond);
                    flow.exits.0
                } else {
                    packet.kind = Kind::Hop;
                    packet.hop += 1;
                    via.line
                }
            }
            Err(kind) => return self.dropped(now, &packet, kind, via.link),
        };
        self.network.push(&mut self.orders, line, packet);
    }

    #[cold]
    fn dropped(&mut self, now: u64, packet: &Packet, kind: EventKind, link: u32) {
        let flow = &mut self.flows[packet.flow as usize];
        flow.count.dropped.count(kind);
        if flow.owner == Owner::Scenario {
            let link = if (link as usize) < self.scenario.links.len() { link } else { NO_LINK };
            self.tables.event((now, packet.flow), kind, link, u64::from(packet.position), flow);
        } else if packet.hop > 0 {
            self.try_to_free(packet.flow);
        }
    }

    /// An acknowledgement comes to its next link.
    fn forward_ack(&mut self, now: u64, mut packet: Packet) {
        let flow = &mut self.flows[packet.flow as usize];
        let back = &self.network.routes[flow.route as usize].back;
        let via = back[usize::from(packet.hop)];
        let last = usize::from(packet.hop) + 1 == back.len();
        let Ok(crossing) = self.network.hops[via.link as usize].offer(now, ACK_BYTES, false) else {
            flow.acks_out -= 1;
            self.carried.release(&packet);
            if flow.owner != Owner::Scenario {
                self.try_to_free(packet.flow);
            }
            return;
        };
        let (kind, tail, line) =
            if last { (Kind::Ack, flow.tails.1, flow.exits.1) } else { (Kind::AckHop, 0, via.line) };
        packet.kind = kind;
        packet.hop += 1;
        packet.due = crossing.arrives.saturating_add(tail);
        self.network.push(&mut self.orders, line, packet);
    }
}
