// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the flows of a window have sent comes to the queue, in the order of its events.

use super::Moment;
use super::chunk::CHUNK;
use super::outbox::{Burst, Fate, Outbox};
use crate::engine::record::Tables;
use crate::network::Packet;
use crate::schedule::EventId;
use cwnd_link::{DropCause, FastLink, Link, Offered, PacketClass, Transit};
use cwnd_record::{EventKind, EventRow};
use std::ops::Range;

/// If bursts have to be moved by more places than this on average, they are sorted otherwise.
const FAR: usize = 4;

/// What a burst is offered by.
#[derive(Clone, Copy, Debug, Default)]
struct Offer {
    /// How long after the window's begin, ns, and at which event: its order.
    offset: u32,
    event: EventId,
    /// Where its first fate is.
    fate: u32,
    count: u16,
    is_full: bool,
}

impl Offer {
    #[inline(always)]
    fn is_before(&self, other: &Self) -> bool {
        (self.offset, self.event) < (other.offset, other.event)
    }
}

/// What is being merged.
#[derive(Debug)]
pub(super) struct Merge {
    /// Number of the link.
    link: u32,
    /// What the flows of each chunk have sent.
    pub outboxes: Vec<Outbox>,
    /// What becomes of all their segments; behind them, of an earlier window.
    pub fates: Vec<Fate>,
    /// All bursts in their order; behind them, of an earlier window.
    offers: Vec<Offer>,
    /// Where each part of the window begins in `offers`.
    begins: Vec<u32>,
    rows: Vec<(Moment, EventRow)>,
    /// Lengths of the windows, ns.
    #[cfg(test)]
    pub lengths: Vec<u32>,
}

impl Merge {
    pub fn new(link: u32, chunks: usize) -> Self {
        let outboxes = std::iter::repeat_with(Outbox::default).take(chunks).collect();
        Self {
            link,
            outboxes,
            fates: Vec::new(),
            offers: Vec::new(),
            begins: Vec::new(),
            rows: Vec::new(),
            #[cfg(test)]
            lengths: Vec::new(),
        }
    }

    /// Offers what was sent in the window from `begin` on, `length` ns long, and writes the rows of what happened in it. Full segments have
    /// `full` bytes.
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
            outbox.first_fate = segments;
            segments += outbox.segments;
            self.rows.append(&mut outbox.rows);
            for (transfer, at) in outbox.ends.drain(..) {
                tables.end_transfer(transfer, at);
            }
        }
        if self.fates.len() < segments as usize {
            self.fates.resize(segments as usize, Fate::departs(0));
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
        self.rows.sort_by_key(|(moment, _)| *moment);
        tables.events.extend(self.rows.drain(..).map(|(_, row)| row));
    }

    /// Offers bursts as long as the link takes its fast path; returns how many it took.
    fn offer_fast(&mut self, bursts: Range<usize>, begin: u64, link: &mut FastLink<'_>) -> usize {
        let Self { outboxes, fates, offers, rows, link: number, .. } = self;
        let offers = &offers[bursts];
        for (taken, offer) in offers.iter().enumerate() {
            if !offer.is_full {
                return taken;
            }
            let fates = &mut fates[offer.fate as usize..][..offer.count.into()];
            let mut next = fates.iter_mut();
            let sent = link.offer(begin + u64::from(offer.offset), offer.count.into(), |departs, _| {
                if let Some(fate) = next.next() {
                    *fate = Fate::departs(departs);
                }
            });
            let Some(sent) = sent else { return taken };
            if sent < offer.count.into() {
                fates[sent as usize..].fill(Fate::dropped(DropCause::Full));
                let dropped = offer.fate + sent..offer.fate + u32::from(offer.count);
                rows.extend(dropped.map(|fate| drop_row(fate, DropCause::Full, outboxes, *number)));
            }
        }
        offers.len()
    }

    /// Offers the segments of a burst one by one.
    fn offer(&mut self, burst: usize, begin: u64, full: u32, link: &mut Link<Packet>) {
        let offer = self.offers[burst];
        let now = begin + u64::from(offer.offset);
        let size = if offer.is_full { full } else { size(offer.fate, &self.outboxes) };
        for fate in offer.fate..offer.fate + u32::from(offer.count) {
            self.fates[fate as usize] = match link.offer(now, size, PacketClass::Data) {
                Offered::Departs(Transit { departs, .. }) => Fate::departs(departs),
                Offered::Dropped(cause) => {
                    self.rows.push(drop_row(fate, cause, &self.outboxes, self.link));
                    Fate::dropped(cause)
                }
                Offered::Holds => {
                    debug_assert!(false, "a direct link holds no packets");
                    Fate::departs(0)
                }
            };
        }
    }

    /// Sorts the bursts of a window of this length, ns; returns how many there are. They are spread over parts of the window, of which there are
    /// about as many as bursts, and then moved to their places, which are near.
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
                let fate = outbox.first_fate + burst.before;
                offers[*place as usize] = Offer { offset, event, fate, count, is_full };
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
                // Too many come together for parts of one length.
                offers[..bursts].sort_by_key(|offer| (offer.offset, offer.event));
                break;
            }
        }
        bursts
    }
}

#[cfg(test)]
impl Merge {
    /// The bursts in their order: offset, event, and where the first fate is.
    pub fn sorted(&mut self, length: u32) -> Vec<(u32, EventId, u32)> {
        let bursts = self.sort(length);
        self.offers[..bursts].iter().map(|offer| (offer.offset, offer.event, offer.fate)).collect()
    }
}

/// The outbox of the segment with this fate, its number, and how many segments it has before that.
fn outbox_of(fate: u32, outboxes: &[Outbox]) -> (usize, u32) {
    // The last of those that begin there has it: the others are empty.
    let number = outboxes.partition_point(|outbox| outbox.first_fate <= fate) - 1;
    (number, fate - outboxes[number].first_fate)
}

/// The size of a segment that is not full, bytes on the wire.
#[cold]
fn size(fate: u32, outboxes: &[Outbox]) -> u32 {
    let (number, before) = outbox_of(fate, outboxes);
    let outbox = &outboxes[number];
    outbox.size(outbox.burst_of(before))
}

/// The row of a drop.
#[cold]
fn drop_row(fate: u32, cause: DropCause, outboxes: &[Outbox], link: u32) -> (Moment, EventRow) {
    let (number, before) = outbox_of(fate, outboxes);
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
