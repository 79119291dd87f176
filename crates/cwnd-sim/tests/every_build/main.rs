// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `make test` runs in the release build too, which is one program because optimising it at link time takes longest.

#[path = "../common/mod.rs"]
mod common;
mod determinism;
mod formulas;
