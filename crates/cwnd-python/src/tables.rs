// SPDX-License-Identifier: MIT OR Apache-2.0
//! The schema's tables as Arrow record batches and as documents.

use crate::json::to_python;
use arrow_array::ffi::to_ffi;
use arrow_array::{Array, StructArray};
use cwnd_arrow::table;
use cwnd_record::{Column, Lane, RateRow, Summary, WaitRow, tables};
use cwnd_sim::Tables;
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyList, PyTuple};
use serde_json::Value;

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

/// A host's name with the next piece of its capture file.
pub type Piece<'py> = (&'static str, Bound<'py, PyBytes>);

/// Pieces of capture files as Python has them.
pub fn pieces<'py>(py: Python<'py>, pieces: Vec<(&'static str, Vec<u8>)>) -> Vec<Piece<'py>> {
    pieces.into_iter().map(|(host, piece)| (host, PyBytes::new(py, &piece))).collect()
}

/// Those of these tables that have rows.
pub fn filled(lane: Lane, recorded: &Tables) -> Vec<(&'static str, Table)> {
    fn batch<R>(lane: Lane, rows: &[R], columns: &'static [Column<R>]) -> Option<Table> {
        (!rows.is_empty()).then(|| Table(table(lane, columns, rows)))
    }
    let all = [
        ("cwnd", batch(lane, &recorded.cwnd, &tables::CWND)),
        ("queue", batch(lane, &recorded.queue, &tables::QUEUE)),
        ("events", batch(lane, &recorded.events, &tables::EVENTS)),
        ("inner", batch(lane, &recorded.inner, &tables::INNER)),
        ("transfers", batch(lane, &recorded.transfers, &tables::TRANSFERS)),
    ];
    all.into_iter().filter_map(|(name, batch)| Some((name, batch?))).collect()
}

/// A run of a scenario, in whatever lane, as its tables are read from it.
pub trait Recorded {
    /// Where it ran.
    const LANE: Lane;
    /// The rows that were not taken out.
    fn recorded(&self) -> &Tables;
    /// The rates of its links.
    fn rates(&self) -> Vec<RateRow>;
    /// Its summary; of a run that is not over, as far as it goes.
    fn summed(&self) -> Summary;
    /// Its links' queueing delays.
    fn waits(&self) -> Vec<WaitRow>;

    /// The summary as a document. It is made flow by flow: of many flows all documents would take more room than all else.
    fn document<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let summary = self.summed();
        let document = to_python(py, &summary.document_without_flows(Self::LANE))?;
        let flows = PyList::empty(py);
        for flow in summary.flow_documents(Self::LANE) {
            flows.append(to_python(py, &Value::Object(flow))?)?;
        }
        document.set_item("flows", flows)?;
        Ok(document)
    }

    /// Rows of a table.
    fn row_count(&self, name: &str) -> PyResult<usize> {
        let recorded = self.recorded();
        Ok(match name {
            "flows" => self.summed().flows.len(),
            "cwnd" => recorded.cwnd.len(),
            "queue" => recorded.queue.len(),
            "events" => recorded.events.len(),
            "inner" => recorded.inner.len(),
            "transfers" => recorded.transfers.len(),
            "links" => self.summed().links.len(),
            "rates" => self.rates().len(),
            "waits" => self.waits().len(),
            _ => return Err(unknown(name)),
        })
    }

    /// Up to `count` rows of a table from row `start` on; `flows`, `links`, `rates` and `waits` are always whole.
    fn part_of(&self, name: &str, start: usize, count: usize) -> PyResult<Table> {
        fn part<T>(rows: &[T], start: usize, count: usize) -> &[T] {
            let rows = rows.get(start..).unwrap_or(&[]);
            rows.get(..count).unwrap_or(rows)
        }
        let (recorded, lane) = (self.recorded(), Self::LANE);
        Ok(Table(match name {
            "flows" => table(lane, &*tables::FLOWS, &self.summed().flows),
            "links" => table(lane, &*tables::LINKS, &self.summed().links),
            "rates" => table(lane, &*tables::RATES, &self.rates()),
            "waits" => table(lane, &*tables::WAITS, &self.waits()),
            "cwnd" => table(lane, &*tables::CWND, part(&recorded.cwnd, start, count)),
            "queue" => table(lane, &*tables::QUEUE, part(&recorded.queue, start, count)),
            "events" => table(lane, &*tables::EVENTS, part(&recorded.events, start, count)),
            "inner" => table(lane, &*tables::INNER, part(&recorded.inner, start, count)),
            "transfers" => table(lane, &*tables::TRANSFERS, part(&recorded.transfers, start, count)),
            _ => return Err(unknown(name)),
        }))
    }
}

fn unknown(name: &str) -> PyErr {
    PyKeyError::new_err(format!(
        "{name}: the tables are flows, links, rates, cwnd, queue, events, inner, transfers and waits"
    ))
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
            let only = column.only.map(|lanes| lanes.iter().map(|lane| lane.name()).collect::<Vec<_>>());
            item.set_item("only", only)?;
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
