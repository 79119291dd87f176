// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table `links`, and a link in the summary.

use super::shared::by_cause;
use crate::column::columns;
use cwnd_link::Drops;

columns! {
    /// One link.
    #[derive(Clone, Debug, PartialEq)]
    pub struct LinkSummary {
        /// Packets dropped in the measured interval.
        pub drops: Drops,
        /// Packets dropped over the whole run.
        pub drops_run: Drops,
        /// Percentiles 50, 95 and 99 of the queueing delay, ms: nearest rank, within 1/128; 0 when no packet left.
        pub queue_percentiles_ms: [f64; 3],
    }
    /// A row per link: the summary, over everything that crossed it.
    pub static LINKS;
    Index link = |number: u32| number, "", "number of the link", table_only();
    Text name: String, "", "name";
    Text from: String, "", "node where it starts", table_only();
    Text to: String, "", "node where it ends", table_only();
    MaybeNumber capacity_mbps: Option<f64>, "Mbit/s", "mean rate over the measured interval; for a trace, from its opportunities; null if it has no rate";
    MaybeNumber utilization: Option<f64>, "1", "wire bits that left it divided by what it could send, both in the measured interval; null if it could send nothing or has no rate";
    // In the measured interval.
    Count packets: u64, "packets", "packets that left it";
    ..by_cause(|link| &link.drops, |words| (words.column, words.of_link));
    ..by_cause(|link| &link.drops_run, |words| (words.column_run, words.of_run));
    // They left in the measured interval.
    Count marks: u64, "packets", "packets that its queue marked instead of dropping (ECN)";
    Count marks_run: u64, "packets", "`marks` of the whole run";
    Number queue_mean_ms: f64, "ms", "mean queueing delay, without the packet's own serialisation";
    Number queue_p50_ms = |link| link.queue_percentiles_ms[0], "ms", "median of the queueing delay";
    Number queue_p95_ms = |link| link.queue_percentiles_ms[1], "ms", "its 95th percentile";
    Number queue_p99_ms = |link| link.queue_percentiles_ms[2], "ms", "its 99th percentile";
    Number queue_max_ms: f64, "ms", "max queueing delay";
}
