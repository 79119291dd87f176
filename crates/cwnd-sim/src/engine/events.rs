// SPDX-License-Identifier: MIT OR Apache-2.0
//! Event handlers: a packet reaches the end of a delay line, a timer of a flow fires.

use super::Simulation;
use super::prefetch::prefetch;
use crate::network::{AckFields, Departure, EcnMarks, PackedAck, Packet, PathIndex, Segment};
use crate::schedule::{Entry, EventClass, EventId};
use crate::tcp::{AckPacket, AckPath, Handshake, Owner, RecoveryState};
use cwnd_link::NEVER;
use cwnd_record::EventKind;

/// The flow of the packet this many places behind the front of a delay line is prefetched.
pub(super) const AHEAD: usize = 4;

/// With more flows than this, not all are in the cache.
pub(super) const MANY: usize = 256;

/// Why a sender's state has changed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trigger {
    /// An acknowledgement.
    Ack,
    /// A timer, the application, an action.
    Other,
}

impl Simulation {
    /// The front of a delay line is due: it is taken, and those behind it while each is due before every other event, up to `most` packets
    /// in all, at least 1. Returns how many these were. The line's entry in the queue is moved once.
    #[inline]
    pub(super) fn on_line(&mut self, now: u64, number: u32, most: u64) -> u64 {
        if self.network.lines[number as usize].armed != now {
            self.network.event_queue.remove_first(); // stale: the front is due at another time
            return 1;
        }
        self.network.event_queue.hold_first();
        // The lean path first; what it leaves takes the general one.
        let mut taken = 0;
        if self.network.lines[number as usize].has_trains {
            taken = self.take_trains(number, most);
        }
        if taken == 0 {
            self.take_front(now, number);
            taken = 1;
        }
        loop {
            let next = self.network.lines[number as usize].next();
            // Of an event of the same time the queue knows which comes first.
            let is_first = next < self.timers.first().time && self.network.event_queue.is_before_second(next);
            if !is_first || next > self.scenario.duration || taken == most {
                self.network.lines[number as usize].armed = next;
                if next == NEVER {
                    self.network.event_queue.remove_first();
                } else {
                    let id = EventId::new(EventClass::Line, number);
                    self.network.event_queue.replace_first(Entry { time: next, id });
                }
                return taken;
            }
            if self.network.lines[number as usize].has_trains {
                let more = self.take_trains(number, most - taken);
                taken += more;
                if more > 0 {
                    continue;
                }
            }
            taken += 1;
            self.now = next;
            self.take_front(next, number);
        }
    }

