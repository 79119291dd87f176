// SPDX-License-Identifier: MIT OR Apache-2.0
//! Algorithms in the running kernel. Everything here is absent from a build without the feature `kernel`.

use std::path::PathBuf;

use cwnd::registry;
use cwnd_bpf::{Error, ErrorKind, Held, Module, Registration};
use cwnd_scenario::{Invalid, nearest};
use pyo3::create_exception;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use crate::scenario::refuse;
use crate::trace::{Connection, KernelTrace};

create_exception!(
    _native,
    KernelError,
    PyOSError,
    "The kernel refused: one line, and in `log` what the kernel and libbpf had to say."
);

/// Adds all of it to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("KernelError", module.py().get_type::<KernelError>())?;
    module.add_class::<KernelModule>()?;
    module.add_class::<KernelHeld>()?;
    module.add_class::<KernelRegistration>()?;
    module.add_class::<KernelTrace>()?;
    module.add_class::<Connection>()?;
    module.add_function(wrap_pyfunction!(kernel_registrations, module)?)?;
    module.add_function(wrap_pyfunction!(kernel_give_up_rights, module)?)?;
    Ok(())
}

/// `error` as Python's: `ScenarioError` for what the caller wrote, `KernelError` for what the machine refused. Fields have
/// the names of the command line.
pub(crate) fn raise(py: Python<'_>, error: &Error) -> PyErr {
    let (field, value, expected) = match error {
        Error::Param(invalid) => return refuse(py, invalid),
        Error::UnknownSet(name) => ("NAME", name, offer(name)),
        Error::Name(name) => ("--as", name, "1 to 15 letters, digits, _, - and .".to_owned()),
        other => return refused(py, other),
    };
    refuse(py, &Invalid { field: field.to_owned(), value: Some(format!("{value:?}")), expected })
}

fn refused(py: Python<'_>, error: &Error) -> PyErr {
    let text = error.to_string();
    let (line, log) = text.split_once('\n').unwrap_or((&text, ""));
    let advice = match error {
        Error::Kernel { why, .. } if why.kind() == ErrorKind::PermissionDenied => {
            "; that needs root, and `cwnd kernel doctor` says what else is missing"
        }
        Error::Kernel { .. } => "; `cwnd kernel doctor` says what this kernel allows",
        _ => "",
    };
    let error = KernelError::new_err(format!("{line}{advice}"));
    let log = if log.is_empty() { String::new() } else { format!("{}\n", log.trim_end()) };
    let set = error.value(py).setattr("log", log);
    set.err().unwrap_or(error)
}

/// The names nearest to one that nothing has.
fn offer(name: &str) -> String {
    let names: Vec<&str> = registry::all().flat_map(|known| known.sets().map(|set| set.name)).collect();
    let near = nearest(name, names.iter().copied());
    let names = if near.is_empty() { names.join(", ") } else { format!("one like {}", near.join(" or ")) };
    format!("the name of an algorithm: {names}")
}

/// A parameter set with settings, not yet in the kernel; or an object's file.
#[pyclass(module = "cwnd._native")]
struct KernelModule {
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
struct KernelHeld(Option<Held>);

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

/// An algorithm that some cwnd of this machine has put into the kernel.
#[pyclass(frozen, module = "cwnd._native")]
struct KernelRegistration(Registration);

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

    /// Whether new connections can choose it; not after it was unloaded.
    #[getter]
    fn registered(&self) -> bool {
        self.0.registered
    }

    /// Takes it out of what new connections can choose, and its pin away; raises `KernelError`.
    fn unload(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.0.unload()).map_err(|why| raise(py, &why))
    }
}

/// Everything that any cwnd of this machine has put into the kernel and that is in use; raises `KernelError`.
#[pyfunction]
fn kernel_registrations(py: Python<'_>) -> PyResult<Vec<KernelRegistration>> {
    let found = py.detach(cwnd_bpf::registrations).map_err(|why| raise(py, &why))?;
    Ok(found.into_iter().map(KernelRegistration).collect())
}

/// Gives up the calling thread's capabilities for good; what is held stays held. Raises `KernelError`.
#[pyfunction]
fn kernel_give_up_rights(py: Python<'_>) -> PyResult<()> {
    cwnd_bpf::give_up_rights().map_err(|why| raise(py, &why))
}
