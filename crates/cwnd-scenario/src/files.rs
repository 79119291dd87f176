// SPDX-License-Identifier: MIT OR Apache-2.0
//! The files that a scenario names. This crate opens none: the caller hands them in.

use crate::invalid::{Invalid, shown};
use serde_json::json;

/// Gives the text of a file, by its path as the scenario writes it; an error says why there is none.
pub type Files<'a> = &'a dyn Fn(&str) -> Result<String, String>;

/// Has no file.
pub(crate) fn none(_: &str) -> Result<String, String> {
    Err("no files are given".to_owned())
}

/// The text of the file at `path`, which stands in `field`.
pub(crate) fn read(files: Files<'_>, field: &str, path: &str) -> Result<String, Invalid> {
    files(path).map_err(|error| Invalid {
        field: field.to_owned(),
        value: Some(shown(&json!(path))),
        expected: format!("a file that can be read ({error})"),
    })
}
