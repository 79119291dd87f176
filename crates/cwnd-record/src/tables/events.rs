// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table `events`.

use super::shared::seconds;
use crate::column::{Column, Read};
use crate::counts::EventKind;
use Read::{Count, Index, MaybeIndex, Number, Text};

/// A row of the table `events`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventRow {
    /// Time, ns.
    pub time_ns: u64,
    /// Flow number.
    pub flow: u32,
    /// What happened.
    pub kind: EventKind,
    /// Drops: number of the link; `None` for a flow's access link, and for all other events.
    pub link: Option<u32>,
    /// Drops: the segment's position, of a foreign stack the number of the datagram; state changes: the new state.
    pub value: u64,
    /// Window at that time, segments.
    pub cwnd: u32,
    /// Slow start threshold at that time, segments.
    pub ssthresh: u32,
}

/// A row per start, stop, switch, drop, state change and timeout of a flow.
pub static EVENTS: &[Column<EventRow>] = &[
    Column::new("time_s", "s", "time of the event", Number(|r| seconds(r.time_ns))),
    Column::new("flow", "", "number of the flow", Index(|r| r.flow)),
    Column::new("kind", "", "what happened", Text(|r| r.kind.name())),
    Column::new("link", "", "drops: number of the link", MaybeIndex(|r| r.link)),
    Column::new(
        "value",
        "",
        "drops: position of the segment, of a real stack the number of the datagram in the order of sending, from 0; state changes: Linux's number of the new state",
        Count(|r| r.value),
    ),
    Column::new("cwnd", "segments", "congestion window at that time", Index(|r| r.cwnd)),
    Column::new("ssthresh", "segments", "slow start threshold at that time", Index(|r| r.ssthresh)),
];
