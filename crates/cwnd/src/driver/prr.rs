// SPDX-License-Identifier: MIT OR Apache-2.0
//! Proportional rate reduction (RFC 6937): during recovery, send in proportion to what arrives, so that the window has
//! come down to `ssthresh` when recovery ends. The bound below `ssthresh` is RFC 9937's: one extra segment per ACK only
//! when the ACK advances and declares no further loss.

use super::Ack;
use crate::conn::Conn;

/// State of one reduction, in segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Prr {
    delivered: u32,
    /// Segments sent since the reduction began.
    pub(super) out: u32,
    /// Flight when it began.
    recover_fs: u32,
}

impl Prr {
    pub(super) fn start(conn: &Conn) -> Self {
        Self { delivered: 0, out: 0, recover_fs: conn.packets_out.max(1) }
    }

    /// Sets `conn.cwnd` so that the transport may send what this acknowledgement allows. // RFC 6937 §3
    pub(super) fn on_ack(&mut self, conn: &mut Conn, ack: &Ack) {
        self.delivered = self.delivered.saturating_add(ack.delivered);
        let (pipe, ssthresh) = (conn.in_flight, conn.ssthresh);
        let owed = self.delivered.saturating_sub(self.out);
        let mut send = if pipe > ssthresh {
            let share =
                (u64::from(self.delivered) * u64::from(ssthresh)).div_ceil(u64::from(self.recover_fs.max(1)));
            share.saturating_sub(u64::from(self.out)).min(u64::from(u32::MAX)) as u32
        } else {
            let safe = ack.acked > 0 && !ack.new_loss;
            let limit = if safe { owed.max(ack.delivered).saturating_add(1) } else { owed };
            limit.min(ssthresh - pipe)
        };
        if self.out == 0 {
            send = send.max(1); // RFC 9937: the fast retransmit itself always goes out
        }
        // With nothing in flight and nothing owed both are 0. No window is: nobody would send, and only the timer go on.
        conn.cwnd = pipe.saturating_add(send).max(1);
    }
}
