// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the flows of a chunk have sent in a window, and what becomes of it.

use super::Moment;
use crate::schedule::EventId;
use cwnd_link::DropCause;
use cwnd_record::EventRow;
use cwnd_scenario::Scenario;

/// Segments that a flow sends at once. A segment that is not full is alone in its burst.
#[derive(Clone, Copy, Debug)]
pub(super) struct Burst {
    /// How long after the window's begin, ns, and at which event.
    pub offset: u32,
    pub event: EventId,
    /// The position of the first.
    pub first: u64,
    /// How many segments the outbox has before it.
    pub before: u32,
    /// The window and the threshold, for the rows of drops.
    pub cwnd: u32,
    pub ssthresh: u32,
    pub count: u16,
    /// The flow's place in its chunk.
    pub place: u8,
    pub is_full: bool,
}

/// What becomes of a segment at the queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fate(u64);

impl Fate {
    /// It leaves the link then, ns.
    #[inline(always)]
    pub const fn departs(at: u64) -> Self {
        Self(at)
    }

    /// It is dropped.
    pub const fn dropped(cause: DropCause) -> Self {
        Self(u64::MAX - cause as u64)
    }

    /// When it leaves the link, ns.
    ///
    /// # Errors
    /// Why it is dropped.
    #[inline(always)]
    pub fn result(self) -> Result<u64, DropCause> {
        let cause = (u64::MAX - self.0) as usize;
        if cause < DropCause::ALL.len() { Err(DropCause::ALL[cause]) } else { Ok(self.0) }
    }
}

/// What the flows of a chunk have done in a window.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    /// When the window begins, ns.
    pub begin: u64,
    /// Flow by flow, each in the order of time.
    pub bursts: Vec<Burst>,
    /// How many segments these are; where the fate of the first is among all when they have been merged.
    pub segments: u32,
    pub first_fate: u32,
    /// Sizes of segments that are not full, bytes on the wire, with the number of segments before each.
    pub short: Vec<(u32, u32)>,
    /// Rows of events, and transfers that have ended, with their times, ns.
    pub rows: Vec<(Moment, EventRow)>,
    pub ends: Vec<(u32, u64)>,
}

impl Outbox {
    /// Empties it of what has been merged.
    pub fn clear(&mut self) {
        self.bursts.clear();
        self.short.clear();
        self.segments = 0;
        self.first_fate = 0;
    }

    /// The size of a segment that is not full, bytes on the wire.
    #[cold]
    pub fn size(&self, burst: &Burst) -> u32 {
        let place = self.short.partition_point(|(before, _)| *before < burst.before);
        self.short[place].1
    }

    /// The burst of the segment that has so many before it.
    #[cold]
    pub fn burst_of(&self, before: u32) -> &Burst {
        &self.bursts[self.bursts.partition_point(|burst| burst.before <= before) - 1]
    }
}

/// What the turns of all flows have in common.
#[derive(Clone, Copy)]
pub(super) struct Common<'a> {
    pub scenario: &'a Scenario,
    /// Propagation of the link, ns.
    pub propagation: u64,
    /// What has become of what was sent before.
    pub fates: &'a [Fate],
}
