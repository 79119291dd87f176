// SPDX-License-Identifier: MIT OR Apache-2.0
//! noq: noq-proto as it is, both ends.
//!
//! Clocks: no path used here reads one (`SystemTime` is read for tokens of later connections, of which none are sent). Randomness:
//! the endpoint's generator is seeded, and connection ids are ours; [`adapter::STOCK`] says why BBR differs from run to run.

mod adapter;
mod null_crypto;
mod observed_controller;
#[expect(clippy::duplicate_mod, reason = "quinn and noq compile it with their own types")]
#[path = "../quic/mod.rs"]
mod quic;

use noq_proto as proto;

pub(crate) use adapter::STOCK;
pub(crate) use quic::connect;
