// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registry of algorithms, as Python dictionaries.

use crate::plugin_panic;
use cwnd::params::{ParamKind, Params, Spec};
use cwnd::registry;
use cwnd::slow_start::{self, SlowStartParams};
use cwnd::unit_and_scale;
use cwnd_scenario::show_param;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// Every algorithm with its parameters and parameter sets.
#[pyfunction]
pub fn algorithms(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for algorithm in registry::all() {
        let entry = PyDict::new(py);
        entry.set_item("name", algorithm.name)?;
        entry.set_item("summary", algorithm.summary)?;
        let built_in = cwnd::registry::ALGORITHMS.iter().any(|built_in| built_in.name == algorithm.name);
        entry.set_item("built_in", built_in)?;
        let sets = PyList::empty(py);
        let mut defaults = Vec::new();
        for set in algorithm.sets() {
            let Some(controller) = set.controller() else { continue };
            let values: Vec<String> = algorithm
                .specs
                .iter()
                .enumerate()
                .map(|(i, spec)| show_param(spec, controller.param(i)))
                .collect();
            let params = PyDict::new(py);
            for (spec, value) in algorithm.specs.iter().zip(&values) {
                params.set_item(spec.name, value)?;
            }
            let item = PyDict::new(py);
            item.set_item("name", set.name)?;
            item.set_item("summary", set.summary)?;
            item.set_item("source", set.source)?;
            item.set_item("recovery", set.recovery.name())?;
            item.set_item("params", params)?;
            sets.append(item)?;
            if defaults.is_empty() {
                defaults = values;
            }
        }
        let params = PyList::empty(py);
        for (spec, default) in algorithm.specs.iter().zip(defaults) {
            params.append(describe(py, spec, &default)?)?;
        }
        entry.set_item("params", params)?;
        entry.set_item("sets", sets)?;
        let inner = PyList::empty(py);
        for name in algorithm.inner() {
            let (unit, scale) = unit_and_scale(name);
            let item = PyDict::new(py);
            item.set_item("name", name)?;
            item.set_item("unit", unit)?;
            item.set_item("scale", scale)?;
            inner.append(item)?;
        }
        entry.set_item("inner", inner)?;
        list.append(entry)?;
    }
    plugin_panic::check(py)?;
    Ok(list)
}

fn describe<'py>(py: Python<'py>, spec: &Spec, default: &str) -> PyResult<Bound<'py, PyDict>> {
    let item = PyDict::new(py);
    let (kind, choices): (_, &[&str]) = match spec.kind {
        ParamKind::Decimal => ("decimal", &[]),
        ParamKind::Whole => ("whole", &[]),
        ParamKind::Flag => ("flag", &["false", "true"]),
        ParamKind::Choice(names) => ("choice", names),
    };
    item.set_item("name", spec.name)?;
    item.set_item("kind", kind)?;
    item.set_item("unit", spec.unit)?;
    item.set_item("min", show_param(spec, spec.min))?;
    item.set_item("max", show_param(spec, spec.max))?;
    item.set_item("default", default)?;
    item.set_item("choices", choices)?;
    item.set_item("help", spec.help)?;
    item.set_item("source", spec.source)?;
    item.set_item("needs", spec.condition())?;
    Ok(item)
}

/// The slow starts that an algorithm with the parameter `slow_start` can have, each with the settings that concern it.
#[pyfunction]
pub fn slow_starts(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let carries = |specs: &[Spec]| specs.iter().any(|spec| spec.name == "slow_start");
    let algorithms: Vec<_> = registry::all()
        .filter(|algorithm| carries(algorithm.specs))
        .map(|algorithm| algorithm.name)
        .collect();
    let list = PyList::empty(py);
    for choice in slow_start::CHOICES {
        let params = PyList::empty(py);
        for (index, spec) in SlowStartParams::SPECS.iter().enumerate() {
            if spec.condition() == Some(("slow_start", choice.name)) {
                params.append(describe(py, spec, &show_param(spec, choice.params.get(index)))?)?;
            }
        }
        let item = PyDict::new(py);
        item.set_item("name", choice.name)?;
        item.set_item("summary", choice.summary)?;
        item.set_item("source", choice.source)?;
        item.set_item("params", params)?;
        item.set_item("algorithms", &algorithms)?;
        list.append(item)?;
    }
    Ok(list)
}

/// Keys of a flow that are not parameters of its algorithm.
#[pyfunction]
pub fn flow_keys() -> Vec<&'static str> {
    cwnd_scenario::keys::flow_keys()
}

/// The JSON schema of a scenario, as text.
#[pyfunction]
pub fn scenario_schema() -> String {
    cwnd_scenario::keys::schema().to_string()
}

/// Up to three of `names` that resemble `name`.
#[pyfunction]
pub fn nearest(name: &str, names: Vec<String>) -> Vec<String> {
    cwnd_scenario::nearest(name, names.iter().map(String::as_str)).into_iter().map(str::to_owned).collect()
}
