// SPDX-License-Identifier: MIT OR Apache-2.0
//! Segments that arrived beyond a hole, and the blocks of them that acknowledgements report (RFC 2018 §4).

use crate::tcp::bitmap::Bitmap;

/// Segments out of order for which Linux waits at most. // tcp_comp_sack_nr
const MOST_WAITING: u32 = 44;
/// Blocks that are remembered: one more than an option has place for, because two may become one. // Linux: TCP_NUM_SACKS
const REMEMBERED: usize = 4;
/// A segment in a block behind so many others lets an acknowledgement go that waits. // Linux: TCP_SACK_BLOCKS_EXPECTED
const EXPECTED: usize = 2;

/// The blocks that something arrived in last, newest first, each from its first position to one past its last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blocks {
    all: [(u64, u64); REMEMBERED],
    count: usize,
}

impl Blocks {
    /// The blocks, newest first.
    pub fn get(&self) -> &[(u64, u64)] {
        &self.all[..self.count]
    }

    /// Grows the first block that `from..to` touches or overlaps. Returns its place; or how many there are if it touches none.
    #[inline]
    fn extend(&mut self, from: u64, to: u64) -> usize {
        let place = self.get().iter().position(|block| from <= block.1 && block.0 <= to);
        let Some(place) = place else { return self.count };
        let block = &mut self.all[place];
        *block = (block.0.min(from), block.1.max(to));
        place
    }

    /// Puts the block at `place`, which has grown, first; or the new one `from..to`, for which the last one of four is forgotten.
    // Linux: tcp_sack_new_ofo_skb
    fn put_first(&mut self, place: usize, from: u64, to: u64) {
        if place < self.count {
            self.all[..=place].rotate_right(1);
            self.coalesce();
        } else {
            self.count = REMEMBERED.min(self.count + 1);
            self.all[..self.count].rotate_right(1);
            self.all[0] = (from, to);
        }
    }

    /// Takes what touches the first block into it. // Linux: tcp_sack_maybe_coalesce
    fn coalesce(&mut self) {
        let mut place = 1;
        while place < self.count {
            let ((from, to), (start, end)) = (self.all[0], self.all[place]);
            if start <= to && from <= end {
                self.all[0] = (from.min(start), to.max(end));
                self.remove(place);
            } else {
                place += 1;
            }
        }
    }

    fn remove(&mut self, place: usize) {
        self.all.copy_within(place + 1..self.count, place);
        self.count -= 1;
    }

    /// Removes blocks that begin at `next` or before it. // Linux: tcp_sack_remove
    fn forget_before(&mut self, next: u64) {
        for place in (0..self.count).rev() {
            if self.all[place].0 <= next {
                self.remove(place);
            }
        }
    }
}

/// Segments that arrived beyond a hole.
#[derive(Clone, Debug, Default)]
pub struct OutOfOrder {
    pub arrived: Bitmap,
    /// One past the highest position among it.
    pub highest: u64,
    blocks: Blocks,
    /// Segments that have arrived since the last acknowledgement, and wait for one.
    waiting: u32,
    /// One has arrived that no acknowledgement is due for, and none has reported.
    is_unreported: bool,
    /// The acknowledgement that is made now reports these blocks, as they were before the segment that has just arrived became the first.
    early: Option<Blocks>,
    /// The last segment that arrived had arrived before, and waits to be reported; what arrives next takes its place. // Linux: rx_opt.dsack
    pub duplicate: Option<u64>,
    /// Acknowledgements of `dup_acks_at`.
    dup_acks: u32,
    dup_acks_at: u64,
}

impl OutOfOrder {
    /// `from..to` arrive beyond a hole that begins at `next`; returns how many of them are new.
    pub fn arrive(&mut self, next: u64, from: u64, to: u64) -> u32 {
        self.arrived.cover(next, to);
        let new = if to == from + 1 {
            let is_new = !self.arrived.get(from);
            self.arrived.set(from);
            is_new.into()
        } else {
            let new = (to - from) as u32 - self.arrived.count_ones(from, to);
            self.arrived.set_range(from, to);
            new
        };
        self.highest = self.highest.max(to);
        new
    }

    /// Counts `from..to`, which have arrived, in the blocks. `as_linux`: a block that was forgotten begins again with them, and an
    /// acknowledgement that waits goes before a third block has news: then this returns true, and no other is due for `from..to`.
    /// Otherwise the block is all that has arrived around them. // RFC 2018 §4
    pub fn note(&mut self, next: u64, from: u64, to: u64, as_linux: bool) -> bool {
        self.duplicate = None;
        let (from, to) =
            if as_linux || self.follows_newest(from, to) { (from, to) } else { self.block(next, to - 1) };
        let place = self.blocks.extend(from, to);
        let goes_early = as_linux && place >= EXPECTED && self.waiting > 0;
        self.early = goes_early.then_some(self.blocks);
        self.blocks.put_first(place, from, to);
        goes_early
    }

