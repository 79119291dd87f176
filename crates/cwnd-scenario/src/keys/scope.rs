// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the values of keys depend on beyond their own table.

use crate::buffer::Buffer;
use crate::files::{self, Files};

/// The settings of a scenario that the values of other keys depend on; those of a link depend on none.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    /// Simulated time, ns.
    pub duration: u64,
    /// Size of a full packet, bytes.
    pub packet_size: u32,
    /// The links, once they are known.
    pub links: Option<&'a dyn KnownLinks>,
    /// Whether they are a dumbbell.
    pub is_dumbbell: bool,
    /// The flows, once they are known.
    pub flows: Option<&'a dyn FlowNames>,
    /// The files that the scenario names.
    pub files: Files<'a>,
}

impl Default for Scope<'_> {
    fn default() -> Self {
        Self {
            duration: 0,
            packet_size: 0,
            links: None,
            is_dumbbell: false,
            flows: None,
            files: &files::none,
        }
    }
}

impl<'a> Scope<'a> {
    /// Names and ends of the links that are known, in their order.
    pub fn link_ends(&self) -> Vec<LinkEnds<'a>> {
        self.links.map(KnownLinks::ends).unwrap_or_default()
    }
}

/// A link by its name, and the nodes that it joins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkEnds<'a> {
    pub name: &'a str,
    pub from: &'a str,
    pub to: &'a str,
}

/// Links that other keys name. They are asked here, because a link is itself a table of keys.
pub(crate) trait KnownLinks {
    /// Their names and ends, in their order.
    fn ends(&self) -> Vec<LinkEnds<'_>>;

    /// Whether an action may set the rate of this link; the error is what is expected instead of the link.
    fn check_new_rate(&self, number: usize) -> Result<(), &'static str>;

    /// Whether this link has a queue.
    fn has_queue(&self, number: usize) -> bool;

    /// Whether the queue of this link may have this limit, with packets of this size; the error is what is expected instead of the limit.
    fn check_limit(&self, number: usize, limit: Buffer, packet: u32) -> Result<(), String>;
}

/// Names that stand for flows.
pub(crate) trait FlowNames {
    /// Whether `name` is the name of a flow, or of several.
    fn has(&self, name: &str) -> bool;

    /// Such names, sorted.
    fn known(&self) -> &[&str];
}
