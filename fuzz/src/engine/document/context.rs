// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the choices of a document depend on.

use crate::engine::choices::Choices;
use serde_json::Value;

/// The longest time of a scenario, ns.
pub(super) const LONGEST: u64 = 8_640_000_000_000_000;
/// Max limit of a queue, packets.
pub(super) const MOST_QUEUED: u64 = 3_000;

/// What later choices depend on.
pub(crate) struct DocumentContext {
    /// Simulated time, ns.
    pub(super) duration: u64,
    /// Rate of a typical link, bit/s.
    pub(super) rate: u64,
    /// A typical round trip, ns.
    pub(super) rtt: u64,
    pub(super) packet_size: u64,
    pub(super) wild: bool,
    /// Whether links have delays of their own, which a flow's round trip must not fall below.
    pub(super) delays: bool,
    pub(super) net: NetworkShape,
    /// Flows that may still be added.
    pub(super) flows: u64,
    /// Algorithms of the flows so far.
    pub(super) ccs: Vec<String>,
}

/// How a key is drawn for reasons that its form does not know: its name, in how many of 16 documents it is written, and its value.
pub(super) type Rule = (&'static str, u64, fn(&mut Choices<'_>, &DocumentContext) -> Value);

/// The shape of the network.
pub(crate) enum NetworkShape {
    /// One link, with or without a reverse link.
    Dumbbell { reverse: bool },
    /// This many links in a row, between the nodes n0, n1 …
    Lot { hops: u64, reverse: bool },
    /// This many nodes, n0, n1 …, each linked with the next in both directions; names of the links.
    Graph { nodes: u64, links: Vec<String> },
}

impl NetworkShape {
    /// Names of the links.
    pub fn links(&self) -> Vec<String> {
        match self {
            Self::Dumbbell { reverse: false } => vec!["link".into()],
            Self::Dumbbell { reverse: true } => vec!["link".into(), "reverse".into()],
            Self::Lot { hops, .. } => (1..=*hops).map(|number| format!("hop{number}")).collect(),
            Self::Graph { links, .. } => links.clone(),
        }
    }
}
