// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scenarios, validated.

mod argument;
mod files;
mod netem;
mod parts;
mod programs;
mod refused;

pub use files::InputFile;
pub use netem::netem_meaning;
pub use parts::{Action, FlowGroup, LinkSettings};
pub use refused::{ScenarioError, refuse};

use argument::taken;
use files::FileSource;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;

use cwnd_record::capture::CaptureHost;
use cwnd_scenario::{CapturedHosts, Invalid};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBool, PyBytes, PyDict, PyTuple};
use serde_json::{Value, json};

/// The languages of a document.
#[derive(Clone, Copy, PartialEq)]
enum Language {
    Toml,
    Json,
}

/// Reads a document. A file that was handed in and that it does not name is refused.
fn read(py: Python<'_>, text: &str, language: Language, source: FileSource) -> PyResult<Scenario> {
    let inner = parse(py, text, language, &source)?;
    source.check_named().map_err(|invalid| refuse(py, &invalid))?;
    Ok(Scenario { inner, files: source.into_files(), of_folder: false })
}

fn parse(
    py: Python<'_>,
    text: &str,
    language: Language,
    source: &FileSource,
) -> PyResult<cwnd_scenario::Scenario> {
    let files = |path: &str| source.text(path);
    let read = match language {
        Language::Toml => cwnd_scenario::Scenario::from_toml_with(text, &files),
        Language::Json => cwnd_scenario::Scenario::from_json_with(text, &files),
    };
    read.map_err(|invalid| refuse(py, &invalid))
}

/// A validated scenario, and the files that were handed in with it.
#[pyclass(frozen, module = "cwnd._native")]
pub struct Scenario {
    pub inner: cwnd_scenario::Scenario,
    files: Vec<InputFile>,
    /// Whether it comes from the folder of a result, which may be anyone's.
    of_folder: bool,
}

impl Scenario {
    /// A copy of this scenario with the same files.
    fn copy(&self, inner: cwnd_scenario::Scenario) -> Self {
        Self { inner, files: self.files.clone(), of_folder: self.of_folder }
    }
}

/// What Python gives for a seed, as a document would write it.
fn seed_value(seed: &Bound<'_, PyAny>) -> PyResult<Value> {
    if !seed.is_instance_of::<PyBool>()
        && let Ok(number) = seed.extract::<u64>()
    {
        return Ok(json!(number));
    }
    let text: PyResult<String> =
        seed.py().import("json")?.call_method1("dumps", (seed,)).and_then(|text| text.extract());
    let written = text.ok().and_then(|text| serde_json::from_str(&text).ok());
    Ok(match written {
        Some(value) => value,
        None => json!(seed.repr()?.to_string_lossy()),
    })
}

#[pymethods]
impl Scenario {
    /// Reads a TOML document; raises `ScenarioError`. `files`: the folder that paths in it are relative to (the working directory), or
    /// the contents of the files by their paths, each of which the document names.
    #[staticmethod]
    #[pyo3(signature = (text, files=None))]
    fn from_toml(text: &Bound<'_, PyAny>, files: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let document =
            taken::<PyBackedStr>("text", text, "a TOML document (Scenario.from_file reads a file)")?;
        read(text.py(), &document, Language::Toml, FileSource::of(files)?)
    }

    /// Reads a JSON document of the same shape; raises `ScenarioError`. `files`: as in `from_toml`.
    #[staticmethod]
    #[pyo3(signature = (text, files=None))]
    fn from_json(text: &Bound<'_, PyAny>, files: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let document =
            taken::<PyBackedStr>("text", text, "a JSON document (Scenario.from_file reads a file)")?;
        read(text.py(), &document, Language::Json, FileSource::of(files)?)
    }

