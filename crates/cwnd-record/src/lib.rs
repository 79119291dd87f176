// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a run yields: rows, a summary, and one schema of both.
//!
//! A column of a table, or a field of the summary, is one row in [`tables`]: its name, unit, meaning, and how its value is read. The row also
//! declares the struct's field. Arrow tables, the JSON document, the Python types and `docs/reference/results.md` follow from these rows, for every lane.
//! Captured packets are in [`capture`].
#![forbid(unsafe_code)]

pub mod capture;
mod column;
mod confidence_interval;
mod counts;
mod curves;
mod document;
mod run_summary;
pub mod tables;
mod tcp_header;

pub use column::{Cell, Column, ColumnInfo, PRIVATE_BYTES, Read, Values};
pub use confidence_interval::mean_interval;
pub use counts::{EventKind, FlowCounts, FlowFailure, ReceiveLimit};
pub use curves::{Curves, Extremes, FlowCurves, LinkCurves};
pub use run_summary::Summary;
pub use tables::{
    ConnectionRow, CwndRow, EventRow, FlowSummary, HookRow, InnerRow, LinkSummary, PacketRow, QueueRow,
    RateRow, RateSample, TrafficSummary, TransferCounts, TransferRow, WaitRow,
};
pub use tcp_header::TcpHeader;

/// Where an algorithm ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// The simulator.
    Sim,
    /// Connections of the running kernel, watched.
    Kernel,
    /// The running kernel's connections, through the links of a scenario in real time.
    Live,
    /// Connections of a kernel in virtual time, through the links of a scenario.
    Linux,
}

impl Lane {
    /// All lanes.
    pub const ALL: [Self; 4] = [Self::Sim, Self::Kernel, Self::Live, Self::Linux];
    /// Those that run scenarios.
    pub const OF_SCENARIOS: &[Self] = &[Self::Sim, Self::Live, Self::Linux];

    /// Name, in a manifest's field `lane`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sim => "sim",
            Self::Kernel => "kernel",
            Self::Live => "live",
            Self::Linux => "linux",
        }
    }
}
