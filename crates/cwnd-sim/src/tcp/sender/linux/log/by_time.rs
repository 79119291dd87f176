// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which segments are lost by time.

use super::super::entry::{JUDGED, LOST, RETRANSMITTED, SACKED, SENT_AGAIN, Transmission};
use super::SegmentLog;
use crate::tcp::sender::scoreboard::Scoreboard;

/// What [`SegmentLog::detect`] found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Detected {
    /// Segments newly lost.
    pub lost: u32,
    /// Those of them that had been sent again.
    pub lost_again: u32,
    /// When the last of those was sent that are not lost yet, but will be if they do not arrive, µs.
    pub waiting_us: Option<u64>,
}

impl SegmentLog {
    /// Marks the segments as lost that were sent before `newest`, which has arrived, and not after `horizon_us`.
    // RFC 8985 §6.2, step 5
    pub fn detect(
        &mut self,
        newest: Transmission,
        horizon_us: Option<u64>,
        board: &mut Scoreboard,
    ) -> Detected {
        self.itemise();
        let mut found = Detected::default();
        let is_late = |sent_us| horizon_us.is_some_and(|horizon_us| sent_us <= horizon_us);
        self.overtake(newest);
        self.undecided = self.undecided.max(self.first);
        while let Some(position) = self.first_unreported(self.undecided, self.overtaken) {
            self.undecided = position;
            let Some(entry) = self.get(position) else { break };
            if !entry.has(SENT_AGAIN | LOST | JUDGED) {
                if !is_late(entry.sent_us()) {
                    break;
                }
                self.lose_by_time(position, board);
                found.lost += 1;
            }
            self.undecided = position + 1;
        }
        let mut to = self.overtaken;
        while let Some(position) = self.reported.last_clear(self.undecided, to) {
            match self.get(position) {
                Some(entry) if !entry.has(SENT_AGAIN | LOST | JUDGED) => {
                    found.waiting_us = Some(entry.sent_us());
                    break;
                }
                _ => to = position,
            }
        }
        self.detect_again(newest, is_late, board, &mut found);
        found
    }

    /// Moves `overtaken` up to the first segment that was sent once, and not before `newest`.
    fn overtake(&mut self, newest: Transmission) {
        let mut position = self.overtaken.max(self.first);
        while let Some(entry) = self.get(position)
            && (entry.is_sent_again() || Transmission { sent_us: entry.sent_us(), position } <= newest)
        {
            position += 1;
        }
        self.overtaken = position;
    }

    /// The same as [`SegmentLog::detect`] for segments that were sent again.
    fn detect_again(
        &mut self,
        newest: Transmission,
        is_late: impl Fn(u64) -> bool,
        board: &mut Scoreboard,
        found: &mut Detected,
    ) {
        let mut index = 0;
        while let Some(&again) = self.again.get(index) {
            let transmission = Transmission { sent_us: again.sent_us, position: again.position };
            let awaited = self.get(transmission.position).is_some_and(|entry| {
                let is_decided = entry.has(SACKED | JUDGED) || entry.has(LOST) && !entry.has(RETRANSMITTED);
                entry.sent_us() == transmission.sent_us && !is_decided
            });
            let is_at_once = transmission.sent_us == newest.sent_us;
            if awaited && (transmission >= newest || is_at_once && self.is_held_back(newest, again.behind)) {
                break;
            }
            if awaited && is_late(transmission.sent_us) {
                found.lost_again += u32::from(self.lose_by_time(transmission.position, board));
                found.lost += 1;
            } else if awaited {
                found.waiting_us = found.waiting_us.max(Some(transmission.sent_us));
                index += 1;
                continue;
            }
            // Decided. Behind one that is awaited it stays until that one goes.
            if index == 0 {
                self.again.pop_front();
            } else {
                index += 1;
            }
        }
    }

    /// Whether a retransmission that went in the same microsecond as `newest`, behind the new segments up to `behind`, is not judged yet: one
    /// of these went after `newest`, and may still arrive. // Linux: tcp_rack_detect_loss goes through the segments as they were sent
    fn is_held_back(&self, newest: Transmission, behind: u64) -> bool {
        let mut to = behind;
        while let Some(position) = self.reported.last_clear(newest.position + 1, to) {
            match self.get(position) {
                Some(entry) if !entry.has(SENT_AGAIN | LOST | JUDGED) => {
                    return entry.sent_us() == newest.sent_us;
                }
                _ => to = position,
            }
        }
        false
    }
}
