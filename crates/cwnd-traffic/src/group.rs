// SPDX-License-Identifier: MIT OR Apache-2.0
//! A traffic group, prepared for a link: its distributions, its sources, the load that it asks for.

use crate::direction::{Direction, Directions};
use crate::load::{AskedLoad, SegmentSize};
use crate::model::{Arrivals, GapFrom, GroupConfig, Model, Starts};
use crate::random::Random;
use crate::sampler::Sampler;
use crate::source::{SourceEvent, TrafficSource};
use std::sync::Arc;

/// The properties of the bottleneck that a group needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkFacts {
    /// Rate, bits on the wire per second.
    pub rate: u64,
    /// Sizes of a full segment.
    pub segment: SegmentSize,
}

/// A traffic group, ready to run.
#[derive(Clone, Debug)]
pub struct TrafficGroup {
    pub(crate) kind: TrafficKind,
    pub(crate) stop: u64,
    pub(crate) window: Option<u64>,
    pub(crate) rtt: Option<Sampler>,
    sources: u32,
    start: Starts,
    directions: Directions,
    asked: AskedLoad,
    asked_reverse: AskedLoad,
}

/// The traffic model with its prepared distributions.
#[derive(Clone, Debug)]
pub(crate) enum TrafficKind {
    Long,
    Sessions {
        pages: u64,
        gap: Sampler,
        gap_from: GapFrom,
        objects: Sampler,
        object_gap: Sampler,
        object_from: GapFrom,
        size: Sampler,
        keep: bool,
    },
    Mix {
        gap: Sampler,
        size: Sampler,
    },
    Exchanges {
        exchanges: u64,
        request: Sampler,
        response: Sampler,
        server: Sampler,
        think: Sampler,
        keep: bool,
    },
    Udp {
        rate: u64,
        bytes: u32,
        on_off: Option<(Sampler, Sampler)>,
    },
    List(Arc<[(u64, u64)]>),
}

/// Mean bytes on the wire of a transfer; `None` when infinite. The headers need the mean of size/mss, rounded up. The mean of size/mss,
/// which may have a heavy tail, is exact; the rounding, which is below one, is averaged over the distribution.
fn mean_wire(size: &Sampler, segment: SegmentSize) -> Option<f64> {
    let mss = u64::from(segment.payload.max(1));
    let rounding = size.mean_of(|bytes| (bytes.div_ceil(mss) * mss - bytes) as f64);
    let headers = f64::from(segment.headers) / mss as f64;
    size.mean().map(|bytes| bytes + (bytes + rounding) * headers)
}

/// Mean number of datagrams of a burst, each taking `slot` ns; `None` when infinite.
fn mean_datagrams(on: &Sampler, slot: f64) -> Option<f64> {
    let rounding = on.mean_of(|length| datagrams(length, slot) as f64 - length as f64 / slot);
    on.mean().map(|length| length / slot + rounding)
}

/// Datagrams in a burst of `length` ns: to nearest, one at least (as in ns-2).
pub(crate) fn datagrams(length: u64, slot: f64) -> u64 {
    ((length as f64 / slot + 0.5) as u64).max(1)
}

/// Time of a datagram of `bytes` at `rate`, ns.
pub(crate) fn slot(bytes: u32, rate: u64) -> f64 {
    f64::from(bytes) * 8e9 / rate as f64
}

