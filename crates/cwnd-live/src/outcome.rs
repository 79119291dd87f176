// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a run came to: what its links counted and what its applications saw, as one summary.

use crate::application::FlowReport;
use crate::crossing::CrossingReport;
use crate::transfers::TrafficReport;
use cwnd_record::{FlowCounts, FlowSummary, LinkSummary, Summary, TrafficSummary, TransferRow, WaitRow};
use cwnd_scenario::{Flow, RouteSpec, Scenario};
use cwnd_traffic::Direction;

/// A run that is over.
#[derive(Debug)]
pub struct Outcome {
    /// What has happened between the hosts.
    pub crossing: CrossingReport,
    /// What each flow's application saw.
    pub flows: Vec<FlowReport>,
    /// Traffic.
    pub traffic: TrafficReport,
}

/// The transfers of flows that have an end.
#[must_use]
pub fn transfers_of_flows(flows: &[Flow], reports: &[FlowReport]) -> Vec<TransferRow> {
    let sized = (0..).zip(flows.iter().zip(reports)).filter(|(_, (flow, _))| flow.group.size.is_some());
    sized
        .map(|(number, (flow, report))| TransferRow {
            group: None,
            number,
            start_ns: flow.start,
            end_ns: report.finished,
            bytes: flow.group.size,
            rtt_ns: flow.rtt,
            reverse: flow.group.route == RouteSpec::Reverse,
        })
        .collect()
}

impl Outcome {
    /// The summary of the measured interval; `flows` are those of the scenario.
    #[must_use]
    pub fn summary(&self, scenario: &Scenario, flows: &[Flow]) -> Summary {
        let (from, to) = scenario.measure;
        let links: Vec<LinkSummary> = (0..)
            .zip(scenario.links.iter().zip(self.crossing.emulator.links()))
            .map(|(number, (spec, link))| cwnd_sim::link_summary(number, spec, link, scenario.measure))
            .collect();
        let summaries: Vec<FlowSummary> = (0..)
            .zip(flows.iter().zip(&self.flows))
            .map(|(number, (flow, report))| self.flow_summary(number, flow, report, scenario, &links))
            .collect();
        Summary {
            measured_s: (from as f64 / 1e9, to as f64 / 1e9),
            jain: cwnd_sim::jain(&summaries),
            links,
            flows: summaries,
            traffic: self.traffic_summaries(scenario, flows.len()),
            failures: Vec::new(),
            receive_limits: Vec::new(),
        }
    }

    /// Queueing delays, as the simulator's.
    #[must_use]
    pub fn waits(&self, scenario: &Scenario) -> Vec<WaitRow> {
        let links = self.crossing.emulator.links().iter().take(scenario.links.len());
        (0..).zip(links).flat_map(|(number, link)| cwnd_sim::link_waits(number, link)).collect()
    }

    fn traffic_summaries(&self, scenario: &Scenario, flows: usize) -> Vec<TrafficSummary> {
        let loads: Vec<_> = (0..)
            .zip(&self.traffic.groups)
            .map(|(number, group)| {
                let (mut load, first) = (group.load, flows as u32 + 2 * number);
                for direction in Direction::ALL {
                    let carried = self.crossing.emulator.forwarded(first + direction as u32).measured_bytes;
                    load.carried(direction, carried);
                }
                load
            })
            .collect();
        let generators = self.traffic.groups.iter().map(|group| &group.generator);
        cwnd_sim::traffic_summaries(scenario, generators.zip(&loads))
    }

    fn flow_summary(
        &self,
        number: u32,
        flow: &Flow,
        report: &FlowReport,
        scenario: &Scenario,
        links: &[LinkSummary],
    ) -> FlowSummary {
        let (from, to) = scenario.measure;
        let seconds = (to - from) as f64 / 1e9;
        let [begin, end, run] = report.counts;
        let drops = self.crossing.drops[number as usize];
        let bits = |bytes: u64| (bytes * 8) as f64 / seconds / 1e6;
        let throughput_mbps = bits(self.crossing.emulator.forwarded(number).measured_bytes);
        let active = to.saturating_sub(from.max(flow.start)).max(1);
        FlowSummary {
            number,
            name: flow.name.clone(),
            label: flow.label.to_string(),
            cc: flow.group.cc.clone(),
            recovery: "linux",
            rtt_ms: flow.rtt as f64 / 1e6,
            start_s: flow.start as f64 / 1e9,
            throughput_mbps,
            goodput_mbps: bits(self.crossing.distinct_measured[number as usize]),
            share: cwnd_sim::share(throughput_mbps, flow, links),
            cwnd_mean: report.window_ns as f64 / active as f64,
            measured: FlowCounts { drops: drops[0], ..end.since(&begin) },
            run: FlowCounts { drops: drops[1], ..run },
            path: flow.path.to_vec(),
            reverse_path: flow.reverse_path.to_vec(),
        }
    }
}
