// SPDX-License-Identifier: MIT OR Apache-2.0
//! What every congestion control guarantees, whatever a transport does.
//!
//! The core's tests check the registry against it (`crates/cwnd/tests/contract`), and `cwnd check` a plugin ([`check`]). Nothing here panics on what an algorithm does.
#![forbid(unsafe_code)]

pub mod check;
pub mod extremes;
pub mod facts;
pub mod random_history;
pub mod rate_path;
pub mod state;
pub mod support;
pub mod time;
pub mod undo;

/// Leaves the function with what was seen, unless the promise is kept.
#[macro_export]
macro_rules! promise {
    ($kept:expr, $($seen:tt)+) => {
        if !$kept {
            return Err(format!($($seen)+));
        }
    };
}
