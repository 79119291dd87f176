// SPDX-License-Identifier: MIT OR Apache-2.0
//! Datagrams of foreign stacks in the network: sent, on their way, dropped, arrived, captured.

use crate::endpoint::EcnCodepoint;
use crate::engine::Simulation;
use crate::index::OptionIndex;
use crate::network::{Departure, Frame, Packet, PathIndex, RouteLink};
use cwnd_link::PacketClass;
use cwnd_record::EventKind;
use cwnd_record::capture::{CaptureHost, datagram, foreign_segment};
use cwnd_scenario::DATAGRAM_HEADERS;
use cwnd_traffic::Direction;

/// The host at which datagrams of this direction arrive.
const fn host_at_end(direction: Direction) -> CaptureHost {
    match direction {
        Direction::Forward => CaptureHost::Receivers,
        Direction::Reverse => CaptureHost::Senders,
    }
}

impl Simulation {
    /// A datagram is at the end of its path.
    #[inline(never)]
    pub(in crate::engine) fn on_frame(&mut self, now: u64, packet: &Packet, departure: Departure) {
        let Some(frame) = packet.frame().filter(|_| crate::STACKS) else { return };
        let flow = &mut self.flows[frame.flow as usize];
        match frame.direction {
            Direction::Forward => {
                flow.count.forwarded += u64::from(departure == Departure::Uncounted);
                flow.receiver.arrived += 1;
                flow.receiver.distinct += 1;
            }
            Direction::Reverse => flow.acks_out -= 1,
        }
        let Some(all) = &mut self.stacks else { return };
        let kept = &mut all.datagrams[frame.place as usize];
        let (datagram, ecn) =
            (std::mem::take(&mut kept.bytes), if frame.is_marked { EcnCodepoint::Ce } else { kept.ecn });
        if self.flows[frame.flow as usize].is_captured() {
            self.capture_frame(
                now,
                (frame.flow, frame.direction),
                (&datagram, ecn),
                host_at_end(frame.direction),
            );
        }
        self.with_connection(now, frame.flow, |connection| match frame.direction {
            Direction::Forward => connection.ends().receiver.on_datagram(now, &datagram, ecn),
            Direction::Reverse => {
                connection.is_answered = true;
                connection.ends().sender.on_datagram(now, &datagram, ecn);
            }
        });
        if let Some(all) = &mut self.stacks {
            all.datagrams[frame.place as usize].bytes = datagram;
            all.release(frame.place);
        }
        if frame.direction == Direction::Reverse
            && self.scenario.record.per_ack
            && self.flows[frame.flow as usize].is_recorded()
        {
            self.count_forwarded(now);
            self.sample_window(now, frame.flow);
        }
    }

    /// A datagram leaves an end.
    pub(super) fn send_frame(
        &mut self,
        now: u64,
        number: u32,
        direction: Direction,
        datagram: &[u8],
        ecn: EcnCodepoint,
    ) {
        let ecn = if self.scenario_flows[number as usize].group.ecn { ecn } else { EcnCodepoint::NotEct };
        if self.flows[number as usize].is_captured() {
            self.capture_frame(now, (number, direction), (datagram, ecn), host_at_end(direction).other());
        }
        let Some(all) = &mut self.stacks else { return };
        let flow = &mut self.flows[number as usize];
        let place = all.keep(datagram, ecn, flow.sender.sent.packets);
        let packet = Packet::of_frame(now, Frame { flow: number, place, direction, is_marked: false });
        let route = &self.network.routes[flow.route as usize];
        match direction {
            Direction::Forward => {
                flow.sender.sent.packets += 1;
                match route.entry {
                    None => self.forward(now, packet),
                    Some((line, delay)) => {
                        self.network.push(line, packet.on_line(now, now + delay, PathIndex::FIRST));
                    }
                }
            }
            Direction::Reverse => {
                flow.acks_out += 1;
                if route.reverse_path.is_empty() {
                    let (line, due) = (flow.ack_line, now + flow.access_delay_rev);
                    self.network.push(line, packet.on_line(now, due, PathIndex::END));
                } else {
                    self.forward(now, packet);
                }
            }
        }
    }

    /// The links of a datagram's path, its size on the wire, its class, and the delay line and the delay behind the last link.
    #[inline(never)]
    pub(in crate::engine) fn way_of_frame(
        &self,
        frame: Frame,
    ) -> (&Vec<RouteLink>, u32, PacketClass, (OptionIndex, u64)) {
        let flow = &self.flows[frame.flow as usize];
        let route = &self.network.routes[flow.route as usize];
        let (bytes, ecn) = self.stacks.as_ref().map_or((0, EcnCodepoint::NotEct), |all| {
            let datagram = &all.datagrams[frame.place as usize];
            let headers = all.headers[frame.flow as usize][frame.direction as usize];
            ((datagram.bytes.len() as u32).saturating_add(headers), datagram.ecn)
        });
        let (links, class, end) = match frame.direction {
            Direction::Forward => {
                let class =
                    if ecn == EcnCodepoint::NotEct { PacketClass::Data } else { PacketClass::MarkableData };
                (&route.path, class, (flow.delivery_line, flow.to_next_event))
            }
            Direction::Reverse => {
                (&route.reverse_path, PacketClass::Ack, (flow.ack_line, flow.access_delay_rev))
            }
        };
        // A stack that sends more than it was allowed to is not the network's matter.
        let size = bytes.min(self.scenario.packet_size);
        (links, size, class, (OptionIndex::some(end.0), end.1))
    }

    /// A link has dropped a datagram.
    #[cold]
    pub(in crate::engine) fn frame_dropped(
        &mut self,
        now: u64,
        link: u32,
        frame: Frame,
        cause: cwnd_link::DropCause,
    ) {
        let Some(all) = self.stacks.as_mut().filter(|_| crate::STACKS) else { return };
        let number = all.datagrams[frame.place as usize].number;
        all.release(frame.place);
        let flow = &mut self.flows[frame.flow as usize];
        match frame.direction {
            Direction::Reverse => flow.acks_out -= 1,
            Direction::Forward => {
                flow.count.dropped.count(cause);
                let link = ((link as usize) < self.scenario.links.len()).then_some(link);
                self.record_event(now, frame.flow, EventKind::Drop(cause), link, number);
            }
        }
    }

    /// A datagram of a flow that is captured leaves the host `place`, or arrives at it.
    #[cold]
    fn capture_frame(
        &mut self,
        now: u64,
        (number, direction): (u32, Direction),
        (bytes, ecn): (&[u8], EcnCodepoint),
        place: CaptureHost,
    ) {
        let headers = self.stacks.as_ref().map_or(0, |all| all.headers[number as usize][direction as usize]);
        if let Some((captures, _)) = self.captured(number) {
            let form = if headers == DATAGRAM_HEADERS { datagram } else { foreign_segment };
            let packet = form(number, host_at_end(direction).other(), ecn as u8, bytes);
            captures.packet(now, place, packet);
        }
    }
}
