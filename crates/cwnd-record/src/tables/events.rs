// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table `events`.

use super::shared::seconds;
use crate::column::columns;
use crate::counts::EventKind;

columns! {
    /// A row of the table `events`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    pub struct EventRow {}
    /// A row per start, stop, switch, drop, state change and timeout of a flow.
    pub static EVENTS;
    Number time_s = |time_ns: u64| seconds(time_ns), "s", "time of the event";
    Index flow: u32, "", "number of the flow";
    Text kind = |kind: EventKind| kind.name(), "", "what happened";
    // `None` for a flow's access link, and for all other events.
    MaybeIndex link: Option<u32>, "", "drops: number of the link";
    Count value: u64, "", "drops: position of the segment (with a real stack, number of the datagram in sending order, from 0); state changes: Linux's number of the new state";
    Index cwnd: u32, "segments", "congestion window at that time";
    Index ssthresh: u32, "segments", "slow start threshold at that time";
}
