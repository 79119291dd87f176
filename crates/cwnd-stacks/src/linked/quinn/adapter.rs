// SPDX-License-Identifier: MIT OR Apache-2.0
//! What differs between quinn-proto 0.11 and noq-proto 1.4, by the names that the code of both uses.

use crate::linked::clock::nanos;
use crate::linked::observed::Observed;
use bytes::{Bytes, BytesMut};
use cwnd_sim::Probe;
use quinn_proto::congestion::BbrConfig;
use quinn_proto::{
    Connection, ConnectionId, ConnectionIdGenerator, DatagramEvent, EcnCodepoint, Endpoint, EndpointConfig,
    SendStream, ServerConfig, TransportError, TransportErrorCode, WriteError,
};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

pub(super) use cwnd_quinn::Cwnd;

/// quinn's own algorithms.
///
/// `Bbr` seeds a generator from the thread's. Its draws decide the phase of the pacing gain, which quinn 0.11 only logs: packets are
/// paced by the window, and the window is computed without it. So one seed gives one result.
pub(crate) const STOCK: [&str; 3] = ["cubic", "newreno", "bbr"];

/// Most datagrams of a call of `poll_transmit`.
pub(super) const ONE_DATAGRAM: usize = 1;

/// How the traits of cryptography take a connection id.
pub(super) type IdArgument<'a> = &'a ConnectionId;

/// How they take the configuration that starts a session.
pub(super) type ConfigSelf<'a, T> = Arc<T>;

/// BBR of quinn. Its initial window, 240 000 bytes, holds two datagrams of any size.
pub(super) fn bbr(_datagram: u16) -> BbrConfig {
    BbrConfig::default()
}

pub(super) fn endpoint(config: EndpointConfig, server: Option<ServerConfig>) -> Endpoint {
    Endpoint::new(Arc::new(config), server.map(Arc::new), false, None)
}

pub(super) fn set_cid_generator(
    config: &mut EndpointConfig,
    generator: impl Fn() -> Box<dyn ConnectionIdGenerator> + Send + Sync + 'static,
) {
    config.cid_generator(generator);
}

pub(super) fn protocol_violation(reason: &str) -> TransportError {
    let mut error = TransportError::from(TransportErrorCode::PROTOCOL_VIOLATION);
    error.reason = reason.to_owned();
    error
}

/// The congestion window, bytes.
pub(super) fn congestion_window(connection: &Connection) -> u64 {
    connection.congestion_state().window()
}

/// Hands data to a stream; the bytes that it took.
pub(super) fn write(stream: &mut SendStream<'_>, piece: Bytes) -> Result<usize, WriteError> {
    stream.write_chunks(&mut [piece]).map(|written| written.bytes)
}

/// Hands a datagram to an endpoint: where it is from, its ECN field, its bytes.
pub(super) fn handle(
    endpoint: &mut Endpoint,
    now: Instant,
    (from, ecn, data): (SocketAddr, Option<EcnCodepoint>, BytesMut),
    response: &mut Vec<u8>,
) -> Option<DatagramEvent> {
    endpoint.handle(now, from, None, ecn, data, response)
}

/// What the connection shows of its path.
pub(super) fn path_probe(connection: &Connection, observed: &Observed) -> Probe {
    let controller = connection.congestion_state();
    let path = connection.stats().path;
    // Before a sample quinn shows the RTT that it begins with, 333 ms.
    let measured = |rtt| if observed.has_rtt() { nanos(rtt) } else { 0 };
    Probe {
        cwnd: controller.window(),
        ssthresh: controller.metrics().ssthresh.filter(|&ssthresh| ssthresh != u64::MAX),
        srtt: measured(path.rtt),
        min_rtt: measured(path.min_rtt),
        // It paces, by the window and the smoothed RTT, and does not show how fast.
        pacing_rate: None,
        lost: path.lost_packets,
        ..Probe::default()
    }
}
