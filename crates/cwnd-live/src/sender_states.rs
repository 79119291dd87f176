// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `TCP_INFO` lacks: the inner variables of the flows' algorithms, and windows at every acknowledgement. That takes the kernel's part of
//! this package, and nothing is loaded where a scenario asks for neither.

#[cfg(feature = "kernel")]
mod sampled;
#[cfg(not(feature = "kernel"))]
mod without;

use cwnd::PrivateWords;
use cwnd::registry;
use cwnd_record::{CwndRow, InnerRow, Lane};
use cwnd_scenario::{InnerVariables, Invalid, Scenario, kernels_own, set_with_rules_of};
#[cfg(feature = "kernel")]
pub use sampled::SenderStates;
#[cfg(not(feature = "kernel"))]
pub use without::SenderStates;

/// Rows of the tables `cwnd` and `inner`.
#[derive(Debug, Default)]
pub struct StateRows {
    /// Windows.
    pub cwnd: Vec<CwndRow>,
    /// Inner variables.
    pub inner: Vec<InnerRow>,
}

/// The key that asks for a sampler, and its value; none where there would be no row.
fn asked(scenario: &Scenario) -> Option<(&'static str, Option<String>)> {
    if !scenario.recorded().contains(&true) {
        return None;
    }
    if scenario.record.per_ack {
        return Some(("record.per_ack", Some("true".into())));
    }
    (scenario.record.inner != InnerVariables::Off && scenario.record.interval > 0)
        .then(|| ("record.inner", scenario.written("/record/inner")))
}

/// A key that asks for a sampler where there can be none.
fn refused((field, value): (&str, Option<String>), why: &str) -> Invalid {
    let expected = format!("false in lane live, or a kernel that can be sampled: {why}");
    Invalid { field: field.into(), value, expected }
}

/// Whether a scenario asks for rows that take more than `TCP_INFO`.
#[must_use]
pub fn takes_states(scenario: &Scenario) -> bool {
    asked(scenario).is_some()
}

/// The first algorithm of the kernel with rows of inner variables whose private area is not known.
fn unreadable(scenario: &Scenario) -> Option<&str> {
    let flows = scenario.flows.iter().flat_map(|group| std::iter::repeat_n(group, group.count as usize));
    let recorded = flows.zip(scenario.recorded()).filter(|(_, recorded)| *recorded);
    recorded.map(|(group, _)| group.cc.as_str()).find(|cc| kernels_own(cc).is_some() && !is_readable(cc))
}

/// Whether the inner variables of the kernel's own algorithm are known, or it has none.
fn is_readable(cc: &str) -> bool {
    registry::find(&set_with_rules_of(cc)).is_some_and(|(algorithm, set)| {
        let read = || set.controller()?.with_words(&PrivateWords::default());
        algorithm.inner().next().is_none() || read().is_some()
    })
}

/// Refuses what takes a sampler where there is none.
pub fn check(scenario: &Scenario, lane: Lane) -> Result<(), Invalid> {
    match asked(scenario) {
        Some(_) if lane == Lane::Linux => match unreadable(scenario) {
            Some(cc) if scenario.record.inner != InnerVariables::Off => {
                let expected =
                    format!("false in lane linux with {cc}, whose private area this cwnd cannot read");
                let value = scenario.written("/record/inner");
                Err(Invalid { field: "record.inner".into(), value, expected })
            }
            _ => Ok(()),
        },
        Some(asked) if cfg!(not(feature = "kernel")) => {
            Err(refused(asked, "this installation was built without the kernel part"))
        }
        _ => Ok(()),
    }
}

/// Segments that are cumulatively acknowledged, with a SYN that counts as a byte.
pub fn delivered(bytes_acked: u64, mss: u32) -> u64 {
    bytes_acked.saturating_sub(1).div_ceil(u64::from(mss))
}
