// SPDX-License-Identifier: MIT OR Apache-2.0
//! The simulation as a value: built, stepped, read. What its events do is in [`crate::events`] and [`crate::transfers`].

use crate::ack::Carried;
use crate::flow::{FlowState, Owner};
use crate::line::Kind;
use crate::network::Network;
use crate::queue::{Class, Id, Orders};
use crate::record::Tables;
use crate::sources::Background;
use crate::summary::{FlowCounts, Summary};
use crate::wheel::Wheel;
use cwnd_scenario::{Flow, FlowAction, Inner, Scenario};

/// Numbers of the sampler and of the measured interval's begin and end on the agenda; actions follow.
const SAMPLER: u32 = 0;
const MEASURE: [u32; 2] = [1, 2];
const ACTIONS: u32 = 3;

/// A simulation: built from a scenario, stepped to its end, then read.
#[derive(Debug)]
pub struct Simulation {
    pub(crate) scenario: Scenario,
    pub(crate) named: Vec<Flow>,
    /// The scenario's flows first, then those of traffic.
    pub(crate) flows: Vec<FlowState>,
    /// Places of flows of traffic that have ended.
    pub(crate) free: Vec<u32>,
    pub(crate) network: Network,
    pub(crate) background: Background,
    pub(crate) carried: Carried,
    pub(crate) orders: Orders,
    /// Timers of flows, sources, the agenda.
    pub(crate) timers: Wheel,
    pub(crate) tables: Tables,
    pub(crate) now: u64,
    actions: Vec<(u64, u32, FlowAction)>,
    /// What the scenario's flows had counted when the measured interval began, and when it ended.
    marks: [Option<Vec<FlowCounts>>; 2],
    /// Rows of a table at which [`Simulation::step`] returns after a sample.
    pause_at: usize,
    over: bool,
    #[cfg(debug_assertions)]
    events: u64,
}

/// Where every packet of a flow is at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Audit {
    /// Sent, retransmissions included.
    pub sent: u64,
    /// Arrived at the receiver, duplicates included.
    pub arrived: u64,
    /// Held back by the sender's host.
    pub at_host: u64,
    /// In a link's queue, or being sent.
    pub queued: u64,
    /// Between links and hosts.
    pub in_flight: u64,
    /// Dropped or lost.
    pub dropped: u64,
}

impl Simulation {
    /// Sets up `scenario`.
    #[must_use]
    pub fn new(scenario: &Scenario) -> Self {
        let named = scenario.expand();
        let mut network = Network::new(scenario);
        let background = Background::new(scenario, &mut network);
        let mut simulation = Self {
            named: Vec::new(),
            flows: Vec::with_capacity(named.len()),
            free: Vec::new(),
            network,
            background,
            carried: Carried::default(),
            orders: Orders::default(),
            timers: Wheel::default(),
            tables: Tables::default(),
            now: 0,
            actions: scenario.flow_actions(),
            marks: [None, None],
            pause_at: usize::MAX,
            over: false,
            #[cfg(debug_assertions)]
            events: 0,
            scenario: scenario.clone(),
        };
        // Before all else, so that what happens at these very times comes after them.
        simulation.agenda(scenario.measure.0, MEASURE[0]);
        simulation.agenda(scenario.measure.1, MEASURE[1]);
        for (number, (flow, recorded)) in named.iter().zip(scenario.recorded()).enumerate() {
            simulation.add_named(number as u32, flow, recorded);
        }
        simulation.named = named;
        for number in 0..simulation.background.sources.len() as u32 {
            let at = simulation.background.next(number);
            simulation.wake_source(number, at);
        }
        if scenario.record.interval > 0 {
            simulation.agenda(0, SAMPLER);
        }
        for number in 0..simulation.actions.len() {
            simulation.agenda(simulation.actions[number].0, number as u32 + ACTIONS);
        }
        simulation
    }

    fn agenda(&mut self, at: u64, number: u32) {
        self.timers.push(&mut self.orders, at, Id::new(Class::Agenda, number));
    }

