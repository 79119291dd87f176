// SPDX-License-Identifier: MIT OR Apache-2.0
//! A link with a queue that decides when a packet reaches its head.
//!
//! What happens to a packet depends on what arrives behind it, so the queue holds its packets, and the link has an event each time that it
//! takes one. Three verbs: [`HeadQueue::push`] a packet, ask for the [`HeadQueue::next_event`], and [`HeadQueue::pop`] at that time what
//! the link has taken: packets that depart, and packets that the discipline drops. From the moment at which a packet is taken its departure
//! is known, also on a link whose rate changes.
//!
//! A packet is taken when its first bit can be sent: not during an outage, and on a trace not before the opportunity that it uses. At one
//! instant a departure comes before an arrival, as in [`crate::Fifo`], whose limits these are too.

use crate::aqm::{Backlog, HeadDiscipline, RunningAtHead};
use crate::ecn::Ecn;
use crate::limit::Limit;
use crate::offer_result::OfferResult;
use crate::packet_queue::{PacketQueue, Waiting};
use crate::service::{Instant, NEVER, Rate, Service, work};
use crate::steps::{Stepping, Steps};
use std::collections::VecDeque;

/// What a [`HeadQueue`] is built from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadQueueConfig {
    /// How fast the link sends.
    pub rate: Rate,
    /// Limit of the queue, from given times on. Shrinking the limit does not drop queued packets, except where the discipline makes room for the next
    /// arrival.
    pub limit: Steps<Limit>,
    /// The queue discipline.
    pub discipline: HeadDiscipline,
}

/// A packet that a link has taken from the head of its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken<P> {
    /// The packet.
    pub packet: P,
    /// Its size, bytes.
    pub size: u32,
    /// When it arrived, ns.
    pub arrived: u64,
    /// When it was taken, ns.
    pub at: u64,
    /// Whether it departs or was dropped.
    pub result: OfferResult,
}

/// The link and its queue.
#[derive(Clone, Debug)]
pub struct HeadQueue<P> {
    waiting: PacketQueue<P>,
    /// Taken and not popped yet.
    taken: VecDeque<Taken<P>>,
    /// When the packet being sent has left.
    free: Instant,
    /// Bytes of the packet taken last.
    sending: u32,
    service: Service,
    discipline: RunningAtHead,
    limit: Stepping<Limit>,
}

impl<P> HeadQueue<P> {
    /// An idle link.
    #[must_use]
    pub fn new(config: HeadQueueConfig) -> Self {
        Self {
            waiting: PacketQueue::default(),
            taken: VecDeque::new(),
            free: Instant::default(),
            sending: 0,
            service: Service::new(config.rate),
            discipline: RunningAtHead::new(config.discipline),
            limit: Stepping::new(config.limit),
        }
    }

    /// Offers a packet of `size` bytes (1 to 2³⁰) at time `now`, which must not run backwards.
    ///
    /// # Errors
    /// The packet, when there is no room for it.
    pub fn push(&mut self, now: u64, size: u32, packet: P) -> Result<(), P> {
        self.offer(now, size, Ecn::NotCapable, packet)
    }

    /// The same for a packet that may be ECN-capable.
    ///
    /// # Errors
    /// The packet, when there is no room for it.
    pub fn offer(&mut self, now: u64, size: u32, ecn: Ecn, packet: P) -> Result<(), P> {
        self.take_until(now);
        self.limit.at(now);
        let size = size.max(1);
        if self.is_full(now, size) && !self.make_room(now, size) {
            return Err(packet);
        }
        self.waiting.push(Waiting { arrived: now, size, ecn, packet });
        self.take_until(now);
        Ok(())
    }

    /// When [`HeadQueue::pop`] next returns something, ns; [`NEVER`] while nothing waits, or behind a rate that stays 0. Another
    /// packet that is pushed does not make it earlier, unless nothing waits.
    #[must_use]
    pub fn next_event(&self) -> u64 {
        self.taken.front().map_or_else(|| self.next_take(), |taken| taken.at)
    }

    /// What the link has taken from the queue by `now`, one packet at a time, in the order in which they were taken.
    pub fn pop(&mut self, now: u64) -> Option<Taken<P>> {
        if self.taken.is_empty() {
            self.take_until(now);
        }
        self.taken.pop_front()
    }

