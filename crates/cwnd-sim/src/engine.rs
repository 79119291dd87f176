// SPDX-License-Identifier: MIT OR Apache-2.0
//! The event loop.

use crate::bottleneck::Bottleneck;
use crate::flow::{FlowState, Happened};
use crate::heap::Heap;
use crate::record::{EventKind, Tables};
use crate::summary::Summary;
use cwnd_scenario::{Flow, Inner, Scenario};

/// A simulation: built from a scenario, stepped to its end, then read.
#[derive(Debug)]
pub struct Simulation {
    scenario: Scenario,
    named: Vec<Flow>,
    flows: Vec<FlowState>,
    link: Bottleneck,
    heap: Heap,
    tables: Tables,
    now: u64,
    /// Number of the source that takes samples.
    sampler: u32,
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
    /// In the bottleneck.
    pub queued: u64,
    /// Behind it, on the way.
    pub in_flight: u64,
    /// Dropped or lost.
    pub dropped: u64,
}

impl Simulation {
    /// Sets up `scenario`.
    #[must_use]
    pub fn new(scenario: &Scenario) -> Self {
        let named = scenario.expand();
        let flows: Vec<FlowState> = named.iter().map(|flow| FlowState::new(flow, scenario.mss())).collect();
        let mut heap = Heap::default();
        for (number, flow) in flows.iter().enumerate() {
            heap.push(flow.next_event(), number as u32);
        }
        let sampler = flows.len() as u32;
        if scenario.record.interval > 0 {
            heap.push(0, sampler);
        }
        let link = Bottleneck::new(scenario);
        Self {
            scenario: scenario.clone(),
            named,
            flows,
            link,
            heap,
            tables: Tables::default(),
            now: 0,
            sampler,
        }
    }

    /// Handles up to `events` events; returns whether the run is over.
    pub fn step(&mut self, events: u64) -> bool {
        for _ in 0..events {
            let Some((time, source)) = self.heap.first() else {
                self.finish();
                return true;
            };
            if time > self.scenario.duration {
                self.finish();
                return true;
            }
            debug_assert!(time >= self.now, "time runs forwards");
            self.now = time;
            let next = if source == self.sampler { self.sample(time) } else { self.on_flow(time, source) };
            self.heap.replace_first(next);
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

    /// What was recorded so far.
    #[must_use]
    pub const fn tables(&self) -> &Tables {
        &self.tables
    }

    /// The summary of the measured interval.
    #[must_use]
    pub fn summary(&self) -> Summary {
        Summary::of(&self.scenario, &self.named, &self.flows, &self.link)
    }

    /// Data packets that left the bottleneck within the run, so far.
    #[must_use]
    pub const fn packets(&self) -> u64 {
        self.link.packets
    }

    /// Where every packet is now, flow by flow.
    #[must_use]
    pub fn audit(&self) -> Vec<Audit> {
        let at = |flow: &FlowState| {
            let queued = flow.queued_at(self.now);
            Audit {
                sent: flow.sender.sent.packets,
                arrived: flow.receiver.arrived,
                at_host: flow.host.len(),
                queued,
                in_flight: flow.pipe.len() as u64 - queued,
                dropped: flow.count.dropped.iter().sum(),
            }
        };
        self.flows.iter().map(at).collect()
    }

    #[inline]
    fn on_flow(&mut self, now: u64, number: u32) -> u64 {
        let flow = &mut self.flows[number as usize];
        let measure = self.scenario.measure;
        let before = (flow.sender.driver.conn.ca_state, flow.sender.driver.recovery_end());
        let happened = flow.on_event(now, measure);
        match happened {
            Happened::Packet => return flow.next_event(), // the sender knows nothing of it yet
            Happened::Departure => return self.depart(now, number),
            Happened::Ack => {}
            Happened::Timeout => self.tables.event(now, number, EventKind::Timeout, 0, flow),
            Happened::Start => self.tables.event(now, number, EventKind::Start, 0, flow),
        }
        // A loss beyond the data of one recovery begins another: same state, new episode.
        let after = (flow.sender.driver.conn.ca_state, flow.sender.driver.recovery_end());
        if after != before {
            self.tables.event(now, number, EventKind::State, after.0 as u64, flow);
        }
        while let Some(position) = flow.sender.send(now) {
            if flow.host.delays() {
                flow.host.push(now, position);
                continue;
            }
            match self.link.offer(now) {
                Ok(departs) => flow.accept(now, departs, position, measure),
                Err(kind) => {
                    flow.count.dropped[usize::from(kind == EventKind::DropLoss)] += 1;
                    self.tables.event(now, number, kind, position, flow);
                }
            }
        }
        flow.sender.end_burst();
        flow.note_window(now, measure);
        if self.scenario.record.per_ack && happened == Happened::Ack {
            self.tables.sample_flow(now, number, flow);
            if self.scenario.record.inner != Inner::Off {
                self.tables.sample_inner(now, number, flow, &self.scenario.record.inner);
            }
        }
        flow.next_event()
    }

    /// A packet leaves its host for the bottleneck.
    fn depart(&mut self, now: u64, number: u32) -> u64 {
        let flow = &mut self.flows[number as usize];
        if let Some(packet) = flow.host.pop() {
            match self.link.offer(now) {
                Ok(departs) => flow.accept(packet.at, departs, packet.position, self.scenario.measure),
                Err(kind) => {
                    flow.count.dropped[usize::from(kind == EventKind::DropLoss)] += 1;
                    self.tables.event(now, number, kind, packet.position, flow);
                }
            }
        }
        flow.next_event()
    }

    #[cold]
    fn sample(&mut self, now: u64) -> u64 {
        if !self.scenario.record.per_ack {
            for (number, flow) in self.flows.iter().enumerate() {
                self.tables.sample_flow(now, number as u32, flow);
                if self.scenario.record.inner != Inner::Off {
                    self.tables.sample_inner(now, number as u32, flow, &self.scenario.record.inner);
                }
            }
        }
        let backlog = self.link.backlog(now);
        self.tables.sample_queue(now, backlog, self.link.drops[0], self.link.drops[1]);
        now + self.scenario.record.interval
    }

    fn finish(&mut self) {
        self.now = self.scenario.duration;
        for flow in &mut self.flows {
            flow.close_window(self.now, self.scenario.measure);
        }
    }
}
