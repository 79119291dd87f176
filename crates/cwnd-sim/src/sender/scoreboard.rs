// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the sender knows of each outstanding segment (RFC 6675 §3, §4): delivered, lost, retransmitted.

use crate::bits::Bits;

/// Segments delivered above one that make it lost (RFC 6675 §2).
pub const DUP_THRESH: u32 = 3;

/// The scoreboard; positions outside `una..nxt` are clear.
#[derive(Clone, Debug, Default)]
pub struct Scoreboard {
    sacked: Bits,
    lost: Bits,
    /// Retransmitted in this episode, not yet acknowledged.
    retransmitted: Bits,
    /// Outstanding segments that selective acknowledgements reported.
    pub sacked_out: u32,
    /// Outstanding segments that are lost, whether or not retransmitted.
    pub lost_out: u32,
    /// Outstanding retransmissions.
    pub retrans_out: u32,
    /// The three highest reported positions, highest first, plus one; 0 when there are fewer.
    top: [u64; DUP_THRESH as usize],
    /// Everything unreported before this is marked lost (RFC 6675's IsLost, for all at once).
    lost_edge: u64,
    /// No segment before this needs a retransmission (RFC 6675's HighRxt + 1).
    next_retransmission: u64,
}

impl Scoreboard {
    /// Whether nothing is marked.
    #[inline]
    pub const fn is_clean(&self) -> bool {
        self.sacked_out | self.lost_out | self.retrans_out == 0
    }

    /// Makes room in all three rings: what they answer is meaningless for positions beyond.
    fn cover(&mut self, una: u64, to: u64) {
        self.sacked.cover(una, to);
        self.lost.cover(una, to);
        self.retransmitted.cover(una, to);
    }

    /// The cumulative acknowledgement moved from `una` to `to`; returns how many of those were reported before.
    pub fn advance(&mut self, una: u64, to: u64) -> u32 {
        let sacked = self.sacked.clear_range(una, to);
        self.sacked_out -= sacked;
        self.lost_out -= self.lost.clear_range(una, to);
        self.retrans_out -= self.retransmitted.clear_range(una, to);
        for top in &mut self.top {
            if *top <= to {
                *top = 0;
            }
        }
        sacked
    }

    /// A selective acknowledgement reported `position`; returns whether that is news.
    pub fn report(&mut self, una: u64, position: u64) -> bool {
        self.cover(una, position + 1);
        if position < una || self.sacked.get(position) {
            return false;
        }
        self.sacked.set(position);
        self.sacked_out += 1;
        self.lost_out -= u32::from(self.lost.clear(position));
        self.retrans_out -= u32::from(self.retransmitted.clear(position));
        let [first, second, third] = self.top;
        let it = position + 1;
        self.top = if it > first {
            [it, first, second]
        } else if it > second {
            [first, it, second]
        } else {
            [first, second, third.max(it)]
        };
        true
    }

    /// Marks as lost what has [`DUP_THRESH`] reported segments above it; returns whether anything was.
    pub fn detect_losses(&mut self, una: u64) -> bool {
        // All unreported positions below the third highest reported one. // RFC 6675 §4, IsLost
        let edge = self.top[DUP_THRESH as usize - 1].saturating_sub(1);
        let from = self.lost_edge.max(una);
        if edge <= from {
            return false;
        }
        self.lost_edge = edge;
        self.mark_lost(una, from, edge) > 0
    }

    /// Marks the unreported segments of `from..to` as lost; returns how many are new.
    pub fn mark_lost(&mut self, una: u64, from: u64, to: u64) -> u32 {
        self.cover(una, to);
        let mut marked = 0;
        let mut at = from;
        while let Some(hole) = self.sacked.first_clear(at, to) {
            if !self.lost.get(hole) {
                self.lost.set(hole);
                marked += 1;
            }
            at = hole + 1;
        }
        self.lost_out += marked;
        marked
    }

    /// A timeout: everything unreported is lost, also what was retransmitted.
    pub fn mark_all_lost(&mut self, una: u64, nxt: u64) {
        self.retrans_out -= self.retransmitted.clear_range(una, nxt);
        self.mark_lost(una, una, nxt);
        self.next_retransmission = una;
        self.lost_edge = nxt;
    }

    /// An episode begins: retransmissions start at the left edge.
    pub const fn begin_episode(&mut self, una: u64) {
        self.next_retransmission = una;
    }

