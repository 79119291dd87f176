// SPDX-License-Identifier: MIT OR Apache-2.0
//! Links: dumbbells, parking lots, graphs.

use super::by_form::{by_kind, table};
use super::context::{DocumentContext, MOST_QUEUED, NetworkShape, Rule};
use super::draws::{decimal, millionths, rate, short, size, some_rate, time, within};
use super::schema::keys_of;
use crate::engine::choices::Choices;
use serde_json::{Map, Value, json};

/// Keys of a link that depend on the rest of the document. All others are drawn by their form.
pub(super) const LINK: &[Rule] = &[
    ("rate", 16, link_rate),
    ("delay", 16, |choices, context| {
        time(if context.delays { choices.whole(0, context.rtt / 32) } else { 0 })
    }),
    ("delay_limit", 8, |choices, _| json!(format!("{}packets", choices.magnitude(1, MOST_QUEUED)))), // of a link without a rate
    ("loss", 7, |choices, _| json!(loss(choices))),
    ("queue", 15, queue),
    ("jitter", 3, jitter),
    (
        "reorder",
        3,
        |choices, context| json!({ "share": millionths(choices).max(1) as f64 / 1e6, "extra": time(short(choices, context)) }),
    ),
    ("rtt", 0, |_, _| Value::Null), // written with the shape of the network
    ("packet_size", 0, |_, _| Value::Null), // likewise
    ("reverse", 0, |_, _| Value::Null),
];

/// Keys of a queue that depend on each other.
pub(super) const QUEUE: &[Rule] = &[
    ("limit", 16, |choices, context| json!(size(choices, context))),
    ("min", 16, |choices, _| json!(format!("{}packets", choices.magnitude(0, MOST_QUEUED)))),
    ("max", 16, |choices, _| json!(format!("{}packets", MOST_QUEUED + choices.magnitude(1, MOST_QUEUED)))),
];

/// The keys of a link, whatever the shape of the network. A few have no rate.
fn link_keys(choices: &mut Choices<'_>, context: &DocumentContext) -> Map<String, Value> {
    let mut map = table(choices, context, keys_of("link"), LINK);
    if choices.chance(1) {
        map.retain(|key, _| !["queue", "count_in_service"].contains(&key.as_str()));
        map.insert("rate".into(), json!("none"));
    } else {
        map.remove("delay_limit");
    }
    map
}

/// The key of the links, and its value.
pub(super) fn network(choices: &mut Choices<'_>, context: &mut DocumentContext) -> (&'static str, Value) {
    match choices.whole(0, 15) {
        15 | 14 => {
            let nodes = choices.whole(2, 6);
            let mut ends: Vec<(u64, u64)> =
                (1..nodes).flat_map(|node| [(node - 1, node), (node, node - 1)]).collect();
            for _ in 0..choices.whole(0, 3) {
                let (from, to) = (choices.whole(0, nodes - 1), choices.whole(0, nodes - 1));
                if from != to {
                    ends.push((from, to));
                }
            }
            let names: Vec<String> = (0..ends.len()).map(|number| format!("l{number}")).collect();
            let links = ends.iter().zip(&names).map(|((from, to), name)| {
                let mut map = Map::from_iter([("name".to_owned(), json!(name))]);
                map.insert("from".into(), json!(format!("n{from}")));
                map.insert("to".into(), json!(format!("n{to}")));
                map.extend(link_keys(choices, context));
                Value::Object(map)
            });
            let links = Value::Array(links.collect());
            context.net = NetworkShape::Graph { nodes, links: names };
            ("link", links)
        }
        13 | 12 => {
            let hops = choices.whole(1, 5);
            let mut map = link_keys(choices, context);
            map.insert("hops".into(), json!(hops));
            let reverse = choices.chance(8);
            if reverse {
                map.insert("reverse".into(), way_back(choices, context));
            }
            context.net = NetworkShape::Lot { hops, reverse };
            ("parking_lot", Value::Object(map))
        }
        _ => {
            let mut map = link_keys(choices, context);
            map.insert("rtt".into(), time(context.rtt));
            let reverse = choices.chance(5);
            if reverse {
                map.insert("reverse".into(), way_back(choices, context));
            }
            context.net = NetworkShape::Dumbbell { reverse };
            ("link", Value::Object(map))
        }
    }
}

fn way_back(choices: &mut Choices<'_>, context: &DocumentContext) -> Value {
    if choices.chance(6) { json!(true) } else { Value::Object(link_keys(choices, context)) }
}

fn link_rate(choices: &mut Choices<'_>, context: &DocumentContext) -> Value {
    let first = some_rate(choices, context);
    if !choices.chance(3) {
        return rate(first);
    }
    let mut at = 0;
    let mut steps = vec![json!([time(0), rate(first)])];
    for _ in 0..choices.whole(0, 5) {
        at += within(choices, context) / 4 + 1;
        steps.push(json!([time(at), rate(if choices.chance(3) { 0 } else { some_rate(choices, context) })]));
    }
    Value::Array(steps)
}

fn loss(choices: &mut Choices<'_>) -> String {
    match choices.whole(0, 4) {
        0 => format!("random:{}", decimal(choices.magnitude(1, 999_999))),
        1 => format!("every:{}", choices.magnitude(1, MOST_QUEUED)),
        2 => format!("every:{},{}", choices.magnitude(1, MOST_QUEUED), choices.magnitude(1, MOST_QUEUED)),
        3 => {
            let parts: Vec<String> = (0..4).map(|_| decimal(millionths(choices))).collect();
            format!("gilbert:{}", parts.join(","))
        }
        _ => {
            let mut at = 0;
            let list: Vec<String> = (0..=choices.whole(0, 40))
                .map(|_| {
                    at += choices.magnitude(1, 256);
                    at.to_string()
                })
                .collect();
            format!("at:{}", list.join(","))
        }
    }
}

fn jitter(choices: &mut Choices<'_>, context: &DocumentContext) -> Value {
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| map.insert(key.to_owned(), value);
    match choices.whole(0, 4) {
        0 => return time(short(choices, context)),
        1 => {
            put("kind", json!("uniform"));
            put("max", time(short(choices, context)));
        }
        2 => {
            put("kind", json!("normal"));
            put("mean", time(short(choices, context)));
            put("sd", time(short(choices, context)));
        }
        3 => {
            put("kind", json!("exponential"));
            put("mean", time(short(choices, context)));
        }
        _ => {
            put("kind", json!("none"));
        }
    }
    put("overtaking", json!(choices.chance(8)));
    Value::Object(map)
}

/// A queue: half of them DropTail, the others of any discipline.
fn queue(choices: &mut Choices<'_>, context: &DocumentContext) -> Value {
    let form = keys_of("link").iter().find(|key| key.name == "queue").map(|key| &key.form);
    match form.filter(|_| choices.chance(8)) {
        Some(form) => {
            let mut map = by_kind(choices, context, form, QUEUE);
            let in_bytes = choices.chance(5);
            for threshold in ["min", "max"].into_iter().filter(|_| in_bytes) {
                if let Some(Value::String(text)) = map.get_mut(threshold) {
                    *text = text.replace("packets", "kB");
                }
            }
            Value::Object(map)
        }
        None => json!({ "kind": "droptail", "limit": size(choices, context) }),
    }
}
