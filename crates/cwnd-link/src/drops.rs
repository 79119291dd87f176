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

/// The same without what queues of the kernel drop: smaller, for who counts for each of many flows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OwnDrops([u64; DropCause::ALL.len() - 1]);

// The kernel's cause is the last one.
const _: () = assert!(DropCause::Kernel as usize == DropCause::ALL.len() - 1);

impl OwnDrops {
    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Counts a drop, which is none of a queue of the kernel.
    #[inline]
    pub const fn count(&mut self, cause: DropCause) {
        let cause = cause as usize;
        debug_assert!(cause < self.0.len());
        if cause < self.0.len() {
            self.0[cause] += 1;
        }
    }

    /// As counts of all causes.
    #[must_use]
    pub const fn of_all(&self) -> Drops {
        let mut all = [0; DropCause::ALL.len()];
        let (own, _) = all.split_at_mut(DropCause::ALL.len() - 1);
        own.copy_from_slice(&self.0);
        Drops(all)
    }
}
