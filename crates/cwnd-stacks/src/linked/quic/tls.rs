// SPDX-License-Identifier: MIT OR Apache-2.0
//! TLS of a connection.

use super::proto::{ClientConfig, crypto};
use std::sync::Arc;

#[cfg(feature = "tls")]
pub(super) fn client() -> Result<ClientConfig, String> {
    let config = crypto::rustls::QuicClientConfig::try_from(crate::linked::tls::client()?);
    Ok(ClientConfig::new(Arc::new(config.map_err(|error| error.to_string())?)))
}

#[cfg(feature = "tls")]
pub(super) fn server() -> Result<Arc<dyn crypto::ServerConfig>, String> {
    let config = crypto::rustls::QuicServerConfig::try_from(crate::linked::tls::server()?);
    Ok(Arc::new(config.map_err(|error| error.to_string())?))
}

#[cfg(not(feature = "tls"))]
pub(super) fn client() -> Result<ClientConfig, String> {
    Err(crate::linked::common::NO_TLS.to_owned())
}

#[cfg(not(feature = "tls"))]
pub(super) fn server() -> Result<Arc<dyn crypto::ServerConfig>, String> {
    Err(crate::linked::common::NO_TLS.to_owned())
}
