// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lull: a congestion control of one's own, for the simulator and for the Linux kernel.
//!
//! The kernel's rules hold, so that what was simulated is what runs there: no standard library, no `unsafe`, no floats, no
//! clock, no panics (no `[]`, no `unwrap`, no division by what may be zero), no loop without a constant bound.
#![no_std]
#![forbid(unsafe_code)]

pub mod lull;

/// What `cwnd` takes from this crate.
pub type Algorithm = lull::Lull;
