// SPDX-License-Identifier: MIT OR Apache-2.0
//! Congestion control, written once.
//!
//! The hooks carry Linux's names (`tcp_congestion_ops`; Ha, Rhee and Xu 2008, figure 2). The same source runs in the
//! simulator, in QUIC stacks, in the Linux kernel as a BPF object, and in a browser, so this crate keeps the kernel's
//! rules: no `std`, no `unsafe`, no floats, no clock, no allocation, no panic, no loop without a constant bound, no
//! signed division, nothing wider than 64 bits.
//!
//! * [`Conn`] is what a transport shows an algorithm;
//! * [`CongestionControl`] is what an algorithm implements, [`for_each_hook!`] the table of its hooks;
//! * [`driver::Driver`] adds recovery, timeouts and ECN for transports that have none of their own;
//! * [`transport::Transport`] is that in bytes, for QUIC stacks: it takes facts and gives answers;
//! * [`registry`] knows every algorithm and every named parameter set;
//! * [`Builder`] makes one algorithm with settings of the caller's: `Cubic::builder()`.
//!
//! # Features
//! * `registry` (default): [`registry::Controller`], an enum over all algorithms, and the lists to choose one by name at run time. Without
//!   it `Driver` and `Transport` have no default type of algorithm.
//! * `std` (default): with `registry`, algorithms that are added at run time.
//! * `kernel-replay`: the module `replay`, for tools. It may change in any version.
//!
//! A program that uses one algorithm, `Transport<Configured<Cubic>>`, links no other, with `registry` or without.
//!
//! # What may grow
//! What a later version may add to is `#[non_exhaustive]` and has a constructor. The others are complete by what they are: [`CaState`],
//! [`Hook`], [`params::ParamKind`] (who matches on one has to know every case), [`Conn`], [`Configured`], [`registry::Set`] (written as
//! literals in algorithms and their tests), [`StateWords`] (a layout).
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![forbid(unsafe_code)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod algorithm;
pub mod algorithms;
mod argument_encoding;
mod builder;
mod conn;
#[cfg(feature = "registry")]
mod controller;
#[cfg(feature = "registry")]
mod description;
pub mod driver;
mod hook_argument_types;
mod hooks;
mod inner_variables;
pub mod math;
pub mod params;
#[cfg(all(feature = "registry", feature = "std"))]
mod plugins;
mod rate_sample;
mod registration;
pub mod registry;
#[cfg(feature = "kernel-replay")]
pub mod replay;
mod rescale;
pub mod slow_start;
mod spec;
mod state;
pub mod transport;

pub use algorithm::Algorithm;
pub use argument_encoding::{HookResult, RecordedArgument, WireArgument};
pub use builder::{Builder, Fraction, Includes, ParamError};
pub use conn::{CaState, Conn, INFINITE_SSTHRESH, PacingStatus};
#[cfg(feature = "registry")]
pub use controller::Controller;
pub use hook_argument_types::{ACK_ECE, ACK_SLOW_PATH, ACK_WINDOW_UPDATE, AckSample, CaEvent};
pub use hooks::{
    ARGUMENT_WORDS, Configured, CongestionControl, Hook, PRIVATE_BYTES, PrivateWords, StateWords,
};
pub use inner_variables::{Info, unit_and_scale};
pub use rate_sample::{ACKED_DATA, ADVANCED, ECHOED_MARK, RateSample, SACKED_DATA};
#[doc(hidden)]
pub use rescale::SegmentCount;
pub use rescale::{Rescale, SegmentState};
pub use state::AnyBitPattern;
