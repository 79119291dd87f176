// SPDX-License-Identifier: MIT OR Apache-2.0
//! When each outstanding segment was last sent, and what is known of it: eight bytes and a bit each, while something is missing. Times are
//! needed of segments that were sent long before anything was missing; until then they are kept by bursts, four bytes each.
//!
//! RFC 8985 goes through the segments in the order of their last transmissions. Those that were sent once are in that order
//! anyway; those that were sent again are in a queue of their own. Each of the two is read from its front, past what has been decided,
//! so a segment costs the same in a window of any length. Only a timeout and an undo go through all of them.

mod by_time;
mod packets;

use super::super::scoreboard::Scoreboard;
use super::bursts::Bursts;
use super::entry::{Entry, JUDGED, LOST, RETRANSMITTED, Retransmission, SACKED, SENT_AGAIN, Transmission};
use crate::tcp::bitmap::Bitmap;
pub use by_time::Detected;
use std::collections::VecDeque;

/// The segments in flight.
#[derive(Debug, Default)]
pub struct SegmentLog {
    /// The first of them, up to where something was missing last.
    entries: VecDeque<Entry>,
    /// All others: nothing is known of them but when they were sent.
    bursts: Bursts,
    /// Whether all have entries, and new ones get one.
    itemised: bool,
    /// Position of the first segment, and one past the last.
    first: u64,
    end: u64,
    /// The reported ones again, to pass over many at once; empty while none is reported.
    reported: Bitmap,
    /// Retransmissions in their order. Some have been decided since.
    again: VecDeque<Retransmission>,
    /// Every segment before this that was sent once is reported or lost.
    undecided: u64,
    /// Every segment before this that was sent once was sent before the newest transmission that has arrived.
    overtaken: u64,
    /// No segment before this waits to be sent again.
    next_lost: u64,
    /// One past the highest position that was sent again.
    again_end: u64,
}

impl SegmentLog {
    /// The segments before `to` that are not in it were sent at `now_us` for the first time; whether there are any. Of a clean log those
    /// before `una` may go.
    pub fn extend(&mut self, una: u64, to: u64, now_us: u64) -> bool {
        if to <= self.end {
            return false;
        }
        if self.itemised {
            self.extend_entries((to - self.end) as usize, now_us);
            self.end = to;
        }
        while !self.extend_within_room(to, now_us) {
            self.forget(una);
            self.bursts.make_room();
        }
        true
    }

    /// The same where new segments have no entry; false where there is no room to note them.
    #[inline]
    pub fn extend_within_room(&mut self, to: u64, now_us: u64) -> bool {
        let has_room = to <= self.end || self.bursts.push(to, now_us);
        if has_room {
            self.end = to;
        }
        has_room
    }

    /// One past the last segment.
    #[inline]
    pub const fn end(&self) -> u64 {
        self.end
    }

    fn extend_entries(&mut self, count: usize, sent_us: u64) {
        if self.entries.capacity() - self.entries.len() < count {
            // A sixteenth to spare, as in a [`Bitmap`].
            self.entries.reserve_exact(count + self.entries.len() / 16 + 15);
        }
        for _ in 0..count {
            self.entries.push_back(Entry::new(sent_us));
        }
    }

    /// The segments before `una` go, of a clean log. With the last entry its memory goes.
    pub fn forget(&mut self, una: u64) {
        if self.first == una {
            return;
        }
        if !self.entries.is_empty() {
            let gone = (una - self.first).min(self.entries.len() as u64);
            self.entries.drain(..gone as usize);
            if self.entries.is_empty() {
                (self.entries, self.again) = Default::default();
            }
        }
        self.bursts.forget(una);
        self.first = una;
    }

    /// Makes an entry of every segment.
    #[inline]
    fn itemise(&mut self) {
        if !self.itemised {
            self.itemise_bursts();
        }
    }

    fn itemise_bursts(&mut self) {
        self.itemised = true;
        let missing = (self.end - self.first) as usize - self.entries.len();
        self.entries.reserve_exact(missing + missing / 16);
        let behind = self.first + self.entries.len() as u64;
        for (count, sent_us) in std::mem::take(&mut self.bursts).from(behind) {
            self.extend_entries(count as usize, sent_us);
        }
    }

    /// Nothing is missing any more: new segments need no entry.
    pub const fn settle(&mut self) {
        self.itemised = false;
    }

