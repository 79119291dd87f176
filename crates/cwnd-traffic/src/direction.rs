// SPDX-License-Identifier: MIT OR Apache-2.0
//! Directions through a bottleneck.

/// The direction through the bottleneck.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The direction of the experiment's flows.
    Forward = 0,
    /// The opposite direction.
    Reverse = 1,
}

impl Direction {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Forward, Self::Reverse];

    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Forward => Self::Reverse,
            Self::Reverse => Self::Forward,
        }
    }
}

/// The directions of data through the bottleneck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directions {
    /// The direction of the experiment's flows.
    Forward,
    /// The opposite direction.
    Reverse,
    /// Both directions.
    Both,
}

impl Directions {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Forward, Self::Reverse, Self::Both];

    /// Its name in a scenario.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Reverse => "reverse",
            Self::Both => "both",
        }
    }

    /// Whether forward is one of them.
    #[must_use]
    pub const fn has_forward(self) -> bool {
        matches!(self, Self::Forward | Self::Both)
    }

    /// Whether reverse is one of them.
    #[must_use]
    pub const fn has_reverse(self) -> bool {
        matches!(self, Self::Reverse | Self::Both)
    }
}