impl TrafficGroup {
    /// Prepares a group for a bottleneck.
    #[must_use]
    pub fn new(config: &GroupConfig<'_>, link: LinkFacts) -> Self {
        let time = |distribution| Sampler::new(distribution, 0);
        let size = |distribution| Sampler::new(distribution, 1);
        let both = config.direction == Directions::Both;
        let (kind, sources) = match config.model {
            Model::Long(model) => (TrafficKind::Long, model.flows),
            Model::Sessions(model) => (
                TrafficKind::Sessions {
                    pages: model.pages.unwrap_or(u64::MAX),
                    gap: time(&model.gap),
                    gap_from: model.gap_from,
                    objects: Sampler::new(&model.objects, 1),
                    object_gap: time(&model.object_gap),
                    object_from: model.object_gap_from,
                    size: size(&model.size),
                    keep: model.keep,
                },
                model.sessions,
            ),
            Model::Mix(model) => {
                let size = size(&model.size);
                let gap = match model.arrivals() {
                    Arrivals::Gap(gap) => time(gap),
                    Arrivals::Share(share) => {
                        let bits = 8.0 * mean_wire(&size, link.segment).unwrap_or(f64::INFINITY);
                        let per_second = share as f64 / 1e6 * link.rate as f64;
                        Sampler::exponential(bits / per_second * 1e9)
                    }
                };
                (TrafficKind::Mix { gap, size }, if both { 2 } else { 1 })
            }
            Model::RequestResponse(model) => (
                TrafficKind::Exchanges {
                    exchanges: model.exchanges.unwrap_or(u64::MAX),
                    request: size(&model.request),
                    response: size(&model.response),
                    server: time(&model.server),
                    think: time(&model.think),
                    keep: model.keep,
                },
                model.sessions,
            ),
            Model::Udp(model) => {
                let on_off = model.on_off().map(|(on, off)| (time(on), time(off)));
                (TrafficKind::Udp { rate: model.rate, bytes: model.packet_size, on_off }, model.sources)
            }
            Model::List(model) => (TrafficKind::List(model.list.clone()), 1),
        };
        let mut group = Self {
            kind,
            stop: config.stop.unwrap_or(u64::MAX),
            window: config.window,
            rtt: config.rtt.map(time),
            sources,
            start: config.start,
            directions: config.direction,
            asked: AskedLoad::Rate(0.0),
            asked_reverse: AskedLoad::Rate(0.0),
        };
        (group.asked, group.asked_reverse) = group.asks(link.segment);
        group
    }

    /// Whether its sources depend on when their transfers finish.
    #[must_use]
    pub const fn closed(&self) -> bool {
        matches!(self.kind, TrafficKind::Sessions { .. } | TrafficKind::Exchanges { .. })
    }

    /// Whether its sources reuse their connections.
    #[must_use]
    pub const fn keeps(&self) -> bool {
        matches!(
            self.kind,
            TrafficKind::Sessions { keep: true, .. } | TrafficKind::Exchanges { keep: true, .. }
        )
    }

    /// The load that one source asks for, bits per second: in its own direction, and with its requests in the other.
    fn asks(&self, segment: SegmentSize) -> (AskedLoad, AskedLoad) {
        let per = |bytes: Option<f64>, ns: Option<f64>, load: fn(f64) -> AskedLoad| match (bytes, ns) {
            (None, _) => AskedLoad::Unbounded,
            (Some(_), None) => AskedLoad::Rate(0.0),
            (Some(_), Some(ns)) if ns <= 0.0 => AskedLoad::Everything,
            (Some(bytes), Some(ns)) => load(bytes * 8e9 / ns),
        };
        let plus = |a: Option<f64>, b: Option<f64>| a.zip(b).map(|(a, b)| a + b);
        let data = match &self.kind {
            TrafficKind::Long => AskedLoad::Everything,
            TrafficKind::Sessions { gap, gap_from, objects, object_gap, object_from, size, .. } => {
                let many = objects.mean();
                let bytes = mean_wire(size, segment).zip(many).map(|(size, n)| size * n);
                // Gaps within a page lengthen a cycle. They also do where the page's gap counts from its start and is shorter, which is
                // neglected.
                let within = object_gap.mean().zip(many).map(|(gap, n)| gap * (n - 1.0));
                let closed =
                    *gap_from == GapFrom::Finish || *object_from == GapFrom::Finish && many != Some(1.0);
                let cycle = if *gap_from == GapFrom::Finish { plus(gap.mean(), within) } else { gap.mean() };
                per(bytes, cycle, if closed { AskedLoad::AtMost } else { AskedLoad::Rate })
            }
            TrafficKind::Mix { gap, size } => per(mean_wire(size, segment), gap.mean(), AskedLoad::Rate),
            TrafficKind::Exchanges { request, response, server, think, .. } => {
                let both = |size| {
                    per(mean_wire(size, segment), plus(server.mean(), think.mean()), AskedLoad::AtMost)
                };
                return (both(response), both(request));
            }
            TrafficKind::List(_) => AskedLoad::List,
            TrafficKind::Udp { rate, on_off: None, .. } => AskedLoad::Rate(*rate as f64),
            TrafficKind::Udp { rate, bytes, on_off: Some((on, off)) } => {
                let slot = slot(*bytes, *rate);
                let many = mean_datagrams(on, slot);
                let data = many.map(|n| n * f64::from(*bytes));
                // Bursts whose mean is infinite take all the time, whatever the pauses.
                if many.is_none() && off.mean().is_some() {
                    AskedLoad::Rate(*rate as f64)
                } else {
                    per(data, plus(many.map(|n| n * slot), off.mean()), AskedLoad::Rate)
                }
            }
        };
        (data, AskedLoad::Rate(0.0))
    }

