// SPDX-License-Identifier: MIT OR Apache-2.0
//! Default settings of a flow, and the flows of traffic groups.

use crate::model::{Flow, FlowGroup, Scenario, Start};
use crate::route::RouteSpec;
use crate::traffic::Traffic;
use cwnd_link::random::RandomStream;

impl FlowGroup {
    /// A group of one flow with default settings.
    #[must_use]
    pub fn of(cc: &str, start: Start) -> Self {
        Self {
            cc: cc.to_owned(),
            label: None,
            params: Vec::new(),
            count: 1,
            start,
            stop: None,
            rtt: None,
            recovery: None,
            initial_cwnd: 10,
            initial_ssthresh: None,
            ack_every: 2,
            ack_delay: 40_000_000,
            rwnd: None,
            min_rto: 200_000_000,
            limited_transmit: true,
            overhead: 0,
            host_clock: 1000,
            route: RouteSpec::Forward,
            access: None,
            access_delay: 0,
            pacing: false,
            burst: None,
            size: None,
            app_rate: None,
            idle_restart: true,
        }
    }
}

impl Scenario {
    /// A flow of a traffic group, in its direction or in reverse; `None` if the network has no such path. It starts without data. The
    /// caller sets round trip time (here the path's), receive window and start.
    #[must_use]
    pub fn traffic_flow(&self, traffic: &Traffic, reverse: bool) -> Option<Flow> {
        let route = traffic.routes()[usize::from(reverse)].clone();
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