    /// Packets queued or being sent at `now`, which must not run backwards. Call it when everything due by then has been popped.
    #[must_use]
    pub fn backlog(&self, now: u64) -> Backlog {
        let sending = if self.free.ns > now { self.sending } else { 0 };
        Backlog {
            packets: self.waiting.packets.len() as u64 + u64::from(sending > 0),
            bytes: self.waiting.bytes() + u64::from(sending),
        }
    }

    /// The packets that were pushed and not popped.
    pub fn packets(&self) -> impl Iterator<Item = &P> {
        let waiting = self.waiting.packets.iter().map(|waiting| &waiting.packet);
        self.taken.iter().map(|taken| &taken.packet).chain(waiting)
    }

    /// When the head is taken, ns.
    fn next_take(&self) -> u64 {
        self.waiting.packets.front().map_or(NEVER, |head| self.service.ready(head.arrived, self.free))
    }

    fn take_until(&mut self, now: u64) {
        loop {
            let at = self.next_take();
            if at > now || at == NEVER {
                return;
            }
            self.take(at);
        }
    }

    /// Takes a packet at `at`, and drops those before it that the discipline drops.
    fn take(&mut self, at: u64) {
        let Self { waiting, taken, discipline, .. } = self;
        let next = discipline.dequeue(at, waiting, |dropped, cause| {
            let Waiting { arrived, size, packet, .. } = dropped;
            taken.push_back(Taken { packet, size, arrived, at, result: OfferResult::Dropped(cause) });
        });
        let Some((Waiting { arrived, size, packet, .. }, mark)) = next else { return };
        let serial = self.service.serialisation(size);
        let begins = self.service.serve(arrived, &mut self.free, size, serial);
        debug_assert!(begins == at, "taken at {at} ns, sent from {begins} ns on");
        self.sending = size;
        let result = OfferResult::Departs { begins, at: self.free.ns, mark };
        self.taken.push_back(Taken { packet, size, arrived, at, result });
    }

    /// Drops packets from the head until one of `size` bytes fits, where the discipline does so; false where it does not, and where the
    /// packet would not fit into the empty queue.
    fn make_room(&mut self, now: u64, size: u32) -> bool {
        let Some(cause) = self.discipline.makes_room() else { return false };
        if self.free.ns > now && self.exceeds(now, size, 1, [0, 0]) {
            return false;
        }
        while self.is_full(now, size) {
            let Some(Waiting { arrived, size, packet, .. }) = self.waiting.pop() else { return false };
            self.taken.push_back(Taken {
                packet,
                size,
                arrived,
                at: now,
                result: OfferResult::Dropped(cause),
            });
        }
        true
    }

    /// Whether there is no room, as of [`crate::Fifo`]: the packet being sent, or else the one that is sent next, does not count.
    fn is_full(&self, now: u64, size: u32) -> bool {
        let (packets, all) = (&self.waiting.packets, self.waiting.bytes());
        let (count, bytes) = if self.free.ns > now {
            (packets.len() + 1, all)
        } else {
            (packets.len(), all - packets.front().map_or(0, |head| u64::from(head.size)))
        };
        count > 0 && self.exceeds(now, size, count, [bytes, all])
    }

    /// Whether a packet of `size` bytes would exceed the limit behind `count` packets, of which the one being sent, or sent next, does not
    /// count; `bytes` are those of the others that wait, and those of all that wait.
    fn exceeds(&self, now: u64, size: u32, count: usize, [bytes, all]: [u64; 2]) -> bool {
        match self.limit.value() {
            Limit::Packets(most) => count as u64 > most,
            Limit::Bytes(most) => bytes + u64::from(size) > most,
            Limit::BytesInAll(most) => {
                let sending = if self.free.ns > now { u64::from(self.sending) } else { 0 };
                all + sending + u64::from(size) > most
            }
            // At the present rate, if nothing is dropped.
            Limit::Time(most) => {
                let rate = u128::from(self.service.rate().max(1));
                let sending =
                    u128::from(self.free.ns.saturating_sub(now)) * rate + u128::from(self.free.units);
                let waiting = u128::from(all) * u128::from(work(1));
                (sending + waiting) / rate > u128::from(most)
            }
        }
    }
}
