// SPDX-License-Identifier: MIT OR Apache-2.0
//! Real transfers over UDP, through a queue that drops.

#[path = "../../cwnd-quinn/tests/queue.rs"]
mod queue;

use cwnd_s2n_quic::Cwnd;
use queue::{Bottleneck, Path};
use s2n_quic::client::Connect;
use s2n_quic::provider::event::{self, ConnectionInfo, ConnectionMeta, events};
use s2n_quic::provider::tls::rustls;
use s2n_quic::{Client, Server};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const MEGABYTE: usize = 1_000_000;

/// What s2n-quic says of a connection: its windows, each once, and how many packets it declared lost.
#[derive(Clone, Debug, Default)]
struct Seen {
    windows: Vec<u32>,
    in_flight: u32,
    lost: u64,
}

#[derive(Clone, Debug, Default)]
struct Watch(Arc<Mutex<Seen>>);

impl event::Subscriber for Watch {
    type ConnectionContext = ();

    fn create_connection_context(&mut self, _: &ConnectionMeta, _: &ConnectionInfo) {}

    fn on_recovery_metrics(&mut self, (): &mut (), _: &ConnectionMeta, event: &events::RecoveryMetrics<'_>) {
        let mut seen = self.0.lock().expect("one thread");
        seen.in_flight = event.bytes_in_flight;
        if seen.windows.last() != Some(&event.congestion_window) {
            seen.windows.push(event.congestion_window);
        }
    }

    fn on_packet_lost(&mut self, (): &mut (), _: &ConnectionMeta, _: &events::PacketLost<'_>) {
        self.0.lock().expect("one thread").lost += 1;
    }
}

/// Sends `bytes` through the path; datagrams that found the queue full, and what s2n-quic said.
async fn transfer(cc: &str, path: Path, bytes: usize) -> (u64, Seen) {
    let key = rcgen::generate_simple_self_signed(vec!["localhost".into()]).expect("a certificate");
    let (certificate, private) = (key.cert.der().to_vec(), key.signing_key.serialize_der());
    let tls = rustls::Server::builder()
        .with_certificate(certificate.clone(), private)
        .expect("a certificate")
        .build()
        .expect("a configuration");
    let here = "127.0.0.1:0";
    let server = Server::builder().with_tls(tls).expect("a provider").with_io(here).expect("a socket");
    let mut server = server.start().expect("a server");
    let bottleneck =
        Bottleneck::before(server.local_addr().expect("it is bound"), path).expect("two sockets");
    let receiving = tokio::spawn(async move {
        let mut connection = server.accept().await.expect("a connection");
        let stream = connection.accept_receive_stream().await.expect("a stream");
        let mut stream = stream.expect("a stream");
        let mut all = vec![];
        while let Some(chunk) = stream.receive().await.expect("all of it") {
            all.extend_from_slice(&chunk);
        }
        (all, connection, server) // which live until the sender has its last acknowledgement
    });

    let watch = Watch::default();
    let tls = rustls::Client::builder()
        .with_certificate(certificate)
        .expect("a certificate")
        .build()
        .expect("a configuration");
    let client = Client::builder()
        .with_tls(tls)
        .expect("a provider")
        .with_io(here)
        .expect("a socket")
        .with_congestion_controller(Cwnd::named(cc).expect("it is registered"))
        .expect("a provider")
        .with_event(watch.clone())
        .expect("a subscriber")
        .start()
        .expect("a client");
    let connect = Connect::new(bottleneck.address).with_server_name("localhost");
    let mut connection = client.connect(connect).await.expect("a connection");
    let sent: Vec<u8> = (0..bytes).map(|at| (at % 251) as u8).collect();
    let mut stream = connection.open_send_stream().await.expect("a stream");
    stream.send(sent.clone().into()).await.expect("the connection lives");
    stream.close().await.expect("all of it is acknowledged");
    let (arrived, ..) = receiving.await.expect("no panic");
    assert!(arrived == sent, "{cc}: other bytes arrived than were sent");
    let seen = watch.0.lock().expect("one thread").clone();
    (bottleneck.dropped(), seen)
}

