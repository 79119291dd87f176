// SPDX-License-Identifier: MIT OR Apache-2.0
//! A group of traffic in the summary.

use super::shared::direction;
use crate::column::columns;

columns! {
    /// One traffic group, one direction.
    #[derive(Clone, Debug, PartialEq)]
    pub struct TrafficSummary {
        /// Counts of the measured interval.
        pub measured: TransferCounts,
        /// Counts of the whole run.
        pub run: TransferCounts,
    }
    /// A row per group of traffic and direction: in the summary only.
    pub static TRAFFIC;
    Text name: String, "", "name of the group";
    Text senders: String, "", "algorithm and settings of the senders, such as cubic@beta=0.85; empty for datagrams";
    Text direction = |reverse: bool| direction(*reverse), "", "forward or reverse";
    // `no mean`: the mean does not exist; `list`: listed transfers.
    Text asked: &'static str, "", "how the scenario gives the load: rate, at most, everything, no mean or list";
    MaybeNumber asked_mbps: Option<f64>, "Mbit/s", "that rate; null if none is given";
    Number offered_mbps: f64, "Mbit/s", "wire bits of transfers and datagrams that started";
    Number carried_mbps: f64, "Mbit/s", "wire bits that left the link, retransmissions included";
    Count transfers = |traffic| traffic.measured.transfers, "", "transfers that started";
    Count finished = |traffic| traffic.measured.finished, "", "transfers that finished, whenever they started";
    Count datagrams = |traffic| traffic.measured.datagrams, "packets", "datagrams sent";
    Count transfers_run = |traffic| traffic.run.transfers, "", "`transfers` of the whole run";
    Count finished_run = |traffic| traffic.run.finished, "", "`finished` of the whole run";
    Count datagrams_run = |traffic| traffic.run.datagrams, "packets", "`datagrams` of the whole run";
}

/// Counts of a traffic group in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the columns of these names in `TRAFFIC` have the meanings")]
pub struct TransferCounts {
    pub transfers: u64,
    pub finished: u64,
    pub datagrams: u64,
}
