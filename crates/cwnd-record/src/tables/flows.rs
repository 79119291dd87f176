// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table `flows`, and a flow in the summary.

use super::shared::{by_cause, joined};
use crate::column::{Column, Read};
use crate::counts::FlowCounts;
use Read::{Count, Index, Indices, MaybeNumber, Number, Text};
use std::sync::LazyLock;

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
    /// Throughput over the capacity of the flow's slowest link; `None` where no link on its path has one.
    pub share: Option<f64>,
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

/// A row per flow: the summary.
pub static FLOWS: LazyLock<Vec<Column<FlowSummary>>> = LazyLock::new(|| {
    joined::<FlowSummary, _>([
        vec![
            Column::table_only("flow", "", "number of the flow", Index(|f| f.number)),
            Column::new(
                "name",
                "",
                "name: its group's label, and its number in a group of several",
                Text(|f| &f.name),
            ),
            Column::new("label", "", "label of its group", Text(|f| &f.label)),
            Column::new("cc", "", "algorithm or parameter set", Text(|f| &f.cc)),
            Column::new("recovery", "", "loss recovery", Text(|f| f.recovery)),
            Column::new(
                "rtt_ms",
                "ms",
                "round trip time without queueing and serialisation",
                Number(|f| f.rtt_ms),
            ),
            Column::new("start_s", "s", "start", Number(|f| f.start_s)),
            Column::new(
                "throughput_mbps",
                "Mbit/s",
                "wire bits that left the flow's last link, over the measured interval",
                Number(|f| f.throughput_mbps),
            ),
            Column::new(
                "goodput_mbps",
                "Mbit/s",
                "payload bits that reached the receiver, each once, over the measured interval",
                Number(|f| f.goodput_mbps),
            ),
            Column::new(
                "share",
                "1",
                "throughput over the capacity of its slowest link; null where no link on its path has one",
                MaybeNumber(|f| f.share),
            ),
            Column::new("cwnd_mean", "segments", "time-weighted mean of the window", Number(|f| f.cwnd_mean)),
            Column::new(
                "packets_sent",
                "packets",
                "data packets sent, retransmissions included, by when they were sent",
                Count(|f| f.measured.packets_sent),
            ),
            Column::new(
                "retransmits",
                "packets",
                "retransmissions among them",
                Count(|f| f.measured.retransmits),
            ),
            Column::new(
                "timeouts",
                "",
                "times that the retransmission timer fired",
                Count(|f| f.measured.timeouts),
            ),
            Column::new(
                "drops",
                "packets",
                "its data packets dropped at any link: the sum of the next ones",
                Count(|f| f.measured.drops.total()),
            ),
        ],
        by_cause(|f: &FlowSummary| &f.measured.drops, |words| (words.column, words.of_flow)),
        vec![
            Column::new(
                "packets_sent_run",
                "packets",
                "`packets_sent` of the whole run",
                Count(|f| f.run.packets_sent),
            ),
            Column::new(
                "retransmits_run",
                "packets",
                "`retransmits` of the whole run",
                Count(|f| f.run.retransmits),
            ),
            Column::new("timeouts_run", "", "`timeouts` of the whole run", Count(|f| f.run.timeouts)),
            Column::new("drops_run", "packets", "`drops` of the whole run", Count(|f| f.run.drops.total())),
        ],
        by_cause(|f: &FlowSummary| &f.run.drops, |words| (words.column_run, words.of_run)),
        vec![
            Column::new("path", "", "numbers of the links that its data cross", Indices(|f| &f.path)),
            Column::new(
                "back",
                "",
                "numbers of the links that its acknowledgements cross",
                Indices(|f| &f.reverse_path),
            ),
        ],
    ])
});
