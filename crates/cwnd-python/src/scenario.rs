// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scenarios, validated.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::ErrorKind;
use std::path::PathBuf;

use cwnd_scenario::Invalid;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;

create_exception!(
    cwnd._native,
    ScenarioError,
    PyValueError,
    "What was given, a scenario or an argument, was refused: `field`, `value`, `expected`."
);

pub fn refuse(py: Python<'_>, invalid: &Invalid) -> PyErr {
    let error = ScenarioError::new_err(invalid.to_string());
    let value = error.value(py);
    let set = value
        .setattr("field", &invalid.field)
        .and_then(|()| value.setattr("value", &invalid.value))
        .and_then(|()| value.setattr("expected", &invalid.expected));
    set.err().unwrap_or(error)
}

const A_PATH: &str = "a path, as text or a pathlib.Path";

/// What Python gives, as what it has to be; what it is not is refused as a scenario's own keys are.
fn taken<'py, T: FromPyObjectOwned<'py>>(
    field: &str,
    value: &Bound<'py, PyAny>,
    expected: &str,
) -> PyResult<T> {
    let py = value.py();
    value.extract().map_err(|_| {
        let shown = value.repr().map_or_else(|_| "?".to_owned(), |text| text.to_string());
        let line = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        let short = if line.chars().count() <= 60 {
            line
        } else {
            line.chars().take(57).chain("...".chars()).collect()
        };
        let (field, expected) = (field.to_owned(), expected.to_owned());
        refuse(py, &Invalid { field, value: Some(short), expected })
    })
}

/// Reads a document with one of the scenario's parsers.
fn read(
    py: Python<'_>,
    text: &str,
    parse: fn(&str) -> Result<cwnd_scenario::Scenario, Invalid>,
) -> PyResult<Scenario> {
    parse(text).map(Scenario).map_err(|invalid| refuse(py, &invalid))
}

/// A validated scenario.
#[pyclass(frozen, module = "cwnd._native")]
pub struct Scenario(pub cwnd_scenario::Scenario);

#[pymethods]
impl Scenario {
    /// Reads a TOML document; raises `ScenarioError`.
    #[staticmethod]
    fn from_toml(text: &Bound<'_, PyAny>) -> PyResult<Self> {
        let document =
            taken::<PyBackedStr>("text", text, "a TOML document (Scenario.from_file reads a file)")?;
        read(text.py(), &document, cwnd_scenario::Scenario::from_toml)
    }

    /// Reads a JSON document of the same shape; raises `ScenarioError`.
    #[staticmethod]
    fn from_json(text: &Bound<'_, PyAny>) -> PyResult<Self> {
        let document =
            taken::<PyBackedStr>("text", text, "a JSON document (Scenario.from_file reads a file)")?;
        read(text.py(), &document, cwnd_scenario::Scenario::from_json)
    }

    /// Reads a file: JSON if its name ends in `.json`, else TOML. Raises `ScenarioError`, and `OSError` where the system refuses.
    #[staticmethod]
    fn from_file(path: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = path.py();
        let path = taken::<PathBuf>("path", path, A_PATH)?;
        let refused = |expected: &str| {
            let invalid = Invalid {
                field: "path".to_owned(),
                value: Some(format!("{:?}", path.display().to_string())),
                expected: expected.to_owned(),
            };
            refuse(py, &invalid)
        };
        let json = path.extension().is_some_and(|extension| extension == "json");
        let text = std::fs::read_to_string(&path).map_err(|error| match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => refused("a file that exists"),
            ErrorKind::IsADirectory => refused("a file, such as the scenario.toml in a result's folder"),
            ErrorKind::InvalidData => {
                refused(if json { "a JSON document in UTF-8" } else { "a TOML document in UTF-8" })
            }
            // A NUL in it.
            ErrorKind::InvalidInput => refused(A_PATH),
            _ => PyErr::from(error),
        })?;
        let parse =
            if json { cwnd_scenario::Scenario::from_json } else { cwnd_scenario::Scenario::from_toml };
        read(py, &text, parse)
    }

    /// The scenario as TOML, every default written out.
    fn to_toml(&self) -> String {
        self.0.to_toml()
    }

    /// The scenario as JSON.
    fn to_json(&self) -> String {
        self.0.to_json()
    }

    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// Simulated time, s.
    #[getter]
    fn duration_s(&self) -> f64 {
        self.0.duration as f64 / 1e9
    }

    /// Measured interval, s.
    #[getter]
    fn measured_s(&self) -> (f64, f64) {
        (self.0.measure.0 as f64 / 1e9, self.0.measure.1 as f64 / 1e9)
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.0.seed
    }

    /// Rate of the bottleneck, Mbit/s.
    #[getter]
    fn rate_mbps(&self) -> f64 {
        self.0.bottleneck().rate.nominal() as f64 / 1e6
    }

    /// Rate × RTT of the link, whole packets.
    #[getter]
    fn bdp_packets(&self) -> u64 {
        self.0.bottleneck().bdp_packets(self.0.packet_size)
    }

    /// Size of a data packet on the wire, bytes.
    #[getter]
    fn packet_bytes(&self) -> u32 {
        self.0.packet_size
    }

    /// Whether inner variables are recorded.
    #[getter]
    fn records_inner(&self) -> bool {
        self.0.record.inner != cwnd_scenario::InnerVariables::Off
    }

    /// What the groups of flows are called: their own labels, or the algorithm and what differs.
    #[getter]
    fn labels(&self) -> Vec<String> {
        self.0.labels()
    }

    /// Refuses a run whose tables are expected to hold more than `record.limit`; raises `ScenarioError`.
    fn check_size(&self, py: Python<'_>) -> PyResult<()> {
        self.0.check_size(cwnd_sim::expected_bytes(&self.0)).map_err(|invalid| refuse(py, &invalid))
    }

    /// Names of the flows, in the order of their numbers.
    #[getter]
    fn flow_names(&self) -> Vec<String> {
        self.0.expand().into_iter().map(|flow| flow.name).collect()
    }

    /// Equal when every setting is, defaults included.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| self.0 == other.get().0)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.to_json().hash(&mut hasher);
        hasher.finish()
    }

    /// Pickles and copies are made of its document.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((slf.get_type().getattr("from_json")?, (slf.get().0.to_json(),)))
    }

    fn __repr__(&self) -> String {
        let (scenario, bottleneck) = (&self.0, self.0.bottleneck());
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
        let rate = bottleneck.rate.nominal() as f64 / 1e6;
        format!(
            "Scenario({name}{}; {rate} Mbit/s, BDP {} packets; {} s, seed {})",
            flows.join(", "),
            self.bdp_packets(),
            self.duration_s(),
            scenario.seed
        )
    }
}
