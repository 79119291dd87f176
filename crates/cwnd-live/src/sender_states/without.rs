// SPDX-License-Identifier: MIT OR Apache-2.0
//! An installation without the kernel's part samples nothing.

use super::StateRows;
use crate::algorithms::Algorithms;
use crate::crossing::FlowState;
use crate::error::Error;
use crate::host::Host;
use crate::scenario_clock::ScenarioClock;
use cwnd_scenario::Scenario;

/// There is none.
pub enum SenderStates {}

impl SenderStates {
    /// What takes one was refused.
    pub const fn start(
        _scenario: &Scenario,
        _algorithms: &Algorithms,
        _host: &Host,
    ) -> Result<Option<Self>, Error> {
        Ok(None)
    }

    /// Never called.
    pub const fn per_ack(&self) -> bool {
        match *self {}
    }

    /// Never called.
    pub fn take(
        &mut self,
        _clock: &ScenarioClock,
        _now: u64,
        _flows: &[FlowState],
    ) -> Result<StateRows, Error> {
        match *self {}
    }

    /// Never called.
    pub fn sample(&mut self, _now: u64) {
        match *self {}
    }

    /// Never called.
    pub fn lost(&self) -> Result<u64, Error> {
        match *self {}
    }
}
