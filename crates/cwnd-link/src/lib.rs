// SPDX-License-Identifier: MIT OR Apache-2.0
//! Links and queues without input, output or clock: time comes in as nanoseconds, what happens comes out.
#![forbid(unsafe_code)]

mod fifo;
mod loss;
pub mod random;

pub use fifo::{Backlog, Fifo, Limit};
pub use loss::{Loss, LossProcess};