    /// Whether `from..to` only make the first block longer.
    fn follows_newest(&self, from: u64, to: u64) -> bool {
        let follows = self.blocks.get().first().is_some_and(|block| block.1 == from);
        follows && (to == self.highest || !self.arrived.get(to))
    }

    /// The block around `position`, which has arrived, of what is beyond `next`.
    fn block(&self, next: u64, position: u64) -> (u64, u64) {
        let from = self.arrived.last_clear(next, position).map_or(next, |hole| hole + 1);
        (from, self.arrived.first_clear(position, self.highest).unwrap_or(self.highest))
    }

    /// Whether the acknowledgement of a segment beyond a hole, which begins at `next`, waits for others: not the first three of a
    /// position, not more than 44. // Linux: __tcp_ack_snd_check, tcp_comp_sack_nr
    pub fn waits(&mut self, next: u64) -> bool {
        if self.dup_acks_at != next {
            (self.dup_acks_at, self.dup_acks) = (next, 0);
        }
        if self.dup_acks < 3 {
            self.dup_acks += 1;
            return false;
        }
        self.waiting += 1;
        self.waiting <= MOST_WAITING
    }

    /// The acknowledgement of `next`, which has just been sent, is the first of the three that do not wait.
    pub const fn count_first(&mut self, next: u64) {
        (self.dup_acks_at, self.dup_acks) = (next, 1);
    }

    /// Whether an acknowledgement waits.
    pub const fn is_waiting(&self) -> bool {
        self.waiting > 0
    }

    /// Whether segments have arrived that no acknowledgement has reported: the next one, which is made now, does.
    pub const fn take_waiting(&mut self) -> bool {
        let was_unreported = std::mem::replace(&mut self.is_unreported, self.early.is_some());
        std::mem::replace(&mut self.waiting, 0) > 0 || was_unreported
    }

    /// The acknowledgement that is made now reports all blocks.
    pub const fn report_all(&mut self) {
        self.early = None;
    }

    /// Where the hole behind `next`, which moves up to what has arrived, begins; the blocks before it are forgotten.
    pub fn fill(&mut self, next: u64) -> u64 {
        let next = self.arrived.first_clear(next, self.highest).unwrap_or(self.highest);
        self.report_all();
        self.duplicate = None;
        self.blocks.forget_before(next);
        next
    }

    /// Calls `take` with each block beyond `next` that the acknowledgement may report, in their order. An acknowledgement of `as_linux` reports what
    /// is remembered; another one knows the highest block, too.
    pub fn report(&self, next: u64, as_linux: bool, mut take: impl FnMut((u64, u64))) {
        let blocks = self.early.as_ref().unwrap_or(&self.blocks);
        blocks.get().iter().copied().for_each(&mut take);
        if !as_linux {
            take(self.block(next, self.highest - 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noted(arrivals: &[(u64, u64)], as_linux: bool) -> Vec<(u64, u64)> {
        let mut held = OutOfOrder::default();
        for &(from, to) in arrivals {
            held.arrive(0, from, to);
            held.note(0, from, to, as_linux);
        }
        held.blocks.get().to_vec()
    }

    // 2, 4, 6, 8 and 10 arrive: the block of 2 is the fifth. 3 touches the block of 4 alone, which Linux knows: it reports 3 to 4, though
    // 2 has arrived, too. 1 begins a block anew.
    #[test]
    fn linux_forgets_the_fifth_block_and_begins_it_again_with_what_arrives() {
        let five = [(2, 3), (4, 5), (6, 7), (8, 9), (10, 11)];
        assert_eq!(noted(&five, true), [(10, 11), (8, 9), (6, 7), (4, 5)]);
        let sixth = |arrival| [five.as_slice(), &[arrival]].concat();
        assert_eq!(noted(&sixth((3, 4)), true), [(3, 5), (10, 11), (8, 9), (6, 7)]);
        assert_eq!(noted(&sixth((1, 2)), true), [(1, 2), (10, 11), (8, 9), (6, 7)]);
        // RFC 2018 §4: the first block is the contiguous one.
        assert_eq!(noted(&sixth((3, 4)), false), [(2, 5), (10, 11), (8, 9), (6, 7)]);
        assert_eq!(noted(&sixth((1, 2)), false), [(1, 3), (10, 11), (8, 9), (6, 7)]);
    }

    // 5 is between 4 and 6: Linux finds 6, the newer, first; then 4 touches it.
    #[test]
    fn what_touches_two_blocks_makes_one_of_them() {
        for as_linux in [true, false] {
            assert_eq!(noted(&[(4, 5), (9, 10), (6, 7), (5, 6)], as_linux), [(4, 7), (9, 10)]);
        }
    }
}
