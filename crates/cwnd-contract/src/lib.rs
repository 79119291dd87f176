// SPDX-License-Identifier: MIT OR Apache-2.0
//! What every congestion control promises, whatever a transport does to it.
//!
//! The core's tests run it over the registry (`crates/cwnd/tests/contract`), `cwnd check` over an algorithm that was built
//! outside the tree.
#![forbid(unsafe_code)]

pub mod play;
pub mod support;
