// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the loaders of this machine have put into the kernel.

use std::path::PathBuf;

use cwnd_bpf::{LoadedModule, Registration};
use pyo3::prelude::*;

use super::error::raise;
use super::module::KernelLoadedModule;

/// An algorithm that some cwnd of this machine has put into the kernel.
#[pyclass(frozen, module = "cwnd._native")]
pub struct KernelRegistration(Registration);

#[pymethods]
impl KernelRegistration {
    /// Name in the kernel.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// Parameter set.
    #[getter]
    fn set(&self) -> &str {
        &self.0.set
    }

    /// Process that loaded it.
    #[getter]
    fn pid(&self) -> u32 {
        self.0.pid
    }

    /// Where it is pinned, if it is.
    #[getter]
    fn pinned(&self) -> Option<&PathBuf> {
        self.0.pinned.as_ref()
    }

    /// Connections on it now, in all namespaces; `None` when they cannot be told.
    #[getter]
    fn connections(&self) -> Option<u64> {
        self.0.connections
    }

    /// Windows and thresholds that the algorithm had not given, and that were set right (docs/adr/0007); `None` where that
    /// cannot be told.
    #[getter]
    fn repaired(&self) -> Option<u64> {
        self.0.repaired
    }

    /// Connections that began without room for what is remembered of them (net.core.optmem_max): nothing is set right there; `None`
    /// where that cannot be told.
    #[getter]
    fn unguarded(&self) -> Option<u64> {
        self.0.unguarded
    }

    /// Whether new connections can choose it; not after it was unloaded.
    #[getter]
    fn registered(&self) -> bool {
        self.0.registered
    }

    /// Holds it: it stays though its loader may go. Raises `KernelError`.
    fn share(&self, py: Python<'_>) -> PyResult<KernelLoadedModule> {
        let shared = self.0.share().map_err(|why| raise(py, &why))?;
        Ok(KernelLoadedModule(Some(LoadedModule::Shared(shared))))
    }

    /// Takes it out of what new connections can choose, and its pin away; raises `KernelError`.
    fn unload(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.0.unload()).map_err(|why| raise(py, &why))
    }
}

/// Everything that any cwnd of this machine has put into the kernel and that is in use; raises `KernelError`.
#[pyfunction]
pub fn kernel_registrations(py: Python<'_>) -> PyResult<Vec<KernelRegistration>> {
    let registrations = py.detach(cwnd_bpf::registrations).map_err(|why| raise(py, &why))?;
    Ok(registrations.into_iter().map(KernelRegistration).collect())
}
