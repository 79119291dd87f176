// SPDX-License-Identifier: MIT OR Apache-2.0
//! What came out, over the measured interval.

use crate::bottleneck::Bottleneck;
use crate::flow::FlowState;
use cwnd_scenario::{Flow, Scenario};

/// The run as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Measured interval, s.
    pub measured_s: (f64, f64),
    /// Wire bits that left the bottleneck over what it could carry.
    pub utilization: f64,
    /// Packets dropped by the queue.
    pub drops_queue: u64,
    /// Packets lost by the loss process.
    pub drops_loss: u64,
    /// Mean time that packets waited before their own serialisation, ms.
    pub queue_mean_ms: f64,
    /// Longest such time, ms.
    pub queue_max_ms: f64,
    /// Jain's index over the flows' throughputs; 1 when nothing was sent.
    pub jain: f64,
    /// The flows.
    pub flows: Vec<FlowSummary>,
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
    /// Wire bits that left the bottleneck, Mbit/s.
    pub throughput_mbps: f64,
    /// Payload bits that reached the receiver, each once, Mbit/s.
    pub goodput_mbps: f64,
    /// Throughput over the link's rate.
    pub share: f64,
    /// Time-weighted mean of the window, segments.
    pub cwnd_mean: f64,
    /// Data packets sent, over the whole run.
    pub packets_sent: u64,
    /// Packets retransmitted, over the whole run.
    pub retransmits: u64,
    /// Times that the retransmission timer fired, over the whole run.
    pub timeouts: u64,
    /// Packets dropped at the bottleneck, over the whole run.
    pub drops: u64,
}

impl Summary {
    pub(crate) fn of(scenario: &Scenario, named: &[Flow], states: &[FlowState], link: &Bottleneck) -> Self {
        let (from, to) = scenario.measure;
        let capacity = scenario.bottleneck().rate.nominal() as f64 * (to - from) as f64 / 1e9;
        let one = |(flow, state): (&Flow, &FlowState)| {
            let seconds = (to - from) as f64 / 1e9;
            let wire = (state.count.forwarded_measured * u64::from(scenario.packet_size) * 8) as f64;
            let payload = (state.count.distinct_measured * u64::from(scenario.mss()) * 8) as f64;
            let active = to.saturating_sub(from.max(flow.start)).max(1);
            FlowSummary {
                name: flow.name.clone(),
                cc: flow.group.cc.clone(),
                recovery: flow.recovery.name(),
                rtt_ms: flow.rtt as f64 / 1e6,
                start_s: flow.start as f64 / 1e9,
                throughput_mbps: wire / seconds / 1e6,
                goodput_mbps: payload / seconds / 1e6,
                share: wire / capacity,
                cwnd_mean: state.count.cwnd_ns as f64 / active as f64,
                packets_sent: state.sender.sent.packets,
                retransmits: state.sender.sent.retransmits,
                timeouts: state.sender.sent.timeouts,
                drops: state.count.dropped.iter().sum(),
            }
        };
        let flows: Vec<FlowSummary> = named.iter().zip(states).map(one).collect();
        Self {
            measured_s: (from as f64 / 1e9, to as f64 / 1e9),
            utilization: (link.measured * u64::from(scenario.packet_size) * 8) as f64 / capacity,
            drops_queue: link.drops_measured[0],
            drops_loss: link.drops_measured[1],
            queue_mean_ms: if link.measured == 0 {
                0.0
            } else {
                link.wait_sum as f64 / link.measured as f64 / 1e6
            },
            queue_max_ms: link.wait_max as f64 / 1e6,
            jain: jain(&flows),
            flows,
        }
    }
}

/// (Σx)² / (n Σx²) over the throughputs (RFC 5166 §2.3).
fn jain(flows: &[FlowSummary]) -> f64 {
    let sum: f64 = flows.iter().map(|flow| flow.throughput_mbps).sum();
    let squares: f64 = flows.iter().map(|flow| flow.throughput_mbps.powi(2)).sum();
    if squares == 0.0 { 1.0 } else { sum * sum / (flows.len() as f64 * squares) }
}
