// SPDX-License-Identifier: MIT OR Apache-2.0
//! The simulation: built, stepped, read. Its event handlers are in `events`, `transmit`, `transfers` and `sample`; `trains` does the same as the
//! first two, in fewer steps, for most packets, and `time_slices` flow by flow where many meet.

mod capture;
mod digest;
mod events;
mod inspect;
#[cfg(debug_assertions)]
mod invariants;
mod prefetch;
mod record;
mod sample;
mod sources;
mod stacks;
mod summarise;
#[cfg(feature = "time-slices")]
mod time_slices;
#[cfg(not(feature = "time-slices"))]
#[path = "no_time_slices.rs"]
mod time_slices;
mod trains;
mod transfers;
mod transmit;
mod watched;

pub use inspect::{PacketLocations, PacketPlace, PacketPosition};
pub use record::{Tables, expected_bytes};
pub use summarise::{jain, link_summary, link_waits, rates, share, traffic_summaries};

use crate::endpoint::Stacks;
use crate::network::{Network, PathNeeds};
use crate::schedule::{EventClass, EventId, Wheel};
use crate::tcp::{AckSlab, FlowRecord, FlowState, Owner};
use capture::Captures;
use cwnd::Controller;
use cwnd_record::FlowCounts;
use cwnd_scenario::{Flow, FlowAction, Invalid, Scenario};
use sources::Background;
use stacks::StackFlows;

/// A simulation: built from a scenario, stepped to its end, then read.
#[derive(Debug)]
pub struct Simulation {
    scenario: Scenario,
    scenario_flows: Vec<Flow>,
    /// The scenario's flows first, then those of traffic.
    flows: Vec<FlowState>,
    /// Places in `flows` whose flow has ended.
    free_slots: Vec<u32>,
    network: Network,
    background: Background,
    ack_slab: AckSlab,
    /// Timers of flows, sources and links, actions, boundaries, the sampler.
    timers: Wheel,
    tables: Tables,
    /// Captured packets, where the scenario asks for them.
    captures: Option<Box<Captures>>,
    /// Flows of foreign stacks, where the scenario has any.
    stacks: Option<Box<StackFlows>>,
    now: u64,
    actions: Vec<(u64, u32, FlowAction)>,
    /// Those from this one on are the flows' own stops.
    first_stop: usize,
    /// Counts of the scenario's flows when the measured interval began, and when it ended.
    counts_at_boundaries: [Option<Vec<FlowCounts>>; 2],
    /// Number of rows of a table at which [`Simulation::step`] returns after a sample.
    pause_at: usize,
    finished: bool,
    /// Whether quiet acknowledgements take the lean path (`trains`).
    trains: bool,
    /// How many threads may work on it; once that is decided, how many do.
    #[cfg(feature = "time-slices")]
    threads: u32,
    /// Where it goes in time slices.
    time_slices: Option<Box<time_slices::TimeSlices>>,
    /// Whether it is decided how it goes ([`Simulation::begin`]).
    has_begun: bool,
    #[cfg(debug_assertions)]
    events: u64,
    /// When two delay lines were first due at one instant, ns.
    #[cfg(debug_assertions)]
    first_tie: u64,
}

impl Simulation {
    /// Sets up `scenario`.
    ///
    /// # Panics
    /// If it has flows of foreign stacks ([`Scenario::has_stacks`]), which take [`Simulation::with_stacks`], or algorithms that are a
    /// kernel's own ([`cwnd_scenario::kernels_own`]).
    #[must_use]
    pub fn new(scenario: &Scenario) -> Self {
        Self::build(scenario, None)
    }

    /// Sets up `scenario`, whose flows may be of the foreign stacks that `stacks` makes.
    ///
    /// # Errors
    /// [`Invalid`] with the flow whose stack does not make its connection, and why; or with an algorithm that is a kernel's own.
    pub fn with_stacks(scenario: &Scenario, stacks: &dyn Stacks) -> Result<Self, Invalid> {
        if !crate::STACKS {
            scenario.without_stacks("in this build")?;
        }
        scenario.without_kernels_own("in lane sim")?;
        let flows = scenario.has_stacks().then(|| StackFlows::new(scenario, stacks)).transpose()?;
        let mut simulation = Self::build(scenario, flows);
        simulation.show_stacks();
        Ok(simulation)
    }

