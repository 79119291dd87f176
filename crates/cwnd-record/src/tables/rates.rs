// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table `rates`: how fast the links send.

use super::shared::seconds;
use crate::column::columns;

columns! {
    /// A row of the table `rates`: how fast a link sends from a time on.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct RateRow {}
    /// A row per rate of a link.
    pub static RATES;
    Index link: u32, "", "number of the link";
    Number time_s = |from_ns: u64| seconds(from_ns), "s", "start time of the rate";
    Number rate_mbps = |rate_bps: u64| rate_bps as f64 / 1e6, "Mbit/s", "rate; 0 is an outage. For a trace, the bits of its opportunities in the millisecond that begins at this time";
}
