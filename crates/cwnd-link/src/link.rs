// SPDX-License-Identifier: MIT OR Apache-2.0
//! A running link: loss process, queue, delay, and its counters.

use crate::aqm::{Backlog, DisciplineConfig, DropCause};
use crate::counters::{LinkCounters, PacketClass};
use crate::delay::{Delay, DelayConfig, PacketOrder};
use crate::fifo::{Fifo, FifoConfig};
use crate::head_queue::{HeadQueue, HeadQueueConfig, Taken};
use crate::limit::Limit;
use crate::loss::{Loss, LossProcess};
use crate::no_rate::NoRate;
use crate::offer_result::OfferResult;
use crate::random::RandomStream;
use crate::service::{NEVER, Rate};
use crate::steps::Steps;
use crate::tick::Tick;
use crate::waits::WaitHistogram;

/// What a [`Link`] is built from: its parts, each with its random stream.
#[derive(Clone, Debug)]
pub struct LinkConfig {
    /// Queue and serialisation.
    pub server: ServerConfig,
    /// Random losses.
    pub loss: (Loss, RandomStream),
    /// Delay from departure to the other end.
    pub delay: (DelayConfig, RandomStream),
    /// Where it moves packets only at ticks, its clock.
    pub tick: Option<Tick>,
}

/// The queue and the serialisation of a [`Link`].
#[derive(Clone, Debug)]
pub enum ServerConfig {
    /// A queue whose discipline decides at arrival, with its random stream.
    Fifo(FifoConfig, RandomStream),
    /// A queue whose discipline decides at the head.
    Head(HeadQueueConfig),
    /// No rate, and so no queue: a packet takes no time to send. So many may be on their way at once.
    NoRate(Option<u64>),
}

impl ServerConfig {
    /// A queue of this discipline, which `stream` serves, at this rate and with this limit.
    #[must_use]
    pub const fn new(
        discipline: DisciplineConfig,
        rate: Rate,
        limit: Steps<Limit>,
        stream: RandomStream,
    ) -> Self {
        match discipline {
            DisciplineConfig::Arrival(queue) => Self::Fifo(FifoConfig { rate, limit, queue }, stream),
            DisciplineConfig::Head(discipline) => Self::Head(HeadQueueConfig { rate, limit, discipline }),
        }
    }

    /// How fast the link sends; `None` where it has no rate, and so no capacity.
    #[must_use]
    pub const fn rate(&self) -> Option<&Rate> {
        match self {
            Self::Fifo(config, _) => Some(&config.rate),
            Self::Head(config) => Some(&config.rate),
            Self::NoRate(_) => None,
        }
    }
}

impl LinkConfig {
    /// A link without random loss and delay.
    #[must_use]
    pub fn queue_only(fifo: FifoConfig) -> Self {
        let stream = RandomStream::new(0, 0); // nothing is drawn
        Self {
            server: ServerConfig::Fifo(fifo, stream),
            loss: (Loss::None, stream),
            delay: (DelayConfig::constant(0), stream),
            tick: None,
        }
    }
}

/// A running link for packets of type `P`.
#[derive(Debug)]
pub struct Link<P> {
    pub(crate) server: Server<P>,
    rate: Option<Rate>,
    pub(crate) loss: LossProcess,
    pub(crate) delay: Delay,
    /// Whether packets can overtake each other on the way to its far end.
    pub order: PacketOrder,
    pub(crate) measure: (u64, u64),
    pub(crate) end: u64,
    /// Its counters.
    pub count: LinkCounters,
    /// Queueing delays of the packets that left in the measured interval.
    pub waits: WaitHistogram,
}

/// A running [`ServerConfig`].
#[derive(Debug)]
pub(crate) enum Server<P> {
    Fifo(Fifo),
    Held(HeadServer<P>),
}

/// A server that gets its packets by [`Link::enqueue`]. A queue with ticks has the time of the last one for present.
#[derive(Debug)]
pub(crate) enum HeadServer<P> {
    Fifo(Fifo, Tick),
    /// It holds none, but no other link pays for it there.
    NoRate(NoRate, Option<Tick>),
    Head(HeadQueue<(P, PacketClass)>, Option<HeadTicks>),
}

/// The ticks of a queue that decides at the head.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeadTicks {
    tick: Tick,
    /// When it last got a packet, ns.
    held_at: u64,
}

/// When a packet that a link accepted passes it.
#[derive(Clone, Copy, Debug)]
pub struct Transit {
    /// When its last bit leaves, ns.
    pub departs: u64,
    /// When it arrives at the other end, ns.
    pub arrives: u64,
    /// Whether the link gave it a congestion mark (ECN).
    pub mark: bool,
}

/// What becomes of a packet that is offered to a link.
#[derive(Clone, Copy, Debug)]
pub enum Offered {
    /// The link will send it.
    Departs(Transit),
    /// The link holds its packets, ticks, or has no rate. It wants this one by [`Link::enqueue`]; [`Link::pop`] may say later what becomes of it.
    Holds,
    /// It is dropped.
    Dropped(DropCause),
}

