// SPDX-License-Identifier: MIT OR Apache-2.0
//! A group, prepared: its distributions, its sources, its load.

use super::load::Asked;
use super::{Direction, Draw, Event, Source};
use cwnd_link::random::Stream;
use cwnd_scenario::traffic::{Arrivals, GapFrom, Model, Starts, Traffic, Ways};

/// Random streams of traffic: beside those of flows and links.
const STREAMS: u64 = 1 << 63;
/// The stream of a group that draws its sources' starts.
const OWN_STREAM: u64 = u32::MAX as u64;

/// What a group has to know of the bottleneck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkFacts {
    /// Rate, bits on the wire per second.
    pub rate: u64,
    /// Payload of a full segment, bytes.
    pub mss: u32,
}

/// Like sources, ready to run.
#[derive(Clone, Debug)]
pub struct Group {
    pub(super) kind: Kind,
    pub(super) stop: u64,
    pub(super) window: Option<u64>,
    pub(super) rtt: Option<Draw>,
    sources: u32,
    start: Starts,
    ways: Ways,
    asked: Asked,
    asked_back: Asked,
}

/// The model, prepared.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Long,
    Sessions {
        pages: u64,
        gap: Draw,
        gap_from: GapFrom,
        objects: Draw,
        object_gap: Draw,
        object_from: GapFrom,
        size: Draw,
        keep: bool,
    },
    Mix {
        gap: Draw,
        size: Draw,
    },
    Exchanges {
        exchanges: u64,
        request: Draw,
        response: Draw,
        server: Draw,
        think: Draw,
        keep: bool,
    },
    Udp {
        rate: u64,
        bytes: u32,
        on_off: Option<(Draw, Draw)>,
    },
}

/// Mean bytes on the wire of a transfer; `None` when infinite. The headers' part needs the mean of size/mss rounded
/// up: size/mss, which may have a heavy tail, has its mean in closed form; the rounding, which is below one, is
/// averaged over the distribution.
fn mean_wire(size: &Draw, mss: u32) -> Option<f64> {
    let mss = u64::from(mss.max(1));
    let rounding = size.mean_of(|bytes| (bytes.div_ceil(mss) * mss - bytes) as f64);
    let headers = f64::from(cwnd_scenario::HEADER_BYTES) / mss as f64;
    size.mean().map(|bytes| bytes + (bytes + rounding) * headers)
}

/// Mean number of datagrams of a burst, each taking `slot` ns; `None` when infinite.
fn mean_datagrams(on: &Draw, slot: f64) -> Option<f64> {
    let rounding = on.mean_of(|length| datagrams(length, slot) as f64 - length as f64 / slot);
    on.mean().map(|length| length / slot + rounding)
}

/// Datagrams in a burst of `length` ns: to nearest, one at least (as in ns-2).
pub(super) fn datagrams(length: u64, slot: f64) -> u64 {
    ((length as f64 / slot + 0.5) as u64).max(1)
}

/// Time of a datagram of `bytes` at `rate`, ns.
pub(super) fn slot(bytes: u32, rate: u64) -> f64 {
    f64::from(bytes) * 8e9 / rate as f64
}

