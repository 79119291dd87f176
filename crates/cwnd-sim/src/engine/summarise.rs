// SPDX-License-Identifier: MIT OR Apache-2.0
//! Makes the summary of a simulation.

use super::Simulation;
use crate::tcp::{FlowState, Owner};
use cwnd_link::{Link, LinkConfig};
use cwnd_record::{
    FlowCounts, FlowSummary, LinkSummary, RateRow, ReceiveLimit, Summary, TrafficSummary, TransferCounts,
    WaitRow,
};
use cwnd_scenario::{Flow, FlowAction, LinkSpec, Scenario};
use cwnd_traffic::{AskedLoad, Direction, Load, TrafficCounts, TrafficGroup};

impl Simulation {
    /// The summary of the measured interval.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let scenario = &self.scenario;
        let running = &self.network.links;
        let links: Vec<LinkSummary> = (0..)
            .zip(scenario.links.iter().zip(running))
            .map(|(number, (spec, link))| link_summary(number, spec, link, scenario.measure))
            .collect();
        let flows: Vec<FlowSummary> = self
            .scenario_flows
            .iter()
            .zip(&self.flows)
            .enumerate()
            .map(|(number, (flow, state))| {
                let read = self.stacks.as_ref().and_then(|all| all.read_measured(number));
                let measured = (self.counts_measured(number), read);
                FlowSummary { number: number as u32, ..of_flow(self, flow, state, &links, measured) }
            })
            .collect();
        let receive_limits = (0..)
            .zip(self.scenario_flows.iter().zip(&flows))
            .filter_map(|(number, (flow, summary))| {
                let receive_window = receive_window(scenario, flow)?;
                let limits = self.receive_window_limits(number, flow, summary, &links, receive_window);
                limits.then_some(ReceiveLimit { flow: number, receive_window })
            })
            .collect();
        let (from, to) = scenario.measure;
        Summary {
            measured_s: (from as f64 / 1e9, to as f64 / 1e9),
            jain: jain(&flows),
            links,
            flows,
            traffic: of_traffic(self),
            failures: self.failures().to_vec(),
            receive_limits,
        }
    }

    /// Whether its receive window, full packets, limited a flow in the measured interval: its congestion window was not the smaller one,
    /// its application writes at least a window per round trip, and if its data may have ended or paused, about so much left its last link.
    fn receive_window_limits(
        &self,
        number: u32,
        flow: &Flow,
        summary: &FlowSummary,
        links: &[LinkSummary],
        receive_window: f64,
    ) -> bool {
        let group = &flow.group;
        let scenario = &self.scenario;
        let payload = if group.stack.is_some() { scenario.datagram() } else { scenario.mss() };
        let queues = summary.path.iter().chain(&summary.reverse_path);
        let rtt_ms = summary.rtt_ms + queues.map(|&link| links[link as usize].queue_mean_ms).sum::<f64>();
        let window_mbps = |bytes: u32| receive_window * f64::from(bytes) * 8.0 / (rtt_ms * 1e3);
        let application = group.app_rate.map_or(f64::INFINITY, |rate| rate as f64 / 1e6);
        let stops =
            self.actions.iter().any(|(_, of, action)| *of == number && matches!(action, FlowAction::Stop));
        let may_idle = group.app_rate.is_some() || group.size.is_some() || stops;
        let about_a_window = 0.9 * window_mbps(scenario.packet_size);
        summary.cwnd_mean >= receive_window
            && application >= window_mbps(payload)
            && (!may_idle || summary.throughput_mbps >= about_a_window)
    }

    /// Queueing delays of the packets that left each link in the measured interval, by classes that rise.
    #[must_use]
    pub fn waits(&self) -> Vec<WaitRow> {
        (0..).zip(&self.network.links).flat_map(|(number, link)| link_waits(number, link)).collect()
    }
}

