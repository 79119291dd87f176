// SPDX-License-Identifier: MIT OR Apache-2.0
//! What every congestion control promises, whatever a transport does to it.
//!
//! The core's tests hold the registry to it (`crates/cwnd/tests/contract`), `cwnd check` an algorithm that was built outside
//! the tree ([`check`]). Nothing here panics on what an algorithm does.
#![forbid(unsafe_code)]

pub mod check;
pub mod play;
pub mod size;
pub mod state;
pub mod support;
pub mod time;

/// Leaves the function with what was seen, unless the promise is kept.
#[macro_export]
macro_rules! promise {
    ($kept:expr, $($seen:tt)+) => {
        if !$kept {
            return Err(format!($($seen)+));
        }
    };
}
