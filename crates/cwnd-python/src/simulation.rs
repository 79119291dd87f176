// SPDX-License-Identifier: MIT OR Apache-2.0
//! A running simulation.

use crate::clock::{process_cpu_s, thread_cpu_s};
use crate::plugin_panic;
use crate::scenario::Scenario;
use crate::tables::{Piece, Recorded, Table, filled, pieces};
use cwnd_plugin_loader::Fault;
use cwnd_record::{Lane, RateRow, Summary, WaitRow};
use cwnd_sim::Tables;
use cwnd_stacks::RealStacks;
use pyo3::prelude::*;

/// A simulation of a scenario: step it to its end, then read summary and tables.
#[pyclass(module = "cwnd._native")]
pub struct Simulation {
    inner: cwnd_sim::Simulation,
    scenario: cwnd_scenario::Scenario,
    cpu_s: f64,
}

#[pymethods]
impl Simulation {
    #[new]
    #[pyo3(signature = (scenario, threads=1))]
    fn new(py: Python<'_>, scenario: &Scenario, threads: u32) -> PyResult<Self> {
        let begin = thread_cpu_s();
        scenario.check_programs().map_err(|invalid| crate::scenario::refuse(py, &invalid))?;
        let mut inner = cwnd_sim::Simulation::with_stacks(&scenario.inner, &RealStacks)
            .map_err(|invalid| crate::scenario::refuse(py, &invalid))?
            .with_threads(threads);
        inner.begin();
        let cpu_s = thread_cpu_s() - begin;
        raise_if_plugin_failed(py, &inner)?;
        Ok(Self { inner, scenario: scenario.inner.clone(), cpu_s })
    }

    /// Handles up to `events` events, without the interpreter's lock; returns whether the run is over. Raises `PluginError`.
    fn step(&mut self, py: Python<'_>, events: u64) -> PyResult<bool> {
        let clock = if self.inner.threads() > 1 { process_cpu_s } else { thread_cpu_s };
        let (over, cpu_s) = py.detach(|| {
            let begin = clock();
            let over = self.inner.step(events);
            (over, clock() - begin)
        });
        self.cpu_s += cpu_s;
        raise_if_plugin_failed(py, &self.inner)?;
        Ok(over)
    }

    /// Where its algorithms run, as results name it.
    #[classattr]
    const LANE: &'static str = Lane::Sim.name();

    /// Part of the simulated time that is done, 0 to 1.
    #[getter]
    fn progress(&self) -> f64 {
        self.inner.now() as f64 / self.scenario.duration as f64
    }

    /// Simulated time, s.
    #[getter]
    fn now_s(&self) -> f64 {
        self.inner.now() as f64 / 1e9
    }

    /// Data packets that left the bottleneck so far.
    #[getter]
    fn packets(&self) -> u64 {
        self.inner.packets()
    }

    /// On how many threads it goes.
    #[getter]
    fn threads(&self) -> u32 {
        self.inner.threads()
    }

    /// CPU time of the engine alone, s; on several threads that of the whole process.
    #[getter]
    fn cpu_s(&self) -> f64 {
        self.cpu_s
    }

    /// The summary over the measured interval.
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.document(py)
    }

    /// A number that stands for the summary, the queueing delays and the rows that were not taken out, in hexadecimal digits: the web page
    /// has the same for the same scenario.
    fn digest(&self) -> String {
        format!("{:016x}", self.inner.digest())
    }

    /// From now on `step` returns early, after a sample, when one of the tables of samples has this many rows.
    fn pause_at(&mut self, rows: usize) {
        self.inner.pause_at(rows);
    }

    /// Takes out of the tables what is complete, each of at least `least` rows, and when the run is over all of them: names with
    /// Arrow record batches, in the order of time.
    fn take(&mut self, least: usize) -> Vec<(&'static str, Table)> {
        filled(Lane::Sim, &self.inner.take_tables(least))
    }

    /// Takes the samples and events out of the tables and drops them; the transfers stay.
    fn discard(&mut self) {
        self.inner.discard_samples();
    }

    /// Takes out the packets that were captured since the last call: names of hosts with the next piece of their capture files.
    fn take_packets<'py>(&mut self, py: Python<'py>) -> Vec<Piece<'py>> {
        pieces(py, self.inner.take_packets())
    }

    /// Rows of a table.
    fn rows(&self, name: &str) -> PyResult<usize> {
        self.row_count(name)
    }

    /// Up to `count` rows of a table from row `start` on, as an Arrow record batch. The tables are `flows`, `links`,
    /// `rates` and `waits` (always whole), `cwnd`, `queue`, `events`, `inner` and `transfers`.
    fn table(&self, name: &str, start: usize, count: usize) -> PyResult<Table> {
        self.part_of(name, start, count)
    }
}

impl Recorded for Simulation {
    const LANE: Lane = Lane::Sim;

    fn recorded(&self) -> &Tables {
        self.inner.tables()
    }

    fn rates(&self) -> Vec<RateRow> {
        cwnd_sim::rates(&self.scenario)
    }

    fn summed(&self) -> Summary {
        self.inner.summary()
    }

    fn waits(&self) -> Vec<WaitRow> {
        self.inner.waits()
    }
}

/// The next `count` calls of a flow's hooks from a time on, ns, as a JSON text; raises `PluginError`.
#[pyfunction]
pub fn hook_calls(
    py: Python<'_>,
    scenario: &Scenario,
    flow: usize,
    time_ns: u64,
    count: usize,
) -> PyResult<String> {
    scenario
        .inner
        .without_stacks("whose hooks can be stepped through")
        .and_then(|()| scenario.inner.without_kernels_own("whose hooks can be stepped through"))
        .map_err(|invalid| crate::scenario::refuse(py, &invalid))?;
    let calls = py.detach(|| cwnd_sim::hook_calls_document(&scenario.inner, time_ns, flow, count));
    plugin_panic::check(py).map(|()| calls.to_string())
}

/// Raises `ScenarioError` if a flow has a stack, where there are none: `place` is such as `in a page`.
#[pyfunction]
pub fn refuse_stacks(py: Python<'_>, scenario: &Scenario, place: &str) -> PyResult<()> {
    let without =
        scenario.inner.without_stacks(place).and_then(|()| scenario.inner.without_kernels_own(place));
    without.map_err(|invalid| crate::scenario::refuse(py, &invalid))
}

/// Raises `PluginError` if a loaded algorithm has panicked.
fn raise_if_plugin_failed(py: Python<'_>, simulation: &cwnd_sim::Simulation) -> PyResult<()> {
    let Some(fault) = cwnd_plugin_loader::take() else { return Ok(()) };
    Err(plugin_panic::raised(py, &Fault { flow: simulation.failed().map(str::to_owned), ..fault }))
}
