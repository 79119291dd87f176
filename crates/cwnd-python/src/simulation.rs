// SPDX-License-Identifier: MIT OR Apache-2.0
//! A running simulation.

use crate::clock::thread_cpu_s;
use crate::columns;
use crate::fault;
use crate::links::{self, RateRow, Waits};
use crate::scenario::Scenario;
use crate::tables::{self, Table};
use cwnd_sim::traffic::Asked;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// A simulation of a scenario: step it to its end, then read summary and tables.
#[pyclass(module = "cwnd._native")]
pub struct Simulation {
    inner: cwnd_sim::Simulation,
    rates: Vec<RateRow>,
    duration: u64,
    cpu_s: f64,
}

#[pymethods]
impl Simulation {
    #[new]
    fn new(py: Python<'_>, scenario: &Scenario) -> PyResult<Self> {
        let begin = thread_cpu_s();
        let inner = cwnd_sim::Simulation::new(&scenario.0);
        let cpu_s = thread_cpu_s() - begin;
        sound(py, &inner)?;
        Ok(Self { inner, rates: links::rates(&scenario.0), duration: scenario.0.duration, cpu_s })
    }

    /// Handles up to `events` events, without the interpreter's lock; returns whether the run is over. Raises `PluginError`.
    fn step(&mut self, py: Python<'_>, events: u64) -> PyResult<bool> {
        let (over, cpu_s) = py.detach(|| {
            let begin = thread_cpu_s();
            let over = self.inner.step(events);
            (over, thread_cpu_s() - begin)
        });
        self.cpu_s += cpu_s;
        sound(py, &self.inner)?;
        Ok(over)
    }

    /// Part of the simulated time that is done, 0 to 1.
    #[getter]
    fn progress(&self) -> f64 {
        self.inner.now() as f64 / self.duration as f64
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

    /// CPU time of the engine alone, s.
    #[getter]
    fn cpu_s(&self) -> f64 {
        self.cpu_s
    }

    /// What came out, over the measured interval.
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let summary = self.inner.summary();
        let links = PyList::empty(py);
        for row in Waits::with_links(&self.inner, &summary) {
            links.append(columns::document(py, columns::LINKS, &row)?)?;
        }
        let traffic = PyList::empty(py);
        for group in &summary.traffic {
            let item = PyDict::new(py);
            item.set_item("name", &group.name)?;
            item.set_item("direction", if group.reverse { "reverse" } else { "forward" })?;
            let (asked, rate) = asked(group.asked);
            item.set_item("asked", asked)?;
            item.set_item("asked_mbps", rate.map(|bits| bits / 1e6))?;
            item.set_item("offered_mbps", group.offered_mbps)?;
            item.set_item("carried_mbps", group.carried_mbps)?;
            item.set_item("transfers", group.measured.transfers)?;
            item.set_item("finished", group.measured.finished)?;
            item.set_item("datagrams", group.measured.packets)?;
            item.set_item("transfers_run", group.run.transfers)?;
            item.set_item("finished_run", group.run.finished)?;
            item.set_item("datagrams_run", group.run.packets)?;
            traffic.append(item)?;
        }
        let flows = PyList::empty(py);
        for (flow, route) in summary.flows.iter().zip(self.inner.flows()) {
            let item = columns::document(py, columns::FLOWS, flow)?;
            item.set_item("label", &*route.label)?;
            item.set_item("path", route.path.to_vec())?;
            item.set_item("back", route.back.to_vec())?;
            flows.append(item)?;
        }
        let document = PyDict::new(py);
        document.set_item("measured_s", [summary.measured_s.0, summary.measured_s.1])?;
        document.set_item("link", links.get_item(0)?)?;
        document.set_item("links", links)?;
        document.set_item("jain", summary.jain)?;
        document.set_item("flows", flows)?;
        document.set_item("traffic", traffic)?;
        Ok(document)
    }

    /// From now on `step` returns early, after a sample, when one of the tables of samples has this many rows.
    fn pause_at(&mut self, rows: usize) {
        self.inner.pause_at(rows);
    }

    /// Takes out of the tables what is complete, each of at least `least` rows, and when the run is over all of them: names with
    /// Arrow record batches, in the order of time.
    fn take(&mut self, least: usize) -> Vec<(&'static str, Table)> {
        let taken = self.inner.take_tables(least);
        tables::filled(&taken).into_iter().map(|(name, batch)| (name, Table(batch))).collect()
    }

    /// Takes the samples and events out of the tables and drops them; the transfers stay.
    fn discard(&mut self) {
        self.inner.discard_samples();
    }

    /// Rows of a table.
    fn rows(&self, name: &str) -> PyResult<usize> {
        let recorded = self.inner.tables();
        Ok(match name {
            "flows" => self.inner.flows().len(),
            "cwnd" => recorded.cwnd.len(),
            "queue" => recorded.queue.len(),
            "events" => recorded.events.len(),
            "inner" => recorded.inner.len(),
            "transfers" => recorded.transfers.len(),
            "links" => self.inner.links().len(),
            "rates" => self.rates.len(),
            "waits" => (0..self.inner.links().len()).map(|link| self.inner.waits(link).count()).sum(),
            _ => return Err(unknown(name)),
        })
    }

    /// Up to `count` rows of a table from row `start` on, as an Arrow record batch. The tables are `flows`, `links`,
    /// `rates` and `waits` (always whole), `cwnd`, `queue`, `events`, `inner` and `transfers`.
    fn table(&self, name: &str, start: usize, count: usize) -> PyResult<Table> {
        fn part<T>(rows: &[T], start: usize, count: usize) -> &[T] {
            let rows = rows.get(start..).unwrap_or(&[]);
            rows.get(..count).unwrap_or(rows)
        }
        let recorded = self.inner.tables();
        Ok(Table(match name {
            "flows" => tables::flows(self.inner.flows(), &self.inner.summary()),
            "cwnd" => tables::cwnd(part(&recorded.cwnd, start, count)),
            "queue" => tables::queue(part(&recorded.queue, start, count)),
            "events" => tables::events(part(&recorded.events, start, count)),
            "inner" => tables::inner(part(&recorded.inner, start, count)),
            "transfers" => tables::transfers(part(&recorded.transfers, start, count)),
            "links" => {
                let summary = self.inner.summary();
                tables::links(self.inner.links(), &Waits::with_links(&self.inner, &summary))
            }
            "rates" => tables::rates(&self.rates),
            "waits" => tables::waits(&Waits::of_all(&self.inner, &self.inner.summary())),
            _ => return Err(unknown(name)),
        }))
    }
}

/// Raises `PluginError` if a loaded algorithm has panicked.
fn sound(py: Python<'_>, simulation: &cwnd_sim::Simulation) -> PyResult<()> {
    let Some(fault) = fault::take() else { return Ok(()) };
    Err(fault::Fault { flow: simulation.failed().map(str::to_owned), ..fault }.raise(py))
}

fn unknown(name: &str) -> PyErr {
    PyKeyError::new_err(format!(
        "{name}: the tables are flows, links, rates, cwnd, queue, events, inner, transfers and waits"
    ))
}

/// What a group of traffic asks of a link: in a word, and bit/s where that says it.
fn asked(asked: Asked) -> (&'static str, Option<f64>) {
    match asked {
        Asked::Rate(rate) => ("rate", Some(rate)),
        Asked::AtMost(rate) => ("at most", Some(rate)),
        Asked::Everything => ("everything", None),
        Asked::Unbounded => ("no mean", None),
    }
}
