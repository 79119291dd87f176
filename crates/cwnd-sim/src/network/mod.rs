// SPDX-License-Identifier: MIT OR Apache-2.0
//! The network of a run: links, the delay lines behind them, and the routes of flows.

mod check;
mod delay_line;
mod packet;
mod ring;
mod route;

pub use delay_line::{DelayLine, Departure};
pub use packet::{AckFields, EcnMarks, Frame, PackedAck, Packet, PathIndex, Segment};
#[cfg(feature = "time-slices")]
pub use ring::Ring;
pub use route::{FlowPath, NextLink, PathNeeds, RouteLink, Transmitted};

use crate::index::OptionIndex;
use crate::schedule::{Entry, EventClass, EventId, EventQueue, Wheel};
use check::LinkCheck;
use cwnd_link::{DropCause, Link, LinkConfig, NEVER, Offered, PacketOrder, Tick, Transit};
use cwnd_scenario::{AccessLink, Flow, Scenario};
use route::{LineUse, Route};
use std::collections::BTreeMap;

/// The network.
#[derive(Debug)]
pub struct Network {
    /// The scenario's links in its order, then the access links of flows.
    pub links: Vec<Link<Packet>>,
    /// Times of the links' timers, ns; [`NEVER`] for a link that has none.
    pub links_armed: Vec<u64>,
    pub lines: Vec<DelayLine>,
    pub routes: Vec<Route>,
    /// One entry for each delay line that holds packets, at the time at which its front packet is due.
    pub event_queue: EventQueue,
    /// Shared delay lines by the link they begin at (none: a host), their use, and the delay after that, ns.
    shared: BTreeMap<(OptionIndex, LineUse, u64), u32>,
    /// Propagation of the scenario's links at time 0, ns.
    delays: Vec<u64>,
    /// Private delay lines that no flow uses.
    free: Vec<u32>,
    known: BTreeMap<(u64, Vec<u32>, Vec<u32>), u32>,
    measure: (u64, u64),
    end: u64,
    /// In runs with foreign stacks: what each link may do, and did.
    checks: Option<Vec<LinkCheck>>,
}

impl Network {
    pub fn new(scenario: &Scenario) -> Self {
        let (measure, end) = (scenario.measure, scenario.duration);
        Self {
            links_armed: vec![NEVER; scenario.links.len()],
            checks: (crate::STACKS && scenario.has_stacks())
                .then(|| scenario.link_configs().iter().map(LinkCheck::new).collect()),
            links: scenario
                .link_configs()
                .into_iter()
                .map(|config| Link::new(checked(config, scenario.has_stacks()), measure, end))
                .collect(),
            lines: Vec::new(),
            routes: Vec::new(),
            event_queue: EventQueue::default(),
            shared: BTreeMap::new(),
            delays: scenario.links.iter().map(|link| link.delay.first).collect(),
            free: Vec::new(),
            known: BTreeMap::new(),
            measure,
            end,
        }
    }

    /// Offers a packet to a link, and puts it on the delay line behind the link if it departs.
    #[inline(always)]
    pub fn transmit(&mut self, now: u64, next: NextLink, packet: Packet) -> Transmitted {
        let link = &mut self.links[next.link as usize];
        match link.offer(now, next.size, next.class) {
            Offered::Departs(transit) => {
                self.depart(next, packet, transit);
                Transmitted::Departs(transit.departs)
            }
            Offered::Dropped(cause) => Transmitted::Dropped(cause),
            Offered::Holds => self.enqueue(now, next, packet),
        }
    }

    /// Hands a packet over to a link that holds its packets, or ticks.
    #[inline(never)]
    fn enqueue(&mut self, now: u64, next: NextLink, packet: Packet) -> Transmitted {
        let held = self.links[next.link as usize].enqueue(now, next.size, next.class, packet);
        if crate::STACKS && self.checks.is_some() {
            self.note_held(now, next, held);
        }
        match held {
            Ok(None) => Transmitted::Held,
            Ok(Some(transit)) => {
                self.depart(next, packet, transit);
                Transmitted::Departs(transit.departs)
            }
            Err(cause) => Transmitted::Dropped(cause),
        }
    }