    /// The load that the group asks for in `direction` with all its sources running: data, and the requests of sources whose
    /// responses go in the other direction.
    #[must_use]
    pub fn asked(&self, direction: Direction) -> AskedLoad {
        let same = (0..self.sources).filter(|index| self.direction_of(*index) == direction).count() as f64;
        let opposite = f64::from(self.sources) - same;
        self.asked.times(same).plus(self.asked_reverse.times(opposite))
    }

    const fn direction_of(&self, index: u32) -> Direction {
        match self.directions {
            Directions::Forward => Direction::Forward,
            Directions::Reverse => Direction::Reverse,
            Directions::Both if index.is_multiple_of(2) => Direction::Forward,
            Directions::Both => Direction::Reverse,
        }
    }

    /// When its sources start, ns, in the order of their numbers.
    #[must_use]
    pub fn starts(&self, random: &mut impl Random) -> Vec<u64> {
        let mean_gap = if let Starts::Poisson { gap, .. } = self.start { gap as f64 } else { 0.0 };
        let gaps = Sampler::exponential(mean_gap);
        let mut at = match self.start {
            Starts::At(at) | Starts::Every { from: at, .. } | Starts::Poisson { from: at, .. } => at,
            Starts::Uniform(from, _) => from,
        };
        let starts = (0..self.sources).map(|index| match self.start {
            Starts::At(at) => at,
            Starts::Uniform(from, to) => from + random.below(to - from),
            Starts::Every { from, gap } => from.saturating_add(gap.saturating_mul(u64::from(index))),
            Starts::Poisson { .. } => {
                at = at.saturating_add(gaps.draw(random));
                at
            }
        });
        starts.collect()
    }

    /// Its source number `index`, which starts at `at`, ns, before its first event. All of its random numbers come from one stream,
    /// that of no other source.
    #[must_use]
    pub fn source(&self, index: u32, at: u64, random: &mut impl Random) -> TrafficSource {
        let per_transfer = matches!(self.kind, TrafficKind::Mix { .. });
        let rtt = self.rtt.as_ref().filter(|_| !per_transfer).map(|rtt| rtt.draw(random));
        let left = match self.kind {
            TrafficKind::Long => 1,
            TrafficKind::List(ref list) => list.len() as u64,
            TrafficKind::Sessions { pages, .. } => pages,
            TrafficKind::Exchanges { exchanges, .. } => exchanges,
            TrafficKind::Udp { on_off: None, .. } => u64::MAX,
            TrafficKind::Mix { .. } | TrafficKind::Udp { .. } => 0,
        };
        // Datagrams count in `last` what was sent.
        let last = if matches!(self.kind, TrafficKind::Udp { .. }) { 0 } else { at };
        TrafficSource {
            at,
            last,
            left,
            rtt,
            objects: 0,
            running: 0,
            direction: self.direction_of(index),
            pending: false,
            responds: false,
            connected: false,
            over: false,
        }
    }

    /// The source's next event. Call it at the beginning, and after each start or datagram.
    pub fn next(&self, source: &mut TrafficSource, random: &mut impl Random) -> SourceEvent {
        source.pending = false;
        self.answer(source, random)
    }

    /// A transfer of the source has finished at `now`.
    pub fn finished(&self, source: &mut TrafficSource, now: u64, random: &mut impl Random) -> SourceEvent {
        source.running = source.running.saturating_sub(1);
        if !self.closed() || source.pending {
            return SourceEvent::Wait;
        }
        if source.running == 0 {
            self.idle(source, now);
        }
        self.answer(source, random)
    }

    fn answer(&self, source: &mut TrafficSource, random: &mut impl Random) -> SourceEvent {
        let event = if source.over { SourceEvent::Done } else { self.step(source, random) };
        source.over = event == SourceEvent::Done;
        if source.over && source.running > 0 && self.closed() { SourceEvent::Wait } else { event }
    }
}
