// SPDX-License-Identifier: MIT OR Apache-2.0
//! The flows of traffic groups.

use crate::keys::flow::{FlowGroup, Start};
use crate::model::{Flow, Scenario};
use crate::route::RouteSpec;
use crate::traffic::Traffic;
use cwnd_link::random::RandomStream;
use cwnd_traffic::Direction;

impl Scenario {
    /// A flow of a traffic group, in this direction; `None` if the network has no such path. It starts without data. The
    /// caller sets round trip time (here the path's), receive window and start.
    #[must_use]
    pub fn traffic_flow(&self, traffic: &Traffic, direction: Direction) -> Option<Flow> {
        let route = traffic.routes()[direction as usize].clone();
        match (&route, self.dumbbell) {
            (RouteSpec::Reverse, Some(ways)) if ways.reverse.is_none() => return None,
            (RouteSpec::Ends(from, to), _) if self.route(from, to).is_none() => return None,
            _ => {}
        }
        let group = FlowGroup { route, size: Some(0), ..FlowGroup::of(&traffic.cc, Start::At(0)) };
        let overhead = RandomStream::new(0, 0); // its hosts have no overhead
        Some(self.template(&group).flow((traffic.name.clone(), traffic.name.as_str().into()), (0, overhead)))
    }
}
