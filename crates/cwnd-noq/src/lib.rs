// SPDX-License-Identifier: MIT OR Apache-2.0
//! The congestion controls of [`cwnd`] in [noq](https://docs.rs/noq).
//!
//! ```
//! use std::sync::Arc;
//! use cwnd_noq::Cwnd;
//!
//! let mut transport = noq::TransportConfig::default();
//! transport.congestion_controller_factory(Arc::new(Cwnd::named("cubic").expect("it is registered")));
//! ```
//!
//! With settings of one's own, checked, and no other algorithm linked:
//!
//! ```
//! use std::sync::Arc;
//! use cwnd_noq::Cwnd;
//! use cwnd_noq::cwnd::{Fraction, algorithms::cubic::Cubic};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let cubic = Cubic::builder().beta(Fraction::new(8, 10)).slow_start("hystart").build()?;
//! let mut transport = noq::TransportConfig::default();
//! transport.congestion_controller_factory(Arc::new(Cwnd::new(cubic)));
//! # Ok(())
//! # }
//! ```
//!
//! noq names packets, says which losses were none, when its window was full, and which reductions are asked for by ECN; it paces at the
//! rate that the algorithm, or the window and the round trip time, give, in batches of at most the initial window; noq's bucket may let
//! several go at once, 2 ms of the rate.
#![forbid(unsafe_code)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// What differs in the documentation of [`Cwnd`], which other crates share.
macro_rules! word {
    (crate_name) => {
        "cwnd_noq"
    };
    (stack) => {
        "noq"
    };
    (example) => {
        "let mut transport = noq::TransportConfig::default();
transport.congestion_controller_factory(std::sync::Arc::new(cubic));"
    };
}

mod factory;

pub use cwnd;
pub use factory::Cwnd;

use cwnd::Algorithm;
use cwnd::transport::{Acked, Config, Limit, LossEpoch, Lost, Sent, Transport};
use noq_proto::RttEstimator;
use noq_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};
use std::any::Any;
use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::{Duration, Instant};

impl<A: Algorithm + Clone + Debug + Send + Sync + 'static> ControllerFactory for Cwnd<A> {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        // Packets whose keys are discarded leave the flight without a word: see `on_end_acks`.
        let config = self.config.mtu(current_mtu).trusting();
        let transport = Transport::new(self.algorithm.clone(), &config, Duration::ZERO);
        Box::new(OfNoq {
            transport,
            begin: now,
            now,
            packets: VecDeque::new(),
            acked: Vec::new(),
            lost: Vec::new(),
            lost_sent: Vec::new(),
            rtt: INITIAL_RTT,
            newest: None,
            declared: Vec::new(),
            config,
        })
    }
}

/// `kInitialRtt` (RFC 9002 §6.2.2).
const INITIAL_RTT: Duration = Duration::from_millis(333);

/// A packet that was declared lost, when it was sent, and the epoch of its loss.
type Declared = (Instant, Lost, LossEpoch);

/// A path's controller.
#[derive(Clone, Debug)]
struct OfNoq<A: Algorithm> {
    transport: Transport<A>,
    begin: Instant,
    now: Instant,
    /// What is in flight, oldest first: packet numbers, which begin anew with each of a path's three number spaces.
    packets: VecDeque<(u64, Instant, Sent)>,
    acked: Vec<Acked>,
    lost: Vec<Lost>,
    /// When they were sent.
    lost_sent: Vec<Instant>,
    /// noq's smoothed round trip time.
    rtt: Duration,
    /// The newest packet that was acknowledged.
    newest: Option<(Instant, Sent)>,
    /// What was declared lost and may still arrive.
    declared: Vec<Declared>,
    config: Config,
}

impl<A: Algorithm> OfNoq<A> {
    fn at(&mut self, now: Instant) -> Duration {
        self.now = now.max(self.now);
        self.now.saturating_duration_since(self.begin)
    }