    /// Reads a file, TOML or JSON as its contents say; paths in it are relative to its folder. `name`: of a file with several scenarios, the
    /// one of this name. One that names programs (`exec`) is refused without `allow_exec=True`: a run starts them with the user's rights.
    /// Raises `ScenarioError`, and `OSError` where the system refuses.
    #[staticmethod]
    #[pyo3(signature = (path, name=None, *, allow_exec=None))]
    fn from_file(
        path: &Bound<'_, PyAny>,
        name: Option<&Bound<'_, PyAny>>,
        allow_exec: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<Self>> {
        let py = path.py();
        let document = py.import("cwnd.scenario.document")?.call_method1("document_of", (path, name))?;
        let (text, is_json, folder): (PyBackedStr, bool, Option<PathBuf>) = document.extract()?;
        let language = if is_json { Language::Json } else { Language::Toml };
        let scenario = read(py, &text, language, FileSource::folder(&folder.unwrap_or_default()))?;
        let scenario = Bound::new(py, scenario)?;
        py.import("cwnd.scenario.programs")?.call_method1("check_consent", (&scenario, allow_exec))?;
        Ok(scenario.unbind())
    }

    /// Whether it comes from the folder of a result: a run starts no program that it names (`exec`).
    #[getter]
    const fn of_folder(&self) -> bool {
        self.of_folder
    }

    /// Commands of the programs that a run starts (`exec`), in the order of the flows.
    #[getter]
    fn programs(&self) -> Vec<String> {
        self.inner.flows.iter().filter_map(|group| group.exec.clone()).collect()
    }

    /// The scenario as TOML, every default written out.
    fn to_toml(&self) -> String {
        self.inner.to_toml()
    }

    /// The scenario as JSON.
    fn to_json(&self) -> String {
        self.inner.to_json()
    }

    #[getter]
    fn name(&self) -> &str {
        &self.inner.name
    }

    /// Simulated time, s.
    #[getter]
    fn duration_s(&self) -> f64 {
        self.inner.duration as f64 / 1e9
    }

    /// Measured interval, s.
    #[getter]
    fn measured_s(&self) -> (f64, f64) {
        (self.inner.measure.0 as f64 / 1e9, self.inner.measure.1 as f64 / 1e9)
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.inner.seed
    }

    /// Rate of the bottleneck, Mbit/s; `None` where it has none.
    #[getter]
    fn rate_mbps(&self) -> Option<f64> {
        self.inner.bottleneck().rate.as_ref().map(|rate| rate.nominal() as f64 / 1e6)
    }

    /// Rate × RTT of the link, whole packets; `None` without a rate.
    #[getter]
    fn bdp_packets(&self) -> Option<u64> {
        self.inner.bottleneck().bdp_packets(self.inner.packet_size)
    }

    /// Size of a data packet on the wire, bytes.
    #[getter]
    fn packet_bytes(&self) -> u32 {
        self.inner.packet_size
    }

    /// Packets per second that the slowest link on a flow's path lets through, the most of all flows.
    #[getter]
    fn packets_per_s(&self) -> u64 {
        self.inner.packets_per_s()
    }

    /// Groups of flows whose acknowledgements may be for more segments than HyStart++ lets the window grow by: label, `ack_every`, `l`.
    #[getter]
    fn slow_start_limits(&self) -> Vec<(String, u32, u32)> {
        let limits = self.inner.slow_start_limits();
        limits.into_iter().map(|limit| (limit.label, limit.ack_every, limit.limit)).collect()
    }

    /// The same scenario under another seed; raises `ScenarioError`.
    fn with_seed(&self, seed: &Bound<'_, PyAny>) -> PyResult<Self> {
        let copy = self.inner.with_seed(&seed_value(seed)?);
        copy.map(|inner| self.copy(inner)).map_err(|invalid| refuse(seed.py(), &invalid))
    }

    /// The tick rates of its hosts' clocks (Hz), each once, ascending.
    #[getter]
    fn host_clocks(&self) -> Vec<u32> {
        self.inner.host_clocks().into_iter().collect()
    }

    /// The same scenario with hosts of another clock, such as "250Hz"; raises `ScenarioError`.
    fn with_host_clock(&self, py: Python<'_>, clock: &str) -> PyResult<Self> {
        let copy = self.inner.with_host_clock(&clock.into());
        copy.map(|inner| self.copy(inner)).map_err(|invalid| refuse(py, &invalid))
    }

    /// The same scenario with another name.
    fn with_name(&self, name: &str) -> Self {
        self.copy(self.inner.with_name(name))
    }

    /// The same scenario with other paths to its files, by the ones that it has; raises `ScenarioError` where two files would have one
    /// path.
    fn with_paths(&self, py: Python<'_>, paths: HashMap<String, String>) -> PyResult<Self> {
        let path = |path: &str| paths.get(path).map_or_else(|| path.to_owned(), Clone::clone);
        let mut files: Vec<InputFile> = Vec::new();
        for file in &self.files {
            let renamed = InputFile { path: path(&file.path), text: file.text.clone() };
            if files.iter().any(|other| other.path == renamed.path) {
                let (field, value) = ("paths".to_owned(), Some(format!("{:?}", renamed.path)));
                let expected = "a unique path for each file".to_owned();
                return Err(refuse(py, &Invalid { field, value, expected }));
            }
            files.push(renamed);
        }
        Ok(Self { inner: self.inner.with_paths(path), files, of_folder: self.of_folder })
    }

    /// The scenario of a document that `to_toml` has printed, and the files that it was read with (`files`). A printed document has the
    /// points of a measured distribution and does not name their file, which `from_toml` would refuse. No other file is read. `of_folder` as the
    /// attribute.
    #[staticmethod]
    fn of_printed(text: &Bound<'_, PyAny>, files: &Bound<'_, PyAny>, of_folder: bool) -> PyResult<Self> {
        let source = FileSource::of(Some(files))?;
        let inner = parse(text.py(), &text.extract::<PyBackedStr>()?, Language::Toml, &source)?;
        Ok(Self { inner, files: source.into_files(), of_folder })
    }

    /// The files that it was read with.
    #[getter]
    fn files(&self) -> Vec<InputFile> {
        self.files.clone()
    }

    /// What the files of its links are, and what its netem lines mean, in a line each.
    #[getter]
    fn remarks(&self) -> Vec<String> {
        self.inner.remarks()
    }

    /// The groups of flows, in order.
    #[getter]
    fn groups(&self) -> Vec<FlowGroup> {
        parts::groups(&self.inner)
    }

    /// The links, in the order of their numbers.
    #[getter]
    fn links(&self) -> Vec<LinkSettings> {
        parts::links(&self.inner)
    }

    /// The actions, in the order of time.
    #[getter]
    fn actions(&self) -> Vec<Action> {
        parts::actions(&self.inner)
    }

    /// Names of the groups of traffic, in the order of their numbers.
    #[getter]
    fn traffic_names(&self) -> Vec<&str> {
        self.inner.traffic.iter().map(|group| group.name.as_str()).collect()
    }

    /// Whether inner variables are recorded.
    #[getter]
    fn records_inner(&self) -> bool {
        self.inner.record.inner != cwnd_scenario::InnerVariables::Off
    }

    /// What the groups of flows are called: their own labels, or the algorithm and what differs.
    #[getter]
    fn labels(&self) -> Vec<String> {
        self.inner.labels()
    }

    /// Refuses a run whose tables and captures are expected to hold more than `record.limit`; raises `ScenarioError`.
    fn check_size(&self, py: Python<'_>) -> PyResult<()> {
        self.inner.check_size(cwnd_sim::expected_bytes(&self.inner)).map_err(|invalid| refuse(py, &invalid))
    }

    /// Refuses captures of this many bytes, if `record.limit` is less; raises `ScenarioError`.
    fn check_captured(&self, py: Python<'_>, bytes: u64) -> PyResult<()> {
        self.inner.check_captured(bytes).map_err(|invalid| refuse(py, &invalid))
    }

    /// The hosts whose packets are captured.
    #[getter]
    fn captured_hosts(&self) -> Vec<&'static str> {
        let sides = CaptureHost::ALL.into_iter().zip(self.inner.record.packets.sides());
        sides.filter(|(_, is_captured)| *is_captured).map(|(host, _)| host.name()).collect()
    }