    fn build(scenario: &Scenario, stacks: Option<StackFlows>) -> Self {
        assert!(stacks.is_some() || !scenario.has_stacks(), "its flows of foreign stacks take `with_stacks`");
        let named = scenario.expand();
        let mut network = Network::new(scenario);
        let background = Background::new(scenario, &mut network);
        let stops = (0u32..).zip(&named).filter_map(|(number, flow)| Some((flow.group.stop?, number)));
        let stops: Vec<_> = stops.map(|(at, number)| (at, number, FlowAction::Stop)).collect();
        let mut actions = scenario.flow_actions();
        let first_stop = actions.len();
        actions.extend(stops);
        let mut simulation = Self {
            scenario_flows: Vec::new(),
            flows: Vec::with_capacity(named.len()),
            free_slots: Vec::new(),
            network,
            background,
            ack_slab: AckSlab::default(),
            timers: Wheel::default(),
            tables: Tables::default(),
            captures: Captures::new(scenario),
            stacks: stacks.map(Box::new),
            now: 0,
            actions,
            counts_at_boundaries: [None, None],
            first_stop,
            pause_at: usize::MAX,
            finished: false,
            trains: true,
            #[cfg(feature = "time-slices")]
            threads: 1,
            time_slices: None,
            has_begun: false,
            #[cfg(debug_assertions)]
            events: 0,
            #[cfg(debug_assertions)]
            first_tie: cwnd_link::NEVER,
            scenario: scenario.clone(),
        };
        for (number, at) in (0..).zip([scenario.measure.0, scenario.measure.1]) {
            simulation.timers.push(at, EventId::new(EventClass::Boundary, number));
        }
        for (number, (flow, recorded)) in named.iter().zip(scenario.recorded()).enumerate() {
            simulation.add_named(number as u32, flow, recorded);
        }
        simulation.scenario_flows = named;
        for number in 0..simulation.background.sources.len() as u32 {
            let at = simulation.background.next(number);
            simulation.wake_source(number, at);
        }
        if scenario.record.interval > 0 {
            simulation.timers.push(0, EventId::new(EventClass::Sampler, 0));
        }
        for (number, (at, flow, action)) in (0..).zip(&simulation.actions) {
            simulation.timers.push(*at, EventId::new(EventClass::Action, number));
            if *action == FlowAction::Stop {
                simulation.flows[*flow as usize].sender.limit_unsent();
            }
        }
        simulation
    }

    fn add_named(&mut self, number: u32, flow: &Flow, recorded: bool) {
        let route = self.network.route_of(flow);
        let has_stack = flow.group.stack.is_some();
        let needs = PathNeeds { receiver_events: has_stack, private_lines: false };
        let path = self.network.attach(route, flow.rtt, needs);
        let mut state = FlowState::new(flow, self.scenario.mss(), path, Owner::Scenario);
        if recorded {
            state.recorded = FlowRecord::Samples;
        }
        if let Some(captures) = self.captures.as_mut().filter(|_| crate::CAPTURES) {
            captures.add(flow, &state);
            if recorded {
                state.capture();
            }
        }
        self.flows.push(state);
        self.choose_ack_path(number);
        self.arm(number);
    }

    /// Handles up to `events` events; returns whether the run is over. The number of events per packet is unspecified: to look at a time, step
    /// to it ([`Simulation::step_to`]). See [`Simulation::pause_at`].
    pub fn step(&mut self, events: u64) -> bool {
        self.step_before(cwnd_link::NEVER, events)
    }

    /// The same, where no window goes beyond `time`, ns.
    fn step_before(&mut self, time: u64, events: u64) -> bool {
        if self.finished {
            return true;
        }
        let mut left = events;
        while left > 0 {
            if crate::TIME_SLICES && !self.has_begun {
                self.begin();
            }
            if crate::TIME_SLICES && self.time_slices.is_some() {
                let Some(stepped) = self.step_in_time_slices(time, left) else {
                    self.finish();
                    return true;
                };
                left = left.saturating_sub(stepped.events.max(1));
                let is_there = time != cwnd_link::NEVER && self.next_event() >= time;
                if is_there || stepped.has_sampled && self.tables.has(self.pause_at) {
                    return false;
                }
                continue;
            }
            #[cfg(debug_assertions)]
            {
                // The more flows, the more expensive the check, so the rarer.
                self.events += 1;
                if self.events.is_multiple_of(64 * (16 + self.flows.len() as u64).pow(2)) {
                    self.check();
                }
                let next = self.network.event_queue.first().time;
                if next == self.network.event_queue.second() && next < self.first_tie {
                    self.first_tie = next;
                }
            }
            let (line, timer) = (self.network.event_queue.first(), self.timers.first());
            let first = line.min(timer);
            if first.time > self.scenario.duration {
                self.finish();
                return true;
            }
            debug_assert!(first.time >= self.now, "time runs forwards");
            self.now = first.time;
            if line < timer {
                left -= self.on_line(first.time, first.id.number(), left);
            } else {
                left -= 1;
                let number = first.id.number();
                match first.id.class() {
                    EventClass::Flow => self.on_timer(first.time, number),
                    EventClass::Rto => self.on_rto_timer(first.time, number),
                    EventClass::Departure => self.on_departure(first.time, number),
                    EventClass::Source => self.on_source(first.time, number),
                    EventClass::Boundary => self.on_boundary(number),
                    EventClass::Action => self.on_action(first.time, number),
                    EventClass::Sampler => {
                        self.on_sampler(first);
                        if self.tables.has(self.pause_at) {
                            return false;
                        }
                    }
                    EventClass::Line => debug_assert!(false, "a delay line among the timers"),
                }
            }
        }
        false
    }

