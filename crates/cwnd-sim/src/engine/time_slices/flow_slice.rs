// SPDX-License-Identifier: MIT OR Apache-2.0
//! One flow's arrivals and timers in a time slice, in their order. Handles them as `events` handles those of a fused flow that sends
//! directly to the link; trains of a quiet flow as `trains` does.

use super::line::{Arrival, OwnLine};
use super::outbox::{Burst, Common, EventKey, Outbox};
use crate::engine::trains::{Exit, is_quiet, take_train};
use crate::schedule::{Entry, EventClass, EventId};
use crate::tcp::{AckPacket, AckPath, FlowState, Handshake, RecoveryState};
use cwnd_link::NEVER;
use cwnd_record::{EventKind, EventRow};
use cwnd_scenario::Scenario;

/// One flow's part of a time slice.
pub(super) struct FlowSlice<'a> {
    number: u32,
    /// Its place in its chunk.
    place: u8,
    scenario: &'a Scenario,
    propagation: u64,
    outbox: &'a mut Outbox,
    /// The event that is being handled.
    event: EventId,
    /// How many packets have been handled.
    pub packets: u64,
}

impl<'a> FlowSlice<'a> {
    /// For the flow at this place of the chunk that begins with flow `first`. What it sends and records goes to `outbox`.
    pub const fn new(first: u32, place: u8, common: Common<'a>, outbox: &'a mut Outbox) -> Self {
        let number = first + place as u32;
        let event = EventId::new(EventClass::Flow, number);
        let Common { scenario, propagation, .. } = common;
        Self { number, place, scenario, propagation, outbox, event, packets: 0 }
    }

    /// Runs the events before `limit`; returns the time of the next one, ns.
    pub fn run_until(&mut self, flow: &mut FlowState, line: &mut OwnLine, limit: Entry) -> u64 {
        // The order of events is that of the shared delay line.
        let arrivals = EventId::new(EventClass::Line, flow.delivery_line);
        let number = self.number;
        let mut last = Entry { time: 0, id: EventId::default() };
        loop {
            let timer = Entry { time: flow.next_event(), id: EventId::new(EventClass::Flow, number) };
            let rto = Entry { time: flow.sender.rto_at(), id: EventId::new(EventClass::Rto, number) };
            let arrival = Entry { time: line.next(), id: arrivals };
            let first = timer.min(rto).min(arrival);
            if first >= limit {
                return first.time;
            }
            debug_assert!(
                last <= first,
                "what is scheduled for the present comes before {last:?}: {first:?}"
            );
            last = first;
            self.event = first.id;
            match first.id.class() {
                EventClass::Flow => self.on_timer(first.time, flow),
                EventClass::Rto => self.on_rto_timer(first.time, flow),
                _ => {
                    if is_quiet(flow) {
                        let horizon = timer.time.min(rto.time).min(limit.time);
                        let taken = take_train((number, first.time), flow, line, (horizon, u32::MAX), self);
                        self.packets += u64::from(taken.count);
                        if taken.count > 0 {
                            continue;
                        }
                    }
                    self.packets += 1;
                    self.on_arrival(flow, line);
                }
            }
        }
    }

    const fn event_key(&self, now: u64) -> EventKey {
        (now, self.event)
    }

    fn record(&mut self, now: u64, flow: &FlowState, kind: EventKind, value: u64) {
        let conn = &flow.sender.driver.conn;
        let (cwnd, ssthresh) = (conn.cwnd, conn.ssthresh);
        let row = EventRow { time_ns: now, flow: self.number, kind, link: None, value, cwnd, ssthresh };
        self.outbox.rows.push((self.event_key(now), row));
    }

    /// Notes that the flow sends `count` segments from position `first` on.
    #[inline(always)]
    fn post(&mut self, now: u64, flow: &FlowState, (first, count): (u64, u16), is_full: bool) {
        let conn = &flow.sender.driver.conn;
        self.outbox.bursts.push(Burst {
            offset: (now - self.outbox.begin) as u32,
            event: self.event,
            first,
            before: self.outbox.segments,
            cwnd: conn.cwnd,
            ssthresh: conn.ssthresh,
            count,
            place: self.place,
            is_full,
        });
        self.outbox.segments += u32::from(count);
    }

