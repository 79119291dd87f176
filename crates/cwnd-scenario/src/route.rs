// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which way a flow or traffic takes.

use crate::keys::LinkEnds;
use std::collections::{HashMap, VecDeque};

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

/// See [`Scenario::route`].
pub(crate) fn route(links: &[LinkEnds<'_>], from: &str, to: &str) -> Option<Vec<u32>> {
    let mut leaving: HashMap<&str, Vec<u32>> = HashMap::new();
    for (number, link) in links.iter().enumerate() {
        leaving.entry(link.from).or_default().push(number as u32);
    }
    // The link over which each node was first reached.
    let mut by: HashMap<&str, u32> = HashMap::new();
    let mut open = VecDeque::from([from]);
    while let Some(node) = open.pop_front() {
        for &number in leaving.get(node).into_iter().flatten() {
            let next = links[number as usize].to;
            if next == from || by.contains_key(next) {
                continue;
            }
            by.insert(next, number);
            open.push_back(next);
        }
    }
    let mut path = Vec::new();
    let mut node = to;
    while node != from {
        let number = *by.get(node)?;
        path.push(number);
        node = links[number as usize].from;
    }
    path.reverse();
    (!path.is_empty()).then_some(path)
}
