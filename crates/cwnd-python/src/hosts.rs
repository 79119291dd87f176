// SPDX-License-Identifier: MIT OR Apache-2.0
//! The hosts that a flow's key `host` names, as Python dictionaries.

use cwnd_scenario::{Host, HostSetting};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Every host with the values that it gives the keys of a flow, the keys that it leaves alone, and what no key has.
#[pyfunction]
pub fn hosts(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let all = Host::ALL.iter().map(|host| {
        let item = PyDict::new(py);
        item.set_item("name", host.name())?;
        item.set_item("summary", host.summary())?;
        let settings = host.settings().into_iter().map(|setting| describe(py, setting));
        item.set_item("settings", settings.collect::<PyResult<Vec<_>>>()?)?;
        item.set_item("leaves", host.leaves().to_vec())?;
        item.set_item("lacks", host.lacks().to_vec())?;
        Ok(item)
    });
    all.collect()
}

/// A value as TOML writes it, or what holds without one in words.
fn describe(py: Python<'_>, setting: HostSetting) -> PyResult<Bound<'_, PyDict>> {
    let HostSetting { key, value, words, source } = setting;
    let as_toml = |value| toml::Value::try_from(value).map(|value: toml::Value| value.to_string());
    let written = value.map(as_toml).transpose().map_err(|error| PyValueError::new_err(error.to_string()))?;
    let item = PyDict::new(py);
    item.set_item("key", key)?;
    item.set_item("value", written)?;
    item.set_item("words", words)?;
    item.set_item("source", source)?;
    Ok(item)
}
