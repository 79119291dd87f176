// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which way a flow or traffic takes.

/// The route of a flow, as a scenario specifies it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RouteSpec {
    /// Forward through a dumbbell; acknowledgements in reverse.
    #[default]
    Forward,
    /// In reverse through a dumbbell; acknowledgements forward.
    Reverse,
    /// The fewest links from one node to another and, if such links exist, back.
    Ends(String, String),
    /// The forward links and the reverse links, in order. A reverse path without links neither queues nor loses packets.
    Links(Vec<String>, Vec<String>),
}
