// SPDX-License-Identifier: MIT OR Apache-2.0
//! Congestion controllers of a connection of quinn.

use crate::linked::common::initial_window;
use crate::linked::observed::{CongestionEvent, Observed};
use cwnd_sim::StackAlgorithm;
use quinn_proto::RttEstimator;
use quinn_proto::congestion::{
    BbrConfig, Controller, ControllerFactory, ControllerMetrics, CubicConfig, NewRenoConfig,
};
use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

/// What makes controllers, as quinn's configuration takes it.
pub(super) type Factory = Arc<dyn ControllerFactory + Send + Sync>;

/// quinn's own algorithms.
///
/// `Bbr` seeds a generator from the thread's. Its draws decide the phase of the pacing gain, which quinn 0.11 only logs: packets are
/// paced by the window, and the window is computed without it. So one seed gives one result.
pub(crate) const STOCK: [&str; 3] = ["cubic", "newreno", "bbr"];

/// The factory of an algorithm.
pub(super) fn factory(algorithm: StackAlgorithm, datagram: u16) -> Result<Factory, String> {
    match algorithm {
        StackAlgorithm::Ours(controller) => Ok(Arc::new(cwnd_quinn::Cwnd::new(controller))),
        StackAlgorithm::Stock(name) => match name.as_str() {
            "cubic" => Ok(cubic(datagram)),
            "newreno" => {
                let mut config = NewRenoConfig::default();
                if let Some(window) = initial_window(datagram) {
                    config.initial_window(window);
                }
                Ok(Arc::new(config))
            }
            "bbr" => Ok(Arc::new(BbrConfig::default())),
            _ => Err(crate::linked::common::unknown_algorithm("quinn", &name, &STOCK)),
        },
    }
}

/// CUBIC of quinn, its default.
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

struct ObservedController {
    inner: Box<dyn Controller>,
    observed: Arc<Observed>,
}

impl Controller for ObservedController {
    fn on_sent(&mut self, now: Instant, bytes: u64, last_packet_number: u64) {
        self.observed.on_sent(bytes);
        self.inner.on_sent(now, bytes, last_packet_number);
    }

    fn on_ack(&mut self, now: Instant, sent: Instant, bytes: u64, app_limited: bool, rtt: &RttEstimator) {
        self.inner.on_ack(now, sent, bytes, app_limited, rtt);
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool, largest: Option<u64>) {
        self.observed.on_end_acks(in_flight);
        self.inner.on_end_acks(now, in_flight, app_limited, largest);
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, is_persistent: bool, lost: u64) {
        let before = self.inner.window();
        self.inner.on_congestion_event(now, sent, is_persistent, lost);
        let is_reduced = self.inner.window() < before;
        self.observed.on_congestion(CongestionEvent { lost, is_persistent, is_reduced });
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.inner.on_mtu_update(new_mtu);
    }

    fn window(&self) -> u64 {
        self.inner.window()
    }

    fn metrics(&self) -> ControllerMetrics {
        self.inner.metrics()
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(Self { inner: self.inner.clone_box(), observed: Arc::clone(&self.observed) })
    }

    fn initial_window(&self) -> u64 {
        self.inner.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self.inner.into_any()
    }
}
