// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scenarios, validated.

use cwnd_scenario::Invalid;
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

create_exception!(
    _native,
    ScenarioError,
    PyValueError,
    "A scenario was refused: `field`, `value`, `expected`."
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

/// A validated scenario.
#[pyclass(frozen, module = "cwnd._native")]
pub struct Scenario(pub cwnd_scenario::Scenario);

#[pymethods]
impl Scenario {
    /// Reads a TOML document; raises `ScenarioError`.
    #[staticmethod]
    fn from_toml(py: Python<'_>, text: &str) -> PyResult<Self> {
        cwnd_scenario::Scenario::from_toml(text).map(Self).map_err(|invalid| refuse(py, &invalid))
    }

    /// Reads a JSON document of the same shape; raises `ScenarioError`.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str) -> PyResult<Self> {
        cwnd_scenario::Scenario::from_json(text).map(Self).map_err(|invalid| refuse(py, &invalid))
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
        self.0.record.inner != cwnd_scenario::Inner::Off
    }

    /// What the groups of flows are called: their own labels, or the algorithm and what differs.
    #[getter]
    fn labels(&self) -> Vec<String> {
        self.0.labels()
    }

    /// Names of the flows, in the order of their numbers.
    #[getter]
    fn flow_names(&self) -> Vec<String> {
        self.0.expand().into_iter().map(|flow| flow.name).collect()
    }
}
