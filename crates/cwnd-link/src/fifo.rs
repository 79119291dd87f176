// SPDX-License-Identifier: MIT OR Apache-2.0
//! A link behind a queue that decides at a packet's arrival.
//!
//! First in, first out, and never idle while packets wait: a packet's departure is known when it arrives, so the link
//! needs no events of its own. The limit counts the packets that wait, not the one at the front, which is being sent (ns-2's
//! counts that one too; on a trace the front one may still wait for its first opportunity).
//!
//! # Short and long ways to the same answer
//!
//! Behind DropTail, at a constant rate, and while all packets in the link are of one size, the queue is a matter of one number:
//! the time until the link falls idle. n packets are in it just when that time is more than n − 1 serialisations, so
//! nothing is stored per packet (the *short way*). Whatever else comes (sizes mixed, RED, steps, a trace) needs a ring of
//! departures and sizes; when a packet of a different size arrives, the ring is filled from that one number. Tests hold every way
//! against a queue that keeps its packets.

use crate::queue::{Admission, Arrival, Backlog, Cause, Discipline, Limit, Queue, Verdict};
use crate::random::Stream;
use crate::service::{Instant, Rate, Service, work};
use crate::steps::{Stepping, Steps};
use std::collections::VecDeque;

/// What a link is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FifoSpec {
    /// How fast it sends.
    pub rate: Rate,
    /// Room in its queue, from given times on. A queue that shrinks drops nobody who waits.
    pub limit: Steps<Limit>,
    /// The discipline beside the limit.
    pub queue: Queue,
}

/// What the link knows of packets of one size at a constant rate.
#[derive(Clone, Copy, Debug)]
struct Size {
    /// Bytes; 2³² for none.
    bytes: u64,
    /// Serialisation time, in ns and 1/rate ns.
    serial: Instant,
    /// A queue of nothing but such packets is full when the link is busy for longer than this.
    full: Instant,
}

/// After so many packets of one size a link of mixed ones goes the short way again.
const SETTLED: u64 = 64;

/// Whatever the limit, a queue is full when what is in it takes longer than this: 146 years, ns.
const FAR: u64 = 1 << 62;

/// Above this, a size is none.
const MOST_BYTES: u64 = u32::MAX as u64;

const NO_SIZE: Size =
    Size { bytes: MOST_BYTES + 1, serial: Instant { ns: 0, units: 0 }, full: Instant { ns: 0, units: 0 } };

/// The link and its queue.
#[derive(Clone, Debug)]
pub struct Fifo {
    /// When the last accepted packet has left.
    free: Instant,
    /// bit/s, if constant, else 0.
    rate: u64,
    /// The size of all packets in the link, as long as the short way holds.
    alike: Size,
    /// The sizes seen last, and which of them is the latest.
    known: [Size; 2],
    latest: usize,
    /// How many packets of the latest size have come one after the other, while they were mixed.
    same: u64,
    /// Departures and sizes of what is queued or being sent, unless all are alike; those in the past are dropped when somebody
    /// looks.
    queued: VecDeque<(u64, u32)>,
    bytes: u64,
    service: Service,
    discipline: Discipline,
    limit: Stepping<Limit>,
    /// Whether rate, limit and discipline admit the short way.
    simple: bool,
    /// The last time that it was told.
    #[cfg(debug_assertions)]
    looked: u64,
}

impl Fifo {
    /// An idle link of `rate` bit/s, at least 1, behind a DropTail queue.
    #[must_use]
    pub fn new(rate: u64, limit: Limit) -> Self {
        let spec =
            FifoSpec { rate: Rate::Constant(rate), limit: Steps::constant(limit), queue: Queue::DropTail };
        Self::from_spec(spec, Stream::new(0, 0))
    }

    /// An idle link; `stream` serves the discipline.
    #[must_use]
    pub fn from_spec(spec: FifoSpec, stream: Stream) -> Self {
        let service = Service::new(spec.rate);
        let rate = if let Service::Constant(rate) = service { rate } else { 0 };
        let simple = rate > 0 && spec.queue == Queue::DropTail && spec.limit.changes().is_empty();
        Self {
            free: Instant::default(),
            rate,
            alike: NO_SIZE,
            known: [NO_SIZE; 2],
            latest: 0,
            same: 0,
            queued: VecDeque::new(),
            bytes: 0,
            service,
            discipline: Discipline::new(spec.queue, stream),
            limit: Stepping::new(spec.limit),
            simple,
            #[cfg(debug_assertions)]
            looked: 0,
        }
    }

    /// Offers a packet of `size` bytes (1 to 2³⁰) at time `now`, which must not run backwards. Returns when its last bit
    /// leaves, or `None` when it is dropped.
    #[inline]
    pub fn push(&mut self, now: u64, size: u32) -> Option<u64> {
        match self.offer(now, size, false) {
            Verdict::Departs { at, .. } => Some(at),
            Verdict::Dropped(_) => None,
        }
    }

