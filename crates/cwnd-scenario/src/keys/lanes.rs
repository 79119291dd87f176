// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where a key of a flow has an effect: the column `lanes` of its row. A row without the column affects the simulator's TCP
//! only, so other lanes refuse a new key instead of ignoring it.

/// What honours a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes(u8);

impl Lanes {
    /// The simulator's TCP.
    pub const SIM: Self = Self(1);
    /// Flows of lane live, which are connections of the running kernel.
    pub const LIVE_FLOWS: Self = Self(1 << 1);
    /// Traffic of lane live.
    pub const LIVE_TRAFFIC: Self = Self(1 << 2);
    /// Both.
    pub const LIVE: Self = Self::LIVE_FLOWS.and(Self::LIVE_TRAFFIC);
    /// Real stacks in the simulator.
    pub const STACK: Self = Self(1 << 3);

    /// These and those.
    #[must_use]
    pub const fn and(self, those: Self) -> Self {
        Self(self.0 | those.0)
    }

    /// Whether it has all of these.
    #[must_use]
    pub const fn has(self, these: Self) -> bool {
        self.0 & these.0 == these.0
    }
}
