// SPDX-License-Identifier: MIT OR Apache-2.0
//! The congestion controls of [`cwnd`] in [quinn](https://docs.rs/quinn).
//!
//! ```
//! use std::sync::Arc;
//! use cwnd_quinn::Cwnd;
//!
//! let mut transport = quinn::TransportConfig::default();
//! transport.congestion_controller_factory(Arc::new(Cwnd::named("cubic").expect("it is registered")));
//! ```
//!
//! With settings of one's own, checked, and no other algorithm linked:
//!
//! ```
//! use std::sync::Arc;
//! use cwnd_quinn::Cwnd;
//! use cwnd_quinn::cwnd::{Fraction, algorithms::cubic::Cubic};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let cubic = Cubic::builder().beta(Fraction::new(8, 10)).slow_start("hystart").build()?;
//! let mut transport = quinn::TransportConfig::default();
//! transport.congestion_controller_factory(Arc::new(Cwnd::new(cubic)));
//! # Ok(())
//! # }
//! ```
//!
//! # What quinn tells, and what not
//! [`quinn_proto::congestion::Controller`] names no packets: a packet that is acknowledged or lost is known by when it was sent, so
//! packets that left at one instant are one here. It counts packets of acknowledgements alone as sent, which no acknowledgement
//! answers; at the end of each batch of acknowledgements the bytes in flight are quinn's. It says nothing of losses that were none, so
//! nothing is undone. It sends only while the bytes in flight stay below the window, so it is shown a byte more; and it paces by itself, at 1.25 windows per round trip.
//!
//! This is the trait of quinn 0.11, the newest on crates.io. quinn's main branch says of a reduction whether ECN asked for it, and when a
//! loss was none; this crate takes both up when they are released. [`cwnd::transport::Transport`] has the calls for them.
#![forbid(unsafe_code)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// What differs in the documentation of [`Cwnd`], which other crates share.
macro_rules! word {
    (crate_name) => {
        "cwnd_quinn"
    };
    (stack) => {
        "quinn"
    };
    (example) => {
        "let mut transport = quinn::TransportConfig::default();
transport.congestion_controller_factory(std::sync::Arc::new(cubic));"
    };
}

mod factory;

pub use cwnd;
pub use factory::Cwnd;

use cwnd::Algorithm;
use cwnd::transport::{Acked, Config, Limit, Lost, Sent, Transport};
use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};
use std::any::Any;
use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::{Duration, Instant};

impl<A: Algorithm + Clone + Debug + Send + Sync + 'static> ControllerFactory for Cwnd<A> {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        // What quinn tells of the flight is no more than nearly exact: see above.
        let config = self.config.mtu(current_mtu).trusting();
        let transport = Transport::new(self.algorithm.clone(), &config, Duration::ZERO);
        Box::new(OfQuinn { transport, begin: now, now, packets: VecDeque::new(), acked: Vec::new(), config })
    }
}

/// Two probe timeouts of a short path, the second of which is twice as long, and time to spare.
const PROBES: Duration = Duration::from_millis(200);

/// A path's controller.
#[derive(Clone, Debug)]
struct OfQuinn<A: Algorithm> {
    transport: Transport<A>,
    begin: Instant,
    now: Instant,
    /// What was sent when, oldest first; what is too old to be acknowledged has been left out.
    packets: VecDeque<(Instant, Sent)>,
    acked: Vec<Acked>,
    config: Config,
}

impl<A: Algorithm> OfQuinn<A> {
    fn at(&mut self, now: Instant) -> Duration {
        self.now = now.max(self.now);
        self.now.saturating_duration_since(self.begin)
    }

    /// What was sent at `at`, or the oldest that is still known; nothing for what another path's controller saw leave. // RFC 9000 §9.4
    fn sent(&self, at: Instant) -> Option<Sent> {
        if at < self.begin {
            return None;
        }
        let place = self.packets.partition_point(|(sent, _)| *sent <= at).saturating_sub(1);
        self.packets.get(place).map(|(_, sent)| *sent)
    }
}

impl<A: Algorithm + Clone + Debug + Send + Sync + 'static> Controller for OfQuinn<A> {
    fn on_sent(&mut self, now: Instant, bytes: u64, _last_packet_number: u64) {
        let at = self.at(now);
        let sent = self.transport.on_sent(at, bytes);
        self.packets.push_back((self.now, sent));
    }

    fn on_ack(&mut self, now: Instant, sent: Instant, bytes: u64, app_limited: bool, _rtt: &RttEstimator) {
        let at = self.at(now);
        if self.acked.is_empty() {
            self.transport.on_burst_end(at, if app_limited { Limit::Application } else { Limit::Window });
        }
        self.acked.extend(self.sent(sent).map(|sent| Acked::new(sent, bytes)));
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, _app_limited: bool, _largest: Option<u64>) {
        let at = self.at(now);
        if !self.acked.is_empty() {
            self.transport.on_acked(at, &self.acked, None);
            self.acked.clear();
        }
        self.transport.on_discarded(self.transport.in_flight().saturating_sub(in_flight));
        // A loss is found a round trip and an eighth after a later packet has arrived (RFC 9002 §6.1.2), or, at the end of what was sent,
        // after the probes that timeouts send: two of them within the time that is added here (RFC 9002 §6.2: 25 ms and more each).
        let oldest = self.transport.smoothed_rtt().and_then(|rtt| now.checked_sub(8 * rtt + PROBES));
        while self.packets.len() > 1 && self.packets.front().map(|(sent, _)| *sent) < oldest {
            self.packets.pop_front();
        }
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, is_persistent: bool, lost_bytes: u64) {
        let at = self.at(now);
        let Some(newest) = self.sent(sent) else { return };
        if lost_bytes == 0 {
            self.transport.on_ecn(at, 1, Some(newest));
        } else {
            self.transport.on_lost(at, &[Lost::new(newest, lost_bytes)], is_persistent);
        }
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.transport.on_mtu(new_mtu);
    }

    fn window(&self) -> u64 {
        // quinn sends while what is in flight with the next packet is less than the window (`>=` in `poll_transmit`), so that a window of
        // ten datagrams lets nine out. RFC 9002 §7: a packet is not sent if the bytes in flight would be *larger* than the window.
        self.transport.window().saturating_add(1)
    }

    fn metrics(&self) -> ControllerMetrics {
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = self.transport.window();
        metrics.ssthresh = self.transport.ssthresh();
        metrics.pacing_rate = self.transport.pacing_rate().map(|rate| rate.saturating_mul(8));
        metrics
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        self.config.initial_window_bytes()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        Box::new(self.transport)
    }
}

#[cfg(test)]
mod tests;
