// SPDX-License-Identifier: MIT OR Apache-2.0
//! Errors of the kernel part as exceptions of Python.

use crate::scenario::refuse;
use cwnd::registry;
use cwnd_bpf::{Error, ErrorKind};
use cwnd_scenario::{Invalid, unknown_name};
use pyo3::create_exception;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

create_exception!(
    cwnd._native,
    KernelError,
    PyOSError,
    "The kernel refused: one line; `log` has the messages of the kernel and libbpf."
);

/// `error` as Python's: `ScenarioError` for what the caller wrote, `KernelError` for what the machine refused. Fields have
/// the names of the command line.
pub(super) fn raise(py: Python<'_>, error: &Error) -> PyErr {
    let (field, value, expected) = match error {
        Error::Param(invalid) => return refuse(py, invalid),
        Error::UnknownSet(name) => ("NAME", name, offer(name)),
        Error::NotRegistered(name) => ("NAME", name, "an algorithm that cwnd or the kernel has".to_owned()),
        Error::Command(name, why) => {
            let name = name.clone();
            return match why.raw_os_error() {
                Some(number) => {
                    let text = why.to_string();
                    let text = text.split(" (os error").next().unwrap_or_default();
                    PyOSError::new_err((number, text.to_owned(), name))
                }
                None => PyOSError::new_err(format!("{name}: {why}")),
            };
        }
        Error::Name(name) => ("--as", name, "1 to 15 letters, digits, _ and .".to_owned()),
        Error::KernelsOwn(name) => {
            ("--as", name, "another name: this one belongs to the kernel, or cwnd did not load it".to_owned())
        }
        Error::Foreign(file, why) => {
            let expected = format!("a kernel object built by cwnd build-kernel; {why}");
            return refuse(py, &invalid("NAME", &file.to_string_lossy(), expected));
        }
        Error::FileName(file, name) => {
            let expected = format!(
                "--as NAME with it: its default name would be {name}, and the kernel accepts 1 to 15 letters, digits, _ and ."
            );
            return refuse(py, &invalid("NAME", &file.to_string_lossy(), expected));
        }
        Error::Gone { name, why } => ("NAME", name, format!("an algorithm that can be loaded again; {why}")),
        Error::Host(name, what) => ("--plugin", name, what.clone()),
        other => return refused(py, other),
    };
    refuse(py, &invalid(field, value, expected))
}

fn invalid(field: &str, value: &str, expected: String) -> Invalid {
    Invalid { field: field.to_owned(), value: Some(format!("{value:?}")), expected }
}

fn refused(py: Python<'_>, error: &Error) -> PyErr {
    let text = error.to_string();
    let (line, log) = text.split_once('\n').unwrap_or((&text, ""));
    let advice = match error {
        Error::Kernel { why, .. } if why.kind() == ErrorKind::PermissionDenied => {
            "; that needs root, and `cwnd kernel doctor` says what else is missing"
        }
        Error::Lacks { .. } => " (`cwnd kernel doctor`)",
        Error::Kernel { .. } => "; `cwnd kernel doctor` says what this kernel allows",
        _ => "",
    };
    let error = KernelError::new_err(format!("{line}{advice}"));
    let log = if log.is_empty() { String::new() } else { format!("{}\n", log.trim_end()) };
    let set = error.value(py).setattr("log", log);
    set.err().unwrap_or(error)
}

/// What to say of a name that nothing has.
fn offer(name: &str) -> String {
    let names: Vec<&str> = registry::all().flat_map(|known| known.sets().map(|set| set.name)).collect();
    unknown_name("the name of an algorithm", name, &names)
}
