// SPDX-License-Identifier: MIT OR Apache-2.0
//! What simulations are held to: one program, which is linked once. What a run takes in memory has a program of its own, and so
//! has what must be the same in every build.

mod capacity;
mod capture;
#[path = "../common/mod.rs"]
mod common;
mod comparators;
mod curve;
mod ecn;
mod engine;
mod gro;
mod inspection;
mod linux_recovery;
mod network;
mod networks;
mod no_rate;
mod own_rate;
mod rates;
mod regressions;
mod relations;
mod response;
mod senders;
mod timeouts;
mod timer_wheel;
mod ways;
