// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counts of segments when segments become larger or smaller.

/// Another size of segments: turns counts of one size into counts of another.
///
/// ```
/// use cwnd::Rescale;
///
/// let scale = Rescale::new(1200, 9000);
/// assert_eq!((scale.down(100), scale.up(100), scale.nearest(100)), (13, 14, 13)); // 120 000 bytes are 13.3 segments
/// assert_eq!(scale.nearest(1), 1); // what there is does not become nothing
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rescale {
    from: u64,
    to: u64,
}

impl Rescale {
    /// From segments of `from` bytes to segments of `to` bytes; 0 counts as 1.
    ///
    /// ```
    /// assert_eq!(cwnd::Rescale::new(1200, 1400).down(500), 428);
    /// ```
    #[must_use]
    pub const fn new(from: u32, to: u32) -> Self {
        let (from, to) = (if from == 0 { 1 } else { from }, if to == 0 { 1 } else { to });
        Self { from: from as u64, to: to as u64 }
    }

    /// Whether both sizes are the same.
    ///
    /// ```
    /// assert!(cwnd::Rescale::new(1200, 1200).is_same());
    /// ```
    #[must_use]
    pub const fn is_same(self) -> bool {
        self.from == self.to
    }

    /// Bytes of a segment now.
    pub(crate) const fn now(self) -> u64 {
        self.to
    }

    /// Bytes that `segments` were.
    pub(crate) const fn bytes(self, segments: u32) -> u64 {
        segments as u64 * self.from
    }

    /// As many bytes as `segments` were, in whole segments.
    ///
    /// ```
    /// assert_eq!(cwnd::Rescale::new(1200, 9000).down(7), 0); // 8400 bytes
    /// ```
    #[must_use]
    pub const fn down(self, segments: u32) -> u32 {
        clamped(self.bytes(segments) / self.to)
    }

    /// The same, and a segment for what is over.
    ///
    /// ```
    /// assert_eq!(cwnd::Rescale::new(1200, 9000).up(7), 1);
    /// ```
    #[must_use]
    pub const fn up(self, segments: u32) -> u32 {
        clamped(self.bytes(segments).div_ceil(self.to))
    }

    /// The nearest count, but 1 at least where there was any; of any fixed point, as long as it fits.
    ///
    /// ```
    /// assert_eq!(cwnd::Rescale::new(1400, 1200).nearest(1 << 40), 1_282_763_565_739); // 2⁴⁰ · 7/6
    /// ```
    #[must_use]
    pub const fn nearest(self, count: u64) -> u64 {
        if count == 0 {
            return 0;
        }
        // In two parts: a count of 64 bits times a size would not fit.
        let (whole, rest) = (count / self.to, count % self.to);
        let scaled =
            whole.saturating_mul(self.from).saturating_add((rest * self.from + self.to / 2) / self.to);
        if scaled == 0 { 1 } else { scaled }
    }
}

/// As far as 32 bits hold it.
pub(crate) const fn clamped(segments: u64) -> u32 {
    if segments > u32::MAX as u64 { u32::MAX } else { segments as u32 }
}

/// A state, some of whose fields are counts of segments. [`state!`](crate::state) implements it where every field has its unit.
///
/// ```
/// use cwnd::{Rescale, SegmentState};
///
/// cwnd::state! {
///     /// State of an algorithm.
///     pub struct Lull {
///         /// Window before the last loss, segments; 0 before the first.
///         w_max: u32 as segments,
///         /// Growth not yet worth a segment, times the window.
///         credit: u64 as squared,
///         /// Smallest round trip time, µs.
///         min_rtt_us: u32 as unchanged,
///     }
/// }
/// let mut lull = Lull { w_max: 70, credit: 4900, min_rtt_us: 50_000 };
/// lull.rescale(Rescale::new(1200, 1400));
/// assert_eq!(lull, Lull { w_max: 60, credit: 3600, min_rtt_us: 50_000 });
/// ```
pub trait SegmentState {
    /// Segments have another size.
    fn rescale(&mut self, scale: Rescale);
}

/// An integer that counts segments.
#[doc(hidden)]
pub trait SegmentCount {
    fn rescale_count(&mut self, scale: Rescale);
}

macro_rules! counts {
    ($($integer:ty),+) => {
        $(impl SegmentCount for $integer {
            #[inline]
            fn rescale_count(&mut self, scale: Rescale) {
                *self = <$integer>::try_from(scale.nearest(u64::from(*self))).unwrap_or(<$integer>::MAX);
            }
        })+
    };
}

counts!(u8, u16, u32, u64);

/// What becomes of a field of this unit.
#[doc(hidden)]
#[macro_export]
macro_rules! rescale_field {
    (unchanged, $field:expr, $scale:expr) => {};
    (segments, $field:expr, $scale:expr) => {
        $crate::SegmentCount::rescale_count(&mut $field, $scale)
    };
    (squared, $field:expr, $scale:expr) => {
        $crate::SegmentCount::rescale_count(&mut $field, $scale);
        $crate::SegmentCount::rescale_count(&mut $field, $scale);
    };
    (nested, $field:expr, $scale:expr) => {
        $crate::SegmentState::rescale(&mut $field, $scale)
    };
}
