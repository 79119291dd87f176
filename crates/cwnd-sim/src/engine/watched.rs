// SPDX-License-Identifier: MIT OR Apache-2.0
//! Packets of flows with which more is done than with most: those that are captured, that have ECN, and those whose receiver's interface
//! holds segments back. Others pay one question for all.

use super::Simulation;
use crate::network::{Departure, EcnMarks, PackedAck, Packet, PathIndex, Segment};
use crate::tcp::{AckPacket, Merged, RecoveryState};
use cwnd_link::NEVER;

impl Simulation {
    /// A segment of a watched flow is at its receiver (of a fused flow it arrived there earlier). Returns whether it waits at the interface.
    #[inline(never)]
    pub(super) fn watch_arrival(
        &mut self,
        now: u64,
        number: u32,
        (segment, marks): (Segment, EcnMarks),
        departure: Departure,
    ) -> bool {
        let flow = &self.flows[number as usize];
        if flow.is_captured() {
            self.capture_arrival(now - flow.lag(), number, segment, marks);
        }
        let full = self.scenario.packet_size;
        let flow = &mut self.flows[number as usize];
        let is_last = flow.size(segment.position, full) < full || flow.sender.ends_buffer(segment.position);
        let Some(interface) = flow.interface() else {
            self.take_marks(now, number, (segment, 1), marks);
            return false;
        };
        interface.push(now, (segment, marks), is_last);
        flow.ack_at = interface.next();
        flow.count.forwarded += u64::from(departure == Departure::Uncounted);
        if flow.ack_at < flow.armed {
            self.arm(number);
        }
        true
    }

    /// The receiver of a flow with ECN notes what a segment carries, or so many that are merged; unless it drops them.
    fn take_marks(&mut self, now: u64, number: u32, (segment, count): (Segment, u32), marks: EcnMarks) {
        let flow = &mut self.flows[number as usize];
        if flow.receiver.drops(segment, count, now - flow.lag()) {
            return;
        }
        let is_old = segment.position.wrapping_sub(flow.receiver.next() as u32).cast_signed() < 0;
        if let Some(ecn) = flow.ecn_mut() {
            let quick = ecn.on_arrival(marks, is_old);
            flow.receiver.enter_quickack_for(quick);
        }
    }

    /// A timer of a flow whose hosts have more than most: of its stack, of its receiver's interface, or of a delayed acknowledgement.
    #[inline(never)]
    pub(super) fn on_hosts_timer(&mut self, now: u64, number: u32) {
        let flow = &mut self.flows[number as usize];
        if crate::STACKS && flow.hosts.as_ref().is_some_and(|hosts| hosts.has_stack) {
            return self.on_stack_timer(now, number);
        }
        if flow.interface().is_some() {
            return self.on_interface(now, number);
        }
        let recovery_state = RecoveryState::of(flow);
        flow.ack_at = NEVER;
        let ack = flow.receiver.on_delay_over();
        self.send_ack(now, number, &ack, recovery_state);
    }

    /// The interface of a flow's receiver works off what waits, or a delayed acknowledgement is due.
    fn on_interface(&mut self, now: u64, number: u32) {
        let flow = &mut self.flows[number as usize];
        let Some(interface) = flow.interface() else { return };
        if let Some(merged) = interface.take(now) {
            let recovery_state = RecoveryState::of(flow);
            match self.receive_merged(now, number, &merged) {
                Some(ack) => self.send_ack(now, number, &ack, recovery_state),
                None => self.delay_ack(now, number),
            }
        } else {
            interface.delayed_at = NEVER;
            let recovery_state = RecoveryState::of(flow);
            let ack = flow.receiver.on_delay_over();
            self.send_ack(now, number, &ack, recovery_state);
        }
        let flow = &mut self.flows[number as usize];
        flow.ack_at = flow.interface().map_or(NEVER, |interface| interface.next());
    }

