// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random scenarios against the simulator's engine.
//!
//! `document` makes a scenario's document of bytes, `check` holds a run of it against what the engine promises, `shrink` takes away
//! from a document that fails whatever it fails without. The bytes come from libFuzzer (`fuzz/run`), from a seed (the tests),
//! or from a file that libFuzzer left (`failure`).
#![forbid(unsafe_code)]

mod check;
mod document;
mod draw;
mod panics;
mod shrink;

pub use check::{Broken, Outcome, Promise, check};
pub use document::{distance, document, document_about};
pub use draw::{Draw, random_bytes};
pub use panics::caught;
pub use shrink::{failure_of, kind_of, known, known_lines, shrink};
