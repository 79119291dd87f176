// SPDX-License-Identifier: MIT OR Apache-2.0
//! What comes of a run.

use super::{Finished, Lab};
use crate::application::FlowReport;
use crate::carrier::CarrierReport;
use crate::host::kernel_release;
use crate::scenario_clock::Pauses;
use crate::transfers::TrafficReport;
use cwnd_record::{FlowCounts, FlowSummary, LinkSummary, Summary, TrafficSummary, TransferRow, WaitRow};
use cwnd_scenario::RouteSpec;
use cwnd_traffic::Direction;

/// What the emulator says of itself, and of the machine that it ran on.
#[derive(Clone, Debug)]
pub struct Report {
    /// The kernel's release.
    pub kernel: String,
    /// Name of each flow's algorithm in the kernel.
    pub algorithms: Vec<String>,
    /// Of each group of traffic the same; none where it sends datagrams.
    pub traffic_algorithms: Vec<Option<String>>,
    /// Settings of the senders' host, offloads of its device, parameters of the kernel's own algorithms that were used: names and values.
    pub settings: Vec<(String, String)>,
    /// Packets delivered to a host.
    pub packets: u64,
    /// Lateness of their delivery, ns: p50, p99, p99.9, worst.
    pub lateness: [u64; 4],
    /// Pauses of the machine.
    pub pauses: Pauses,
    /// How late one in a hundred of the applications' starts, stops and looks was, ns.
    pub late_applications: u64,
    /// CPU time of the emulator's thread, s.
    pub cpu_s: f64,
    /// Whether the emulator's thread ran in the real-time class.
    pub real_time: bool,
    /// Packets of no flow, which were not delivered.
    pub foreign: u64,
    /// Duplicates that receivers have told of by D-SACK.
    pub duplicates: u64,
}

impl Lab {
    pub(super) fn transfers(&self, reports: &[FlowReport]) -> Vec<TransferRow> {
        let sized =
            (0..).zip(self.flows.iter().zip(reports)).filter(|(_, (flow, _))| flow.group.size.is_some());
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

    /// The summary of the measured interval; `None` before the run is over.
    #[must_use]
    pub fn summary(&self) -> Option<Summary> {
        let Finished { carrier, flows, traffic, .. } = self.finished.as_ref()?;
        let (from, to) = self.scenario.measure;
        let links: Vec<LinkSummary> = (0..)
            .zip(self.scenario.links.iter().zip(carrier.emulator.links()))
            .map(|(number, (spec, link))| cwnd_sim::link_summary(number, spec, link, self.scenario.measure))
            .collect();
        let flows: Vec<FlowSummary> = (0..)
            .zip(flows)
            .map(|(number, report)| self.flow_summary(number, report, carrier, &links))
            .collect();
        Some(Summary {
            measured_s: (from as f64 / 1e9, to as f64 / 1e9),
            jain: cwnd_sim::jain(&flows),
            links,
            flows,
            traffic: self.traffic_summaries(traffic, carrier),
            failures: Vec::new(),
            receive_limits: Vec::new(),
        })
    }

    fn traffic_summaries(&self, traffic: &TrafficReport, carrier: &CarrierReport) -> Vec<TrafficSummary> {
        let loads: Vec<_> = (0..)
            .zip(&traffic.groups)
            .map(|(number, group)| {
                let (mut load, first) = (group.load, self.flows.len() as u32 + 2 * number);
                for direction in Direction::ALL {
                    let carried = carrier.emulator.forwarded(first + direction as u32).measured_bytes;
                    load.carried(direction, carried);
                }
                load
            })
            .collect();
        let generators = traffic.groups.iter().map(|group| &group.generator);
        cwnd_sim::traffic_summaries(&self.scenario, generators.zip(&loads))
    }

    fn flow_summary(
        &self,
        number: u32,
        report: &FlowReport,
        carrier: &CarrierReport,
        links: &[LinkSummary],
    ) -> FlowSummary {
        let flow = &self.flows[number as usize];
        let (from, to) = self.scenario.measure;
        let seconds = (to - from) as f64 / 1e9;
        let [begin, end, run] = report.counts;
        let drops = carrier.drops[number as usize];
        let bits = |bytes: u64| (bytes * 8) as f64 / seconds / 1e6;
        let throughput_mbps = bits(carrier.emulator.forwarded(number).measured_bytes);
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
            goodput_mbps: bits(carrier.distinct_measured[number as usize]),
            share: cwnd_sim::share(throughput_mbps, flow, links),
            cwnd_mean: report.window_ns as f64 / active as f64,
            measured: FlowCounts { drops: drops[0], ..end.since(&begin) },
            run: FlowCounts { drops: drops[1], ..run },
            path: flow.path.to_vec(),
            reverse_path: flow.reverse_path.to_vec(),
        }
    }

    /// Queueing delays, as the simulator's; empty before the run is over.
    #[must_use]
    pub fn waits(&self) -> Vec<WaitRow> {
        let Some(Finished { carrier, .. }) = &self.finished else { return Vec::new() };
        let links = carrier.emulator.links().iter().take(self.scenario.links.len());
        (0..).zip(links).flat_map(|(number, link)| cwnd_sim::link_waits(number, link)).collect()
    }

    /// What the emulator says of itself; `None` before the run is over.
    #[must_use]
    pub fn report(&self) -> Option<Report> {
        let Finished { carrier, flows, late_applications, settings, .. } = self.finished.as_ref()?;
        let late = &carrier.lateness;
        Some(Report {
            kernel: kernel_release(),
            algorithms: self.algorithms.names().map(str::to_owned).collect(),
            traffic_algorithms: self
                .algorithms
                .names_of_traffic()
                .map(|name| name.map(str::to_owned))
                .collect(),
            settings: settings.clone(),
            packets: late.packets(),
            pauses: carrier.pauses,
            lateness: [late.per_mille(500), late.per_mille(990), late.per_mille(999), late.worst()],
            late_applications: *late_applications,
            cpu_s: carrier.cpu_s,
            real_time: carrier.real_time,
            foreign: carrier.foreign,
            duplicates: flows.iter().map(|flow| u64::from(flow.duplicates)).sum(),
        })
    }
}
