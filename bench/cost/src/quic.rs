// SPDX-License-Identifier: MIT OR Apache-2.0
//! A real QUIC connection in virtual time: quinn's two ends, a DropTail bottleneck between them, and everything that the
//! sender's congestion controller is told written down.

use std::any::Any;
use std::collections::VecDeque;
use std::net::{Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::BytesMut;
use cwnd_link::{Fifo, Limit};
use quinn_proto::congestion::{Controller, ControllerFactory, CubicConfig};
use quinn_proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, Endpoint, EndpointConfig, Event,
    RttEstimator, ServerConfig, StreamId, TransportConfig, VarInt,
};
use rustls::pki_types::PrivatePkcs8KeyDer;

/// UDP payload of a full datagram, bytes: 1500 less IPv6 and UDP headers, as quinn finds out on such a path.
pub const DATAGRAM: u16 = 1452;
const HEADERS: u32 = 48;

/// The path.
#[derive(Clone, Copy, Debug)]
pub struct QuicPath {
    /// Bottleneck, bit/s.
    pub rate: u64,
    /// Round trip without queueing.
    pub rtt: Duration,
    /// Packets that may wait.
    pub buffer: u64,
}

/// What the controller was told, and what its window was afterwards.
#[derive(Clone, Copy)]
pub enum QuicEvent {
    /// A packet was acknowledged.
    Acked {
        /// When.
        now: Instant,
        /// When it was sent.
        sent: Instant,
        /// Its size.
        bytes: u64,
        /// Whether the application, not the window, held back the sender.
        app_limited: bool,
        /// The connection's round trip times.
        rtt: RttEstimator,
        /// Window afterwards, bytes.
        window: u64,
    },
    /// All packets that one ACK frame acknowledged have been told.
    EndOfAck,
    /// Packets were lost.
    Lost {
        /// When this was found.
        now: Instant,
        /// When the newest of them was sent.
        sent: Instant,
        /// How much.
        bytes: u64,
        /// Window before, bytes.
        before: u64,
        /// Window afterwards, bytes.
        window: u64,
    },
}

type Log = Arc<Mutex<Vec<QuicEvent>>>;

/// quinn's CUBIC with a log.
struct Listener {
    inner: Box<dyn Controller>,
    log: Log,
}

impl Listener {
    fn note(&self, event: QuicEvent) {
        self.log.lock().expect("one thread").push(event);
    }
}

impl Controller for Listener {
    fn on_sent(&mut self, now: Instant, bytes: u64, last_packet_number: u64) {
        self.inner.on_sent(now, bytes, last_packet_number);
    }

    fn on_ack(&mut self, now: Instant, sent: Instant, bytes: u64, app_limited: bool, rtt: &RttEstimator) {
        self.inner.on_ack(now, sent, bytes, app_limited, rtt);
        self.note(QuicEvent::Acked { now, sent, bytes, app_limited, rtt: *rtt, window: self.inner.window() });
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool, largest: Option<u64>) {
        self.inner.on_end_acks(now, in_flight, app_limited, largest);
        self.note(QuicEvent::EndOfAck);
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, persistent: bool, bytes: u64) {
        assert!(!persistent, "this path was to lose packets, not contact");
        let before = self.inner.window();
        self.inner.on_congestion_event(now, sent, persistent, bytes);
        self.note(QuicEvent::Lost { now, sent, bytes, before, window: self.inner.window() });
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.inner.on_mtu_update(new_mtu);
    }

    fn window(&self) -> u64 {
        self.inner.window()
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(Self { inner: self.inner.clone_box(), log: Arc::clone(&self.log) })
    }