/// The receive window of a flow, full packets; `None` where there is no limit, or none that is known.
fn receive_window(scenario: &Scenario, flow: &Flow) -> Option<f64> {
    let asked = flow.group.rwnd.map(f64::from);
    let of_stack = || Some(flow.group.stack?.receive_window()? as f64 / f64::from(scenario.datagram()));
    asked.or_else(of_stack)
}

/// The rates of a scenario's links over the time of the run, link by link; each has one from time 0 on, and a link without a rate none.
#[must_use]
pub fn rates(scenario: &Scenario) -> Vec<RateRow> {
    let of_link = |(link, config): (u32, LinkConfig)| {
        let steps = config.server.rate().map(|rate| rate.steps(scenario.duration));
        steps.into_iter().flatten().map(move |(from_ns, rate_bps)| RateRow { link, from_ns, rate_bps })
    };
    (0..).zip(scenario.link_configs()).flat_map(of_link).collect()
}

/// A link's queueing delays. No class stands for a longer one than the longest.
pub fn link_waits<P>(link: u32, running: &Link<P>) -> impl Iterator<Item = WaitRow> {
    let longest = running.count.wait_max;
    running.waits.rows().map(move |(wait, packets)| WaitRow { link, wait_ns: wait.min(longest), packets })
}

/// The delay that at least this many of 100 packets did not exceed, ms: the nearest rank. 0 when none left.
fn percentile_ms(waits: &[WaitRow], packets: u64, part: u64) -> f64 {
    let rank = (packets * part).div_ceil(100).max(1);
    let mut so_far = 0;
    let reached = waits.iter().find(|row| {
        so_far += row.packets;
        so_far >= rank
    });
    reached.map_or(0.0, |row| row.wait_ns as f64 / 1e6)
}

/// A link's summary over the measured interval, ns.
#[must_use]
pub fn link_summary<P>(number: u32, spec: &LinkSpec, link: &Link<P>, (from, to): (u64, u64)) -> LinkSummary {
    let seconds = (to - from) as f64 / 1e9;
    let count = &link.count;
    let capacity = link.rate().map(|rate| rate.capacity(from, to) as f64 / 1e9);
    let waits: Vec<WaitRow> = link_waits(number, link).collect();
    let packets = waits.iter().map(|row| row.packets).sum();
    LinkSummary {
        number,
        name: spec.name.clone(),
        from: spec.from.clone(),
        to: spec.to.clone(),
        packets,
        capacity_mbps: capacity.map(|bits| bits / seconds / 1e6),
        utilization: capacity.filter(|bits| *bits > 0.0).map(|bits| (count.measured_bytes * 8) as f64 / bits),
        drops: count.drops_measured,
        drops_run: count.drops,
        marks: count.marks_measured,
        marks_run: count.marks,
        queue_mean_ms: if count.measured_packets == 0 {
            0.0
        } else {
            count.wait_sum as f64 / count.measured_packets as f64 / 1e6
        },
        queue_percentiles_ms: [50, 95, 99].map(|part| percentile_ms(&waits, packets, part)),
        queue_max_ms: count.wait_max as f64 / 1e6,
    }
}

fn of_flow(
    simulation: &Simulation,
    flow: &Flow,
    state: &FlowState,
    links: &[LinkSummary],
    (measured, read): (FlowCounts, Option<u64>),
) -> FlowSummary {
    let scenario = &simulation.scenario;
    let (from, to) = scenario.measure;
    let seconds = (to - from) as f64 / 1e9;
    let wire = (state.forwarded_bytes(scenario.packet_size) * 8) as f64;
    let of_tcp = || state.count.distinct_measured * u64::from(scenario.mss()) - state.count.distinct_short;
    let payload = (read.unwrap_or_else(of_tcp) * 8) as f64;
    let active = to.saturating_sub(from.max(flow.start)).max(1);
    let throughput_mbps = wire / seconds / 1e6;
    FlowSummary {
        number: 0,
        name: flow.name.clone(),
        label: flow.label.to_string(),
        cc: flow.group.cc.clone(),
        recovery: flow.group.stack.map_or(flow.recovery.name(), cwnd_scenario::Stack::name),
        rtt_ms: flow.rtt as f64 / 1e6,
        start_s: flow.start as f64 / 1e9,
        throughput_mbps,
        goodput_mbps: payload / seconds / 1e6,
        share: share(throughput_mbps, flow, links),
        cwnd_mean: state.count.cwnd_ns.get() as f64 / active as f64,
        measured,
        run: state.counts(),
        path: flow.path.to_vec(),
        reverse_path: flow.reverse_path.to_vec(),
    }
}

