// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stacks that are linked in: quinn, noq and smoltcp. quinn and noq share the code in `quic`. The table of the stacks is `table.rs`.

mod application;
mod clock;
mod common;
mod datagrams;
mod handshake;
pub(crate) mod noq;
mod null;
mod observed;
pub(crate) mod quinn;
mod random;
pub(crate) mod smoltcp;
#[cfg(feature = "tls")]
mod tls;
