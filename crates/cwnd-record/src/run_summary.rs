// SPDX-License-Identifier: MIT OR Apache-2.0
//! The summary of a run, over the measured interval.

use crate::counts::{FlowFailure, ReceiveLimit};
use crate::tables::{FlowSummary, LinkSummary, TrafficSummary};

/// The run as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Measured interval, s.
    pub measured_s: (f64, f64),
    /// The links.
    pub links: Vec<LinkSummary>,
    /// Jain's index over the flows' throughputs; 1 when nothing was sent.
    pub jain: f64,
    /// The flows.
    pub flows: Vec<FlowSummary>,
    /// The traffic, per group and direction.
    pub traffic: Vec<TrafficSummary>,
    /// Connections of foreign stacks that ended by a fault, or that had not opened when the run ended, in the order of time.
    pub failures: Vec<FlowFailure>,
    /// Flows that their receive window limited in the measured interval.
    pub receive_limits: Vec<ReceiveLimit>,
}

impl Summary {
    /// The first link.
    #[must_use]
    pub fn link(&self) -> &LinkSummary {
        &self.links[0]
    }
}
