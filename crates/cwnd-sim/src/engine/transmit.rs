// SPDX-License-Identifier: MIT OR Apache-2.0
//! Packets leave hosts, are offered to links, and go onto the delay lines behind them.

use super::Simulation;
use super::record::Tables;
use crate::index::OptionIndex;
use crate::network::{
    EcnMarks, Frame, NextLink, PackedAck, Packet, PathIndex, RouteLink, Segment, Transmitted,
};
use crate::schedule::{EventClass, EventId};
use crate::tcp::{ACK_BYTES, FlowState, Owner, position};
use cwnd_link::{DropCause, Link, Offered, PacketClass, Transit};
use cwnd_record::EventKind;
use cwnd_scenario::Scenario;
use cwnd_traffic::Direction;

/// Offers the segment at `position` to the flow's only link, which holds no packets ([`FlowState::direct`]): what goes on the delay line
/// behind it, if it is not dropped.
#[inline(always)]
pub(super) fn offer(
    (now, number, position): (u64, u32, u64),
    flow: &mut FlowState,
    link: &mut Link<Packet>,
    scenario: &Scenario,
    tables: &mut Tables,
) -> Option<Packet> {
    let size = flow.size(position as u32, scenario.packet_size);
    let Transit { departs, arrives, mark } = match link.offer(now, size, PacketClass::Data) {
        Offered::Departs(transit) => transit,
        Offered::Dropped(cause) => {
            flow.count.dropped.count(cause);
            if flow.owner == Owner::Scenario {
                tables.event((now, number), EventKind::Drop(cause), flow.direct.get(), position, flow);
            }
            return None;
        }
        Offered::Holds => {
            debug_assert!(false, "a direct link holds no packets");
            return None;
        }
    };
    if scenario.measure.0 <= departs && departs < scenario.measure.1 {
        flow.count_forwarded(size, scenario.packet_size);
    }
    let segment = Segment { position: position as u32, sent_us: (now / 1000) as u32 };
    let packet = Packet::data(number, segment, EcnMarks::NOTHING);
    let packet = if mark { packet.marked() } else { packet };
    Some(packet.on_line(departs, arrives.saturating_add(flow.to_next_event), PathIndex::END))
}

impl Simulation {
    /// Sends what the flow's sender allows to its only link, which holds no packets.
    #[inline(always)]
    pub(super) fn send_directly(&mut self, now: u64, number: u32, link: u32) {
        let Self { flows, network, scenario, tables, .. } = self;
        let flow = &mut flows[number as usize];
        while let Some(position) = flow.sender.send(now) {
            let link = &mut network.links[link as usize];
            if let Some(packet) = offer((now, number, position), flow, link, scenario, tables) {
                network.push(flow.delivery_line, packet);
            }
        }
    }

    /// A packet leaves its host. Its round trip time is measured from `decided`, ns.
    #[inline]
    pub(super) fn leave_host(&mut self, now: u64, number: u32, position: u64, decided: u64) {
        let segment = Segment { position: position as u32, sent_us: (decided / 1000) as u32 };
        let flow = &mut self.flows[number as usize];
        let mut marks = EcnMarks::NOTHING;
        if flow.is_watched {
            marks = flow.ecn_mut().map_or(marks, |ecn| ecn.on_send(position));
            self.capture_departure(now, number, (segment, marks), position);
        }
        let packet = Packet::data(number, segment, marks);
        match self.network.routes[self.flows[number as usize].route as usize].entry {
            None => self.forward(now, packet),
            Some((line, delay)) => {
                let packet = packet.on_line(now, now + delay, PathIndex::FIRST);
                self.network.push(line, packet);
            }
        }
    }

    /// A packet is at its next link.
    pub(super) fn forward(&mut self, now: u64, packet: Packet) {
        let next = self.next_link(&packet);
        match self.network.transmit(now, next, packet) {
            Transmitted::Departs(departs) => self.departed(departs, next, &packet),
            Transmitted::Dropped(cause) => self.dropped(now, next.link, &packet, (cause, false)),
            Transmitted::Held => self.network.arm_link(&mut self.timers, next.link),
        }
    }

    /// A link's timer is due: it takes packets that it holds from its queue.
    pub(super) fn on_departure(&mut self, now: u64, number: u32) {
        if self.network.links_armed[number as usize] != now {
            self.timers.remove_first();
            return;
        }
        self.timers.hold_first();
        while let Some((packet, result)) = self.network.links[number as usize].pop(now) {
            match result {
                Ok(transit) => {
                    let next = self.next_link(&packet);
                    if let Some(check) = self.network.check(number) {
                        check.check_dequeue(now, next.size, transit.departs);
                    }
                    self.network.depart(next, packet, transit);
                    self.departed(transit.departs, next, &packet);
                }
                Err(cause) => self.dropped(now, number, &packet, (cause, true)),
            }
        }
        let next = self.network.links[number as usize].next_event();
        self.network.links_armed[number as usize] = next;
        self.move_first(next, EventId::new(EventClass::Departure, number));
    }

