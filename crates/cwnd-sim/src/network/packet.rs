// SPDX-License-Identifier: MIT OR Apache-2.0
//! Packets in the network.

use cwnd_link::PacketClass;
use cwnd_traffic::Direction;

/// The place on its path that a packet arrives at next: a link, by its index on the path, or the end of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathIndex(u16);

impl PathIndex {
    /// The first link.
    pub const FIRST: Self = Self(0);
    /// Behind the last link.
    pub const END: Self = Self(u16::MAX);

    /// The index of the link.
    #[inline]
    pub const fn link(self) -> usize {
        debug_assert!(self.0 != Self::END.0);
        self.0 as usize
    }

    /// The next link, where this is not the last one.
    #[inline]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// Which fields of a [`PackedAck`] are set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AckFields(u8);

impl AckFields {
    /// The times.
    pub const TIMES: Self = Self(1);
    /// `detail` is a position.
    pub const SACKED: Self = Self(2);
    /// `detail` is the index of its blocks.
    pub const BLOCKS: Self = Self(4);
    /// It echoes a congestion mark (ECE). // RFC 3168 §6.1
    pub const ECHO: Self = Self(8);

    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// What a data packet carries of ECN (RFC 3168): the field of its IP header, and a flag of its TCP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EcnMarks(u8);

impl EcnMarks {
    /// ECT(0), or with a mark CE: it is ECN-capable.
    pub const ECT: Self = Self(1);
    /// CE: a queue has marked it.
    pub const CE: Self = Self(2);
    /// The TCP flag CWR.
    pub const CWR: Self = Self(4);
    /// None of these.
    pub const NOTHING: Self = Self(0);

    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[inline]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// An acknowledgement in the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedAck {
    /// Low 32 bits of the position that it acknowledges up to.
    pub cumulative: u32,
    /// When the first and the newest segment that it acknowledges were sent, µs.
    pub first_sent_us: u32,
    pub newest_sent_us: u32,
    /// Low 32 bits of the position that it reports, or the index of its blocks.
    pub detail: u32,
    /// Which of the fields above are set.
    pub fields: AckFields,
}

impl PackedAck {
    /// The same, with the flag ECE if `echo`.
    #[inline]
    pub const fn echoing(mut self, echo: bool) -> Self {
        if echo {
            self.fields = self.fields.with(AckFields::ECHO);
        }
        self
    }
}

/// What the receiver sees of a data packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Low 32 bits of its position.
    pub position: u32,
    /// When it was sent, µs, low 32 bits.
    pub sent_us: u32,
}

/// A packet in the network. All have `due`, when it reaches the end of its delay line, ns, and `next`, what it arrives at there.
#[derive(Clone, Copy, Debug)]
pub enum Packet {
    /// A segment of a flow. Behind the last link of a fused flow (see [`crate::tcp::FlowState::fused`]) it is due when its acknowledgement is at the
    /// sender.
    Data {
        /// When it left its link, ns.
        departs: u64,
        /// Its flow.
        flow: u32,
        /// Low 32 bits of its position.
        position: u32,
        /// When it was sent, µs, low 32 bits.
        sent_us: u32,
        marks: EcnMarks,
        next: PathIndex,
        due: u64,
    },
    /// An acknowledgement, packed by [`crate::tcp::AckSlab`].
    Ack {
        /// Its flow.
        flow: u32,
        /// Low 32 bits of the position that it acknowledges up to.
        cumulative: u32,
        /// When the first and the newest segment that it acknowledges were sent, µs.
        first_sent_us: u32,
        newest_sent_us: u32,
        /// Low 32 bits of the position that it reports, or the index of its blocks.
        detail: u32,
        /// Which of the fields above are set.
        fields: AckFields,
        next: PathIndex,
        due: u64,
    },
    /// A packet of a traffic group that nobody acknowledges, or a datagram of a foreign stack ([`Frame`]).
    Datagram {
        /// When it left its link, ns.
        departs: u64,
        /// Its traffic group; of a foreign stack its flow, with [`FOREIGN`] and perhaps [`MARKED`].
        group: u32,
        direction: Direction,
        /// Size, bytes; of a foreign stack the place of its bytes.
        bytes: u32,
        next: PathIndex,
        due: u64,
    },
}

/// A datagram of a foreign stack as its ends know it. It shares a variant with those of traffic, so that packets of our TCP pay nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    pub flow: u32,
    /// Where its bytes are kept.
    pub place: u32,
    pub direction: Direction,
    /// Whether a queue has marked it.
    pub is_marked: bool,
}

/// A datagram is one of a foreign stack.
const FOREIGN: u32 = 1 << 31;
/// A queue has marked it.
const MARKED: u32 = 1 << 30;

