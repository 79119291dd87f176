// SPDX-License-Identifier: MIT OR Apache-2.0
//! The error of what is refused, with its field, value and expectation.

use cwnd_scenario::Invalid;
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

create_exception!(
    cwnd._native,
    ScenarioError,
    PyValueError,
    "A scenario or an argument was refused: `field`, `value`, `expected`."
);

pub fn refuse(py: Python<'_>, invalid: &Invalid) -> PyErr {
    let error = ScenarioError::new_err(invalid.to_string());
    let value = error.value(py);
    let set = value
        .setattr("field", &invalid.field)
        .and_then(|()| value.setattr("value", &invalid.value))
        .and_then(|()| value.setattr("expected", &invalid.expected));
    set.err().unwrap_or(error)
}
