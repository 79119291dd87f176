// SPDX-License-Identifier: MIT OR Apache-2.0
//! A TCP receiver: reassembly, delayed acknowledgements (RFC 5681 §4.2), selective acknowledgements (RFC 2018).

use super::bitmap::Bitmap;
use crate::network::Segment;

/// An acknowledgement as it reaches the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckPacket {
    /// Everything before this position has arrived.
    pub cumulative: u64,
    /// A segment beyond it that has just arrived (the first block of the SACK option, newest edge). With D-SACK (RFC 2883) also one that
    /// had arrived before: it lies below `cumulative`, or was reported by an earlier acknowledgement.
    pub sacked: Option<u64>,
    /// When the first and the newest segment that it acknowledges in order were sent, µs (the timestamp echo, and what
    /// a sender knows of its newest segment).
    pub sent_us: Option<(u32, u32)>,
}

/// The SACK option of an acknowledgement (RFC 2018): up to three blocks, as many as fit with timestamps.
///
/// While every acknowledgement arrives in order, one newly arrived segment is all the information ([`AckPacket::sacked`]). Where
/// acknowledgements may be lost or reordered, blocks repeat the information of earlier ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks {
    /// From and to, counted from the acknowledgement's `cumulative`; `(0, 0)` where there is none.
    offsets: [(u32, u32); 3],
    /// The segment that has arrived again, counted from there: the first block (RFC 2883 §4), which leaves place for two.
    duplicate: Option<i32>,
}

impl SackBlocks {
    /// The blocks of an acknowledgement up to `cumulative`, as positions `from..to`.
    pub fn ranges(self, cumulative: u64) -> impl Iterator<Item = (u64, u64)> {
        let ranges = self.offsets.into_iter().take_while(|offsets| offsets.1 > 0);
        ranges.map(move |(from, to)| (cumulative + u64::from(from), cumulative + u64::from(to)))
    }

    /// The segment that has arrived again, of an acknowledgement up to `cumulative`.
    pub fn duplicate(self, cumulative: u64) -> Option<u64> {
        self.duplicate.and_then(|offset| cumulative.checked_add_signed(offset.into()))
    }

    /// Whether it has none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.offsets[0].1 == 0 && self.duplicate.is_none()
    }
}

/// State of one flow's receiver.
#[derive(Clone, Debug, Default)]
pub struct Receiver {
    next: u64,
    /// `None` while nothing has arrived beyond `next`.
    out_of_order: Option<Box<OutOfOrder>>,
    /// Segments in order not yet acknowledged.
    pending: u32,
    first_sent_us: u32,
    newest_sent_us: u32,
    /// Whether it reports segments that arrive again. // RFC 2883
    reports_duplicates: bool,
    /// Whether the segment that the last acknowledgement out of order reports had arrived before.
    is_duplicate: bool,
    /// Segments that arrived for the first time.
    pub distinct: u64,
    /// Segments that arrived at all.
    pub arrived: u64,
}

/// Segments that arrived beyond a hole.
#[derive(Clone, Debug, Default)]
struct OutOfOrder {
    arrived: Bitmap,
    /// One past the highest position among it.
    highest: u64,
    /// A position of each of the three blocks that something arrived in last, newest first, plus one; 0 for none.
    recent: [u64; 3],
}

impl OutOfOrder {
    /// The block around `position`, which has arrived, of what is beyond `next`.
    fn block(&self, next: u64, position: u64) -> (u64, u64) {
        let from = self.arrived.last_clear(next, position).map_or(next, |hole| hole + 1);
        (from, self.arrived.first_clear(position, self.highest).unwrap_or(self.highest))
    }

    /// Puts the block around `position` first.
    #[inline]
    fn note(&mut self, next: u64, position: u64) {
        if self.recent[0] != position {
            // Not the next of the same block.
            let (from, to) = self.block(next, position);
            let same = |recent: &u64| (from + 1..=to).contains(recent);
            let place = self.recent.iter().position(same).unwrap_or(2);
            self.recent.copy_within(..place, 1);
        }
        self.recent[0] = position + 1;
    }
}

