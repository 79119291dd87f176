// SPDX-License-Identifier: MIT OR Apache-2.0
//! Loss detection, one rule per kind of recovery: SACK (RFC 6675), NewReno (RFC 6582), Reno (RFC 5681), Tahoe.
//!
//! Without SACK, window inflation is written as its equal: a duplicate acknowledgement is a segment that has left the
//! network, so `in_flight` falls instead of `cwnd` rising (RFC 5681 §3.2 steps 3 to 5).

use super::Sender;
use super::scoreboard::DUP_THRESH;
use crate::tcp::receiver::{AckPacket, SackBlocks};
use cwnd::CaState;
use cwnd::registry::Recovery;

impl Sender {
    pub const fn has_sack(&self) -> bool {
        matches!(self.recovery, Recovery::Sack | Recovery::SackPrr | Recovery::Linux)
    }

    /// Loss detection for an acknowledgement while data is or was out of order; `self.una` has advanced by `acked`. Returns
    /// whether a new loss was detected.
    pub(super) fn detect_losses(
        &mut self,
        packet: &AckPacket,
        blocks: Option<&SackBlocks>,
        acked: u32,
        delivered: &mut u32,
    ) -> bool {
        if self.has_sack() {
            return self.detect_losses_by_sack(packet, blocks, delivered);
        }
        if packet.cumulative < self.una {
            // Overtaken on the reverse path: it has no new information.
            *delivered = 0;
            return false;
        }
        if acked == 0 && self.nxt > self.una {
            return self.on_duplicate();
        }
        // Each duplicate has already counted one of these segments. After a timeout it is unknown which had arrived before, so an
        // acknowledgement counts as one segment (RFC 3465 §2.3: L = 1).
        *delivered = if self.driver.conn.ca_state == CaState::Loss {
            acked.min(1)
        } else {
            acked.saturating_sub(self.dup_acks).max(acked.min(1))
        };
        self.on_advance(acked)
    }

    fn detect_losses_by_sack(
        &mut self,
        packet: &AckPacket,
        blocks: Option<&SackBlocks>,
        delivered: &mut u32,
    ) -> bool {
        if let Some(position) = packet.sacked
            && self.board.report(self.una, position)
        {
            *delivered += 1;
        }
        if let Some(blocks) = blocks {
            for (from, to) in blocks.ranges(packet.cumulative) {
                *delivered += self.board.report_range(self.una, from, to);
            }
        }
        let new_loss = self.board.mark_losses(self.una);
        self.refresh();
        // Includes a loss that was detected during the recovery that ends here, of data sent after that recovery began.
        let begins = !self.driver.in_recovery_epoch() || self.una >= self.driver.recovery_end();
        if self.board.lost_out > 0 && begins {
            let now_us = self.driver.conn.now_us;
            if self.driver.on_loss(now_us, self.una, self.nxt).is_some() {
                self.rescued = false;
                // RFC 6675 §5, step 4.3. The last recovery may already have retransmitted it.
                self.retransmit_now = self.board.next_lost(self.una).is_some();
            }
        } else if self.board.lost_out > 0 && self.driver.conn.ca_state == CaState::Cwr {
            self.recover_after_echo();
            self.rescued = false;
            self.retransmit_now = self.board.next_lost(self.una).is_some();
        } else {
            if self.board.sacked_out > 0 {
                self.driver.on_disorder();
            } else {
                self.driver.on_disorder_over();
            }
        }
        new_loss
    }

    fn on_duplicate(&mut self) -> bool {
        if self.driver.conn.ca_state == CaState::Loss {
            return false; // segments outstanding before the timeout already count as lost
        }
        self.dup_acks += 1;
        self.refresh();
        let reduced = self.driver.conn.ca_state == CaState::Cwr;
        if self.driver.in_recovery_epoch() && !reduced {
            return false;
        }
        self.driver.on_disorder();
        // RFC 6582 §3.2 step 2: at the end of an earlier episode's data, duplicates stem from its own retransmissions.
        let end = self.driver.recovery_end();
        let covered = self.recovery != Recovery::Reno && end > 0 && self.una <= end && !self.by_echo;
        if self.dup_acks < DUP_THRESH || covered {
            return false;
        }
        let now_us = self.driver.conn.now_us;
        if self.recovery == Recovery::Tahoe {
            self.collapse(now_us * 1000);
            return true;
        }
        self.partial_seen = false;
        if reduced {
            self.recover_after_echo();
        } else {
            self.driver.on_loss(now_us, self.una, self.nxt);
            self.by_echo = false;
        }
        self.lose_first();
        true
    }

    /// A loss in the reduction that an ECN echo began: its repair, without another reduction. // RFC 3168 §6.1.2
    fn recover_after_echo(&mut self) {
        self.driver.on_loss_after_echo(self.driver.conn.now_us);
        self.by_echo = false;
    }

    fn on_advance(&mut self, acked: u32) -> bool {
        match self.driver.conn.ca_state {
            CaState::Recovery
                if self.recovery == Recovery::NewReno && self.una < self.driver.recovery_end() =>
            {
                // RFC 6582 §3.2 step 5, partial acknowledgement: deflate by what left, less the one sent again.
                self.dup_acks = self.dup_acks.saturating_sub(acked.saturating_sub(1));
                self.lose_first();
                return true;
            }
            CaState::Recovery => {
                self.dup_acks = 0;
                self.refresh();
                if self.recovery == Recovery::NewReno {
                    // RFC 6582 §3.2 step 5, full acknowledgement, option 1: no burst.
                    let conn = &mut self.driver.conn;
                    conn.cwnd = conn.ssthresh.min(conn.in_flight.max(1) + 1);
                }
                self.driver.leave_recovery(self.una);
            }
            _ => {
                self.dup_acks = 0;
                self.refresh();
                self.driver.on_disorder_over();
            }
        }
        false
    }

    /// The segment at the left edge is lost and may be sent again at once.
    fn lose_first(&mut self) {
        self.board.lose_first(self.una);
        // RFC 5681 §3.2 step 3, RFC 6582 §3.2 step 5.
        self.retransmit_now = self.board.next_lost(self.una).is_some();
        self.refresh();
    }

    /// Before a loss is detected, limited transmit sends a new segment for each duplicate (RFC 3042, RFC 6675 §5 step 3). With limited
    /// transmit disabled, the sender waits.
    #[inline]
    pub(super) fn waits_for_detection(&self) -> bool {
        self.driver.conn.ca_state == CaState::Disorder && !self.limited_transmit
    }
}
