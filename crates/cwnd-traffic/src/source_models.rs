// SPDX-License-Identifier: MIT OR Apache-2.0
//! The traffic models: the next event of a source of each kind.

use crate::direction::Direction;
use crate::group::{TrafficGroup, TrafficKind, datagrams, slot};
use crate::model::GapFrom;
use crate::random::Random;
use crate::source::{Connection, Datagram, SourceEvent, TrafficSource, Transfer};

/// The models, one function each. No function draws before it is certain to announce an event.
impl TrafficGroup {
    pub(crate) fn step(&self, source: &mut TrafficSource, random: &mut impl Random) -> SourceEvent {
        match &self.kind {
            TrafficKind::Long => self.long(source),
            TrafficKind::Sessions { .. } => self.session(source, random),
            TrafficKind::Mix { .. } => self.arrival(source, random),
            TrafficKind::Exchanges { .. } => self.exchange(source, random),
            TrafficKind::Udp { .. } => self.datagram(source, random),
            TrafficKind::List(list) => self.listed(source, list),
        }
    }

    /// All transfers of the source have finished: gaps that count from there begin.
    pub(crate) fn idle(&self, source: &mut TrafficSource, now: u64) {
        match &self.kind {
            TrafficKind::Sessions { gap_from, object_from, .. } => {
                let from = if source.objects > 0 { object_from } else { gap_from };
                if *from == GapFrom::Finish {
                    source.last = now;
                }
            }
            _ => source.last = now,
        }
    }

    /// Announces a transfer, or ends the source when the transfer would start at or after `stop`.
    fn start(
        &self,
        source: &mut TrafficSource,
        at: u64,
        bytes: Option<u64>,
        direction: Direction,
        connection: Connection,
    ) -> SourceEvent {
        if at >= self.stop {
            return SourceEvent::Done;
        }
        source.running += 1;
        source.pending = true;
        source.connected = true;
        source.last = at;
        SourceEvent::Start(Transfer {
            at,
            bytes,
            rtt: source.rtt,
            window: self.window,
            direction,
            connection,
        })
    }

    fn long(&self, source: &mut TrafficSource) -> SourceEvent {
        if source.left == 0 {
            return SourceEvent::Done;
        }
        source.left = 0;
        self.start(source, source.at, None, source.direction, Connection::New)
    }

    fn session(&self, source: &mut TrafficSource, random: &mut impl Random) -> SourceEvent {
        let TrafficKind::Sessions { gap, gap_from, objects, object_gap, object_from, size, keep, .. } =
            &self.kind
        else {
            return SourceEvent::Done;
        };
        let within = source.objects > 0;
        let from = if within { object_from } else { gap_from };
        if *from == GapFrom::Finish && source.running > 0 {
            return SourceEvent::Wait;
        }
        let at = if within {
            source.last.saturating_add(object_gap.draw(random))
        } else {
            if source.left == 0 {
                return SourceEvent::Done;
            }
            source.left -= 1;
            let base = if *gap_from == GapFrom::Finish { source.last } else { source.at };
            // A page does not begin before all objects of the page before it have been requested.
            let at = base.saturating_add(gap.draw(random)).max(source.last);
            source.at = at;
            source.objects = u32::try_from(objects.draw(random)).unwrap_or(u32::MAX);
            at
        };
        source.objects -= 1;
        let bytes = size.draw(random);
        let connection = source.connection(*keep);
        self.start(source, at, Some(bytes), source.direction, connection)
    }

    fn arrival(&self, source: &mut TrafficSource, random: &mut impl Random) -> SourceEvent {
        let TrafficKind::Mix { gap, size } = &self.kind else { return SourceEvent::Done };
        let at = source.last.saturating_add(gap.draw(random));
        let bytes = size.draw(random);
        if let Some(rtt) = &self.rtt {
            source.rtt = Some(rtt.draw(random));
        }
        source.running = 0;
        self.start(source, at, Some(bytes), source.direction, Connection::New)
    }

    fn listed(&self, source: &mut TrafficSource, list: &[(u64, u64)]) -> SourceEvent {
        let next = list.len().checked_sub(source.left as usize).and_then(|index| list.get(index));
        let Some(&(at, bytes)) = next else { return SourceEvent::Done };
        source.left -= 1;
        source.running = 0;
        let at = source.at.saturating_add(at);
        self.start(source, at, Some(bytes), source.direction, Connection::New)
    }

    fn exchange(&self, source: &mut TrafficSource, random: &mut impl Random) -> SourceEvent {
        let TrafficKind::Exchanges { request, response, server, think, keep, .. } = &self.kind else {
            return SourceEvent::Done;
        };
        if source.running > 0 {
            return SourceEvent::Wait;
        }
        if source.responds {
            source.responds = false;
            let at = source.last.saturating_add(server.draw(random));
            let bytes = response.draw(random);
            return self.start(source, at, Some(bytes), source.direction, Connection::Last);
        }
        if source.left == 0 {
            return SourceEvent::Done;
        }
        source.left -= 1;
        source.responds = true;
        let at = source.last.saturating_add(think.draw(random));
        let bytes = request.draw(random);
        let connection = source.connection(*keep);
        self.start(source, at, Some(bytes), source.direction.other(), connection)
    }

    fn datagram(&self, source: &mut TrafficSource, random: &mut impl Random) -> SourceEvent {
        let TrafficKind::Udp { rate, bytes, on_off } = &self.kind else { return SourceEvent::Done };
        // The k-th datagram of a burst leaves k datagram times after its start, rounded down: errors do not accumulate.
        let bits_e9 = u128::from(*bytes) * 8_000_000_000;
        let after = |sent: u64| {
            u64::try_from(u128::from(sent) * bits_e9 / u128::from((*rate).max(1))).unwrap_or(u64::MAX)
        };
        if source.left == 0 {
            let Some((on, off)) = on_off else { return SourceEvent::Done };
            let end = source.at.saturating_add(after(source.last));
            source.at = end.saturating_add(off.draw(random));
            source.left = datagrams(on.draw(random), slot(*bytes, *rate));
            source.last = 0;
        }
        let at = source.at.saturating_add(after(source.last));
        if at >= self.stop {
            return SourceEvent::Done;
        }
        source.left -= 1;
        source.last += 1;
        SourceEvent::Send(Datagram { at, bytes: *bytes, direction: source.direction })
    }
}
