// SPDX-License-Identifier: MIT OR Apache-2.0
//! Samples: the rows of windows, inner variables and queues at a time.

use super::Simulation;
use crate::schedule::Entry;
use cwnd_scenario::InnerVariables;

impl Simulation {
    #[cold]
    pub(super) fn on_sampler(&mut self, sampler: Entry) {
        self.sample(sampler.time);
        let time = sampler.time + self.scenario.record.interval;
        self.timers.replace_first(Entry { time, ..sampler });
    }

    /// Counts the packets that have left their link by `now`, for all flows.
    pub(super) fn count_forwarded(&mut self, now: u64) {
        self.count_forwarded_in_time_slices(now);
        let flows = &mut self.flows;
        for line in &mut self.network.lines {
            line.pass(now, |packet| {
                if let Some(flow) = packet.flow_behind_last_link() {
                    flows[flow as usize].count.forwarded += 1;
                }
            });
        }
    }

    /// Writes the rows of a flow in the tables `cwnd` and `inner`.
    pub(super) fn sample_window(&mut self, now: u64, number: u32) {
        let flow = &self.flows[number as usize];
        self.tables.sample_flow(now, number, flow);
        if self.scenario.record.inner != InnerVariables::Off {
            self.tables.sample_inner(now, number, flow, &self.scenario.record.inner);
        }
    }

    #[cold]
    fn sample(&mut self, now: u64) {
        if !self.scenario.record.per_ack {
            self.count_forwarded(now);
            for number in 0..self.scenario_flows.len() as u32 {
                if self.flows[number as usize].is_recorded() {
                    self.sample_window(now, number);
                }
            }
        }
        for number in 0..self.scenario.links.len() {
            let link = &mut self.network.links[number];
            let backlog = link.backlog(now);
            self.tables.sample_queue(now, number as u32, backlog, link.count.drops);
        }
    }
}
