// SPDX-License-Identifier: MIT OR Apache-2.0
//! The summary of a run, over the measured interval.

use crate::counts::FlowCounts;
use crate::traffic::{Asked, Started, TrafficCounts};
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
    /// Name.
    pub name: String,
    /// Its mean capacity, Mbit/s.
    pub capacity_mbps: f64,
    /// Wire bits that left it, divided by its capacity.
    pub utilization: f64,
    /// Packets dropped in the measured interval.
    pub drops: Drops,
    /// Packets dropped over the whole run.
    pub drops_run: Drops,
    /// Mean queueing delay, without the packet's own serialisation, ms.
    pub queue_mean_ms: f64,
    /// Max queueing delay, ms.
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
    /// Counts of the measured interval.
    pub measured: FlowCounts,
    /// Counts of the whole run.
    pub run: FlowCounts,
}

/// One traffic group, one direction.
#[derive(Clone, Debug, PartialEq)]
pub struct TrafficSummary {
    /// Name of the group.
    pub name: String,
    /// Whether this is the reverse direction.
    pub reverse: bool,
    /// The load that the scenario asks for.
    pub asked: Asked,
    /// Wire bits of what started, Mbit/s.
    pub offered_mbps: f64,
    /// Wire bits that left the link, retransmissions included, Mbit/s.
    pub carried_mbps: f64,
    /// Counts of the measured interval.
    pub measured: TrafficCounts,
    /// Transfers started and finished, and datagrams sent, over the whole run.
    pub run: Started,
}

impl Summary {
    /// The first link.
    #[must_use]
    pub fn link(&self) -> &LinkSummary {
        &self.links[0]
    }
}
