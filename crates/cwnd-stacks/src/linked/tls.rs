// SPDX-License-Identifier: MIT OR Apache-2.0
//! rustls for both stacks: one certificate, signed by itself.
//!
//! Keys and nonces are drawn from the system, so the bytes of a connection differ from run to run. Lengths do not: the key is
//! Ed25519, whose signatures have one length, the certificate's serial number is fixed, and no tickets are sent.

use rcgen::{CertificateParams, KeyPair, PKCS_ED25519, SerialNumber};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use rustls::time_provider::TimeProvider;
use rustls::{ClientConfig, RootCertStore, ServerConfig, crypto::ring, version::TLS13};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The date that certificates are checked at: within the years for which rcgen makes them, 1975 to 4096.
#[derive(Debug)]
struct FixedDate;

impl TimeProvider for FixedDate {
    fn current_time(&self) -> Option<UnixTime> {
        Some(UnixTime::since_unix_epoch(Duration::from_secs(1_700_000_000)))
    }
}

struct Identity {
    certificate: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
}

/// The identity of all servers of the process.
fn identity() -> Result<&'static Identity, String> {
    static IDENTITY: OnceLock<Result<Identity, String>> = OnceLock::new();
    IDENTITY.get_or_init(|| make_identity().map_err(|error| error.to_string())).as_ref().map_err(Clone::clone)
}

fn make_identity() -> Result<Identity, rcgen::Error> {
    let key = KeyPair::generate_for(&PKCS_ED25519)?;
    let mut parameters = CertificateParams::new(vec!["localhost".to_owned()])?;
    parameters.serial_number = Some(SerialNumber::from(1));
    let certificate = parameters.self_signed(&key)?;
    Ok(Identity {
        certificate: certificate.der().clone(),
        key: PrivateKeyDer::Pkcs8(key.serialize_der().into()),
    })
}

/// The client: it trusts that certificate alone.
pub(crate) fn client() -> Result<Arc<ClientConfig>, String> {
    let mut roots = RootCertStore::empty();
    roots.add(identity()?.certificate.clone()).map_err(|error| error.to_string())?;
    let config = ClientConfig::builder_with_details(Arc::new(ring::default_provider()), Arc::new(FixedDate))
        .with_protocol_versions(&[&TLS13])
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

/// The server.
pub(crate) fn server() -> Result<Arc<ServerConfig>, String> {
    let Identity { certificate, key } = identity()?;
    let mut config =
        ServerConfig::builder_with_details(Arc::new(ring::default_provider()), Arc::new(FixedDate))
            .with_protocol_versions(&[&TLS13])
            .map_err(|error| error.to_string())?
            .with_no_client_auth()
            .with_single_cert(vec![certificate.clone()], key.clone_key())
            .map_err(|error| error.to_string())?;
    config.send_tls13_tickets = 0;
    Ok(Arc::new(config))
}
