// SPDX-License-Identifier: MIT OR Apache-2.0
//! The schema: every column of every table, and every field of the summary, once.

use crate::Lane;
use crate::column::{Column, ColumnInfo, Read};
use crate::rows::{CwndRow, EventRow, InnerRow, QueueRow, RateRow, TransferRow, WaitRow};
use crate::summary::{FlowSummary, LinkSummary, TrafficSummary};
use Read::{Count, Index, Indices, MaybeCount, MaybeIndex, MaybeNumber, Number, Text, Word};
use cwnd_link::{CauseWords, DropCause, Drops};
use std::sync::LazyLock;

pub use crate::kernel::{CONNECTIONS, HOOKS, KERNELS_STATE, OUR_STATE};

/// Names of the states of loss recovery, by Linux's numbers.
pub const STATES: [&str; 5] = ["open", "disorder", "cwr", "recovery", "loss"];

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

const fn direction(reverse: bool) -> &'static str {
    if reverse { "reverse" } else { "forward" }
}

/// A column per cause of drops: what `read` counts, under the name and with the meaning that `words` picks.
fn by_cause<R>(
    read: fn(&R) -> &Drops,
    words: fn(&'static CauseWords) -> (&'static str, &'static str),
) -> Vec<Column<R>> {
    let column = |cause: &DropCause| {
        let (name, doc) = words(cause.words());
        Column::new(name, "packets", doc, Read::Dropped(read, *cause))
    };
    DropCause::ALL.iter().map(column).collect()
}

/// The columns of a table in parts.
fn joined<R, const N: usize>(parts: [Vec<Column<R>>; N]) -> Vec<Column<R>> {
    parts.into_iter().flatten().collect()
}

/// A row per sample of a flow.
pub static CWND: &[Column<CwndRow>] = &[
    Column::new("time_s", "s", "time of the sample", Number(|r| seconds(r.time_ns))),
    Column::new("flow", "", "number of the flow", Index(|r| r.flow)),
    Column::new("cwnd", "segments", "congestion window", Index(|r| r.cwnd)),
    Column::new("ssthresh", "segments", "slow start threshold", Index(|r| r.ssthresh)),
    Column::new(
        "srtt_ms",
        "ms",
        "smoothed round trip time; 0 before the first sample",
        Number(|r| f64::from(r.srtt_us8) / 8e3),
    ),
    Column::new("in_flight", "segments", "segments in flight", Index(|r| r.in_flight)),
    Column::only(
        Lane::Sim,
        "forwarded",
        "segments",
        "segments that have left the flow's last link so far, retransmissions included",
        Count(|r| r.forwarded),
    ),
    Column::new(
        "delivered",
        "segments",
        "distinct segments that have reached the receiver so far, as the sender knows of them",
        Count(|r| r.delivered),
    ),
    Column::new(
        "ca_state",
        "",
        "state of loss recovery: open, disorder, cwr, recovery or loss",
        Read::Text(|r| STATES.get(r.ca_state as usize).copied().unwrap_or("")),
    ),
];

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

/// A row per start, stop, switch, drop, state change and timeout of a flow.
pub static EVENTS: &[Column<EventRow>] = &[
    Column::new("time_s", "s", "time of the event", Number(|r| seconds(r.time_ns))),
    Column::new("flow", "", "number of the flow", Index(|r| r.flow)),
    Column::new("kind", "", "what happened", Text(|r| r.kind.name())),
    Column::new("link", "", "drops: number of the link", MaybeIndex(|r| r.link)),
    Column::new(
        "value",
        "",
        "drops: position of the segment; state changes: Linux's number of the new state",
        Count(|r| r.value),
    ),
    Column::new("cwnd", "segments", "congestion window at that time", Index(|r| r.cwnd)),
    Column::new("ssthresh", "segments", "slow start threshold at that time", Index(|r| r.ssthresh)),
];

/// A row per inner variable of a sample, on request (`record.inner`).
pub static INNER: &[Column<InnerRow>] = &[
    Column::new("time_s", "s", "time of the sample", Number(|r| seconds(r.time_ns))),
    Column::new("flow", "", "number of the flow", Index(|r| r.flow)),
    Column::new(
        "name",
        "",
        "name of the variable; the algorithm's page has its unit and scale",
        Word(|r| r.name),
    ),
    Column::new("value", "", "its value, as the algorithm keeps it", Count(|r| r.value)),
];

/// A row per transfer.
pub static TRANSFERS: &[Column<TransferRow>] = &[
    Column::new(
        "group",
        "",
        "number of the group of traffic; null: a flow of the scenario",
        MaybeIndex(|r| r.group),
    ),
    Column::new("number", "", "number of the source within the run, or of the flow", Index(|r| r.number)),
    Column::new("start_s", "s", "start", Number(|r| seconds(r.start_ns))),
    Column::new(
        "end_s",
        "s",
        "when the last byte reached the receiver; null: it did not",
        MaybeNumber(|r| r.end_ns.map(seconds)),
    ),
    Column::new("bytes", "bytes", "payload; null: a transfer without an end", MaybeCount(|r| r.bytes)),
    Column::new(
        "rtt_ms",
        "ms",
        "round trip time without queueing and serialisation",
        Number(|r| r.rtt_ns as f64 / 1e6),
    ),
    Column::new(
        "direction",
        "",
        "forward or reverse, against that of the experiment's flows",
        Text(|r| direction(r.reverse)),
    ),
];

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

/// A row per rate of a link.
pub static RATES: &[Column<RateRow>] = &[
    Column::new("link", "", "number of the link", Index(|r| r.link)),
    Column::new("time_s", "s", "from when on", Number(|r| seconds(r.from_ns))),
    Column::new(
        "rate_mbps",
        "Mbit/s",
        "rate; 0 is an outage; of a trace its mean",
        Number(|r| r.rate as f64 / 1e6),
    ),
];

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
                "mean capacity of the measured interval",
                Number(|l| l.capacity_mbps),
            ),
            Column::new(
                "utilization",
                "1",
                "wire bits that left it over its capacity",
                Number(|l| l.utilization),
            ),
            Column::new("packets", "packets", "packets that left it", Count(|l| l.packets)),
        ],
        by_cause(|l: &LinkSummary| &l.drops, |words| (words.column, words.of_link)),
        by_cause(|l: &LinkSummary| &l.drops_run, |words| (words.column_run, words.of_run)),
        vec![
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

/// A row per flow: the summary.
pub static FLOWS: LazyLock<Vec<Column<FlowSummary>>> = LazyLock::new(|| {
    joined::<FlowSummary, _>([
        vec![
            Column::table_only("flow", "", "number of the flow", Index(|f| f.number)),
            Column::new(
                "name",
                "",
                "name: its group's label, and its number in a group of several",
                Text(|f| &f.name),
            ),
            Column::new("label", "", "label of its group", Text(|f| &f.label)),
            Column::new("cc", "", "algorithm or parameter set", Text(|f| &f.cc)),
            Column::new("recovery", "", "loss recovery", Text(|f| f.recovery)),
            Column::new(
                "rtt_ms",
                "ms",
                "round trip time without queueing and serialisation",
                Number(|f| f.rtt_ms),
            ),
            Column::new("start_s", "s", "start", Number(|f| f.start_s)),
            Column::new(
                "throughput_mbps",
                "Mbit/s",
                "wire bits that left the flow's last link, over the measured interval",
                Number(|f| f.throughput_mbps),
            ),
            Column::new(
                "goodput_mbps",
                "Mbit/s",
                "payload bits that reached the receiver, each once, over the measured interval",
                Number(|f| f.goodput_mbps),
            ),
            Column::new(
                "share",
                "1",
                "throughput over the capacity of its slowest link",
                Number(|f| f.share),
            ),
            Column::new("cwnd_mean", "segments", "time-weighted mean of the window", Number(|f| f.cwnd_mean)),
            Column::new(
                "packets_sent",
                "packets",
                "data packets sent, retransmissions included, by when they were sent",
                Count(|f| f.measured.packets_sent),
            ),
            Column::new(
                "retransmits",
                "packets",
                "retransmissions among them",
                Count(|f| f.measured.retransmits),
            ),
            Column::new(
                "timeouts",
                "",
                "times that the retransmission timer fired",
                Count(|f| f.measured.timeouts),
            ),
            Column::new(
                "drops",
                "packets",
                "its data packets dropped at any link: the sum of the next ones",
                Count(|f| f.measured.drops.total()),
            ),
        ],
        by_cause(|f: &FlowSummary| &f.measured.drops, |words| (words.column, words.of_flow)),
        vec![
            Column::new(
                "packets_sent_run",
                "packets",
                "`packets_sent` of the whole run",
                Count(|f| f.run.packets_sent),
            ),
            Column::new(
                "retransmits_run",
                "packets",
                "`retransmits` of the whole run",
                Count(|f| f.run.retransmits),
            ),
            Column::new("timeouts_run", "", "`timeouts` of the whole run", Count(|f| f.run.timeouts)),
            Column::new("drops_run", "packets", "`drops` of the whole run", Count(|f| f.run.drops.total())),
        ],
        by_cause(|f: &FlowSummary| &f.run.drops, |words| (words.column_run, words.of_run)),
        vec![
            Column::new("path", "", "numbers of the links that its data cross", Indices(|f| &f.path)),
            Column::new(
                "back",
                "",
                "numbers of the links that its acknowledgements cross",
                Indices(|f| &f.reverse_path),
            ),
        ],
    ])
});

/// A row per group of traffic and direction: in the summary only.
pub static TRAFFIC: &[Column<TrafficSummary>] = &[
    Column::new("name", "", "name of the group", Text(|t| &t.name)),
    Column::new("direction", "", "forward or reverse", Text(|t| direction(t.reverse))),
    Column::new(
        "asked",
        "",
        "what the scenario asks for: rate, at most, everything or no mean",
        Text(|t| t.asked),
    ),
    Column::new("asked_mbps", "Mbit/s", "that rate; null: it names none", MaybeNumber(|t| t.asked_mbps)),
    Column::new("offered_mbps", "Mbit/s", "wire bits of what started", Number(|t| t.offered_mbps)),
    Column::new(
        "carried_mbps",
        "Mbit/s",
        "wire bits that left the link, retransmissions included",
        Number(|t| t.carried_mbps),
    ),
    Column::new("transfers", "", "transfers that started", Count(|t| t.measured.transfers)),
    Column::new(
        "finished",
        "",
        "transfers that finished, whenever they started",
        Count(|t| t.measured.finished),
    ),
    Column::new("datagrams", "packets", "datagrams sent", Count(|t| t.measured.datagrams)),
    Column::new("transfers_run", "", "`transfers` of the whole run", Count(|t| t.run.transfers)),
    Column::new("finished_run", "", "`finished` of the whole run", Count(|t| t.run.finished)),
    Column::new("datagrams_run", "packets", "`datagrams` of the whole run", Count(|t| t.run.datagrams)),
];

/// A table without the type of its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableInfo {
    /// Name.
    pub name: &'static str,
    /// What a row is.
    pub row: &'static str,
    /// The lanes that have it. Tables of two lanes may have one name and columns of their own.
    pub lanes: &'static [Lane],
    /// Columns, in their order.
    pub columns: Vec<ColumnInfo>,
    /// Whether only the summary has it, and no file does.
    pub summary_only: bool,
}

