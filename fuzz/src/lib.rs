// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random scenarios against the simulator's engine, random facts against the core's transport (`facts`), and any bytes against the
//! readers of what others wrote (`readers`).
//!
//! In `engine`, `document` generates a scenario from bytes, `check` checks a run of it against the engine's promises, `shrink` reduces a scenario
//! that fails. The bytes come from libFuzzer (`fuzz/run`), from a seed (the tests), or from a file that libFuzzer wrote (`failure`).
#![forbid(unsafe_code)]

#[cfg(feature = "engine")]
mod engine;
mod panics;
mod readers;

#[cfg(feature = "engine")]
pub use engine::{
    Broken, Choices, Outcome, SimulationPromise, check, distance, document, document_about, facts_of,
    failure_of, kind_of, known, known_lines, random_bytes, random_facts, shrink,
};
pub use panics::caught;
pub use readers::{READERS, mutated, read_with, scenario_of, seeds_of};