    fn add_named(&mut self, number: u32, flow: &Flow, recorded: bool) {
        let route = self.network.route_of(flow);
        let ties = self.network.tie(route, flow.rtt, false, false);
        let flow = FlowState::new(flow, self.scenario.mss(), ties, Owner::Scenario);
        self.flows.push(FlowState { recorded, ..flow });
        self.arm(number);
    }

    /// Handles up to `events` events; returns whether the run is over. See [`Simulation::pause_at`].
    pub fn step(&mut self, events: u64) -> bool {
        for _ in 0..events {
            #[cfg(debug_assertions)]
            {
                // The dearer the check, the rarer.
                self.events += 1;
                if self.events.is_multiple_of(64 * (16 + self.flows.len() as u64).pow(2)) {
                    self.check();
                }
            }
            let (line, timer) = (self.network.queue.first(), self.timers.first());
            let first = line.min(timer);
            if first.time > self.scenario.duration {
                self.finish();
                return true;
            }
            debug_assert!(first.time >= self.now, "time runs forwards");
            self.now = first.time;
            if line < timer {
                self.on_line(first.time, first.id().number());
            } else {
                match first.id().class() {
                    Class::Main => self.on_timer(first.time, first.id().number()),
                    Class::Rto => self.on_rto_timer(first.time, first.id().number()),
                    Class::Source => self.on_source(first.time, first.id().number()),
                    Class::Agenda => {
                        self.on_agenda(first.time, first.id().number());
                        if self.tables.has(self.pause_at) {
                            return false;
                        }
                    }
                }
            }
        }
        false
    }

    /// Simulated time, ns.
    #[must_use]
    pub const fn now(&self) -> u64 {
        self.now
    }

    /// The flows, in the order of their numbers in the tables.
    #[must_use]
    pub fn flows(&self) -> &[Flow] {
        &self.named
    }

    /// The links, in the order of their numbers in the tables.
    #[must_use]
    pub fn links(&self) -> &[cwnd_scenario::Link] {
        &self.scenario.links
    }

    /// From now on [`Simulation::step`] returns early, after a sample, when one of the tables of samples has this many rows: it
    /// is time to take them out.
    pub const fn pause_at(&mut self, rows: usize) {
        self.pause_at = rows;
    }

    /// Takes out of the tables what is complete: each table of at least `least` rows, and when the run is over all of them. So a
    /// run's tables take no more memory the longer it lasts. Of the transfers those stay, with all that started after them, that
    /// have not ended.
    pub fn take_tables(&mut self, least: usize) -> Tables {
        self.tables.take(least, self.over)
    }

    /// Drops the samples and events recorded so far.
    pub fn discard_samples(&mut self) {
        self.tables.discard_samples();
    }

    /// What was recorded so far, as far as it was not taken out.
    #[must_use]
    pub const fn tables(&self) -> &Tables {
        &self.tables
    }

    /// Waits before their own serialisation, ns, of the packets that left a link in the measured interval, and how many had them;
    /// each stands for waits within 1/128 of it.
    pub fn waits(&self, link: usize) -> impl Iterator<Item = (u64, u64)> {
        self.network.hops[link].waits.rows()
    }

    /// The summary of the measured interval.
    #[must_use]
    pub fn summary(&self) -> Summary {
        Summary::of(self)
    }

    /// What one of the scenario's flows has counted in the measured interval, so far.
    pub(crate) fn counts_measured(&self, number: usize) -> FlowCounts {
        let now = self.flows[number].counts();
        let [begin, end] =
            self.marks.each_ref().map(|mark| mark.as_ref().map_or(now, |marked| marked[number]));
        end.since(&begin)
    }

    /// Data packets that left the first link within the run, so far.
    #[must_use]
    pub const fn packets(&self) -> u64 {
        self.network.hops.as_slice()[0].count.packets
    }

    /// Name of the flow whose algorithm has stopped by a fault of its own, or of its group of traffic, if one has
    /// (`Controller::has_failed`).
    #[must_use]
    pub fn failed(&self) -> Option<&str> {
        let number = self.flows.iter().position(|flow| flow.sender.driver.cc.has_failed())?;
        match (self.named.get(number), self.flows[number].owner) {
            (Some(flow), _) => Some(&flow.name),
            (None, Owner::Source(source, _)) => {
                let group = self.background.sources[source as usize].group;
                Some(&self.scenario.traffic[group as usize].name)
            }
            _ => None,
        }
    }

