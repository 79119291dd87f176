// SPDX-License-Identifier: MIT OR Apache-2.0
//! What takes the place of `windows` in a build without them: nothing goes in windows, and a run takes one thread.

use super::Simulation;
use crate::network::Packet;

/// There are none.
#[derive(Debug)]
pub(super) enum Windows {}

/// See `windows`.
pub(super) struct Stepped {
    pub events: u64,
    pub has_sampled: bool,
}

impl Simulation {
    /// On one thread, as this build has no others.
    #[must_use]
    pub const fn with_threads(self, _: u32) -> Self {
        self
    }

    /// It has none.
    #[must_use]
    pub const fn without_windows(self) -> Self {
        self
    }

    /// One.
    #[must_use]
    pub const fn threads(&self) -> u32 {
        1
    }

    /// Nothing is to be decided.
    pub const fn begin(&mut self) {
        self.has_begun = true;
    }

    pub(super) const fn step_in_windows(&mut self, _: u64, _: u64) -> Option<Stepped> {
        None
    }

    pub(super) fn packets_in_windows(&self) -> impl Iterator<Item = Packet> {
        std::iter::empty()
    }

    pub(super) const fn count_forwarded_in_windows(&mut self, _: u64) {}

    pub(super) const fn leave_windows(&mut self) {}

    /// When the next event is, ns.
    pub(super) fn next_event(&self) -> u64 {
        self.network.event_queue.first().min(self.timers.first()).time
    }
}
