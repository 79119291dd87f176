// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table `waits`: the distribution of the links' queueing delays.

use crate::column::{Column, Read};
use Read::{Count, Index, Number};

/// A row of the table `waits`: a class of a link's queueing delays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitRow {
    /// Number of the link.
    pub link: u32,
    /// Queueing delay, ns, within 1/128.
    pub wait_ns: u64,
    /// Packets that had it.
    pub packets: u64,
}

/// A row per class of a link's queueing delays.
pub static WAITS: &[Column<WaitRow>] = &[
    Column::new("link", "", "number of the link", Index(|r| r.link)),
    Column::new("wait_ms", "ms", "queueing delay, within 1/128", Number(|r| r.wait_ns as f64 / 1e6)),
    Column::new(
        "packets",
        "packets",
        "packets that left in the measured interval and had it",
        Count(|r| r.packets),
    ),
];
