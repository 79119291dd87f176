// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which flow or traffic a packet belongs to, and what the links count it as: by its ports.

use crate::emulator::Header;
use crate::paths::{HostSide, Ways};
use crate::wire::{FIRST_PORT, TcpSegment, UdpDatagram};
use cwnd_link::{PacketClass, SendOverhead};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// First port of the receivers of traffic: group 0 has this one, group 1 the next. A group's datagrams come from the first port, or in reverse
/// from the second one.
pub const FIRST_GROUP_PORT: u16 = 9_000;
/// Ports of the openers of traffic's connections, in turn: no port is used again soon.
pub const FIRST_OPENER: u16 = 20_000;
/// How many they are: most connections of traffic at once.
pub const OPENERS: u16 = 30_000;

/// A connection of traffic that is about to be opened.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Opened {
    /// Number of its opener's port, from [`FIRST_OPENER`] on.
    pub slot: u16,
    /// What its data are counted for, by the host that sends them.
    pub flows: [u32; 2],
    /// Its ways, if they are not those of its group.
    pub ways: Option<Ways>,
}

/// What traffic tells of before its first packet.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Announced {
    /// A connection is opened.
    Connection(Opened),
    /// A datagram is sent: what it is counted for, and when it is due, ns of the scenario's time.
    Datagram(u32, u64),
}

/// A connection of traffic.
#[derive(Clone, Copy, Debug)]
struct Connection {
    flows: [u32; 2],
    path: u32,
    /// Whether its acceptor has sent data.
    answered: bool,
}

/// What the thread that moves packets knows of flows and traffic.
#[derive(Debug)]
pub struct Classifier {
    sequences: Vec<Option<Sequence>>,
    /// What the host of each flow's sender takes for a packet.
    overheads: Vec<SendOverhead>,
    groups: u32,
    connections: Vec<Option<Connection>>,
    /// When the datagrams that are on their way from their sockets are due, ns, by what they are counted for, from the first group on.
    due: Vec<VecDeque<u64>>,
}

impl Classifier {
    /// Of the flows whose hosts have these overheads, and so many groups of traffic.
    pub fn new(overheads: Vec<SendOverhead>, groups: usize) -> Self {
        let connections = if groups > 0 { usize::from(OPENERS) } else { 0 };
        Self {
            sequences: vec![None; overheads.len()],
            overheads,
            groups: groups as u32,
            connections: vec![None; connections],
            due: vec![VecDeque::new(); 2 * groups],
        }
    }

    /// What the emulator has to know of a packet; `None` if it belongs to nothing.
    pub fn header(&mut self, packet: &[u8], from: HostSide) -> Option<Header> {
        let Some(segment) = TcpSegment::read(packet) else {
            return self.datagram(packet, from);
        };
        let (senders, receivers) = match from {
            HostSide::Senders => (segment.source, segment.destination),
            HostSide::Receivers => (segment.destination, segment.source),
        };
        match receivers.checked_sub(FIRST_PORT) {
            Some(flow) => self.of_flow(segment, from, u32::from(flow)),
            None => self.of_traffic(segment, from, senders.checked_sub(FIRST_OPENER)?),
        }
    }

    fn of_flow(&mut self, segment: TcpSegment, from: HostSide, flow: u32) -> Option<Header> {
        let sequence = self.sequences.get_mut(flow as usize)?;
        if from == HostSide::Senders && segment.opens() {
            *sequence = Some(Sequence { first: segment.sequence.wrapping_add(1), highest: 0 });
        }
        let class = match from {
            HostSide::Senders => (segment.payload > 0).then_some(PacketClass::Data),
            HostSide::Receivers => (!segment.opens_or_closes()).then_some(PacketClass::Ack),
        };
        let position = match (class, sequence) {
            (Some(PacketClass::Data), Some(sequence)) => sequence.position(segment.sequence),
            _ => 0,
        };
        Some(Header {
            flow,
            path: flow,
            from,
            bytes: segment.bytes,
            class,
            position,
            payload: segment.payload,
            marked: false,
        })
    }

    fn of_traffic(&mut self, segment: TcpSegment, from: HostSide, slot: u16) -> Option<Header> {
        let connection = self.connections.get_mut(usize::from(slot))?.as_mut()?;
        connection.answered |= from == HostSide::Receivers && segment.payload > 0;
        let class = match from {
            _ if segment.payload > 0 => Some(PacketClass::Data),
            // The opener acknowledges data, not only the answer to its own opening.
            HostSide::Senders if !connection.answered => None,
            _ => (!segment.opens_or_closes()).then_some(PacketClass::Ack),
        };
        let (flow, path) = (connection.flows[from as usize], connection.path);
        let (bytes, payload) = (segment.bytes, segment.payload);
        Some(Header { flow, path, from, bytes, class, position: 0, payload, marked: false })
    }

