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
mod bitmap;
#[cfg(debug_assertions)]
mod check;
mod delay_line;
mod engine;
mod event_queue;
mod events;
mod flow;
mod host;
mod index;
mod network;
mod packet;
mod prefetch;
mod receiver;
mod record;
mod sender;
mod sources;
mod summarise;
pub mod traffic;
mod transfers;
mod transmit;
mod wheel;

pub use cwnd_link::Drops;
pub use cwnd_record::{
    CwndRow, EventKind, EventRow, FlowCounts, FlowSummary, InnerRow, LinkSummary, QueueRow, Summary,
    TrafficSummary, TransferCounts, TransferRow,
};
pub use engine::{Audit, Simulation};
pub use record::{Tables, expected_bytes};
pub use summarise::rates;