impl Receiver {
    /// A receiver that may report segments that arrive again (RFC 2883).
    pub fn new(reports_duplicates: bool) -> Self {
        Self { reports_duplicates, ..Self::default() }
    }

    /// A segment arrived. Returns the acknowledgement that it causes now; `None` means that one is being delayed.
    #[inline(always)]
    pub fn on_segment(&mut self, segment: Segment, ack_every: u32) -> Option<AckPacket> {
        self.arrived += 1;
        // Positions are within 2³¹ of `next`, so the low half identifies them.
        let ahead = segment.position.wrapping_sub(self.next as u32).cast_signed();
        if ahead == 0 {
            if self.pending == 0 {
                self.first_sent_us = segment.sent_us;
            }
            self.newest_sent_us = segment.sent_us;
            self.pending += 1;
            self.distinct += 1;
            self.next += 1;
            if self.out_of_order.is_some() {
                // RFC 5681 §4.2: a segment that fills a hole, or part of one, is acknowledged at once.
                self.fill();
                return Some(self.acknowledge());
            }
            return (self.pending >= ack_every).then(|| self.acknowledge());
        }
        let mut sacked = None;
        if ahead > 0 {
            let position = self.next + u64::from(ahead.unsigned_abs());
            let out_of_order = self.out_of_order.get_or_insert_default();
            out_of_order.arrived.cover(self.next, position + 1);
            if !out_of_order.arrived.get(position) {
                out_of_order.arrived.set(position);
                self.distinct += 1;
                sacked = Some(position);
            }
            out_of_order.highest = out_of_order.highest.max(position + 1);
            out_of_order.note(self.next, position);
        }
        if self.reports_duplicates {
            self.is_duplicate = sacked.is_none();
            sacked = self.next.checked_add_signed(ahead.into()); // RFC 2883 §4
        }
        // RFC 5681 §4.2: out of order, or old: a duplicate acknowledgement at once.
        let echo = if self.pending > 0 {
            Some((self.first_sent_us, self.newest_sent_us))
        } else {
            (ahead < 0).then_some((segment.sent_us, segment.sent_us)) // RFC 7323 §4.3: an old segment's timestamp is echoed, too
        };
        self.pending = 0;
        Some(AckPacket { cumulative: self.next, sacked, sent_us: echo })
    }

    /// The delay is over.
    pub fn on_delay_over(&mut self) -> AckPacket {
        self.acknowledge()
    }

    /// The first position that has not arrived.
    #[inline]
    #[must_use]
    pub const fn next(&self) -> u64 {
        self.next
    }

    /// The blocks that `ack`, just made, carries: a segment that arrived again, the block with the newest arrival, then those reported last.
    // RFC 2018 §4, RFC 2883 §4
    #[must_use]
    pub fn blocks(&self, ack: &AckPacket) -> SackBlocks {
        let duplicate = ack.sacked.filter(|_| self.is_duplicate);
        let duplicate =
            duplicate.map(|position| (position as u32).wrapping_sub(self.next as u32).cast_signed());
        let most = if duplicate.is_some() { 2 } else { 3 };
        let mut blocks = SackBlocks { duplicate, ..SackBlocks::default() };
        let Some(out_of_order) = &self.out_of_order else { return blocks };
        let mut count = 0;
        // What arrived last may all have been acknowledged since; the highest segment has not.
        for recent in
            out_of_order.recent.into_iter().chain([out_of_order.highest]).filter(|&recent| recent > self.next)
        {
            let (from, to) = out_of_order.block(self.next, recent - 1);
            let offsets = ((from - self.next) as u32, (to - self.next) as u32);
            if count < most && !blocks.offsets[..count].contains(&offsets) {
                blocks.offsets[count] = offsets;
                count += 1;
            }
        }
        blocks
    }

    fn acknowledge(&mut self) -> AckPacket {
        self.pending = 0;
        AckPacket {
            cumulative: self.next,
            sacked: None,
            sent_us: Some((self.first_sent_us, self.newest_sent_us)),
        }
    }

