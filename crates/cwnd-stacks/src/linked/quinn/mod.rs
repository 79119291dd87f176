// SPDX-License-Identifier: MIT OR Apache-2.0
//! quinn: quinn-proto as it is, both ends.
//!
//! Clocks: no path used here reads one (`SystemTime` is read for tokens of later connections, of which none are sent). Randomness:
//! the endpoint's generator is seeded, and connection ids are ours; see `controller.rs` for BBR.

mod behind_hooks;
mod config;
mod controller;
mod endpoint;
mod null_crypto;
mod tls;

use crate::linked::application::Application;
use crate::linked::clock::Clock;
use crate::linked::observed::Observed;
use crate::linked::random::Stream;
use controller::Observing;
use cwnd_sim::{Connection, ConnectionSpec};
use endpoint::{QuinnEndpoint, Role};
use std::sync::Arc;

pub(crate) use behind_hooks::sets as sets_behind_hooks;
pub(crate) use controller::STOCK;

/// Makes both ends of a connection.
pub(crate) fn connect(spec: ConnectionSpec<'_>) -> Result<Connection, String> {
    let ConnectionSpec { algorithm, datagram, receive_window, tls, seed, .. } = spec;
    let clock = Clock::new();

    let observed = Arc::new(Observed::default());
    let factory = Arc::new(Observing {
        inner: controller::factory(algorithm, datagram)?,
        observed: Arc::clone(&observed),
    });
    let client = config::client((datagram, receive_window), seed, tls, factory)?;
    let endpoint = config::endpoint(datagram, seed, Stream::Client, Stream::ClientIds)?;
    let endpoint = quinn_proto::Endpoint::new(Arc::new(endpoint), None, false, None);
    let role = Role::Sender { config: Box::new(client), application: Application::default(), stream: None };
    let sender = QuinnEndpoint::new(clock, endpoint, role, observed);

    let server = config::server((datagram, receive_window), tls)?;
    let endpoint = config::endpoint(datagram, seed, Stream::Server, Stream::ServerIds)?;
    let endpoint = quinn_proto::Endpoint::new(Arc::new(endpoint), Some(Arc::new(server)), false, None);
    let role = Role::Receiver { streams: Vec::new(), read: 0 };
    let receiver = QuinnEndpoint::new(clock, endpoint, role, Arc::default());

    Ok(Connection { sender: Box::new(sender), receiver: Box::new(receiver) })
}
