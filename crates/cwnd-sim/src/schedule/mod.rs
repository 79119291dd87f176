// SPDX-License-Identifier: MIT OR Apache-2.0
//! The order of events: by time, then by class and number. A heap for delay lines, a timing wheel for timers.

mod event_queue;
mod wheel;

pub use event_queue::{Entry, EventClass, EventId, EventQueue};
pub use wheel::Wheel;

/// What is armed for this time never has an earlier event, so it adds no entry: in time slices (`engine::time_slices`), whose slices look at all of a flow's
/// events.
#[cfg(feature = "time-slices")]
pub const ASLEEP: u64 = 0;
