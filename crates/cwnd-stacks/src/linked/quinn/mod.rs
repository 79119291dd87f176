// SPDX-License-Identifier: MIT OR Apache-2.0
//! quinn: quinn-proto as it is, both ends.
//!
//! Clocks: no path used here reads one (`SystemTime` is read for tokens of later connections, of which none are sent). Randomness:
//! the endpoint's generator is seeded, and connection ids are ours; see [`adapter::STOCK`] for BBR.

mod adapter;
mod behind_hooks;
mod null_crypto;
mod observed_controller;
#[expect(clippy::duplicate_mod, reason = "quinn and noq compile it with their own types")]
#[path = "../quic/mod.rs"]
mod quic;

use quinn_proto as proto;

pub(crate) use adapter::STOCK;
pub use behind_hooks::stock_behind_hooks;
pub(crate) use quic::connect;
