// SPDX-License-Identifier: MIT OR Apache-2.0
//! The flows of traffic groups, their generators and sources.

use crate::keys::flow::FlowGroup;
use crate::model::{Flow, Scenario};
use crate::route::RouteSpec;
use crate::traffic::{Traffic, clock_stream, overhead_stream, source_stream, start_stream};
use crate::units::HEADER_BYTES;
use cwnd_link::random::RandomStream;
use cwnd_traffic::{Direction, Directions, LinkFacts, SegmentSize, TrafficGroup, TrafficSource};

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
        let group = FlowGroup { route, size: Some(0), ..traffic.sender.clone() };
        let overhead = overhead_stream(self.seed, 0, 0); // each connection has its own
        let name = (traffic.name.clone(), traffic.name.as_str().into());
        let clocks = clock_stream(self.seed, 0, 0); // each source has its own
        Some(self.template(&group).flow(name, (0, overhead), clocks))
    }

    /// Sizes of a full segment.
    #[must_use]
    pub const fn segment_size(&self) -> SegmentSize {
        SegmentSize { payload: self.mss(), headers: HEADER_BYTES }
    }

    /// The generator of a traffic group with these flows, by direction.
    #[must_use]
    pub fn traffic_group(&self, traffic: &Traffic, templates: &[Option<Flow>; 2]) -> TrafficGroup {
        // A group that sends only in reverse relates to the first link of the reverse path.
        let direction = usize::from(traffic.direction == Directions::Reverse);
        let link = templates[direction].as_ref().and_then(|flow| flow.path.first()).copied().unwrap_or(0);
        // A share of no rate is refused.
        let rate = self.links[link as usize].nominal_rate();
        TrafficGroup::new(&traffic.group_config(), LinkFacts { rate, segment: self.segment_size() })
    }

    /// The sources of the traffic group with this number before their first events, each with its random stream.
    pub fn traffic_sources(
        &self,
        number: u32,
        group: &TrafficGroup,
    ) -> impl Iterator<Item = (TrafficSource, RandomStream)> {
        let mut start_stream = start_stream(self.seed, number);
        let starts = group.starts(&mut || start_stream.next_u64());
        (0..).zip(starts).map(move |(index, at)| {
            let mut stream = source_stream(self.seed, number, index);
            (group.source(index, at, &mut || stream.next_u64()), stream)
        })
    }
}
