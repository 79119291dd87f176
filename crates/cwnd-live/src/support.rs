// SPDX-License-Identifier: MIT OR Apache-2.0
//! What of a scenario the running kernel can do.

use crate::carrier::FIRST_PORT;
use cwnd_scenario::{FlowGroup, InnerVariables, Invalid, Scenario, Start};

/// Most flows of a run: each has a port, and is looked at a hundred times a second.
pub const MAX_FLOWS: usize = 1000;
const _: () = assert!(FIRST_PORT as usize + MAX_FLOWS < 50_000);

/// Refuses what this lane does not do.
///
/// # Errors
/// The first key that it does not do.
pub fn check(scenario: &Scenario) -> Result<(), Invalid> {
    let refuse = |field: String, value: Option<String>, expected: &str| {
        Err(Invalid { field, value, expected: format!("{expected} in lane live") })
    };
    let flows: usize = scenario.flows.iter().map(|group| group.count as usize).sum();
    if flows > MAX_FLOWS {
        return refuse("flow".into(), Some(format!("{flows} flows")), &format!("at most {MAX_FLOWS}"));
    }
    if let Some(traffic) = scenario.traffic.first() {
        return refuse("traffic".into(), Some(format!("\"{}\"", traffic.name)), "none");
    }
    if scenario.record.per_ack {
        return refuse("record.per_ack".into(), Some("true".into()), "false");
    }
    if scenario.record.inner != InnerVariables::Off {
        return refuse("record.inner".into(), None, "none");
    }
    let kernels = FlowGroup::of("", Start::At(0));
    for (number, group) in scenario.flows.iter().enumerate() {
        let same = [
            ("recovery", group.recovery.is_none(), "none, because the kernel has its own,"),
            ("initial_cwnd", group.initial_cwnd == kernels.initial_cwnd, "10, the kernel's,"),
            ("initial_ssthresh", group.initial_ssthresh.is_none(), "none"),
            ("ack_every", group.ack_every == kernels.ack_every, "2, the kernel's,"),
            ("ack_delay", group.ack_delay == kernels.ack_delay, "\"40ms\", the kernel's,"),
            ("min_rto", group.min_rto == kernels.min_rto, "\"200ms\", the kernel's,"),
            ("limited_transmit", group.limited_transmit, "true, as in the kernel,"),
            ("burst", group.burst.is_none(), "none"),
            ("idle_restart", group.idle_restart, "true, as in the kernel,"),
        ];
        if let Some((key, _, expected)) = same.into_iter().find(|(_, same, _)| !same) {
            return refuse(format!("flow[{number}].{key}"), None, expected);
        }
    }
    Ok(())
}
