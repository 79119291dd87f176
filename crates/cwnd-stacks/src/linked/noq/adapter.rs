// SPDX-License-Identifier: MIT OR Apache-2.0
//! What differs between noq-proto 1.4 and quinn-proto 0.11, by the names that the code of both uses.

use crate::linked::clock::nanos;
use crate::linked::common::initial_window;
use crate::linked::observed::Observed;
use bytes::{Bytes, BytesMut};
use cwnd_sim::Probe;
use noq_proto::congestion::{Bbr3Config, Controller};
use noq_proto::{
    Connection, ConnectionId, ConnectionIdGenerator, DatagramEvent, EcnCodepoint, Endpoint, EndpointConfig,
    FourTuple, PathId, SendStream, ServerConfig, TransportError, TransportErrorCode, WriteError,
};
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

pub(super) use cwnd_noq::Cwnd;

/// noq's own algorithms; `bbr` is BBRv3.
///
/// It seeds the generator that chooses when to probe from the thread's, and noq has no setting for that (`probe_rng_seed` of
/// `Bbr3Config` is private): its runs differ from each other with one seed, so scenarios cannot name it.
pub(crate) const STOCK: [&str; 3] = ["cubic", "newreno", "bbr"];

/// Most datagrams of a call of `poll_transmit`.
pub(super) const ONE_DATAGRAM: NonZeroUsize = NonZeroUsize::MIN;

/// How the traits of cryptography take a connection id.
pub(super) type IdArgument<'a> = ConnectionId;

/// How they take the configuration that starts a session.
pub(super) type ConfigSelf<'a, T> = &'a T;

/// BBRv3 of noq.
pub(super) fn bbr(datagram: u16) -> Bbr3Config {
    let mut config = Bbr3Config::default();
    if let Some(window) = initial_window(datagram) {
        config.initial_window(window);
    }
    config
}

pub(super) fn endpoint(config: EndpointConfig, server: Option<ServerConfig>) -> Endpoint {
    Endpoint::new(Arc::new(config), server.map(Arc::new), false)
}

pub(super) fn set_cid_generator(
    config: &mut EndpointConfig,
    generator: impl Fn() -> Box<dyn ConnectionIdGenerator> + Send + Sync + 'static,
) {
    config.cid_generator(Arc::new(generator));
}

pub(super) fn protocol_violation(reason: &str) -> TransportError {
    TransportError::new(TransportErrorCode::PROTOCOL_VIOLATION, reason.to_owned())
}

/// The congestion window, bytes.
pub(super) fn congestion_window(connection: &Connection) -> u64 {
    connection.congestion_state(PathId::ZERO).map_or(0, Controller::window)
}

/// Hands data to a stream; the bytes that it took.
pub(super) fn write(stream: &mut SendStream<'_>, piece: Bytes) -> Result<usize, WriteError> {
    stream.write_chunks(&mut &mut [piece][..])
}

/// Hands a datagram to an endpoint: where it is from, its ECN field, its bytes.
pub(super) fn handle(
    endpoint: &mut Endpoint,
    now: Instant,
    (from, ecn, data): (SocketAddr, Option<EcnCodepoint>, BytesMut),
    response: &mut Vec<u8>,
) -> Option<DatagramEvent> {
    endpoint.handle(now, FourTuple::from_remote(from), ecn, data, response)
}

/// What the connection shows of its path.
pub(super) fn path_probe(connection: &Connection, observed: &Observed) -> Probe {
    let metrics = connection.congestion_state(PathId::ZERO).map(Controller::metrics).unwrap_or_default();
    // Before a sample noq shows the RTT that it begins with, 333 ms.
    let rtt = connection.rtt(PathId::ZERO).filter(|_| observed.has_rtt());
    let srtt = rtt.map_or(0, nanos);
    Probe {
        cwnd: metrics.congestion_window,
        ssthresh: metrics.ssthresh.filter(|&ssthresh| ssthresh != u64::MAX),
        srtt,
        // noq does not show it: as the controller was told.
        min_rtt: observed.min_rtt(srtt),
        // The controller's, where it has one; else noq paces by the window and the smoothed RTT.
        pacing_rate: metrics.pacing_rate,
        // noq shows its own count only to those who may change the connection.
        lost: observed.lost(),
        ..Probe::default()
    }
}
