// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the application of the sending end has not handed to its stack yet.

use bytes::Bytes;

/// What is sent: zeros, which nobody copies but the stack into its packets.
static ZEROS: [u8; 1 << 16] = [0; 1 << 16];

/// Largest send buffer of a stack: two bandwidth-delay products of 1 Gbit/s and 160 ms, and some.
pub(crate) const MAX_SEND_BUFFER: u64 = 1 << 26;

/// The application of the sending end.
///
/// It keeps the stack's send buffer between three quarters of [`send_buffer`] and all of it. So data are handed over in large
/// pieces: both stacks look for the data of a packet from the oldest piece on.
#[derive(Debug, Default)]
pub(crate) struct Application {
    /// Bytes not handed over; `u64::MAX`: without an end.
    remaining: u64,
    /// Whether the stack refused the last piece and has not asked for more since.
    blocked: bool,
}

impl Application {
    /// It has `bytes` more to send.
    pub(crate) fn write(&mut self, bytes: u64) {
        self.remaining = self.remaining.saturating_add(bytes);
    }

    /// It hands over nothing more.
    pub(crate) fn stop(&mut self) {
        self.remaining = 0;
        self.blocked = false;
    }

    /// The stack has room again, or a new stream.
    pub(crate) fn unblock(&mut self) {
        self.blocked = false;
    }

    /// Whether it would hand over something now.
    pub(crate) fn is_ready(&self) -> bool {
        self.remaining > 0 && !self.blocked
    }

    /// Hands pieces to `accept`, which says how much of a piece it took, or `None` for nothing before there is room again.
    pub(crate) fn hand_over(&mut self, mut accept: impl FnMut(Bytes) -> Option<u64>) {
        while self.remaining > 0 {
            let length = usize::try_from(self.remaining).unwrap_or(usize::MAX).min(ZEROS.len());
            let Some(taken) = accept(Bytes::from_static(&ZEROS[..length])) else {
                self.blocked = true;
                return;
            };
            if self.remaining != u64::MAX {
                self.remaining -= taken;
            }
        }
    }
}

/// The send buffer that a window wants: what is in flight stays in it until everything before it has arrived, a few round trips
/// after a loss; less would stop the sender, more would be sent after the application has finished.
pub(crate) fn send_buffer(cwnd: u64) -> u64 {
    cwnd.saturating_mul(8).saturating_add(1 << 16).min(MAX_SEND_BUFFER)
}

/// The fill of a send buffer below which the application hands over more.
pub(crate) fn low_water(send_buffer: u64) -> u64 {
    send_buffer - send_buffer / 4
}
