// SPDX-License-Identifier: MIT OR Apache-2.0
//! The clock of a link that moves packets only at its ticks, as FreeBSD's dummynet does (`ready_event` in `sys/netinet/ip_dummynet.c`, until 2010).
//!
//! Between two ticks such a link does nothing. A packet that arrives is treated as if it had come at the last tick, so one that finds the
//! link idle may leave sooner than its serialisation takes. Bits are sent at the link's rate between the ticks, but a packet leaves at
//! the first tick at or after the end of its own, and stays in the queue until then. At the far end it arrives at a tick, too.
//! `tests/dummynet.rs` holds it beside a model of dummynet's credit per tick.

use crate::service::NEVER;

/// A clock that ticks every so many ns, from 0 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tick(u64);

impl Tick {
    /// A tick every `ns` ns, at least 1.
    #[must_use]
    pub const fn every(ns: u64) -> Self {
        Self(if ns == 0 { 1 } else { ns })
    }

    /// The last tick at or before `now`, ns.
    #[must_use]
    pub const fn last(self, now: u64) -> u64 {
        now - now % self.0
    }

    /// The first tick at or after `at`, ns; [`NEVER`] for never.
    #[must_use]
    pub const fn first(self, at: u64) -> u64 {
        match at % self.0 {
            0 => at,
            _ if at == NEVER => NEVER,
            after => at.saturating_add(self.0 - after),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_lies_between_two_ticks() {
        let ms = Tick::every(1_000_000);
        assert_eq!([0, 1, 999_999, 1_000_000].map(|at| ms.last(at)), [0, 0, 0, 1_000_000]);
        assert_eq!([0, 1, 999_999, 1_000_000].map(|at| ms.first(at)), [0, 1_000_000, 1_000_000, 1_000_000]);
        assert_eq!((ms.first(NEVER), ms.first(NEVER - 1)), (NEVER, NEVER));
        assert_eq!(Tick::every(0).first(7), 7);
    }
}
