// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table `links`, and a link in the summary.

use super::shared::{by_cause, joined};
use crate::column::{Column, Read};
use Read::{Count, Index, MaybeNumber, Number, Text};
use cwnd_link::Drops;
use std::sync::LazyLock;

/// One link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSummary {
    /// Number.
    pub number: u32,
    /// Name.
    pub name: String,
    /// The nodes that it leads from and to.
    pub from: String,
    /// See `from`.
    pub to: String,
    /// Its mean capacity, Mbit/s; `None` of a link without a rate.
    pub capacity_mbps: Option<f64>,
    /// Wire bits that left it, divided by its capacity; `None` where it has none.
    pub utilization: Option<f64>,
    /// Packets that left it in the measured interval.
    pub packets: u64,
    /// Packets dropped in the measured interval.
    pub drops: Drops,
    /// Packets dropped over the whole run.
    pub drops_run: Drops,
    /// Packets that got a congestion mark (ECN) and left in the measured interval.
    pub marks: u64,
    /// The same over the whole run.
    pub marks_run: u64,
    /// Mean queueing delay, without the packet's own serialisation, ms.
    pub queue_mean_ms: f64,
    /// Queueing delay that 50, 95 and 99 % of the packets did not exceed, ms (nearest rank, within 1/128); 0 when none left.
    pub queue_percentiles_ms: [f64; 3],
    /// Max queueing delay, ms.
    pub queue_max_ms: f64,
}

/// A row per link: the summary, over everything that crossed it.
pub static LINKS: LazyLock<Vec<Column<LinkSummary>>> = LazyLock::new(|| {
    joined::<LinkSummary, _>([
        vec![
            Column::table_only("link", "", "number of the link", Index(|l| l.number)),
            Column::new("name", "", "name", Text(|l| &l.name)),
            Column::table_only("from", "", "node that it leads from", Text(|l| &l.from)),
            Column::table_only("to", "", "node that it leads to", Text(|l| &l.to)),
            Column::new(
                "capacity_mbps",
                "Mbit/s",
                "what it could send in the measured interval, over its length: the integral of its rate, of a trace its opportunities; null where it has no rate",
                MaybeNumber(|l| l.capacity_mbps),
            ),
            Column::new(
                "utilization",
                "1",
                "wire bits that left it over what it could send, both in the measured interval; null where it could send nothing or has no rate",
                MaybeNumber(|l| l.utilization),
            ),
            Column::new("packets", "packets", "packets that left it", Count(|l| l.packets)),
        ],
        by_cause(|l: &LinkSummary| &l.drops, |words| (words.column, words.of_link)),
        by_cause(|l: &LinkSummary| &l.drops_run, |words| (words.column_run, words.of_run)),
        vec![
            Column::new(
                "marks",
                "packets",
                "packets that its queue marked instead of dropping (ECN)",
                Count(|l| l.marks),
            ),
            Column::new("marks_run", "packets", "`marks` of the whole run", Count(|l| l.marks_run)),
            Column::new(
                "queue_mean_ms",
                "ms",
                "mean queueing delay, without the packet's own serialisation",
                Number(|l| l.queue_mean_ms),
            ),
            Column::new(
                "queue_p50_ms",
                "ms",
                "median of the queueing delay",
                Number(|l| l.queue_percentiles_ms[0]),
            ),
            Column::new("queue_p95_ms", "ms", "its 95th percentile", Number(|l| l.queue_percentiles_ms[1])),
            Column::new("queue_p99_ms", "ms", "its 99th percentile", Number(|l| l.queue_percentiles_ms[2])),
            Column::new("queue_max_ms", "ms", "max queueing delay", Number(|l| l.queue_max_ms)),
        ],
    ])
});
