// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many packets were dropped, by cause.

use crate::aqm::DropCause;
use std::ops::Index;

/// Packets dropped, by cause: `drops[DropCause::Full]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Drops([u64; DropCause::ALL.len()]);

impl Drops {
    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Those since `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self(std::array::from_fn(|cause| self.0[cause] - earlier.0[cause]))
    }

    /// Counts a drop.
    pub const fn count(&mut self, cause: DropCause) {
        self.count_many(cause, 1);
    }

    /// Counts so many drops.
    pub const fn count_many(&mut self, cause: DropCause, drops: u32) {
        self.0[cause as usize] += drops as u64;
    }
}

impl Index<DropCause> for Drops {
    type Output = u64;

    fn index(&self, cause: DropCause) -> &u64 {
        &self.0[cause as usize]
    }
}
