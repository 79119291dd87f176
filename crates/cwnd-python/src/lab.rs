// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scenario that runs with the kernel's own connections.

use crate::fell_behind::FellBehindError;
use crate::plugin_panic;
use crate::scenario::{Scenario, ScenarioError, refuse};
use crate::tables::{Piece, Recorded, Table, filled, pieces};
use cwnd::registry::plugins;
use cwnd_live::{DescribedPlugin, Error};
use cwnd_record::{Lane, RateRow, Summary, WaitRow};
use cwnd_sim::Tables;
use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use std::mem::take;
use std::path::PathBuf;
use std::time::Duration;

/// A run of a scenario with the kernel's own connections: step it to its end, then read summary and tables.
#[pyclass(module = "cwnd._native")]
pub struct Lab {
    inner: cwnd_live::Lab,
    scenario: cwnd_scenario::Scenario,
    /// Whether each acknowledgement is a row of `cwnd`.
    per_ack: bool,
    over: bool,
}

#[pymethods]
impl Lab {
    /// Makes the hosts and begins. `objects` are the kernel objects of plugins, by parameter sets. Raises `ScenarioError` for what the lane does
    /// not do, `OSError` for what the system refuses.
    #[new]
    fn new(py: Python<'_>, scenario: &Scenario, objects: BTreeMap<String, PathBuf>) -> PyResult<Self> {
        let scenario = &scenario.inner;
        let inner = py.detach(|| cwnd_live::Lab::start(scenario, &objects)).map_err(raised)?;
        Ok(Self { inner, scenario: scenario.clone(), per_ack: scenario.record.per_ack, over: false })
    }

    /// Raises `ScenarioError` for what the lane, `live` or `linux`, does not do, without a run.
    #[staticmethod]
    #[pyo3(signature = (scenario, lane=Lane::Live.name()))]
    fn check(py: Python<'_>, scenario: &Scenario, lane: &str) -> PyResult<()> {
        let lane = if lane == Lane::Linux.name() { Lane::Linux } else { Lane::Live };
        cwnd_live::check(&scenario.inner, lane).map_err(|invalid| refuse(py, &invalid))
    }

    /// Names of all parameter sets that the scenario's connections use.
    #[staticmethod]
    fn algorithms(scenario: &Scenario) -> Vec<String> {
        cwnd_live::used(&scenario.inner).into_iter().collect()
    }

    /// The parameters with which flows and traffic use this parameter set, each combination once: names and values.
    #[staticmethod]
    fn parameters(scenario: &Scenario, cc: &str) -> Vec<Vec<(String, String)>> {
        cwnd_live::parameters(&scenario.inner, cc).into_iter().collect()
    }

    /// What a guest of lane linux, which loads no library, has to know of these plugins: a JSON array. Raises `PluginError`.
    #[staticmethod]
    fn described_plugins(py: Python<'_>, algorithms: Vec<String>) -> PyResult<String> {
        let all = plugins();
        let used = all.iter().filter(|plugin| algorithms.iter().any(|name| *name == plugin.name));
        let described: Vec<_> = used.map(|plugin| DescribedPlugin::of(plugin)).collect();
        plugin_panic::check(py)?;
        serde_json::to_string(&described).map_err(|why| PyRuntimeError::new_err(why.to_string()))
    }

    /// Where its algorithms run, as results name it.
    #[classattr]
    const LANE: &'static str = Lane::Live.name();

    /// Waits up to `milliseconds`, without the interpreter's lock; returns whether the run is over. Raises `FellBehindError`.
    fn step(&mut self, py: Python<'_>, milliseconds: u64) -> PyResult<bool> {
        let inner = &mut self.inner;
        self.over = py.detach(|| inner.step(Duration::from_millis(milliseconds))).map_err(raised)?;
        Ok(self.over)
    }

    /// Part of the time that is over, 0 to 1.
    #[getter]
    fn progress(&self) -> f64 {
        self.inner.now() as f64 / self.scenario.duration as f64
    }

    /// Time of the scenario, s.
    #[getter]
    fn now_s(&self) -> f64 {
        self.inner.now() as f64 / 1e9
    }

    /// Data packets that left the flows' last links so far.
    #[getter]
    fn packets(&self) -> u64 {
        self.inner.packets()
    }

    /// CPU time of the emulator, s; 0 before the end.
    #[getter]
    fn cpu_s(&self) -> f64 {
        self.inner.report().map_or(0.0, |report| report.cpu_s)
    }