    /// Moves `next` over what had arrived beyond a hole.
    fn fill(&mut self) {
        let Some(out_of_order) = &self.out_of_order else { return };
        self.next =
            out_of_order.arrived.first_clear(self.next, out_of_order.highest).unwrap_or(out_of_order.highest);
        if self.next == out_of_order.highest {
            self.out_of_order = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cwnd_link::random::RandomStream;
    use std::collections::BTreeSet;

    fn segment(position: u32) -> Segment {
        Segment { position, sent_us: 100 + position }
    }

    fn acks(positions: &[u32], ack_every: u32) -> Vec<Option<(u64, Option<u64>)>> {
        let mut receiver = Receiver::default();
        positions
            .iter()
            .map(|&p| receiver.on_segment(segment(p), ack_every).map(|ack| (ack.cumulative, ack.sacked)))
            .collect()
    }

    #[test]
    fn every_second_segment_in_order_is_acknowledged() {
        assert_eq!(acks(&[0, 1, 2, 3], 2), [None, Some((2, None)), None, Some((4, None))]);
    }

    #[test]
    fn a_hole_is_reported_at_once_and_its_filling_too() {
        assert_eq!(
            acks(&[0, 2, 3, 1, 4], 2),
            [None, Some((1, Some(2))), Some((1, Some(3))), Some((4, None)), None]
        );
    }

    fn ranges(receiver: &Receiver) -> Vec<(u64, u64)> {
        let ack = AckPacket { cumulative: receiver.next(), sacked: None, sent_us: None };
        receiver.blocks(&ack).ranges(receiver.next()).collect()
    }

    /// An acknowledgement, the duplicate that it reports, and its blocks.
    type Reported = (u64, Option<u64>, Vec<(u64, u64)>);

    fn with_duplicates(positions: &[u32]) -> Vec<Reported> {
        let mut receiver = Receiver::new(true);
        let mut acks = Vec::new();
        for &position in positions {
            let Some(ack) = receiver.on_segment(segment(position), 1) else { continue };
            let blocks = receiver.blocks(&ack);
            let ranges = blocks.ranges(ack.cumulative).collect();
            acks.push((ack.cumulative, blocks.duplicate(ack.cumulative), ranges));
        }
        acks
    }

    // RFC 2883 §4.1.1: two segments arrive, their acknowledgements are lost, the first comes again. §4.1.2: 0 is lost, 1 and 2 arrive, 1
    // comes again. The duplicate is the first block, and the block that it lies in is the second.
    #[test]
    fn a_segment_that_arrives_again_is_the_first_block() {
        assert_eq!(with_duplicates(&[0, 1, 0]), [(1, None, vec![]), (2, None, vec![]), (2, Some(0), vec![])]);
        assert_eq!(
            with_duplicates(&[1, 2, 1, 0]),
            [(0, None, vec![(1, 2)]), (0, None, vec![(1, 3)]), (0, Some(1), vec![(1, 3)]), (3, None, vec![])]
        );
    }

    // RFC 2883 §4: beside the duplicate there is place for two blocks. Each duplicate is reported once.
    #[test]
    fn a_duplicate_leaves_place_for_two_blocks() {
        let acks = with_duplicates(&[1, 3, 5, 3, 7]);
        assert_eq!(acks[3], (0, Some(3), vec![(3, 4), (5, 6)]));
        assert_eq!(acks[4], (0, None, vec![(7, 8), (3, 4), (5, 6)]));
    }

    // A path that keeps acknowledgements in order carries one position instead of blocks: one below the acknowledgement, or reported
    // before, is a duplicate. Other recoveries hear of none.
    #[test]
    fn a_duplicate_is_reported_where_it_is_asked_for() {
        for (reports_duplicates, expected) in
            [(true, [Some(0), Some(3), Some(3)]), (false, [None, Some(3), None])]
        {
            let mut receiver = Receiver::new(reports_duplicates);
            receiver.on_segment(segment(0), 1);
            let sacked = [0, 3, 3]
                .map(|position| receiver.on_segment(segment(position), 1).and_then(|ack| ack.sacked));
            assert_eq!(sacked, expected);
        }
    }

    // RFC 2018 §5, its examples with segments for 500 bytes: 0 to 3 are acknowledged before.
    #[test]
    fn blocks_are_those_of_rfc_2018s_examples() {
        let after = |arrivals: &[u32]| {
            let mut receiver = Receiver::default();
            let mut seen = Vec::new();
            for position in [0, 1, 2, 3].iter().chain(arrivals) {
                receiver.on_segment(segment(*position), 1);
                seen.push(ranges(&receiver));
            }
            seen.split_off(4)
        };
        // Case 2: the first of eight is dropped, the rest arrives: one growing block.
        let expected: Vec<_> = (6..=12).map(|to| vec![(5, to)]).collect();
        assert_eq!(after(&[5, 6, 7, 8, 9, 10, 11]), expected);
        // Case 3: the second, fourth, sixth and last are dropped; then the fourth arrives and the second, out of order.
        assert_eq!(
            after(&[4, 6, 8, 10, 7, 5]),
            [
                vec![],
                vec![(6, 7)],
                vec![(8, 9), (6, 7)],
                vec![(10, 11), (8, 9), (6, 7)],
                vec![(6, 9), (10, 11)],
                vec![(10, 11)],
            ]
        );
    }

    #[test]
    fn the_three_newest_blocks_are_reported_and_a_duplicate_comes_first() {
        let mut receiver = Receiver::default();
        for position in [2, 4, 6, 8, 10, 4, 11] {
            receiver.on_segment(segment(position), 1);
        }
        assert_eq!(ranges(&receiver), [(10, 12), (4, 5), (8, 9)]);
        receiver.on_segment(segment(4), 1);
        assert_eq!(ranges(&receiver), [(4, 5), (10, 12), (8, 9)]);
        assert_eq!((receiver.next(), receiver.distinct), (0, 6));
    }

    // Whatever arrives, in whatever order: the first block holds it, all are true and whole, none is there twice; seed 5.
    #[test]
    fn blocks_are_whole_and_start_with_the_newest_arrival() {
        let mut random = RandomStream::new(5, 0);
        let mut receiver = Receiver::default();
        let mut arrived = BTreeSet::new();
        for _ in 0..20_000 {
            let position = receiver.next() + random.below(40);
            receiver.on_segment(segment(position as u32), 2);
            arrived.insert(position);
            let next = receiver.next();
            assert!(arrived.range(..next).count() as u64 == next && !arrived.contains(&next));
            let blocks = ranges(&receiver);
            if position > next {
                assert!((blocks[0].0..blocks[0].1).contains(&position), "{position} in {blocks:?}");
            }
            assert_eq!(blocks.is_empty(), arrived.range(next..).next().is_none());
            for (number, &(from, to)) in blocks.iter().enumerate() {
                assert!((from..to).all(|at| arrived.contains(&at)) && from < to);
                assert!(
                    !arrived.contains(&(from - 1)) && !arrived.contains(&to),
                    "{from}..{to} is not whole"
                );
                assert!(blocks[..number].iter().all(|other| *other != (from, to)));
            }
        }
    }

    #[test]
    fn an_old_segment_is_acknowledged_again_but_not_counted() {
        let mut receiver = Receiver::default();
        for position in [0, 1, 0, 3, 3] {
            receiver.on_segment(segment(position), 2);
        }
        assert_eq!((receiver.arrived, receiver.distinct), (5, 3));
    }

    #[test]
    fn a_delayed_acknowledgement_echoes_the_first_segment() {
        let mut receiver = Receiver::default();
        receiver.on_segment(segment(0), 3);
        receiver.on_segment(segment(1), 3);
        assert_eq!(receiver.on_segment(segment(2), 3).and_then(|ack| ack.sent_us), Some((100, 102)));
    }
}
