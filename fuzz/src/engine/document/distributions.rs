// SPDX-License-Identifier: MIT OR Apache-2.0
//! Distributions of times, sizes and counts.

use super::context::DocumentContext;
use super::draws::{short, span, time};
use super::schema::alternatives_of;
use crate::engine::choices::Choices;
use cwnd_scenario::keys::{Absent, Form, Key, KindKeys};
use serde_json::{Map, Value, json};

/// A distribution of times: of the order of a round trip, or any time.
pub(super) fn gap(choices: &mut Choices<'_>, context: &DocumentContext) -> Value {
    let typical = if choices.chance(3) { span(choices, context).max(1) } else { short(choices, context) };
    distribution(choices, "times", typical.min(1 << 50), &|ns| time(ns))
}

/// A distribution of sizes of transfers.
pub(super) fn sizes(choices: &mut Choices<'_>, context: &DocumentContext) -> Value {
    let typical = choices.magnitude(1, context.packet_size * 64);
    distribution(choices, "sizes", typical, &|bytes| json!(format!("{bytes}B")))
}

/// A distribution of counts.
pub(super) fn counts(choices: &mut Choices<'_>) -> Value {
    let typical = choices.whole(0, 9);
    if choices.chance(14) { json!(typical) } else { distribution(choices, "counts", typical, &|n| json!(n)) }
}

/// A distribution of about `typical`, and never more than ten thousand times it. Its parameters come from the table of the schema
/// called `name`.
fn distribution(choices: &mut Choices<'_>, name: &str, typical: u64, write: &dyn Fn(u64) -> Value) -> Value {
    let kinds = alternatives_of(name).iter().find_map(|form| match form {
        Form::ByKind { kinds, .. } => Some(kinds),
        _ => None,
    });
    let kinds: Vec<&KindKeys> = kinds.into_iter().flatten().collect();
    if choices.chance(2) || kinds.is_empty() {
        return write(typical);
    }
    let kind = choices.one_of(&kinds);
    let mut keys: Vec<&Key> = kind.keys.iter().collect();
    // A scale is the mean, or the key after it.
    if let Some(mean) = keys.iter().position(|key| key.name == "mean" && !is_required(key)) {
        keys.remove(mean + usize::from(choices.chance(10)));
    }
    let mut map = Map::from_iter([("kind".to_owned(), json!(kind.name))]);
    // Values rise from row to row.
    let mut value = typical.max(1);
    for key in keys {
        let drawn = match (key.name, &key.form) {
            ("at_most", _) => {
                write(value.saturating_mul(choices.magnitude(2, 10_000)).min(1 << 52).max(value + 1))
            }
            ("at_least", _) if choices.chance(12) => continue,
            ("at_least", _) => write(typical / 2),
            ("points", _) => json!([[write(typical / 2), 0.5], [write(typical.saturating_mul(2)), 1]]),
            (_, Form::Decimal { min, max, .. }) => json!(decimal(choices, *min, *max)),
            (_, Form::Flag) => json!(choices.chance(8)),
            (_, Form::Text { .. }) => continue, // a file
            _ => {
                let drawn = write(value);
                value = value.saturating_mul(choices.whole(2, 8)).min(1 << 51);
                drawn
            }
        };
        map.insert(key.name.to_owned(), drawn);
    }
    Value::Object(map)
}

const fn is_required(key: &Key) -> bool {
    matches!(key.absent, Absent::Required)
}

/// A shape that has a mean, where the range has one.
fn decimal(choices: &mut Choices<'_>, min: f64, max: f64) -> f64 {
    let millionths = |bound: f64| (bound * 1e6).round() as u64;
    let (from, to) = if max > 1.05 { (min.max(1.05), max.min(3.0)) } else { (min, max) };
    choices.whole(millionths(from), millionths(to)) as f64 / 1e6
}
