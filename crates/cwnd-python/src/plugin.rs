// SPDX-License-Identifier: MIT OR Apache-2.0
//! Algorithms from outside our tree: a library by `cwnd_plugin::PluginTable` is loaded and joins the registry.

use std::path::PathBuf;

use crate::{plugin_panic, scenario};
use cwnd::registry;
use cwnd_bpf_build::{BuildError, KernelPlugin, build_object};
use cwnd_plugin_loader::{LoadError, load};
use cwnd_scenario::Invalid;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

/// Loads a library that holds an algorithm and adds it to the registry; returns its name. Raises `ScenarioError`, with
/// `file` as the value, and `PluginError` where the algorithm panics while it is asked for its settings.
///
/// The library stays loaded for the life of the process.
#[pyfunction]
pub fn load_plugin(py: Python<'_>, file: &str) -> PyResult<String> {
    load(file).map(str::to_owned).map_err(|error| match error {
        LoadError::Refused(expected) => {
            let value = Some(format!("{file:?}"));
            scenario::refuse(py, &Invalid { field: "plugin".to_owned(), value, expected })
        }
        LoadError::Panicked(fault) => plugin_panic::raised(py, &fault),
    })
}

/// Builds the kernel object of a loaded algorithm, in `scratch`: of the parameter set `set` with `params`, which have been
/// validated, from the crate in `hooks`, whose exports bear the algorithm's name. Returns the object's file.
///
/// Raises `OSError` when this machine lacks a compiler, `ValueError` when the algorithm cannot become an object.
#[pyfunction]
pub fn build_kernel_object(
    py: Python<'_>,
    set: &str,
    params: Vec<(String, String)>,
    crate_dir: PathBuf,
    hooks: PathBuf,
    scratch: PathBuf,
) -> PyResult<PathBuf> {
    let unknown = || PyValueError::new_err(format!("{set}: no such algorithm"));
    let (algorithm, described) = registry::find(set).ok_or_else(unknown)?;
    let mut controller = described.controller().ok_or_else(unknown)?;
    for (name, value) in &params {
        controller
            .set_param(name, value)
            .map_err(|why| PyValueError::new_err(format!("{name} {value}: {why}")))?;
    }
    let plugin =
        KernelPlugin { algorithm, set, controller: &controller, hooks: &hooks, crate_dir: &crate_dir };
    py.detach(|| build_object(&plugin, &scratch)).map_err(|failure| match failure {
        BuildError::Toolchain(why) => PyOSError::new_err(why),
        other => PyValueError::new_err(other.to_string()),
    })
}
