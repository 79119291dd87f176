// SPDX-License-Identifier: MIT OR Apache-2.0
//! The handshake without cryptography: the flights of TLS 1.3 with transport parameters and padding in them.
//!
//! Kept from TLS: who speaks when, in which packet number space, when keys change, and the length of each flight as rustls writes it
//! for a certificate of one Ed25519 key (`tls.rs`; the test `flights_have_the_length_of_tls` compares them). Not kept: everything else.

/// A flight, by the byte that it begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Flight {
    /// ClientHello, with the client's transport parameters.
    ClientHello = 1,
    /// ServerHello.
    ServerHello = 2,
    /// EncryptedExtensions with the server's transport parameters, Certificate, CertificateVerify, Finished.
    Server = 3,
    /// The client's Finished.
    ClientFinished = 4,
}

/// Type, length of the flight after these five bytes, length of the parameters in it.
const HEAD: usize = 5;

impl Flight {
    fn of(byte: u8) -> Option<Self> {
        [Self::ClientHello, Self::ServerHello, Self::Server, Self::ClientFinished]
            .into_iter()
            .find(|&flight| flight as u8 == byte)
    }

    /// Its length in TLS without transport parameters, bytes.
    fn length(self) -> usize {
        match self {
            Self::ClientHello => 183,
            Self::ServerHello => 90,
            Self::Server => 421,
            Self::ClientFinished => 52,
        }
    }

    /// Whose transport parameters it carries.
    fn has_parameters(self) -> bool {
        matches!(self, Self::ClientHello | Self::Server)
    }
}

/// One end's handshake.
#[derive(Debug)]
pub(crate) struct Handshake {
    is_client: bool,
    /// Transport parameters, encoded.
    own_parameters: Vec<u8>,
    peer_parameters: Option<Vec<u8>>,
    received: Vec<u8>,
    flights_received: u8,
    steps_written: u8,
}

impl Handshake {
    /// A handshake that has not begun.
    pub(crate) fn new(is_client: bool, own_parameters: Vec<u8>) -> Self {
        let (received, peer_parameters) = (Vec::new(), None);
        Self { is_client, own_parameters, peer_parameters, received, flights_received: 0, steps_written: 0 }
    }

    /// Whether the peer's last flight has not arrived.
    pub(crate) fn is_running(&self) -> bool {
        self.flights_received < 2
    }

    /// The peer's transport parameters, encoded.
    pub(crate) fn peer_parameters(&self) -> Option<&[u8]> {
        self.peer_parameters.as_deref()
    }

