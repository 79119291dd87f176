// SPDX-License-Identifier: MIT OR Apache-2.0
//! Flows that a scenario does not write out: what a flow is without a word about it, and what those of a group of traffic are like.

use crate::model::{Flow, Group, Route, Scenario, Start};
use crate::traffic::Traffic;
use cwnd_link::random::Stream;

impl Group {
    /// One flow with every default.
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
            route: Route::Forward,
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
    /// A flow of a group of traffic in its own direction, or against it; `None` if the network has no such way. It starts
    /// without data. Round trip time (the path's own here), receive window and start are for the caller to fill in.
    #[must_use]
    pub fn traffic_flow(&self, traffic: &Traffic, reverse: bool) -> Option<Flow> {
        let route = traffic.routes()[usize::from(reverse)].clone();
        match (&route, self.dumbbell) {
            (Route::Reverse, Some(ways)) if ways.reverse.is_none() => return None,
            (Route::Ends(from, to), _) if self.route(from, to).is_none() => return None,
            _ => {}
        }
        let group = Group { route, size: Some(0), ..Group::of(&traffic.cc, Start::At(0)) };
        let overhead = Stream::new(0, 0); // its hosts have none
        Some(self.like(&group).flow((traffic.name.clone(), traffic.name.as_str().into()), (0, overhead)))
    }
}
