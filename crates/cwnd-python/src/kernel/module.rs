// SPDX-License-Identifier: MIT OR Apache-2.0
//! An algorithm before it is loaded into the kernel, and after.

use std::path::PathBuf;

use cwnd::Controller;
use cwnd_bpf::{LoadedModule, Module, ModuleSource, ObjectFile, OwnedModule, Recorder, registrations};
use pyo3::prelude::*;

use super::error::raise;

/// A parameter set with settings, or an object's file with settings; not yet in the kernel.
#[pyclass(module = "cwnd._native")]
pub struct KernelModule {
    source: ModuleSource,
    /// Whether a process has loaded it already.
    is_loaded: bool,
}

#[pymethods]
impl KernelModule {
    /// The parameter set `set`; raises `ScenarioError`.
    #[new]
    fn new(py: Python<'_>, set: &str) -> PyResult<Self> {
        let module = Module::find(set).map_err(|why| raise(py, &why))?;
        Ok(Self { source: ModuleSource::Set(module), is_loaded: false })
    }

    /// An object that `cwnd build-kernel` made; raises `ScenarioError` for anything else, `KernelError`.
    #[staticmethod]
    fn from_file(py: Python<'_>, file: PathBuf) -> PyResult<Self> {
        let object = ObjectFile::open(&file).map_err(|why| raise(py, &why))?;
        Ok(Self { source: ModuleSource::File(object), is_loaded: false })
    }

    /// What some cwnd has loaded as `name`, with the settings that it has; `None`, if nothing of that name is loaded. Raises
    /// `ScenarioError`, when it cannot be had once more, and `KernelError`.
    #[staticmethod]
    fn of_loaded(py: Python<'_>, name: &str) -> PyResult<Option<Self>> {
        let known = registrations().map_err(|why| raise(py, &why))?;
        let in_use = known.into_iter().find(|known| known.registered && known.name == name);
        let Some(registration) = in_use else { return Ok(None) };
        let source = registration.source().map_err(|why| raise(py, &why))?;
        Ok(Some(Self { source, is_loaded: true }))
    }

    /// Sets a parameter, written as in a scenario; raises `ScenarioError`.
    fn set(&mut self, py: Python<'_>, name: &str, value: &str) -> PyResult<()> {
        let set = match &mut self.source {
            ModuleSource::Set(module) => module.set(name, value),
            ModuleSource::File(object) => object.set(name, value),
        };
        set.map_err(|why| raise(py, &why))
    }

    /// Its name in the kernel unless told otherwise; raises `ScenarioError`, where the file's name gives none.
    #[getter]
    fn kernel_name(&self, py: Python<'_>) -> PyResult<String> {
        match &self.source {
            ModuleSource::Set(module) if self.is_loaded => Ok(module.traced_name()),
            ModuleSource::Set(module) => Ok(module.kernel_name()),
            ModuleSource::File(object) if self.is_loaded => Ok(object.traced_name()),
            ModuleSource::File(object) => object.kernel_name().map_err(|why| raise(py, &why)),
        }
    }

    /// Its parameter set, or the one from which an object's settings come.
    #[getter]
    fn set_name(&self) -> String {
        match &self.source {
            ModuleSource::Set(module) => module.set_name().to_owned(),
            ModuleSource::File(object) => object.set_name().to_owned(),
        }
    }

    /// Name of an object's algorithm; `None` for a parameter set.
    #[getter]
    fn algorithm(&self) -> Option<String> {
        match &self.source {
            ModuleSource::Set(_) => None,
            ModuleSource::File(object) => Some(object.algorithm().to_owned()),
        }
    }

    /// Its parameters: names and values.
    #[getter]
    fn params(&self) -> Vec<(&'static str, String)> {
        match &self.source {
            ModuleSource::Set(module) => module.settings(),
            ModuleSource::File(object) => object.settings(),
        }
    }

    /// Puts it into the kernel as `name`, or shares what is there already with the same code and settings; raises `KernelError`.
    fn load(&self, py: Python<'_>, name: &str) -> PyResult<KernelLoadedModule> {
        let loaded = py.detach(|| self.source.as_load().load_or_share(name));
        loaded.map(|loaded| KernelLoadedModule(Some(loaded))).map_err(|why| raise(py, &why))
    }
}

impl KernelModule {
    /// Puts it into the kernel as `name`, with every call recorded; and the same algorithm on the host, where it is known.
    pub fn record(
        &self,
        name: &str,
        ring_bytes: u32,
    ) -> Result<(OwnedModule, Recorder, Option<Controller>), cwnd_bpf::Error> {
        let host = match &self.source {
            ModuleSource::Set(module) => Some(module.controller()),
            ModuleSource::File(object) => object.host()?,
        };
        let (loaded, recorder) = self.source.as_load().load_recording(name, ring_bytes)?;
        Ok((loaded, recorder, host))
    }
}

/// An algorithm in the kernel. It stays there while a process holds it.
#[pyclass(module = "cwnd._native", name = "KernelLoadedModule")]
pub struct KernelLoadedModule(pub Option<LoadedModule>);

#[pymethods]
impl KernelLoadedModule {
    /// Who loaded it, if another process did.
    #[getter]
    fn shared_with(&self) -> Option<u32> {
        match &self.0 {
            Some(LoadedModule::Shared(shared)) => Some(shared.registration().pid),
            _ => None,
        }
    }

    /// Connections on it now; `None` when they cannot be told.
    #[getter]
    fn connections(&self) -> Option<u64> {
        self.0.as_ref().and_then(LoadedModule::connections)
    }

    /// Whether new connections can choose it.
    #[getter]
    fn is_registered(&self) -> bool {
        self.0.as_ref().is_some_and(LoadedModule::is_registered)
    }

    /// Makes it outlive this process; returns where the pin is, and whether bpffs had to be mounted. Raises `KernelError`.
    fn pin(&mut self, py: Python<'_>) -> PyResult<Option<(PathBuf, bool)>> {
        let Some(loaded) = &mut self.0 else { return Ok(None) };
        py.detach(|| loaded.pin()).map(Some).map_err(|why| raise(py, &why))
    }

    /// Lets go of it: unless it is pinned or somebody else holds it, new connections cannot choose it any more.
    fn close(&mut self, py: Python<'_>) {
        let loaded = self.0.take();
        py.detach(|| drop(loaded));
    }
}
