// SPDX-License-Identifier: MIT OR Apache-2.0
//! What this kernel and these rights allow.

use cwnd_bpf::{Answer, doctor};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// Question by question: `name`, `answer` (`None`, if it cannot be told), `needed_for`, `detail`, `advice`.
#[pyfunction]
pub fn kernel_doctor(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for check in py.detach(doctor) {
        let item = PyDict::new(py);
        item.set_item("name", check.name)?;
        let answer = match check.answer {
            Answer::Yes => Some(true),
            Answer::No => Some(false),
            Answer::Unknown => None,
        };
        item.set_item("answer", answer)?;
        item.set_item("needed_for", check.needed_for)?;
        item.set_item("detail", check.detail)?;
        item.set_item("advice", check.advice)?;
        list.append(item)?;
    }
    Ok(list)
}
