// SPDX-License-Identifier: MIT OR Apache-2.0
//! Summaries and rows as JSON documents, by the schema.

use crate::Lane;
use crate::column::{Cell, Column};
use crate::run_summary::Summary;
use crate::tables;
use serde_json::{Map, Value, json};

impl Summary {
    /// The document of the summary: what `--json` prints of a run's measured interval.
    #[must_use]
    pub fn document(&self, lane: Lane) -> Value {
        let mut document = self.document_without_flows(lane);
        document["flows"] = self.flow_documents(lane).map(Value::Object).collect();
        document
    }

    /// A document for each flow. Of a hundred thousand flows all of them take a gigabyte.
    pub fn flow_documents(&self, lane: Lane) -> impl ExactSizeIterator<Item = Map<String, Value>> {
        self.flows.iter().map(move |flow| document(lane, &tables::FLOWS, flow))
    }

    /// The document of the summary with an empty list of flows.
    #[must_use]
    pub fn document_without_flows(&self, lane: Lane) -> Value {
        let links = rows(lane, &tables::LINKS, &self.links);
        let mut document = json!({
            "measured_s": [self.measured_s.0, self.measured_s.1],
            "link": links.first(),
            "links": links,
            "jain": self.jain,
            "flows": [],
            "traffic": rows(lane, &tables::TRAFFIC, &self.traffic),
        });
        if !self.failures.is_empty() {
            let failures = self.failures.iter().map(|failure| {
                let flow = self.flows.get(failure.flow as usize).map(|flow| &flow.name);
                let time_s = failure.time_ns as f64 / 1e9;
                json!({ "flow": flow, "time_s": time_s, "has_opened": failure.has_opened, "why": failure.why })
            });
            document["failures"] = failures.collect();
        }
        if !self.receive_limits.is_empty() {
            let limits = self.receive_limits.iter().map(|limit| {
                let flow = self.flows.get(limit.flow as usize);
                json!({
                    "flow": flow.map(|flow| &flow.name),
                    "receive_window": limit.receive_window,
                    "cwnd_mean": flow.map(|flow| flow.cwnd_mean),
                })
            });
            document["receive_limits"] = limits.collect();
        }
        document
    }
}

fn rows<R>(lane: Lane, columns: &[Column<R>], rows: &[R]) -> Vec<Value> {
    rows.iter().map(|row| Value::Object(document(lane, columns, row))).collect()
}

/// A row as a document, without what only tables have, or other lanes.
fn document<R>(lane: Lane, columns: &[Column<R>], row: &R) -> Map<String, Value> {
    let in_document = columns.iter().filter(|column| !column.table_only && column.is_of(lane));
    in_document.map(|column| (column.name.to_owned(), value(column.cell(row)))).collect()
}

fn value(cell: Cell<'_>) -> Value {
    match cell {
        Cell::Text(text) => text.into(),
        Cell::Number(number) => number.into(),
        Cell::Count(count) => count.into(),
        Cell::Indices(numbers) => numbers.into(),
        Cell::Bytes(bytes) => bytes.as_slice().into(),
        Cell::Nothing => Value::Null,
    }
}
