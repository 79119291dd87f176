// SPDX-License-Identifier: MIT OR Apache-2.0
//! Packets as the hosts see them, captured while the simulation goes on.
//!
//! A packet in the network has what receivers and senders need. What is in its headers besides, such as the timestamp that a data segment
//! echoes, is kept here from where it is sent to where it arrives. Captured flows send by the general path, so that others pay nothing.
//! Datagrams of foreign stacks are written with the bytes that the stack has sent.

use super::Simulation;
use crate::network::{EcnMarks, PackedAck, Segment};
use crate::tcp::{AckPacket, FlowState};
use cwnd_record::capture::{CaptureHost, EcnField, Pcapng, SACK_BLOCKS, WireSegment};
use cwnd_scenario::{Flow, HEADER_BYTES, Scenario};
use std::collections::{BTreeMap, VecDeque};

/// Window field that says the most; the largest shift of it (RFC 7323 §2.3) is 14.
const LARGEST_FIELD: u32 = 65_535;
const LARGEST_SHIFT: u32 = 14;

/// The captures of a run.
#[derive(Clone, Debug)]
pub struct Captures {
    senders: Option<Pcapng>,
    receivers: Option<ReceiversCapture>,
    flows: Vec<FlowHeaders>,
    /// Size of a full packet, bytes.
    full: u32,
}

/// The receivers' capture. The receiver of a fused flow runs late, so its packets are sorted by time before they are written.
#[derive(Clone, Debug)]
struct ReceiversCapture {
    file: Pcapng,
    /// By time, ns, and order.
    waiting: BTreeMap<(u64, u64), Captured>,
    order: u64,
    /// By how much receivers run late at most, ns.
    lag: u64,
}

/// A packet that waits to be written.
#[derive(Clone, Debug)]
enum Captured {
    /// A segment, and the host that sent it.
    Segment(CaptureHost, WireSegment),
    /// A whole packet, of a foreign stack.
    Packet(Vec<u8>),
}

/// What the headers of a flow's packets have beside what the simulation needs.
#[derive(Clone, Debug, Default)]
struct FlowHeaders {
    window: u16,
    has_sack: bool,
    /// TSval of the last acknowledgement at the sender, which data echo.
    newest_at_sender: u32,
    /// TSecr of the last acknowledgement sent: one out of order repeats it. // RFC 7323 §4.3
    echo: u32,
    /// Data in the network, in the order of sending, where the receivers' packets are captured.
    data: VecDeque<(Segment, WireSegment)>,
    /// Acknowledgements in the network, of a flow that is not fused.
    acks: VecDeque<(PackedAck, WireSegment)>,
}

impl Captures {
    /// Those that the scenario asks for.
    pub fn new(scenario: &Scenario) -> Option<Box<Self>> {
        let sides = scenario.record.packets.sides();
        let [senders, receivers] = CaptureHost::ALL
            .map(|host| sides[host as usize].then(|| Pcapng::new(host, scenario.record.snap_length)));
        if !crate::CAPTURES || (senders.is_none() && receivers.is_none()) {
            return None;
        }
        let receivers =
            receivers.map(|file| ReceiversCapture { file, waiting: BTreeMap::new(), order: 0, lag: 0 });
        Some(Box::new(Self { senders, receivers, flows: Vec::new(), full: scenario.packet_size }))
    }

    /// Adds the scenario's next flow.
    pub fn add(&mut self, flow: &Flow, state: &FlowState) {
        let mss = self.full - HEADER_BYTES;
        let segments = flow.group.rwnd.unwrap_or(u32::MAX).min((LARGEST_FIELD << LARGEST_SHIFT) / mss);
        let window = segments * mss;
        let shift =
            (0..LARGEST_SHIFT).find(|shift| window >> shift <= LARGEST_FIELD).unwrap_or(LARGEST_SHIFT);
        let window = (window >> shift).min(LARGEST_FIELD) as u16;
        self.flows.push(FlowHeaders { window, has_sack: state.sender.has_sack(), ..FlowHeaders::default() });
        if let Some(receivers) = &mut self.receivers {
            receivers.lag = receivers.lag.max(state.lag());
        }
    }

