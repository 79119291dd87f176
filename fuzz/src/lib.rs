// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random scenarios against the simulator's engine, random facts against the core's transport (`facts`), and any bytes against the
//! readers of what others wrote (`readers`).
//!
//! `document` generates a scenario from bytes, `check` checks a run of it against the engine's promises, `shrink` reduces a scenario that
//! fails. The bytes come from libFuzzer (`fuzz/run`), from a seed (the tests), or from a file that libFuzzer wrote (`failure`).
#![forbid(unsafe_code)]

mod check;
mod choices;
mod document;
mod facts;
mod panics;
mod readers;
mod relations;
mod shrink;

pub use check::{Broken, Outcome, SimulationPromise, check};
pub use choices::{Choices, random_bytes};
pub use document::{distance, document, document_about};
pub use facts::{facts_of, random_facts};
pub use panics::caught;
pub use readers::{READERS, mutated, read_with, scenario_of, seeds_of};
pub use shrink::{failure_of, kind_of, known, known_lines, shrink};
