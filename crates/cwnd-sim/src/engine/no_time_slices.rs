// SPDX-License-Identifier: MIT OR Apache-2.0
//! Replaces `time_slices` in a build without the feature: no run uses time slices, and each uses one thread.

use super::Simulation;
use crate::network::Packet;

/// No value: no run has time slices.
#[derive(Debug)]
pub(super) enum TimeSlices {}

/// See `time_slices`.
pub(super) struct Stepped {
    pub events: u64,
    pub has_sampled: bool,
}

impl Simulation {
    /// Changes nothing: this build runs on one thread.
    #[must_use]
    pub const fn with_threads(self, _: u32) -> Self {
        self
    }

    /// Changes nothing: this build has no time slices.
    #[must_use]
    pub const fn without_time_slices(self) -> Self {
        self
    }

    /// One.
    #[must_use]
    pub const fn threads(&self) -> u32 {
        1
    }

    /// There is nothing to decide.
    pub const fn begin(&mut self) {
        self.has_begun = true;
    }

    pub(super) const fn step_in_time_slices(&mut self, _: u64, _: u64) -> Option<Stepped> {
        None
    }

    pub(super) fn packets_in_time_slices(&self) -> impl Iterator<Item = Packet> {
        std::iter::empty()
    }

    pub(super) const fn count_forwarded_in_time_slices(&mut self, _: u64) {}

    pub(super) const fn leave_time_slices(&mut self) {}

    /// Time of the next event, ns.
    pub(super) fn next_event(&self) -> u64 {
        self.network.event_queue.first().min(self.timers.first()).time
    }
}
