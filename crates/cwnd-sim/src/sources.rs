// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sources of traffic that run in a simulation, and what they ask of it.

use crate::network::Network;
use crate::traffic::{Direction, Event, Group, LinkFacts, Load, Source};
use cwnd_scenario::traffic::Ways;
use cwnd_scenario::{Flow, Scenario};

/// No flow.
pub const NO_FLOW: u32 = u32::MAX;

/// A group of like sources.
#[derive(Debug)]
pub struct Running {
    pub group: Group,
    /// A flow of it, each way; the round trip time, the receive window and the start are filled in.
    pub templates: [Option<Flow>; 2],
    /// Routes, each way.
    pub routes: [u32; 2],
    /// What started, finished and was carried.
    pub load: Load,
}

/// A source.
#[derive(Clone, Copy, Debug)]
pub struct Live {
    pub group: u32,
    pub source: Source,
    /// What it has announced.
    pub pending: Option<Event>,
    /// Its connections, each way, where it keeps them.
    pub connections: [u32; 2],
}

/// Everything that sends beside the scenario's flows.
#[derive(Debug, Default)]
pub struct Background {
    pub groups: Vec<Running>,
    pub sources: Vec<Live>,
}

impl Background {
    pub fn new(scenario: &Scenario, network: &mut Network) -> Self {
        let mut all = Self::default();
        for (number, traffic) in scenario.traffic.iter().enumerate() {
            let templates =
                Direction::ALL.map(|way| scenario.traffic_flow(traffic, way == Direction::Reverse));
            let routes =
                [0, 1].map(|way: usize| templates[way].as_ref().map_or(0, |flow| network.route_of(flow)));
            // A group that goes only against the flows asks of the link on its way.
            let way = usize::from(traffic.direction == Ways::Reverse);
            let link = templates[way].as_ref().and_then(|flow| flow.path.first()).copied().unwrap_or(0);
            let rate = scenario.links[link as usize].rate.nominal();
            let group = Group::new(traffic, LinkFacts { rate, mss: scenario.mss() });
            for source in group.sources(scenario.seed, number as u32) {
                let group = number as u32;
                all.sources.push(Live { group, source, pending: None, connections: [NO_FLOW; 2] });
            }
            all.groups.push(Running { group, templates, routes, load: Load::default() });
        }
        all
    }

    /// Notes what a source answered: when it wants to be woken.
    pub fn announce(&mut self, number: u32, event: Event) -> Option<u64> {
        let at = match event {
            Event::Start(transfer) => transfer.at,
            Event::Send(packet) => packet.at,
            Event::Wait | Event::Done => return None,
        };
        let live = &mut self.sources[number as usize];
        debug_assert!(live.pending.is_none(), "a source announces one thing at a time");
        live.pending = Some(event);
        Some(at)
    }

    /// The source's next event, when the one before it has happened: when to wake it.
    pub fn next(&mut self, number: u32) -> Option<u64> {
        let live = &mut self.sources[number as usize];
        let event = self.groups[live.group as usize].group.next(&mut live.source);
        self.announce(number, event)
    }

    /// A transfer of the source has finished: when to wake it.
    pub fn finished(&mut self, number: u32, now: u64) -> Option<u64> {
        let live = &mut self.sources[number as usize];
        let running = &self.groups[live.group as usize];
        if !running.group.closed() {
            return None;
        }
        let event = running.group.finished(&mut live.source, now);
        self.announce(number, event)
    }
}