impl<P> Link<P> {
    /// An idle link of a run up to `end`, ns, that measures in the interval `measure`, ns.
    #[must_use]
    pub fn new(config: LinkConfig, measure: (u64, u64), end: u64) -> Self {
        let tick = config.tick;
        Self {
            order: config.delay.0.order(),
            rate: config.server.rate().cloned(),
            server: match config.server {
                ServerConfig::Fifo(config, stream) => {
                    let fifo = Fifo::from_config(config, stream);
                    match tick {
                        None => Server::Fifo(fifo),
                        Some(tick) => Server::Held(HeadServer::Fifo(fifo, tick)),
                    }
                }
                ServerConfig::Head(config) => {
                    let ticks = tick.map(|tick| HeadTicks { tick, held_at: 0 });
                    Server::Held(HeadServer::Head(HeadQueue::new(config), ticks))
                }
                ServerConfig::NoRate(limit) => Server::Held(HeadServer::NoRate(NoRate::new(limit), tick)),
            },
            loss: LossProcess::new(config.loss.0, config.loss.1),
            delay: Delay::new(config.delay.0, config.delay.1),
            measure,
            end,
            count: LinkCounters::default(),
            waits: WaitHistogram::default(),
        }
    }

    /// How fast it sends; `None` where it has no rate, and so no capacity.
    #[must_use]
    pub const fn rate(&self) -> Option<&Rate> {
        self.rate.as_ref()
    }

    /// Propagation at `now`, ns: without jitter and without an extra delay.
    #[must_use]
    pub fn propagation_at(&self, now: u64) -> u64 {
        self.delay.propagation_at(now)
    }

    /// Packets queued or being sent at `now`.
    pub fn backlog(&mut self, now: u64) -> Backlog {
        match &mut self.server {
            Server::Fifo(fifo) => fifo.backlog(now),
            Server::Held(HeadServer::Fifo(fifo, tick)) => fifo.backlog(tick.last(now)),
            Server::Held(HeadServer::NoRate(..)) => Backlog::default(),
            Server::Held(HeadServer::Head(queue, ticks)) => queue.backlog(present(*ticks, now)),
        }
    }

    /// Offers a packet of `size` bytes at `now`, which must not run backwards.
    #[inline(always)]
    pub fn offer(&mut self, now: u64, size: u32, class: PacketClass) -> Offered {
        if self.loss.loses_next() {
            return Offered::Dropped(self.drop_at(now, DropCause::Loss));
        }
        let Server::Fifo(fifo) = &mut self.server else { return Offered::Holds };
        match fifo.offer(now, size, class.ecn()) {
            OfferResult::Departs { begins, at, mark } => {
                Offered::Departs(self.depart((size, class), begins - now, at, mark))
            }
            OfferResult::Dropped(cause) => Offered::Dropped(self.drop_at(now, cause)),
        }
    }

    /// Hands over a packet for which [`Link::offer`] has just said [`Offered::Holds`]; a link that holds none never says so. What becomes of it,
    /// if that is known at once: it is on a link that decides at arrival.
    ///
    /// # Errors
    /// Why it is dropped.
    pub fn enqueue(
        &mut self,
        now: u64,
        size: u32,
        class: PacketClass,
        packet: P,
    ) -> Result<Option<Transit>, DropCause> {
        match &mut self.server {
            Server::Held(HeadServer::Head(queue, ticks)) => {
                let arrives = present(*ticks, now);
                if let Some(ticks) = ticks {
                    ticks.held_at = now;
                }
                let pushed = queue.offer(arrives, size, class.ecn(), (packet, class));
                pushed.map(|()| None).map_err(|_| self.drop_at(now, DropCause::Full))
            }
            Server::Held(HeadServer::Fifo(fifo, tick)) => {
                let tick = *tick;
                match fifo.offer(tick.last(now), size, class.ecn()) {
                    OfferResult::Departs { begins, at, mark } => {
                        Ok(Some(self.depart_at_tick(tick, (size, class), now, (begins, at, mark))))
                    }
                    OfferResult::Dropped(cause) => Err(self.drop_at(now, cause)),
                }
            }
            Server::Held(HeadServer::NoRate(no_rate, tick)) => {
                let tick = *tick;
                if !no_rate.has_room(now) {
                    return Err(self.drop_at(now, DropCause::Full));
                }
                let transit = match tick {
                    None => self.depart((size, class), 0, now, false),
                    Some(tick) => self.depart_at_tick(tick, (size, class), now, (now, now, false)),
                };
                if let Server::Held(HeadServer::NoRate(no_rate, _)) = &mut self.server {
                    no_rate.note(transit.arrives);
                }
                Ok(Some(transit))
            }
            Server::Fifo(_) => {
                debug_assert!(false, "a packet for a link that holds none");
                Ok(None)
            }
        }
    }

    /// Its propagation, ns, if that is constant, no two packets leave it in one nanosecond, and it holds none.
    #[must_use]
    pub fn propagation_of_single_packets(&self) -> Option<u64> {
        /// No packet is smaller, bytes.
        const SMALLEST: u32 = 41;
        let Server::Fifo(fifo) = &self.server else { return None };
        self.delay.constant().filter(|_| fifo.takes_a_nanosecond(SMALLEST))
    }

