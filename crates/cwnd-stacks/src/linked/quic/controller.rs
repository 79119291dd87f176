// SPDX-License-Identifier: MIT OR Apache-2.0
//! Congestion controllers of a connection.

use super::adapter;
use super::observed_controller::ObservedController;
use super::proto::congestion::{Controller, ControllerFactory, CubicConfig, NewRenoConfig};
use crate::linked::common::{initial_window, unknown_algorithm};
use crate::linked::observed::Observed;
use cwnd_scenario::Stack;
use cwnd_sim::StackAlgorithm;
use std::sync::Arc;
use std::time::Instant;

/// What makes controllers, as the stack's configuration takes it.
pub(crate) type Factory = Arc<dyn ControllerFactory + Send + Sync>;

/// The factory of an algorithm of a stack, or of ours.
pub(super) fn factory(stack: Stack, algorithm: StackAlgorithm, datagram: u16) -> Result<Factory, String> {
    match algorithm {
        StackAlgorithm::Ours(controller) => Ok(Arc::new(adapter::Cwnd::new(controller))),
        StackAlgorithm::Stock(name) => match name.as_str() {
            "cubic" => Ok(cubic(datagram)),
            "newreno" => {
                let mut config = NewRenoConfig::default();
                if let Some(window) = initial_window(datagram) {
                    config.initial_window(window);
                }
                Ok(Arc::new(config))
            }
            "bbr" => Ok(Arc::new(adapter::bbr(datagram))),
            _ => Err(unknown_algorithm(stack.name(), &name, &adapter::STOCK)),
        },
    }
}

/// The stack's CUBIC, its default.
pub(super) fn cubic(datagram: u16) -> Factory {
    let mut config = CubicConfig::default();
    if let Some(window) = initial_window(datagram) {
        config.initial_window(window);
    }
    Arc::new(config)
}

/// Makes controllers that also note what they are told.
pub(super) struct Observing {
    pub(super) inner: Factory,
    pub(super) observed: Arc<Observed>,
}

impl ControllerFactory for Observing {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        let inner = Arc::clone(&self.inner).build(now, current_mtu);
        Box::new(ObservedController { inner, observed: Arc::clone(&self.observed) })
    }
}