const _: () = assert!(size_of::<Packet>() == 32);

impl Default for Packet {
    fn default() -> Self {
        Self::data(0, Segment { position: 0, sent_us: 0 }, EcnMarks::NOTHING)
    }
}

impl Packet {
    /// A segment of a flow, before the first link.
    #[inline(always)]
    pub const fn data(flow: u32, segment: Segment, marks: EcnMarks) -> Self {
        let Segment { position, sent_us } = segment;
        Self::Data { departs: 0, flow, position, sent_us, marks, next: PathIndex::FIRST, due: 0 }
    }

    /// A segment that a queue has marked.
    #[cold]
    pub const fn marked(mut self) -> Self {
        match &mut self {
            Self::Data { marks, .. } => *marks = marks.with(EcnMarks::CE),
            Self::Datagram { group, .. } => *group |= MARKED,
            Self::Ack { .. } => {}
        }
        self
    }

    /// An acknowledgement of a flow.
    #[inline]
    pub const fn ack(flow: u32, ack: PackedAck, next: PathIndex, due: u64) -> Self {
        let PackedAck { cumulative, first_sent_us, newest_sent_us, detail, fields } = ack;
        Self::Ack { flow, cumulative, first_sent_us, newest_sent_us, detail, fields, next, due }
    }

    /// The packet on a delay line that ends at `then`.
    #[inline(always)]
    pub const fn on_line(mut self, departs: u64, due: u64, then: PathIndex) -> Self {
        match &mut self {
            Self::Data { departs: left, due: at, next, .. }
            | Self::Datagram { departs: left, due: at, next, .. } => {
                (*left, *at, *next) = (departs, due, then);
            }
            Self::Ack { due: at, next, .. } => (*at, *next) = (due, then),
        }
        self
    }

    /// When it reaches the end of its delay line, ns.
    #[inline(always)]
    pub const fn due(&self) -> u64 {
        let (Self::Data { due, .. } | Self::Ack { due, .. } | Self::Datagram { due, .. }) = self;
        *due
    }

    /// When it left its link, ns; of an acknowledgement, for which nobody asks, when it is due.
    #[inline]
    pub const fn departs(&self) -> u64 {
        let (Self::Data { departs, .. } | Self::Ack { due: departs, .. } | Self::Datagram { departs, .. }) =
            self;
        *departs
    }

    /// The number of its flow, or of its traffic group.
    #[inline(always)]
    pub const fn number(&self) -> u32 {
        let (Self::Data { flow, .. } | Self::Ack { flow, .. } | Self::Datagram { group: flow, .. }) = self;
        *flow
    }

    /// What links count it as.
    #[inline]
    pub const fn class(&self) -> PacketClass {
        match self {
            Self::Ack { .. } => PacketClass::Ack,
            Self::Data { marks, .. } if marks.has(EcnMarks::ECT) => PacketClass::MarkableData,
            Self::Data { .. } | Self::Datagram { .. } => PacketClass::Data,
        }
    }

    /// A datagram of a foreign stack, before the first link.
    pub const fn of_frame(now: u64, frame: Frame) -> Self {
        let Frame { flow, place, direction, .. } = frame;
        Self::Datagram {
            departs: now,
            group: flow | FOREIGN,
            direction,
            bytes: place,
            next: PathIndex::FIRST,
            due: now,
        }
    }

    /// The datagram of a foreign stack that it is, if it is one.
    #[inline]
    pub const fn frame(&self) -> Option<Frame> {
        match *self {
            Self::Datagram { group, direction, bytes, .. } if group & FOREIGN != 0 => Some(Frame {
                flow: group & !(FOREIGN | MARKED),
                place: bytes,
                direction,
                is_marked: group & MARKED != 0,
            }),
            _ => None,
        }
    }

    /// The flow whose data it carries: a segment, or a datagram of a foreign stack's sender.
    #[inline]
    pub fn data_of(&self) -> Option<u32> {
        match self {
            Self::Data { flow, .. } => Some(*flow),
            _ => self.frame().filter(|frame| frame.direction == Direction::Forward).map(|frame| frame.flow),
        }
    }

    /// The flow of a segment that has passed its last link.
    #[inline]
    pub fn flow_behind_last_link(&self) -> Option<u32> {
        match self {
            Self::Data { flow, next: PathIndex::END, .. } => Some(*flow),
            _ => self.stack_behind_last_link(),
        }
    }

    #[cold]
    fn stack_behind_last_link(&self) -> Option<u32> {
        if let Self::Datagram { next: PathIndex::END, .. } = self { self.data_of() } else { None }
    }
}
