// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every algorithm and every named parameter set. The list is `for_each_algorithm!` in `algorithms/mod.rs`.
//!
//! Without the feature `registry` there is only what an algorithm's file tells of itself: [`Registered`], [`Set`], [`Recovery`].

pub use crate::registration::{Recovery, Registered, Set};

#[cfg(feature = "registry")]
pub use by_name::*;

#[cfg(feature = "registry")]
mod by_name;
