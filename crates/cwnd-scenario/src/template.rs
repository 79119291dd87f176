// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the flows of a group of traffic are like.

use crate::model::{Flow, Group, Route, Scenario, Start};
use crate::traffic::Traffic;
use cwnd_link::random::Stream;

impl Scenario {
    /// A flow of a group of traffic in its own direction, or against it; `None` if the network has no such way. It starts without data. Round trip time
    /// (the path's own here), receive window and start are for the caller to fill in.
    #[must_use]
    pub fn traffic_flow(&self, traffic: &Traffic, reverse: bool) -> Option<Flow> {
        let route = if reverse { Route::Reverse } else { Route::Forward };
        if reverse && self.dumbbell.is_some_and(|ways| ways.reverse.is_none()) {
            return None;
        }
        let group = Group { route, size: Some(0), ..Group::of(&traffic.cc, Start::At(0)) };
        let mut flow = self.flow(&group, traffic.name.clone(), 0);
        flow.overhead_stream = Stream::new(0, 0); // its hosts have no overhead
        Some(flow)
    }
}