    /// When the first segment was sent, µs, where that is found at once: of a clean log.
    #[inline]
    pub fn first_us(&mut self, una: u64) -> Option<u64> {
        if self.entries.is_empty() { self.bursts.first_us(una) } else { None }
    }

    /// When the segment at `position` was last sent, µs.
    pub fn sent_us(&self, position: u64) -> Option<u64> {
        self.get(position).map(Entry::sent_us).or_else(|| self.bursts.sent_us(position))
    }

    /// The entry of the segment at `position`, if it has one.
    #[inline]
    pub fn get(&self, position: u64) -> Option<Entry> {
        self.entries.get(position.checked_sub(self.first)? as usize).copied()
    }

    fn entry(&mut self, position: u64) -> Option<&mut Entry> {
        self.entries.get_mut(position.checked_sub(self.first)? as usize)
    }

    /// Whether none of the segments has been sent again, none is reported, none lost.
    #[inline]
    pub const fn is_clean(&self, board: &Scoreboard) -> bool {
        board.is_clean() && self.again_end <= self.first
    }

    /// The cumulative acknowledgement takes the first segment. `None` where a selective one had reported it.
    pub fn take_acked(&mut self, board: &mut Scoreboard) -> Option<(Transmission, Entry)> {
        self.itemise();
        let entry = self.entries.pop_front()?;
        let position = self.first;
        self.first += 1;
        let reported = entry.has(SACKED);
        if reported {
            board.sacked_out -= 1;
            if board.sacked_out == 0 {
                self.reported = Bitmap::default();
            }
        }
        board.lost_out -= u32::from(entry.has(LOST));
        board.retrans_out -= u32::from(entry.has(RETRANSMITTED));
        (!reported).then_some((Transmission { sent_us: entry.sent_us(), position }, entry))
    }

    /// The first segment of `from..to` that no selective acknowledgement has reported.
    pub fn first_unreported(&self, from: u64, to: u64) -> Option<u64> {
        self.reported.first_clear(from.max(self.first), to)
    }

    /// A selective acknowledgement reports the segment at `position`; `None` where that is not news.
    pub fn report(&mut self, position: u64, board: &mut Scoreboard) -> Option<(Transmission, Entry)> {
        self.itemise();
        let first = self.first;
        let entry = self.entry(position)?;
        if entry.has(SACKED) {
            return None;
        }
        let before = *entry;
        entry.set(SACKED);
        board.sacked_out += 1;
        // The retransmission of a segment that is not lost is believed to be out still. // Linux: tcp_sacktag_one
        if before.has(LOST) {
            entry.clear(LOST | RETRANSMITTED);
            board.lost_out -= 1;
            board.retrans_out -= u32::from(before.has(RETRANSMITTED));
        }
        self.reported.cover(first, position + 1);
        self.reported.set(position);
        Some((Transmission { sent_us: before.sent_us(), position }, before))
    }

    /// The segment at `position`, reported before, is reported as a duplicate: its retransmission has arrived.
    pub fn report_duplicate(&mut self, position: u64, board: &mut Scoreboard) {
        if let Some(entry) = self.entry(position).filter(|entry| entry.has(RETRANSMITTED)) {
            entry.clear(RETRANSMITTED);
            board.retrans_out -= 1;
        }
        self.join_duplicate(position);
    }

    /// The segment at `position` is lost; whether it had been sent again.
    fn lose(&mut self, position: u64, board: &mut Scoreboard) -> bool {
        let Some(entry) = self.entry(position) else { return false };
        let again = entry.has(RETRANSMITTED);
        board.retrans_out -= u32::from(again);
        board.lost_out += u32::from(!entry.has(LOST));
        entry.clear(RETRANSMITTED);
        entry.set(LOST);
        self.next_lost = self.next_lost.min(position);
        again
    }

    fn lose_by_time(&mut self, position: u64, board: &mut Scoreboard) -> bool {
        let again = self.lose(position, board);
        if let Some(entry) = self.entry(position) {
            entry.set(JUDGED);
        }
        again
    }

