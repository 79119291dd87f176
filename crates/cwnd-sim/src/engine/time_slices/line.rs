// SPDX-License-Identifier: MIT OR Apache-2.0
//! A flow's own delay line, after the link that all flows share.

use crate::engine::prefetch::prefetch;
use crate::engine::trains::Arrivals;
use crate::network::{Departure, EcnMarks, Packet, PathIndex, Ring, Segment};
use cwnd_link::NEVER;

/// A segment in transit.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arrival {
    /// When its acknowledgement would arrive at the sender, ns.
    pub due: u64,
    pub segment: Segment,
}

/// The segments of one flow in transit, in the order of their arrival.
#[derive(Debug, Default)]
pub(super) struct OwnLine {
    arrivals: Ring<Arrival>,
    /// How many at the front are already counted as forwarded by the link.
    passed: u32,
}

impl OwnLine {
    /// When the front is due, ns; [`NEVER`] when the line is empty.
    #[inline(always)]
    pub fn next(&self) -> u64 {
        self.arrivals.get(0).map_or(NEVER, |arrival| arrival.due)
    }

    /// Takes the front segment.
    #[inline]
    pub fn pop(&mut self) -> Option<(Arrival, Departure)> {
        let front = self.arrivals.pop()?;
        let is_counted = self.passed > 0;
        self.passed -= u32::from(is_counted);
        Some((front, if is_counted { Departure::Counted } else { Departure::Uncounted }))
    }

    /// Prefetches the next arrivals, and the place of the next push.
    #[inline(always)]
    pub fn prefetch(&self) {
        let last = self.arrivals.len().wrapping_sub(1);
        let arrivals = [self.arrivals.get(0), self.arrivals.get(4), self.arrivals.get(last)];
        arrivals.into_iter().flatten().for_each(prefetch);
    }

    #[inline(always)]
    pub fn push(&mut self, arrival: Arrival) {
        debug_assert!(
            self.arrivals.get(self.arrivals.len().wrapping_sub(1)).is_none_or(|last| last.due <= arrival.due)
        );
        self.arrivals.push(arrival);
    }

    /// Appends a packet of a shared line.
    pub fn take_over(&mut self, packet: &Packet, departure: Departure) {
        let Packet::Data { position, sent_us, due, .. } = *packet else {
            debug_assert!(false, "not a segment: {packet:?}");
            return;
        };
        self.passed += u32::from(departure == Departure::Counted);
        self.push(Arrival { due, segment: Segment { position, sent_us } });
    }

    /// Counts the segments that have left the link by `now`, ns, and are not counted yet; each is due `delay` after that.
    pub fn pass(&mut self, now: u64, delay: u64) -> u32 {
        let passed = self
            .arrivals
            .partition_point(self.passed as usize, |arrival| arrival.due.saturating_sub(delay) <= now)
            as u32;
        let more = passed - self.passed;
        self.passed = passed;
        more
    }

    /// The packets of this flow on the line, from the front on.
    pub fn packets(&self, flow: u32, delay: u64) -> impl Iterator<Item = Packet> {
        self.arrivals.iter().map(move |&Arrival { due, segment }| {
            let departs = due.saturating_sub(delay);
            Packet::data(flow, segment, EcnMarks::NOTHING).on_line(departs, due, PathIndex::END)
        })
    }
}

impl Arrivals for OwnLine {
    type Arrival = Arrival;

    #[inline(always)]
    fn front(&self) -> &[Arrival] {
        self.arrivals.front()
    }

    #[inline(always)]
    fn times(&Arrival { due, segment }: &Arrival, _: u32, position: u32) -> Option<(u32, u64)> {
        (segment.position == position).then_some((segment.sent_us, due))
    }

    #[inline(always)]
    fn skip(&mut self, count: u32) {
        self.arrivals.skip(count);
    }

    #[inline(always)]
    fn count_skipped(&mut self, count: u32) -> u32 {
        let counted = self.passed.min(count);
        self.passed -= counted;
        count - counted
    }
}
