// SPDX-License-Identifier: MIT OR Apache-2.0
//! A command whose connections use one algorithm.

use std::process::Command;

use cwnd_bpf::{CommandResult, CommandScope, ScopeMethod};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::error::raise;

/// A place for one command.
#[pyclass(module = "cwnd._native")]
pub struct KernelScope(Option<CommandScope>);

#[pymethods]
impl KernelScope {
    /// A place whose connections use the kernel's `algorithm`; raises `ScenarioError` for a name that it does not have,
    /// `KernelError` where there can be no such place.
    #[new]
    fn new(py: Python<'_>, algorithm: &str) -> PyResult<Self> {
        let scope = py.detach(|| CommandScope::new(algorithm)).map_err(|why| raise(py, &why))?;
        Ok(Self(Some(scope)))
    }

    /// Why it is the setting of the network namespace and not a cgroup; `None`, if it is a cgroup.
    #[getter]
    fn because(&self) -> Option<String> {
        match self.0.as_ref()?.means() {
            ScopeMethod::Cgroup(_) => None,
            ScopeMethod::Namespace { because, .. } => Some(because),
        }
    }

    /// Runs a command to its end, and takes the place away. Meanwhile signals are the command's; this thread keeps no more
    /// rights than it needs. Raises `OSError` with the command's name, when it cannot be started.
    fn run(&mut self, py: Python<'_>, command: Vec<String>) -> PyResult<KernelEnded> {
        let scope = self.0.take().ok_or_else(|| PyValueError::new_err("the place is gone"))?;
        let (program, arguments) =
            command.split_first().ok_or_else(|| PyValueError::new_err("no command"))?;
        let mut started = Command::new(program);
        started.args(arguments);
        let ended = py.detach(|| {
            // To put a namespace's setting back takes rights.
            let may_give_up = matches!(scope.means(), ScopeMethod::Cgroup(_));
            let running = scope.start(started)?;
            if may_give_up {
                running.give_up_rights()?;
            }
            running.wait()
        });
        ended.map(KernelEnded).map_err(|why| raise(py, &why))
    }
}

/// How a command ended.
#[pyclass(frozen, module = "cwnd._native")]
pub struct KernelEnded(pub CommandResult);

#[pymethods]
impl KernelEnded {
    /// Its exit code, or 128 and the signal that ended it.
    #[getter]
    fn code(&self) -> i32 {
        self.0.code()
    }

    /// Connections made, accepted, and refused by the kernel; `None` without a cgroup.
    #[getter]
    fn connections(&self) -> Option<(u64, u64, u64)> {
        self.0.uses.map(|uses| (uses.connected, uses.accepted, uses.refused))
    }

    /// Why the kernel refused the last one.
    #[getter]
    fn refusal(&self) -> Option<String> {
        let error = self.0.uses.and_then(|uses| uses.error)?;
        Some(std::io::Error::from_raw_os_error(error).to_string())
    }

    /// Processes that it left running; their connections keep the algorithm.
    #[getter]
    fn left(&self) -> usize {
        self.0.left
    }
}
