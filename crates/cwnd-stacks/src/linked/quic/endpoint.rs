// SPDX-License-Identifier: MIT OR Apache-2.0
//! One end of a connection.

use super::adapter::{self, congestion_window};
use super::proto::{
    self, ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, Event, ReadError, StreamEvent,
    StreamId, WriteError,
};
use crate::linked::application::{Application, low_water, send_buffer};
use crate::linked::clock::Clock;
use crate::linked::datagrams::Datagrams;
use crate::linked::observed::Observed;
use cwnd_sim::{EcnCodepoint, Endpoint, Probe};
use std::collections::VecDeque;
use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

/// Name and address of the peer. The engine has the routes; the stack wants an address, and one that never changes.
pub(super) const SERVER_NAME: &str = "localhost";
const PEER: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)), 4433);

/// Which end it is.
pub(super) enum Role {
    /// The sending end, with the configuration that it connects with.
    Sender { config: Box<ClientConfig>, application: Application, stream: Option<StreamId> },
    /// The receiving end, with the streams that it reads and the bytes read.
    Receiver { streams: Vec<StreamId>, read: u64 },
}

/// One end: the stack's endpoint, and its only connection.
pub(crate) struct QuicEndpoint {
    clock: Clock,
    endpoint: proto::Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
    role: Role,
    observed: Arc<Observed>,
    is_connected: bool,
    failure: Option<String>,
    /// Datagrams that belong to no connection: refusals and resets.
    responses: VecDeque<Vec<u8>>,
    datagrams: Datagrams,
    scratch: Vec<u8>,
}

impl QuicEndpoint {
    pub(super) fn new(clock: Clock, endpoint: proto::Endpoint, role: Role, observed: Arc<Observed>) -> Self {
        Self {
            clock,
            endpoint,
            connection: None,
            role,
            observed,
            is_connected: false,
            failure: None,
            responses: VecDeque::new(),
            datagrams: Datagrams::default(),
            scratch: Vec::new(),
        }
    }

    /// Lets connection, endpoint and application speak to each other until none has anything more to say.
    fn advance(&mut self) {
        loop {
            let heard = self.poll_connection();
            let Some((handle, connection)) = &mut self.connection else { return };
            let mut told = false;
            while let Some(event) = connection.poll_endpoint_events() {
                if let Some(event) = self.endpoint.handle_event(*handle, event) {
                    connection.handle_event(event);
                    told = true;
                }
            }
            if !heard && !told {
                break;
            }
        }
        self.hand_over();
    }

    /// Takes the connection's events; whether there were any.
    fn poll_connection(&mut self) -> bool {
        let Some((_, connection)) = &mut self.connection else { return false };
        if let Role::Sender { .. } = self.role {
            // A lower limit while the application waits: the stack says that there is room when there is enough.
            connection.set_send_window(low_water(send_buffer(congestion_window(connection))));
        }
        let mut heard = false;
        while let Some(event) = connection.poll() {
            heard = true;
            match (event, &mut self.role) {
                (Event::Connected, _) => self.is_connected = true,
                (Event::ConnectionLost { reason }, _) => self.failure = Some(reason.to_string()),
                (Event::Stream(StreamEvent::Writable { .. }), Role::Sender { application, .. }) => {
                    application.unblock();
                }
                (Event::Stream(StreamEvent::Opened { .. }), Role::Receiver { streams, read }) => {
                    while let Some(stream) = connection.streams().accept(Dir::Uni) {
                        streams.push(stream);
                    }
                    streams.retain(|&stream| read_stream(connection, stream, read));
                }
                (Event::Stream(StreamEvent::Readable { id }), Role::Receiver { streams, read }) => {
                    streams.retain(|&stream| stream != id || read_stream(connection, stream, read));
                }
                _ => {}
            }
        }
        heard
    }

    /// Fills the stack's send buffer.
    fn hand_over(&mut self) {
        let (Some((_, connection)), Role::Sender { application, stream, .. }) =
            (&mut self.connection, &mut self.role)
        else {
            return;
        };
        if !self.is_connected || !application.is_ready() {
            return;
        }
        connection.set_send_window(send_buffer(congestion_window(connection)));
        if stream.is_none() {
            *stream = connection.streams().open(Dir::Uni);
        }
        let Some(id) = *stream else { return };
        application.hand_over(|piece| match adapter::write(&mut connection.send_stream(id), piece) {
            Ok(written) => Some(written as u64),
            Err(WriteError::Blocked | WriteError::Stopped(_) | WriteError::ClosedStream) => None,
        });
    }
}

