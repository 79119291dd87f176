// SPDX-License-Identifier: MIT OR Apache-2.0
//! Configurations of both ends of a connection.

use super::controller::{Factory, cubic};
use super::proto::{
    ClientConfig, ConnectionId, ConnectionIdGenerator, EndpointConfig, NoneTokenStore, ServerConfig,
    TransportConfig, ValidationTokenConfig, VarInt, crypto,
};
use super::{adapter, tls};
use crate::linked::application::MAX_SEND_BUFFER;
use crate::linked::common::datagram_out_of_bounds;
use crate::linked::null::Null;
use crate::linked::random::{Generator, Stream, seed_bytes};
use std::sync::Arc;
use std::time::Duration;

/// What the ends of a connection are, apart from the sender's controller.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// Largest datagram, bytes.
    pub(crate) datagram: u16,
    /// Receive window of the connection and of its stream, bytes; `None`: the stack's default.
    pub(crate) receive_window: Option<u64>,
    /// Whether packets are encrypted.
    pub(crate) tls: bool,
    /// Seed of what the stack draws at random.
    pub(crate) seed: u64,
}

/// Length of a connection id: that of the stack's own generator.
const CONNECTION_ID: usize = 8;

/// Length of the id that the first packet goes to, which the stack makes as long as can be.
const FIRST_DESTINATION: usize = 20;

/// What both ends have in common. Flow control is the stack's, 1.25 MB for a stream and no limit for the connection, unless `receive_window`
/// sets both. Not the stack's default: a send buffer that follows the congestion window, no idle timeout, no search for a larger datagram, and
/// one datagram at a time instead of batches for the kernel to segment.
fn transport(Settings { datagram, receive_window, .. }: Settings) -> TransportConfig {
    let mut transport = TransportConfig::default();
    if let Some(bytes) = receive_window {
        let window = VarInt::from_u64(bytes).unwrap_or(VarInt::MAX);
        transport.stream_receive_window(window).receive_window(window);
    }
    transport
        .initial_mtu(datagram)
        .min_mtu(datagram)
        .mtu_discovery_config(None)
        .send_window(MAX_SEND_BUFFER)
        .max_idle_timeout(None)
        .enable_segmentation_offload(false);
    transport
}

/// The configuration of the sending end.
pub(super) fn client(settings: Settings, factory: Factory) -> Result<ClientConfig, String> {
    let mut first = Generator::new(settings.seed, Stream::FirstDestination);
    let destination = connection_id(&mut first, FIRST_DESTINATION);
    let mut transport = transport(settings);
    transport.congestion_controller_factory(factory);
    let mut client = if settings.tls { tls::client()? } else { ClientConfig::new(Arc::new(Null)) };
    client
        .transport_config(Arc::new(transport))
        .token_store(Arc::new(NoneTokenStore))
        .initial_dst_cid_provider(Arc::new(move || destination));
    Ok(client)
}

/// The configuration of the receiving end: its controller is the stack's default, it sends acknowledgements alone.
pub(super) fn server(settings: Settings) -> Result<ServerConfig, String> {
    let crypto: Arc<dyn crypto::ServerConfig> = if settings.tls { tls::server()? } else { Arc::new(Null) };
    let mut server = ServerConfig::new(crypto, Arc::new(Null));
    let mut tokens = ValidationTokenConfig::default();
    // Tokens for later connections: there are none, and their contents would be drawn from the time of day.
    tokens.sent(0);
    let mut transport = transport(settings);
    transport.congestion_controller_factory(cubic(settings.datagram));
    server.transport_config(Arc::new(transport)).validation_token_config(tokens);
    Ok(server)
}

/// The configuration of an endpoint.
pub(super) fn endpoint(settings: Settings, own: Stream, ids: Stream) -> Result<EndpointConfig, String> {
    let Settings { datagram, seed, .. } = settings;
    let mut endpoint = EndpointConfig::new(Arc::new(Null));
    endpoint.rng_seed(Some(seed_bytes(seed, own)));
    adapter::set_cid_generator(&mut endpoint, move || Box::new(Ids { generator: Generator::new(seed, ids) }));
    endpoint.max_udp_payload_size(datagram).map_err(|_| datagram_out_of_bounds(datagram))?;
    Ok(endpoint)
}

fn connection_id(generator: &mut Generator, length: usize) -> ConnectionId {
    let mut bytes = [0; 24];
    for word in bytes.chunks_exact_mut(8) {
        word.copy_from_slice(&generator.next().to_be_bytes());
    }
    ConnectionId::new(&bytes[..length])
}

/// Connection ids from a seed: the stack's own generators draw from the thread's.
struct Ids {
    generator: Generator,
}

impl ConnectionIdGenerator for Ids {
    fn generate_cid(&mut self) -> ConnectionId {
        connection_id(&mut self.generator, CONNECTION_ID)
    }

    fn cid_len(&self) -> usize {
        CONNECTION_ID
    }

    fn cid_lifetime(&self) -> Option<Duration> {
        None
    }
}
