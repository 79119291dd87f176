// SPDX-License-Identifier: MIT OR Apache-2.0
//! The traffic sources of a simulation.

use crate::index::OptionIndex;
use crate::network::Network;
use cwnd_link::random::RandomStream;
use cwnd_scenario::{Flow, Scenario};
use cwnd_traffic::{Direction, Load, SourceEvent, TrafficGroup, TrafficSource};

/// A running traffic group.
#[derive(Debug)]
pub struct RunningGroup {
    pub group: TrafficGroup,
    /// A flow of it per direction; round trip time, receive window and start are set per transfer.
    pub templates: [Option<Flow>; 2],
    /// Routes, per direction.
    pub routes: [u32; 2],
    /// Its load: started, finished, carried.
    pub load: Load,
    /// Connections with a send overhead that it has opened so far.
    pub connections: u32,
}

/// A running source.
#[derive(Clone, Copy, Debug)]
pub struct RunningSource {
    pub group: u32,
    pub state: TrafficSource,
    /// Its random stream.
    stream: RandomStream,
    /// The event that it has announced.
    pub pending: Option<SourceEvent>,
    /// Its connections (flows) per direction, where it keeps them.
    pub connections: [OptionIndex; 2],
}

/// All traffic besides the scenario's flows.
#[derive(Debug, Default)]
pub struct Background {
    pub groups: Vec<RunningGroup>,
    pub sources: Vec<RunningSource>,
}

impl Background {
    pub fn new(scenario: &Scenario, network: &mut Network) -> Self {
        let mut all = Self::default();
        for (number, traffic) in scenario.traffic.iter().enumerate() {
            let templates = Direction::ALL.map(|direction| scenario.traffic_flow(traffic, direction));
            let routes = [0, 1].map(|direction: usize| {
                templates[direction].as_ref().map_or(0, |flow| network.route_of(flow))
            });
            let group = scenario.traffic_group(traffic, &templates);
            let number = number as u32;
            for (state, stream) in scenario.traffic_sources(number, &group) {
                let connections = [OptionIndex::NONE; 2];
                all.sources.push(RunningSource { group: number, state, stream, pending: None, connections });
            }
            let load = Load::new(scenario.measure, scenario.segment_size());
            all.groups.push(RunningGroup { group, templates, routes, load, connections: 0 });
        }
        all
    }

    /// Stores the event that a source announces. Returns when to wake the source.
    pub fn announce(&mut self, number: u32, event: SourceEvent) -> Option<u64> {
        let at = match event {
            SourceEvent::Start(transfer) => transfer.at,
            SourceEvent::Send(datagram) => datagram.at,
            SourceEvent::Wait | SourceEvent::Done => return None,
        };
        let source = &mut self.sources[number as usize];
        debug_assert!(source.pending.is_none(), "a source announces one thing at a time");
        source.pending = Some(event);
        Some(at)
    }

    /// The source's last event has happened: asks it for the next. Returns when to wake the source.
    pub fn next(&mut self, number: u32) -> Option<u64> {
        let RunningSource { group, state, stream, .. } = &mut self.sources[number as usize];
        let event = self.groups[*group as usize].group.next(state, &mut || stream.next_u64());
        self.announce(number, event)
    }

    /// A transfer of the source has finished. Returns when to wake the source.
    pub fn finished(&mut self, number: u32, now: u64) -> Option<u64> {
        let RunningSource { group, state, stream, .. } = &mut self.sources[number as usize];
        let running = &self.groups[*group as usize];
        if !running.group.closed() {
            return None;
        }
        let event = running.group.finished(state, now, &mut || stream.next_u64());
        self.announce(number, event)
    }
}
