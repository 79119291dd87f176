// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tables as Arrow record batches, handed over by the Arrow C data interface.

use crate::links::{RateRow, Waits};
use arrow_array::builder::{ListBuilder, UInt32Builder};
use arrow_array::ffi::to_ffi;
use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Float64Array, StringArray, StructArray, UInt32Array, UInt64Array,
};
use arrow_schema::{DataType, Field};
use cwnd_scenario::{Flow, Link};
use cwnd_sim::{CwndRow, Event, InnerRow, NO_LINK, QueueRow, Summary, TransferRow};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use std::sync::Arc;

/// A table that Arrow's libraries can take over (`pyarrow.record_batch(table)`).
#[pyclass(frozen, module = "cwnd._native")]
pub struct Table(pub StructArray);

#[pymethods]
impl Table {
    /// The Arrow PyCapsule interface.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        drop(requested_schema); // a request, which a producer may ignore
        let (array, schema) = to_ffi(&self.0.to_data()).map_err(|e| PyValueError::new_err(e.to_string()))?;
        let schema = PyCapsule::new_with_value(py, schema, c"arrow_schema")?;
        let array = PyCapsule::new_with_value(py, array, c"arrow_array")?;
        PyTuple::new(py, [schema, array])
    }
}

pub(crate) fn table(columns: Vec<(&str, ArrayRef)>) -> StructArray {
    table_with_nulls(columns, &[])
}

/// A table of which some columns may have nulls, here or in another piece: every piece has the same schema.
fn table_with_nulls(columns: Vec<(&str, ArrayRef)>, nullable: &[&str]) -> StructArray {
    let columns: Vec<_> = columns
        .into_iter()
        .map(|(name, array)| {
            let nulls = nullable.contains(&name) || array.is_nullable();
            (Arc::new(Field::new(name, array.data_type().clone(), nulls)), array)
        })
        .collect();
    StructArray::from(columns)
}

pub(crate) fn f64s(values: impl Iterator<Item = f64>) -> ArrayRef {
    Arc::new(Float64Array::from_iter_values(values))
}

pub(crate) fn u32s(values: impl Iterator<Item = u32>) -> ArrayRef {
    Arc::new(UInt32Array::from_iter_values(values))
}

fn optional_u32s(values: impl Iterator<Item = Option<u32>>) -> ArrayRef {
    Arc::new(UInt32Array::from_iter(values))
}

/// Lists of links. Their items are called what Parquet calls them, so that they are the same when read back.
fn routes<'a>(values: impl Iterator<Item = &'a [u32]>) -> ArrayRef {
    let mut builder =
        ListBuilder::new(UInt32Builder::new()).with_field(Field::new("element", DataType::UInt32, false));
    for links in values {
        builder.values().append_slice(links);
        builder.append(true);
    }
    Arc::new(builder.finish())
}

pub(crate) fn u64s(values: impl Iterator<Item = u64>) -> ArrayRef {
    Arc::new(UInt64Array::from_iter_values(values))
}

pub(crate) fn texts<'a>(values: impl Iterator<Item = &'a str>) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(values))
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

pub(crate) const STATES: [&str; 5] = ["open", "disorder", "cwr", "recovery", "loss"];

pub fn cwnd(rows: &[CwndRow]) -> StructArray {
    table(vec![
        ("time_s", f64s(rows.iter().map(|r| seconds(r.time_ns)))),
        ("flow", u32s(rows.iter().map(|r| r.flow))),
        ("cwnd", u32s(rows.iter().map(|r| r.cwnd))),
        ("ssthresh", u32s(rows.iter().map(|r| r.ssthresh))),
        ("srtt_ms", f64s(rows.iter().map(|r| f64::from(r.srtt_us) / 1e3))),
        ("in_flight", u32s(rows.iter().map(|r| r.in_flight))),
        ("forwarded", u64s(rows.iter().map(|r| r.forwarded))),
        ("delivered", u64s(rows.iter().map(|r| r.delivered))),
        ("ca_state", texts(rows.iter().map(|r| STATES.get(usize::from(r.ca_state)).copied().unwrap_or("")))),
    ])
}

pub fn queue(rows: &[QueueRow]) -> StructArray {
    table(vec![
        ("time_s", f64s(rows.iter().map(|r| seconds(r.time_ns)))),
        ("link", u32s(rows.iter().map(|r| r.link))),
        ("packets", u64s(rows.iter().map(|r| r.packets))),
        ("bytes", u64s(rows.iter().map(|r| r.bytes))),
        ("drops_queue", u64s(rows.iter().map(|r| r.drops_queue))),
        ("drops_loss", u64s(rows.iter().map(|r| r.drops_loss))),
    ])
}

pub fn events(rows: &[Event]) -> StructArray {
    let columns = vec![
        ("time_s", f64s(rows.iter().map(|r| seconds(r.time_ns)))),
        ("flow", u32s(rows.iter().map(|r| r.flow))),
        ("kind", texts(rows.iter().map(|r| r.kind.name()))),
        ("link", optional_u32s(rows.iter().map(|r| (r.link != NO_LINK).then_some(r.link)))),
        ("value", u64s(rows.iter().map(|r| r.value))),
        ("cwnd", u32s(rows.iter().map(|r| r.cwnd))),
        ("ssthresh", u32s(rows.iter().map(|r| r.ssthresh))),
    ];
    table_with_nulls(columns, &["link"])
}