    /// The summary over the measured interval.
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.document(py)
    }

    /// What the emulator says of itself and of the machine, after the end.
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let report = self.inner.report().ok_or_else(|| PyRuntimeError::new_err("the run has not ended"))?;
        let whole = PyDict::new(py);
        whole.set_item("kernel", report.kernel)?;
        whole.set_item("algorithms", report.algorithms)?;
        whole.set_item("traffic_algorithms", report.traffic_algorithms)?;
        whole.set_item("packets_delivered", report.packets)?;
        for (name, late) in
            ["late_p50_ms", "late_p99_ms", "late_p999_ms", "late_worst_ms"].iter().zip(report.lateness)
        {
            whole.set_item(name, late as f64 / 1e6)?;
        }
        whole.set_item("pauses", report.pauses.count)?;
        whole.set_item("paused_ms", report.pauses.total as f64 / 1e6)?;
        whole.set_item("longest_pause_ms", report.pauses.longest as f64 / 1e6)?;
        whole.set_item("late_applications_p99_ms", report.late_applications as f64 / 1e6)?;
        whole.set_item("real_time_class", report.real_time)?;
        whole.set_item("packets_foreign", report.foreign)?;
        whole.set_item("dsack_duplicates", report.duplicates)?;
        let settings = PyDict::new(py);
        for (name, value) in report.settings {
            settings.set_item(name, value)?;
        }
        whole.set_item("settings", settings)?;
        let counters = PyDict::new(py);
        for (host, of_host) in ["senders", "receivers"].iter().zip(report.counters) {
            let all = PyDict::new(py);
            for (name, value) in of_host {
                all.set_item(name, value)?;
            }
            counters.set_item(host, all)?;
        }
        whole.set_item("counters", counters)?;
        Ok(whole)
    }

    /// Takes out the tables of at least `least` rows, and at the end all of them: names with Arrow record batches.
    fn take(&mut self, least: usize) -> Vec<(&'static str, Table)> {
        let least = if self.over { 0 } else { least };
        fn rows<T>(table: &mut Vec<T>, least: usize) -> Vec<T> {
            if table.len() >= least { take(table) } else { Vec::new() }
        }
        let recorded = self.inner.tables_mut();
        let mut taken = Tables::default();
        taken.queue = rows(&mut recorded.queue, least);
        if self.over || !self.per_ack {
            taken.cwnd = rows(&mut recorded.cwnd, least);
        }
        if self.over {
            // In the order of time only when both threads have ended, as the rows of acknowledgements.
            taken.inner = take(&mut recorded.inner);
            taken.events = take(&mut recorded.events);
            taken.transfers = take(&mut recorded.transfers);
        }
        filled(Lane::Live, &taken)
    }

    /// Drops the samples and events; the transfers stay.
    fn discard(&mut self) {
        let recorded = self.inner.tables_mut();
        recorded.cwnd.clear();
        recorded.queue.clear();
        recorded.inner.clear();
        recorded.events.clear();
    }

    /// Takes out the packets that were captured since the last call: names of hosts with the next piece of their capture files.
    fn take_packets<'py>(&mut self, py: Python<'py>) -> Vec<Piece<'py>> {
        pieces(py, self.inner.take_packets())
    }

    /// Rows of a table.
    fn rows(&self, name: &str) -> PyResult<usize> {
        self.row_count(name)
    }

    /// Up to `count` rows of a table from row `start` on, as an Arrow record batch; the tables are those of a simulation.
    fn table(&self, name: &str, start: usize, count: usize) -> PyResult<Table> {
        self.part_of(name, start, count)
    }
}

impl Recorded for Lab {
    const LANE: Lane = Lane::Live;

    fn recorded(&self) -> &Tables {
        self.inner.tables()
    }

    fn rates(&self) -> Vec<RateRow> {
        cwnd_sim::rates(&self.scenario)
    }

    fn summed(&self) -> Summary {
        self.inner.summary().unwrap_or_else(|| Summary {
            measured_s: (0.0, 0.0),
            links: Vec::new(),
            jain: 1.0,
            flows: Vec::new(),
            traffic: Vec::new(),
            failures: Vec::new(),
            receive_limits: Vec::new(),
        })
    }

    fn waits(&self) -> Vec<WaitRow> {
        self.inner.waits()
    }
}

/// The Python exception of an error.
pub fn raised(error: Error) -> PyErr {
    let message = error.to_string();
    match error {
        Error::Scenario(_) => ScenarioError::new_err(message),
        Error::System(_, why) => PyOSError::new_err((why.raw_os_error(), message)),
        Error::Command(name, why) => {
            let text = why.to_string();
            let text = text.split(" (os error").next().unwrap_or_default().to_owned();
            PyOSError::new_err((why.raw_os_error(), text, name))
        }
        Error::Behind(_) => FellBehindError::new_err(message),
    }
}
