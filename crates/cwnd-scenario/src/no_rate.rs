// SPDX-License-Identifier: MIT OR Apache-2.0
//! Links without a rate, and what the paths over them need.
//!
//! Where a link has a rate, a queue that is full, or the time that packets take to be sent, limits what a flow has in flight. Over a path
//! without any rate nothing does unless the flow or a link has a limit of its own, so that is asked for: the run of a window that grows
//! without end would not end. Where only losses or a `delay_limit` limit it, a window is at most the largest that TCP can state
//! ([`LARGEST_WINDOW`]).

use crate::invalid::{Invalid, shown};
use crate::keys::flow::FlowGroup;
use crate::keys::link::LinkSpec;
use crate::model::{ActionKind, Scenario};
use crate::traffic::Traffic;
use crate::units::{LARGEST_WINDOW, write_time};
use cwnd_link::{Jitter, Loss};
use cwnd_traffic::{Direction, Directions, Model};
use serde_json::json;

/// What would limit the window of a flow, for error messages.
const LIMITS: &str = "no link on its path limits its window (by a rate, losses other than at:, or a delay_limit with a delay of that link)";

impl LinkSpec {
    /// Whether it limits what a flow has in flight, although it has no rate: all but a list of losses, or a limit of packets that take no time.
    fn limits_windows(&self) -> bool {
        let loses = matches!(self.loss, Loss::Every { .. } | Loss::Random(_) | Loss::Gilbert(_));
        let takes_time = self.delay.first > 0 || self.jitter.delay != Jitter::None || self.reorder.is_some();
        loses || (self.delay_limit.is_some() && takes_time)
    }
}

impl Scenario {
    /// Refuses flows and traffic that nothing limits, or that no time passes for, on paths without a rate.
    pub(crate) fn check_paths_without_rate(&self) -> Result<(), Invalid> {
        if self.links.iter().all(|link| link.rate.is_some()) {
            return Ok(());
        }
        for (index, group) in self.flows.iter().enumerate() {
            let (path, reverse_path) = self.links_of(&group.route);
            let rtt = group.rtt.unwrap_or_else(|| self.default_rtt(group, &path, &reverse_path));
            let field = format!("flow[{index}]");
            if !self.has_limit(group, &path) {
                let expected = format!("a receive window, or size or app_rate: {LIMITS}");
                return Err(Invalid { field: format!("{field}.rwnd"), value: None, expected });
            }
            self.check_time(&format!("{field}.rtt"), group, [&path, &reverse_path], rtt)?;
        }
        for (index, group) in self.traffic.iter().enumerate() {
            self.check_traffic_without_rate(&format!("traffic[{index}]"), group)?;
        }
        Ok(())
    }

    fn check_traffic_without_rate(&self, field: &str, group: &Traffic) -> Result<(), Invalid> {
        let sends = group.sends();
        for (direction, is_sent) in
            [(Direction::Forward, sends.has_forward()), (Direction::Reverse, sends.has_reverse())]
        {
            let Some(flow) = self.traffic_flow(group, direction).filter(|_| is_sent) else { continue };
            let of_share = (direction == Direction::Reverse) == (group.direction == Directions::Reverse);
            let first = &self.links[flow.path.first().map_or(0, |first| *first as usize)];
            match &group.model {
                Model::Mix(mix) if mix.share.is_some() && of_share && first.rate.is_none() => {
                    let expected = format!("gaps instead of share: {} has no rate", first.name);
                    return Err(Invalid { field: format!("{field}.arrivals"), value: None, expected });
                }
                Model::Udp(_) => continue,
                Model::Long(_)
                    if group.window.is_none()
                        && !self.has_limit(&FlowGroup { size: None, ..group.sender.clone() }, &flow.path) =>
                {
                    let expected = format!("a receive window: {LIMITS}");
                    return Err(Invalid { field: format!("{field}.window"), value: None, expected });
                }
                _ => {}
            }
            // A round trip that is shorter than the delays of the path's links at the beginning is those delays.
            let links =
                flow.path.iter().chain(flow.reverse_path.iter()).map(|link| &self.links[*link as usize]);
            let delays = links.map(|link| link.delay.first).fold(0, u64::saturating_add);
            let longest = group.rtt.as_ref().map_or(flow.rtt, |times| times.largest().max(delays));
            self.check_time(
                &format!("{field}.rtt"),
                &group.sender,
                [&flow.path, &flow.reverse_path],
                longest,
            )?;
        }
        Ok(())
    }

    /// Whether something limits what a flow of this group has in flight on this path.
    fn has_limit(&self, group: &FlowGroup, path: &[u32]) -> bool {
        let own = group.rwnd.is_some() || group.size.is_some() || group.app_rate.is_some();
        let of_stack = || group.stack.is_some_and(|stack| stack.receive_window().is_some());
        let is_limit = |link: &u32| {
            let link = &self.links[*link as usize];
            link.rate.is_some() || link.limits_windows()
        };
        own || group.access.is_some() || of_stack() || path.iter().any(is_limit)
    }

    /// Refuses a round trip, from this time at the beginning on, that takes no time at some time of the run: the run would not get beyond it.
    fn check_time(
        &self,
        field: &str,
        group: &FlowGroup,
        paths: [&[u32]; 2],
        rtt: u64,
    ) -> Result<(), Invalid> {
        let links = || paths.into_iter().flatten().map(|link| &self.links[*link as usize]);
        let takes_time = |link: &LinkSpec| link.rate.is_some() || link.jitter.delay != Jitter::None;
        if group.access.is_some() || links().any(takes_time) {
            return Ok(());
        }
        let falls = |link: &LinkSpec| link.delay.first - self.least_delay(link);
        let fall = links().map(falls).fold(0, u64::saturating_add);
        if rtt > fall {
            return Ok(());
        }
        let why = if fall > 0 { ", the decrease of delays on the path during the run" } else { "" };
        let expected = format!("more than {}{why}, because no link on the path has a rate", write_time(fall));
        Err(Invalid { field: field.to_owned(), value: Some(shown(&json!(write_time(rtt)))), expected })
    }

    /// The least delay that a link has at any time, ns.
    fn least_delay(&self, link: &LinkSpec) -> u64 {
        let series = link.delay.series.iter().map(|(series, _)| series.min());
        let actions = self.actions.iter().filter_map(|action| match &action.what {
            ActionKind::Delay(name, delay) if *name == link.name => Some(*delay),
            _ => None,
        });
        series.chain(actions).fold(link.delay.first, u64::min)
    }

    /// The rate that the window of a flow of this group allows on a path without a rate, bit/s on the wire.
    pub(crate) fn window_rate(&self, group: &FlowGroup, path: &[u32], rtt: u64) -> u64 {
        let largest = u64::from(LARGEST_WINDOW / self.mss());
        let own = group.rwnd.map_or(largest, u64::from);
        let packets =
            path.iter().filter_map(|link| self.links[*link as usize].delay_limit).fold(own, u64::min);
        let bits = u128::from(packets) * u128::from(self.packet_size) * 8_000_000_000;
        u64::try_from(bits / u128::from(rtt.max(1))).unwrap_or(u64::MAX)
    }
}
