// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is said of a series: its file, what its values are, and what is wrong with it.

use std::fmt;

/// Most rows of a series.
pub(crate) const MAX_ROWS: usize = 1_000_000;

/// What the values of a series are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeriesQuantity {
    /// Rates, bit/s.
    Rate,
    /// Delays, ns.
    Delay,
}

/// What follows the last value of a series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SeriesEnd {
    /// The series again, from its beginning.
    #[default]
    Repeat,
    /// The last value holds.
    Hold,
}

impl SeriesEnd {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Repeat, Self::Hold];

    /// Its name in a scenario.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Repeat => "repeat",
            Self::Hold => "hold",
        }
    }
}

/// A series as a scenario names it: the file, and what is said of its columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeriesSource {
    /// The path of the file.
    pub path: String,
    /// The unit of its times, where that is given.
    pub time: Option<String>,
    /// The unit of its values, where that is given.
    pub unit: Option<String>,
    /// The name of the column of its values, where that is given.
    pub column: Option<String>,
    /// What follows its last value.
    pub end: SeriesEnd,
}

/// What is wrong with a series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SeriesError {
    /// Line, from 1.
    pub line: usize,
    /// What is not accepted.
    pub value: String,
    /// What was expected.
    pub expected: String,
}

impl fmt::Display for SeriesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {:?}: expected {}", self.line, self.value, self.expected)
    }
}
