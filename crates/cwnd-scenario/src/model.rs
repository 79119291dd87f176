// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scenario: links, the flows through them, and what to record.

use crate::buffer::Buffer;
use crate::keys::flow::FlowGroup;
use crate::keys::link::LinkSpec;
use crate::keys::live::LiveSpec;
use crate::keys::record::RecordSpec;
use crate::traffic::Traffic;
use crate::units::{DATAGRAM_HEADERS, HEADER_BYTES};
use cwnd::registry::Recovery;
use cwnd_link::random::RandomStream;
use std::sync::Arc;

/// Numbers of the random streams of a run: `STREAMS_OF_A_LINK` per link, then those of the flows.
pub(crate) const STREAM_LOSS: u64 = 0;
pub(crate) const STREAM_QUEUE: u64 = 1;
pub(crate) const STREAM_DELAY: u64 = 2;
pub(crate) const STREAMS_OF_A_LINK: u64 = 4;
pub(crate) const STREAM_FLOWS: u64 = 1 << 32;
pub(crate) const STREAM_OVERHEAD: u64 = 2 << 32;
pub(crate) const STREAM_CLOCKS: u64 = 3 << 32;
/// Linux: TCP_TS_HZ, whatever CONFIG_HZ is.
const LINUX_TIMESTAMPS_HZ: u32 = 1000;

/// A scenario. Times in ns, rates in bit/s.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// Name, for display.
    pub name: String,
    /// Simulated time.
    pub duration: u64,
    /// Interval that the summary measures.
    pub measure: (u64, u64),
    /// Seed of every random draw.
    pub seed: u64,
    /// Size of every full data packet on the wire, bytes.
    pub packet_size: u32,
    /// The links; the first is the one that a summary calls the bottleneck. Never empty.
    pub links: Vec<LinkSpec>,
    /// The links of a dumbbell; `None` for any other graph.
    pub dumbbell: Option<Dumbbell>,
    /// Groups of flows, in the order of their numbers.
    pub flows: Vec<FlowGroup>,
    /// Traffic groups.
    pub traffic: Vec<Traffic>,
    /// Actions on flows and links, in the order of time.
    pub actions: Vec<Action>,
    /// What to record.
    pub record: RecordSpec,
    /// Host settings in lane live.
    pub live: LiveSpec,
    /// What the words of netem in the document mean.
    pub netem: SaidBack,
}

/// What a document's reader says of it. It makes no scenario different from another.
#[derive(Clone, Debug, Default)]
pub struct SaidBack(pub Vec<String>);

impl PartialEq for SaidBack {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for SaidBack {}

/// The numbers of the links of a dumbbell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dumbbell {
    /// The bottleneck.
    pub forward: u32,
    /// The reverse link, if the reverse path is a link with a queue. Without, the reverse path neither queues nor loses packets.
    pub reverse: Option<u32>,
}

/// A scheduled action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// When.
    pub at: u64,
    /// What.
    pub what: ActionKind,
}

/// See [`Action`]. Flows and links by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActionKind {
    /// The flow's application starts, or resumes after a stop.
    Start(String),
    /// The flow's application stops.
    Stop(String),
    /// The live connection switches to another algorithm with these parameters.
    Switch(String, String, Vec<(String, String)>),
    /// The link's rate becomes this, bit/s; 0 is an outage.
    Rate(String, u64),
    /// The link's one-way propagation delay becomes this.
    Delay(String, u64),
    /// The link's queue gets this limit. Only a drop-head queue drops queued packets for a smaller limit.
    Buffer(String, Buffer),
}

/// One flow, everything resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Name: the label, with a number where several flows have it.
    pub name: String,
    /// The label of its group, see [`Scenario::labels`].
    pub label: Arc<str>,
    /// Recovery.
    pub recovery: Recovery,
    /// Round trip time without queueing and serialisation, at time 0.
    pub rtt: u64,
    /// Numbers of the links of its data, in order.
    pub path: Arc<[u32]>,
    /// Numbers of the links of its acknowledgements. A reverse path without links neither queues nor loses packets.
    pub reverse_path: Arc<[u32]>,
    /// Start.
    pub start: u64,
    /// Random stream of the send overhead.
    pub overhead_stream: RandomStream,
    /// For how long the tick counters of the sender's and the receiver's host have run at time 0, µs.
    pub clock_phases_us: [u32; 2],
    /// Its group.
    pub group: Arc<FlowGroup>,
}

impl Flow {
    /// Whether its host hands segments over several at a time.
    #[must_use]
    pub fn has_gso(&self) -> bool {
        self.group.gso.unwrap_or(true) && self.group.may_have_gso(self.recovery)
    }

    /// Ticks a second of its hosts' clocks.
    #[must_use]
    pub fn host_clock(&self) -> u32 {
        self.group.clock_hz()
    }

    /// Ticks a second of the clock of its timestamps.
    #[must_use]
    pub fn timestamp_clock(&self) -> u32 {
        if self.recovery == Recovery::Linux { LINUX_TIMESTAMPS_HZ } else { self.host_clock() }
    }

    /// Whether its connection opens with a handshake.
    #[must_use]
    pub fn has_handshake(&self) -> bool {
        self.group.handshake.unwrap_or(self.recovery == Recovery::Linux) && self.group.stack.is_none()
    }
}

impl Scenario {
    /// Payload of a full segment, bytes.
    #[must_use]
    pub const fn mss(&self) -> u32 {
        self.packet_size - HEADER_BYTES
    }

    /// Largest datagram of a flow with a stack, bytes: a full packet without the headers of IP and UDP.
    #[must_use]
    pub const fn datagram(&self) -> u32 {
        self.packet_size.saturating_sub(DATAGRAM_HEADERS)
    }

    /// Whether a flow has a stack.
    #[must_use]
    pub fn has_stacks(&self) -> bool {
        self.flows.iter().any(|group| group.stack.is_some())
    }

    /// The first link.
    #[must_use]
    pub fn bottleneck(&self) -> &LinkSpec {
        &self.links[0]
    }
}
