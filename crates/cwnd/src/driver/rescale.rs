// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counts of segments when segments become larger or smaller.

/// Counts of segments of one size as counts of another.
#[derive(Clone, Copy)]
pub(super) struct Rescale {
    /// Bytes of a segment before, and now.
    pub(super) from: u64,
    pub(super) to: u64,
}

impl Rescale {
    /// Bytes that `segments` were.
    pub(super) fn bytes(self, segments: u32) -> u64 {
        u64::from(segments) * self.from
    }

    /// As many bytes as `segments` were, in whole segments.
    pub(super) fn down(self, segments: u32) -> u32 {
        clamped(self.bytes(segments) / self.to)
    }

    /// The same, and a segment for what is over.
    pub(super) fn up(self, segments: u32) -> u32 {
        clamped(self.bytes(segments).div_ceil(self.to))
    }
}

pub(super) fn clamped(segments: u64) -> u32 {
    u32::try_from(segments).unwrap_or(u32::MAX)
}