    /// When a packet that its host has sent at `at`, ns, is due on its way: data of a flow after the overhead of its host, a datagram of traffic
    /// at the time that was announced for it; `None` for any other one.
    pub fn due(&mut self, at: u64, header: &Header) -> Option<u64> {
        if !header.is_data() {
            return None;
        }
        let Some(place) = (header.flow as usize).checked_sub(self.sequences.len()) else {
            return Some(self.overheads[header.flow as usize].release(at));
        };
        if header.payload != 0 {
            return None;
        }
        self.due[place].pop_front()
    }

    /// Traffic tells of a connection or a datagram before its first packet; `set_path` gives a number its ways.
    pub fn announce(&mut self, announced: Announced, mut set_path: impl FnMut(u32, Ways)) {
        let first_own = self.sequences.len() as u32 + 2 * self.groups;
        match announced {
            Announced::Connection(Opened { slot, flows, ways }) => {
                let path = ways.map_or(flows[0], |ways| {
                    let path = first_own + u32::from(slot);
                    set_path(path, ways);
                    path
                });
                self.connections[usize::from(slot)] = Some(Connection { flows, path, answered: false });
            }
            Announced::Datagram(flow, at) => self.due[flow as usize - self.sequences.len()].push_back(at),
        }
    }

    fn datagram(&self, packet: &[u8], from: HostSide) -> Option<Header> {
        let UdpDatagram { source, destination, bytes } = UdpDatagram::read(packet)?;
        let group = u32::from(destination.checked_sub(FIRST_GROUP_PORT)?);
        let direction = u32::from(source.checked_sub(FIRST_GROUP_PORT)?);
        let is_known = from == HostSide::Senders && group < self.groups && direction < 2;
        let flow = self.sequences.len() as u32 + 2 * group + direction;
        let class = Some(PacketClass::Data);
        is_known.then_some(Header {
            flow,
            path: flow,
            from,
            bytes,
            class,
            position: 0,
            payload: 0,
            marked: false,
        })
    }
}

/// A packet of IPv4, whatever is in it.
pub fn whole(packet: &[u8], from: HostSide) -> Option<Header> {
    let is_ipv4 = packet.len() >= 20 && packet[0] >> 4 == 4;
    let (bytes, class) = (packet.len() as u32, Some(PacketClass::Data));
    is_ipv4.then_some(Header { flow: 0, path: 0, from, bytes, class, position: 0, payload: 0, marked: false })
}

/// Sequence numbers of a flow.
#[derive(Clone, Copy, Debug)]
struct Sequence {
    /// Of its first byte.
    first: u32,
    /// The highest position seen, bytes.
    highest: u64,
}

