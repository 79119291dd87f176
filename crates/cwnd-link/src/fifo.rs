// SPDX-License-Identifier: MIT OR Apache-2.0
//! A link with a queue that decides at a packet's arrival.
//!
//! First in, first out, and never idle while packets wait: a packet's departure is known when it arrives, so the link
//! needs no events of its own. The limit counts the packets that wait, not the one at the front, which is being sent (ns-2's and dummynet's
//! count that one too: [`Limit::in_all`]; on a trace the front one may still wait for its first opportunity).
//!
//! # Fast path
//!
//! With DropTail, a constant rate, and packets of one size in the link, one number describes the queue: the time until the link is idle.
//! The link holds n packets exactly when that time is more than n − 1 serialisations, so nothing is stored per packet (the *fast path*).
//! Everything else (mixed sizes, RED, steps, a trace) needs a ring of departures and sizes. When a packet of another size arrives, the
//! ring is filled from that one number. Tests compare every path with a queue that stores its packets.

mod fast;

use crate::aqm::{Arrival, Backlog, DropCause, QueueConfig, RunningAtArrival};
use crate::ecn::Ecn;
use crate::limit::Limit;
use crate::offer_result::OfferResult;
use crate::random::RandomStream;
use crate::service::{Instant, Rate, Service, work};
use crate::steps::{Stepping, Steps};
use std::collections::VecDeque;

/// What a [`Fifo`] is built from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FifoConfig {
    /// How fast it sends.
    pub rate: Rate,
    /// Limit of its queue, from given times on. Shrinking the limit does not drop queued packets.
    pub limit: Steps<Limit>,
    /// The queue discipline.
    pub queue: QueueConfig,
}

/// Packets of one size at a constant rate.
#[derive(Clone, Copy, Debug)]
struct KnownSize {
    /// Bytes; 2³² for none.
    bytes: u64,
    /// Serialisation time, in ns and 1/rate ns.
    serial: Instant,
    /// A queue of such packets only is full when the link is busy for longer than this.
    full: Instant,
}

/// After this many packets of one size in sequence, a link with mixed sizes takes the fast path again.
const UNIFORM_AFTER: u64 = 64;

/// Whatever its limit, a queue is full when the link is busy for longer than this, ns (146 years).
const MAX_BUSY: u64 = 1 << 62;

/// A larger value stands for no size.
const MOST_BYTES: u64 = u32::MAX as u64;

const NO_SIZE: KnownSize = KnownSize {
    bytes: MOST_BYTES + 1,
    serial: Instant { ns: 0, units: 0 },
    full: Instant { ns: 0, units: 0 },
};

/// The link and its queue.
#[derive(Clone, Debug)]
pub struct Fifo {
    /// When the last accepted packet has left.
    free: Instant,
    /// bit/s, if constant, else 0.
    rate: u64,
    /// The size of all packets in the link, on the fast path.
    uniform_size: KnownSize,
    /// The last two sizes, and the index of the latest.
    recent_sizes: [KnownSize; 2],
    latest: usize,
    /// How many packets of the latest size have arrived in sequence, off the fast path.
    repeats: u64,
    /// Departures and sizes of packets queued or being sent, off the fast path. Departed ones are removed at the next call.
    queued: VecDeque<(u64, u32)>,
    bytes: u64,
    service: Service,
    discipline: RunningAtArrival,
    limit: Stepping<Limit>,
    /// Whether rate, limit and discipline allow the fast path.
    fast_path: bool,
    /// The time of the last call, ns.
    #[cfg(debug_assertions)]
    last_time: u64,
}

impl Fifo {
    /// An idle link of `rate` bit/s, at least 1, behind a DropTail queue.
    #[must_use]
    pub fn new(rate: u64, limit: Limit) -> Self {
        let config = FifoConfig {
            rate: Rate::Constant(rate),
            limit: Steps::constant(limit),
            queue: QueueConfig::DropTail,
        };
        Self::from_config(config, RandomStream::new(0, 0))
    }

    /// An idle link; `stream` serves the discipline.
    #[must_use]
    pub fn from_config(config: FifoConfig, stream: RandomStream) -> Self {
        let service = Service::new(config.rate);
        let rate = if let Service::Constant(rate) = service { rate } else { 0 };
        let fast_path =
            rate > 0 && config.queue == QueueConfig::DropTail && config.limit.changes().is_empty();
        Self {
            free: Instant::default(),
            rate,
            uniform_size: NO_SIZE,
            recent_sizes: [NO_SIZE; 2],
            latest: 0,
            repeats: 0,
            queued: VecDeque::new(),
            bytes: 0,
            service,
            discipline: RunningAtArrival::new(config.queue, stream),
            limit: Stepping::new(config.limit),
            fast_path,
            #[cfg(debug_assertions)]
            last_time: 0,
        }
    }

