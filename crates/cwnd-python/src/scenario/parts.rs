// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a scenario holds, as typed values.

use cwnd_scenario::Start;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

/// A group of flows with the same settings.
#[pyclass(frozen, eq, module = "cwnd._native")]
#[derive(Clone, PartialEq)]
pub struct FlowGroup {
    /// Its label; of several groups with one label, its flows' names.
    #[pyo3(get)]
    pub name: String,
    #[pyo3(get)]
    pub label: String,
    #[pyo3(get)]
    pub cc: String,
    /// Numbers of its first flow, and of the first flow after it.
    numbers: (u32, u32),
    /// The earliest and the latest start under any seed, s.
    #[pyo3(get)]
    pub start_s: (f64, f64),
    /// When its application stops, s.
    #[pyo3(get)]
    pub stop_s: Option<f64>,
}

#[pymethods]
impl FlowGroup {
    #[new]
    fn new(
        name: String,
        label: String,
        cc: String,
        flows: &Bound<'_, PyAny>,
        start_s: (f64, f64),
        stop_s: Option<f64>,
    ) -> PyResult<Self> {
        let numbers = (flows.getattr("start")?.extract()?, flows.getattr("stop")?.extract()?);
        Ok(Self { name, label, cc, numbers, start_s, stop_s })
    }

    /// Pickles and copies are made of the type and its arguments.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyType>, Bound<'py, PyTuple>)> {
        let (py, part) = (slf.py(), slf.get());
        let arguments = (&part.name, &part.label, &part.cc, part.flows(py)?, part.start_s, part.stop_s);
        Ok((slf.get_type(), arguments.into_pyobject(py)?))
    }

    /// The numbers of its flows.
    #[getter]
    fn flows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("builtins")?.getattr("range")?.call1(self.numbers)
    }

    fn __repr__(&self) -> String {
        format!(
            "FlowGroup({:?}, {:?}, flows {} to {})",
            self.name,
            self.cc,
            self.numbers.0,
            self.numbers.1 - 1
        )
    }
}

/// A link with its settings.
#[pyclass(frozen, eq, get_all, module = "cwnd._native")]
#[derive(Clone, PartialEq)]
pub struct LinkSettings {
    pub name: String,
    /// The nodes that it starts and ends at.
    pub ends: (String, String),
    /// Whether it is the reverse link of a dumbbell.
    pub is_reverse: bool,
    /// Round trip time for sizes in BDP, ms.
    pub rtt_ms: f64,
    /// The kind of its queue; `None` without a rate, where it has none.
    pub queue: Option<String>,
    /// The limit of its queue, with a space before each unit: `1.5 BDP`; of a link without a rate that of the packets on it, if it has one.
    pub limit: Option<String>,
    /// Its random losses, as a scenario writes them.
    pub loss: Option<String>,
}

#[pymethods]
impl LinkSettings {
    #[new]
    const fn new(
        name: String,
        ends: (String, String),
        is_reverse: bool,
        rtt_ms: f64,
        queue: Option<String>,
        limit: Option<String>,
        loss: Option<String>,
    ) -> Self {
        Self { name, ends, is_reverse, rtt_ms, queue, limit, loss }
    }

    /// Pickles and copies are made of the type and its arguments.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyType>, Bound<'py, PyTuple>)> {
        let (py, part) = (slf.py(), slf.get());
        let Self { name, ends, is_reverse, rtt_ms, queue, limit, loss } = part;
        let arguments = (name, (&ends.0, &ends.1), *is_reverse, *rtt_ms, queue, limit, loss);
        Ok((slf.get_type(), arguments.into_pyobject(py)?))
    }

    fn __repr__(&self) -> String {
        let words = |text: &Option<String>, none: &str| text.clone().unwrap_or_else(|| none.to_owned());
        let (queue, limit) = (words(&self.queue, "no queue"), words(&self.limit, "no limit"));
        format!("LinkSettings({:?}, {queue}, {limit})", self.name)
    }
}

/// An action on a flow or a link.
#[pyclass(frozen, eq, get_all, module = "cwnd._native")]
#[derive(Clone, PartialEq)]
pub struct Action {
    /// `start`, `stop`, `switch`, `rate`, `delay` or `buffer`.
    pub kind: String,
    pub at_s: f64,
    /// The flows by name, label or algorithm, or the link by name.
    pub on: String,
    /// The new value of a link's setting, as a scenario writes it.
    pub to: Option<String>,
}

#[pymethods]
impl Action {
    #[new]
    const fn new(kind: String, at_s: f64, on: String, to: Option<String>) -> Self {
        Self { kind, at_s, on, to }
    }

    /// Pickles and copies are made of the type and its arguments.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyType>, Bound<'py, PyTuple>)> {
        let (py, part) = (slf.py(), slf.get());
        let arguments = (&part.kind, part.at_s, &part.on, &part.to);
        Ok((slf.get_type(), arguments.into_pyobject(py)?))
    }

    fn __repr__(&self) -> String {
        let to = self.to.as_ref().map_or_else(String::new, |to| format!(" to {to}"));
        format!("Action({} {:?}{to} at {} s)", self.kind, self.on, self.at_s)
    }
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

pub fn groups(scenario: &cwnd_scenario::Scenario) -> Vec<FlowGroup> {
    let mut end = 0;
    let names = scenario.group_names().into_iter().zip(scenario.labels());
    scenario
        .flows
        .iter()
        .zip(names)
        .map(|(group, (name, label))| {
            let begin = end;
            end += group.count;
            let (earliest, latest) = match group.start {
                Start::At(at) => (at, at),
                Start::Uniform(from, to) => (from, to),
            };
            FlowGroup {
                name,
                label,
                cc: group.cc.clone(),
                numbers: (begin, end),
                start_s: (seconds(earliest), seconds(latest)),
                stop_s: group.stop.map(seconds),
            }
        })
        .collect()
}

pub fn links(scenario: &cwnd_scenario::Scenario) -> Vec<LinkSettings> {
    let reverse = scenario.dumbbell.and_then(|dumbbell| dumbbell.reverse);
    let link = |(number, link): (u32, &cwnd_scenario::LinkSpec)| {
        let (queue, limit) = match link.queue_in_words() {
            Some((kind, limit)) => (Some(kind.to_owned()), Some(limit)),
            None => (None, link.delay_limit.map(|packets| format!("{packets} packets"))),
        };
        LinkSettings {
            name: link.name.clone(),
            ends: (link.from.clone(), link.to.clone()),
            is_reverse: reverse == Some(number),
            rtt_ms: link.rtt as f64 / 1e6,
            queue,
            limit,
            loss: link.loss_text(),
        }
    };
    (0..).zip(&scenario.links).map(link).collect()
}

pub fn actions(scenario: &cwnd_scenario::Scenario) -> Vec<Action> {
    scenario
        .actions
        .iter()
        .map(|action| {
            let (kind, on, to) = action.written();
            Action { kind, at_s: seconds(action.at), on, to }
        })
        .collect()
}
