// SPDX-License-Identifier: MIT OR Apache-2.0
//! An index into one of the engine's vectors that may be absent, in four bytes.

/// An index, or none. `u32::MAX` stands for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OptionIndex(u32);

impl OptionIndex {
    /// No index.
    pub const NONE: Self = Self(u32::MAX);

    /// This index.
    #[inline]
    pub const fn some(index: u32) -> Self {
        debug_assert!(index != u32::MAX);
        Self(index)
    }

    /// The index, if there is one.
    #[inline]
    pub const fn get(self) -> Option<u32> {
        if self.0 == Self::NONE.0 { None } else { Some(self.0) }
    }
}
