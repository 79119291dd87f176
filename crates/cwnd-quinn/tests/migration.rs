// SPDX-License-Identifier: MIT OR Apache-2.0
//! The receiver's address changes in mid-transfer: the sender goes on with a copy of its controller.

use cwnd_quinn::Cwnd;
use std::net::UdpSocket;
use std::sync::Arc;
use std::time::Duration;

const BYTES: usize = 20_000_000;

// Of 20 MB a twentieth has arrived when the client moves to another port: quinn's server then takes the path's congestion control by
// `clone_box`, as only the port is another one (RFC 9000 §9.4).
#[test]
fn a_transfer_goes_on_over_another_path() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let moved = runtime.block_on(async { tokio::time::timeout(Duration::from_secs(60), transfer()).await });
    let (received, paths) = moved.expect("within a minute");
    assert_eq!(received, BYTES);
    assert_eq!(paths, 2, "the server saw the client at two addresses");
}

/// How many bytes the client received, and at how many addresses the server saw it.
async fn transfer() -> (usize, usize) {
    let here = "127.0.0.1:0".parse().expect("an address");
    let key = rcgen::generate_simple_self_signed(vec!["localhost".into()]).expect("a certificate");
    let certificate = key.cert.der().clone();
    let private = rustls::pki_types::PrivatePkcs8KeyDer::from(key.signing_key.serialize_der());
    let mut config = quinn::ServerConfig::with_single_cert(vec![certificate.clone()], private.into())
        .expect("a configuration");
    let mut transport = quinn::TransportConfig::default();
    transport.congestion_controller_factory(Arc::new(Cwnd::named("cubic").expect("it is registered")));
    config.transport_config(Arc::new(transport));
    let server = quinn::Endpoint::server(config, here).expect("a socket");
    let address = server.local_addr().expect("it is bound");
    let sending = tokio::spawn(async move {
        let connection = server.accept().await.expect("open").await.expect("a connection");
        let mut seen = vec![connection.remote_address()];
        let mut stream = connection.open_uni().await.expect("a stream");
        for _ in 0..BYTES / 100_000 {
            stream.write_all(&[7; 100_000]).await.expect("it takes all");
            seen.push(connection.remote_address());
        }
        stream.finish().expect("once");
        connection.closed().await;
        seen.dedup();
        seen.len()
    });

    let mut roots = rustls::RootCertStore::empty();
    roots.add(certificate).expect("it is one");
    let config = quinn::ClientConfig::with_root_certificates(Arc::new(roots)).expect("a configuration");
    let mut client = quinn::Endpoint::client(here).expect("a socket");
    client.set_default_client_config(config);
    let connection = client.connect(address, "localhost").expect("a name").await.expect("a connection");
    let mut stream = connection.accept_uni().await.expect("a stream");
    let (mut received, mut has_moved) = (0, false);
    let mut buffer = vec![0; 65_536];
    while let Some(read) = stream.read(&mut buffer).await.expect("it goes on") {
        received += read;
        if received > BYTES / 20 && !has_moved {
            client.rebind(UdpSocket::bind(here).expect("another socket")).expect("it takes it");
            has_moved = true;
        }
    }
    connection.close(0_u32.into(), b"done");
    (received, sending.await.expect("no panic"))
}