/// Every table, in the order of the documentation.
#[must_use]
pub fn all() -> Vec<TableInfo> {
    fn table<R: 'static>(
        name: &'static str,
        row: &'static str,
        lanes: &'static [Lane],
        columns: impl IntoIterator<Item = &'static Column<R>>,
    ) -> TableInfo {
        let columns = columns.into_iter().map(Column::info).collect();
        TableInfo { name, row, lanes, columns, summary_only: false }
    }
    const SIM: &[Lane] = &[Lane::Sim];
    const KERNEL: &[Lane] = &[Lane::Kernel];
    let hooks = HOOKS.iter().chain(OUR_STATE).chain(KERNELS_STATE);
    vec![
        table("flows", "a flow: its summary", SIM, &*FLOWS),
        table("flows", "a connection", KERNEL, CONNECTIONS),
        table("links", "a link: its summary, over everything that crossed it", SIM, &*LINKS),
        table("rates", "a rate of a link", SIM, RATES),
        table("cwnd", "a sample of a flow", &Lane::ALL, CWND),
        table("queue", "a sample of a link", SIM, &*QUEUE),
        table("events", "a start, stop, switch, drop, state change or timeout of a flow", SIM, EVENTS),
        table("inner", "an inner variable in a sample of a flow, with `record.inner`", SIM, INNER),
        table("transfers", "a transfer", SIM, TRANSFERS),
        table("waits", "a class of a link's queueing delays", SIM, WAITS),
        TableInfo {
            summary_only: true,
            ..table("traffic", "a group of traffic in one direction; in the summary only", SIM, TRAFFIC)
        },
        table("hooks", "a call of a hook, of a trace call by call", KERNEL, hooks),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_every_column_says_what_it_means() {
        for table in all() {
            let mut names: Vec<_> = table.columns.iter().map(|column| column.name).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), table.columns.len(), "{}", table.name);
            for column in &table.columns {
                assert!(column.doc.len() > 3 && !column.doc.ends_with('.'), "{}.{}", table.name, column.name);
            }
        }
    }

    // A name's ending is its unit, as everywhere.
    #[test]
    fn a_unit_in_a_name_is_the_columns_unit() {
        for (ending, unit) in [("_s", "s"), ("_ms", "ms"), ("_mbps", "Mbit/s")] {
            for column in all().iter().flat_map(|table| &table.columns) {
                assert_eq!(column.name.ends_with(ending), column.unit == unit, "{}", column.name);
            }
        }
    }
}
