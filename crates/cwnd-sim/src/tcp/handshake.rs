// SPDX-License-Identifier: MIT OR Apache-2.0
//! A flow's handshake: it begins, it ends.

use super::flow::{FlowState, Handshake};

impl FlowState {
    /// Its handshake begins; the links of its path and back take `links` ns.
    pub const fn begin_handshake(&mut self, now: u64, links: u64) {
        self.handshake = Handshake::GoesOn;
        self.start_at = now + links + self.access_delay_fwd + self.access_delay_rev;
    }

    /// Its connection is open, after a handshake if it has one.
    pub fn end_handshake(&mut self, now: u64, links: u64) {
        if self.handshake == Handshake::Over {
            return;
        }
        self.handshake = Handshake::Over;
        let took = links + self.access_delay_fwd + self.access_delay_rev;
        self.sender.on_open(now, took);
        self.receiver.on_open(took);
    }
}
