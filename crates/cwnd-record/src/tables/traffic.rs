// SPDX-License-Identifier: MIT OR Apache-2.0
//! A group of traffic in the summary.

use super::shared::direction;
use crate::column::{Column, Read};
use Read::{Count, MaybeNumber, Number, Text};

/// One traffic group, one direction.
#[derive(Clone, Debug, PartialEq)]
pub struct TrafficSummary {
    /// Name of the group.
    pub name: String,
    /// Algorithm and settings of the senders, as a flow's text has them; empty for datagrams.
    pub senders: String,
    /// Whether this is the reverse direction.
    pub reverse: bool,
    /// What kind of load the scenario asks for: `rate`, `at most`, `everything`, `no mean` where the mean does not exist, or
    /// `list` of listed transfers.
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

/// A row per group of traffic and direction: in the summary only.
pub static TRAFFIC: &[Column<TrafficSummary>] = &[
    Column::new("name", "", "name of the group", Text(|t| &t.name)),
    Column::new(
        "senders",
        "",
        "algorithm and settings of the senders, such as cubic@beta=0.85; empty for datagrams",
        Text(|t| &t.senders),
    ),
    Column::new("direction", "", "forward or reverse", Text(|t| direction(t.reverse))),
    Column::new(
        "asked",
        "",
        "what the scenario asks for: rate, at most, everything, no mean or list",
        Text(|t| t.asked),
    ),
    Column::new("asked_mbps", "Mbit/s", "that rate; null: it names none", MaybeNumber(|t| t.asked_mbps)),
    Column::new("offered_mbps", "Mbit/s", "wire bits of what started", Number(|t| t.offered_mbps)),
    Column::new(
        "carried_mbps",
        "Mbit/s",
        "wire bits that left the link, retransmissions included",
        Number(|t| t.carried_mbps),
    ),
    Column::new("transfers", "", "transfers that started", Count(|t| t.measured.transfers)),
    Column::new(
        "finished",
        "",
        "transfers that finished, whenever they started",
        Count(|t| t.measured.finished),
    ),
    Column::new("datagrams", "packets", "datagrams sent", Count(|t| t.measured.datagrams)),
    Column::new("transfers_run", "", "`transfers` of the whole run", Count(|t| t.run.transfers)),
    Column::new("finished_run", "", "`finished` of the whole run", Count(|t| t.run.finished)),
    Column::new("datagrams_run", "packets", "`datagrams` of the whole run", Count(|t| t.run.datagrams)),
];
