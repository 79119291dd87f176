// SPDX-License-Identifier: MIT OR Apache-2.0
//! Round trips, and the largest flight of the last two of them.

use crate::rescale::Rescale;

/// Counts round trips. One ends when a packet is acknowledged that was sent after it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Rounds {
    began_us: u64,
    pub(super) count: u32,
}

impl Rounds {
    pub(super) const fn new(now_us: u64) -> Self {
        Self { began_us: now_us, count: 0 }
    }

    /// Whether the round trip is over when a packet that was sent `rtt_us` ago is acknowledged.
    #[inline]
    pub(super) const fn is_over(self, now_us: u64, rtt_us: u32) -> bool {
        self.began_us.wrapping_add(rtt_us as u64) <= now_us
    }

    /// The next round trip begins.
    pub(super) const fn next(&mut self, now_us: u64) {
        *self = Self { began_us: now_us, count: self.count.wrapping_add(1) };
    }
}

/// The largest flight of this round trip and of the one before, segments: what a transport whose flight leaves out lost data had
/// out when it sent what is now lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LargestFlight {
    now: u32,
    before: u32,
}

impl LargestFlight {
    pub(super) fn note(&mut self, packets_out: u32) {
        self.now = self.now.max(packets_out);
    }

    pub(super) const fn next_round(&mut self, packets_out: u32) {
        *self = Self { now: packets_out, before: self.now };
    }

    /// Nothing is out, nothing was lost: what was out before does not count.
    pub(super) const fn forget(&mut self) {
        *self = Self { now: 0, before: 0 };
    }

    /// Segments have another size.
    pub(super) fn rescale(&mut self, scale: Rescale) {
        *self = Self { now: scale.up(self.now), before: scale.up(self.before) };
    }

    pub(super) fn largest(self) -> u32 {
        self.now.max(self.before)
    }
}
