// SPDX-License-Identifier: MIT OR Apache-2.0
//! What each kind of source does next.

use super::group::{Group, Kind, datagrams, slot};
use super::{Direction, Event, Packet, Source, Transfer};
use cwnd_scenario::traffic::GapFrom;

/// The models, one function each. None draws before it is sure to announce something.
impl Group {
    pub(super) fn step(&self, source: &mut Source) -> Event {
        match &self.kind {
            Kind::Long => self.long(source),
            Kind::Sessions { .. } => self.session(source),
            Kind::Mix { .. } => self.arrival(source),
            Kind::Exchanges { .. } => self.exchange(source),
            Kind::Udp { .. } => self.datagram(source),
        }
    }

    /// All transfers of the source have finished: gaps that count from there begin.
    pub(super) fn idle(&self, source: &mut Source, now: u64) {
        match &self.kind {
            Kind::Sessions { gap_from, object_from, .. } => {
                let from = if source.objects > 0 { object_from } else { gap_from };
                if *from == GapFrom::Finish {
                    source.last = now;
                }
            }
            _ => source.last = now,
        }
    }

    /// Announces a transfer, or ends the source when it would start too late.
    fn start(
        &self,
        source: &mut Source,
        at: u64,
        bytes: Option<u64>,
        direction: Direction,
        fresh: bool,
    ) -> Event {
        if at >= self.stop {
            return Event::Done;
        }
        source.running += 1;
        source.pending = true;
        source.connected = true;
        source.last = at;
        let rtt = (source.rtt != u64::MAX).then_some(source.rtt);
        Event::Start(Transfer { at, bytes, rtt, window: self.window, direction, fresh })
    }

    fn long(&self, source: &mut Source) -> Event {
        if source.left == 0 {
            return Event::Done;
        }
        source.left = 0;
        self.start(source, source.at, None, source.direction, true)
    }

    fn session(&self, source: &mut Source) -> Event {
        let Kind::Sessions { gap, gap_from, objects, object_gap, object_from, size, keep, .. } = &self.kind
        else {
            return Event::Done;
        };
        let within = source.objects > 0;
        let from = if within { object_from } else { gap_from };
        if *from == GapFrom::Finish && source.running > 0 {
            return Event::Wait;
        }
        let at = if within {
            source.last.saturating_add(object_gap.draw(&mut source.stream))
        } else {
            if source.left == 0 {
                return Event::Done;
            }
            source.left -= 1;
            let base = if *gap_from == GapFrom::Finish { source.last } else { source.at };
            // A page does not begin before the one before it has been asked for as a whole.
            let at = base.saturating_add(gap.draw(&mut source.stream)).max(source.last);
            source.at = at;
            source.objects = u32::try_from(objects.draw(&mut source.stream)).unwrap_or(u32::MAX);
            at
        };
        source.objects -= 1;
        let bytes = size.draw(&mut source.stream);
        let fresh = !(*keep && source.connected);
        self.start(source, at, Some(bytes), source.direction, fresh)
    }

    fn arrival(&self, source: &mut Source) -> Event {
        let Kind::Mix { gap, size } = &self.kind else { return Event::Done };
        let at = source.last.saturating_add(gap.draw(&mut source.stream));
        let bytes = size.draw(&mut source.stream);
        if let Some(rtt) = &self.rtt {
            source.rtt = rtt.draw(&mut source.stream);
        }
        source.running = 0;
        self.start(source, at, Some(bytes), source.direction, true)
    }

    fn exchange(&self, source: &mut Source) -> Event {
        let Kind::Exchanges { request, response, server, think, keep, .. } = &self.kind else {
            return Event::Done;
        };
        if source.running > 0 {
            return Event::Wait;
        }
        if source.responds {
            source.responds = false;
            let at = source.last.saturating_add(server.draw(&mut source.stream));
            let bytes = response.draw(&mut source.stream);
            return self.start(source, at, Some(bytes), source.direction, false);
        }
        if source.left == 0 {
            return Event::Done;
        }
        source.left -= 1;
        source.responds = true;
        let at = source.last.saturating_add(think.draw(&mut source.stream));
        let bytes = request.draw(&mut source.stream);
        let fresh = !(*keep && source.connected);
        self.start(source, at, Some(bytes), source.direction.other(), fresh)
    }

    fn datagram(&self, source: &mut Source) -> Event {
        let Kind::Udp { rate, bytes, on_off } = &self.kind else { return Event::Done };
        // The k-th datagram of a burst leaves k datagrams' bits after its start, rounded down: no error adds up.
        let bits_e9 = u128::from(*bytes) * 8_000_000_000;
        let after = |sent: u64| {
            u64::try_from(u128::from(sent) * bits_e9 / u128::from((*rate).max(1))).unwrap_or(u64::MAX)
        };
        if source.left == 0 {
            let Some((on, off)) = on_off else { return Event::Done };
            let end = source.at.saturating_add(after(source.last));
            source.at = end.saturating_add(off.draw(&mut source.stream));
            source.left = datagrams(on.draw(&mut source.stream), slot(*bytes, *rate));
            source.last = 0;
        }
        let at = source.at.saturating_add(after(source.last));
        if at >= self.stop {
            return Event::Done;
        }
        source.left -= 1;
        source.last += 1;
        Event::Send(Packet { at, bytes: *bytes, direction: source.direction })
    }
}
