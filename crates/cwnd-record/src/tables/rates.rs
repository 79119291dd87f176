// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table `rates`: how fast the links send.

use super::shared::seconds;
use crate::column::{Column, Read};
use Read::{Index, Number};

/// A row of the table `rates`: how fast a link sends from a time on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateRow {
    /// Number of the link.
    pub link: u32,
    /// From when on, ns.
    pub from_ns: u64,
    /// Rate, bit/s; 0 is an outage; of a trace the bits of its opportunities over the millisecond that begins at their time.
    pub rate: u64,
}

/// A row per rate of a link.
pub static RATES: &[Column<RateRow>] = &[
    Column::new("link", "", "number of the link", Index(|r| r.link)),
    Column::new("time_s", "s", "from when on", Number(|r| seconds(r.from_ns))),
    Column::new(
        "rate_mbps",
        "Mbit/s",
        "rate; 0 is an outage; of a trace the bits of its opportunities over the millisecond that begins at their time",
        Number(|r| r.rate as f64 / 1e6),
    ),
];