    /// Whether it wants its packets by [`Link::enqueue`]: see [`Offered::Holds`].
    #[must_use]
    pub const fn holds_packets(&self) -> bool {
        !matches!(self.server, Server::Fifo(_))
    }

    /// Whether its queue decides when a packet reaches the head.
    #[must_use]
    pub const fn decides_at_head(&self) -> bool {
        matches!(self.server, Server::Held(HeadServer::Head(..)))
    }

    /// When [`Link::pop`] next returns something, ns; [`NEVER`] if the link holds no packets.
    #[must_use]
    pub fn next_event(&self) -> u64 {
        match &self.server {
            Server::Fifo(_) | Server::Held(HeadServer::Fifo(..) | HeadServer::NoRate(..)) => NEVER,
            Server::Held(HeadServer::Head(queue, None)) => queue.next_event(),
            // Not before the packet that brought it about.
            Server::Held(HeadServer::Head(queue, Some(ticks))) => {
                ticks.tick.first(queue.next_event()).max(ticks.held_at)
            }
        }
    }

    /// The next of the packets that the link held and has sent or dropped by `now`.
    pub fn pop(&mut self, now: u64) -> Option<(P, Result<Transit, DropCause>)> {
        let Server::Held(HeadServer::Head(queue, ticks)) = &mut self.server else { return None };
        let ticks = *ticks;
        let taken = queue.pop(present(ticks, now))?;
        let Taken { packet: (packet, class), size, arrived, at: taken_at, result } = taken;
        let result = match (result, ticks) {
            (OfferResult::Departs { begins, at, mark }, None) => {
                Ok(self.depart((size, class), begins - arrived, at, mark))
            }
            (OfferResult::Departs { begins, at, mark }, Some(HeadTicks { tick, .. })) => {
                Ok(self.depart_at_tick(tick, (size, class), arrived, (begins, at, mark)))
            }
            (OfferResult::Dropped(cause), _) => Err(self.drop_at(taken_at, cause)),
        };
        Some((packet, result))
    }

    /// The packets that it holds.
    pub fn packets(&self) -> impl Iterator<Item = &P> {
        let queue = match &self.server {
            Server::Fifo(_) | Server::Held(HeadServer::Fifo(..) | HeadServer::NoRate(..)) => None,
            Server::Held(HeadServer::Head(queue, _)) => Some(queue),
        };
        queue.into_iter().flat_map(|queue| queue.packets()).map(|(packet, _)| packet)
    }

    /// Counts a packet that has waited `wait` ns and leaves at `departs`.
    #[inline(always)]
    pub(crate) fn depart(
        &mut self,
        (size, class): (u32, PacketClass),
        wait: u64,
        departs: u64,
        mark: bool,
    ) -> Transit {
        let mark = mark && class == PacketClass::MarkableData;
        if mark {
            self.count_mark(departs);
        }
        let count = &mut self.count;
        count.data_packets += u64::from(class.is_data() && departs <= self.end);
        if self.measure.0 <= departs && departs < self.measure.1 {
            count.measured_packets += 1;
            count.measured_bytes += u64::from(size);
            count.wait_sum += u128::from(wait);
            count.wait_max = count.wait_max.max(wait);
            self.waits.note(wait);
        }
        Transit { departs, arrives: self.delay.arrival(departs), mark }
    }

    /// Counts a packet that arrived at `now` and leaves at the first tick after its service, from `begins` to `ends`. A queue that decides at
    /// the head knows the tick of its arrival only.
    fn depart_at_tick(
        &mut self,
        tick: Tick,
        (size, class): (u32, PacketClass),
        now: u64,
        (begins, ends, mark): (u64, u64, bool),
    ) -> Transit {
        // Not before it came: a service of no whole nanosecond ends at the tick before.
        let departs = tick.first(ends.max(now));
        let wait = departs.saturating_sub(ends - begins).saturating_sub(now);
        let Transit { arrives, .. } = self.depart((size, class), wait, departs, mark);
        Transit { departs, arrives: tick.first(arrives), mark }
    }

    /// Counts a mark of a packet that leaves at `departs`.
    #[cold]
    fn count_mark(&mut self, departs: u64) {
        self.count.marks += u64::from(departs <= self.end);
        self.count.marks_measured += u64::from(self.measure.0 <= departs && departs < self.measure.1);
    }

    #[cold]
    pub(crate) fn drop_at(&mut self, now: u64, cause: DropCause) -> DropCause {
        self.count.drops.count(cause);
        if self.measure.0 <= now && now < self.measure.1 {
            self.count.drops_measured.count(cause);
        }
        cause
    }
}

/// What a queue that decides at the head has for present at `now`, ns.
fn present(ticks: Option<HeadTicks>, now: u64) -> u64 {
    ticks.map_or(now, |ticks| ticks.tick.last(now))
}

#[cfg(test)]
#[path = "link_tests.rs"]
mod tests;
