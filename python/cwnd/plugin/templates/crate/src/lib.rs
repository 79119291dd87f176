// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lull: a congestion control algorithm for the simulator and for the Linux kernel.
//!
//! The code follows the kernel's rules, so that the kernel runs what was simulated: no standard library, no `unsafe`,
//! no floats, no clock, no panics (no `[]`, no `unwrap`, no division by what may be zero), no loop without a constant
//! bound.
#![no_std]
#![forbid(unsafe_code)]

pub mod lull;

/// What `cwnd` takes from this crate.
pub type Algorithm = lull::Lull;
