// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cryptography of a connection in the clear: [`Null`] says what is kept of it.

use super::adapter::{self, ConfigSelf, IdArgument};
use super::proto::crypto::{
    ClientConfig, CryptoError, ExportKeyingMaterialError, HeaderKey, HmacKey, KeyPair, Keys, PacketKey,
    ServerConfig, Session, UnsupportedVersion,
};
use super::proto::transport_parameters::TransportParameters;
use super::proto::{ConnectError, Side, TransportError};
use crate::linked::handshake::Handshake;
use crate::linked::null::{Null, TAG};
use crate::linked::random::fingerprint;
use std::any::Any;

fn keys() -> Keys {
    Keys { header: KeyPair { local: Box::new(Null), remote: Box::new(Null) }, packet: packet_keys() }
}

fn packet_keys() -> KeyPair<Box<dyn PacketKey>> {
    KeyPair { local: Box::new(Null), remote: Box::new(Null) }
}

impl HeaderKey for Null {
    fn decrypt(&self, _: usize, _: &mut [u8]) {}

    fn encrypt(&self, _: usize, _: &mut [u8]) {}

    fn sample_size(&self) -> usize {
        TAG
    }
}

/// Tokens of stateless resets: they differ between connection ids, so that no packet is taken for one.
impl HmacKey for Null {
    fn sign(&self, data: &[u8], signature: &mut [u8]) {
        fingerprint(data, signature);
    }

    fn signature_len(&self) -> usize {
        32
    }

    fn verify(&self, _: &[u8], _: &[u8]) -> Result<(), CryptoError> {
        Ok(())
    }
}

struct NullSession {
    side: Side,
    handshake: Handshake,
}

impl NullSession {
    fn boxed(side: Side, parameters: &TransportParameters) -> Box<dyn Session> {
        let mut encoded = Vec::new();
        parameters.write(&mut encoded);
        Box::new(Self { side, handshake: Handshake::new(side.is_client(), encoded) })
    }
}

impl Session for NullSession {
    fn initial_keys(&self, _: IdArgument<'_>, _: Side) -> Keys {
        keys()
    }

    fn handshake_data(&self) -> Option<Box<dyn Any>> {
        None
    }

    fn peer_identity(&self) -> Option<Box<dyn Any>> {
        None
    }

    fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
        None
    }

    fn early_data_accepted(&self) -> Option<bool> {
        None
    }

    fn is_handshaking(&self) -> bool {
        self.handshake.is_running()
    }

    fn read_handshake(&mut self, bytes: &[u8]) -> Result<bool, TransportError> {
        self.handshake.read(bytes).map_err(adapter::protocol_violation)?;
        Ok(false)
    }

    fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
        let Some(mut encoded) = self.handshake.peer_parameters() else { return Ok(None) };
        Ok(Some(TransportParameters::read(self.side, &mut encoded)?))
    }

    fn write_handshake(&mut self, out: &mut Vec<u8>) -> Option<Keys> {
        self.handshake.write(out).then(keys)
    }

    fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
        Some(packet_keys())
    }

    fn is_valid_retry(&self, _: IdArgument<'_>, _: &[u8], _: &[u8]) -> bool {
        true
    }

    fn export_keying_material(
        &self,
        _: &mut [u8],
        _: &[u8],
        _: &[u8],
    ) -> Result<(), ExportKeyingMaterialError> {
        Err(ExportKeyingMaterialError)
    }
}

impl ClientConfig for Null {
    fn start_session(
        self: ConfigSelf<'_, Self>,
        _: u32,
        _: &str,
        parameters: &TransportParameters,
    ) -> Result<Box<dyn Session>, ConnectError> {
        Ok(NullSession::boxed(Side::Client, parameters))
    }
}

impl ServerConfig for Null {
    fn initial_keys(&self, _: u32, _: IdArgument<'_>) -> Result<Keys, UnsupportedVersion> {
        Ok(keys())
    }

    fn retry_tag(&self, _: u32, _: IdArgument<'_>, _: &[u8]) -> [u8; 16] {
        [0; 16]
    }

    fn start_session(
        self: ConfigSelf<'_, Self>,
        _: u32,
        parameters: &TransportParameters,
    ) -> Box<dyn Session> {
        NullSession::boxed(Side::Server, parameters)
    }
}
