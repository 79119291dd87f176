// SPDX-License-Identifier: MIT OR Apache-2.0
//! Offers what the flows have sent in a time slice to the queue, in the order of the events.

use super::chunk::CHUNK;
use super::outbox::{Burst, EventKey, Outbox, QueueOutcome};
use crate::engine::record::Tables;
use crate::network::Packet;
use crate::schedule::EventId;
use cwnd_link::{DropCause, FastLink, Link, Offered, PacketClass, Transit};
use cwnd_record::{EventKind, EventRow};
use std::ops::Range;

/// If bursts have to be moved by more places than this on average, a general sort is faster.
const FAR: usize = 4;

/// What the queue needs to know of a burst.
#[derive(Clone, Copy, Debug, Default)]
struct Offer {
    /// Time since the beginning of the time slice, ns, and the event: they order the bursts.
    offset: u32,
    event: EventId,
    /// Index of its first outcome.
    outcome: u32,
    count: u16,
    is_full: bool,
}

impl Offer {
    #[inline(always)]
    fn is_before(&self, other: &Self) -> bool {
        (self.offset, self.event) < (other.offset, other.event)
    }
}

/// The merge of a time slice.
#[derive(Debug)]
pub(super) struct Merge {
    /// Number of the link.
    link: u32,
    /// What the flows of each chunk have sent.
    pub outboxes: Vec<Outbox>,
    /// The outcomes of all their segments; those at the end are of an earlier time slice.
    pub outcomes: Vec<QueueOutcome>,
    /// All bursts in their order; those at the end are of an earlier time slice.
    offers: Vec<Offer>,
    /// Index in `offers` at which each part of the time slice begins.
    begins: Vec<u32>,
    rows: Vec<(EventKey, EventRow)>,
    /// Lengths of the time slices, ns.
    #[cfg(test)]
    pub lengths: Vec<u32>,
}

impl Merge {
    pub fn new(link: u32, chunks: usize) -> Self {
        let outboxes = std::iter::repeat_with(Outbox::default).take(chunks).collect();
        Self {
            link,
            outboxes,
            outcomes: Vec::new(),
            offers: Vec::new(),
            begins: Vec::new(),
            rows: Vec::new(),
            #[cfg(test)]
            lengths: Vec::new(),
        }
    }

    /// Offers what was sent in the time slice that begins at `begin` and lasts `length` ns, and writes the rows of its events. Full
    /// segments have `full` bytes.
    pub fn run(
        &mut self,
        (begin, length): (u64, u32),
        full: u32,
        link: &mut Link<Packet>,
        tables: &mut Tables,
    ) {
        #[cfg(test)]
        self.lengths.push(length);
        let mut segments = 0;
        for outbox in &mut self.outboxes {
            outbox.first_outcome = segments;
            segments += outbox.segments;
            self.rows.append(&mut outbox.rows);
            for (transfer, at) in outbox.ends.drain(..) {
                tables.end_transfer(transfer, at);
            }
        }
        if self.outcomes.len() < segments as usize {
            self.outcomes.resize(segments as usize, QueueOutcome::departs(0));
        }
        let bursts = self.sort(length);
        let mut at = 0;
        while at < bursts {
            let now = begin + u64::from(self.offers[at].offset);
            if let Some(mut fast) = link.fast(now, full, 0) {
                at += self.offer_fast(at..bursts, begin, &mut fast);
            }
            if at < bursts {
                self.offer(at, begin, full, link);
                at += 1;
            }
        }
        self.rows.sort_by_key(|(key, _)| *key);
        tables.events.extend(self.rows.drain(..).map(|(_, row)| row));
    }

    /// Offers bursts as long as the link takes its fast path; returns how many it took.
    fn offer_fast(&mut self, bursts: Range<usize>, begin: u64, link: &mut FastLink<'_>) -> usize {
        let Self { outboxes, outcomes, offers, rows, link: number, .. } = self;
        let offers = &offers[bursts];
        for (taken, offer) in offers.iter().enumerate() {
            if !offer.is_full {
                return taken;
            }
            let outcomes = &mut outcomes[offer.outcome as usize..][..offer.count.into()];
            let mut next = outcomes.iter_mut();
            let sent = link.offer(begin + u64::from(offer.offset), offer.count.into(), |departs, _| {
                if let Some(outcome) = next.next() {
                    *outcome = QueueOutcome::departs(departs);
                }
            });
            let Some(sent) = sent else { return taken };
            if sent < offer.count.into() {
                outcomes[sent as usize..].fill(QueueOutcome::dropped(DropCause::Full));
                let dropped = offer.outcome + sent..offer.outcome + u32::from(offer.count);
                rows.extend(dropped.map(|outcome| drop_row(outcome, DropCause::Full, outboxes, *number)));
            }
        }
        offers.len()
    }