    /// The lowest lost segment that was not retransmitted yet. // RFC 6675 §4, NextSeg rule 1
    #[inline]
    pub fn next_lost(&mut self, una: u64, nxt: u64) -> Option<u64> {
        if self.lost_out == 0 {
            return None;
        }
        // Nothing beyond the edge is lost; without SACK there is no edge, and only the first segment can be.
        let to = self.lost_edge.max(una + 1).min(nxt);
        let mut at = self.next_retransmission.max(una);
        while let Some(position) = self.lost.first_set(at, to) {
            if !self.retransmitted.get(position) {
                self.next_retransmission = position;
                return Some(position);
            }
            at = position + 1;
        }
        self.next_retransmission = to;
        None
    }

    /// The lowest outstanding segment that is neither reported, lost nor retransmitted, below the highest reported
    /// one. // RFC 6675 §4, NextSeg rule 3
    pub fn next_unreported(&self, una: u64) -> Option<u64> {
        let mut at = una;
        while let Some(position) = self.sacked.first_clear(at, self.top[0].saturating_sub(1)) {
            if !self.retransmitted.get(position) {
                return Some(position);
            }
            at = position + 1;
        }
        None
    }

    /// `position` is being retransmitted.
    pub fn retransmit(&mut self, una: u64, position: u64) {
        self.cover(una, position + 1);
        if !self.retransmitted.get(position) {
            self.retransmitted.set(position);
            self.retrans_out += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 6675 §4: segment 0 is lost when three segments above it are reported, 1 to 3 are not outstanding losses.
    #[test]
    fn three_reports_above_make_a_loss() {
        let mut board = Scoreboard::default();
        for (position, lost) in [(1, false), (2, false), (3, true)] {
            assert!(board.report(0, position));
            assert_eq!(board.detect_losses(0), lost, "after {position}");
        }
        assert_eq!((board.sacked_out, board.lost_out), (3, 1));
        assert_eq!(board.next_lost(0, 10), Some(0));
    }

    #[test]
    fn losses_found_later_are_retransmitted_too() {
        let mut board = Scoreboard::default();
        for position in [1, 2, 3] {
            board.report(0, position);
        }
        board.detect_losses(0);
        board.retransmit(0, 0);
        assert_eq!(board.next_lost(0, 100), None);
        for position in [5, 6, 7] {
            board.report(0, position);
        }
        assert!(board.detect_losses(0));
        assert_eq!(board.next_lost(0, 100), Some(4));
    }

    #[test]
    fn every_hole_below_the_third_highest_report_is_lost_once() {
        let mut board = Scoreboard::default();
        for position in [2, 5, 6, 7] {
            board.report(0, position);
        }
        assert!(board.detect_losses(0));
        assert_eq!(board.lost_out, 4); // 0, 1, 3, 4 lie below 5, the third highest
        assert!(!board.detect_losses(0));
        let mut holes = Vec::new();
        while let Some(position) = board.next_lost(0, 10) {
            board.retransmit(0, position);
            holes.push(position);
        }
        assert_eq!(holes, [0, 1, 3, 4]);
        assert_eq!(board.retrans_out, 4);
    }

    // The rings must cover the window, not only what is marked: far-apart holes stay apart.
    #[test]
    fn holes_ten_thousand_apart_are_both_retransmitted() {
        let mut board = Scoreboard::default();
        for position in 10_000..20_000 {
            board.report(9_999, position);
            board.detect_losses(9_999);
        }
        board.retransmit(9_999, 9_999);
        assert_eq!(board.advance(9_999, 20_000), 10_000);
        for position in 20_001..20_004 {
            board.report(20_000, position);
        }
        assert!(board.detect_losses(20_000));
        assert_eq!(board.next_lost(20_000, 30_000), Some(20_000));
        assert_eq!((board.sacked_out, board.lost_out, board.retrans_out), (3, 1, 0));
    }

    #[test]
    fn the_cumulative_acknowledgement_clears_what_it_covers() {
        let mut board = Scoreboard::default();
        for position in [1, 2, 3, 9] {
            board.report(0, position);
        }
        board.detect_losses(0);
        board.retransmit(0, 0);
        assert_eq!(board.advance(0, 4), 3);
        assert_eq!((board.sacked_out, board.lost_out, board.retrans_out), (1, 0, 0));
        assert!(!board.detect_losses(4), "one report above 4 is not three");
    }

    #[test]
    fn a_timeout_loses_all_that_is_not_reported() {
        let mut board = Scoreboard::default();
        board.report(0, 5);
        board.mark_all_lost(0, 10);
        assert_eq!(board.lost_out, 9);
        assert!(!board.report(0, 5));
    }
}