impl Group {
    /// Prepares a group for a bottleneck.
    #[must_use]
    pub fn new(traffic: &Traffic, link: LinkFacts) -> Self {
        let time = |it| Draw::new(it, 0);
        let size = |it| Draw::new(it, 1);
        let both = traffic.direction == Ways::Both;
        let (kind, sources) = match &traffic.model {
            Model::Long { flows } => (Kind::Long, *flows),
            Model::Sessions(it) => (
                Kind::Sessions {
                    pages: it.pages.unwrap_or(u64::MAX),
                    gap: time(&it.gap),
                    gap_from: it.gap_from,
                    objects: Draw::new(&it.objects, 1),
                    object_gap: time(&it.object_gap),
                    object_from: it.object_gap_from,
                    size: size(&it.size),
                    keep: it.keep,
                },
                it.sessions,
            ),
            Model::Mix { arrivals, size: sizes } => {
                let size = size(sizes);
                let gap = match arrivals {
                    Arrivals::Gap(gap) => time(gap),
                    Arrivals::Share(share) => {
                        let bits = 8.0 * mean_wire(&size, link.mss).unwrap_or(f64::INFINITY);
                        let per_second = *share as f64 / 1e6 * link.rate as f64;
                        Draw::exponential(bits / per_second * 1e9)
                    }
                };
                (Kind::Mix { gap, size }, if both { 2 } else { 1 })
            }
            Model::RequestResponse(it) => (
                Kind::Exchanges {
                    exchanges: it.exchanges.unwrap_or(u64::MAX),
                    request: size(&it.request),
                    response: size(&it.response),
                    server: time(&it.server),
                    think: time(&it.think),
                    keep: it.keep,
                },
                it.sessions,
            ),
            Model::Udp(it) => {
                let on_off = it.on_off.as_ref().map(|(on, off)| (time(on), time(off)));
                (Kind::Udp { rate: it.rate, bytes: it.packet_size, on_off }, it.sources)
            }
        };
        let mut group = Self {
            kind,
            stop: traffic.stop.unwrap_or(u64::MAX),
            window: traffic.window,
            rtt: traffic.rtt.as_ref().map(time),
            sources,
            start: traffic.start,
            ways: traffic.direction,
            asked: Asked::Rate(0.0),
            asked_back: Asked::Rate(0.0),
        };
        (group.asked, group.asked_back) = group.asks(link.mss);
        group
    }

    /// Whether its sources need to be told when their transfers finish.
    #[must_use]
    pub const fn closed(&self) -> bool {
        matches!(self.kind, Kind::Sessions { .. } | Kind::Exchanges { .. })
    }

    /// Whether its sources keep their connections: a transfer follows on the one before it.
    #[must_use]
    pub const fn keeps(&self) -> bool {
        matches!(self.kind, Kind::Sessions { keep: true, .. } | Kind::Exchanges { keep: true, .. })
    }

    /// What one source asks, bits per second: in its own direction, and with its requests in the other.
    fn asks(&self, mss: u32) -> (Asked, Asked) {
        let per = |bytes: Option<f64>, ns: Option<f64>, closed: bool| match (bytes, ns) {
            (None, _) => Asked::Unbounded,
            (Some(_), None) => Asked::Rate(0.0),
            (Some(_), Some(ns)) if ns <= 0.0 => Asked::Everything,
            (Some(bytes), Some(ns)) if closed => Asked::AtMost(bytes * 8e9 / ns),
            (Some(bytes), Some(ns)) => Asked::Rate(bytes * 8e9 / ns),
        };
        let plus = |a: Option<f64>, b: Option<f64>| a.zip(b).map(|(a, b)| a + b);
        let data = match &self.kind {
            Kind::Long => Asked::Everything,
            Kind::Sessions { gap, gap_from, objects, object_gap, object_from, size, .. } => {
                let many = objects.mean();
                let bytes = mean_wire(size, mss).zip(many).map(|(size, n)| size * n);
                // Gaps within a page lengthen a cycle; they also do so where the page's gap counts from its start and
                // is the shorter, which is left out.
                let within = object_gap.mean().zip(many).map(|(gap, n)| gap * (n - 1.0));
                let closed =
                    *gap_from == GapFrom::Finish || *object_from == GapFrom::Finish && many != Some(1.0);
                let cycle = if *gap_from == GapFrom::Finish { plus(gap.mean(), within) } else { gap.mean() };
                per(bytes, cycle, closed)
            }
            Kind::Mix { gap, size } => per(mean_wire(size, mss), gap.mean(), false),
            Kind::Exchanges { request, response, server, think, .. } => {
                let both = |size| per(mean_wire(size, mss), plus(server.mean(), think.mean()), true);
                return (both(response), both(request));
            }
            Kind::Udp { rate, on_off: None, .. } => Asked::Rate(*rate as f64),
            Kind::Udp { rate, bytes, on_off: Some((on, off)) } => {
                let slot = slot(*bytes, *rate);
                let many = mean_datagrams(on, slot);
                let data = many.map(|n| n * f64::from(*bytes));
                // Bursts without a mean fill the time, whatever the pauses.
                if many.is_none() && off.mean().is_some() {
                    Asked::Rate(*rate as f64)
                } else {
                    per(data, plus(many.map(|n| n * slot), off.mean()), false)
                }
            }
        };
        (data, Asked::Rate(0.0))
    }

