// SPDX-License-Identifier: MIT OR Apache-2.0
//! The ways of a scenario's flows through its links.
//!
//! Every flow has its sender on one host and its receiver on the other, wherever the scenario has its nodes: only its own links are
//! between them.

use cwnd_link::LinkConfig;
use cwnd_scenario::{Flow, Scenario};
use cwnd_traffic::Direction;
use serde::{Deserialize, Serialize};

/// One of the two hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostSide {
    /// The host of the senders.
    Senders,
    /// The host of the receivers.
    Receivers,
}

impl HostSide {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Senders, Self::Receivers];

    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Senders => Self::Receivers,
            Self::Receivers => Self::Senders,
        }
    }
}

/// The way from one host to the other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Path {
    /// Delay before the first link, ns.
    pub before: u64,
    /// Numbers of the links.
    pub links: Vec<u32>,
    /// Delay behind the last link, ns.
    pub after: u64,
    /// All propagation delays, those of the links at time 0 included, ns.
    pub propagation: u64,
}

/// Both ways of what is between two hosts, by [`HostSide`] of who sends.
pub type Ways = [Path; 2];

/// The ways of all flows, and of all traffic: those of the flows come first, then two for each traffic group, one per direction of its
/// data, then those of connections with round trip times of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths(Vec<Ways>);

impl Paths {
    /// The links of a scenario, followed by the access links of its flows, and the ways of its flows and traffic.
    #[must_use]
    pub fn of_scenario(scenario: &Scenario, flows: &[Flow]) -> (Vec<LinkConfig>, Self) {
        let mut links = scenario.link_configs();
        let of_flows = flows.iter().map(|flow| {
            let mut path = flow.path.to_vec();
            if let Some(access) = flow.group.access {
                path.insert(0, links.len() as u32);
                links.push(access.link_config());
            }
            both_ways(scenario, flow, path)
        });
        let mut paths: Vec<_> = of_flows.collect();
        for traffic in &scenario.traffic {
            // A direction in which it cannot send has the ways of none, which nothing takes.
            paths.extend(Direction::ALL.map(|direction| {
                let flow = scenario.traffic_flow(traffic, direction);
                flow.map_or_else(Ways::default, |flow| Self::of_connection(scenario, &flow))
            }));
        }
        (links, Self(paths))
    }

    /// The ways of a connection of a traffic group.
    #[must_use]
    pub fn of_connection(scenario: &Scenario, flow: &Flow) -> Ways {
        both_ways(scenario, flow, flow.path.to_vec())
    }

    /// The way with this number of what `from` sends.
    #[must_use]
    pub fn of(&self, number: u32, from: HostSide) -> &Path {
        &self.0[number as usize][from as usize]
    }

    /// Gives a number its ways. The numbers below it that have none get those of nothing.
    pub fn set(&mut self, number: u32, ways: Ways) {
        if self.0.len() <= number as usize {
            self.0.resize_with(number as usize + 1, Ways::default);
        }
        self.0[number as usize] = ways;
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// As the simulator has it: what is left of the round trip time, without the links and the access delay, is delay behind the last
/// links, one half each.
fn both_ways(scenario: &Scenario, flow: &Flow, path: Vec<u32>) -> Ways {
    let delay = |links: &[u32]| -> u64 {
        links.iter().map(|&link| scenario.links.get(link as usize).map_or(0, |link| link.delay.first)).sum()
    };
    let before = flow.group.access_delay;
    let (forward, reverse) = (delay(&path), delay(&flow.reverse_path));
    let rest = flow.rtt.saturating_sub(before + forward + reverse);
    let (after, after_reverse) = (rest / 2, rest - rest / 2);
    [
        Path { before, after, propagation: before + forward + after, links: path },
        Path {
            before: 0,
            after: after_reverse,
            propagation: reverse + after_reverse,
            links: flow.reverse_path.to_vec(),
        },
    ]
}
