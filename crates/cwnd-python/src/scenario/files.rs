// SPDX-License-Identifier: MIT OR Apache-2.0
//! The files that a scenario names: read from a folder, or handed in by Python.

use super::argument::taken;
use super::refused::refuse;
use cwnd_scenario::{Invalid, nearest, unknown_name};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMapping, PyTuple, PyType};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const FILES: &str = "a folder, or the contents of files (text or bytes) by their paths in the scenario";

/// A file that a scenario names, as it was when the scenario was read.
#[pyclass(frozen, eq, module = "cwnd._native")]
#[derive(Clone, PartialEq, Eq)]
pub struct InputFile {
    /// Its path as the scenario writes it.
    #[pyo3(get)]
    pub path: String,
    pub text: Arc<[u8]>,
}

#[pymethods]
impl InputFile {
    #[new]
    fn new(path: String, contents: Vec<u8>) -> Self {
        Self { path, text: contents.into() }
    }

    /// Pickles and copies are made of the type and its arguments.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyType>, Bound<'py, PyTuple>)> {
        let (py, part) = (slf.py(), slf.get());
        Ok((slf.get_type(), (&part.path, part.contents(py)).into_pyobject(py)?))
    }

    #[getter]
    fn contents<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.text)
    }

    /// Size, bytes.
    #[getter]
    fn size(&self) -> usize {
        self.text.len()
    }

    /// Digest of the contents, hexadecimal.
    #[getter]
    fn sha256(&self, py: Python<'_>) -> PyResult<String> {
        let digest = py.import("hashlib")?.call_method1("sha256", (self.contents(py),))?;
        digest.call_method0("hexdigest")?.extract()
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        (&self.path, self.contents(py)).into_pyobject(py)?.hash()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("InputFile({:?}, {} bytes, sha256 {})", self.path, self.size(), self.sha256(py)?))
    }
}

/// Where the files of a document come from.
enum Source {
    /// A folder that their paths are relative to; the empty path is the working directory.
    Folder(PathBuf),
    /// The caller.
    Given,
}

/// The files for a document.
pub struct FileSource {
    source: Source,
    /// Those that were given, or read so far.
    files: RefCell<Vec<InputFile>>,
    /// The paths that the document names.
    named: RefCell<Vec<String>>,
}

impl FileSource {
    const fn new(source: Source, files: Vec<InputFile>) -> Self {
        Self { source, files: RefCell::new(files), named: RefCell::new(Vec::new()) }
    }

    /// Files of a folder.
    pub fn folder(folder: &Path) -> Self {
        Self::new(Source::Folder(folder.to_owned()), Vec::new())
    }

    /// What Python gives: a folder, contents by path, or nothing, which is the working directory.
    pub fn of(files: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(files) = files else { return Ok(Self::folder(Path::new(""))) };
        let Ok(mapping) = files.cast::<PyMapping>() else {
            return Ok(Self::folder(&taken::<PathBuf>("files", files, FILES)?));
        };
        let items = mapping.items()?;
        let given: PyResult<Vec<_>> = items.iter().map(|item| given(&item)).collect();
        Ok(Self::new(Source::Given, given?))
    }

    /// The text of a file, by its path as the scenario writes it.
    pub fn text(&self, path: &str) -> Result<String, String> {
        self.named.borrow_mut().push(path.to_owned());
        let known = self.files.borrow().iter().find(|file| file.path == path).map(|file| file.text.clone());
        let contents = match (known, &self.source) {
            (Some(contents), _) => contents,
            (None, Source::Given) => return Err(self.none_such(path)),
            (None, Source::Folder(folder)) => {
                let full = folder.join(path);
                let read = read_bytes(&full).map_err(|error| match full == Path::new(path) {
                    true => error,
                    false => format!("{}: {error}", full.display()),
                })?;
                let text: Arc<[u8]> = read.into();
                self.files.borrow_mut().push(InputFile { path: path.to_owned(), text: text.clone() });
                text
            }
        };
        Python::attach(|py| {
            let text = input_files(py)?.call_method1("file_text", (PyBytes::new(py, &contents),))?;
            text.extract()
        })
        .map_err(reason)
    }

    /// Why no file that was given has this path.
    fn none_such(&self, path: &str) -> String {
        let files = self.files.borrow();
        match nearest(path, files.iter().map(|file| file.path.as_str())).as_slice() {
            [] => "no file with this path was given with the scenario".to_owned(),
            near => {
                format!(
                    "no file with this path was given with the scenario; did you mean {}?",
                    near.join(" or ")
                )
            }
        }
    }

    /// Refuses a file that was given and that the document, once it is read, has not named.
    pub fn check_named(&self) -> Result<(), Invalid> {
        let (files, named) = (self.files.borrow(), self.named.borrow());
        let Some(file) = files.iter().find(|file| !named.contains(&file.path)) else { return Ok(()) };
        let names: Vec<&str> = named.iter().map(String::as_str).collect();
        let expected = if names.is_empty() {
            "no file, because the scenario names none (of a printed one: Scenario.of_printed)".to_owned()
        } else {
            unknown_name("a file that the scenario names", &file.path, &names)
        };
        Err(Invalid { field: "files".to_owned(), value: Some(format!("{:?}", file.path)), expected })
    }

    /// The files that were given, or that the document named.
    pub fn into_files(self) -> Vec<InputFile> {
        self.files.into_inner()
    }
}

/// The module that reads the files of users.
fn input_files(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    py.import("cwnd._internal.input_files")
}

/// The bytes of a file; an error says why there are none.
fn read_bytes(path: &Path) -> Result<Vec<u8>, String> {
    Python::attach(|py| {
        let bytes = input_files(py)?.call_method1("read_for_native", (path,))?;
        bytes.extract()
    })
    .map_err(reason)
}

/// Why a file is not read: what the system says, or what was expected.
fn reason(error: PyErr) -> String {
    Python::attach(|py| {
        let value = error.value(py);
        let system = value.getattr("strerror").and_then(|text| text.extract::<String>());
        system.unwrap_or_else(|_| format!("expected {value}"))
    })
}

/// A path with contents.
fn given(item: &Bound<'_, PyAny>) -> PyResult<InputFile> {
    let (path, contents): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
    let path: String = taken("files", &path, FILES)?;
    let text = match contents.extract::<String>() {
        Ok(text) => text.into_bytes(),
        Err(_) if contents.is_instance_of::<PyBytes>() => contents.extract()?,
        Err(_) => {
            let (field, value) = (format!("files.{path}"), Some(contents.get_type().to_string()));
            return Err(refuse(item.py(), &Invalid { field, value, expected: "text or bytes".to_owned() }));
        }
    };
    Ok(InputFile { path, text: text.into() })
}
