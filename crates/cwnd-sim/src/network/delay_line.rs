// SPDX-License-Identifier: MIT OR Apache-2.0
//! Delay lines: packets in propagation, sorted by arrival time.
//!
//! All packets that leave one link with the same delay ahead share a delay line, whatever their flow. So the next event of a line is
//! the front of its ring, and a thousand flows with one round trip time take one entry in the event queue.

use super::packet::Packet;
use super::ring::Ring;
use cwnd_link::{NEVER, PacketOrder};

/// Whether a packet is counted already as having left its link ([`DelayLine::pass`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    /// It is not.
    Uncounted,
    /// It is.
    Counted,
}

/// Packets, sorted by when they are due.
#[derive(Clone, Debug, Default)]
pub struct DelayLine {
    ring: Ring<Packet>,
    /// Time of the line's entry in the event queue, ns; [`NEVER`] when it has none, [`ASLEEP`](crate::schedule::ASLEEP) when it needs none.
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
        self.ring.len()
    }

    /// The packet `index` places behind the front.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&Packet> {
        self.ring.get(index)
    }

    /// When the front is due, ns; [`NEVER`] when the line is empty.
    #[inline]
    pub fn next(&self) -> u64 {
        self.get(0).map_or(NEVER, |packet| packet.due())
    }

    /// Takes the front packet.
    #[inline]
    pub fn pop(&mut self) -> Option<(Packet, Departure)> {
        let front = self.ring.pop()?;
        let counted = self.passed > 0;
        self.passed -= usize::from(counted);
        Some((front, if counted { Departure::Counted } else { Departure::Uncounted }))
    }

    /// The packets from the front on that follow each other in memory.
    #[inline(always)]
    pub fn front(&self) -> &[Packet] {
        self.ring.front()
    }

    /// Takes the first `count` packets. [`DelayLine::count_skipped`] follows before anything else is asked.
    #[inline(always)]
    pub fn skip(&mut self, count: u32) {
        self.ring.skip(count);
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
        self.ring.push(packet);
        if self.order == PacketOrder::Overtaking {
            self.overtake();
        }
        self.check_order(1);
    }

    /// Where the next `count` packets go that overtake none, if they follow each other in memory; [`DelayLine::append`] follows.
    #[inline(always)]
    pub fn spare(&mut self, count: u32) -> Option<&mut [Packet]> {
        debug_assert!(self.keeps_order());
        self.ring.spare(count)
    }

    /// Appends so many packets, which stand in [`DelayLine::spare`].
    #[inline(always)]
    pub fn append(&mut self, count: u32) {
        self.ring.append(count);
        self.check_order(count);
    }

    /// The last `count` packets stand where they belong.
    #[inline(always)]
    fn check_order(&self, count: u32) {
        debug_assert!(
            !self.keeps_order()
                || (self.len().saturating_sub(count as usize).max(1)..self.len())
                    .all(|place| self.get(place - 1).map(Packet::due) <= self.get(place).map(Packet::due))
        );
    }

    /// Whether packets stay in the order in which they were sent.
    #[inline(always)]
    pub fn keeps_order(&self) -> bool {
        self.order == PacketOrder::Kept
    }

    /// Moves the last packet before those that it overtakes.
    #[inline(never)]
    fn overtake(&mut self) {
        let mut at = self.len() - 1;
        let Some(&packet) = self.get(at) else { return };
        while at > 0
            && let Some(&before) = self.get(at - 1)
            && before.due() > packet.due()
        {
            self.set(at, before);
            at -= 1;
        }
        self.set(at, packet);
    }

    fn set(&mut self, index: usize, packet: Packet) {
        if let Some(place) = self.ring.get_mut(index) {
            *place = packet;
        }
    }

    /// Calls `each` with the packets that have left the link by `now` and are not counted yet; they are, then. Where packets overtake each
    /// other they are counted on arrival.
    pub fn pass(&mut self, now: u64, mut each: impl FnMut(&Packet)) {
        if !self.keeps_order() {
            return;
        }
        // They are in the order of their departures.
        let passed = self.ring.partition_point(self.passed, |packet| packet.departs() <= now);
        for part in self.ring.parts(self.passed, passed) {
            for packet in part {
                each(packet);
            }
        }
        self.passed = passed;
    }

    /// The packets, from the front on.
    pub fn iter(&self) -> impl Iterator<Item = &Packet> {
        self.ring.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::super::packet::{EcnMarks, PathIndex};
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
