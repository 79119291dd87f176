// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sends 50 MB over loopback with an algorithm of cwnd: `cargo run --release --example upload -- cubic`. Copy what is marked.

use cwnd_s2n_quic::Cwnd;
use s2n_quic::client::Connect;
use s2n_quic::provider::tls::rustls;
use s2n_quic::{Client, Server};
use std::error::Error;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "cubic".into());

    // A server with a certificate of its own.
    let key = rcgen::generate_simple_self_signed(vec!["localhost".into()])?;
    let certificate = key.cert.der().to_vec();
    let tls = rustls::Server::builder()
        .with_certificate(certificate.clone(), key.signing_key.serialize_der())?
        .build()?;
    let mut server = Server::builder().with_tls(tls)?.with_io("127.0.0.1:0")?.start()?;
    let address = server.local_addr()?;
    let receiving = tokio::spawn(async move {
        let mut connection = server.accept().await?;
        let mut stream = connection.accept_receive_stream().await.ok()??;
        let mut bytes = 0;
        while let Ok(Some(chunk)) = stream.receive().await {
            bytes += chunk.len();
        }
        Some((bytes, connection, server)) // which live until the sender has its last acknowledgement
    });

    // This is all that cwnd takes: a congestion controller of the end that sends.
    let algorithm =
        Cwnd::named(&name).ok_or_else(|| format!("{name}: cwnd has no algorithm of this name"))?;
    let tls = rustls::Client::builder().with_certificate(certificate)?.build()?;
    let client = Client::builder()
        .with_tls(tls)?
        .with_io("127.0.0.1:0")?
        .with_congestion_controller(algorithm)?
        .start()?;

    let connection = client.connect(Connect::new(address).with_server_name("localhost")).await;
    let mut connection = connection?;
    let mut stream = connection.open_send_stream().await?;
    for _ in 0..50 {
        stream.send(vec![0; 1_000_000].into()).await?;
    }
    stream.close().await?;
    let (bytes, ..) = receiving.await?.ok_or("the server stopped")?;
    println!("{name}: {bytes} bytes arrived");
    Ok(())
}
