// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table `transfers`.

use super::shared::{direction, seconds};
use crate::column::{Column, Read};
use Read::{Index, MaybeCount, MaybeIndex, MaybeNumber, Number, Text};

/// A row of the table `transfers`: a flow with an end, or one that a source of traffic started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferRow {
    /// Number of the group of traffic; `None` for a flow of the scenario.
    pub group: Option<u32>,
    /// Number of the source within the run, or of the flow.
    pub number: u32,
    /// When it started, ns.
    pub start_ns: u64,
    /// When its last byte reached the receiver, ns; `None` if it did not.
    pub end_ns: Option<u64>,
    /// Payload, bytes; `None` for a transfer without an end.
    pub bytes: Option<u64>,
    /// Round trip time without queueing and serialisation, ns.
    pub rtt_ns: u64,
    /// Whether it went against the direction of the experiment's flows.
    pub reverse: bool,
}

/// A row per transfer.
pub static TRANSFERS: &[Column<TransferRow>] = &[
    Column::new(
        "group",
        "",
        "number of the group of traffic; null: a flow of the scenario",
        MaybeIndex(|r| r.group),
    ),
    Column::new("number", "", "number of the source within the run, or of the flow", Index(|r| r.number)),
    Column::new("start_s", "s", "start", Number(|r| seconds(r.start_ns))),
    Column::new(
        "end_s",
        "s",
        "when the last byte reached the receiver; null: it did not",
        MaybeNumber(|r| r.end_ns.map(seconds)),
    ),
    Column::new("bytes", "bytes", "payload; null: a transfer without an end", MaybeCount(|r| r.bytes)),
    Column::new(
        "rtt_ms",
        "ms",
        "round trip time without queueing and serialisation",
        Number(|r| r.rtt_ns as f64 / 1e6),
    ),
    Column::new(
        "direction",
        "",
        "forward or reverse, against that of the experiment's flows",
        Text(|r| direction(r.reverse)),
    ),
];
