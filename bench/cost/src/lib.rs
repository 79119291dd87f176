// SPDX-License-Identifier: MIT OR Apache-2.0
//! The acknowledgements of one real connection, replayed: to quinn's own CUBIC and to every algorithm of the registry.

pub mod quic;
pub mod stream;

use std::time::Duration;

use quic::QuicPath;
use stream::AckStream;

/// The connection that every figure comes from: 10 Mbit/s, 100 ms, one bandwidth-delay product of buffer, 15 s.
///
/// CUBIC's own region and the Reno-friendly one both occur, and all rows stay in the processor's caches.
#[must_use]
pub fn recorded() -> AckStream {
    let path = QuicPath { rate: 10_000_000, rtt: Duration::from_millis(100), buffer: 83 };
    AckStream::from_first_loss(quic::record(path, Duration::from_secs(15)))
}