    /// Merged segments reach TCP; returns the acknowledgement. Any that was delayed is part of it.
    fn receive_merged(&mut self, now: u64, number: u32, merged: &Merged) -> Option<AckPacket> {
        self.take_marks(now, number, (merged.first, merged.count), merged.marks);
        let flow = &mut self.flows[number as usize];
        let ack = flow.receive_merged(now, merged, &self.scenario.measure);
        if let (Some(_), Some(interface)) = (ack, flow.interface()) {
            interface.delayed_at = NEVER;
        }
        if flow.is_complete() {
            self.complete(now, number);
        }
        ack
    }

    fn delay_ack(&mut self, now: u64, number: u32) {
        let flow = &mut self.flows[number as usize];
        let until = flow.delayed_ack_at(now);
        if let Some(interface) = flow.interface()
            && interface.delayed_at == NEVER
        {
            interface.delayed_at = until;
        }
    }

    /// The receiver of a watched flow sends an acknowledgement, at `now` of the sender; `packed` as it travels.
    #[inline(never)]
    pub(super) fn watch_ack(&mut self, now: u64, number: u32, ack: &AckPacket, packed: Option<PackedAck>) {
        let flow = &mut self.flows[number as usize];
        let at = now - flow.lag();
        if let Some(interface) = flow.interface() {
            interface.on_ack_leaves(ack.cumulative, at);
            if packed.is_none() {
                interface.on_ack_arrives(ack.cumulative as u32, now);
            }
        }
        if flow.is_captured() {
            self.capture_ack(now, number, ack, packed);
        }
    }

    /// An acknowledgement of a watched flow, which is not fused, is at the sender.
    #[inline(never)]
    pub(super) fn watch_ack_arrival(&mut self, now: u64, number: u32, ack: PackedAck) {
        let flow = &mut self.flows[number as usize];
        if let Some(interface) = flow.interface() {
            interface.on_ack_arrives(ack.cumulative, now);
        }
        if flow.is_captured()
            && let Some((captures, _)) = self.captured(number)
        {
            captures.packed_ack_arrives(now, number, ack);
        }
    }

    /// Receivers of fused flows run late by the delay of the reverse path. Delivers the packets that arrive before the end, though
    /// their acknowledgements no longer reach the sender.
    pub(super) fn receive_remaining(&mut self) {
        for number in 0..self.network.lines.len() {
            while let Some(&packet) = self.network.lines[number].get(0)
                && let Packet::Data { flow, position, sent_us, marks, next: PathIndex::END, due, .. } = packet
            {
                let state = &self.flows[flow as usize];
                if !state.is_fused() || due.saturating_sub(state.lag()) > self.now {
                    break;
                }
                let Some((_, departure)) = self.network.lines[number].pop() else { break };
                self.work_off(due, flow);
                let segment = Segment { position, sent_us };
                if self.flows[flow as usize].is_watched
                    && self.watch_arrival(due, flow, (segment, marks), departure)
                {
                    continue;
                }
                let ack = self.receive(due, flow, segment, departure);
                self.capture_last_ack(due, flow, ack);
            }
        }
        for flow in 0..self.flows.len() as u32 {
            self.work_off(self.now + self.flows[flow as usize].lag(), flow);
        }
    }

    /// Works off what waits at a flow's interface and is due by `now`, when no acknowledgement reaches the sender any more.
    fn work_off(&mut self, now: u64, number: u32) {
        while let Some(interface) = self.flows[number as usize].interface()
            && interface.works_at() <= now
        {
            let due = interface.works_at();
            let Some(merged) = interface.take(due) else { return };
            let ack = self.receive_merged(due, number, &merged);
            self.capture_last_ack(due, number, ack);
        }
    }

    fn capture_last_ack(&mut self, now: u64, number: u32, ack: Option<AckPacket>) {
        if self.flows[number as usize].is_captured()
            && let Some(ack) = ack
            && let Some((captures, state)) = self.captured(number)
        {
            captures.ack_leaves(now - state.lag(), number, state, &ack);
        }
    }
}
