// SPDX-License-Identifier: MIT OR Apache-2.0
//! A deterministic packet-level simulator of TCP over a bottleneck.
//!
//! Integer nanoseconds, one order of events (time, class, number), no hash maps, no globals: a simulation is a value.
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
//! assert!(simulation.summary().link().utilization > Some(0.9));
//! # Ok::<(), cwnd_scenario::Invalid>(())
//! ```
#![deny(unsafe_code)] // but for one instruction: see engine/prefetch.rs

mod endpoint;
mod engine;
mod hook_calls;
mod hook_document;
mod index;
mod network;
mod schedule;
mod tcp;
pub mod transport_replay;

/// Whether flows of foreign stacks are built in. Where it is false the compiler leaves out what they take.
pub(crate) const STACKS: bool = cfg!(feature = "stacks");

/// Whether captures of packets are.
pub(crate) const CAPTURES: bool = cfg!(feature = "captures");

/// Whether runs in time slices, and on several threads, are.
pub(crate) const TIME_SLICES: bool = cfg!(feature = "time-slices");

pub use cwnd_link::Drops;
pub use cwnd_record::{
    CwndRow, EventKind, EventRow, FlowCounts, FlowFailure, FlowSummary, InnerRow, LinkSummary, QueueRow,
    Summary, TrafficSummary, TransferCounts, TransferRow,
};
pub use endpoint::{Connection, ConnectionSpec, EcnCodepoint, Endpoint, Probe, StackAlgorithm, Stacks};
pub use engine::{
    PacketLocations, PacketPlace, PacketPosition, Simulation, Tables, expected_bytes, jain, link_summary,
    link_waits, rates, share, traffic_summaries,
};
pub use hook_calls::{HookCall, HookCalls};
pub use hook_document::hook_calls_document;