    /// The same, with the whole answer; `ecn` says whether the packet may be marked instead of dropped.
    #[inline]
    pub fn offer(&mut self, now: u64, size: u32, ecn: bool) -> Verdict {
        #[cfg(debug_assertions)]
        self.look(now);
        if u64::from(size) != self.alike.bytes {
            return self.offer_other(now, size, ecn);
        }
        let Size { serial, full, .. } = self.alike;
        if self.free.ns < now {
            self.free = Instant { ns: now, units: 0 };
        } else if now + full.ns + u64::from(self.free.units < full.units) < self.free.ns {
            return Verdict::Dropped(Cause::Full);
        }
        let begins = self.free.ns;
        self.free.advance(serial, self.rate);
        #[cfg(debug_assertions)]
        self.check(now, begins);
        Verdict::Departs { begins, at: self.free.ns, mark: false }
    }

    #[inline(never)]
    fn offer_other(&mut self, now: u64, size: u32, ecn: bool) -> Verdict {
        if self.simple { self.offer_mixed(now, size) } else { self.offer_long(now, size, ecn) }
    }

    /// Sizes mixed, or a first packet: DropTail at a constant rate.
    #[inline]
    fn offer_mixed(&mut self, now: u64, size: u32) -> Verdict {
        let size = size.max(1);
        self.know(size);
        if self.free.ns <= now {
            self.queued.clear();
            self.bytes = 0;
            if self.same >= SETTLED {
                self.alike = self.known[self.latest];
                return self.offer(now, size, false);
            }
            self.alike.bytes = NO_SIZE.bytes;
            if self.free.ns < now {
                self.free = Instant { ns: now, units: 0 };
            }
        } else {
            if self.alike.bytes <= MOST_BYTES {
                self.leave_short_way(now);
            }
            self.forget(now);
            if self.full(now, size) {
                return Verdict::Dropped(Cause::Full);
            }
        }
        let begins = self.free.ns;
        self.free.advance(self.known[self.latest & 1].serial, self.rate);
        self.queued.push_back((self.free.ns, size));
        self.bytes += u64::from(size);
        #[cfg(debug_assertions)]
        self.check(now, begins);
        Verdict::Departs { begins, at: self.free.ns, mark: false }
    }

    /// Any rate, limit and discipline.
    #[inline(never)]
    fn offer_long(&mut self, now: u64, size: u32, ecn: bool) -> Verdict {
        let size = size.max(1);
        if self.rate > 0 {
            self.know(size);
        }
        self.forget(now);
        self.limit.at(now);
        let arrival = self.arrival(now, size, ecn);
        let mark = match self.discipline.on_arrival(&arrival) {
            Admission::Accept => false,
            Admission::Mark => true,
            Admission::Drop(cause) => return Verdict::Dropped(cause),
        };
        let begins = self.service.serve(now, &mut self.free, size, self.known[self.latest & 1].serial);
        self.queued.push_back((self.free.ns, size));
        self.bytes += u64::from(size);
        #[cfg(debug_assertions)]
        self.check(now, begins);
        Verdict::Departs { begins, at: self.free.ns, mark }
    }

    /// Bytes of the packet being sent; the others wait.
    #[inline]
    fn sending(&self) -> u64 {
        self.queued.front().map_or(0, |&(_, bytes)| u64::from(bytes))
    }

    /// Whether a link that is busy beyond `now` has no room.
    #[inline]
    fn full(&self, now: u64, size: u32) -> bool {
        let no_room = match self.limit.value() {
            Limit::Packets(most) => self.queued.len() as u64 > most,
            Limit::Bytes(most) => self.bytes - self.sending() + u64::from(size) > most,
            Limit::Time(most) => self.free.ns - now > most,
        };
        // Behind a rate that falls to 0 for ever everything takes that long: its queue is filled as any other.
        no_room || (self.rate > 0 && self.free.ns - now > FAR)
    }

    /// What the discipline is shown.
    #[inline]
    fn arrival(&self, now: u64, size: u32, ecn: bool) -> Arrival {
        let idle = self.free.ns <= now;
        let waiting = Backlog {
            packets: (self.queued.len() as u64).saturating_sub(1),
            bytes: self.bytes - self.sending(),
        };
        let full = !idle && self.full(now, size);
        let idle_since = idle.then_some(self.free.ns);
        Arrival { now, size, ecn, waiting, idle_since, rate: self.service.rate(), full }
    }

    /// Makes what is known of packets of `size` bytes the latest of `known`.
    #[inline]
    fn know(&mut self, size: u32) {
        let size = u64::from(size);
        if self.known[self.latest & 1].bytes == size {
            self.same += 1;
            return;
        }
        self.same = 0;
        self.latest = (self.latest & 1) ^ 1;
        if self.known[self.latest].bytes != size {
            self.learn(size as u32);
        }
    }

