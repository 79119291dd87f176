// SPDX-License-Identifier: MIT OR Apache-2.0
//! The congestion controls of [`cwnd`] in [s2n-quic](https://docs.rs/s2n-quic).
//!
//! ```
//! use cwnd_s2n_quic::Cwnd;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let cubic = Cwnd::named("cubic").expect("it is registered");
//! let client = s2n_quic::Client::builder().with_congestion_controller(cubic)?;
//! # Ok(())
//! # }
//! ```
//!
//! With settings of one's own, checked, and no other algorithm linked:
//!
//! ```
//! use cwnd_s2n_quic::Cwnd;
//! use cwnd_s2n_quic::cwnd::{Fraction, algorithms::cubic::Cubic};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let cubic = Cubic::builder().beta(Fraction::new(8, 10)).slow_start("hystart").build()?;
//! let server = s2n_quic::Server::builder().with_congestion_controller(Cwnd::new(cubic))?;
//! # Ok(())
//! # }
//! ```
//!
//! # What s2n-quic tells, and what not
//! Its trait is behind the feature `unstable-congestion-controller`: a later version may change it, and this crate then follows. It gives
//! each packet back with its acknowledgement or loss, one call for all bytes that an ACK frame acknowledges, the count of ECN marks, and
//! asks for the earliest departure of the next packet: [`Pacer`] answers. It says nothing of losses that were
//! none, so nothing is undone. cwnd measures the round trip time itself, and publishes none of s2n-quic's events on slow start and rates.
#![forbid(unsafe_code)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// What differs in the documentation of [`Cwnd`], which other crates share.
macro_rules! word {
    (crate_name) => {
        "cwnd_s2n_quic"
    };
    (stack) => {
        "s2n-quic"
    };
    (example) => {
        "let server = s2n_quic::Server::builder().with_congestion_controller(cubic)?;
# Ok::<(), std::convert::Infallible>(())"
    };
}

mod factory;

pub use cwnd;
pub use factory::Cwnd;

use cwnd::Algorithm;
use cwnd::transport::{Acked, Limit, Lost, Pacer, Sent, Transport};
use s2n_quic::provider::congestion_controller::{
    CongestionController, Endpoint, PathInfo, Publisher, RandomGenerator, RttEstimator, Timestamp,
};
use std::fmt::Debug;
use std::time::Duration;

impl<A: Algorithm + Clone + Debug + Send + 'static> Endpoint for Cwnd<A> {
    type CongestionController = OfS2n<A>;

    fn new_congestion_controller(&mut self, path: PathInfo<'_>) -> OfS2n<A> {
        let config = self.config.mtu(path.max_datagram_size).trusting();
        OfS2n {
            transport: Transport::without_time(self.algorithm.clone(), &config),
            pacer: Pacer::new(),
            begin: None,
            departure: None,
            marks: 0,
        }
    }
}

/// A path's controller. s2n-quic makes and calls it.
///
/// ```
/// use cwnd_s2n_quic::{Cwnd, OfS2n};
/// use s2n_quic::provider::congestion_controller::Endpoint;
///
/// fn of_one_path<E: Endpoint<CongestionController = OfS2n>>(_endpoint: E) {}
/// of_one_path(Cwnd::named("cubic").unwrap());
/// ```
#[derive(Clone, Debug)]
pub struct OfS2n<A: Algorithm = cwnd::Controller> {
    transport: Transport<A>,
    pacer: Pacer,
    /// The first time that s2n-quic named: those of the transport count from it.
    begin: Option<Timestamp>,
    departure: Option<Timestamp>,
    /// ECN marks of the ACK frame whose packets s2n-quic names next.
    marks: u64,
}

impl<A: Algorithm> OfS2n<A> {
    fn at(&mut self, now: Timestamp) -> Duration {
        now.saturating_duration_since(*self.begin.get_or_insert(now))
    }

    /// An ACK frame for `bytes` bytes: its marks, told before, are judged by its own newest packet.
    fn acknowledge(&mut self, at: Duration, newest: Sent, bytes: u64) {
        let marks = std::mem::take(&mut self.marks);
        if marks > 0 {
            self.transport.on_ecn(at, marks, Some(newest));
        }
        self.transport.on_acked(at, &[Acked::new(newest, bytes)], None);
    }
}

/// As many bytes as s2n-quic can hold.
fn word(bytes: u64) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

