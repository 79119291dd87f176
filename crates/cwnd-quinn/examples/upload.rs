// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sends 50 MB over loopback with an algorithm of cwnd: `cargo run --release --example upload -- cubic`. Copy what is marked.

use cwnd_quinn::Cwnd;
use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "cubic".into());

    // A server with a certificate of its own, as in quinn's examples.
    let key = rcgen::generate_simple_self_signed(vec!["localhost".into()])?;
    let certificate = key.cert.der().clone();
    let private = rustls::pki_types::PrivatePkcs8KeyDer::from(key.signing_key.serialize_der());
    let config = quinn::ServerConfig::with_single_cert(vec![certificate.clone()], private.into())?;
    let server = quinn::Endpoint::server(config, "127.0.0.1:0".parse()?)?;
    let address = server.local_addr()?;
    let receiving = tokio::spawn(async move {
        let connection = server.accept().await?.await.ok()?;
        let mut stream = connection.accept_uni().await.ok()?;
        let mut bytes = 0;
        while let Ok(Some(chunk)) = stream.read_chunk(usize::MAX, true).await {
            bytes += chunk.bytes.len();
        }
        connection.close(0_u32.into(), b"done");
        server.wait_idle().await;
        Some(bytes)
    });

    let mut roots = rustls::RootCertStore::empty();
    roots.add(certificate)?;
    let mut config = quinn::ClientConfig::with_root_certificates(Arc::new(roots))?;
    // This is all that cwnd takes: a factory in the transport's configuration, of the end that sends.
    let algorithm =
        Cwnd::named(&name).ok_or_else(|| format!("{name}: cwnd has no algorithm of this name"))?;
    let mut transport = quinn::TransportConfig::default();
    transport.congestion_controller_factory(Arc::new(algorithm));
    config.transport_config(Arc::new(transport));

    let mut client = quinn::Endpoint::client("127.0.0.1:0".parse()?)?;
    client.set_default_client_config(config);
    let connection = client.connect(address, "localhost")?.await?;
    #[expect(clippy::disallowed_methods, reason = "a program has a clock")]
    let begin = Instant::now();
    let mut stream = connection.open_uni().await?;
    let megabyte = vec![0; 1_000_000];
    for sent in 1..=50 {
        stream.write_all(&megabyte).await?;
        if sent % 10 == 0 {
            let path = connection.stats().path;
            println!(
                "{:.3} s: {sent} MB written, window {} kB, {} packets lost",
                begin.elapsed().as_secs_f64(),
                path.cwnd / 1000,
                path.lost_packets
            );
        }
    }
    stream.finish()?;
    connection.closed().await;
    println!("{name}: {} bytes arrived", receiving.await?.ok_or("the server stopped")?);
    Ok(())
}