    #[inline(never)]
    fn learn(&mut self, size: u32) {
        if self.known[self.latest ^ 1].bytes > MOST_BYTES {
            self.same = SETTLED; // the first size of all
        }
        let times = |n: u64| {
            let units = u128::from(work(size)) * u128::from(n);
            let (ns, units) = (units / u128::from(self.rate), units % u128::from(self.rate));
            Instant { ns: ns.min(u128::from(FAR)) as u64, units: units as u64 }
        };
        // The packet being sent has left the queue: with room for n, n serialisations and a part of one are not too long.
        let full = match self.limit.value() {
            Limit::Packets(most) => times(most),
            Limit::Bytes(most) => times(most / u64::from(size)),
            Limit::Time(most) => Instant { ns: most.min(FAR), units: 0 },
        };
        self.known[self.latest] = Size { bytes: u64::from(size), serial: times(1), full };
    }

    /// Packets of the size `alike` in the link at `now`.
    fn count_alike(&self, now: u64) -> u64 {
        if self.alike.bytes > MOST_BYTES || self.free.ns <= now {
            return 0;
        }
        let units =
            |instant: Instant| u128::from(instant.ns) * u128::from(self.rate) + u128::from(instant.units);
        // A packet that leaves within the nanosecond that follows `now` counts as gone.
        let busy = units(self.free) - u128::from(now + 1) * u128::from(self.rate);
        (busy / units(self.alike.serial)) as u64 + 1
    }

    /// Fills the ring.
    #[cold]
    fn leave_short_way(&mut self, now: u64) {
        let (rate, serial) = (u128::from(self.rate), self.alike.serial);
        let size = self.alike.bytes;
        for behind in (0..self.count_alike(now)).rev() {
            let units = u128::from(serial.ns) * rate + u128::from(serial.units);
            let free = u128::from(self.free.ns) * rate + u128::from(self.free.units);
            let departure = ((free - units * u128::from(behind)) / rate) as u64;
            self.queued.push_back((departure, size as u32));
            self.bytes += size;
        }
        self.alike = NO_SIZE;
    }

    /// Time that a packet of the last offered size needs on the wire, ns, rounded down; 0 where the rate is not constant.
    #[inline]
    #[must_use]
    pub const fn serialisation(&self) -> u64 {
        self.known[self.latest & 1].serial.ns
    }

    /// When all that has been accepted will have left, ns; in the past if the link is idle.
    #[inline]
    #[must_use]
    pub const fn free_at(&self) -> u64 {
        self.free.ns
    }

    /// What is queued or being sent at `now`, which must not run backwards.
    pub fn backlog(&mut self, now: u64) -> Backlog {
        #[cfg(debug_assertions)]
        self.look(now);
        let alike = self.count_alike(now);
        if alike > 0 {
            return Backlog { packets: alike, bytes: alike * self.alike.bytes };
        }
        self.forget(now);
        Backlog { packets: self.queued.len() as u64, bytes: self.bytes }
    }

    #[cfg(debug_assertions)]
    fn look(&mut self, now: u64) {
        assert!(now >= self.looked, "asked at {now} ns after {} ns", self.looked);
        self.looked = now;
    }

    /// Checks what must hold when a packet has been accepted at `now` that is sent from `begins` on.
    #[cfg(debug_assertions)]
    fn check(&self, now: u64, begins: u64) {
        assert!(now <= begins && begins <= self.free.ns, "{now}, {begins}: {self:?}");
        let before = self.queued.len().checked_sub(2).map_or(0, |place| self.queued[place].0);
        assert!(before <= self.free.ns, "departures fall: {self:?}");
        let waiting = self.queued.len().max(self.count_alike(now) as usize).saturating_sub(1) as u64;
        let room = match self.limit.value() {
            Limit::Packets(most) => waiting <= most,
            Limit::Bytes(most) if self.alike.bytes <= MOST_BYTES => waiting * self.alike.bytes <= most,
            Limit::Bytes(most) => self.bytes - self.sending() <= most,
            // What is ahead of it; on a trace its own first bit may go later than that.
            Limit::Time(most) => before.saturating_sub(now) <= most,
        };
        assert!(room || waiting == 0, "more than the limit: {self:?}");
        // Packet by packet costs a queue: when that is short.
        if self.queued.len() < 64 {
            let bytes: u64 = self.queued.iter().map(|&(_, bytes)| u64::from(bytes)).sum();
            assert_eq!(self.bytes, bytes, "{self:?}");
        }
    }

    #[inline]
    fn forget(&mut self, now: u64) {
        while let Some(&(departure, size)) = self.queued.front()
            && departure <= now
        {
            self.queued.pop_front();
            self.bytes -= u64::from(size);
        }
    }
}

#[cfg(test)]
mod tests;