pub fn inner(rows: &[InnerRow]) -> StructArray {
    let names: DictionaryArray<Int32Type> = rows.iter().map(|r| r.name).collect();
    table(vec![
        ("time_s", f64s(rows.iter().map(|r| seconds(r.time_ns)))),
        ("flow", u32s(rows.iter().map(|r| r.flow))),
        ("name", Arc::new(names)),
        ("value", u64s(rows.iter().map(|r| r.value))),
    ])
}

pub fn transfers(rows: &[TransferRow]) -> StructArray {
    let columns = vec![
        ("group", optional_u32s(rows.iter().map(|r| r.group))),
        ("number", u32s(rows.iter().map(|r| r.number))),
        ("start_s", f64s(rows.iter().map(|r| seconds(r.start_ns)))),
        ("end_s", Arc::new(Float64Array::from_iter(rows.iter().map(|r| r.end_ns.map(seconds))))),
        ("bytes", Arc::new(UInt64Array::from_iter(rows.iter().map(|r| r.bytes)))),
        ("rtt_ms", f64s(rows.iter().map(|r| r.rtt_ns as f64 / 1e6))),
        ("direction", texts(rows.iter().map(|r| if r.reverse { "reverse" } else { "forward" }))),
    ];
    table_with_nulls(columns, &["group", "end_s", "bytes"])
}

/// What the packets that left each link had waited.
pub fn waits(links: &[Waits]) -> StructArray {
    let rows = || (0..).zip(links).flat_map(|(link, waits)| waits.rows().iter().map(move |row| (link, row)));
    table(vec![
        ("link", u32s(rows().map(|(link, _)| link))),
        ("wait_ms", f64s(rows().map(|(_, row)| row.0 as f64 / 1e6))),
        ("packets", u64s(rows().map(|(_, row)| row.1))),
    ])
}

/// How fast each link sends from a time on.
pub fn rates(rows: &[RateRow]) -> StructArray {
    table(vec![
        ("link", u32s(rows.iter().map(|r| r.link))),
        ("time_s", f64s(rows.iter().map(|r| seconds(r.from_ns)))),
        ("rate_mbps", f64s(rows.iter().map(|r| r.rate as f64 / 1e6))),
    ])
}

pub fn links(links: &[Link], summary: &Summary, waits: &[Waits]) -> StructArray {
    let percentile = |part| f64s(waits.iter().map(move |w| w.percentile_ms(part)));
    let rows = &summary.links;
    table(vec![
        ("link", u32s(0..rows.len() as u32)),
        ("name", texts(rows.iter().map(|l| l.name.as_str()))),
        ("from", texts(links.iter().map(|l| l.from.as_str()))),
        ("to", texts(links.iter().map(|l| l.to.as_str()))),
        ("capacity_mbps", f64s(rows.iter().map(|l| l.capacity_mbps))),
        ("utilization", f64s(rows.iter().map(|l| l.utilization))),
        ("packets", u64s(waits.iter().map(Waits::packets))),
        ("drops_queue", u64s(rows.iter().map(|l| l.drops_queue))),
        ("drops_loss", u64s(rows.iter().map(|l| l.drops_loss))),
        ("queue_mean_ms", f64s(rows.iter().map(|l| l.queue_mean_ms))),
        ("queue_p50_ms", percentile(50)),
        ("queue_p95_ms", percentile(95)),
        ("queue_p99_ms", percentile(99)),
        ("queue_max_ms", f64s(rows.iter().map(|l| l.queue_max_ms))),
    ])
}

pub fn flows(routed: &[Flow], summary: &Summary) -> StructArray {
    let flows = &summary.flows;
    table(vec![
        ("flow", u32s(0..flows.len() as u32)),
        ("name", texts(flows.iter().map(|f| f.name.as_str()))),
        ("label", texts(routed.iter().map(|f| &*f.label))),
        ("cc", texts(flows.iter().map(|f| f.cc.as_str()))),
        ("recovery", texts(flows.iter().map(|f| f.recovery))),
        ("rtt_ms", f64s(flows.iter().map(|f| f.rtt_ms))),
        ("start_s", f64s(flows.iter().map(|f| f.start_s))),
        ("throughput_mbps", f64s(flows.iter().map(|f| f.throughput_mbps))),
        ("goodput_mbps", f64s(flows.iter().map(|f| f.goodput_mbps))),
        ("share", f64s(flows.iter().map(|f| f.share))),
        ("cwnd_mean", f64s(flows.iter().map(|f| f.cwnd_mean))),
        ("packets_sent", u64s(flows.iter().map(|f| f.packets_sent))),
        ("retransmits", u64s(flows.iter().map(|f| f.retransmits))),
        ("timeouts", u64s(flows.iter().map(|f| f.timeouts))),
        ("drops", u64s(flows.iter().map(|f| f.drops))),
        ("path", routes(routed.iter().map(|f| &*f.path))),
        ("back", routes(routed.iter().map(|f| &*f.back))),
    ])
}
