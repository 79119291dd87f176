// SPDX-License-Identifier: MIT OR Apache-2.0
//! Flows whose slow start HyStart++ limits because their acknowledgements are rare. // RFC 9406 §4.2

use crate::keys::flow::FlowGroup;
use crate::model::Scenario;
use cwnd::Controller;
use cwnd::params::ParamKind;

/// A group of flows that HyStart++ lets grow more slowly than slow start: an acknowledgement of a flow that is not paced adds at most `limit`
/// segments to its window, and may be for more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlowStartLimit {
    /// Label of the group.
    pub label: String,
    /// Segments that an acknowledgement may be for (`ack_every`).
    pub ack_every: u32,
    /// Segments that it may add (`l`).
    pub limit: u32,
}

impl Scenario {
    /// The groups whose acknowledgements may be for more segments than HyStart++ lets the window grow by: none of a stack, which has its own, and none
    /// that is paced.
    #[must_use]
    pub fn slow_start_limits(&self) -> Vec<SlowStartLimit> {
        let groups = self.flows.iter().zip(self.labels());
        groups
            .filter(|(group, _)| group.stack.is_none() && !group.pacing)
            .filter_map(|(group, label)| {
                let (limit, ack_every) = (limit_of(group)?, group.ack_every);
                (ack_every > limit).then_some(SlowStartLimit { label, ack_every, limit })
            })
            .collect()
    }
}

/// What an acknowledgement may add to the window in HyStart++; `None` for another slow start, or without a limit.
fn limit_of(group: &FlowGroup) -> Option<u32> {
    let (algorithm, _) = cwnd::registry::find(&group.cc)?;
    let controller = crate::params::controller(&group.cc, &group.params);
    let value = |controller: &Controller, name: &str| {
        let index = algorithm.specs.iter().position(|spec| spec.name == name)?;
        Some((&algorithm.specs[index].kind, controller.param(index)))
    };
    let (kind, choice) = value(&controller, "slow_start")?;
    let ParamKind::Choice(names) = kind else { return None };
    if names.get(choice as usize) != Some(&"hystart++") || controller.has_cong_control() {
        return None;
    }
    value(&controller, "l").map(|(_, limit)| limit).filter(|limit| *limit > 0)
}
