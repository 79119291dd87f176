// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the flows of a chunk have sent in a time slice, and what the queue does with it.

use crate::schedule::EventId;
use cwnd_link::DropCause;
use cwnd_record::EventRow;
use cwnd_scenario::Scenario;

/// The order of rows and bursts: time, ns, then the event.
pub(super) type EventKey = (u64, EventId);

/// Segments that a flow sends at once. A segment that is not full is alone in its burst.
#[derive(Clone, Copy, Debug)]
pub(super) struct Burst {
    /// Time since the beginning of the time slice, ns, and the event.
    pub offset: u32,
    pub event: EventId,
    /// Position of the first segment.
    pub first: u64,
    /// Number of segments before it in the outbox.
    pub before: u32,
    /// Congestion window and slow start threshold, for the rows of drops.
    pub cwnd: u32,
    pub ssthresh: u32,
    pub count: u16,
    /// The flow's place in its chunk.
    pub place: u8,
    pub is_full: bool,
}

/// What the queue does with a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueueOutcome(u64);

impl QueueOutcome {
    /// The segment leaves the link at this time, ns.
    #[inline(always)]
    pub const fn departs(at: u64) -> Self {
        Self(at)
    }

    /// The segment is dropped.
    pub const fn dropped(cause: DropCause) -> Self {
        Self(u64::MAX - cause as u64)
    }

    /// When the segment leaves the link, ns.
    ///
    /// # Errors
    /// Why it is dropped.
    #[inline(always)]
    pub fn result(self) -> Result<u64, DropCause> {
        let cause = (u64::MAX - self.0) as usize;
        if cause < DropCause::ALL.len() { Err(DropCause::ALL[cause]) } else { Ok(self.0) }
    }
}

/// What the flows of a chunk have done in a time slice.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    /// When the time slice begins, ns.
    pub begin: u64,
    /// By flow, and for each flow by time.
    pub bursts: Vec<Burst>,
    /// Number of their segments; after the merge, the index of the first one's outcome.
    pub segments: u32,
    pub first_outcome: u32,
    /// Sizes of segments that are not full, bytes on the wire, with the number of segments before each.
    pub short: Vec<(u32, u32)>,
    /// Rows of events, and transfers that have ended, with their times, ns.
    pub rows: Vec<(EventKey, EventRow)>,
    pub ends: Vec<(u32, u64)>,
}

impl Outbox {
    /// Removes what has been merged.
    pub fn clear(&mut self) {
        self.bursts.clear();
        self.short.clear();
        self.segments = 0;
        self.first_outcome = 0;
    }

    /// The size of a segment that is not full, bytes on the wire.
    #[cold]
    pub fn size(&self, burst: &Burst) -> u32 {
        let place = self.short.partition_point(|(before, _)| *before < burst.before);
        self.short[place].1
    }

    /// The burst of the segment with this number of segments before it.
    #[cold]
    pub fn burst_of(&self, before: u32) -> &Burst {
        &self.bursts[self.bursts.partition_point(|burst| burst.before <= before) - 1]
    }
}

/// What the slices of all flows have in common.
#[derive(Clone, Copy)]
pub(super) struct Common<'a> {
    pub scenario: &'a Scenario,
    /// Propagation of the link, ns.
    pub propagation: u64,
    /// Outcomes of what was sent before.
    pub outcomes: &'a [QueueOutcome],
}
