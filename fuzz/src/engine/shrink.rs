// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reduces a scenario that fails to a small one that still fails.

use crate::engine::check::check;
use crate::panics::caught;
use serde_json::{Map, Value, json};

/// The failure of the scenario `document`, if any: the broken promise, or the panic's location and message.
#[must_use]
pub fn failure_of(document: &Value, distance: u64) -> Option<String> {
    let text = toml::to_string(document).ok()?;
    match caught(|| check(&text, distance)) {
        Ok(outcome) => outcome.err().map(|broken| broken.words),
        Err(panic) => Some(panic),
    }
}

/// Known failures that are not fixed yet: texts in their messages.
const KNOWN: &str = include_str!("../../known.txt");

/// The line of `known.txt` that names this failure.
#[must_use]
pub fn known(failure: &str) -> Option<&'static str> {
    known_lines().find(|line| line.split(" | ").all(|text| failure.contains(text)))
}

/// The lines of `known.txt`.
pub fn known_lines() -> impl Iterator<Item = &'static str> {
    KNOWN.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// What identifies the cause of a failure: a panic's location, or the message up to its first number.
#[must_use]
pub fn kind_of(failure: &str) -> &str {
    if failure.starts_with("panicked at") {
        return failure.split(": ").next().unwrap_or(failure);
    }
    failure.split(|c: char| c.is_ascii_digit() || c == '\n').next().unwrap_or(failure)
}

/// Removes keys and flows and makes numbers smaller or rounder, as long as `fails` is true for the document.
pub fn shrink(document: &Value, fails: impl Fn(&Value) -> bool) -> Value {
    let mut best = document.clone();
    while let Some(smaller) = candidates(&best).into_iter().find(|candidate| fails(candidate)) {
        best = smaller;
    }
    best
}

/// Documents one step smaller, the largest steps first.
fn candidates(value: &Value) -> Vec<Value> {
    match value {
        Value::Object(map) => {
            let without = map.keys().map(|key| without(map, key));
            let inside = map.iter().flat_map(|(key, inner)| {
                candidates(inner).into_iter().map(move |smaller| {
                    let mut map = map.clone();
                    map.insert(key.clone(), smaller);
                    Value::Object(map)
                })
            });
            without.chain(inside).collect()
        }
        Value::Array(list) => {
            let without = (0..list.len()).map(|index| {
                let mut list = list.clone();
                list.remove(index);
                Value::Array(list)
            });
            let inside = list.iter().enumerate().flat_map(|(index, inner)| {
                candidates(inner).into_iter().map(move |smaller| {
                    let mut list = list.clone();
                    list[index] = smaller;
                    Value::Array(list)
                })
            });
            without.chain(inside).collect()
        }
        Value::String(text) => smaller_texts(text).into_iter().map(Value::String).collect(),
        Value::Number(number) => number
            .as_u64()
            .map_or_else(Vec::new, |n| smaller_numbers(n).into_iter().map(|n| json!(n)).collect()),
        _ => Vec::new(),
    }
}

fn without(map: &Map<String, Value>, key: &str) -> Value {
    let mut map = map.clone();
    map.shift_remove(key);
    Value::Object(map)
}

/// Smaller numbers: 0, 1, fractions, and fewer significant digits.
fn smaller_numbers(n: u64) -> Vec<u64> {
    let digits = n.checked_ilog10().unwrap_or(0);
    let rounder = (1..=digits).rev().map(|zeros| n - n % 10_u64.pow(zeros));
    let mut list: Vec<u64> =
        [0, 1, n / 10, n / 2].into_iter().chain(rounder).filter(|smaller| *smaller < n).collect();
    list.dedup();
    list
}

/// The same for the number that a quantity such as `40ms` begins with.
fn smaller_texts(text: &str) -> Vec<String> {
    let unit = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit);
    let Ok(n) = number.parse::<u64>() else { return Vec::new() };
    smaller_numbers(n).into_iter().map(|n| format!("{n}{unit}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // "Fails" when some flow has a window of 8 or more and the rate is above 1000.
    #[test]
    fn only_what_the_failure_needs_is_left() {
        let document = json!({
            "duration": "1234567ns",
            "link": { "rate": "987654bit/s", "loss": "random:0.1" },
            "flow": [{ "cc": "cubic", "rwnd": 5 }, { "cc": "reno", "initial_cwnd": 733 }],
        });
        let fails = |document: &Value| {
            let rate = document["link"]["rate"].as_str().and_then(|text| text.strip_suffix("bit/s"));
            let flows = document["flow"].as_array().map_or(&[][..], Vec::as_slice);
            rate.and_then(|rate| rate.parse::<u64>().ok()).is_some_and(|rate| rate > 1000)
                && flows.iter().any(|flow| flow["initial_cwnd"].as_u64() >= Some(8))
        };
        let expected = json!({ "link": { "rate": "1002bit/s" }, "flow": [{ "initial_cwnd": 8 }] });
        let small = shrink(&document, fails);
        assert!(fails(&small));
        assert_eq!(small["flow"].as_array().map(Vec::len), Some(1));
        assert_eq!(small.as_object().map(Map::len), Some(2), "{small} instead of about {expected}");
        assert!(small["flow"][0]["initial_cwnd"].as_u64() < Some(16), "{small}");
    }
}
