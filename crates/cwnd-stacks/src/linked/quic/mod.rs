// SPDX-License-Identifier: MIT OR Apache-2.0
//! Both ends of a connection of quinn or of noq, whose APIs are nearly the same.
//!
//! Each of the two compiles this module with its own types (`#[path]` in `quinn/mod.rs` and `noq/mod.rs`): `proto` is its crate,
//! `adapter` has the calls that differ, `observed_controller` and `null_crypto` implement its traits that differ.

mod config;
mod controller;
mod endpoint;
mod null_crypto;
mod tls;

use super::{adapter, observed_controller, proto};
use crate::linked::application::Application;
use crate::linked::clock::Clock;
use crate::linked::common::{DATAGRAM_BOUNDS, datagram_out_of_bounds};
use crate::linked::observed::Observed;
use crate::linked::random::Stream;
use controller::{Factory, Observing};
use cwnd_sim::{Connection, ConnectionSpec};
use endpoint::{QuicEndpoint, Role};
use std::sync::Arc;

pub(crate) use config::Settings;

/// Makes both ends of a connection.
pub(crate) fn connect(spec: ConnectionSpec<'_>) -> Result<Connection, String> {
    let ConnectionSpec { stack, algorithm, datagram, receive_window, tls, seed, .. } = spec;
    if !(DATAGRAM_BOUNDS.0..=DATAGRAM_BOUNDS.1).contains(&datagram) {
        return Err(datagram_out_of_bounds(datagram));
    }
    let observed = Arc::new(Observed::default());
    let factory = Arc::new(Observing {
        inner: controller::factory(stack, algorithm, datagram)?,
        observed: Arc::clone(&observed),
    });
    let settings = Settings { datagram, receive_window, tls, seed };
    let [sender, receiver] = ends(settings, factory, observed)?;
    Ok(Connection { sender: Box::new(sender), receiver: Box::new(receiver) })
}

/// The sender, whose controllers `factory` makes, and the receiver.
pub(super) fn ends(
    settings: Settings,
    factory: Factory,
    observed: Arc<Observed>,
) -> Result<[QuicEndpoint; 2], String> {
    let clock = Clock::new();

    let client = config::client(settings, factory)?;
    let endpoint = config::endpoint(settings, Stream::Client, Stream::ClientIds)?;
    let endpoint = adapter::endpoint(endpoint, None);
    let role = Role::Sender { config: Box::new(client), application: Application::default(), stream: None };
    let sender = QuicEndpoint::new(clock, endpoint, role, observed);

    let server = config::server(settings)?;
    let endpoint = config::endpoint(settings, Stream::Server, Stream::ServerIds)?;
    let endpoint = adapter::endpoint(endpoint, Some(server));
    let role = Role::Receiver { streams: Vec::new(), read: 0 };
    let receiver = QuicEndpoint::new(clock, endpoint, role, Arc::default());

    Ok([sender, receiver])
}
