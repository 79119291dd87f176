// SPDX-License-Identifier: MIT OR Apache-2.0
//! What came out, over the measured interval.

use crate::engine::Simulation;
use crate::flow::{FlowState, Owner};
use crate::hop::Hop;
use crate::record::Drops;
use crate::traffic::{Asked, Direction, Started, Tally};
use cwnd_scenario::{Flow, Link};

/// The run as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Measured interval, s.
    pub measured_s: (f64, f64),
    /// The links.
    pub links: Vec<LinkSummary>,
    /// Jain's index over the flows' throughputs; 1 when nothing was sent.
    pub jain: f64,
    /// The flows.
    pub flows: Vec<FlowSummary>,
    /// The traffic beside them, each group and way that it uses.
    pub traffic: Vec<TrafficSummary>,
}

/// One link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSummary {
    /// Name.
    pub name: String,
    /// What it could carry, Mbit/s on average.
    pub capacity_mbps: f64,
    /// Wire bits that left it over what it could carry.
    pub utilization: f64,
    /// Packets dropped in the measured interval.
    pub drops: Drops,
    /// Packets dropped over the whole run.
    pub drops_run: Drops,
    /// Mean time that packets waited before their own serialisation, ms.
    pub queue_mean_ms: f64,
    /// Longest such time, ms.
    pub queue_max_ms: f64,
}

/// One flow.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowSummary {
    /// Name.
    pub name: String,
    /// Algorithm or parameter set.
    pub cc: String,
    /// Recovery.
    pub recovery: &'static str,
    /// Round trip time without queueing and serialisation, ms.
    pub rtt_ms: f64,
    /// Start, s.
    pub start_s: f64,
    /// Wire bits that left the flow's last link, Mbit/s.
    pub throughput_mbps: f64,
    /// Payload bits that reached the receiver, each once, Mbit/s.
    pub goodput_mbps: f64,
    /// Throughput over the rate of the flow's slowest link.
    pub share: f64,
    /// Time-weighted mean of the window, segments.
    pub cwnd_mean: f64,
    /// What happened in the measured interval.
    pub measured: FlowCounts,
    /// What happened over the whole run.
    pub run: FlowCounts,
}

/// What is counted of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowCounts {
    /// Data packets sent, retransmissions included.
    pub packets_sent: u64,
    /// Retransmissions among them.
    pub retransmits: u64,
    /// Times that the retransmission timer fired.
    pub timeouts: u64,
    /// Packets dropped at links.
    pub drops: Drops,
}

impl FlowCounts {
    /// What happened since `earlier`.
    #[must_use]
    pub const fn since(&self, earlier: &Self) -> Self {
        Self {
            packets_sent: self.packets_sent - earlier.packets_sent,
            retransmits: self.retransmits - earlier.retransmits,
            timeouts: self.timeouts - earlier.timeouts,
            drops: self.drops.since(&earlier.drops),
        }
    }
}

/// One group of traffic, one way.
#[derive(Clone, Debug, PartialEq)]
pub struct TrafficSummary {
    /// Name of the group.
    pub name: String,
    /// Whether this is the way against the flows.
    pub reverse: bool,
    /// What the scenario's numbers ask of the link.
    pub asked: Asked,
    /// Wire bits of what started, Mbit/s.
    pub offered_mbps: f64,
    /// Wire bits that left the link, retransmissions and all, Mbit/s.
    pub carried_mbps: f64,
    /// Counts of the measured interval.
    pub tally: Tally,
    /// Transfers started and finished, and datagrams sent, over the whole run.
    pub run: Started,
}

impl Summary {
    pub(crate) fn of(simulation: &Simulation) -> Self {
        let scenario = &simulation.scenario;
        let hops = &simulation.network.hops;
        let links: Vec<LinkSummary> =
            scenario.links.iter().zip(hops).map(|(link, hop)| of_link(link, hop, scenario.measure)).collect();
        let flows: Vec<FlowSummary> = simulation
            .named
            .iter()
            .zip(&simulation.flows)
            .enumerate()
            .map(|(number, (flow, state))| {
                let measured = simulation.counts_measured(number);
                of_flow(simulation, flow, state, &links, measured)
            })
            .collect();
        let (from, to) = scenario.measure;
        Self {
            measured_s: (from as f64 / 1e9, to as f64 / 1e9),
            jain: jain(&flows),
            links,
            flows,
            traffic: of_traffic(simulation),
        }
    }

