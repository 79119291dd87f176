// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table `queue`: a row per sample of a link.

use super::shared::{by_cause, seconds};
use crate::column::columns;
use cwnd_link::Drops;

columns! {
    /// A row of the table `queue`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct QueueRow {
        /// Packets dropped so far.
        pub drops: Drops,
    }
    /// A row per sample of a link.
    pub static QUEUE;
    Number time_s = |time_ns: u64| seconds(time_ns), "s", "time of the sample";
    Index link: u32, "", "number of the link";
    Count packets: u64, "packets", "packets waiting or being sent";
    Count bytes: u64, "bytes", "their bytes";
    ..by_cause(|sample| &sample.drops, |words| (words.column, words.of_sample));
}