    /// Takes the front packet of a delay line, which is due. Inlined but in the web page, where size counts.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    fn take_front(&mut self, now: u64, number: u32) {
        let line = &mut self.network.lines[number as usize];
        let Some((packet, departure)) = line.pop() else { return };
        debug_assert_eq!(packet.due(), now);
        if self.flows.len() > MANY
            && let Some(next) = line.get(AHEAD)
            && let Some(flow) = self.flows.get(next.number() as usize)
        {
            prefetch(flow);
        }
        match packet {
            Packet::Data { flow, position, sent_us, marks, next: PathIndex::END, .. } => {
                self.on_data(now, flow, (Segment { position, sent_us }, marks), departure);
            }
            Packet::Ack {
                flow,
                cumulative,
                first_sent_us,
                newest_sent_us,
                detail,
                fields,
                next: PathIndex::END,
                ..
            } => {
                let ack = PackedAck { cumulative, first_sent_us, newest_sent_us, detail, fields };
                self.on_ack(now, flow, ack);
            }
            // Datagrams of traffic do not come here: behind their last link they are not simulated.
            _ => self.forward_or_arrive(now, packet, departure),
        }
    }

    /// A packet is at its next link, or a datagram of a foreign stack at the end of its path.
    #[inline(never)]
    fn forward_or_arrive(&mut self, now: u64, packet: Packet, departure: Departure) {
        match packet {
            Packet::Datagram { next: PathIndex::END, .. } => self.on_frame(now, &packet, departure),
            _ => self.forward(now, packet),
        }
    }

    /// Adds timers for the flow's next events, where it has none that is early enough.
    #[inline]
    pub(super) fn arm(&mut self, number: u32) {
        self.flows[number as usize].arm(&mut self.timers, number);
    }

    /// A flow's timer entry is due. A timer that was moved leaves its entry where it is; only here is the entry moved, too.
    pub(super) fn on_timer(&mut self, now: u64, number: u32) {
        let flow = &mut self.flows[number as usize];
        if flow.armed != now {
            self.timers.remove_first();
            return;
        }
        self.timers.hold_first();
        if flow.next_event() <= now {
            self.fire(now, number);
        }
        let flow = &mut self.flows[number as usize];
        flow.armed = flow.next_event();
        let next = flow.armed;
        self.move_first(next, EventId::new(EventClass::Flow, number));
    }

    /// The same for its retransmission timer.
    pub(super) fn on_rto_timer(&mut self, now: u64, number: u32) {
        let flow = &mut self.flows[number as usize];
        if flow.rto_armed != now {
            self.timers.remove_first();
            return;
        }
        self.timers.hold_first();
        if flow.sender.fires(now) {
            let recovery_state = RecoveryState::of(flow);
            if flow.sender.on_timer(now) {
                self.record_event(now, number, EventKind::Timeout, None, 0);
            }
            self.respond(now, number, recovery_state, Trigger::Other);
        }
        let flow = &mut self.flows[number as usize];
        flow.rto_armed = flow.sender.rto_at();
        let next = flow.rto_armed;
        self.move_first(next, EventId::new(EventClass::Rto, number));
    }

    /// Moves the first timer, which has been handled, to this time.
    pub(super) fn move_first(&mut self, next: u64, id: EventId) {
        if next == NEVER {
            self.timers.remove_first();
        } else {
            self.timers.replace_first(Entry { time: next, id });
        }
        if self.flows.len() > MANY
            && let Some(flow) = self.flows.get(self.timers.first().id.number() as usize)
        {
            prefetch(flow);
        }
    }

    pub(super) fn fire(&mut self, now: u64, number: u32) {
        let flow = &mut self.flows[number as usize];
        let recovery_state = RecoveryState::of(flow);
        if let Some(host) = flow.hosts.as_mut().and_then(|hosts| hosts.sender.as_mut())
            && host.next() <= now
        {
            if let Some(packet) = host.pop() {
                self.leave_host(now, number, packet.position, packet.at);
            }
        } else if flow.start_at <= now {
            match flow.handshake {
                Handshake::GoesOn => self.on_open(now, number),
                Handshake::Ahead | Handshake::Over => self.start_flow(now, number),
            }
        } else if flow.ack_at <= now {
            if flow.hosts.is_some() {
                return self.on_hosts_timer(now, number);
            }
            flow.ack_at = NEVER;
            let ack = flow.receiver.on_delay_over();
            self.send_ack(now, number, &ack, recovery_state);
        } else {
            flow.sender.on_wake(now);
            self.respond(now, number, recovery_state, Trigger::Other);
        }
    }

    /// Records an event of one of the scenario's flows.
    #[cold]
    pub(super) fn record_event(
        &mut self,
        now: u64,
        number: u32,
        kind: EventKind,
        link: Option<u32>,
        value: u64,
    ) {
        let flow = &self.flows[number as usize];
        if flow.owner == Owner::Scenario {
            self.tables.event((now, number), kind, link, value, flow);
        }
    }

    /// The state of a flow's recovery has changed, or another reduction has begun in it.
    #[cold]
    fn note_state(&mut self, now: u64, number: u32, before: RecoveryState, after: RecoveryState) {
        let flow = &mut self.flows[number as usize];
        let is_undone = flow.sender.takes_back_cwr();
        if let Some(ecn) = flow.ecn_mut() {
            // In this order: losses are looked for anew after an undo.
            if is_undone {
                ecn.on_undo();
            }
            if after.is_reduction_after(before) {
                ecn.on_reduction();
            }
        }
        self.record_event(now, number, EventKind::State, None, after.0 as u64);
    }

    /// A data packet is at the receiver (of a fused flow it arrived there earlier). Returns the acknowledgement.
    #[inline(always)]
    pub(super) fn receive(
        &mut self,
        now: u64,
        number: u32,
        segment: Segment,
        departure: Departure,
    ) -> Option<AckPacket> {
        let flow = &mut self.flows[number as usize];
        let ack = flow.receive(now, segment, departure, &self.scenario.measure);
        if flow.is_complete() {
            self.complete(now, number);
        }
        ack
    }

    /// A data packet is at the receiver; of a fused flow, its acknowledgement is at the sender.
    #[inline(always)]
    fn on_data(&mut self, now: u64, number: u32, segment: (Segment, EcnMarks), departure: Departure) {
        let recovery_state = RecoveryState::of(&self.flows[number as usize]);
        if self.flows[number as usize].is_watched && self.watch_arrival(now, number, segment, departure) {
            return; // it waits at the interface
        }
        let ack = self.receive(now, number, segment.0, departure);
        let flow = &mut self.flows[number as usize];
        if let Some(ack) = ack {
            flow.ack_at = NEVER;
            if flow.acks >= AckPath::AtOnce && !ack.waited {
                flow.sender.on_ack(now, &ack);
                self.respond_at_once(now, number, recovery_state, Trigger::Ack);
            } else {
                self.send_ack(now, number, &ack, recovery_state);
            }
        } else if flow.ack_at == NEVER {
            flow.ack_at = flow.delayed_ack_at(now);
            if flow.ack_at < flow.armed {
                self.arm(number);
            }
        }
    }

    /// The receiver sends an acknowledgement.
    #[inline(never)]
    pub(super) fn send_ack(&mut self, now: u64, number: u32, ack: &AckPacket, recovery_state: RecoveryState) {
        if self.flows[number as usize].is_fused() {
            if self.flows[number as usize].is_watched {
                self.watch_ack(now, number, ack, None);
            }
            self.flows[number as usize].on_fused_ack(now, ack);
            self.respond(now, number, recovery_state, Trigger::Ack);
            return;
        }
        let flow = &mut self.flows[number as usize];
        flow.acks_out += 1;
        let (ack_line, delay) = (flow.ack_line, flow.access_delay_rev);
        if self.network.routes[flow.route as usize].reverse_path.is_empty() {
            let blocks = ack.waited.then(|| flow.receiver.blocks(ack)).filter(|blocks| !blocks.is_empty());
            let ack = self.ack_slab.pack(ack, blocks).echoing(flow.echoes());
            let packet = Packet::ack(number, ack, PathIndex::END, now + delay);
            self.network.push(ack_line, packet);
        } else {
            let blocks = flow.receiver.blocks(ack);
            let blocks = (!blocks.is_empty()).then_some(blocks);
            let packed = self.ack_slab.pack(ack, blocks).echoing(flow.echoes());
            if flow.is_watched {
                self.watch_ack(now, number, ack, Some(packed));
            }
            self.forward(now, Packet::ack(number, packed, PathIndex::FIRST, now));
        }
    }

    /// An acknowledgement is at the sender.
    #[inline(never)]
    fn on_ack(&mut self, now: u64, number: u32, ack: PackedAck) {
        if self.flows[number as usize].is_watched {
            self.watch_ack_arrival(now, number, ack);
        }
        let flow = &mut self.flows[number as usize];
        let recovery_state = RecoveryState::of(flow);
        flow.acks_out -= 1;
        let echo = ack.fields.has(AckFields::ECHO);
        let (ack, blocks) = self.ack_slab.unpack(ack, flow.sender.una());
        if echo {
            flow.sender.on_echo(now, &ack, blocks.as_ref());
        } else {
            flow.sender.on_ack_with(now, &ack, blocks.as_ref());
        }
        self.respond(now, number, recovery_state, Trigger::Ack);
    }

    /// The sender's state has changed: sends the packets that it allows.
    #[inline]
    pub(super) fn respond_to(&mut self, now: u64, number: u32) {
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
            self.note_state(now, number, before, after);
        }
        match self.flows[number as usize].direct.get() {
            Some(link) => self.send_directly(now, number, link),
            None => {
                while let Some(position) = self.flows[number as usize].sender.send(now) {
                    let hosts = self.flows[number as usize].hosts.as_mut();
                    match hosts.and_then(|hosts| hosts.sender.as_mut()) {
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
            if trigger == Trigger::Ack && self.scenario.record.per_ack && flow.is_recorded() {
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
}
