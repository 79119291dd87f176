// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arguments from Python.

use super::refused::refuse;
use cwnd_scenario::Invalid;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::prelude::*;

/// What Python gives, as what it has to be; what it is not is refused as a scenario's own keys are.
pub(super) fn taken<'py, T: FromPyObjectOwned<'py>>(
    field: &str,
    value: &Bound<'py, PyAny>,
    expected: &str,
) -> PyResult<T> {
    let py = value.py();
    value.extract().map_err(|_| {
        let shown = value.repr().map_or_else(|_| "?".to_owned(), |text| text.to_string());
        let line = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        let short = if line.chars().count() <= 60 {
            line
        } else {
            line.chars().take(57).chain("...".chars()).collect()
        };
        let (field, expected) = (field.to_owned(), expected.to_owned());
        refuse(py, &Invalid { field, value: Some(short), expected })
    })
}
