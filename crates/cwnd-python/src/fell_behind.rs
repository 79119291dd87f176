// SPDX-License-Identifier: MIT OR Apache-2.0
//! The exception of a live run that has no result.

use pyo3::create_exception;
use pyo3::exceptions::PyRuntimeError;

create_exception!(
    cwnd._native,
    FellBehindError,
    PyRuntimeError,
    "The emulator of a live run did not keep up, so there is no result; the message is one line."
);
