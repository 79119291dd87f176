// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table `transfers`.

use super::shared::{direction, seconds};
use crate::column::columns;

columns! {
    /// A row of the table `transfers`: a flow with an end, or one that a source of traffic started.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    pub struct TransferRow {}
    /// A row per transfer.
    pub static TRANSFERS;
    MaybeIndex group: Option<u32>, "", "number of the group of traffic; null: a flow of the scenario";
    Index number: u32, "", "number of the source within the run, or of the flow";
    Number start_s = |start_ns: u64| seconds(start_ns), "s", "start";
    MaybeNumber end_s = |end_ns: Option<u64>| end_ns.map(seconds), "s", "when the last byte reached the receiver; null if it did not";
    MaybeCount bytes: Option<u64>, "bytes", "payload; null: a transfer without an end";
    Number rtt_ms = |rtt_ns: u64| rtt_ns as f64 / 1e6, "ms", "round trip time without queueing and serialisation";
    Text direction = |reverse: bool| direction(*reverse), "", "forward or reverse, relative to the experiment's flows";
}
