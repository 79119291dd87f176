// SPDX-License-Identifier: MIT OR Apache-2.0
//! A running simulation.

use crate::clock::thread_cpu_s;
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
        for (link, waits) in summary.links.iter().zip(Waits::of_all(&self.inner, &summary)) {
            let item = PyDict::new(py);
            item.set_item("name", &link.name)?;
            item.set_item("capacity_mbps", link.capacity_mbps)?;
            item.set_item("utilization", link.utilization)?;
            item.set_item("packets", waits.packets())?;
            item.set_item("drops_queue", link.drops_queue)?;
            item.set_item("drops_loss", link.drops_loss)?;
            item.set_item("queue_mean_ms", link.queue_mean_ms)?;
            item.set_item("queue_p50_ms", waits.percentile_ms(50))?;
            item.set_item("queue_p95_ms", waits.percentile_ms(95))?;
            item.set_item("queue_p99_ms", waits.percentile_ms(99))?;
            item.set_item("queue_max_ms", link.queue_max_ms)?;
            links.append(item)?;
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
            item.set_item("transfers", group.tally.transfers)?;
            item.set_item("finished", group.tally.finished)?;
            item.set_item("datagrams", group.tally.packets)?;
            traffic.append(item)?;
        }
        let flows = PyList::empty(py);
        for (flow, route) in summary.flows.iter().zip(self.inner.flows()) {
            let item = PyDict::new(py);
            item.set_item("name", &flow.name)?;
            item.set_item("label", &*route.label)?;
            item.set_item("cc", &flow.cc)?;
            item.set_item("recovery", flow.recovery)?;
            item.set_item("rtt_ms", flow.rtt_ms)?;
            item.set_item("start_s", flow.start_s)?;
            item.set_item("throughput_mbps", flow.throughput_mbps)?;
            item.set_item("goodput_mbps", flow.goodput_mbps)?;
            item.set_item("share", flow.share)?;
            item.set_item("cwnd_mean", flow.cwnd_mean)?;
            item.set_item("packets_sent", flow.packets_sent)?;
            item.set_item("retransmits", flow.retransmits)?;
            item.set_item("timeouts", flow.timeouts)?;
            item.set_item("drops", flow.drops)?;
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
                tables::links(self.inner.links(), &summary, &Waits::of_all(&self.inner, &summary))
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
