// SPDX-License-Identifier: MIT OR Apache-2.0
//! A command behind emulated links.

use crate::lab::raised;
use crate::scenario::Scenario;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::time::Duration;

/// A command behind the links of a scenario's first flow: its reverse path is what comes back.
#[pyclass(module = "cwnd._native")]
pub struct Shell {
    inner: Option<cwnd_live::Shell>,
}

#[pymethods]
impl Shell {
    /// Starts `command`. Raises `OSError` for what the system refuses, with the command's name where it cannot be run.
    #[new]
    fn new(py: Python<'_>, scenario: &Scenario, command: Vec<String>) -> PyResult<Self> {
        let scenario = &scenario.inner;
        let inner = py.detach(|| cwnd_live::Shell::start(scenario, &command)).map_err(raised)?;
        Ok(Self { inner: Some(inner) })
    }

    /// Address at which the command finds this machine.
    #[getter]
    fn address(&self) -> Option<String> {
        self.inner.as_ref().map(|shell| shell.address().to_string())
    }

    /// Waits up to `milliseconds`, without the interpreter's lock, for the command's exit code; 128 and the signal that ended it.
    fn wait(&mut self, py: Python<'_>, milliseconds: u64) -> PyResult<Option<i32>> {
        let Some(inner) = &mut self.inner else { return Ok(None) };
        py.detach(|| inner.wait(Duration::from_millis(milliseconds))).map_err(raised)
    }

    /// Waits up to `milliseconds` for what the ended command has written; whether its connections have delivered everything.
    fn wait_for_delivery(&mut self, py: Python<'_>, milliseconds: u64) -> PyResult<bool> {
        let Some(inner) = &mut self.inner else { return Ok(true) };
        py.detach(|| inner.wait_for_delivery(Duration::from_millis(milliseconds))).map_err(raised)
    }

    /// Waits up to `milliseconds` until what has been sent by the first call has been delivered; whether it has. Nothing more enters the links.
    fn drain(&self, py: Python<'_>, milliseconds: u64) -> bool {
        let Some(inner) = &self.inner else { return true };
        py.detach(|| inner.drain(Duration::from_millis(milliseconds)))
    }

    /// The next piece of the file of what the command has sent and received, where the scenario captures the senders' packets.
    fn take_packets<'py>(&mut self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner.as_mut().map(cwnd_live::Shell::take_packets).unwrap_or_default())
    }

    /// Sends the command a signal.
    fn signal(&self, number: i32) {
        if let Some(inner) = &self.inner {
            inner.signal(number);
        }
    }

    /// Ends the links; what they have done, with the last piece of what was captured, once.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(inner) = self.inner.take() else { return Ok(None) };
        let (Some(report), packets) = py.detach(|| inner.finish()).map_err(raised)? else { return Ok(None) };
        let whole = PyDict::new(py);
        let late = &report.crossing.lateness;
        whole.set_item("packets_delivered", late.packets())?;
        let drops: u64 = report.crossing.emulator.links().iter().map(|link| link.count.drops.total()).sum();
        whole.set_item("drops", drops)?;
        whole.set_item("late_p99_ms", late.per_mille(990) as f64 / 1e6)?;
        whole.set_item("late_worst_ms", late.worst() as f64 / 1e6)?;
        whole.set_item("packets_foreign", report.crossing.foreign)?;
        whole.set_item("packets", PyBytes::new(py, &packets))?;
        Ok(Some(whole))
    }
}
