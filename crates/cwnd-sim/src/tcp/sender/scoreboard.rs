// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the sender knows of each outstanding segment (RFC 6675 §3, §4), in one bit each and two edges.
//!
//! The bit says that a selective acknowledgement reported the segment. Losses and retransmissions follow from edges: IsLost
//! is true of everything unreported below the third highest report, and retransmissions go out in rising order, so that
//! everything unreported up to HighRxt has been sent again. The counts are kept as the edges and bits move.
//!
//! HighRxt is kept after the recovery that moved it. RFC 6675 §2 has one per recovery: the next recovery would retransmit segments whose
//! retransmission is still in the network, and the pipe would not count those. Linux keeps its marks, too, and RFC 8985 §6.2 takes a
//! retransmission for lost only when something sent after it has arrived. Here, only a timeout marks retransmissions as lost.
//!
//! Of a sender with Linux's recovery only the counts are here: its marks are in `linux::log`.

#[cfg(test)]
mod tests;

use crate::tcp::bitmap::Bitmap;

/// Segments delivered above one that make it lost (RFC 6675 §2).
pub const DUP_THRESH: u32 = 3;

/// The scoreboard of the segments `una..nxt`, which are arguments of its methods.
#[derive(Debug, Default)]
pub struct Scoreboard {
    /// `None` while no segment is reported.
    reports: Option<Box<Reports>>,
    /// Outstanding segments that selective acknowledgements reported.
    pub sacked_out: u32,
    /// Outstanding segments that are lost, whether or not retransmitted.
    pub lost_out: u32,
    /// Outstanding segments retransmitted since the last timeout.
    pub retrans_out: u32,
    /// Everything unreported before this is lost (RFC 6675's IsLost, for all at once).
    lost_edge: u64,
    /// Everything unreported before this was retransmitted since the last timeout (RFC 6675's HighRxt + 1).
    next_retransmission: u64,
}

/// What selective acknowledgements reported.
#[derive(Debug, Default)]
struct Reports {
    sacked: Bitmap,
    /// The three highest reported positions, highest first, plus one; 0 when there are fewer.
    top: [u64; DUP_THRESH as usize],
}

impl Scoreboard {
    /// Whether nothing is marked.
    #[inline]
    pub const fn is_clean(&self) -> bool {
        self.sacked_out | self.lost_out | self.retrans_out == 0
    }

    /// Reported segments of `from..to`.
    fn sacked_in(&self, from: u64, to: u64) -> u32 {
        self.reports.as_ref().map_or(0, |reports| reports.sacked.count_ones(from, to))
    }

    /// Unreported segments of `from..to`, `from <= to`.
    fn unsacked_in(&self, from: u64, to: u64) -> u32 {
        (to - from) as u32 - self.sacked_in(from, to)
    }

    /// One past the highest reported segment; 0 if none is.
    fn highest(&self) -> u64 {
        self.reports.as_ref().map_or(0, |reports| reports.top[0])
    }

    /// The first unreported segment of `from..to`.
    fn first_unsacked(&self, from: u64, to: u64) -> Option<u64> {
        match &self.reports {
            Some(reports) => reports.sacked.first_clear(from, to),
            None => (from < to).then_some(from),
        }
    }

    /// The cumulative acknowledgement moved from `una` to `to`; returns how many of those were reported before.
    pub fn advance(&mut self, una: u64, to: u64) -> u32 {
        let sacked = self.sacked_in(una, to);
        let unsacked = (to - una) as u32 - sacked;
        self.sacked_out -= sacked;
        // Below an edge every unreported segment counts; beyond it none is left.
        self.lost_out = if to < self.lost_edge { self.lost_out - unsacked } else { 0 };
        self.retrans_out = if to < self.next_retransmission { self.retrans_out - unsacked } else { 0 };
        if self.sacked_out == 0 {
            self.reports = None;
        } else if let Some(reports) = &mut self.reports {
            for top in &mut reports.top {
                if *top <= to {
                    *top = 0;
                }
            }
        }
        sacked
    }

    /// A selective acknowledgement reported `position`; returns whether that is news.
    pub fn report(&mut self, una: u64, position: u64) -> bool {
        if position < una {
            return false; // an old acknowledgement that came late
        }
        let reports = self.reports.get_or_insert_default();
        reports.sacked.cover(una, position + 1);
        if reports.sacked.get(position) {
            return false;
        }
        reports.sacked.set(position);
        self.sacked_out += 1;
        self.lost_out -= u32::from(position < self.lost_edge);
        self.retrans_out -= u32::from(position < self.next_retransmission);
        let [first, second, third] = reports.top;
        let edge = position + 1;
        reports.top = if edge > first {
            [edge, first, second]
        } else if edge > second {
            [first, edge, second]
        } else {
            [first, second, third.max(edge)]
        };
        true
    }

