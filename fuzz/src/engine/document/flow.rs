// SPDX-License-Identifier: MIT OR Apache-2.0
//! Flows, and the parameters of their algorithms.

use super::by_form::table;
use super::context::{DocumentContext, LONGEST, NetworkShape, Rule};
use super::draws::{before_end, rate, round_trip, short, some_rate, time, within};
use super::schema::keys_of;
use crate::engine::choices::Choices;
use cwnd::params::Spec;
use cwnd::registry::{self, Description};
use cwnd_scenario::show_param;
use serde_json::{Map, Value, json};

/// Keys of a flow that depend on the rest of the document, or bound the cost of a run. All others are drawn by their form.
pub(super) const FLOW: &[Rule] = &[
    ("cc", 0, |_, _| Value::Null),    // drawn before the others
    ("count", 0, |_, _| Value::Null), // likewise
    ("label", 0, |_, _| Value::Null), // unique among the groups
    ("stack", 0, |_, _| Value::Null), // stacks have random networks of their own, in their crate
    ("tls", 0, |_, _| Value::Null),
    ("exec", 0, |_, _| Value::Null),
    ("direction", 0, |_, _| Value::Null), // the keys of the route: see `route`
    ("from", 0, |_, _| Value::Null),
    ("to", 0, |_, _| Value::Null),
    ("path", 0, |_, _| Value::Null),
    ("back", 0, |_, _| Value::Null),
    ("start", 6, start),
    ("stop", 3, |choices, context| time(within(choices, context))),
    ("rtt", 6, |choices, context| {
        // Where links have delays: never below their sum.
        time(if context.delays {
            context.rtt.saturating_add(short(choices, context))
        } else {
            round_trip(choices, context)
        })
    }),
    ("initial_cwnd", 5, |choices, _| json!(choices.magnitude(1, 1024))),
    ("rwnd", 3, |choices, _| json!(choices.magnitude(1, 10_000))),
    ("access", 3, access),
    ("access_delay", 2, |choices, context| time(choices.whole(0, context.rtt / 32))),
    ("pacing", 3, |choices, _| json!(choices.chance(12))),
];

/// An algorithm, and one of its names.
pub(super) fn algorithm(choices: &mut Choices<'_>) -> (&'static Description, &'static str) {
    let favourite = choices.favourite().filter(|_| !choices.chance(4));
    let sets: Vec<_> = registry::all()
        .filter(|algorithm| favourite.is_none_or(|favourite| favourite.name == algorithm.name))
        .flat_map(|algorithm| algorithm.sets().map(move |set| (algorithm, set.name)))
        .collect();
    choices.one_of(&sets)
}

/// One `[[flow]]`.
pub(super) fn flow(choices: &mut Choices<'_>, context: &mut DocumentContext) -> Value {
    let (algorithm, cc) = algorithm(choices);
    context.ccs.push(cc.to_owned());
    let mut map = Map::from_iter([("cc".to_owned(), json!(cc))]);
    let count = if choices.chance(6) { choices.magnitude(1, context.flows.max(1)) } else { 1 };
    context.flows = context.flows.saturating_sub(count);
    map.insert("count".into(), json!(count));
    map.extend(table(choices, context, keys_of("flow"), FLOW));
    stop_after_start(choices, &mut map);
    offload_where_it_is(&mut map);
    map.extend(route(choices, context));
    if algorithm.name == "hybla-growth" || choices.favourite().is_some() {
        bound(choices, &mut map);
    }
    map.extend(parameters(choices, algorithm));
    Value::Object(map)
}

/// A flow that stops before it starts is refused.
fn stop_after_start(choices: &mut Choices<'_>, map: &mut Map<String, Value>) {
    let ns = |value: &Value| value.as_str()?.strip_suffix("ns")?.parse::<u64>().ok();
    let start = map.get("start").map_or(Some(0), |start| ns(start).or_else(|| ns(&start["uniform"][0])));
    let (Some(start), Some(stop)) = (start, map.get("stop").and_then(ns)) else { return };
    if stop <= start {
        map.insert("stop".into(), time(start + choices.magnitude(1, LONGEST - start)));
    }
}