    /// Notes that the flow sends one segment.
    fn post_one(&mut self, now: u64, flow: &FlowState, position: u64) {
        let full = self.scenario.packet_size;
        let size = flow.size(position as u32, full);
        if size != full {
            self.outbox.short.push((self.outbox.segments, size));
        }
        self.post(now, flow, (position, 1), size == full);
    }

    /// The front segment of the flow's line arrives.
    fn on_arrival(&mut self, flow: &mut FlowState, line: &mut OwnLine) {
        let Some((Arrival { due: now, segment }, departure)) = line.pop() else { return };
        let before = RecoveryState::of(flow);
        let ack = flow.receive(now, segment, departure, &self.scenario.measure);
        if flow.is_complete() {
            let at = now - flow.lag();
            flow.complete(at, self.scenario.packet_size, &self.scenario.measure);
            if let Some(transfer) = flow.transfer.get() {
                self.outbox.ends.push((transfer, at));
            }
        }
        if let Some(ack) = ack {
            flow.ack_at = NEVER;
            self.send_ack(now, flow, &ack, before);
        } else if flow.ack_at == NEVER {
            flow.ack_at = flow.delayed_ack_at(now);
        }
    }

    fn send_ack(&mut self, now: u64, flow: &mut FlowState, ack: &AckPacket, before: RecoveryState) {
        if flow.acks >= AckPath::AtOnce && !ack.waited {
            flow.sender.on_ack(now, ack);
        } else {
            flow.on_fused_ack(now, ack);
        }
        self.respond(now, flow, before);
    }

    /// Sends what the sender allows after its state has changed.
    fn respond(&mut self, now: u64, flow: &mut FlowState, before: RecoveryState) {
        let after = RecoveryState::of(flow);
        if after != before {
            self.record(now, flow, EventKind::State, after.0 as u64);
        }
        while let Some(position) = flow.sender.send(now) {
            self.post_one(now, flow, position);
        }
        flow.sender.end_burst();
        flow.record_window(now, self.scenario.measure);
    }

    /// A timer of the flow has expired, other than the retransmission timer.
    fn on_timer(&mut self, now: u64, flow: &mut FlowState) {
        let before = RecoveryState::of(flow);
        if flow.start_at <= now {
            self.start(now, flow, before);
        } else if flow.ack_at <= now {
            flow.ack_at = NEVER;
            let ack = flow.receiver.on_delay_over();
            self.send_ack(now, flow, &ack, before);
        } else {
            flow.sender.on_wake(now);
            self.respond(now, flow, before);
        }
    }

    /// The flow starts, or its handshake is over.
    #[cold]
    fn start(&mut self, now: u64, flow: &mut FlowState, before: RecoveryState) {
        flow.start_at = NEVER;
        if flow.handshake == Handshake::GoesOn {
            flow.end_handshake(now, self.propagation);
        } else {
            self.record(now, flow, EventKind::Start, 0);
        }
        if flow.handshake == Handshake::Ahead {
            flow.begin_handshake(now, self.propagation);
        } else {
            self.respond(now, flow, before);
        }
    }

    fn on_rto_timer(&mut self, now: u64, flow: &mut FlowState) {
        if !flow.sender.fires(now) {
            return;
        }
        let before = RecoveryState::of(flow);
        if flow.sender.on_timer(now) {
            self.record(now, flow, EventKind::Timeout, 0);
        }
        self.respond(now, flow, before);
    }
}

impl Exit for FlowSlice<'_> {
    type Line = OwnLine;

    #[inline(always)]
    fn send(
        &mut self,
        (now, _): (u64, u32),
        flow: &mut FlowState,
        _: &mut OwnLine,
        (first, count): (u64, u32),
    ) -> bool {
        match u16::try_from(count) {
            Ok(count) if flow.are_full(first, count.into()) => {
                self.post(now, flow, (first, count), true);
            }
            _ => (first..first + u64::from(count)).for_each(|position| self.post_one(now, flow, position)),
        }
        true
    }

    #[inline(always)]
    fn settle(&mut self, _: u32, flow: &mut FlowState) -> Option<u64> {
        Some(flow.ack_at.min(flow.sender.rto_at()))
    }

    #[inline(always)]
    fn scenario(&self) -> &Scenario {
        self.scenario
    }
}