    /// A selective acknowledgement reported `from..to`; returns how many of these segments are news.
    pub fn report_range(&mut self, una: u64, from: u64, to: u64) -> u32 {
        let from = from.max(una);
        if from >= to {
            return 0; // an old acknowledgement that came late
        }
        let news = self.unsacked_in(from, to);
        if news == 0 {
            return 0;
        }
        self.sacked_out += news;
        self.lost_out -= self.unsacked_in(from, to.min(self.lost_edge).max(from));
        self.retrans_out -= self.unsacked_in(from, to.min(self.next_retransmission).max(from));
        let reports = self.reports.get_or_insert_default();
        reports.sacked.cover(una, to);
        reports.sacked.set_range(from, to);
        let mut below = reports.top[0].max(to) + 1;
        for top in &mut reports.top {
            below = reports.sacked.last_set(una, below - 1).map_or(1, |position| position + 1);
            *top = if below > 1 { below } else { 0 };
        }
        news
    }

    /// Marks as lost the segments with [`DUP_THRESH`] reported segments above them; returns whether there were any.
    pub fn mark_losses(&mut self, una: u64) -> bool {
        let Some(reports) = &self.reports else { return false };
        // All unreported positions below the third highest reported one. // RFC 6675 §4, IsLost
        let edge = reports.top[DUP_THRESH as usize - 1].saturating_sub(1);
        self.lose_until(una, edge) > 0
    }

    /// Every unreported segment of `una..edge` is lost; returns how many are new.
    fn lose_until(&mut self, una: u64, edge: u64) -> u32 {
        let from = self.lost_edge.max(una);
        if edge <= from {
            return 0;
        }
        let new = self.unsacked_in(from, edge);
        self.lost_out += new;
        self.lost_edge = edge;
        new
    }

    /// Without selective acknowledgements only the segment at the left edge can be known to be lost.
    pub fn lose_first(&mut self, una: u64) {
        self.lose_until(una, una + 1);
    }

    /// A timeout: everything unreported is lost, also what was retransmitted.
    pub const fn lose_all(&mut self, una: u64, nxt: u64) {
        self.lost_out = (nxt - una) as u32 - self.sacked_out;
        self.lost_edge = nxt;
        self.next_retransmission = una;
        self.retrans_out = 0;
    }

    /// The lowest lost segment that was not retransmitted yet. // RFC 6675 §4, NextSeg rule 1
    #[inline]
    pub fn next_lost(&self, una: u64) -> Option<u64> {
        if self.lost_out == 0 {
            return None;
        }
        let from = self.next_retransmission.max(una);
        // Below the edge everything retransmitted is lost: equal counts, and nothing is left to find.
        if from >= self.lost_edge || self.lost_out == self.retrans_out {
            return None;
        }
        self.first_unsacked(from, self.lost_edge)
    }

    /// The lowest outstanding segment that is neither reported, lost nor retransmitted, below the highest reported
    /// one. // RFC 6675 §4, NextSeg rule 3
    pub fn next_unreported(&self, una: u64) -> Option<u64> {
        let to = self.highest().saturating_sub(1);
        let from = self.next_retransmission.max(una);
        if from < to { self.first_unsacked(from, to) } else { None }
    }

    /// The highest outstanding segment that is not reported. // RFC 6675 §4, NextSeg rule 4
    pub fn last_unreported(&self, una: u64, nxt: u64) -> Option<u64> {
        match &self.reports {
            Some(reports) => reports.sacked.last_clear(una, nxt),
            None => (una < nxt).then(|| nxt - 1),
        }
    }

    /// `position`, found by rule 1 or 3, is being retransmitted. Not called for rule 4, which does not move HighRxt.
    pub fn retransmit(&mut self, position: u64) {
        debug_assert!(position >= self.next_retransmission, "retransmissions go upwards");
        self.next_retransmission = position + 1;
        self.retrans_out += 1;
    }

    /// Checks the counts against bits and edges, O(window / 64).
    #[cfg(any(test, debug_assertions))]
    pub fn check(&self, una: u64, nxt: u64) {
        let below = |edge: u64| self.unsacked_in(una, edge.clamp(una, nxt));
        assert_eq!(self.sacked_out, self.sacked_in(una, nxt), "reported of {una}..{nxt}: {self:?}");
        assert_eq!(self.lost_out, below(self.lost_edge), "lost of {una}..{nxt}: {self:?}");
        assert_eq!(
            self.retrans_out,
            below(self.next_retransmission),
            "retransmitted of {una}..{nxt}: {self:?}"
        );
        assert!(self.lost_edge <= nxt && self.next_retransmission <= nxt, "{una}..{nxt}: {self:?}");
        assert!(self.highest() <= nxt, "reported what was never sent: {una}..{nxt}: {self:?}");
    }

    /// RFC 6675 §4's SetPipe as it is written, segment by segment.
    #[cfg(any(test, debug_assertions))]
    pub fn pipe(&self, una: u64, nxt: u64) -> u32 {
        let sacked = |at| self.reports.as_ref().is_some_and(|reports| reports.sacked.get(at));
        let counts = |at| u32::from(at >= self.lost_edge) + u32::from(at < self.next_retransmission);
        (una..nxt).filter(|&at| !sacked(at)).map(counts).sum()
    }
}
