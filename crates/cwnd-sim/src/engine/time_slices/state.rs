// SPDX-License-Identifier: MIT OR Apache-2.0
//! The state of a run in time slices.

use super::chunk::{self, Chunk};
use super::line::OwnLine;
use super::merge::Merge;
use super::outbox::QueueOutcome;
use super::threads::Threads;
use crate::schedule::Entry;
use crate::tcp::FlowState;

/// The link whose queue all flows share.
#[derive(Clone, Copy, Debug)]
pub(super) struct SharedBottleneck {
    /// Number of the link.
    pub link: usize,
    /// Its propagation, ns.
    pub propagation: u64,
    /// The shortest time from a transmission to its acknowledgement, ns.
    pub lookahead: u64,
    /// Transmission time of a full segment, ns.
    pub spacing: u64,
}

/// The state of a run in time slices.
#[derive(Debug)]
pub(in crate::engine) struct TimeSlices {
    pub(super) bottleneck: SharedBottleneck,
    /// The flows' own delay lines, in the order of the flows.
    pub(super) lines: Vec<OwnLine>,
    /// Everything before this has been run.
    pub(super) done: Entry,
    pub(super) chunks: Vec<Chunk>,
    pub(super) merge: Merge,
    /// Outcomes of the last merge.
    pub(super) outcomes: Vec<QueueOutcome>,
    pub(super) threads: Threads,
    /// Number of packets in the last time slice.
    pub(super) last: u64,
}

impl TimeSlices {
    /// Time from a departure of a flow's segment to its next event, ns.
    pub(super) const fn delay(&self, flow: &FlowState) -> u64 {
        self.bottleneck.propagation + flow.to_next_event
    }

    /// Time of the earliest next event of all flows, ns.
    pub(super) fn earliest(&self) -> u64 {
        chunk::earliest(&self.chunks)
    }
}