    /// The same scenario with the senders' packets captured.
    fn capturing_senders(&self) -> Self {
        self.copy(self.inner.with_packets(CapturedHosts::Senders))
    }

    /// Names of the flows, in the order of their numbers.
    #[getter]
    fn flow_names(&self) -> Vec<String> {
        self.inner.expand().into_iter().map(|flow| flow.name).collect()
    }

    /// Equal when every setting is, defaults included.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| self.inner == other.get().inner)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.inner.to_json().hash(&mut hasher);
        hasher.finish()
    }

    /// Pickles and copies are made of its document and its files.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, scenario) = (slf.py(), slf.get());
        let files = PyDict::new(py);
        for file in &scenario.files {
            files.set_item(&file.path, PyBytes::new(py, &file.text))?;
        }
        let arguments = (scenario.inner.to_toml(), files, scenario.of_folder).into_pyobject(py)?;
        Ok((slf.get_type().getattr("of_printed")?, arguments))
    }

    fn __repr__(&self) -> String {
        let scenario = &self.inner;
        let name = if scenario.name.is_empty() { String::new() } else { format!("{:?}: ", scenario.name) };
        let mut flows = self.flow_names();
        if flows.len() > 8 {
            let more = format!("... {} in all", flows.len());
            flows.truncate(6);
            flows.push(more);
        }
        if !scenario.traffic.is_empty() {
            flows.push(format!("{} of traffic", scenario.traffic.len()));
        }
        let rate = match (self.rate_mbps(), self.bdp_packets()) {
            (Some(mbps), Some(packets)) => format!("{mbps} Mbit/s, BDP {packets} packets"),
            _ => "no rate".to_owned(),
        };
        format!(
            "Scenario({name}{}; {rate}; {} s, seed {})",
            flows.join(", "),
            self.duration_s(),
            scenario.seed
        )
    }
}
