// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which reported segments are in one packet: Linux moves a segment that is reported into a reported packet before it, and then the reported packet
//! behind it, too. If nothing reported is before it, its own packet stays alone, even where the next one is reported (`tcp_shift_skb_data`).

use super::super::entry::{Entry, JOINED, LOST, RETRANSMITTED, SACKED};
use super::SegmentLog;

/// Whether others may join a packet: it is reported, and no retransmission of it is out. // Linux: TCPCB_TAGBITS
fn takes_in(entry: Entry) -> bool {
    entry.has(SACKED) && !entry.has(RETRANSMITTED)
}

impl SegmentLog {
    /// The segment at `position`, which was `was`, is reported now. `apart_end`: where the last packet ends, of this acknowledgement's, that stays alone;
    /// `begins`: whether the segment was the first of a packet that was handed over.
    pub fn join(&mut self, position: u64, was: Entry, apart_end: &mut u64, begins: impl FnOnce() -> bool) {
        let before = position.checked_sub(1).and_then(|before| self.get(before));
        let is_with = |before: Entry| before.is_sent_with(was);
        if *apart_end == position && before.is_some_and(is_with) && !begins() {
            // The rest of a packet that stays alone.
            *apart_end = position + 1;
            self.mark_joined(position);
        } else if before.is_some_and(takes_in) && (was.has(LOST) || !was.has(RETRANSMITTED)) {
            self.mark_joined(position);
            self.take_next(position + 1);
        } else {
            *apart_end = position + 1;
        }
    }

    /// The segment at `position`, reported before, is gone through again, because the last acknowledgement had no block with it.
    pub fn join_again(&mut self, position: u64) {
        if let Some(before) = position.checked_sub(1).and_then(|before| self.get(before))
            && let Some(entry) = self.get(position)
            && takes_in(before)
            && takes_in(entry)
            && !entry.has(JOINED)
        {
            self.mark_joined(position);
            let mut end = position + 1;
            while self.get(end).is_some_and(|entry| entry.has(JOINED)) {
                end += 1;
            }
            self.take_next(end);
        }
    }

    /// The segment at `position`, reported before, is reported as a duplicate: it is cut off what is behind it in its packet, and joins what is
    /// before it. Without anything behind it in its packet, the next packet joins, too.
    pub fn join_duplicate(&mut self, position: u64) {
        let before = position.checked_sub(1).and_then(|before| self.get(before));
        let joins = before.is_some_and(takes_in);
        if let Some(behind) = self.entry(position + 1).filter(|behind| behind.has(JOINED)) {
            behind.clear(JOINED);
        } else if joins {
            self.take_next(position + 1);
        }
        if joins {
            self.mark_joined(position);
        }
    }

    fn mark_joined(&mut self, position: u64) {
        if let Some(entry) = self.entry(position) {
            entry.set(JOINED);
        }
    }

    /// The reported packet at `position`, if one is there, joins the one before it.
    fn take_next(&mut self, position: u64) {
        if let Some(next) = self.entry(position).filter(|next| takes_in(**next)) {
            next.set(JOINED);
        }
    }
}