    /// The first link.
    #[must_use]
    pub fn link(&self) -> &LinkSummary {
        &self.links[0]
    }
}

fn of_link(link: &Link, hop: &Hop, (from, to): (u64, u64)) -> LinkSummary {
    let seconds = (to - from) as f64 / 1e9;
    let count = &hop.count;
    let capacity = hop.capacity_bits(from, to);
    LinkSummary {
        name: link.name.clone(),
        capacity_mbps: capacity / seconds / 1e6,
        utilization: if capacity > 0.0 { (count.measured_bytes * 8) as f64 / capacity } else { 0.0 },
        drops: count.drops_measured,
        drops_run: count.drops,
        queue_mean_ms: if count.measured == 0 {
            0.0
        } else {
            count.wait_sum as f64 / count.measured as f64 / 1e6
        },
        queue_max_ms: count.wait_max as f64 / 1e6,
    }
}

fn of_flow(
    simulation: &Simulation,
    flow: &Flow,
    state: &FlowState,
    links: &[LinkSummary],
    measured: FlowCounts,
) -> FlowSummary {
    let scenario = &simulation.scenario;
    let (from, to) = scenario.measure;
    let seconds = (to - from) as f64 / 1e9;
    let wire = (state.forwarded_bytes(scenario.packet_size) * 8) as f64;
    let payload = state.count.distinct_measured * u64::from(scenario.mss()) - state.count.distinct_short;
    let payload = (payload * 8) as f64;
    let active = to.saturating_sub(from.max(flow.start)).max(1);
    let slowest =
        flow.path.iter().map(|&link| links[link as usize].capacity_mbps).fold(f64::INFINITY, f64::min);
    let throughput_mbps = wire / seconds / 1e6;
    FlowSummary {
        name: flow.name.clone(),
        cc: flow.group.cc.clone(),
        recovery: flow.recovery.name(),
        rtt_ms: flow.rtt as f64 / 1e6,
        start_s: flow.start as f64 / 1e9,
        throughput_mbps,
        goodput_mbps: payload / seconds / 1e6,
        share: if slowest > 0.0 { throughput_mbps / slowest } else { 0.0 },
        cwnd_mean: state.count.cwnd_ns as f64 / active as f64,
        measured,
        run: state.counts(),
    }
}

fn of_traffic(simulation: &Simulation) -> Vec<TrafficSummary> {
    let scenario = &simulation.scenario;
    let interval = scenario.measure.1 - scenario.measure.0;
    let background = &simulation.background;
    let mut loads: Vec<_> = background.groups.iter().map(|running| running.load).collect();
    // What those that still run have carried.
    for flow in &simulation.flows[simulation.named.len()..] {
        if let Owner::Source(source, way) = flow.owner {
            let load = &mut loads[background.sources[source as usize].group as usize];
            let carried = flow.forwarded_bytes(scenario.packet_size);
            load.carried(Direction::ALL[usize::from(way)], carried);
        }
    }
    let mut rows = Vec::new();
    for ((traffic, running), load) in scenario.traffic.iter().zip(&background.groups).zip(&loads) {
        for way in Direction::ALL {
            let (asked, tally, run) = (running.group.asked(way), load.of(way), *load.over_the_run(way));
            if asked == Asked::Rate(0.0) && *tally == Tally::default() && run == Started::default() {
                continue;
            }
            rows.push(TrafficSummary {
                name: traffic.name.clone(),
                reverse: way == Direction::Reverse,
                asked,
                offered_mbps: tally.offered(interval) / 1e6,
                carried_mbps: tally.carried(interval) / 1e6,
                tally: *tally,
                run,
            });
        }
    }
    rows
}

/// (Σx)² / (n Σx²) over the throughputs (RFC 5166 §2.3).
fn jain(flows: &[FlowSummary]) -> f64 {
    let sum: f64 = flows.iter().map(|flow| flow.throughput_mbps).sum();
    let squares: f64 = flows.iter().map(|flow| flow.throughput_mbps.powi(2)).sum();
    if squares == 0.0 { 1.0 } else { sum * sum / (flows.len() as f64 * squares) }
}
