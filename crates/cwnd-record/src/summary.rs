// SPDX-License-Identifier: MIT OR Apache-2.0
//! The summary of a run, over the measured interval.

use crate::counts::FlowCounts;
use cwnd_link::Drops;

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
    /// The traffic, per group and direction.
    pub traffic: Vec<TrafficSummary>,
}

/// One link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSummary {
    /// Number.
    pub number: u32,
    /// Name.
    pub name: String,
    /// The nodes that it leads from and to.
    pub from: String,
    /// See `from`.
    pub to: String,
    /// Its mean capacity, Mbit/s.
    pub capacity_mbps: f64,
    /// Wire bits that left it, divided by its capacity.
    pub utilization: f64,
    /// Packets that left it in the measured interval.
    pub packets: u64,
    /// Packets dropped in the measured interval.
    pub drops: Drops,
    /// Packets dropped over the whole run.
    pub drops_run: Drops,
    /// Mean queueing delay, without the packet's own serialisation, ms.
    pub queue_mean_ms: f64,
    /// Queueing delay that 50, 95 and 99 % of the packets did not exceed, ms (nearest rank, within 1/128); 0 when none left.
    pub queue_percentiles_ms: [f64; 3],
    /// Max queueing delay, ms.
    pub queue_max_ms: f64,
}

/// One flow.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowSummary {
    /// Number.
    pub number: u32,
    /// Name.
    pub name: String,
    /// Label of its group.
    pub label: String,
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
    /// Counts of the measured interval.
    pub measured: FlowCounts,
    /// Counts of the whole run.
    pub run: FlowCounts,
    /// Numbers of the links that its data cross.
    pub path: Vec<u32>,
    /// Numbers of the links that its acknowledgements cross.
    pub reverse_path: Vec<u32>,
}

/// One traffic group, one direction.
#[derive(Clone, Debug, PartialEq)]
pub struct TrafficSummary {
    /// Name of the group.
    pub name: String,
    /// Whether this is the reverse direction.
    pub reverse: bool,
    /// What kind of load the scenario asks for: `rate`, `at most`, `everything`, or `no mean` where the mean does not exist.
    pub asked: &'static str,
    /// The load that the scenario asks for, Mbit/s, where the kind has one.
    pub asked_mbps: Option<f64>,
    /// Wire bits of what started, Mbit/s.
    pub offered_mbps: f64,
    /// Wire bits that left the link, retransmissions included, Mbit/s.
    pub carried_mbps: f64,
    /// Counts of the measured interval.
    pub measured: TransferCounts,
    /// Counts of the whole run.
    pub run: TransferCounts,
}

/// Counts of a traffic group in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransferCounts {
    /// Transfers that started.
    pub transfers: u64,
    /// Transfers that finished, whenever they started.
    pub finished: u64,
    /// Datagrams sent.
    pub datagrams: u64,
}

impl Summary {
    /// The first link.
    #[must_use]
    pub fn link(&self) -> &LinkSummary {
        &self.links[0]
    }
}