    /// Flows that there is room for: those of the scenario, and the most of traffic that were there at once.
    #[must_use]
    pub const fn places(&self) -> usize {
        self.flows.len()
    }

    /// Where every packet of the scenario's flows is now, flow by flow. Debug builds check the whole engine as well.
    #[must_use]
    pub fn audit(&self) -> Vec<Audit> {
        #[cfg(debug_assertions)]
        if !self.over {
            self.check();
        }
        let at = |flow: &FlowState| Audit {
            sent: flow.sender.sent.packets,
            arrived: flow.receiver.arrived,
            at_host: flow.host.as_ref().map_or(0, |host| host.len()),
            queued: 0,
            in_flight: 0,
            dropped: flow.count.dropped.total(),
        };
        let mut audits: Vec<Audit> = self.flows[..self.named.len()].iter().map(at).collect();
        for packet in self.network.lines.iter().flat_map(crate::line::Line::iter) {
            if let Some(audit) = audits.get_mut(packet.flow as usize)
                && packet.kind.is_data()
            {
                *(if packet.departs > self.now { &mut audit.queued } else { &mut audit.in_flight }) += 1;
            }
        }
        audits
    }

    fn on_agenda(&mut self, now: u64, number: u32) {
        if number == SAMPLER {
            self.sample(now);
            self.timers.replace_first(&mut self.orders, now + self.scenario.record.interval);
            return;
        }
        self.timers.remove_first();
        if let Some(mark) = MEASURE.iter().position(|&one| one == number) {
            let flows = &self.flows[..self.named.len()];
            self.marks[mark] = Some(flows.iter().map(FlowState::counts).collect());
            return;
        }
        let (_, flow, action) = self.actions[(number - ACTIONS) as usize].clone();
        self.act(now, flow, &action);
    }

    /// Counts what has left its link by `now`, for all flows.
    pub(crate) fn count_forwarded(&mut self, now: u64) {
        for line in &mut self.network.lines {
            while let Some(packet) = line.pass(now) {
                if packet.kind.leaves_last_link() {
                    self.flows[packet.flow as usize].count.forwarded += 1;
                }
            }
        }
    }

    /// Writes the rows of a flow's window.
    pub(crate) fn sample_window(&mut self, now: u64, number: u32) {
        let flow = &self.flows[number as usize];
        self.tables.sample_flow(now, number, flow);
        if self.scenario.record.inner != Inner::Off {
            self.tables.sample_inner(now, number, flow, &self.scenario.record.inner);
        }
    }

    #[cold]
    fn sample(&mut self, now: u64) {
        if !self.scenario.record.per_ack {
            self.count_forwarded(now);
            for number in 0..self.named.len() as u32 {
                if self.flows[number as usize].recorded {
                    self.sample_window(now, number);
                }
            }
        }
        for number in 0..self.scenario.links.len() {
            let hop = &mut self.network.hops[number];
            let backlog = hop.backlog(now);
            self.tables.sample_queue(now, number as u32, backlog, hop.count.drops);
        }
    }

    fn finish(&mut self) {
        if self.over {
            return;
        }
        self.over = true;
        self.now = self.scenario.duration;
        self.receive_the_rest();
        for flow in &mut self.flows[..self.named.len()] {
            flow.close_window(self.now, self.scenario.measure);
        }
    }

    /// Fused flows' receivers are behind by the way back: what reaches them before the end is theirs, though no acknowledgement
    /// of it reaches a sender any more.
    fn receive_the_rest(&mut self) {
        for number in 0..self.network.lines.len() {
            while let Some(&packet) = self.network.lines[number].get(0) {
                let lag = if packet.kind == Kind::Fused { self.flows[packet.flow as usize].lag() } else { 0 };
                if packet.kind != Kind::Fused || packet.due.saturating_sub(lag) > self.now {
                    break;
                }
                if let Some((packet, counted)) = self.network.lines[number].pop() {
                    self.receive(packet.due, &packet, counted);
                }
            }
        }
    }
}