    #[inline]
    fn next_link(&self, packet: &Packet) -> NextLink {
        let routes = &self.network.routes;
        // The links of its path, which of them is next, and from the last one on: the delay line and the delay.
        let (links, index, size, class, end) = match *packet {
            Packet::Data { flow, position, next, .. } => {
                let flow = &self.flows[flow as usize];
                let class = packet.class();
                let size = flow.size(position, self.scenario.packet_size);
                let end = (OptionIndex::some(flow.delivery_line), flow.to_next_event);
                (&routes[flow.route as usize].path, next, size, class, end)
            }
            Packet::Ack { flow, next, fields, detail, .. } => {
                let flow = &self.flows[flow as usize];
                let end = (OptionIndex::some(flow.ack_line), flow.access_delay_rev);
                let option =
                    if flow.sender.is_linux() { self.ack_slab.option_bytes(fields, detail) } else { 0 };
                let size = ACK_BYTES + option;
                (&routes[flow.route as usize].reverse_path, next, size, PacketClass::Ack, end)
            }
            Packet::Datagram { group, direction, bytes, next, .. } => match packet.frame() {
                Some(frame) => {
                    let (links, size, class, end) = self.way_of_frame(frame);
                    (links, next, size, class, end)
                }
                None => {
                    let route = self.background.groups[group as usize].routes[direction as usize];
                    // Behind its last link it is not simulated.
                    (&routes[route as usize].path, next, bytes, PacketClass::Data, (OptionIndex::NONE, 0))
                }
            },
        };
        let RouteLink { link, line } = links[index.link()];
        if index.link() + 1 == links.len() {
            NextLink { link, size, class, then: PathIndex::END, line: end.0, delay: end.1 }
        } else {
            NextLink { link, size, class, then: index.next(), line: OptionIndex::some(line), delay: 0 }
        }
    }

    /// A link sends a packet: counts what leaves its last link in the measured interval.
    #[inline]
    fn departed(&mut self, departs: u64, from: NextLink, packet: &Packet) {
        if from.then != PathIndex::END || !self.in_measure(departs) {
            return;
        }
        match *packet {
            Packet::Data { flow, .. } => {
                self.flows[flow as usize].count_forwarded(from.size, self.scenario.packet_size);
            }
            Packet::Datagram { group, direction, .. } => match packet.frame() {
                Some(Frame { flow, direction: Direction::Forward, .. }) => {
                    self.flows[flow as usize].count_forwarded(from.size, self.scenario.packet_size);
                }
                Some(_) => {}
                None => {
                    self.background.groups[group as usize].load.carried(direction, u64::from(from.size));
                }
            },
            Packet::Ack { .. } => {}
        }
    }

    /// A link drops a packet that arrives, or one that it had taken in (`was_held`).
    #[cold]
    fn dropped(&mut self, now: u64, link: u32, packet: &Packet, (cause, was_held): (DropCause, bool)) {
        if was_held && self.network.check(link).is_some() {
            let size = self.next_link(packet).size;
            if let Some(check) = self.network.check(link) {
                check.drops_held(now, size);
            }
        }
        match *packet {
            Packet::Data { flow: number, position: low, sent_us, next, .. } => {
                if let (true, Some((captures, _))) =
                    (self.flows[number as usize].is_captured(), self.captured(number))
                {
                    captures.data_dropped(number, Segment { position: low, sent_us });
                }
                let flow = &mut self.flows[number as usize];
                flow.count.dropped.count(cause);
                if flow.owner == Owner::Scenario {
                    let link = ((link as usize) < self.scenario.links.len()).then_some(link);
                    let value = position(flow.sender.una(), low);
                    self.record_event(now, number, EventKind::Drop(cause), link, value);
                } else if next != PathIndex::FIRST || was_held {
                    self.try_to_free(number); // a packet that arrives at its first link is still with its sender
                }
            }
            Packet::Ack {
                flow: number, cumulative, first_sent_us, newest_sent_us, fields, detail, ..
            } => {
                if let (true, Some((captures, _))) =
                    (self.flows[number as usize].is_captured(), self.captured(number))
                {
                    captures.take_ack(
                        number,
                        PackedAck { cumulative, first_sent_us, newest_sent_us, detail, fields },
                    );
                }
                let flow = &mut self.flows[number as usize];
                flow.acks_out -= 1;
                self.ack_slab.release(fields, detail);
                if flow.owner != Owner::Scenario {
                    self.try_to_free(number);
                }
            }
            Packet::Datagram { .. } => {
                if let Some(frame) = packet.frame() {
                    self.frame_dropped(now, link, frame, cause);
                }
            }
        }
    }
}
