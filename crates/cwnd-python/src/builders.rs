// SPDX-License-Identifier: MIT OR Apache-2.0
//! Flows as the command line writes them, and documents of scenarios from keywords: what `cwnd-scenario` makes of them. Tables are passed
//! as JSON.

use crate::scenario::refuse;
use cwnd_scenario::builders::{KEYWORDS, Keyword, KeywordDefault, OptionForm, Place};
use cwnd_scenario::{Builder, Keywords, flow_spec};
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

/// The table of keywords, a dictionary for each row. `table` and `key` are where its value stands in a scenario; `builders` the functions
/// that have it.
#[pyfunction]
pub fn keywords(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    KEYWORDS.iter().map(|keyword| describe(py, keyword)).collect()
}

fn describe<'py>(py: Python<'py>, keyword: &Keyword) -> PyResult<Bound<'py, PyDict>> {
    let (table, key) = match keyword.place {
        Place::Document => ("", keyword.name),
        Place::Link => ("link", keyword.name),
        Place::Limit => ("link.queue", "limit"),
        Place::Record(key) => ("record", key),
        Place::Tables(key) => (key, ""),
        Place::Ecn => ("", ""),
    };
    let form = match keyword.option {
        OptionForm::Text => Some("text"),
        OptionForm::Number => Some("number"),
        OptionForm::Flag => Some("flag"),
        OptionForm::Pair => Some("pair"),
        OptionForm::Names => Some("names"),
        OptionForm::Tables => Some("tables"),
        OptionForm::None => None,
    };
    let builders = Builder::ALL.into_iter().filter(|builder| builder.accepts(keyword));
    let given = |text: &'static str| Some(text).filter(|text| !text.is_empty());
    let item = PyDict::new(py);
    item.set_item("name", keyword.name)?;
    item.set_item("table", table)?;
    item.set_item("key", key)?;
    item.set_item("default", keyword.default.text())?;
    item.set_item("is_written", matches!(keyword.default, KeywordDefault::Written(_)))?;
    item.set_item("form", form)?;
    item.set_item("help", keyword.help)?;
    item.set_item("option_help", keyword.option_help)?;
    item.set_item("metavar", given(keyword.metavar))?;
    item.set_item("group", keyword.group.title())?;
    item.set_item("axis", given(keyword.axis))?;
    item.set_item("in_shell", keyword.in_shell)?;
    item.set_item("python", keyword.python)?;
    item.set_item("python_help", keyword.python_help)?;
    item.set_item("builders", builders.map(Builder::name).collect::<Vec<_>>())?;
    Ok(item)
}

/// The document of the scenario that these keywords mean; `builder` is the function that they are given to. Groups of flows with the
/// numbers `sized` have a size although their tables have none. Raises `ScenarioError`.
#[pyfunction]
pub fn keywords_document(
    py: Python<'_>,
    builder: &str,
    settings: &str,
    sized: Vec<usize>,
) -> PyResult<String> {
    let builder = Builder::ALL.into_iter().find(|each| each.name() == builder);
    let builder = builder.ok_or_else(|| PyValueError::new_err("no such builder"))?;
    let document = Keywords::from_json(builder, settings).and_then(|keywords| keywords.document(&sized));
    document.map(|document| document.to_string()).map_err(|invalid| refuse(py, &invalid))
}

/// The command of these settings, if one suffices; raises `ScenarioError`.
#[pyfunction]
pub fn compare_command(py: Python<'_>, settings: &str) -> PyResult<Option<String>> {
    let keywords = Keywords::from_json(Builder::Compare, settings).map_err(|invalid| refuse(py, &invalid))?;
    Ok(keywords.command())
}