    /// Takes bytes of the peer's flights, in order.
    ///
    /// # Errors
    /// What is not the flight that comes next.
    pub(crate) fn read(&mut self, bytes: &[u8]) -> Result<(), &'static str> {
        self.received.extend_from_slice(bytes);
        while let [kind, high, low, parameters @ ..] = &self.received[..] {
            let [parameters_high, parameters_low, ..] = parameters else { break };
            let body = usize::from(u16::from_be_bytes([*high, *low]));
            let parameters = usize::from(u16::from_be_bytes([*parameters_high, *parameters_low]));
            let flight = Flight::of(*kind).ok_or("not a flight of the handshake without cryptography")?;
            if Some(flight) != self.awaited() {
                return Err("a flight of the handshake out of its order");
            }
            if parameters > body {
                return Err("transport parameters longer than their flight");
            }
            if self.received.len() < HEAD + body {
                break;
            }
            if flight.has_parameters() {
                self.peer_parameters = Some(self.received[HEAD..HEAD + parameters].to_vec());
            }
            self.received.drain(..HEAD + body);
            self.flights_received += 1;
        }
        Ok(())
    }

    /// The flight that the peer sends next.
    fn awaited(&self) -> Option<Flight> {
        match (self.is_client, self.flights_received) {
            (true, 0) => Some(Flight::ServerHello),
            (true, 1) => Some(Flight::Server),
            (false, 0) => Some(Flight::ClientHello),
            (false, 1) => Some(Flight::ClientFinished),
            _ => None,
        }
    }

    /// Writes what is to be sent now in the current packet number space, and says whether the next keys hold after it.
    pub(crate) fn write(&mut self, out: &mut Vec<u8>) -> bool {
        let (flight, has_keys) = match (self.is_client, self.steps_written, self.flights_received) {
            (true, 0, _) => (Some(Flight::ClientHello), false),
            (true, 1, 1..) => (None, true),
            (true, 2, 2..) => (Some(Flight::ClientFinished), true),
            (false, 0, 1..) => (Some(Flight::ServerHello), true),
            (false, 1, _) => (Some(Flight::Server), true),
            _ => return false,
        };
        self.steps_written += 1;
        if let Some(flight) = flight {
            self.put(flight, out);
        }
        has_keys
    }

    fn put(&self, flight: Flight, out: &mut Vec<u8>) {
        let parameters = if flight.has_parameters() { &self.own_parameters[..] } else { &[] };
        let body = flight.length() + parameters.len() - HEAD;
        out.push(flight as u8);
        // Both fit: no stack writes transport parameters of a kilobyte.
        out.extend_from_slice(&(body as u16).to_be_bytes());
        out.extend_from_slice(&(parameters.len() as u16).to_be_bytes());
        out.extend_from_slice(parameters);
        out.resize(out.len() + body - parameters.len(), 0);
    }
}

#[cfg(all(test, feature = "tls"))]
mod tests {
    use super::Handshake;
    use rustls::pki_types::ServerName;
    use rustls::quic::{ClientConnection, Connection, ServerConnection, Version};

    /// An end of a handshake, of TLS or without cryptography.
    trait End {
        fn read(&mut self, bytes: &[u8]);
        fn write(&mut self, out: &mut Vec<u8>) -> bool;
    }

    impl End for Handshake {
        fn read(&mut self, bytes: &[u8]) {
            Handshake::read(self, bytes).expect("the next flight");
        }

        fn write(&mut self, out: &mut Vec<u8>) -> bool {
            Handshake::write(self, out)
        }
    }

    impl End for Connection {
        fn read(&mut self, bytes: &[u8]) {
            self.read_hs(bytes).expect("the next flight");
        }

        fn write(&mut self, out: &mut Vec<u8>) -> bool {
            self.write_hs(out).is_some()
        }
    }

    /// Lengths of all that is written, by whom, and whether keys changed after it. As in the stacks, who has read a flight writes
    /// before he reads the next.
    fn flights(ends: &mut [Box<dyn End>; 2]) -> Vec<(usize, usize, bool)> {
        let mut flights = Vec::new();
        for turn in 0..12 {
            let writer = turn % 2;
            let mut out = Vec::new();
            let has_keys = ends[writer].write(&mut out);
            if !out.is_empty() || has_keys {
                ends[1 - writer].read(&out);
                flights.push((writer, out.len(), has_keys));
            }
        }
        flights
    }

    #[test]
    fn flights_have_the_length_of_tls() {
        for parameters in [1, 90, 200] {
            let parameters = vec![0x40; parameters];
            let name = ServerName::try_from("localhost").expect("a name");
            let config = crate::linked::tls::client().expect("a configuration");
            let client =
                ClientConnection::new(config, Version::V1, name, parameters.clone()).expect("a client");
            let config = crate::linked::tls::server().expect("a configuration");
            let server = ServerConnection::new(config, Version::V1, parameters.clone()).expect("a server");
            let tls = flights(&mut [Box::new(Connection::from(client)), Box::new(Connection::from(server))]);

            let null = |is_client| Box::new(Handshake::new(is_client, parameters.clone()));
            assert_eq!(flights(&mut [null(true), null(false)]), tls);
        }
    }
}
