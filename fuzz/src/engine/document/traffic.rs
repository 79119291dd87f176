// SPDX-License-Identifier: MIT OR Apache-2.0
//! Background traffic.

use super::by_form::{by_kind, table};
use super::context::{DocumentContext, NetworkShape, Rule};
use super::distributions::gap;
use super::draws::{before_end, rate, short, some_rate, time, within};
use super::flow::{access, algorithm, ends, offload_where_it_is};
use super::schema::alternatives_of;
use crate::engine::choices::Choices;
use cwnd_scenario::keys::{Form, Key};
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
