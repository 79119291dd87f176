// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table `queue`: a row per sample of a link.

use super::shared::{by_cause, joined, seconds};
use crate::column::{Column, Read};
use Read::{Count, Index, Number};
use cwnd_link::Drops;
use std::sync::LazyLock;

/// A row of the table `queue`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueRow {
    /// Time, ns.
    pub time_ns: u64,
    /// Number of the link.
    pub link: u32,
    /// Packets queued or being sent.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Packets dropped so far.
    pub drops: Drops,
}

/// A row per sample of a link.
pub static QUEUE: LazyLock<Vec<Column<QueueRow>>> = LazyLock::new(|| {
    joined::<QueueRow, _>([
        vec![
            Column::new("time_s", "s", "time of the sample", Number(|r| seconds(r.time_ns))),
            Column::new("link", "", "number of the link", Index(|r| r.link)),
            Column::new("packets", "packets", "packets that wait or are being sent", Count(|r| r.packets)),
            Column::new("bytes", "bytes", "their bytes", Count(|r| r.bytes)),
        ],
        by_cause(|r: &QueueRow| &r.drops, |words| (words.column, words.of_sample)),
    ])
});