    /// When packets on two delay lines were first due at one nanosecond, so that their order was that of the lines; [`cwnd_link::NEVER`] if
    /// they never were.
    #[cfg(debug_assertions)]
    #[must_use]
    pub const fn first_tie(&self) -> u64 {
        self.first_tie
    }

    /// Simulated time, ns.
    #[must_use]
    pub const fn now(&self) -> u64 {
        self.now
    }

    /// The flows, in the order of their numbers in the tables.
    #[must_use]
    pub fn flows(&self) -> &[Flow] {
        &self.scenario_flows
    }

    /// The links, in the order of their numbers in the tables.
    #[must_use]
    pub fn links(&self) -> &[cwnd_scenario::LinkSpec] {
        &self.scenario.links
    }

    /// From now on [`Simulation::step`] returns early, after a sample, when one of the tables of samples has this many rows, so that
    /// the caller can take them out.
    pub const fn pause_at(&mut self, rows: usize) {
        self.pause_at = rows;
    }

    /// Takes the complete rows out of each table of at least `least` rows, and when the run is over all rows. So the memory of the
    /// tables does not grow with the length of the run. The first transfer that has not ended, and all after it, stay.
    pub fn take_tables(&mut self, least: usize) -> Tables {
        if self.finished { self.tables.take_all() } else { self.tables.take_complete(least) }
    }

    /// Drops the samples and events recorded so far.
    pub fn discard_samples(&mut self) {
        self.tables.discard_samples();
    }

    /// The recorded rows that were not taken out.
    #[must_use]
    pub const fn tables(&self) -> &Tables {
        &self.tables
    }

    /// Counts of one of the scenario's flows in the measured interval, so far.
    fn counts_measured(&self, number: usize) -> FlowCounts {
        let now = self.flows[number].counts();
        let [begin, end] = self
            .counts_at_boundaries
            .each_ref()
            .map(|mark| mark.as_ref().map_or(now, |marked| marked[number]));
        end.since(&begin)
    }

    /// Data packets that the first link has accepted so far and that leave it within the run.
    #[must_use]
    pub const fn packets(&self) -> u64 {
        self.network.links.as_slice()[0].count.data_packets
    }

    /// Name of the flow, or of the traffic group, whose algorithm has failed (`Controller::has_failed`), if one has.
    #[must_use]
    pub fn failed(&self) -> Option<&str> {
        let number = self.flows.iter().position(|flow| flow.sender.driver.cc.has_failed())?;
        match (self.scenario_flows.get(number), self.flows[number].owner) {
            (Some(flow), _) => Some(&flow.name),
            (None, Owner::Source(source, _)) => {
                let group = self.background.sources[source as usize].group;
                Some(&self.scenario.traffic[group as usize].name)
            }
            _ => None,
        }
    }

    /// Whether an algorithm of its flows so far, or of its actions, is not built in.
    #[must_use]
    pub fn has_custom_algorithms(&self) -> bool {
        let is_custom = |controller: &Controller| matches!(controller, Controller::Custom(_));
        self.flows.iter().any(|flow| is_custom(&flow.sender.driver.cc))
            || self.actions.iter().any(|(.., action)| action.controller().as_ref().is_some_and(is_custom))
    }

    /// Slots for flows: the scenario's flows, and the largest number of traffic flows that existed at once.
    #[must_use]
    pub const fn flow_slots(&self) -> usize {
        self.flows.len()
    }

    /// The measured interval begins or ends.
    #[cold]
    fn on_boundary(&mut self, number: u32) {
        self.timers.remove_first();
        let flows = &self.flows[..self.scenario_flows.len()];
        self.counts_at_boundaries[number as usize] = Some(flows.iter().map(FlowState::counts).collect());
    }

    #[cold]
    fn on_action(&mut self, now: u64, number: u32) {
        self.timers.remove_first();
        let (_, flow, action) = self.actions[number as usize].clone();
        if number as usize >= self.first_stop {
            self.note_stop(now, flow);
        } else {
            self.apply_action(now, flow, &action);
        }
    }

    fn finish(&mut self) {
        if self.finished {
            return;
        }
        self.finished = true;
        if let Some((link, what)) = self.network.broken(self.scenario.duration) {
            let name = self.scenario.links.get(link).map_or("an access link", |link| &link.name);
            panic!("{name} did something that a link cannot do: {what}");
        }
        self.now = self.scenario.duration;
        if crate::TIME_SLICES {
            self.leave_time_slices();
        }
        self.receive_remaining();
        if crate::STACKS {
            self.note_unopened();
        }
        for flow in &mut self.flows[..self.scenario_flows.len()] {
            flow.integrate_window(self.now, self.scenario.measure);
        }
    }
}
