// SPDX-License-Identifier: MIT OR Apache-2.0
//! The retransmission timer (RFC 6298 §5).

use super::Sender;
use cwnd::CaState;
use cwnd::registry::Recovery;

impl Sender {
    /// When the timer fires, ns; `u64::MAX` when it is off.
    #[inline]
    #[must_use]
    pub const fn timer(&self) -> u64 {
        self.rto_at
    }

    /// Restarts the timer after a transmission or an acknowledgement of new data. // RFC 6298 §5.1 – §5.3
    #[inline]
    pub(super) fn restart_timer(&mut self, now: u64) {
        if self.una == self.nxt {
            self.rto_at = u64::MAX;
            return;
        }
        // RFC 6582 §4, "impatient": only the first partial acknowledgement of a recovery restarts the timer.
        if self.recovery == Recovery::NewReno && self.driver.conn.ca_state == CaState::Recovery {
            if self.partial_seen {
                return;
            }
            self.partial_seen = true;
        }
        self.rto_at = now + self.rtt.rto_us() * 1000;
    }

    /// The timer fired: everything outstanding counts as lost. // RFC 6298 §5.4 – §5.6
    pub fn on_timer(&mut self, now: u64) -> super::Fired {
        self.set_clock(now);
        self.sent.timeouts += 1;
        self.rtt.back_off();
        self.collapse(now);
        self.rto_at = now + self.rtt.rto_us() * 1000;
        #[cfg(debug_assertions)]
        self.check();
        super::Fired::Rto
    }

    /// Back to one segment, and everything not reported as received is sent again.
    pub(super) fn collapse(&mut self, now: u64) {
        self.driver.on_timeout(now / 1000, self.una, self.nxt);
        self.dup_acks = 0;
        self.board.lose_all(self.una, self.nxt);
        self.refresh();
    }
}
