// SPDX-License-Identifier: MIT OR Apache-2.0
//! The transfers of quinn and of noq. Each of the two test programs has its own `stack`, `Cwnd` and `path_stats`.

use super::queue::{Bottleneck, Path};
use super::{Cwnd, path_stats, stack};
use std::sync::Arc;
use std::time::Duration;

const MEGABYTE: usize = 1_000_000;

/// A server with a certificate of its own, a client, and a configuration that trusts the certificate and has this algorithm.
fn ends(cc: &str) -> (stack::Endpoint, stack::Endpoint, stack::ClientConfig) {
    let key = rcgen::generate_simple_self_signed(vec!["localhost".into()]).expect("a certificate");
    let certificate = key.cert.der().clone();
    let private = rustls::pki_types::PrivatePkcs8KeyDer::from(key.signing_key.serialize_der());
    let server = stack::ServerConfig::with_single_cert(vec![certificate.clone()], private.into())
        .expect("a configuration");
    let here = "127.0.0.1:0".parse().expect("an address");
    let server = stack::Endpoint::server(server, here).expect("a socket");

    let mut roots = rustls::RootCertStore::empty();
    roots.add(certificate).expect("it is one");
    let mut config = stack::ClientConfig::with_root_certificates(Arc::new(roots)).expect("a configuration");
    let mut transport = stack::TransportConfig::default();
    transport.congestion_controller_factory(Arc::new(Cwnd::named(cc).expect("it is registered")));
    config.transport_config(Arc::new(transport));
    let client = stack::Endpoint::client(here).expect("a socket");
    (server, client, config)
}

/// Sends `bytes` through the path; datagrams that found the queue full, and the statistics of the sender's path at its end.
async fn transfer(cc: &str, path: Path, bytes: usize) -> (u64, stack::PathStats) {
    let (server, client, config) = ends(cc);
    let bottleneck =
        Bottleneck::before(server.local_addr().expect("it is bound"), path).expect("two sockets");
    let receiving = tokio::spawn(async move {
        let connection = server.accept().await.expect("open").await.expect("a connection");
        let mut stream = connection.accept_uni().await.expect("a stream");
        let all = stream.read_to_end(usize::MAX).await.expect("all of it");
        connection.close(0_u32.into(), b"done");
        server.wait_idle().await;
        all
    });
    let connecting = client.connect_with(config, bottleneck.address, "localhost").expect("a name");
    let connection = connecting.await.expect("a connection");
    let sent: Vec<u8> = (0..bytes).map(|at| (at % 251) as u8).collect();
    let mut stream = connection.open_uni().await.expect("a stream");
    stream.write_all(&sent).await.expect("it takes all");
    stream.finish().expect("once");
    connection.closed().await;
    let stats = path_stats(&connection);
    let received = receiving.await.expect("no panic");
    assert!(received == sent, "{cc}: other bytes arrived");
    (bottleneck.dropped(), stats)
}

fn with_a_minute<T>(what: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        tokio::time::timeout(Duration::from_secs(60), what).await.expect("within a minute")
    })
}

// 16 Mbit/s and 20 ms are 40 kB, some 30 datagrams, and 15 more may wait. In slow start 10, 20, 40 and 80 are sent in four round trips:
// the last do not fit.
#[test]
fn a_megabyte_and_a_half_crosses_a_queue_that_drops() {
    let path = Path { rate: 2 * MEGABYTE as u64, delay: Duration::from_millis(20), room: 15 };
    for cc in ["cubic", "cubic-linux", "reno"] {
        let (dropped, stats) = with_a_minute(transfer(cc, path, 3 * MEGABYTE / 2));
        assert!(dropped > 0, "{cc}: the queue was never full");
        assert!(stats.congestion_events > 0, "{cc}: {stats:?}");
        // A window of the kind that fits: at least two datagrams, and no more than ever filled pipe and queue twice.
        assert!((2400..200_000).contains(&stats.cwnd), "{cc}: {stats:?}");
    }
}
