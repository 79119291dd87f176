// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a sender sends next.

use super::Sender;
use cwnd::CaState;

/// A segment to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tcp) enum NextSegment {
    /// A segment for the first time.
    New,
    /// The segment at this position again.
    Retransmission(u64),
    /// The segment at this position again: once per recovery, when nothing else may go (RFC 6675 §4, rule 4), or as a probe.
    Rescue(u64),
}

impl Sender {
    /// Whether data and receiver allow a new segment.
    #[inline]
    pub(super) fn has_new(&self, now: u64) -> bool {
        self.nxt < self.data_end
            && self.nxt - self.una < u64::from(self.rwnd)
            && (now < self.stop_at || self.has_buffer())
    }

    /// What to send next at `now`, if data and receiver allow anything. // RFC 6675 §4, NextSeg
    #[inline]
    fn next_to_send(&mut self, now: u64) -> Option<NextSegment> {
        if self.board.lost_out == 0 && self.has_new(now) {
            (self.linux.is_none() || !self.holds_burst(now)).then_some(NextSegment::New)
        } else {
            self.next_segment_by_rules(now)
        }
    }

    #[cold]
    fn next_segment_by_rules(&mut self, now: u64) -> Option<NextSegment> {
        if self.linux.is_some() {
            return self.next_segment_as_linux(now);
        }
        if let Some(lost) = self.board.next_lost(self.una) {
            return Some(NextSegment::Retransmission(lost)); // rule 1
        }
        if self.has_new(now) {
            return Some(NextSegment::New); // rule 2
        }
        if self.driver.conn.ca_state != CaState::Recovery || !self.has_sack() {
            return None;
        }
        if let Some(position) = self.board.next_unreported(self.una) {
            return Some(NextSegment::Retransmission(position)); // rule 3
        }
        if self.rescued {
            return None;
        }
        self.rescued = true;
        self.board.last_unreported(self.una, self.nxt).map(NextSegment::Rescue) // rule 4
    }

    /// Whether the window, or loss detection in progress, keeps it from sending.
    #[inline]
    fn is_blocked(&self) -> bool {
        let conn = &self.driver.conn;
        (conn.in_flight >= conn.cwnd && !self.retransmit_now) || self.waits_for_detection()
    }

    /// What to send next, if the limits allow anything.
    #[inline(always)]
    pub(super) fn next_allowed(&mut self, now: u64) -> Option<NextSegment> {
        let limited = self.limits.is_some();
        if self.is_blocked() || (limited && !self.admits(now)) {
            return None;
        }
        let next = self.next_to_send(now);
        if next.is_none() && limited {
            self.await_data(now);
        }
        next
    }
}
