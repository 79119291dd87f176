// SPDX-License-Identifier: MIT OR Apache-2.0
//! Algorithms in the running kernel. Everything here is absent from a build without the feature `kernel`.

mod doctor;
mod error;
mod module;
mod registrations;
mod scope;
mod switching;
mod trace;

use error::{KernelError, raise};
use pyo3::prelude::*;

/// Adds all of it to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("KernelError", module.py().get_type::<KernelError>())?;
    module.add_class::<module::KernelModule>()?;
    module.add_class::<module::KernelLoadedModule>()?;
    module.add_class::<registrations::KernelRegistration>()?;
    module.add_class::<scope::KernelScope>()?;
    module.add_class::<scope::KernelEnded>()?;
    module.add_class::<trace::KernelTrace>()?;
    module.add_class::<trace::TracedConnection>()?;
    module.add_function(wrap_pyfunction!(registrations::kernel_registrations, module)?)?;
    module.add_function(wrap_pyfunction!(switching::kernel_switch, module)?)?;
    module.add_function(wrap_pyfunction!(doctor::kernel_doctor, module)?)?;
    module.add_function(wrap_pyfunction!(kernel_give_up_rights, module)?)?;
    Ok(())
}

/// Gives up the calling thread's capabilities for good; what is held stays held. Raises `KernelError`.
#[pyfunction]
fn kernel_give_up_rights(py: Python<'_>) -> PyResult<()> {
    cwnd_bpf::give_up_rights().map_err(|why| raise(py, &why))
}
