// SPDX-License-Identifier: MIT OR Apache-2.0
//! The schema: every column of every table, and every field of the summary, once: in the table's file, with the row that it reads.

mod cwnd;
mod events;
mod flows;
mod inner;
mod kernel_trace;
mod links;
mod queue;
mod rates;
mod shared;
mod traffic;
mod transfers;
mod waits;

use crate::Lane;
use crate::column::{Column, ColumnInfo};

pub use cwnd::{CWND, CwndRow};
pub use events::{EVENTS, EventRow};
pub use flows::{FLOWS, FlowSummary};
pub use inner::{INNER, InnerRow};
pub use kernel_trace::{
    CONNECTIONS, ConnectionRow, HOOKS, HookRow, KERNELS_STATE, OUR_STATE, PACKETS, PacketRow, RATE_SAMPLE,
    RateSample,
};
pub use links::{LINKS, LinkSummary};
pub use queue::{QUEUE, QueueRow};
pub use rates::{RATES, RateRow};
pub use shared::STATES;
pub use traffic::{TRAFFIC, TrafficSummary, TransferCounts};
pub use transfers::{TRANSFERS, TransferRow};
pub use waits::{WAITS, WaitRow};

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
    const SCENARIOS: &[Lane] = Lane::OF_SCENARIOS;
    const KERNEL: &[Lane] = &[Lane::Kernel];
    let hooks = HOOKS.iter().chain(RATE_SAMPLE).chain(OUR_STATE).chain(KERNELS_STATE);
    vec![
        table("flows", "a flow: its summary", SCENARIOS, &*FLOWS),
        table("flows", "a connection", KERNEL, &*CONNECTIONS),
        table("links", "a link: its summary, over everything that crossed it", SCENARIOS, &*LINKS),
        table("rates", "a rate of a link", SCENARIOS, &*RATES),
        table("cwnd", "a sample of a flow", &Lane::ALL, &*CWND),
        table("queue", "a sample of a link", SCENARIOS, &*QUEUE),
        table(
            "events",
            "a start, stop, switch, drop, state change or timeout of a flow",
            SCENARIOS,
            &*EVENTS,
        ),
        table("inner", "an inner variable in a sample of a flow, with `record.inner`", SCENARIOS, &*INNER),
        table("transfers", "a transfer", SCENARIOS, &*TRANSFERS),
        table("waits", "a bin of a link's queueing delays", SCENARIOS, &*WAITS),
        TableInfo {
            summary_only: true,
            ..table("traffic", "a group of traffic in one direction; in the summary only", SIM, &*TRAFFIC)
        },
        table("hooks", "a call of a hook, in a trace of each call", KERNEL, hooks),
        table(
            "packets",
            "an acknowledgement, a transmission or an expired timer, in a trace with `--transport`",
            KERNEL,
            &*PACKETS,
        ),
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