// Everything arrives; the queue of 20 datagrams drops, s2n-quic finds that, and the first reduction keeps no more than β of the window:
// 0.7 in RFC 9438, 717/1024 in Linux, ½ for Reno. (It is of the flight, which may be less, and never less than two datagrams.)
#[tokio::test]
async fn a_transfer_over_a_queue_that_drops_arrives_with_a_smaller_window() {
    let path = Path { rate: 2_500_000, delay: Duration::from_millis(20), room: 20 };
    for (cc, kept) in [("cubic", 0.7), ("cubic-linux", 0.7003), ("reno", 0.5)] {
        let transfer = transfer(cc, path, 2 * MEGABYTE);
        let (dropped, seen) =
            tokio::time::timeout(Duration::from_secs(120), transfer).await.expect("in time");
        assert!(dropped > 0 && seen.lost > 0, "{cc}: {dropped} dropped, {} lost", seen.lost);
        let grown = seen.windows.iter().max().expect("a window");
        assert!(*grown > 20_000, "{cc} grew from ten datagrams: {:?}", seen.windows);
        let step = seen.windows.windows(2).find(|step| step[1] < step[0]).expect("a reduction");
        let share = f64::from(step[1]) / f64::from(step[0]);
        assert!((0.1..=kept + 0.01).contains(&share), "{cc}: {step:?} is {share:.3} kept, not {kept}");
    }
}

// Requests and answers on bidirectional streams, both ends with cwnd: an ACK frame of theirs may end with a packet of acknowledgements alone.
// When all has been answered nothing stays in flight, but for a last packet whose acknowledgement the other end still delays.
#[tokio::test]
async fn nothing_stays_in_flight_after_requests_and_answers() {
    let key = rcgen::generate_simple_self_signed(vec!["localhost".into()]).expect("a certificate");
    let (certificate, private) = (key.cert.der().to_vec(), key.signing_key.serialize_der());
    let cubic = || Cwnd::named("cubic").expect("it is registered");
    let tls = rustls::Server::builder().with_certificate(certificate.clone(), private);
    let tls = tls.expect("a certificate").build().expect("a configuration");
    let (of_server, of_client) = (Watch::default(), Watch::default());
    let here = "127.0.0.1:0";
    let server = Server::builder().with_tls(tls).expect("a provider").with_io(here).expect("a socket");
    let server = server.with_congestion_controller(cubic()).expect("a provider");
    let mut server = server.with_event(of_server.clone()).expect("a subscriber").start().expect("a server");
    let address = server.local_addr().expect("it is bound");
    let serving = tokio::spawn(async move {
        let mut connection = server.accept().await.expect("a connection");
        while let Ok(Some(mut stream)) = connection.accept_bidirectional_stream().await {
            while let Ok(Some(chunk)) = stream.receive().await {
                stream.send(chunk).await.expect("the connection lives");
            }
            stream.close().await.expect("the connection lives");
        }
        server
    });
    let tls = rustls::Client::builder().with_certificate(certificate).expect("a certificate").build();
    let tls = tls.expect("a configuration");
    let client = Client::builder().with_tls(tls).expect("a provider").with_io(here).expect("a socket");
    let client = client.with_congestion_controller(cubic()).expect("a provider");
    let client = client.with_event(of_client.clone()).expect("a subscriber").start().expect("a client");
    let connect = Connect::new(address).with_server_name("localhost");
    let mut connection = client.connect(connect).await.expect("a connection");
    for _ in 0..20 {
        let mut stream = connection.open_bidirectional_stream().await.expect("a stream");
        stream.send(vec![7; 100_000].into()).await.expect("the connection lives");
        stream.finish().expect("the connection lives");
        let mut answered = 0;
        while let Some(chunk) = stream.receive().await.expect("all of it") {
            answered += chunk.len();
        }
        assert_eq!(answered, 100_000);
    }
    tokio::time::sleep(Duration::from_millis(500)).await; // of both ends' delayed acknowledgements
    for watch in [&of_server, &of_client] {
        let in_flight = watch.0.lock().expect("one thread").in_flight;
        assert!(in_flight <= 1500, "{in_flight} bytes stay in flight");
    }
    drop(connection);
    drop(serving);
}