impl<A: Algorithm + Clone + Debug + Send + 'static> CongestionController for OfS2n<A> {
    type PacketInfo = Sent;

    fn congestion_window(&self) -> u32 {
        word(self.transport.window())
    }

    fn bytes_in_flight(&self) -> u32 {
        word(self.transport.in_flight())
    }

    fn is_congestion_limited(&self) -> bool {
        !self.transport.may_send(self.transport.mtu().into())
    }

    fn requires_fast_retransmission(&self) -> bool {
        self.transport.allows_fast_retransmission()
    }

    fn on_packet_sent<P: Publisher>(
        &mut self,
        now: Timestamp,
        bytes: usize,
        app_limited: Option<bool>,
        _rtt: &RttEstimator,
        _publisher: &mut P,
    ) -> Sent {
        let at = self.at(now);
        if bytes == 0 {
            // Acknowledgements alone: not in flight, but they may be the newest packet of an ACK frame.
            return self.transport.on_sent(at, 0);
        }
        let sent = self.transport.on_sent(at, bytes as u64);
        if let Some(limited) = app_limited {
            self.transport.on_burst_end(at, if limited { Limit::Application } else { Limit::Window });
        }
        self.pacer.on_sent(at, bytes as u64, &self.transport);
        let next = self.pacer.departure(at, self.transport.mtu().into(), &self.transport);
        self.departure = self.begin.filter(|_| next > at).map(|begin| begin + next);
        sent
    }

    fn on_rtt_update<P: Publisher>(
        &mut self,
        _sent: Timestamp,
        _now: Timestamp,
        _rtt: &RttEstimator,
        _publisher: &mut P,
    ) {
    }

    fn on_ack<P: Publisher>(
        &mut self,
        _sent: Timestamp,
        bytes: usize,
        newest: Sent,
        _rtt: &RttEstimator,
        _random: &mut dyn RandomGenerator,
        now: Timestamp,
        _publisher: &mut P,
    ) {
        let at = self.at(now);
        self.acknowledge(at, newest, bytes as u64);
    }

    fn on_packet_lost<P: Publisher>(
        &mut self,
        bytes: u32,
        packet: Sent,
        persistent: bool,
        _new_burst: bool,
        _random: &mut dyn RandomGenerator,
        now: Timestamp,
        _publisher: &mut P,
    ) {
        let at = self.at(now);
        if bytes > 0 {
            self.transport.on_lost(at, &[Lost::new(packet, bytes.into())], persistent);
        }
    }

    /// s2n-quic tells of an ACK frame's marks before its packets: they wait for [`Self::on_ack`], which names the newest.
    fn on_explicit_congestion<P: Publisher>(&mut self, marks: u64, _now: Timestamp, _publisher: &mut P) {
        self.marks = self.marks.saturating_add(marks);
    }

    fn on_mtu_update<P: Publisher>(&mut self, mtu: u16, _publisher: &mut P) {
        self.transport.on_mtu(mtu);
    }

    fn on_packet_discarded<P: Publisher>(&mut self, bytes: usize, _publisher: &mut P) {
        self.transport.on_discarded(bytes as u64);
    }

    fn earliest_departure_time(&self) -> Option<Timestamp> {
        self.departure
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cwnd::transport::Config;

    // A mark in the first ACK frame of the second window: the frame's packet was sent after the first reduction, so it is another epoch,
    // though the newest packet acknowledged before it belongs to the first. 10, 5 and 2 datagrams.
    #[test]
    fn a_mark_is_judged_by_the_newest_packet_of_its_own_frame() {
        let reno = cwnd::Controller::for_quic("reno").expect("registered");
        let ms = Duration::from_millis;
        let mut path = OfS2n {
            transport: Transport::new(reno, &Config::new(), ms(0)),
            pacer: Pacer::new(),
            begin: None,
            departure: None,
            marks: 0,
        };
        let first: Vec<_> = (0..10).map(|_| path.transport.on_sent(ms(0), 1200)).collect();
        path.marks = 1; // as `on_explicit_congestion` leaves it
        assert_eq!(path.transport.window(), 12_000);
        path.acknowledge(ms(50), first[9], 12_000);
        assert_eq!((path.transport.window(), path.marks), (6_000, 0));
        let second: Vec<_> = (0..5).map(|_| path.transport.on_sent(ms(50), 1200)).collect();
        path.marks = 1;
        path.acknowledge(ms(100), second[0], 1200);
        assert!(path.transport.window() <= 3_600, "{}", path.transport.window());
        assert_eq!(path.transport.metrics().epochs.by_ecn, 2);
    }
}