/// Segmentation offload is refused but with recovery `linux`, and without a limit of bursts.
pub(super) fn offload_where_it_is(map: &mut Map<String, Value>) {
    if map.get("gso") == Some(&json!(true)) {
        map.insert("recovery".into(), json!("linux"));
        for other in ["host", "burst"] {
            map.remove(other);
        }
    }
}

/// On a path of seconds Hybla's slow start goes to 2³² segments within a round trip, and a sender without bounds sends them all;
/// an unknown algorithm may do the same.
fn bound(choices: &mut Choices<'_>, map: &mut Map<String, Value>) {
    map.entry("rwnd").or_insert_with(|| json!(choices.magnitude(1, 10_000)));
}

/// Its route: `direction`, `from` and `to`, or `path` and `back`.
fn route(choices: &mut Choices<'_>, context: &DocumentContext) -> Map<String, Value> {
    let mut map = Map::new();
    match &context.net {
        NetworkShape::Dumbbell { .. } => {
            if choices.chance(2) {
                map.insert("direction".into(), json!("reverse"));
            }
        }
        NetworkShape::Lot { hops, .. } if choices.chance(5) => {
            let first = choices.whole(1, *hops);
            let last = choices.whole(first, *hops);
            map.insert("path".into(), (first..=last).map(|number| json!(format!("hop{number}"))).collect());
            if choices.chance(6) {
                map.insert("back".into(), json!([]));
            }
        }
        net => map.extend(ends(choices, net)),
    }
    map
}

/// `from` and `to`, between which there is a route.
pub(super) fn ends(choices: &mut Choices<'_>, net: &NetworkShape) -> Map<String, Value> {
    let (nodes, both) = match net {
        NetworkShape::Dumbbell { .. } => return Map::new(),
        NetworkShape::Lot { hops, reverse } => (hops + 1, *reverse),
        NetworkShape::Graph { nodes, .. } => (*nodes, true),
    };
    let low = choices.whole(0, nodes - 2);
    let high = choices.whole(low + 1, nodes - 1);
    let (from, to) = if both && choices.chance(8) { (high, low) } else { (low, high) };
    Map::from_iter(
        [("from", from), ("to", to)].map(|(key, node)| (key.to_owned(), json!(format!("n{node}")))),
    )
}

/// Parameters that differ from the defaults.
pub(super) fn parameters(choices: &mut Choices<'_>, algorithm: &Description) -> Map<String, Value> {
    let mut map = Map::new();
    for spec in algorithm.specs {
        if choices.chance(1) {
            map.insert(spec.name.to_owned(), parameter(choices, spec));
        }
    }
    map
}

fn parameter(choices: &mut Choices<'_>, spec: &Spec) -> Value {
    let text = show_param(spec, choices.magnitude(spec.min.into(), spec.max.into()) as u32);
    match text.as_str() {
        "true" => json!(true),
        "false" => json!(false),
        _ => text.parse::<u64>().map_or_else(|_| json!(text), |whole| json!(whole)),
    }
}

fn start(choices: &mut Choices<'_>, context: &DocumentContext) -> Value {
    let (a, b) = (before_end(choices, context), before_end(choices, context));
    if a == b || choices.chance(8) {
        return time(a);
    }
    json!({ "uniform": [time(a.min(b)), time(a.max(b))] })
}

pub(super) fn access(choices: &mut Choices<'_>, context: &DocumentContext) -> Value {
    let bits = some_rate(choices, context);
    if choices.chance(8) {
        return rate(bits);
    }
    json!({ "rate": rate(bits), "queue": format!("{}packets", choices.magnitude(1, 1000)) })
}
