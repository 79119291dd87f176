// SPDX-License-Identifier: MIT OR Apache-2.0
//! Replaces the key `netem` of a document's links by the keys that it means.

use super::{Meaning, read};
use crate::invalid::{Invalid, shown};
use crate::keys::rate_formats::NO_RATE;
use serde_json::{Map, Value};

/// The key of a link.
pub(crate) const KEY: &str = "netem";

/// The document without the key, and what each line means; `None` where no link has the key.
pub(crate) fn expanded(document: &Value) -> Result<Option<(Value, Vec<String>)>, Invalid> {
    let has = |link: &Value| {
        link.get(KEY).is_some() || link.get("reverse").is_some_and(|reverse| reverse.get(KEY).is_some())
    };
    let is_any = match document.get("link") {
        Some(Value::Array(links)) => links.iter().any(has),
        Some(link) => has(link),
        None => document.get("parking_lot").is_some_and(has),
    };
    if !is_any {
        return Ok(None);
    }
    let (mut copy, mut lines) = (document.clone(), Vec::new());
    for key in ["link", "parking_lot"] {
        match copy.get_mut(key) {
            Some(Value::Array(links)) => {
                for (index, link) in links.iter_mut().enumerate() {
                    expand(&format!("{key}[{index}]"), link, false, &mut lines)?;
                }
            }
            Some(link) => {
                expand(key, link, false, &mut lines)?;
                let forward_has_rate = link.get("rate").is_some_and(|rate| rate != NO_RATE);
                if let Some(reverse) = link.get_mut("reverse") {
                    expand(&format!("{key}.reverse"), reverse, forward_has_rate, &mut lines)?;
                }
            }
            None => {}
        }
    }
    Ok(Some((copy, lines)))
}

/// Replaces the key of the link at `path`, which has the rate of another where it names none, if that has one.
fn expand(
    path: &str,
    link: &mut Value,
    other_has_rate: bool,
    lines: &mut Vec<String>,
) -> Result<(), Invalid> {
    let Some(keys) = link.as_object_mut() else { return Ok(()) };
    let Some(written) = keys.shift_remove(KEY) else { return Ok(()) };
    let field = format!("{path}.{KEY}");
    let Some(text) = written.as_str() else {
        let expected = "words of netem, such as \"delay 20ms loss 1% rate 10mbit\"".to_owned();
        return Err(Invalid { field, value: Some(shown(&written)), expected });
    };
    let refuse =
        |(value, expected)| Invalid { field: field.clone(), value: Some(format!("{value:?}")), expected };
    let has_rate = keys.get("rate").map_or(other_has_rate, |rate| rate != NO_RATE);
    let Meaning { keys: meant, lines: mut said, default_limit } = read(text, has_rate).map_err(refuse)?;
    put(path, keys, meant)?;
    if let Some((key, value, line)) = default_limit
        && !keys.contains_key(&key)
    {
        keys.insert(key, value);
        said.push(line);
    }
    lines.extend(said.into_iter().map(|line| format!("{field}: {line}")));
    Ok(())
}

fn put(path: &str, keys: &mut Map<String, Value>, meant: Map<String, Value>) -> Result<(), Invalid> {
    for (key, value) in meant {
        if let Some(other) = keys.get(&key) {
            let (field, value) = (format!("{path}.{key}"), Some(shown(other)));
            return Err(Invalid { field, value, expected: format!("no {key}: {KEY} sets it") });
        }
        if !value.is_null() {
            keys.insert(key, value);
        }
    }
    Ok(())
}
