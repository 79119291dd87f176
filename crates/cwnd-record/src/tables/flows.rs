// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table `flows`, and a flow in the summary.

use super::shared::by_cause;
use crate::column::columns;
use crate::counts::FlowCounts;

columns! {
    /// One flow.
    #[derive(Clone, Debug, PartialEq)]
    pub struct FlowSummary {
        /// Counts of the measured interval.
        pub measured: FlowCounts,
        /// Counts of the whole run.
        pub run: FlowCounts,
    }
    /// A row per flow: the summary.
    pub static FLOWS;
    Index flow = |number: u32| number, "", "number of the flow", table_only();
    Text name: String, "", "name: its group's label, and its number in a group of several";
    Text label: String, "", "label of its group";
    Text cc: String, "", "algorithm or parameter set";
    Text recovery: &'static str, "", "loss recovery";
    Number rtt_ms: f64, "ms", "round trip time without queueing and serialisation";
    Number start_s: f64, "s", "start";
    Number throughput_mbps: f64, "Mbit/s", "wire bits that left the flow's last link, over the measured interval";
    Number goodput_mbps: f64, "Mbit/s", "payload bits that reached the receiver, each once, over the measured interval";
    MaybeNumber share: Option<f64>, "1", "throughput divided by the capacity of its slowest link; null if no link on its path has one";
    Number cwnd_mean: f64, "segments", "time-weighted mean of the window";
    Count packets_sent = |flow| flow.measured.packets_sent, "packets", "data packets sent, retransmissions included, counted when sent";
    Count retransmits = |flow| flow.measured.retransmits, "packets", "retransmissions among them";
    Count timeouts = |flow| flow.measured.timeouts, "", "times that the retransmission timer fired";
    Count drops = |flow| flow.measured.drops.total(), "packets", "its data packets dropped at any link: the sum of the next columns";
    ..by_cause(|flow| &flow.measured.drops, |words| (words.column, words.of_flow));
    Count packets_sent_run = |flow| flow.run.packets_sent, "packets", "`packets_sent` of the whole run";
    Count retransmits_run = |flow| flow.run.retransmits, "packets", "`retransmits` of the whole run";
    Count timeouts_run = |flow| flow.run.timeouts, "", "`timeouts` of the whole run";
    Count drops_run = |flow| flow.run.drops.total(), "packets", "`drops` of the whole run";
    ..by_cause(|flow| &flow.run.drops, |words| (words.column_run, words.of_run));
    Indices path: Vec<u32>, "", "numbers of the links that its data cross";
    Indices back = |reverse_path: Vec<u32>| reverse_path, "", "numbers of the links that its acknowledgements cross";
}