    /// A segment leaves its sender's host at `now`, ns.
    fn data_leaves(
        &mut self,
        now: u64,
        number: u32,
        state: &FlowState,
        (segment, marks): (Segment, EcnMarks),
        position: u64,
    ) {
        let headers = &self.flows[number as usize];
        let sent = WireSegment {
            flow: number,
            sequence: byte(state, position, self.full),
            acknowledgement: 1,
            window: LARGEST_FIELD as u16,
            timestamps: (segment.sent_us, headers.newest_at_sender),
            sack: [None; SACK_BLOCKS],
            payload: state.size(segment.position, self.full) - HEADER_BYTES,
            ecn: if marks.has(EcnMarks::ECT) { EcnField::Capable } else { EcnField::NotCapable },
            echo: false,
            cwr: marks.has(EcnMarks::CWR),
        };
        write(self.senders.as_mut(), now, CaptureHost::Senders, &sent);
        if self.receivers.is_some() {
            self.flows[number as usize].data.push_back((segment, sent));
        }
    }

    /// A segment is at its receiver at `at`, ns.
    fn data_arrives(&mut self, at: u64, number: u32, segment: Segment, marks: EcnMarks) {
        let Some(receivers) = &mut self.receivers else { return };
        let data = &mut self.flows[number as usize].data;
        if let Some((_, mut sent)) =
            data.iter().position(|(other, _)| *other == segment).and_then(|place| data.remove(place))
        {
            if marks.has(EcnMarks::CE) {
                sent.ecn = EcnField::Experienced;
            }
            receivers.push(at, Captured::Segment(CaptureHost::Senders, sent));
        }
    }

    /// A segment was dropped. The network has only the low half of its position, and when it was sent.
    pub fn data_dropped(&mut self, number: u32, segment: Segment) {
        let data = &mut self.flows[number as usize].data;
        if let Some(place) = data.iter().rposition(|(other, _)| *other == segment) {
            data.remove(place);
        }
    }

    /// The receiver sends an acknowledgement at `at`, ns; returns its headers.
    pub fn ack_leaves(&mut self, at: u64, number: u32, state: &FlowState, ack: &AckPacket) -> WireSegment {
        let headers = &mut self.flows[number as usize];
        headers.echo = ack.sent_us.map_or(headers.echo, |(first, _)| first);
        let edge = |position: u64| byte(state, position, self.full);
        let mut sack = [None; SACK_BLOCKS];
        if headers.has_sack {
            let blocks = state.receiver.blocks(ack);
            let duplicate = blocks.duplicate(ack.cumulative).map(|position| (position, position + 1));
            for (place, (from, to)) in
                sack.iter_mut().zip(duplicate.into_iter().chain(blocks.ranges(ack.cumulative)))
            {
                *place = Some((edge(from), edge(to)));
            }
        }
        let sent = WireSegment {
            flow: number,
            sequence: 1,
            acknowledgement: edge(ack.cumulative),
            window: headers.window,
            timestamps: ((at / 1000) as u32, headers.echo),
            sack,
            payload: 0,
            ecn: EcnField::NotCapable,
            echo: state.echoes(),
            cwr: false,
        };
        if let Some(receivers) = &mut self.receivers {
            receivers.push(at, Captured::Segment(CaptureHost::Receivers, sent));
        }
        sent
    }

    /// An acknowledgement, with these headers, is in the network.
    pub fn ack_travels(&mut self, number: u32, ack: PackedAck, wire: WireSegment) {
        self.flows[number as usize].acks.push_back((ack, wire));
    }

    /// It is at the sender.
    pub fn packed_ack_arrives(&mut self, now: u64, number: u32, ack: PackedAck) {
        if let Some(wire) = self.take_ack(number, ack) {
            self.ack_arrives(now, number, &wire);
        }
    }

    /// An acknowledgement with these headers is at the sender at `now`, ns.
    pub fn ack_arrives(&mut self, now: u64, number: u32, wire: &WireSegment) {
        self.flows[number as usize].newest_at_sender = wire.timestamps.0;
        write(self.senders.as_mut(), now, CaptureHost::Receivers, wire);
    }

    /// Takes an acknowledgement that has arrived or was dropped. Of two that are equal, the network cannot say which one it is.
    pub fn take_ack(&mut self, number: u32, ack: PackedAck) -> Option<WireSegment> {
        let acks = &mut self.flows[number as usize].acks;
        let place = acks.iter().position(|(other, _)| *other == ack)?;
        acks.remove(place).map(|(_, wire)| wire)
    }

