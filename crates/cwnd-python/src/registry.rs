// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registry of algorithms, as Python dictionaries.

use crate::json::to_python;
use crate::plugin_panic;
use cwnd_scenario::catalog;
use cwnd_scenario::keys::{Lanes, flow_keys_without};
use pyo3::prelude::*;

/// Every algorithm with its parameters and parameter sets.
#[pyfunction]
pub fn algorithms(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let list = to_python(py, &catalog::algorithms())?;
    plugin_panic::check(py)?;
    Ok(list)
}

/// The slow starts that an algorithm with the parameter `slow_start` can have, each with the settings that concern it.
#[pyfunction]
pub fn slow_starts(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    to_python(py, &catalog::slow_starts())
}

/// The real stacks that both ends of a flow can be, each with its crate and its own algorithms.
#[pyfunction]
pub fn stacks(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    to_python(py, &catalog::stacks())
}

/// Keys of a flow that are not parameters of its algorithm.
#[pyfunction]
pub fn flow_keys() -> Vec<&'static str> {
    cwnd_scenario::keys::flow_keys()
}

/// Keys of a flow that have no effect on a real stack.
#[pyfunction]
pub fn flow_keys_without_stack() -> Vec<&'static str> {
    flow_keys_without(Lanes::STACK)
}

/// Keys that have no effect in lane live, of flows and of traffic. Keys of stacks are left out: that lane has no stacks.
#[pyfunction]
pub fn flow_keys_without_live() -> (Vec<&'static str>, Vec<&'static str>) {
    let (flows, traffic) = (flow_keys_without(Lanes::LIVE_FLOWS), flow_keys_without(Lanes::LIVE_TRAFFIC));
    let not_of_stacks = flow_keys_without(Lanes::STACK);
    let of_stacks = |key: &&str| flows.contains(key) && !not_of_stacks.contains(key);
    let traffic = traffic.into_iter().filter(|key| !of_stacks(key)).collect();
    (flows.iter().copied().filter(|key| !of_stacks(key)).collect(), traffic)
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
