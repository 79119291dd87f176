// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines of netem and tbf.

use super::refuse;
use pyo3::prelude::*;
use serde_json::Value;

/// The keys of a link that a line means, as JSON; a line for each word; and the key, the value as JSON and the meaning of netem's own limit, where no
/// word sets one.
type NetemMeaning = (String, Vec<String>, Option<(String, String, String)>);

/// What a line of `tc … netem` or `tc … tbf` means. `has_rate`: whether the link has a rate where the line has none. Raises `ScenarioError`.
#[pyfunction]
pub fn netem_meaning(py: Python<'_>, text: &str, has_rate: bool) -> PyResult<NetemMeaning> {
    let meaning = cwnd_scenario::netem::meaning(text, has_rate).map_err(|invalid| refuse(py, &invalid))?;
    let default = meaning.default_limit.map(|(key, value, line)| (key, value.to_string(), line));
    Ok((Value::Object(meaning.keys).to_string(), meaning.lines, default))
}