/// Reads what has arrived in order; whether the stream goes on.
fn read_stream(connection: &mut Connection, stream: StreamId, read: &mut u64) -> bool {
    let mut stream = connection.recv_stream(stream);
    let Ok(mut chunks) = stream.read(true) else { return false };
    let goes_on = loop {
        match chunks.next(usize::MAX) {
            Ok(Some(chunk)) => *read += chunk.bytes.len() as u64,
            Ok(None) | Err(ReadError::Reset(_)) => break false,
            Err(ReadError::Blocked) => break true,
        }
    };
    // Whether there is a limit of flow control to send now: the engine asks for datagrams anyway.
    let _ = chunks.finalize();
    goes_on
}

impl fmt::Debug for QuicEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QuicEndpoint")
            .field("is_sender", &matches!(self.role, Role::Sender { .. }))
            .field("is_connected", &self.is_connected)
            .field("failure", &self.failure)
            .finish_non_exhaustive()
    }
}

fn from_proto(ecn: Option<proto::EcnCodepoint>) -> EcnCodepoint {
    match ecn {
        None => EcnCodepoint::NotEct,
        Some(proto::EcnCodepoint::Ect0) => EcnCodepoint::Ect0,
        Some(proto::EcnCodepoint::Ect1) => EcnCodepoint::Ect1,
        Some(proto::EcnCodepoint::Ce) => EcnCodepoint::Ce,
    }
}

fn to_proto(ecn: EcnCodepoint) -> Option<proto::EcnCodepoint> {
    proto::EcnCodepoint::from_bits(ecn as u8)
}

impl Endpoint for QuicEndpoint {
    fn open(&mut self, now: u64) {
        let Role::Sender { config, .. } = &self.role else { return };
        match self.endpoint.connect(self.clock.at(now), (**config).clone(), PEER, SERVER_NAME) {
            Ok(connection) => self.connection = Some(connection),
            Err(error) => self.failure = Some(error.to_string()),
        }
        self.advance();
    }

    fn on_datagram(&mut self, now: u64, datagram: &[u8], ecn: EcnCodepoint) {
        let instant = self.clock.at(now);
        let data = self.datagrams.copy(datagram);
        self.scratch.clear();
        let received = (PEER, to_proto(ecn), data);
        match adapter::handle(&mut self.endpoint, instant, received, &mut self.scratch) {
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                if let Some((_, connection)) = &mut self.connection {
                    connection.handle_event(event);
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) if self.connection.is_none() => {
                match self.endpoint.accept(incoming, instant, &mut self.scratch, None) {
                    Ok(connection) => self.connection = Some(connection),
                    Err(error) => {
                        self.failure = Some(error.cause.to_string());
                        if let Some(response) = error.response {
                            self.responses.push_back(self.scratch[..response.size].to_vec());
                        }
                    }
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) => self.endpoint.ignore(incoming),
            Some(DatagramEvent::Response(response)) => {
                self.responses.push_back(self.scratch[..response.size].to_vec());
            }
            None => {}
        }
        self.advance();
    }

    fn on_timer(&mut self, now: u64) {
        if let Some((_, connection)) = &mut self.connection {
            connection.handle_timeout(self.clock.at(now));
        }
        self.advance();
    }

    fn write(&mut self, _now: u64, bytes: u64) {
        if let Role::Sender { application, .. } = &mut self.role {
            application.write(bytes);
        }
        self.advance();
    }

    fn finish(&mut self, _now: u64) {
        let Role::Sender { application, stream, .. } = &mut self.role else { return };
        application.stop();
        if let (Some(id), Some((_, connection))) = (stream.take(), &mut self.connection) {
            // It fails on a stream that the peer has stopped, and then there is nothing to finish.
            let _ = connection.send_stream(id).finish();
        }
        self.advance();
    }

    fn transmit(&mut self, now: u64, buffer: &mut Vec<u8>) -> Option<EcnCodepoint> {
        if let Some(response) = self.responses.pop_front() {
            buffer.extend_from_slice(&response);
            return Some(EcnCodepoint::NotEct);
        }
        let (_, connection) = self.connection.as_mut()?;
        let transmit = connection.poll_transmit(self.clock.at(now), adapter::ONE_DATAGRAM, buffer)?;
        Some(from_proto(transmit.ecn))
    }

    fn next_timer(&mut self) -> u64 {
        let timeout = self.connection.as_mut().and_then(|(_, connection)| connection.poll_timeout());
        timeout.map_or(u64::MAX, |instant| self.clock.nanos(instant))
    }

    fn probe(&self) -> Probe {
        let read = if let Role::Receiver { read, .. } = self.role { read } else { 0 };
        let Some((_, connection)) = &self.connection else { return Probe { read, ..Probe::default() } };
        Probe {
            in_flight: Some(self.observed.in_flight()),
            // The stack counts each batch of losses, also those that reduce nothing.
            congestion_events: self.observed.reductions(),
            timeouts: self.observed.persistent(),
            read,
            ..adapter::path_probe(connection, &self.observed)
        }
    }

    fn failure(&self) -> Option<String> {
        self.failure.clone()
    }
}