    /// A link that is checked has taken a packet in, or refused it.
    #[cold]
    fn note_held(&mut self, now: u64, next: NextLink, held: Result<Option<Transit>, DropCause>) {
        let decides_at_head = self.links[next.link as usize].decides_at_head();
        let Some(check) = self.check(next.link) else { return };
        match held {
            Ok(Some(transit)) => check.accepts(now, next.size, transit.departs),
            Ok(None) => check.holds(now, next.size),
            Err(cause) if decides_at_head => check.refuses_at_head(now, next.size, cause),
            Err(cause) => check.refuses(now, next.size, cause),
        }
    }

    /// What is noted of a link that is checked.
    pub fn check(&mut self, link: u32) -> Option<&mut LinkCheck> {
        self.checks.as_mut().filter(|_| crate::STACKS)?.get_mut(link as usize)
    }

    /// The run is over at `now`, ns: the first thing that a link did and cannot have done, with the link's number.
    pub fn broken(&mut self, now: u64) -> Option<(usize, &str)> {
        if !crate::STACKS {
            return None;
        }
        for (check, link) in self.checks.iter_mut().flatten().zip(&self.links) {
            if link.decides_at_head() {
                check.ends(now, link.packets().count());
            }
        }
        let mut checks = self.checks.iter().flatten().enumerate();
        checks.find_map(|(link, check)| Some((link, check.broken()?)))
    }

    /// Puts a packet that a link sends on the delay line behind it.
    #[inline(always)]
    pub fn depart(&mut self, next: NextLink, packet: Packet, transit: Transit) {
        if let Some(line) = next.line.get() {
            let due = transit.arrives.saturating_add(next.delay);
            let packet = if transit.mark { packet.marked() } else { packet };
            self.push(line, packet.on_line(transit.departs, due, next.then));
        }
    }

    /// Adds a timer for a link's next departure, where it has none that is early enough.
    #[inline(never)]
    pub fn arm_link(&mut self, timers: &mut Wheel, number: u32) {
        let next = self.links[number as usize].next_event();
        let armed = &mut self.links_armed[number as usize];
        if next < *armed {
            *armed = next;
            timers.push(next, EventId::new(EventClass::Departure, number));
        }
    }

    /// Puts a packet on a delay line.
    #[inline(always)]
    pub fn push(&mut self, number: u32, packet: Packet) {
        let line = &mut self.lines[number as usize];
        line.push(packet);
        let due = packet.due();
        if due < line.armed {
            line.armed = due;
            self.wake(due, number);
        }
    }

    #[inline(never)]
    fn wake(&mut self, due: u64, number: u32) {
        self.event_queue.insert(Entry { time: due, id: EventId::new(EventClass::Line, number) });
    }

    /// The order in which packets arrive behind `link`; a host keeps it.
    fn order_behind(&self, link: OptionIndex) -> PacketOrder {
        link.get().map_or(PacketOrder::Kept, |link| self.links[link as usize].order)
    }

    fn line(&mut self, link: OptionIndex) -> u32 {
        let order = self.order_behind(link);
        self.lines.push(DelayLine::new(order));
        self.lines.len() as u32 - 1
    }

    fn shared_line(&mut self, link: OptionIndex, line_use: LineUse, extra: u64) -> u32 {
        if let Some(&line) = self.shared.get(&(link, line_use, extra)) {
            return line;
        }
        let line = self.line(link);
        self.shared.insert((link, line_use, extra), line);
        line
    }

    /// A delay line for one flow.
    fn private_line(&mut self, link: OptionIndex) -> u32 {
        let order = self.order_behind(link);
        match self.free.pop() {
            Some(line) => {
                debug_assert_eq!(self.lines[line as usize].len(), 0);
                self.lines[line as usize].renew(order);
                line
            }
            None => self.line(link),
        }
    }

    /// Returns a private delay line, which must be empty.
    pub fn release_line(&mut self, line: u32) {
        self.free.push(line);
    }

    fn route_links(&mut self, links: &[u32], line_use: LineUse) -> Vec<RouteLink> {
        links
            .iter()
            .map(|&link| RouteLink { link, line: self.shared_line(OptionIndex::some(link), line_use, 0) })
            .collect()
    }

