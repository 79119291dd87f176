// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tables as Arrow record batches, handed over by the Arrow C data interface.

use crate::arrays::{f64s, texts, u32s, u64s};
use crate::columns;
use crate::links::LinkRow;
use crate::links::{RateRow, Waits};
use arrow_array::builder::{ListBuilder, UInt32Builder};
use arrow_array::ffi::to_ffi;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, DictionaryArray, Float64Array, StructArray, UInt32Array, UInt64Array};
use arrow_schema::{DataType, Field};
use cwnd_scenario::{Flow, LinkSpec};
use cwnd_sim::{CwndRow, EventRow, InnerRow, QueueRow, Summary, Tables, TransferRow};
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
        ("drops_queue", u64s(rows.iter().map(|r| r.drops.queue))),
        ("drops_early", u64s(rows.iter().map(|r| r.drops.early))),
        ("drops_head", u64s(rows.iter().map(|r| r.drops.head))),
        ("drops_loss", u64s(rows.iter().map(|r| r.drops.loss))),
    ])
}

pub fn events(rows: &[EventRow]) -> StructArray {
    let columns = vec![
        ("time_s", f64s(rows.iter().map(|r| seconds(r.time_ns)))),
        ("flow", u32s(rows.iter().map(|r| r.flow))),
        ("kind", texts(rows.iter().map(|r| r.kind.name()))),
        ("link", optional_u32s(rows.iter().map(|r| r.link))),
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

/// Those of these tables that have rows.
pub fn filled(tables: &Tables) -> Vec<(&'static str, StructArray)> {
    fn batch<T>(rows: &[T], make: fn(&[T]) -> StructArray) -> Option<StructArray> {
        (!rows.is_empty()).then(|| make(rows))
    }
    let all = [
        ("cwnd", batch(&tables.cwnd, cwnd)),
        ("queue", batch(&tables.queue, queue)),
        ("events", batch(&tables.events, events)),
        ("inner", batch(&tables.inner, inner)),
        ("transfers", batch(&tables.transfers, transfers)),
    ];
    all.into_iter().filter_map(|(name, batch)| Some((name, batch?))).collect()
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

pub fn links(links: &[LinkSpec], rows: &[LinkRow]) -> StructArray {
    let mut columns = columns::arrays(columns::LINKS, rows);
    columns.insert(0, ("link", u32s(0..rows.len() as u32)));
    let ends = [
        ("from", texts(links.iter().map(|l| l.from.as_str()))),
        ("to", texts(links.iter().map(|l| l.to.as_str()))),
    ];
    columns.splice(2..2, ends); // behind the number and the name
    table(columns)
}

pub fn flows(routed: &[Flow], summary: &Summary) -> StructArray {
    let mut columns = columns::arrays(columns::FLOWS, &summary.flows);
    columns.insert(0, ("flow", u32s(0..summary.flows.len() as u32)));
    columns.insert(2, ("label", texts(routed.iter().map(|f| &*f.label))));
    columns.push(("path", routes(routed.iter().map(|f| &*f.path))));
    columns.push(("back", routes(routed.iter().map(|f| &*f.back))));
    table(columns)
}
