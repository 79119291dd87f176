// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sources of a scenario's traffic: what starts when, drawn from the scenario's own random streams, in the simulator's order. So the k-th
//! transfer of a source has the same size and gap in both lanes.

use cwnd_link::NEVER;
use cwnd_link::random::RandomStream;
use cwnd_scenario::{Flow, Scenario};
use cwnd_traffic::{Connection, Direction, Load, SourceEvent, TrafficGroup, TrafficSource};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Datagrams are announced so long before they are due, ns: nothing that happens meanwhile changes them.
const EARLY: u64 = 20_000_000;

/// A running traffic group.
#[derive(Debug)]
pub struct Group {
    /// Its generator.
    pub generator: TrafficGroup,
    /// A flow of it per direction.
    pub templates: [Option<Flow>; 2],
    /// Its load: started, finished, carried.
    pub load: Load,
}

struct Source {
    group: u32,
    state: TrafficSource,
    stream: RandomStream,
    /// The event that it has announced.
    pending: Option<SourceEvent>,
}

/// All groups with their sources.
pub struct Sources {
    /// The groups.
    pub groups: Vec<Group>,
    sources: Vec<Source>,
    /// When the announced events are to be taken, ns, with the numbers of their sources.
    due: BinaryHeap<Reverse<(u64, u32)>>,
}

impl Sources {
    /// All of a scenario, with their first events announced.
    pub fn new(scenario: &Scenario) -> Self {
        let mut all = Self { groups: Vec::new(), sources: Vec::new(), due: BinaryHeap::new() };
        for (number, traffic) in (0..).zip(&scenario.traffic) {
            let templates = Direction::ALL.map(|direction| scenario.traffic_flow(traffic, direction));
            let generator = scenario.traffic_group(traffic, &templates);
            for (state, stream) in scenario.traffic_sources(number, &generator) {
                all.sources.push(Source { group: number, state, stream, pending: None });
            }
            let load = Load::new(scenario.measure, scenario.segment_size());
            all.groups.push(Group { generator, templates, load });
        }
        (0..all.sources.len() as u32).for_each(|number| all.ask(number));
        all
    }

    /// How many sources there are.
    pub const fn len(&self) -> usize {
        self.sources.len()
    }

    /// Group of a source.
    pub fn group_of(&self, source: u32) -> u32 {
        self.sources[source as usize].group
    }

    /// When the next event is due, ns; [`NEVER`] if none is announced.
    pub fn next(&self) -> u64 {
        self.due.peek().map_or(NEVER, |Reverse((at, _))| *at)
    }

    /// Takes an event that is due by `now`, ns, or a datagram that is due soon, with the number of its source.
    pub fn take_due(&mut self, now: u64) -> Option<(u32, SourceEvent)> {
        let &Reverse((at, number)) = self.due.peek()?;
        if at > now {
            return None;
        }
        self.due.pop();
        let event = self.sources[number as usize].pending.take()?;
        self.ask(number);
        Some((number, event))
    }

    /// A transfer of the source has finished at `now`, ns; returns whether its connection is needed for the next one.
    pub fn finished(&mut self, number: u32, now: u64) -> bool {
        let Source { group, state, stream, .. } = &mut self.sources[number as usize];
        let generator = &self.groups[*group as usize].generator;
        if !generator.closed() {
            return false;
        }
        let event = generator.finished(state, now, &mut || stream.next_u64());
        self.announce(number, event);
        matches!(
            self.sources[number as usize].pending,
            Some(SourceEvent::Start(transfer)) if transfer.connection == Connection::Last
        )
    }

    /// Asks a source for its next event.
    fn ask(&mut self, number: u32) {
        let Source { group, state, stream, .. } = &mut self.sources[number as usize];
        let event = self.groups[*group as usize].generator.next(state, &mut || stream.next_u64());
        self.announce(number, event);
    }

    fn announce(&mut self, number: u32, event: SourceEvent) {
        let at = match event {
            SourceEvent::Start(transfer) => transfer.at,
            SourceEvent::Send(datagram) => datagram.at.saturating_sub(EARLY),
            SourceEvent::Wait | SourceEvent::Done => return,
        };
        self.sources[number as usize].pending = Some(event);
        self.due.push(Reverse((at, number)));
    }
}