    /// The packet of this number leaves the flight; where two have it, the one that was sent at `at`, or else the older one.
    fn take(&mut self, number: u64, at: Option<Instant>) -> Option<(Instant, Sent)> {
        let is_it = |(pn, sent, _): &(u64, Instant, Sent)| *pn == number && at.is_none_or(|at| at == *sent);
        let place = self.packets.iter().position(is_it)?;
        self.packets.remove(place).map(|(_, at, sent)| (at, sent))
    }

    /// Forgets lost packets that noq may have forgotten, which it does two probe timeouts after they were sent without a word: a probe timeout
    /// is longer than a round trip (RFC 9002 §6.2.1). So such a packet is never taken for one that has arrived.
    fn forget_lost(&mut self) {
        let (now, two_round_trips) = (self.now, 2 * self.rtt);
        self.declared.retain(|(sent, ..)| now.saturating_duration_since(*sent) <= two_round_trips);
    }
}

impl<A: Algorithm + Clone + Debug + Send + Sync + 'static> Controller for OfNoq<A> {
    fn on_packet_sent(&mut self, now: Instant, bytes: u16, pn: u64) {
        let at = self.at(now);
        let sent = self.transport.on_sent(at, bytes.into());
        self.packets.push_back((pn, now, sent));
    }

    fn on_cwnd_limited(&mut self) {
        let at = self.at(self.now);
        self.transport.on_burst_end(at, Limit::Window);
    }

    fn on_ack(
        &mut self,
        now: Instant,
        sent: Instant,
        bytes: u64,
        pn: u64,
        app_limited: bool,
        rtt: &RttEstimator,
    ) {
        let at = self.at(now);
        if self.acked.is_empty() && app_limited {
            self.transport.on_burst_end(at, Limit::Application);
        }
        self.rtt = rtt.get();
        let Some((_, packet)) = self.take(pn, Some(sent)) else { return };
        self.acked.push(Acked::new(packet, bytes));
        if self.newest.is_none_or(|(newest, _)| newest <= sent) {
            self.newest = Some((sent, packet));
        }
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, _app_limited: bool, _largest: Option<u64>) {
        let at = self.at(now);
        if !self.acked.is_empty() {
            self.transport.on_acked(at, &self.acked, None);
            self.acked.clear();
        }
        self.transport.on_discarded(self.transport.in_flight().saturating_sub(in_flight));
        if in_flight == 0 {
            self.packets.clear();
        }
        self.forget_lost();
    }

    fn on_packet_lost(&mut self, lost_bytes: u16, pn: u64, _now: Instant) {
        let Some((at, packet)) = self.take(pn, None) else { return };
        self.lost.push(Lost::new(packet, lost_bytes.into()));
        self.lost_sent.push(at);
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        _sent: Instant,
        is_persistent: bool,
        is_ecn: bool,
        _lost_bytes: u64,
        _largest_lost_pn: u64,
    ) {
        let at = self.at(now);
        if is_ecn {
            // noq has acknowledged the packet before.
            if let Some((_, newest)) = self.newest {
                self.transport.on_ecn(at, 1, Some(newest));
            }
            return;
        }
        let epoch = self.transport.on_lost(at, &self.lost, is_persistent);
        self.forget_lost();
        let declared = self.lost.drain(..).zip(self.lost_sent.drain(..));
        self.declared.extend(declared.filter_map(|(lost, sent)| epoch.map(|epoch| (sent, lost, epoch))));
    }

    fn on_spurious_congestion_event(&mut self) {
        let at = self.at(self.now);
        // All packets that noq still knows as lost have arrived; it may know more than `declared`, and never less.
        for (_, lost, epoch) in self.declared.drain(..) {
            self.transport.on_spurious(at, epoch, &[lost]);
        }
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.transport.on_mtu(new_mtu);
    }

    fn window(&self) -> u64 {
        self.transport.window()
    }

    fn metrics(&self) -> ControllerMetrics {
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = self.transport.window();
        metrics.ssthresh = self.transport.ssthresh();
        metrics.pacing_rate = self.transport.pacing_rate();
        metrics.send_quantum = Some(self.transport.burst());
        metrics.bandwidth_estimate = None;
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
