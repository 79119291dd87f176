// SPDX-License-Identifier: MIT OR Apache-2.0
//! Routes through the network, and what a flow and a packet know of theirs.

use super::packet::PathIndex;
use crate::index::OptionIndex;
use cwnd_link::{DropCause, PacketClass};

/// A link on a route, and the delay line from there to the next link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteLink {
    pub link: u32,
    pub line: u32,
}

/// A link that a packet is offered to, and the packet's way from there.
#[derive(Clone, Copy, Debug)]
pub struct NextLink {
    pub link: u32,
    /// Size of the packet, bytes.
    pub size: u32,
    pub class: PacketClass,
    /// What it arrives at after the link.
    pub then: PathIndex,
    /// The delay line to there; none where it is not simulated any further.
    pub line: OptionIndex,
    /// Delay from the far end of the link to there, ns.
    pub delay: u64,
}

/// What a link did with a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transmitted {
    /// It departs at this time, ns.
    Departs(u64),
    /// The link dropped it.
    Dropped(DropCause),
    /// The link holds it.
    Held,
}

/// A route through the network: the forward path and the reverse path.
#[derive(Clone, Debug)]
pub struct Route {
    /// The delay line from the sender to the first link and its delay, ns, if that delay is not 0.
    pub entry: Option<(u32, u64)>,
    pub path: Vec<RouteLink>,
    pub reverse_path: Vec<RouteLink>,
}

/// What travels on a shared delay line, and where the line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LineUse {
    /// Data and datagrams, to their next link.
    ToLink,
    /// Data, to the receiver.
    ToReceiver,
    /// Data of fused flows, to the receiver and as acknowledgements to the sender.
    Fused,
    /// Acknowledgements, to their next link.
    AcksToLink,
    /// Acknowledgements, to the sender.
    AcksToSender,
}

/// What a flow needs of its path.
#[derive(Clone, Copy, Debug, Default)]
pub struct PathNeeds {
    /// Arrivals at the receiver are events: the flow's source is told when a transfer finishes.
    pub receiver_events: bool,
    /// Delay lines of its own: few flows have its round trip time.
    pub private_lines: bool,
}

/// A flow's path through the network; the fields are those of [`crate::tcp::FlowState`].
#[derive(Clone, Copy, Debug)]
pub struct FlowPath {
    pub route: u32,
    pub direct: OptionIndex,
    pub access_delay_fwd: u64,
    pub access_delay_rev: u64,
    pub delivery_line: u32,
    pub ack_line: u32,
    pub fused: bool,
}