    /// The number of the route over these links; the first link is `before` ns away from the sender.
    pub fn route(&mut self, before: u64, path: &[u32], reverse_path: &[u32]) -> u32 {
        let key = (before, path.to_vec(), reverse_path.to_vec());
        if let Some(&number) = self.known.get(&key) {
            return number;
        }
        let entry =
            (before > 0).then(|| (self.shared_line(OptionIndex::NONE, LineUse::ToLink, before), before));
        let route = Route {
            entry,
            path: self.route_links(path, LineUse::ToLink),
            reverse_path: self.route_links(reverse_path, LineUse::AcksToLink),
        };
        self.routes.push(route);
        let number = self.routes.len() as u32 - 1;
        self.known.insert(key, number);
        number
    }

    /// Adds an access link for one flow; its number.
    fn access(&mut self, access: AccessLink) -> u32 {
        self.links_armed.push(NEVER);
        let config = access.link_config();
        if let Some(checks) = &mut self.checks {
            checks.push(LinkCheck::new(&config));
        }
        self.links.push(Link::new(checked(config, self.checks.is_some()), self.measure, self.end));
        self.links.len() as u32 - 1
    }

    /// The route of a flow.
    pub fn route_of(&mut self, flow: &Flow) -> u32 {
        let mut path = flow.path.to_vec();
        if let Some(access) = flow.group.access {
            path.insert(0, self.access(access));
        }
        self.route(flow.group.access_delay, &path, &flow.reverse_path)
    }

    /// Propagation delay of a route, ns: its forward and reverse links, and the path to the first link.
    pub fn propagation(&self, route: u32) -> u64 {
        let route = &self.routes[route as usize];
        let links = route.path.iter().chain(&route.reverse_path);
        let delays = links.map(|route_link| self.delays.get(route_link.link as usize).copied().unwrap_or(0));
        delays.sum::<u64>() + route.entry.map_or(0, |entry| entry.1)
    }

    /// The same at `now`, where delays of links have changed.
    pub fn propagation_at(&self, route: u32, now: u64) -> u64 {
        let route = &self.routes[route as usize];
        let links = route.path.iter().chain(&route.reverse_path);
        let delays = links.map(|route_link| self.links[route_link.link as usize].propagation_at(now));
        delays.sum::<u64>() + route.entry.map_or(0, |entry| entry.1)
    }

    /// Attaches a flow of this round trip time to a route.
    pub fn attach(&mut self, route: u32, rtt: u64, needs: PathNeeds) -> FlowPath {
        let rest = rtt.saturating_sub(self.propagation(route));
        let (access_delay_fwd, access_delay_rev) = (rest / 2, rest - rest / 2);
        let links = &self.routes[route as usize];
        let fused = links.reverse_path.is_empty() && !needs.receiver_events;
        let last =
            links.path.last().map_or(OptionIndex::NONE, |route_link| OptionIndex::some(route_link.link));
        let last_back = links
            .reverse_path
            .last()
            .map_or(OptionIndex::NONE, |route_link| OptionIndex::some(route_link.link));
        let (delivery_line, ack_line) = if needs.private_lines {
            let delivery = self.private_line(last);
            (delivery, if fused { delivery } else { self.private_line(last_back) })
        } else if fused {
            let delivery = self.shared_line(last, LineUse::Fused, rest);
            (delivery, delivery)
        } else {
            let delivery = self.shared_line(last, LineUse::ToReceiver, access_delay_fwd);
            (delivery, self.shared_line(last_back, LineUse::AcksToSender, access_delay_rev))
        };
        let links = &self.routes[route as usize];
        let direct = match links.path.as_slice() {
            [only] if links.entry.is_none() && !self.links[only.link as usize].holds_packets() => {
                OptionIndex::some(only.link)
            }
            _ => OptionIndex::NONE,
        };
        FlowPath { route, direct, access_delay_fwd, access_delay_rev, delivery_line, ack_line, fused }
    }
}

/// A link that is checked hands over each packet by [`Link::enqueue`], which no other link pays for: it ticks every nanosecond, which is no
/// other time than without.
fn checked(mut config: LinkConfig, is_checked: bool) -> LinkConfig {
    if is_checked && config.tick.is_none() {
        config.tick = Some(Tick::every(1));
    }
    config
}