impl Sequence {
    /// The position that a sequence number, of 32 bits, stands for: the one nearest to the highest.
    fn position(&mut self, number: u32) -> u64 {
        let low = number.wrapping_sub(self.first);
        let ahead = low.wrapping_sub(self.highest as u32) as i32;
        let position = self.highest.saturating_add_signed(i64::from(ahead));
        self.highest = self.highest.max(position);
        position
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cwnd_link::random::RandomStream;

    /// Two flows of hosts without an overhead.
    fn no_overheads() -> Vec<SendOverhead> {
        vec![SendOverhead::new(0, RandomStream::new(1, 0)); 2]
    }

    // 2^32 - 100 is the first byte: 200 bytes on, the number is 100. A retransmission of byte 50 stays behind.
    #[test]
    fn a_position_goes_on_where_the_number_wraps() {
        let mut sequence = Sequence { first: u32::MAX - 99, highest: 0 };
        assert_eq!(sequence.position(u32::MAX - 99), 0);
        assert_eq!(sequence.position(100), 200);
        assert_eq!(sequence.position(u32::MAX - 49), 50);
        for gigabytes in 1..=10u64 {
            assert_eq!(sequence.position((100u64 + (gigabytes << 30)) as u32), 200 + (gigabytes << 30));
        }
    }
    /// A segment of TCP with 20 bytes of header each, from port to port.
    fn segment((from, to): (u16, u16), flags: u8, payload: u8) -> Vec<u8> {
        let mut packet = vec![0u8; 40 + usize::from(payload)];
        (packet[0], packet[3], packet[9]) = (0x45, 40 + payload, 6);
        packet[20..22].copy_from_slice(&from.to_be_bytes());
        packet[22..24].copy_from_slice(&to.to_be_bytes());
        (packet[32], packet[33]) = (5 << 4, flags);
        packet
    }

    // Two flows and a group whose connections send in reverse (number 3) and answer forward (number 2).
    #[test]
    fn a_connection_of_traffic_is_known_by_its_openers_port() {
        let (senders, receivers) = (HostSide::Senders, HostSide::Receivers);
        let mut all = Classifier::new(no_overheads(), 1);
        let (there, back) = ((FIRST_OPENER + 7, FIRST_GROUP_PORT), (FIRST_GROUP_PORT, FIRST_OPENER + 7));
        let mut own_path = None;
        assert_eq!(all.header(&segment(there, 2, 0), senders), None, "nobody has told of it");
        let connection = Opened { slot: 7, flows: [3, 2], ways: Some(Ways::default()) };
        all.announce(Announced::Connection(connection), |number, _| own_path = Some(number));
        let mut kind = |packet: &[u8], from| {
            let header = all.header(packet, from)?;
            Some((header.flow, header.path, header.class))
        };
        // Of its own ways the numbers begin behind two flows and two directions of a group.
        let path = 2 + 2 + 7;
        assert_eq!(kind(&segment(there, 2, 0), senders), Some((3, path, None)), "SYN");
        assert_eq!(kind(&segment(there, 16, 0), senders), Some((3, path, None)), "the end of the opening");
        assert_eq!(kind(&segment(there, 16, 9), senders), Some((3, path, Some(PacketClass::Data))));
        assert_eq!(kind(&segment(back, 16, 0), receivers), Some((2, path, Some(PacketClass::Ack))));
        assert_eq!(
            kind(&segment(back, 16, 9), receivers),
            Some((2, path, Some(PacketClass::Data))),
            "answer"
        );
        assert_eq!(kind(&segment(there, 16, 0), senders), Some((3, path, Some(PacketClass::Ack))));
        assert_eq!(kind(&segment(there, 4, 0), senders), Some((3, path, None)), "RST");
        // A flow has its own port, and nothing else is known.
        let flow = segment((50_000, FIRST_PORT + 1), 16, 9);
        assert_eq!(kind(&flow, senders), Some((1, 1, Some(PacketClass::Data))));
        assert_eq!(kind(&segment((50_000, 80), 16, 9), senders), None);
        assert_eq!(own_path, Some(path));
    }

    #[test]
    fn a_datagram_is_known_by_its_ports() {
        let mut all = Classifier::new(no_overheads(), 1);
        // Of both directions two are announced: each packet takes the next time of its own direction.
        for (flow, at) in [(2, 10), (3, 20), (2, 30), (3, 40)] {
            all.announce(Announced::Datagram(flow, at), |_, _| {});
        }
        let header = |flow| Header {
            flow,
            path: flow,
            from: HostSide::Senders,
            bytes: 100,
            class: Some(PacketClass::Data),
            position: 0,
            payload: 0,
            marked: false,
        };
        let due = [3, 2, 2, 3].map(|flow| all.due(7, &header(flow)));
        assert_eq!(due, [Some(20), Some(10), Some(30), Some(40)]);
        assert_eq!(all.due(7, &header(1)), Some(7), "a flow");
        assert_eq!(all.due(7, &Header { payload: 9, ..header(2) }), None, "a segment");
        let mut kind = |ports, from| {
            let mut packet = segment(ports, 0, 0);
            packet[9] = 17;
            all.header(&packet, from).map(|header| (header.flow, header.path, header.class))
        };
        for reverse in [0, 1] {
            let ports = (FIRST_GROUP_PORT + reverse, FIRST_GROUP_PORT);
            let flow = 2 + u32::from(reverse);
            assert_eq!(kind(ports, HostSide::Senders), Some((flow, flow, Some(PacketClass::Data))));
            assert_eq!(kind(ports, HostSide::Receivers), None);
        }
        assert_eq!(kind((FIRST_GROUP_PORT + 2, FIRST_GROUP_PORT), HostSide::Senders), None);
        assert_eq!(kind((FIRST_GROUP_PORT, FIRST_GROUP_PORT + 1), HostSide::Senders), None, "no such group");
    }

    // The k-th segment of a flow waits as long as the simulator's k-th, whether it can be marked or not, and other packets of the flow not at all.
    #[test]
    fn data_of_a_flow_leave_after_the_overhead_that_the_scenario_draws() {
        let drawn = SendOverhead::new(50_000, RandomStream::new(3, 0));
        let mut all = Classifier::new(vec![drawn], 0);
        let header = |class| Header {
            flow: 0,
            path: 0,
            from: HostSide::Senders,
            bytes: 1500,
            class,
            position: 0,
            payload: 1448,
            marked: false,
        };
        let mut expected = drawn;
        for (number, at) in (0..1000).map(|number| (number, number * 20_000)) {
            let due = expected.release(at);
            let class = if number % 2 == 0 { PacketClass::Data } else { PacketClass::MarkableData };
            assert_eq!(all.due(at, &header(Some(class))), Some(due));
            assert!((at..=at + 50_000).contains(&due));
            for class in [None, Some(PacketClass::Ack)] {
                assert_eq!(all.due(at, &header(class)), None);
            }
        }
    }
}