    /// What the group asks of the link in `direction`, all its sources running: data, and the requests of those whose
    /// responses go the other way.
    #[must_use]
    pub fn asked(&self, direction: Direction) -> Asked {
        let there = (0..self.sources).filter(|index| self.way(*index) == direction).count() as f64;
        let back = f64::from(self.sources) - there;
        self.asked.times(there).plus(self.asked_back.times(back))
    }

    const fn way(&self, index: u32) -> Direction {
        match self.ways {
            Ways::Forward => Direction::Forward,
            Ways::Reverse => Direction::Reverse,
            Ways::Both if index.is_multiple_of(2) => Direction::Forward,
            Ways::Both => Direction::Reverse,
        }
    }

    /// Its sources, as they are before their first event. `number` is the group's place in the scenario.
    #[must_use]
    pub fn sources(&self, seed: u64, number: u32) -> Vec<Source> {
        let streams = STREAMS | u64::from(number) << 32;
        let mut own = Stream::new(seed, streams | OWN_STREAM);
        let gap = if let Starts::Poisson { gap, .. } = self.start { gap as f64 } else { 0.0 };
        let gap = Draw::exponential(gap);
        let mut at = match self.start {
            Starts::At(at) | Starts::Every { from: at, .. } | Starts::Poisson { from: at, .. } => at,
            Starts::Uniform(from, _) => from,
        };
        let starts = (0..self.sources).map(|index| match self.start {
            Starts::At(at) => at,
            Starts::Uniform(from, to) => from + own.below(to - from),
            Starts::Every { from, gap } => from.saturating_add(gap.saturating_mul(u64::from(index))),
            Starts::Poisson { .. } => {
                at = at.saturating_add(gap.draw(&mut own));
                at
            }
        });
        starts
            .enumerate()
            .map(|(index, at)| {
                self.source(Stream::new(seed, streams | index as u64), at, self.way(index as u32))
            })
            .collect()
    }

    fn source(&self, mut stream: Stream, at: u64, direction: Direction) -> Source {
        let per_transfer = matches!(self.kind, Kind::Mix { .. });
        let rtt = self.rtt.as_ref().filter(|_| !per_transfer).map_or(u64::MAX, |rtt| rtt.draw(&mut stream));
        let left = match self.kind {
            Kind::Long => 1,
            Kind::Sessions { pages, .. } => pages,
            Kind::Exchanges { exchanges, .. } => exchanges,
            Kind::Udp { on_off: None, .. } => u64::MAX,
            Kind::Mix { .. } | Kind::Udp { .. } => 0,
        };
        // Datagrams count in `last` what was sent.
        let last = if matches!(self.kind, Kind::Udp { .. }) { 0 } else { at };
        Source {
            stream,
            at,
            last,
            left,
            rtt,
            objects: 0,
            running: 0,
            direction,
            pending: false,
            responds: false,
            connected: false,
            over: false,
        }
    }

    /// The source's next event: to be asked at the beginning, and after each start or datagram.
    pub fn next(&self, source: &mut Source) -> Event {
        source.pending = false;
        self.answer(source)
    }

    /// A transfer of the source has finished at `now`.
    pub fn finished(&self, source: &mut Source, now: u64) -> Event {
        source.running = source.running.saturating_sub(1);
        if !self.closed() || source.pending {
            return Event::Wait;
        }
        if source.running == 0 {
            self.idle(source, now);
        }
        self.answer(source)
    }

    fn answer(&self, source: &mut Source) -> Event {
        let event = if source.over { Event::Done } else { self.step(source) };
        source.over = event == Event::Done;
        if source.over && source.running > 0 && self.closed() { Event::Wait } else { event }
    }
}