    /// Offers a packet of `size` bytes (1 to 2³⁰) at time `now`, which must not run backwards. Returns when its last bit
    /// leaves, or `None` when it is dropped.
    #[inline]
    pub fn push(&mut self, now: u64, size: u32) -> Option<u64> {
        match self.offer(now, size, Ecn::NotCapable) {
            OfferResult::Departs { at, .. } => Some(at),
            OfferResult::Dropped(_) => None,
        }
    }

    /// The same for a packet that may be ECN-capable, with the full result.
    #[inline]
    pub fn offer(&mut self, now: u64, size: u32, ecn: Ecn) -> OfferResult {
        #[cfg(debug_assertions)]
        self.check_time(now);
        if u64::from(size) != self.uniform_size.bytes {
            return self.offer_other(now, size, ecn);
        }
        let KnownSize { serial, full, .. } = self.uniform_size;
        if self.free.ns < now {
            self.free = Instant { ns: now, units: 0 };
        } else if now + full.ns + u64::from(self.free.units < full.units) < self.free.ns {
            return OfferResult::Dropped(DropCause::Full);
        }
        let begins = self.free.ns;
        self.free.advance(serial, self.rate);
        #[cfg(debug_assertions)]
        self.check(now, begins);
        OfferResult::Departs { begins, at: self.free.ns, mark: false }
    }

    #[inline(never)]
    fn offer_other(&mut self, now: u64, size: u32, ecn: Ecn) -> OfferResult {
        if self.fast_path { self.offer_mixed(now, size) } else { self.offer_general(now, size, ecn) }
    }

    /// Mixed sizes, or a first packet: DropTail at a constant rate.
    #[inline]
    fn offer_mixed(&mut self, now: u64, size: u32) -> OfferResult {
        let size = size.max(1);
        self.use_size(size);
        if self.free.ns <= now {
            self.queued.clear();
            self.bytes = 0;
            if self.repeats >= UNIFORM_AFTER {
                self.uniform_size = self.recent_sizes[self.latest];
                return self.offer(now, size, Ecn::NotCapable);
            }
            self.uniform_size.bytes = NO_SIZE.bytes;
            if self.free.ns < now {
                self.free = Instant { ns: now, units: 0 };
            }
        } else {
            if self.uniform_size.bytes <= MOST_BYTES {
                self.leave_fast_path(now);
            }
            self.remove_departed(now);
            if self.full(now, size) {
                return OfferResult::Dropped(DropCause::Full);
            }
        }
        let begins = self.free.ns;
        self.free.advance(self.recent_sizes[self.latest & 1].serial, self.rate);
        self.queued.push_back((self.free.ns, size));
        self.bytes += u64::from(size);
        #[cfg(debug_assertions)]
        self.check(now, begins);
        OfferResult::Departs { begins, at: self.free.ns, mark: false }
    }