/// A flow's throughput over the capacity of its slowest link; `None` where no link on its path has a capacity.
#[must_use]
pub fn share(throughput_mbps: f64, flow: &Flow, links: &[LinkSummary]) -> Option<f64> {
    let capacities = flow.path.iter().filter_map(|&link| links[link as usize].capacity_mbps);
    let slowest = capacities.reduce(f64::min).filter(|capacity| *capacity > 0.0)?;
    Some(throughput_mbps / slowest)
}

fn of_traffic(simulation: &Simulation) -> Vec<TrafficSummary> {
    let scenario = &simulation.scenario;
    let background = &simulation.background;
    let mut loads: Vec<_> = background.groups.iter().map(|running| running.load).collect();
    // What those that still run have carried.
    for flow in &simulation.flows[simulation.scenario_flows.len()..] {
        if let Owner::Source(source, direction) = flow.owner {
            let load = &mut loads[background.sources[source as usize].group as usize];
            let carried = flow.forwarded_bytes(scenario.packet_size);
            load.carried(direction, carried);
        }
    }
    traffic_summaries(scenario, background.groups.iter().map(|running| &running.group).zip(&loads))
}

/// A summary of each group of traffic and direction that asks for something, or sent something. The groups are in the scenario's order.
pub fn traffic_summaries<'a>(
    scenario: &Scenario,
    groups: impl Iterator<Item = (&'a TrafficGroup, &'a Load)>,
) -> Vec<TrafficSummary> {
    let interval = scenario.measure.1 - scenario.measure.0;
    let mut rows = Vec::new();
    for (traffic, (group, load)) in scenario.traffic.iter().zip(groups) {
        for direction in Direction::ALL {
            let (asked, measured, run) =
                (group.asked(direction), load.measured(direction), load.run(direction));
            let nothing = TrafficCounts::default();
            if asked == AskedLoad::Rate(0.0) && *measured == nothing && *run == nothing {
                continue;
            }
            let (asked, bits) = asked.in_words();
            rows.push(TrafficSummary {
                name: traffic.name.clone(),
                senders: traffic.senders_text(),
                reverse: direction == Direction::Reverse,
                asked,
                asked_mbps: bits.map(|bits| bits / 1e6),
                offered_mbps: measured.offered(interval) / 1e6,
                carried_mbps: measured.carried(interval) / 1e6,
                measured: transfer_counts(measured),
                run: transfer_counts(run),
            });
        }
    }
    rows
}

const fn transfer_counts(counts: &TrafficCounts) -> TransferCounts {
    let TrafficCounts { transfers, finished, datagrams, .. } = *counts;
    TransferCounts { transfers, finished, datagrams }
}

/// Jain's index: (Σx)² / (n Σx²) over the throughputs (RFC 5166 §2.3); 1 when nothing was sent.
#[must_use]
pub fn jain(flows: &[FlowSummary]) -> f64 {
    let sum: f64 = flows.iter().map(|flow| flow.throughput_mbps).sum();
    let squares: f64 = flows.iter().map(|flow| flow.throughput_mbps.powi(2)).sum();
    if squares == 0.0 { 1.0 } else { sum * sum / (flows.len() as f64 * squares) }
}
