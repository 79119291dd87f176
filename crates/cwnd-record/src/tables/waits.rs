// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table `waits`: the distribution of the links' queueing delays.

use crate::column::columns;

columns! {
    /// A row of the table `waits`: a bin of a link's queueing delays.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct WaitRow {}
    /// A row per class of a link's queueing delays.
    pub static WAITS;
    Index link: u32, "", "number of the link";
    Number wait_ms = |wait_ns: u64| wait_ns as f64 / 1e6, "ms", "queueing delay, within 1/128";
    Count packets: u64, "packets", "packets with that delay that left in the measured interval";
}
