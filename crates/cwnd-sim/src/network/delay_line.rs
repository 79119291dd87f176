// SPDX-License-Identifier: MIT OR Apache-2.0
//! Delay lines: packets in propagation, sorted by arrival time.
//!
//! All packets that leave one link with the same delay ahead share a delay line, whatever their flow. So the next event of a line is
//! the front of its ring, and a thousand flows with one round trip time take one entry in the event queue.

use super::packet::{Packet, PathIndex};
use cwnd_link::{NEVER, PacketOrder};

/// Whether a packet is counted already as having left its link ([`DelayLine::pass`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    /// It is not.
    Uncounted,
    /// It is.
    Counted,
}

/// Packets of one flow, one behind the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct InOrder {
    /// How many; with none, the rest says nothing.
    pub count: u32,
    /// When the first and the last of them were sent, µs, low 32 bits.
    pub first_sent_us: u32,
    pub newest_sent_us: u32,
    /// When the first and the last of them are due, ns.
    pub first_due: u64,
    pub due: u64,
}

/// The place behind the last packet of a delay line.
#[derive(Debug)]
pub struct Tail<'line> {
    ring: &'line mut [Packet],
    place: usize,
}

impl Tail<'_> {
    /// Sets the next packet.
    #[inline(always)]
    pub fn set(&mut self, packet: Packet) {
        let mask = self.ring.len() - 1;
        self.ring[self.place & mask] = packet;
        self.place += 1;
    }
}

/// A growing ring of packets, sorted by when they are due.
#[derive(Clone, Debug, Default)]
pub struct DelayLine {
    ring: Vec<Packet>,
    head: usize,
    len: usize,
    /// Time of the line's entry in the event queue, ns; [`NEVER`] when it has none.
    pub armed: u64,
    /// Whether any of its flows may have its acknowledgements in trains ([`crate::tcp::AckPath::Trains`]).
    pub has_trains: bool,
    /// How many packets at the front are already counted as having left the link.
    passed: usize,
    order: PacketOrder,
}

impl DelayLine {
    /// An empty line.
    pub fn new(order: PacketOrder) -> Self {
        Self { armed: NEVER, order, ..Self::default() }
    }

    /// Reuses an empty line for another flow.
    pub const fn renew(&mut self, order: PacketOrder) {
        (self.order, self.has_trains) = (order, false);
    }