    /// Any rate, limit and discipline.
    #[inline(never)]
    fn offer_general(&mut self, now: u64, size: u32, ecn: Ecn) -> OfferResult {
        let size = size.max(1);
        if self.rate > 0 {
            self.use_size(size);
        }
        self.remove_departed(now);
        self.limit.at(now);
        let arrival = self.arrival(now, size, ecn);
        let mark = match self.discipline.on_arrival(&arrival) {
            Ok(mark) => mark,
            Err(cause) => return OfferResult::Dropped(cause),
        };
        let begins = self.service.serve(now, &mut self.free, size, self.recent_sizes[self.latest & 1].serial);
        self.queued.push_back((self.free.ns, size));
        self.bytes += u64::from(size);
        #[cfg(debug_assertions)]
        self.check(now, begins);
        OfferResult::Departs { begins, at: self.free.ns, mark }
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
            Limit::BytesInAll(most) => self.bytes + u64::from(size) > most,
            Limit::Time(most) => self.free.ns - now > most,
        };
        // With a rate that falls to 0 for ever, every packet takes that long: its queue fills up to its limit.
        no_room || (self.rate > 0 && self.free.ns - now > MAX_BUSY)
    }

    /// What the discipline sees of this arrival.
    #[inline]
    fn arrival(&self, now: u64, size: u32, ecn: Ecn) -> Arrival {
        let idle = self.free.ns <= now;
        let waiting = Backlog {
            packets: (self.queued.len() as u64).saturating_sub(1),
            bytes: self.bytes - self.sending(),
        };
        let full = !idle && self.full(now, size);
        let idle_since = idle.then_some(self.free.ns);
        Arrival { now, size, ecn, waiting, idle_since, rate: self.service.rate(), full }
    }

    /// Makes `size` the latest of the recent sizes.
    #[inline]
    fn use_size(&mut self, size: u32) {
        let size = u64::from(size);
        if self.recent_sizes[self.latest & 1].bytes == size {
            self.repeats += 1;
            return;
        }
        self.repeats = 0;
        self.latest = (self.latest & 1) ^ 1;
        if self.recent_sizes[self.latest].bytes != size {
            self.learn_size(size as u32);
        }
    }

    #[inline(never)]
    fn learn_size(&mut self, size: u32) {
        if self.recent_sizes[self.latest ^ 1].bytes > MOST_BYTES {
            self.repeats = UNIFORM_AFTER; // the first size of all
        }
        let times = |n: u64| {
            let units = u128::from(work(size)) * u128::from(n);
            let (ns, units) = (units / u128::from(self.rate), units % u128::from(self.rate));
            Instant { ns: ns.min(u128::from(MAX_BUSY)) as u64, units: units as u64 }
        };
        // The packet being sent has left the queue: with room for n, n serialisations and a part of one are not too long.
        let full = match self.limit.value() {
            Limit::Packets(most) => times(most),
            Limit::Bytes(most) => times(most / u64::from(size)),
            Limit::BytesInAll(most) => times((most / u64::from(size)).saturating_sub(1)),
            Limit::Time(most) => Instant { ns: most.min(MAX_BUSY), units: 0 },
        };
        self.recent_sizes[self.latest] = KnownSize { bytes: u64::from(size), serial: times(1), full };
    }

    /// Packets in the link at `now`, on the fast path.
    fn count_uniform(&self, now: u64) -> u64 {
        if self.uniform_size.bytes > MOST_BYTES || self.free.ns <= now {
            return 0;
        }
        let units =
            |instant: Instant| u128::from(instant.ns) * u128::from(self.rate) + u128::from(instant.units);
        // A packet that leaves within the nanosecond that follows `now` counts as gone.
        let busy = units(self.free) - u128::from(now + 1) * u128::from(self.rate);
        (busy / units(self.uniform_size.serial)) as u64 + 1
    }

    /// Fills the ring with the packets in the link.
    #[cold]
    fn leave_fast_path(&mut self, now: u64) {
        let (rate, serial) = (u128::from(self.rate), self.uniform_size.serial);
        let size = self.uniform_size.bytes;
        for behind in (0..self.count_uniform(now)).rev() {
            let units = u128::from(serial.ns) * rate + u128::from(serial.units);
            let free = u128::from(self.free.ns) * rate + u128::from(self.free.units);
            let departure = ((free - units * u128::from(behind)) / rate) as u64;
            self.queued.push_back((departure, size as u32));
            self.bytes += size;
        }
        self.uniform_size = NO_SIZE;
    }

    /// Time that a packet of the last offered size needs on the wire, ns, rounded down; 0 where the rate is not constant.
    #[inline]
    #[must_use]
    pub const fn serialisation(&self) -> u64 {
        self.recent_sizes[self.latest & 1].serial.ns
    }

    /// When all that has been accepted will have left, ns; in the past if the link is idle.
    #[inline]
    #[must_use]
    pub const fn free_at(&self) -> u64 {
        self.free.ns
    }

    /// Packets queued or being sent at `now`, which must not run backwards.
    pub fn backlog(&mut self, now: u64) -> Backlog {
        #[cfg(debug_assertions)]
        self.check_time(now);
        let uniform = self.count_uniform(now);
        if uniform > 0 {
            return Backlog { packets: uniform, bytes: uniform * self.uniform_size.bytes };
        }
        self.remove_departed(now);
        Backlog { packets: self.queued.len() as u64, bytes: self.bytes }
    }

    #[cfg(debug_assertions)]
    fn check_time(&mut self, now: u64) {
        assert!(now >= self.last_time, "asked at {now} ns after {} ns", self.last_time);
        self.last_time = now;
    }

    /// Checks the invariants after a packet was accepted at `now` whose transmission begins at `begins`.
    #[cfg(debug_assertions)]
    fn check(&self, now: u64, begins: u64) {
        assert!(now <= begins && begins <= self.free.ns, "{now}, {begins}: {self:?}");
        let before = self.queued.len().checked_sub(2).map_or(0, |place| self.queued[place].0);
        assert!(before <= self.free.ns, "departures fall: {self:?}");
        let waiting = self.queued.len().max(self.count_uniform(now) as usize).saturating_sub(1) as u64;
        let room = match self.limit.value() {
            Limit::Packets(most) => waiting <= most,
            Limit::Bytes(most) if self.uniform_size.bytes <= MOST_BYTES => {
                waiting * self.uniform_size.bytes <= most
            }
            Limit::Bytes(most) => self.bytes - self.sending() <= most,
            Limit::BytesInAll(most) if self.uniform_size.bytes <= MOST_BYTES => {
                (waiting + 1) * self.uniform_size.bytes <= most
            }
            Limit::BytesInAll(most) => self.bytes <= most,
            // The packets before it; on a trace, its own first bit may be sent later.
            Limit::Time(most) => before.saturating_sub(now) <= most,
        };
        assert!(room || waiting == 0, "more than the limit: {self:?}");
        // Summing all packets takes time proportional to the queue, so only short queues are checked.
        if self.queued.len() < 64 {
            let bytes: u64 = self.queued.iter().map(|&(_, bytes)| u64::from(bytes)).sum();
            assert_eq!(self.bytes, bytes, "{self:?}");
        }
    }

    #[inline]
    fn remove_departed(&mut self, now: u64) {
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
