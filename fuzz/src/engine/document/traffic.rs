// SPDX-License-Identifier: MIT OR Apache-2.0
//! Background traffic.

use super::by_form::{alternatives_of, by_kind, table};
use super::flow::{access, algorithm, ends, offload_where_it_is};
use super::link::NetworkShape;
use super::{DocumentContext, Rule, before_end, rate, short, some_rate, span, time, within};
use crate::engine::choices::Choices;
use cwnd_scenario::keys::{Absent, Form, Key, KindKeys};
use serde_json::{Map, Value, json};

/// Keys of traffic that depend on each other or on the rest of the document, or bound the cost of a run. All others are drawn by their form.
pub(super) const TRAFFIC: &[Rule] = &[
    ("direction", 0, |_, _| Value::Null), // the keys of the route: see `route`
    ("from", 0, |_, _| Value::Null),
    ("to", 0, |_, _| Value::Null),
    ("cc", 6, |choices, _| json!(algorithm(choices).1)),
    ("start", 6, start),
    ("stop", 3, |choices, context| time(within(choices, context))),
    // The window limits an algorithm on a path with an RTT of its own.
    ("window", 16, |choices, _| json!(format!("{}packets", choices.magnitude(1, 4096)))),
    ("initial_cwnd", 3, |choices, _| json!(choices.magnitude(1, 1024))),
    ("access", 2, access),
    ("pacing", 2, |choices, _| json!(choices.chance(12))),
    ("flows", 16, |choices, _| json!(choices.whole(1, 8))),
    ("sessions", 16, |choices, _| json!(choices.whole(1, 12))),
    ("sources", 16, |choices, _| json!(choices.whole(1, 8))),
    ("rate", 16, |choices, context| rate((some_rate(choices, context) / 8).max(1))),
    ("share", 0, |_, _| Value::Null), // this or `arrivals`: see `arrivals`
    ("arrivals", 0, |_, _| Value::Null),
];

/// One `[[traffic]]`.
pub(super) fn group(choices: &mut Choices<'_>, context: &DocumentContext) -> Value {
    let forms = alternatives_of("traffic");
    let models = forms.iter().find(|form| matches!(form, Form::ByKind { .. }));
    let mut map = match models.filter(|_| !choices.chance(3)) {
        Some(models) => by_kind(choices, context, models, TRAFFIC),
        None => table(choices, context, &preset_keys(forms), TRAFFIC),
    };
    consistent(choices, context, &mut map);
    offload_where_it_is(&mut map);
    map.extend(route(choices, context));
    Value::Object(map)
}

/// The name of a preset, and the keys that traffic of every model has.
fn preset_keys(forms: &[Form]) -> Vec<Key> {
    let kinds = forms.iter().find_map(|form| match form {
        Form::ByKind { kinds, .. } => Some(kinds),
        _ => None,
    });
    let of_every_model = |key: &&Key| {
        let has = |keys: &[Key]| keys.iter().any(|other| other.name == key.name);
        key.name == "preset" || kinds.is_some_and(|kinds| kinds.iter().all(|kind| has(&kind.keys)))
    };
    let with_preset = forms.iter().find_map(|form| match form {
        Form::Table(keys) => Some(keys),
        _ => None,
    });
    with_preset.into_iter().flatten().filter(of_every_model).cloned().collect()
}

/// Draws the keys that depend on another, and takes out those that contradict one.
fn consistent(choices: &mut Choices<'_>, context: &DocumentContext, map: &mut Map<String, Value>) {
    match map.get("model").and_then(Value::as_str) {
        Some("mix") if choices.chance(8) => {
            map.insert("share".into(), json!(choices.magnitude(1000, 2_000_000) as f64 / 1e6));
        }
        Some("mix") => {
            map.insert("arrivals".into(), gap(choices, context));
        }
        Some("udp") if map.contains_key("on") != map.contains_key("off") => {
            map.shift_remove("on");
            map.shift_remove("off");
        }
        Some("sessions") => {
            // One connection cannot have a transfer that begins before the one before has ended.
            let overlaps =
                ["gap_from", "object_gap_from"].iter().any(|key| map.get(*key) == Some(&json!("start")));
            if overlaps {
                map.shift_remove("keep");
            }
        }
        _ => {}
    }
}

fn route(choices: &mut Choices<'_>, context: &DocumentContext) -> Map<String, Value> {
    if !matches!(context.net, NetworkShape::Dumbbell { .. }) {
        return ends(choices, &context.net);
    }
    let mut map = Map::new();
    if choices.chance(8) {
        map.insert("direction".into(), json!(choices.one_of(&["forward", "reverse", "both"])));
    }
    map
}

fn start(choices: &mut Choices<'_>, context: &DocumentContext) -> Value {
    let from = before_end(choices, context);
    match choices.whole(0, 3) {
        0 => time(from),
        1 if from > 0 => json!({ "uniform": [time(0), time(from)] }),
        2 => json!({ "every": time(short(choices, context)), "from": time(from) }),
        _ => json!({ "poisson": time(short(choices, context)), "from": time(from) }),
    }
}

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
