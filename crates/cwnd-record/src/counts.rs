// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is counted of a flow, and the kinds of the events that are recorded.

use cwnd_link::{DropCause, Drops};

/// Counts of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the columns of these names in `FLOWS` have the meanings")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FlowCounts {
    pub packets_sent: u64,
    pub retransmits: u64,
    pub timeouts: u64,
    pub drops: Drops,
}

impl FlowCounts {
    /// Counts since `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            packets_sent: self.packets_sent - earlier.packets_sent,
            retransmits: self.retransmits - earlier.retransmits,
            timeouts: self.timeouts - earlier.timeouts,
            drops: self.drops.since(&earlier.drops),
        }
    }
}

/// A foreign stack's connection that ended by a fault, or that had not opened when the run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowFailure {
    /// When, ns.
    pub time_ns: u64,
    /// The number of the flow.
    pub flow: u32,
    /// Whether the connection had opened: data had arrived at the receiver, and a datagram of the receiver at the sender.
    pub has_opened: bool,
    /// The stack's words; of a connection that had not opened when the run ended, ours.
    pub why: String,
}

/// A flow that its receive window limited: its mean congestion window was not below it.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceiveLimit {
    /// The number of the flow.
    pub flow: u32,
    /// Its receive window, full packets.
    pub receive_window: f64,
}

/// Kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum EventKind {
    /// A link dropped a packet.
    Drop(DropCause),
    /// The connection entered another state; `value` is Linux's number.
    State,
    /// The retransmission timer fired.
    Timeout,
    /// The flow started, or its application went on.
    Start,
    /// The flow's application stopped.
    Stop,
    /// The connection went over to another algorithm.
    Switch,
    /// The connection of a foreign stack ended by a fault, its own or its peer's.
    Failure,
}

impl EventKind {
    /// Name in the table.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Drop(cause) => cause.words().event,
            Self::State => "state",
            Self::Timeout => "timeout",
            Self::Start => "start",
            Self::Stop => "stop",
            Self::Switch => "switch",
            Self::Failure => "failure",
        }
    }
}