    /// Offers the segments of a burst one by one.
    fn offer(&mut self, burst: usize, begin: u64, full: u32, link: &mut Link<Packet>) {
        let offer = self.offers[burst];
        let now = begin + u64::from(offer.offset);
        let size = if offer.is_full { full } else { size(offer.outcome, &self.outboxes) };
        for outcome in offer.outcome..offer.outcome + u32::from(offer.count) {
            self.outcomes[outcome as usize] = match link.offer(now, size, PacketClass::Data) {
                Offered::Departs(Transit { departs, .. }) => QueueOutcome::departs(departs),
                Offered::Dropped(cause) => {
                    self.rows.push(drop_row(outcome, cause, &self.outboxes, self.link));
                    QueueOutcome::dropped(cause)
                }
                Offered::Holds => {
                    debug_assert!(false, "a direct link holds no packets");
                    QueueOutcome::departs(0)
                }
            };
        }
    }

    /// Sorts the bursts of a time slice of this length, ns; returns their number. A bucket sort, with about as many buckets as bursts, and
    /// then an insertion sort, which moves each burst a few places.
    fn sort(&mut self, length: u32) -> usize {
        let Self { outboxes, offers, begins, .. } = self;
        let bursts: usize = outboxes.iter().map(|outbox| outbox.bursts.len()).sum();
        let parts = bursts.next_power_of_two();
        let bits = u32::BITS - length.leading_zeros();
        let shift = bits.saturating_sub(parts.trailing_zeros());
        let part = |burst: &Burst| (u64::from(burst.offset) >> shift) as usize;
        begins.clear();
        begins.resize(parts + 1, 0);
        for burst in outboxes.iter().flat_map(|outbox| &outbox.bursts) {
            begins[part(burst) + 1] += 1;
        }
        let mut sum = 0;
        for count in &mut *begins {
            sum += *count;
            *count = sum;
        }
        if offers.len() < bursts {
            offers.resize(bursts, Offer::default());
        }
        for outbox in &*outboxes {
            for burst in &outbox.bursts {
                let place = &mut begins[part(burst)];
                let Burst { offset, event, count, is_full, .. } = *burst;
                let outcome = outbox.first_outcome + burst.before;
                offers[*place as usize] = Offer { offset, event, outcome, count, is_full };
                *place += 1;
            }
        }
        // Stable: what one event sends in several bursts keeps its order.
        let mut moves = 0;
        for at in 1..bursts {
            let offer = offers[at];
            let mut to = at;
            while to > 0 && offer.is_before(&offers[to - 1]) {
                offers[to] = offers[to - 1];
                to -= 1;
            }
            offers[to] = offer;
            moves += at - to;
            if moves > FAR * bursts {
                // Too many bursts are in one bucket.
                offers[..bursts].sort_by_key(|offer| (offer.offset, offer.event));
                break;
            }
        }
        bursts
    }
}

#[cfg(test)]
impl Merge {
    /// The bursts in their order: offset, event, and index of the first outcome.
    pub fn sorted(&mut self, length: u32) -> Vec<(u32, EventId, u32)> {
        let bursts = self.sort(length);
        self.offers[..bursts].iter().map(|offer| (offer.offset, offer.event, offer.outcome)).collect()
    }
}

/// The number of the outbox of the segment with this outcome, and the number of segments before it there.
fn outbox_of(outcome: u32, outboxes: &[Outbox]) -> (usize, u32) {
    // The last outbox that begins there: the others are empty.
    let number = outboxes.partition_point(|outbox| outbox.first_outcome <= outcome) - 1;
    (number, outcome - outboxes[number].first_outcome)
}

/// The size of a segment that is not full, bytes on the wire.
#[cold]
fn size(outcome: u32, outboxes: &[Outbox]) -> u32 {
    let (number, before) = outbox_of(outcome, outboxes);
    let outbox = &outboxes[number];
    outbox.size(outbox.burst_of(before))
}

/// The row of a drop.
#[cold]
fn drop_row(outcome: u32, cause: DropCause, outboxes: &[Outbox], link: u32) -> (EventKey, EventRow) {
    let (number, before) = outbox_of(outcome, outboxes);
    let outbox = &outboxes[number];
    let burst = outbox.burst_of(before);
    let time_ns = outbox.begin + u64::from(burst.offset);
    let row = EventRow {
        time_ns,
        flow: (number * CHUNK) as u32 + u32::from(burst.place),
        kind: EventKind::Drop(cause),
        link: Some(link),
        value: burst.first + u64::from(before - burst.before),
        cwnd: burst.cwnd,
        ssthresh: burst.ssthresh,
    };
    ((time_ns, burst.event), row)
}