    /// A timeout: the first segment is lost, and so is every other that was sent at `horizon_us` or before. How many were not lost before, or
    /// had been sent again. // RFC 8985 §6.3
    pub fn time_out(&mut self, horizon_us: Option<u64>, board: &mut Scoreboard) -> u32 {
        self.itemise();
        let mut count = 0;
        for position in self.first..self.end {
            let Some(entry) = self.get(position) else { break };
            let is_late = horizon_us.is_some_and(|horizon_us| entry.sent_us() <= horizon_us);
            if !entry.has(SACKED) && (position == self.first || is_late) {
                count += u32::from(self.lose(position, board) || !entry.has(LOST));
            }
        }
        count
    }

    /// The lowest lost segment that has not been sent again since.
    pub fn next_lost(&mut self, board: &Scoreboard) -> Option<u64> {
        if board.lost_out == 0 {
            return None;
        }
        let end = self.first + self.entries.len() as u64;
        while let Some(position) = self.first_unreported(self.next_lost, end) {
            self.next_lost = position;
            let entry = self.get(position)?;
            if entry.has(LOST) && !entry.has(RETRANSMITTED) {
                return Some(position);
            }
            self.next_lost = position + 1;
        }
        self.next_lost = end;
        None
    }

    /// The segment at `position` is sent again at `now_us`. Only one that is `counted` is in the pipe twice: Linux does not count probes.
    pub fn retransmit(&mut self, position: u64, now_us: u64, counted: bool, board: &mut Scoreboard) {
        self.itemise();
        let Some(entry) = self.entry(position) else { return };
        *entry = entry.sent_again(now_us);
        if counted && !entry.has(RETRANSMITTED) {
            entry.set(RETRANSMITTED);
            board.retrans_out += 1;
        }
        self.again_end = self.again_end.max(position + 1);
        self.again.push_back(Retransmission { sent_us: now_us, position, behind: self.end });
    }

    /// Whether the first segment has been sent again, or anything is still out that was: an episode goes on. // Linux: tcp_any_retrans_done
    pub fn any_sent_again(&self, board: &Scoreboard) -> bool {
        board.retrans_out > 0 || self.entries.front().is_some_and(|entry| entry.is_sent_again())
    }

    /// Nothing is lost after all: the marks go. What a timeout has taken for lost is looked at anew, what was lost by time is not.
    pub fn forget_losses(&mut self, board: &mut Scoreboard) {
        let first = self.first;
        for (position, entry) in (first..).zip(&mut self.entries) {
            if entry.has(LOST) && entry.has(SENT_AGAIN) && !entry.has(RETRANSMITTED | JUDGED) {
                self.again.push_back(Retransmission { sent_us: entry.sent_us(), position, behind: 0 });
            }
            entry.clear(LOST);
        }
        self.again.make_contiguous().sort_unstable();
        board.lost_out = 0;
        self.undecided = first;
    }

    /// What it allocates for segments, bytes.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>() + self.bursts.bytes()
    }

    /// Checks the marks against the counts, the bits and the edges.
    #[cfg(any(test, debug_assertions))]
    pub fn check(&self, una: u64, nxt: u64, board: &Scoreboard) {
        // New segments are noted at the end of their burst.
        // In quiet mode the first ones may have been acknowledged.
        assert!(self.first == una || self.first < una && self.is_clean(board), "{una}..{nxt}: {self:?}");
        assert!(self.end <= nxt, "{una}..{nxt}: {self:?}");
        assert!(!self.itemised || self.end == self.first + self.entries.len() as u64, "{self:?}");
        let count = |marks| self.entries.iter().filter(|entry| entry.has(marks)).count() as u32;
        assert_eq!(
            (count(SACKED), count(LOST), count(RETRANSMITTED)),
            (board.sacked_out, board.lost_out, board.retrans_out),
            "{self:?}"
        );
        for (position, entry) in (self.first..).zip(&self.entries) {
            assert!(!(entry.has(SACKED) && entry.has(LOST)), "{position}: {self:?}");
            assert_eq!(entry.has(SACKED), self.reported.get(position), "{position}: {self:?}");
            let waits = entry.has(LOST) && !entry.has(RETRANSMITTED);
            assert!(!waits || position >= self.next_lost, "{position}: {self:?}");
            let is_decided = entry.has(SACKED | LOST | SENT_AGAIN | JUDGED);
            assert!(is_decided || position >= self.undecided, "{position}: {self:?}");
            assert!(position < self.again_end || !entry.is_sent_again(), "{position}: {self:?}");
        }
    }
}
