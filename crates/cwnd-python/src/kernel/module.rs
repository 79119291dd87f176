// SPDX-License-Identifier: MIT OR Apache-2.0
//! An algorithm on its way into the kernel, and held there.

use std::path::PathBuf;

use cwnd_bpf::{Held, Module};
use cwnd_scenario::Invalid;
use pyo3::prelude::*;

use super::raise;
use crate::scenario::refuse;

/// A parameter set with settings, not yet in the kernel; or an object's file.
#[pyclass(module = "cwnd._native")]
pub struct KernelModule {
    module: Source,
    name: String,
}

enum Source {
    Set(Box<Module>),
    File(PathBuf),
}

#[pymethods]
impl KernelModule {
    /// The parameter set `set`; raises `ScenarioError`.
    #[new]
    fn new(py: Python<'_>, set: &str) -> PyResult<Self> {
        let module = Module::find(set).map_err(|why| raise(py, &why))?;
        Ok(Self { name: module.kernel_name(), module: Source::Set(Box::new(module)) })
    }

    /// An object that `cwnd build-kernel` made, with the settings that it was built with.
    #[staticmethod]
    fn from_file(file: PathBuf) -> Self {
        let stem = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let stem = stem.split('.').next().unwrap_or_default();
        Self { name: format!("cwnd_{stem}"), module: Source::File(file) }
    }

    /// Sets a parameter, written as in a scenario; raises `ScenarioError`.
    fn set(&mut self, py: Python<'_>, name: &str, value: &str) -> PyResult<()> {
        match &mut self.module {
            Source::Set(module) => {
                module.set(name, value).map_err(|why| raise(py, &why))?;
                self.name = module.kernel_name();
                Ok(())
            }
            Source::File(_) => {
                let expected =
                    "no parameter: an object's file has the settings that it was built with".to_owned();
                Err(refuse(
                    py,
                    &Invalid { field: "--param".to_owned(), value: Some(name.to_owned()), expected },
                ))
            }
        }
    }

    /// Its name in the kernel unless told otherwise.
    #[getter]
    fn kernel_name(&self) -> &str {
        &self.name
    }

    /// Puts it into the kernel as `name`, or shares what is there already with the same code and settings; raises `KernelError`.
    fn hold(&self, py: Python<'_>, name: &str) -> PyResult<KernelHeld> {
        let held = py.detach(|| match &self.module {
            Source::Set(module) => module.hold(name),
            Source::File(file) => cwnd_bpf::load_file(file, name).map(Held::Own),
        });
        held.map(|held| KernelHeld(Some(held))).map_err(|why| raise(py, &why))
    }
}

/// An algorithm in the kernel, there as long as somebody holds it.
#[pyclass(module = "cwnd._native")]
pub struct KernelHeld(pub Option<Held>);

#[pymethods]
impl KernelHeld {
    /// Who loaded it, if another process did.
    #[getter]
    fn shared_with(&self) -> Option<u32> {
        match &self.0 {
            Some(Held::Shared(shared)) => Some(shared.registration().pid),
            _ => None,
        }
    }

    /// Connections on it now; `None` when they cannot be told.
    #[getter]
    fn connections(&self) -> Option<u64> {
        self.0.as_ref().and_then(Held::connections)
    }

    /// Whether new connections can choose it.
    #[getter]
    fn is_registered(&self) -> bool {
        self.0.as_ref().is_some_and(Held::is_registered)
    }

    /// Makes it outlive this process; returns where the pin is, and whether bpffs had to be mounted. Raises `KernelError`.
    fn pin(&mut self, py: Python<'_>) -> PyResult<Option<(PathBuf, bool)>> {
        let Some(held) = &mut self.0 else { return Ok(None) };
        py.detach(|| held.pin()).map(Some).map_err(|why| raise(py, &why))
    }

    /// Lets go of it: unless it is pinned or somebody else holds it, new connections cannot choose it any more.
    fn close(&mut self, py: Python<'_>) {
        let held = self.0.take();
        py.detach(|| drop(held));
    }
}
