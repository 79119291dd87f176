// SPDX-License-Identifier: MIT OR Apache-2.0
//! A deterministic packet-level simulator of TCP over a bottleneck.
//!
//! Integer nanoseconds, one order of events (time, then insertion), no hash maps, no globals: a simulation is a value.
//!
//! ```
//! use cwnd_scenario::Scenario;
//! use cwnd_sim::Simulation;
//!
//! let scenario = Scenario::from_toml(
//!     "duration = '20s'\n[link]\nrate = '10Mbit/s'\nrtt = '20ms'\n[[flow]]\ncc = 'cubic'",
//! )?;
//! let mut simulation = Simulation::new(&scenario);
//! while !simulation.step(100_000) {}
//! assert!(simulation.summary().link().utilization > 0.9);
//! # Ok::<(), cwnd_scenario::Invalid>(())
//! ```
#![deny(unsafe_code)] // but for one instruction: see prefetch.rs

mod ack;
mod bits;
#[cfg(debug_assertions)]
mod check;
mod engine;
mod events;
mod flow;
mod hop;
mod host;
mod line;
mod network;
mod prefetch;
mod queue;
mod receiver;
mod record;
mod sender;
mod sources;
mod summary;
pub mod traffic;
mod transfers;
mod wheel;

pub use engine::{Audit, Simulation};
pub use record::{
    CwndRow, Drops, Event, EventKind, InnerRow, NO_LINK, QueueRow, Tables, TransferRow, expected_bytes,
};
pub use summary::{FlowCounts, FlowSummary, LinkSummary, Summary, TrafficSummary};
