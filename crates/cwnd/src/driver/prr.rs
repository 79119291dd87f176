// SPDX-License-Identifier: MIT OR Apache-2.0
//! Proportional rate reduction (RFC 9937): during recovery, send in proportion to what arrives, so that the window has
//! come down to its target when recovery ends. Below the target as much goes as arrives, and one segment more per ACK only
//! when the ACK advances and declares no further loss.
//!
//! RecoverFS is RFC 6937's, everything that is out: RFC 9937 §6.1 takes off what had been selectively acknowledged before. With
//! `Options::tells_as_linux` it is the window before, as in Linux.

use super::Ack;
use crate::conn::{CaState, Conn};
use crate::rescale::Rescale;

/// State of one reduction, in segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Prr {
    delivered: u32,
    /// Segments sent since the reduction began.
    pub(super) out: u32,
    /// Flight when it began; Linux takes the window.
    recover_fs: u32,
    /// Window when it ends: `ssthresh`, or below it after an ECN echo at a small window.
    pub(super) target: u32,
}

impl Prr {
    pub(super) fn start(flight: u32, target: u32) -> Self {
        Self { delivered: 0, out: 0, recover_fs: flight.max(1), target }
    }

    /// Segments have another size.
    pub(super) fn rescale(&mut self, scale: Rescale) {
        for count in [&mut self.delivered, &mut self.out, &mut self.recover_fs, &mut self.target] {
            *count = scale.up(*count);
        }
    }

    /// The segment to force out: something always goes when a recovery begins, the fast retransmit where there is one. // RFC 9937
    fn forced(&self, conn: &Conn) -> u32 {
        u32::from(self.out == 0 && conn.ca_state == CaState::Recovery)
    }

    /// Losses were found, or an ECN echo came, and no acknowledgement has been counted for it: what they took out of the network
    /// allows nothing to be sent, but the fast retransmit. // RFC 9438 §4.6, RFC 9937
    pub(super) fn hold(&self, conn: &mut Conn) {
        let forced = self.forced(conn);
        let limit = if forced > 0 { u32::MAX } else { conn.cwnd };
        conn.cwnd = limit.min(conn.in_flight.saturating_add(forced)).max(1);
    }

    /// Sets `conn.cwnd` so that the transport may send what this acknowledgement allows. // RFC 9937 §6.2
    ///
    /// `as_linux`: the target is the threshold at the moment, which HyStart may lower on the way; and the reduction that an echo began forces a
    /// segment out, too, as long as none has left. // Linux: tcp_cwnd_reduction
    pub(super) fn on_ack(&mut self, conn: &mut Conn, ack: &Ack, as_linux: bool) {
        if ack.delivered == 0 {
            return;
        }
        if as_linux {
            self.target = conn.ssthresh;
        }
        self.delivered = self.delivered.saturating_add(ack.delivered);
        let (pipe, target) = (conn.in_flight, self.target);
        let owed = self.delivered.saturating_sub(self.out);
        let mut send = if pipe > target {
            let share =
                (u64::from(self.delivered) * u64::from(target)).div_ceil(u64::from(self.recover_fs.max(1)));
            share.saturating_sub(u64::from(self.out)).min(u64::from(u32::MAX)) as u32
        } else {
            let safe = ack.acked > 0 && !ack.new_loss;
            owed.max(ack.delivered).saturating_add(u32::from(safe)).min(target - pipe)
        };
        let forced = if as_linux { u32::from(self.out == 0) } else { self.forced(conn) };
        send = send.max(forced);
        // With nothing in flight and nothing owed both are 0. A window of 0 would leave everything to the timer.
        conn.cwnd = pipe.saturating_add(send).max(1);
    }
}
