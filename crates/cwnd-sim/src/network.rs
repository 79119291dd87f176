// SPDX-License-Identifier: MIT OR Apache-2.0
//! Links, the lines behind them, and the routes that flows take through both.

use crate::flow::{NOT_DIRECT, Ties};
use crate::hop::Hop;
use crate::line::{Kind, Line, Packet};
use crate::queue::{Class, Id, Orders, Queue};
use cwnd_scenario::{Access, Flow, Scenario};
use std::collections::BTreeMap;

/// A link on a route, and the line from there to the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Via {
    pub link: u32,
    pub line: u32,
}

/// A way through the network, and back.
#[derive(Clone, Debug)]
pub struct Route {
    /// From the sender to the first link, if that takes any time: the line, and how long, ns.
    pub entry: Option<(u32, u64)>,
    pub path: Vec<Via>,
    pub back: Vec<Via>,
}

/// No link: a line that begins at a host.
const AT_A_HOST: u32 = u32::MAX;

/// The network.
#[derive(Debug)]
pub struct Network {
    /// The scenario's links first, in its order, then the flows' own.
    pub hops: Vec<Hop>,
    pub lines: Vec<Line>,
    pub routes: Vec<Route>,
    /// Lines with packets, by when their fronts are due.
    pub queue: Queue,
    /// Lines by where they begin, what travels on them, and how long they take beyond the link.
    shared: BTreeMap<(u32, u8, u64), u32>,
    /// Propagation of the scenario's links at time 0, ns.
    delays: Vec<u64>,
    /// Private lines that nobody uses.
    free: Vec<u32>,
    known: BTreeMap<(u64, Vec<u32>, Vec<u32>), u32>,
    measure: (u64, u64),
    end: u64,
}

impl Network {
    pub fn new(scenario: &Scenario) -> Self {
        let (measure, end) = (scenario.measure, scenario.duration);
        Self {
            hops: scenario.hops().into_iter().map(|hop| Hop::new(hop, measure, end)).collect(),
            lines: Vec::new(),
            routes: Vec::new(),
            queue: Queue::default(),
            shared: BTreeMap::new(),
            delays: scenario.links.iter().map(|link| link.delay).collect(),
            free: Vec::new(),
            known: BTreeMap::new(),
            measure,
            end,
        }
    }

    /// Puts a packet on a line.
    #[inline(always)]
    pub fn push(&mut self, orders: &mut Orders, number: u32, packet: Packet) {
        let line = &mut self.lines[number as usize];
        line.push(packet);
        if packet.due < line.armed {
            line.armed = packet.due;
            self.wake(orders, packet.due, number);
        }
    }

    #[inline(never)]
    fn wake(&mut self, orders: &mut Orders, due: u64, number: u32) {
        self.queue.push(orders, due, Id::new(Class::Main, number));
    }

    fn line(&mut self, link: u32) -> u32 {
        let disordered = self.hops.get(link as usize).is_some_and(|hop| hop.disordered);
        self.lines.push(Line::new(disordered));
        self.lines.len() as u32 - 1
    }

    fn shared_line(&mut self, link: u32, kind: Kind, extra: u64) -> u32 {
        if let Some(&line) = self.shared.get(&(link, kind as u8, extra)) {
            return line;
        }
        let line = self.line(link);
        self.shared.insert((link, kind as u8, extra), line);
        line
    }

    /// A line for one flow alone.
    fn private_line(&mut self, link: u32) -> u32 {
        let disordered = self.hops.get(link as usize).is_some_and(|hop| hop.disordered);
        match self.free.pop() {
            Some(line) => {
                debug_assert_eq!(self.lines[line as usize].len(), 0);
                self.lines[line as usize].renew(disordered);
                line
            }
            None => self.line(link),
        }
    }

    /// Gives a private line back; it is empty.
    pub fn give_back(&mut self, line: u32) {
        self.free.push(line);
    }

    fn vias(&mut self, links: &[u32], kind: Kind) -> Vec<Via> {
        links.iter().map(|&link| Via { link, line: self.shared_line(link, kind, 0) }).collect()
    }

    /// The number of a route by these links, `before` ns behind the sender.
    pub fn route(&mut self, before: u64, path: &[u32], back: &[u32]) -> u32 {
        let key = (before, path.to_vec(), back.to_vec());
        if let Some(&number) = self.known.get(&key) {
            return number;
        }
        let entry = (before > 0).then(|| (self.shared_line(AT_A_HOST, Kind::Hop, before), before));
        let route = Route { entry, path: self.vias(path, Kind::Hop), back: self.vias(back, Kind::AckHop) };
        self.routes.push(route);
        let number = self.routes.len() as u32 - 1;
        self.known.insert(key, number);
        number
    }

    /// A link of a flow's own.
    fn access(&mut self, access: Access) -> u32 {
        self.hops.push(Hop::access(access, self.measure, self.end));
        self.hops.len() as u32 - 1
    }

    /// The route of a flow.
    pub fn route_of(&mut self, flow: &Flow) -> u32 {
        let mut path = flow.path.to_vec();
        if let Some(access) = flow.group.access {
            path.insert(0, self.access(access));
        }
        self.route(flow.group.access_delay, &path, &flow.back)
    }

    /// Propagation of a route's links, there and back, and of the way to the first, ns.
    pub fn propagation(&self, route: u32) -> u64 {
        let route = &self.routes[route as usize];
        let links = route.path.iter().chain(&route.back);
        let delays = links.map(|via| self.delays.get(via.link as usize).copied().unwrap_or(0));
        delays.sum::<u64>() + route.entry.map_or(0, |entry| entry.1)
    }

    /// Ties a flow of this round trip time to a route. `closed`: somebody waits for its arrivals at the receiver, so these are
    /// events of their own. `private`: few flows have this round trip time, so it gets lines of its own.
    pub fn tie(&mut self, route: u32, rtt: u64, closed: bool, private: bool) -> Ties {
        let rest = rtt.saturating_sub(self.propagation(route));
        let tails = (rest / 2, rest - rest / 2);
        let it = &self.routes[route as usize];
        let fused = it.back.is_empty() && !closed;
        let last = it.path.last().map_or(AT_A_HOST, |via| via.link);
        let last_back = it.back.last().map_or(AT_A_HOST, |via| via.link);
        let exits = if private {
            let there = self.private_line(last);
            (there, if fused { there } else { self.private_line(last_back) })
        } else if fused {
            let there = self.shared_line(last, Kind::Fused, rest);
            (there, there)
        } else {
            (self.shared_line(last, Kind::Data, tails.0), self.shared_line(last_back, Kind::Ack, tails.1))
        };
        let it = &self.routes[route as usize];
        let direct = match it.path.as_slice() {
            [only] if it.entry.is_none() => only.link,
            _ => NOT_DIRECT,
        };
        Ties { route, direct, tails, exits, fused }
    }
}
