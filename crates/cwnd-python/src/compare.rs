// SPDX-License-Identifier: MIT OR Apache-2.0
//! Flows as the command line writes them, and the settings of `cwnd compare`: what `cwnd-scenario` makes of them. Tables are passed as
//! JSON.

use crate::scenario::refuse;
use cwnd_scenario::compare::{KEYWORDS, KeywordDefault, Place, Timing, timing};
use cwnd_scenario::{Compare, flow_spec};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;

/// One flow as the table of a `[[flow]]`; raises `ScenarioError`, which calls it `field`.
#[pyfunction]
pub fn parse_flow(py: Python<'_>, text: &str, field: &str) -> PyResult<String> {
    let table = flow_spec::parse(text, field).map_err(|invalid| refuse(py, &invalid))?;
    Ok(Value::Object(table).to_string())
}

/// The value of a flow's key.
#[pyfunction]
pub fn flow_value(text: &str) -> String {
    flow_spec::value(text).to_string()
}

/// The keywords of one bottleneck: the table of the scenario that each is a key of, the key, and its default as the command line has it.
#[pyfunction]
pub fn compare_keywords(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let all = KEYWORDS.iter().map(|keyword| {
        let (table, key) = match keyword.place {
            Place::Document => ("", keyword.name),
            Place::Link => ("link", keyword.name),
            Place::Limit => ("link.queue", "limit"),
            Place::Record(key) => ("record", key),
            Place::Tables(key) => (key, ""),
            Place::Ecn => ("", ""),
        };
        let item = PyDict::new(py);
        item.set_item("name", keyword.name)?;
        item.set_item("table", table)?;
        item.set_item("key", key)?;
        item.set_item("default", keyword.default.text())?;
        item.set_item("is_written", matches!(keyword.default, KeywordDefault::Written(_)))?;
        Ok(item)
    });
    all.collect()
}

/// For a duration, and whether all flows have a size: between which times flows begin that name no start, and from which on it is measured.
/// Raises `ScenarioError`.
#[pyfunction]
pub fn compare_timing(py: Python<'_>, duration: &str, all_sized: bool) -> PyResult<([String; 2], String)> {
    let duration =
        serde_json::from_str(duration).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let timing = timing(&duration, all_sized).map_err(|invalid| refuse(py, &invalid))?;
    let Timing { starts, measured_from } = timing;
    Ok((starts, measured_from))
}

/// The document of the scenario that these settings mean; raises `ScenarioError`.
#[pyfunction]
pub fn compare_document(py: Python<'_>, settings: &str) -> PyResult<String> {
    let document = Compare::from_json(settings).and_then(|compare| compare.document());
    document.map(|document| document.to_string()).map_err(|invalid| refuse(py, &invalid))
}

/// The command of these settings, if one suffices; raises `ScenarioError`.
#[pyfunction]
pub fn compare_command(py: Python<'_>, settings: &str) -> PyResult<Option<String>> {
    let compare = Compare::from_json(settings).map_err(|invalid| refuse(py, &invalid))?;
    Ok(compare.command())
}
