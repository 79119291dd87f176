// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `TCP_INFO` lacks: the inner variables of the flows' algorithms, and windows at every acknowledgement. That takes the kernel's part of
//! this package, and nothing is loaded where a scenario asks for neither.

#[cfg(feature = "kernel")]
mod sampled;
#[cfg(not(feature = "kernel"))]
mod without;

use cwnd_record::{CwndRow, InnerRow, Lane};
use cwnd_scenario::{InnerVariables, Invalid, Scenario};
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

/// Refuses what takes a sampler where there is none.
pub fn check(scenario: &Scenario, lane: Lane) -> Result<(), Invalid> {
    match asked(scenario) {
        Some((field, value)) if lane == Lane::Linux => {
            let expected = "false in lane linux, which samples `TCP_INFO`".into();
            Err(Invalid { field: field.into(), value, expected })
        }
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
