// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random scenarios against the engine, random facts against the transport.

mod check;
mod choices;
mod document;
mod facts;
mod relations;
mod shrink;

pub use check::{Broken, Outcome, SimulationPromise, check};
pub use choices::{Choices, random_bytes};
pub use document::{distance, document, document_about};
pub use facts::{facts_of, random_facts};
pub use shrink::{failure_of, kind_of, known, known_lines, shrink};