    fn initial_window(&self) -> u64 {
        self.inner.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

struct Listening(Log);

impl ControllerFactory for Listening {
    fn build(self: Arc<Self>, now: Instant, mtu: u16) -> Box<dyn Controller> {
        let inner = Arc::new(CubicConfig::default()).build(now, mtu);
        Box::new(Listener { inner, log: Arc::clone(&self.0) })
    }
}

/// One end: its endpoint, its connection, and the datagrams on their way to it.
struct End {
    endpoint: Endpoint,
    peer: SocketAddr,
    connection: Option<(ConnectionHandle, Connection)>,
    stream: Option<StreamId>,
    inbound: VecDeque<(Instant, BytesMut)>,
}

impl End {
    fn receive(&mut self, now: Instant) {
        let mut answer = Vec::new();
        while self.inbound.front().is_some_and(|(due, _)| *due <= now) {
            let (_, data) = self.inbound.pop_front().expect("looked at");
            match self.endpoint.handle(now, self.peer, None, None, data, &mut answer) {
                Some(DatagramEvent::NewConnection(incoming)) => {
                    self.connection =
                        Some(self.endpoint.accept(incoming, now, &mut answer, None).expect("accepted"));
                }
                Some(DatagramEvent::ConnectionEvent(_, event)) => {
                    self.connection.as_mut().expect("its connection").1.handle_event(event);
                }
                Some(DatagramEvent::Response(_)) => panic!("no version negotiation, no retry, no reset here"),
                None => {}
            }
        }
        if let Some((_, connection)) = &mut self.connection
            && connection.poll_timeout().is_some_and(|due| due <= now)
        {
            connection.handle_timeout(now);
        }
    }

    /// The application of the sender: fills the stream's buffer.
    fn write(&mut self) {
        let Some((_, connection)) = &mut self.connection else { return };
        while let Some(event) = connection.poll() {
            if let Event::ConnectionLost { reason } = event {
                panic!("the connection failed: {reason}");
            }
        }
        if connection.is_handshaking() {
            return;
        }
        if self.stream.is_none() {
            self.stream = connection.streams().open(Dir::Uni);
        }
        if let Some(id) = self.stream {
            while connection.send_stream(id).write(&[0x5a; 16_384]).is_ok() {}
        }
    }

    /// The application of the receiver: throws away what has come.
    fn read(&mut self) {
        let Some((_, connection)) = &mut self.connection else { return };
        while connection.poll().is_some() {}
        if self.stream.is_none() {
            self.stream = connection.streams().accept(Dir::Uni);
        }
        if let Some(id) = self.stream
            && let Ok(mut chunks) = connection.recv_stream(id).read(true)
        {
            while let Ok(Some(_)) = chunks.next(usize::MAX) {}
            let _ = chunks.finalize();
        }
    }

    /// Hands every datagram that may leave now to `send`.
    fn transmit(&mut self, now: Instant, mut send: impl FnMut(&[u8])) {
        let Some((handle, connection)) = &mut self.connection else { return };
        let mut data = Vec::new();
        loop {
            while let Some(event) = connection.poll_endpoint_events() {
                if let Some(event) = self.endpoint.handle_event(*handle, event) {
                    connection.handle_event(event);
                }
            }
            data.clear();
            let Some(transmit) = connection.poll_transmit(now, 1, &mut data) else { return };
            send(&data[..transmit.size]);
        }
    }

    fn wakes(&mut self) -> Option<Instant> {
        let timer = self.connection.as_mut().and_then(|(_, connection)| connection.poll_timeout());
        let datagram = self.inbound.front().map(|(due, _)| *due);
        timer.into_iter().chain(datagram).min()
    }
}

fn transport() -> TransportConfig {
    let mut config = TransportConfig::default();
    config.initial_mtu(DATAGRAM).mtu_discovery_config(None);
    config.stream_receive_window(VarInt::MAX).receive_window(VarInt::MAX);
    config
}

fn ends(start: Instant, log: &Log) -> (End, End) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a key pair");
    let certificate = made.cert.der().clone();
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let mut roots = rustls::RootCertStore::empty();
    roots.add(certificate.clone()).expect("a valid certificate");

    let mut server = ServerConfig::with_single_cert(vec![certificate], key.into()).expect("a valid pair");
    server.transport_config(Arc::new(transport()));
    let mut client = ClientConfig::with_root_certificates(Arc::new(roots)).expect("a root");
    let mut sending = transport();
    sending.congestion_controller_factory(Arc::new(Listening(Arc::clone(log))));
    client.transport_config(Arc::new(sending));

    let address = |port| SocketAddr::new(Ipv6Addr::LOCALHOST.into(), port);
    let end = |config: Option<Arc<ServerConfig>>, peer, seed| End {
        endpoint: Endpoint::new(Arc::new(EndpointConfig::default()), config, false, Some([seed; 32])),
        peer,
        connection: None,
        stream: None,
        inbound: VecDeque::new(),
    };
    let receiver = end(Some(Arc::new(server)), address(1), 1);
    let mut sender = end(None, address(2), 2);
    let connection = sender.endpoint.connect(start, client, address(2), "localhost").expect("valid");
    sender.connection = Some(connection);
    (sender, receiver)
}

/// Sends over `path` for `duration` of virtual time with quinn's CUBIC; what the controller was told.
#[must_use]
pub fn record(path: QuicPath, duration: Duration) -> Vec<QuicEvent> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the only source of an Instant: the origin of virtual time"
    )]
    let start = Instant::now();
    let log = Log::default();
    let (mut sender, mut receiver) = ends(start, &log);
    let mut link = Fifo::new(path.rate, Limit::Packets(path.buffer));
    let mut now = start;
    while now - start < duration {
        sender.receive(now);
        sender.write();
        sender.transmit(now, |data| {
            let arrival = (now - start).as_nanos() as u64;
            if let Some(left) = link.push(arrival, data.len() as u32 + HEADERS) {
                let due = start + Duration::from_nanos(left) + path.rtt / 2;
                receiver.inbound.push_back((due, BytesMut::from(data)));
            }
        });
        receiver.receive(now);
        receiver.read();
        receiver.transmit(now, |data| sender.inbound.push_back((now + path.rtt / 2, BytesMut::from(data))));
        let wakes = sender.wakes().into_iter().chain(receiver.wakes()).min();
        now = wakes.expect("somebody has something to do").max(now);
    }
    drop((sender, receiver));
    Arc::try_unwrap(log).ok().expect("the connection is gone").into_inner().expect("one thread")
}
