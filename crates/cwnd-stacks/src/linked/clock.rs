// SPDX-License-Identifier: MIT OR Apache-2.0
//! Virtual time as the stacks want it: `Instant`s.

use std::time::{Duration, Instant};

/// The instant that stands for time 0 of a run. Both ends of a connection share it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    base: Instant,
}

impl Clock {
    /// A clock whose time 0 is some instant.
    ///
    /// The stacks only ever subtract instants from each other, so which instant it is changes nothing.
    #[expect(
        clippy::disallowed_methods,
        reason = "`Instant` has no constant: this one is an origin, never a time"
    )]
    pub(crate) fn new() -> Self {
        Self { base: Instant::now() }
    }

    /// The instant of a time of the run, ns.
    pub(crate) fn at(self, now: u64) -> Instant {
        self.base + Duration::from_nanos(now)
    }

    /// The time of the run of an instant, ns; 0 for one that lies before it.
    pub(crate) fn nanos(self, instant: Instant) -> u64 {
        nanos(instant.saturating_duration_since(self.base))
    }
}

/// Nanoseconds of a duration, at most `u64::MAX`.
pub(crate) fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
