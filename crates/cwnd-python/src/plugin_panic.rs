// SPDX-License-Identifier: MIT OR Apache-2.0
//! Panics of loaded algorithms, raised as `PluginError` where Python is reached again.

use cwnd_plugin_loader::{Fault, take};
use pyo3::create_exception;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

create_exception!(
    cwnd._native,
    PluginError,
    PyRuntimeError,
    "A plugin algorithm panicked: `algorithm`, `hook`, `message`, `file`, `line`, `flow`, `time_s`."
);

/// Raises this thread's panic, if there was one.
pub fn check(py: Python<'_>) -> PyResult<()> {
    take().map_or(Ok(()), |fault| Err(raised(py, &fault)))
}

/// The exception of a panic.
pub fn raised(py: Python<'_>, fault: &Fault) -> PyErr {
    let error = PluginError::new_err(fault.to_string());
    let value = error.value(py);
    let set = value
        .setattr("algorithm", fault.algorithm)
        .and_then(|()| value.setattr("hook", &fault.hook))
        .and_then(|()| value.setattr("message", &fault.message))
        .and_then(|()| value.setattr("file", &fault.file))
        .and_then(|()| value.setattr("line", fault.line))
        .and_then(|()| value.setattr("flow", &fault.flow))
        .and_then(|()| value.setattr("time_s", fault.time_s()));
    set.err().unwrap_or(error)
}
