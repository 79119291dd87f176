// SPDX-License-Identifier: MIT OR Apache-2.0
//! The schema's tables as Arrow record batches and as documents.

use crate::arrays;
use arrow_array::ffi::to_ffi;
use arrow_array::{Array, StructArray};
use arrow_schema::Field;
use cwnd_record::{Column, Lane, Read, tables};
use cwnd_sim::Tables;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyTuple};
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

/// Rows as the columns that the schema has for this lane. What may be null is so in every piece of a table: all have one schema.
pub fn arrow<R: 'static>(
    lane: Lane,
    columns: impl IntoIterator<Item = &'static Column<R>>,
    rows: &[R],
) -> StructArray {
    let fields: Vec<_> = columns
        .into_iter()
        .filter(|column| column.is_of(lane))
        .map(|column| {
            let array = arrays::of(column.values(rows));
            let nullable = column.info().nullable;
            (Arc::new(Field::new(column.name, array.data_type().clone(), nullable)), array)
        })
        .collect();
    StructArray::from(fields)
}

/// A row as a dictionary, without what only tables have.
pub fn document<'py, R>(py: Python<'py>, columns: &[Column<R>], row: &R) -> PyResult<Bound<'py, PyDict>> {
    let item = PyDict::new(py);
    for Column { name, read, .. } in columns.iter().filter(|column| !column.table_only) {
        match read {
            Read::Text(read) => item.set_item(name, read(row))?,
            Read::Word(read) => item.set_item(name, read(row))?,
            Read::Number(read) => item.set_item(name, read(row))?,
            Read::MaybeNumber(read) => item.set_item(name, read(row))?,
            Read::Count(read) => item.set_item(name, read(row))?,
            Read::Dropped(read, cause) => item.set_item(name, read(row)[*cause])?,
            Read::MaybeCount(read) => item.set_item(name, read(row))?,
            Read::Index(read) => item.set_item(name, read(row))?,
            Read::MaybeIndex(read) => item.set_item(name, read(row))?,
            Read::Indices(read) => item.set_item(name, read(row).to_vec())?,
            Read::Bytes(read) => item.set_item(name, read(row).as_slice())?,
        }
    }
    Ok(item)
}

/// Those of these tables that have rows.
pub fn filled(recorded: &Tables) -> Vec<(&'static str, StructArray)> {
    fn batch<R>(rows: &[R], columns: &'static [Column<R>]) -> Option<StructArray> {
        (!rows.is_empty()).then(|| arrow(Lane::Sim, columns, rows))
    }
    let all = [
        ("cwnd", batch(&recorded.cwnd, tables::CWND)),
        ("queue", batch(&recorded.queue, &tables::QUEUE)),
        ("events", batch(&recorded.events, tables::EVENTS)),
        ("inner", batch(&recorded.inner, tables::INNER)),
        ("transfers", batch(&recorded.transfers, tables::TRANSFERS)),
    ];
    all.into_iter().filter_map(|(name, batch)| Some((name, batch?))).collect()
}

/// Every table of the schema, with its columns, as dictionaries.
#[pyfunction]
pub fn record_schema(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let all = tables::all().into_iter().map(|info| {
        let columns = info.columns.iter().map(|column| {
            let item = PyDict::new(py);
            item.set_item("name", column.name)?;
            item.set_item("type", column.kind)?;
            item.set_item("nullable", column.nullable)?;
            item.set_item("unit", column.unit)?;
            item.set_item("doc", column.doc)?;
            item.set_item("table_only", column.table_only)?;
            item.set_item("lane", column.only.map(Lane::name))?;
            Ok(item)
        });
        let item = PyDict::new(py);
        item.set_item("name", info.name)?;
        item.set_item("row", info.row)?;
        item.set_item("lanes", info.lanes.iter().map(|lane| lane.name()).collect::<Vec<_>>())?;
        item.set_item("summary_only", info.summary_only)?;
        item.set_item("columns", columns.collect::<PyResult<Vec<_>>>()?)?;
        Ok(item)
    });
    all.collect()
}