    /// Number of packets.
    #[inline]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// The packet `index` places behind the front.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&Packet> {
        if index < self.len { Some(&self.ring[(self.head + index) & (self.ring.len() - 1)]) } else { None }
    }

    /// When the front is due, ns; [`NEVER`] when the line is empty.
    #[inline]
    pub fn next(&self) -> u64 {
        self.get(0).map_or(NEVER, |packet| packet.due())
    }

    /// Takes the front packet.
    #[inline]
    pub fn pop(&mut self) -> Option<(Packet, Departure)> {
        let front = *self.get(0)?;
        self.head = (self.head + 1) & (self.ring.len() - 1);
        self.len -= 1;
        let counted = self.passed > 0;
        self.passed -= usize::from(counted);
        Some((front, if counted { Departure::Counted } else { Departure::Uncounted }))
    }

    /// Packets at the front that are at the end of their path, this flow's, in order from `position` on, and due before `before`; up to
    /// `most`.
    #[inline(always)]
    pub fn in_order(&self, flow: u32, position: u32, most: u32, before: u64) -> InOrder {
        let mut found = InOrder::default();
        if most == 0 {
            return found;
        }
        let Some((sent_us, due)) = self.arrival(0, flow, position, before) else { return found };
        (found.first_sent_us, found.first_due) = (sent_us, due);
        (found.newest_sent_us, found.due, found.count) = (sent_us, due, 1);
        while found.count < most
            && let Some(next) =
                self.arrival(found.count as usize, flow, position.wrapping_add(found.count), before)
        {
            (found.newest_sent_us, found.due) = next;
            found.count += 1;
        }
        found
    }

    /// When the packet `index` places behind the front was sent, µs, and when it is due, ns; if it is at the end of its path, this flow's, at
    /// this position, and due before `before`.
    #[inline(always)]
    fn arrival(&self, index: usize, flow: u32, position: u32, before: u64) -> Option<(u32, u64)> {
        if index >= self.len {
            return None;
        }
        let place = (self.head + index) & (self.ring.len() - 1);
        let Packet::Data { flow: of, position: at, sent_us, next, due, .. } = self.ring[place] else {
            return None;
        };
        (of == flow && at == position && next == PathIndex::END && due < before).then_some((sent_us, due))
    }

    /// Takes the first `count` packets. [`DelayLine::count_skipped`] follows before anything else is asked.
    #[inline(always)]
    pub fn skip(&mut self, count: u32) {
        debug_assert!(count as usize <= self.len);
        self.head = (self.head + count as usize) & (self.ring.len() - 1);
        self.len -= count as usize;
    }

    /// So many packets were taken by [`DelayLine::skip`]: how many of them were not counted yet as having left the link.
    #[inline(always)]
    pub fn count_skipped(&mut self, count: u32) -> u32 {
        let counted = self.passed.min(count as usize);
        self.passed -= counted;
        count - counted as u32
    }

    /// Appends a packet, or inserts it before those that it overtakes.
    #[inline(always)]
    pub fn push(&mut self, packet: Packet) {
        if self.len == self.ring.len() {
            self.grow();
        }
        let mask = self.ring.len() - 1;
        let at = if self.order == PacketOrder::Overtaking { self.make_way(packet.due()) } else { self.len };
        debug_assert!(at == 0 || self.ring[(self.head + at - 1) & mask].due() <= packet.due());
        self.ring[(self.head + at) & mask] = packet;
        self.len += 1;
    }

    /// Where the next `count` packets go that overtake none; [`DelayLine::append`] follows.
    #[inline(always)]
    pub fn tail(&mut self, count: u32) -> Tail<'_> {
        debug_assert!(self.keeps_order());
        while self.len + count as usize > self.ring.len() {
            self.grow();
        }
        Tail { place: self.head + self.len, ring: &mut self.ring }
    }

    /// Appends so many packets, which [`Tail::set`] has set.
    #[inline(always)]
    pub fn append(&mut self, count: u32) {
        self.len += count as usize;
        debug_assert!(
            (self.len.saturating_sub(count as usize).max(1)..self.len)
                .all(|place| self.get(place - 1).map(Packet::due) <= self.get(place).map(Packet::due))
        );
    }

    /// Whether packets stay in the order in which they were sent.
    #[inline(always)]
    pub fn keeps_order(&self) -> bool {
        self.order == PacketOrder::Kept
    }

    /// Moves the packets that a packet due at `due` overtakes one place back; returns the free place.
    #[inline(never)]
    fn make_way(&mut self, due: u64) -> usize {
        let mask = self.ring.len() - 1;
        let mut at = self.len;
        while at > 0 && self.ring[(self.head + at - 1) & mask].due() > due {
            self.ring[(self.head + at) & mask] = self.ring[(self.head + at - 1) & mask];
            at -= 1;
        }
        at
    }

    /// Calls `each` with the packets that have left the link by `now` and are not counted yet; they are, then. Where packets overtake each
    /// other they are counted on arrival.
    pub fn pass(&mut self, now: u64, mut each: impl FnMut(&Packet)) {
        if !self.keeps_order() {
            return;
        }
        // They are in the order of their departures.
        let (mut passed, mut beyond) = (self.passed, self.len);
        while passed < beyond {
            let middle = passed.midpoint(beyond);
            if self.get(middle).is_some_and(|packet| packet.departs() <= now) {
                passed = middle + 1;
            } else {
                beyond = middle;
            }
        }
        for index in self.passed..passed {
            each(&self.ring[(self.head + index) & (self.ring.len() - 1)]);
        }
        self.passed = passed;
    }

    /// The packets, from the front on.
    pub fn iter(&self) -> impl Iterator<Item = &Packet> {
        (0..self.len).filter_map(|index| self.get(index))
    }

    #[cold]
    fn grow(&mut self) {
        let room = (2 * self.ring.len()).max(8);
        let mut ring = Vec::with_capacity(room);
        ring.extend_from_slice(&self.ring[self.head..]);
        ring.extend_from_slice(&self.ring[..self.head]);
        ring.resize(room, Packet::default());
        self.ring = ring;
        self.head = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::super::packet::EcnMarks;
    use super::*;

    fn packet(due: u64) -> Packet {
        numbered(0, due)
    }

    fn numbered(position: u32, due: u64) -> Packet {
        Packet::Data {
            departs: due - 10,
            flow: 0,
            position,
            sent_us: 0,
            marks: EcnMarks::NOTHING,
            next: PathIndex::END,
            due,
        }
    }

    fn dues(line: &mut DelayLine) -> Vec<u64> {
        std::iter::from_fn(|| line.pop().map(|(packet, _)| packet.due())).collect()
    }

    #[test]
    fn packets_keep_their_order_through_growth_and_wrap() {
        let mut line = DelayLine::new(PacketOrder::Kept);
        for round in 0..50_u64 {
            for n in 0..round {
                line.push(packet(1000 * round + n + 10));
            }
            assert_eq!(line.len(), round as usize);
            assert!(dues(&mut line).into_iter().eq((0..round).map(|n| 1000 * round + n + 10)));
        }
    }

    #[test]
    fn a_packet_that_overtakes_is_sorted_in_behind_those_due_with_it() {
        let mut line = DelayLine::new(PacketOrder::Overtaking);
        for (number, due) in [30, 50, 40, 20, 40, 60].into_iter().enumerate() {
            line.push(numbered(number as u32, due));
        }
        let position = |packet: &Packet| match packet {
            Packet::Data { position, .. } => *position,
            other => panic!("{other:?}"),
        };
        let order: Vec<u32> = line.iter().map(position).collect();
        assert_eq!(order, [3, 0, 2, 4, 1, 5]);
    }

    #[test]
    fn a_packet_is_counted_once_when_it_leaves_the_link_or_when_it_is_taken() {
        let mut line = DelayLine::new(PacketOrder::Kept);
        for due in [20, 21, 35] {
            line.push(packet(due));
        }
        let passed = |line: &mut DelayLine, now| {
            let mut count = 0;
            line.pass(now, |_| count += 1);
            count
        };
        assert_eq!((passed(&mut line, 9), passed(&mut line, 10), passed(&mut line, 11)), (0, 1, 1));
        assert_eq!(line.pop().map(|(_, departure)| departure), Some(Departure::Counted));
        assert_eq!(line.pop().map(|(_, departure)| departure), Some(Departure::Counted));
        assert_eq!(line.pop().map(|(_, departure)| departure), Some(Departure::Uncounted));
    }
}