    /// A whole packet, of a foreign stack, is seen at a time, ns, at a host; one that is empty is none.
    pub fn packet(&mut self, at: u64, place: CaptureHost, packet: Vec<u8>) {
        if packet.is_empty() {
            return;
        }
        match (place, &mut self.senders, &mut self.receivers) {
            (CaptureHost::Senders, Some(file), _) => file.packet(at, &packet, packet.len() as u32),
            (CaptureHost::Receivers, _, Some(receivers)) => receivers.push(at, Captured::Packet(packet)),
            _ => {}
        }
    }

    /// Takes what was captured since the last call, by `now`, ns: for each host its name and the next piece of its file.
    fn take(&mut self, now: u64, finished: bool) -> Vec<(&'static str, Vec<u8>)> {
        let receivers = self.receivers.as_mut().map(|receivers| {
            receivers.write_until(if finished { now } else { now.saturating_sub(receivers.lag) });
            receivers.file.take()
        });
        let senders = self.senders.as_mut().map(Pcapng::take);
        let pieces = CaptureHost::ALL.iter().zip([senders, receivers]);
        pieces
            .filter_map(|(host, piece)| Some((host.name(), piece.filter(|piece| !piece.is_empty())?)))
            .collect()
    }
}

impl ReceiversCapture {
    fn push(&mut self, at: u64, packet: Captured) {
        self.waiting.insert((at, self.order), packet);
        self.order += 1;
    }

    /// Writes what was seen by then: nothing earlier can come any more.
    fn write_until(&mut self, time: u64) {
        while let Some(entry) = self.waiting.first_entry()
            && entry.key().0 <= time
        {
            let at = entry.key().0;
            match entry.remove() {
                Captured::Segment(from, wire) => write(Some(&mut self.file), at, from, &wire),
                Captured::Packet(packet) => self.file.packet(at, &packet, packet.len() as u32),
            }
        }
    }
}

fn write(file: Option<&mut Pcapng>, at: u64, from: CaptureHost, wire: &WireSegment) {
    if let Some(file) = file {
        let headers = wire.headers(from);
        file.packet(at, headers.bytes(), headers.packet_length());
    }
}

/// Number of the first byte at a position: behind a last segment that is short, the next one.
fn byte(state: &FlowState, position: u64, full: u32) -> u32 {
    let mss = u64::from(full - HEADER_BYTES);
    let is_behind_last = position as u32 == state.last.0.wrapping_add(1);
    let missing = if is_behind_last { full - state.last.1 } else { 0 };
    (1 + position * mss - u64::from(missing)) as u32
}

impl Simulation {
    /// Takes the packets that were captured since the last call: the name of each host (`senders`, `receivers`) with the next piece
    /// of its file of pcapng, if `record.packets` asks for it.
    pub fn take_packets(&mut self) -> Vec<(&'static str, Vec<u8>)> {
        let (now, finished) = (self.now, self.finished);
        self.captures
            .as_mut()
            .filter(|_| crate::CAPTURES)
            .map_or_else(Vec::new, |captures| captures.take(now, finished))
    }

    /// The captures, and the flow, which is captured.
    pub(super) fn captured(&mut self, number: u32) -> Option<(&mut Captures, &FlowState)> {
        Some((self.captures.as_deref_mut().filter(|_| crate::CAPTURES)?, &self.flows[number as usize]))
    }

    /// A segment of a flow that is watched leaves its host at `now`, ns.
    #[cold]
    pub(super) fn capture_departure(
        &mut self,
        now: u64,
        number: u32,
        segment: (Segment, EcnMarks),
        position: u64,
    ) {
        if self.flows[number as usize].is_captured()
            && let Some((captures, state)) = self.captured(number)
        {
            captures.data_leaves(now, number, state, segment, position);
        }
    }

    /// A segment of a flow that is captured is at its receiver at `at`, ns.
    #[cold]
    pub(super) fn capture_arrival(&mut self, at: u64, number: u32, segment: Segment, marks: EcnMarks) {
        if let Some((captures, _)) = self.captured(number) {
            captures.data_arrives(at, number, segment, marks);
        }
    }

    /// The receiver of a flow that is captured sends an acknowledgement, at `now` of the sender; `packed` as it travels.
    #[cold]
    pub(super) fn capture_ack(&mut self, now: u64, number: u32, ack: &AckPacket, packed: Option<PackedAck>) {
        let Some((captures, state)) = self.captured(number) else { return };
        let wire = captures.ack_leaves(now - state.lag(), number, state, ack);
        match packed {
            Some(packed) => captures.ack_travels(number, packed, wire),
            None => captures.ack_arrives(now, number, &wire),
        }
    }
}
