// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a summary says of links and flows, in one list each: the JSON document and the tables are made of the same columns.

use crate::arrays::{f64s, texts, u64s};
use crate::links::LinkRow;
use arrow_array::ArrayRef;
use cwnd_sim::{FlowCounts, FlowSummary};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A column: how its value is read off a row.
pub enum Column<T> {
    Text(fn(&T) -> &str),
    Number(fn(&T) -> f64),
    Count(fn(&T) -> u64),
}

/// Columns by name, in their order.
pub type Columns<T> = [(&'static str, Column<T>)];

/// Rows as the columns of an Arrow table.
pub fn arrays<T>(columns: &Columns<T>, rows: &[T]) -> Vec<(&'static str, ArrayRef)> {
    let array = |column: &Column<T>| match column {
        Column::Text(read) => texts(rows.iter().map(read)),
        Column::Number(read) => f64s(rows.iter().map(read)),
        Column::Count(read) => u64s(rows.iter().map(read)),
    };
    columns.iter().map(|(name, column)| (*name, array(column))).collect()
}

/// A row as a dictionary.
pub fn document<'py, T>(py: Python<'py>, columns: &Columns<T>, row: &T) -> PyResult<Bound<'py, PyDict>> {
    let item = PyDict::new(py);
    for (name, column) in columns {
        match column {
            Column::Text(read) => item.set_item(name, read(row))?,
            Column::Number(read) => item.set_item(name, read(row))?,
            Column::Count(read) => item.set_item(name, read(row))?,
        }
    }
    Ok(item)
}

/// Of a link. Counts are those of the measured interval; `_run` is the whole run.
pub const LINKS: &Columns<LinkRow> = &[
    ("name", Column::Text(|(link, _)| &link.name)),
    ("capacity_mbps", Column::Number(|(link, _)| link.capacity_mbps)),
    ("utilization", Column::Number(|(link, _)| link.utilization)),
    ("packets", Column::Count(|(_, waits)| waits.packets())),
    ("drops_queue", Column::Count(|(link, _)| link.drops.queue)),
    ("drops_early", Column::Count(|(link, _)| link.drops.early)),
    ("drops_head", Column::Count(|(link, _)| link.drops.head)),
    ("drops_loss", Column::Count(|(link, _)| link.drops.loss)),
    ("drops_queue_run", Column::Count(|(link, _)| link.drops_run.queue)),
    ("drops_early_run", Column::Count(|(link, _)| link.drops_run.early)),
    ("drops_head_run", Column::Count(|(link, _)| link.drops_run.head)),
    ("drops_loss_run", Column::Count(|(link, _)| link.drops_run.loss)),
    ("queue_mean_ms", Column::Number(|(link, _)| link.queue_mean_ms)),
    ("queue_p50_ms", Column::Number(|(_, waits)| waits.percentile_ms(50))),
    ("queue_p95_ms", Column::Number(|(_, waits)| waits.percentile_ms(95))),
    ("queue_p99_ms", Column::Number(|(_, waits)| waits.percentile_ms(99))),
    ("queue_max_ms", Column::Number(|(link, _)| link.queue_max_ms)),
];

/// Of a flow. Counts are those of the measured interval; `_run` is the whole run.
pub const FLOWS: &Columns<FlowSummary> = &[
    ("name", Column::Text(|flow| &flow.name)),
    ("cc", Column::Text(|flow| &flow.cc)),
    ("recovery", Column::Text(|flow| flow.recovery)),
    ("rtt_ms", Column::Number(|flow| flow.rtt_ms)),
    ("start_s", Column::Number(|flow| flow.start_s)),
    ("throughput_mbps", Column::Number(|flow| flow.throughput_mbps)),
    ("goodput_mbps", Column::Number(|flow| flow.goodput_mbps)),
    ("share", Column::Number(|flow| flow.share)),
    ("cwnd_mean", Column::Number(|flow| flow.cwnd_mean)),
    ("packets_sent", Column::Count(|flow| flow.measured.packets_sent)),
    ("retransmits", Column::Count(|flow| flow.measured.retransmits)),
    ("timeouts", Column::Count(|flow| flow.measured.timeouts)),
    ("drops", Column::Count(|flow| drops(&flow.measured))),
    ("drops_queue", Column::Count(|flow| flow.measured.drops.queue)),
    ("drops_early", Column::Count(|flow| flow.measured.drops.early)),
    ("drops_head", Column::Count(|flow| flow.measured.drops.head)),
    ("drops_loss", Column::Count(|flow| flow.measured.drops.loss)),
    ("packets_sent_run", Column::Count(|flow| flow.run.packets_sent)),
    ("retransmits_run", Column::Count(|flow| flow.run.retransmits)),
    ("timeouts_run", Column::Count(|flow| flow.run.timeouts)),
    ("drops_run", Column::Count(|flow| drops(&flow.run))),
    ("drops_queue_run", Column::Count(|flow| flow.run.drops.queue)),
    ("drops_early_run", Column::Count(|flow| flow.run.drops.early)),
    ("drops_head_run", Column::Count(|flow| flow.run.drops.head)),
    ("drops_loss_run", Column::Count(|flow| flow.run.drops.loss)),
];

const fn drops(counts: &FlowCounts) -> u64 {
    counts.drops.total()
}
