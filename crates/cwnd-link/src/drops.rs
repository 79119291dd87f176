// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why packets are dropped, and how many were.

/// Why a link dropped a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropCause {
    /// The queue had no room.
    Full,
    /// The queue discipline dropped it on arrival, while there was room (RED).
    Early,
    /// The queue discipline dropped it at the head of the queue (CoDel).
    Head,
    /// The loss process lost it.
    Loss,
}

/// Packets dropped, by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drops {
    /// [`DropCause::Full`].
    pub queue: u64,
    /// [`DropCause::Early`].
    pub early: u64,
    /// [`DropCause::Head`].
    pub head: u64,
    /// [`DropCause::Loss`].
    pub loss: u64,
}

impl Drops {
    /// All of them.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.queue + self.early + self.head + self.loss
    }

    /// Those since `earlier`.
    #[must_use]
    pub const fn since(&self, earlier: &Self) -> Self {
        Self {
            queue: self.queue - earlier.queue,
            early: self.early - earlier.early,
            head: self.head - earlier.head,
            loss: self.loss - earlier.loss,
        }
    }

    /// Counts a drop.
    pub const fn count(&mut self, cause: DropCause) {
        *match cause {
            DropCause::Full => &mut self.queue,
            DropCause::Early => &mut self.early,
            DropCause::Head => &mut self.head,
            DropCause::Loss => &mut self.loss,
        } += 1;
    }
}
