// SPDX-License-Identifier: MIT OR Apache-2.0
//! Generates the document of a scenario from bytes.
//!
//! All keys but those of the document itself come from the tables of the schema ([`cwnd_scenario::keys`]), and each is drawn by what
//! it accepts: a new key needs no line here. A [`Rule`] draws a key whose value depends on the rest of the document.
//!
//! Documents are bounded by the cost of a run: about ten thousand packets over a link, forty flows, two hundred samples. In
//! one of eight, the *wild* ones, times and rates come from the whole range that the schema accepts; those runs end after
//! [`check`](crate::engine::check)'s max number of events. Traces of rates are not generated, because they are files.

mod action;
mod by_form;
mod context;
mod distributions;
mod draws;
mod flow;
mod link;
mod schema;
mod traffic;

use crate::engine::choices::Choices;
use by_form::table;
use context::{DocumentContext, LONGEST, NetworkShape, Rule};
use cwnd::registry::Description;
use draws::{round_trip, time, within};
use schema::keys_of;
use serde_json::{Map, Value, json};

const RECORD: &[Rule] = &[
    ("interval", 16, |choices, context| {
        time(if choices.chance(4) { 0 } else { (context.duration / choices.whole(1, 200)).max(1) })
    }),
    ("per_ack", 3, |choices, _| json!(choices.chance(12))),
    ("inner", 4, |choices, _| json!(choices.chance(12))),
    ("flows", 1, |choices, _| json!(choices.one_of(&["all", "none"]))),
    ("limit", 0, |_, _| Value::Null), // no run is refused for its size
];

/// The document of a scenario. Most are valid.
#[must_use]
pub fn document(bytes: &[u8]) -> Value {
    from_choices(&mut Choices::new(bytes))
}

/// The document of a scenario about `algorithm`: the first flow is its, and most others are.
#[must_use]
pub fn document_about(bytes: &[u8], algorithm: &'static Description) -> Value {
    from_choices(&mut Choices::favouring(bytes, algorithm))
}

fn from_choices(choices: &mut Choices<'_>) -> Value {
    let mut context = context(choices);
    let mut root = Map::from_iter([("duration".to_owned(), time(context.duration))]);
    if choices.chance(4) {
        let to = within(choices, &context).max(1);
        root.insert("measure".into(), json!([time(choices.whole(0, to - 1)), time(to)]));
    }
    root.insert("seed".into(), json!(choices.magnitude(0, i64::MAX as u64)));
    if context.packet_size != 1500 {
        root.insert("packet_size".into(), json!(format!("{}B", context.packet_size)));
    }
    root.insert("record".into(), Value::Object(table(choices, &context, keys_of("record"), RECORD)));
    let (name, links) = link::network(choices, &mut context);
    root.insert(name.into(), links);
    let groups: Vec<Value> = (0..=choices.whole(0, 4)).map(|_| flow::flow(choices, &mut context)).collect();
    let traffic = several(choices, 4, 2, |choices| traffic::group(choices, &context));
    let actions = several(choices, 5, 6, |choices| action::action(choices, &context));
    for (name, list) in [("flow", groups), ("traffic", traffic), ("action", actions)] {
        if !list.is_empty() {
            root.insert(name.into(), Value::Array(list));
        }
    }
    Value::Object(root)
}

fn several(
    choices: &mut Choices<'_>,
    often: u64,
    most: u64,
    mut item: impl FnMut(&mut Choices<'_>) -> Value,
) -> Vec<Value> {
    let count = if choices.chance(often) { choices.whole(1, most) } else { 0 };
    (0..count).map(|_| item(choices)).collect()
}

fn context(choices: &mut Choices<'_>) -> DocumentContext {
    let wild = choices.chance(2);
    let packet_size = if choices.chance(4) { choices.magnitude(100, 64_000) } else { 1500 };
    let rate = if wild { choices.magnitude(1, 1 << 40) } else { choices.magnitude(10_000, 40_000_000_000) };
    let packets = choices.magnitude(8, 16_384);
    let fitting = u128::from(packets) * u128::from(packet_size) * 8_000_000_000 / u128::from(rate);
    let fitting = fitting.clamp(1_000, 1_000_000_000_000) as u64;
    let duration = if wild { choices.magnitude(1, LONGEST) } else { fitting };
    let mut context = DocumentContext {
        duration,
        rate,
        rtt: 0,
        packet_size,
        wild,
        delays: choices.chance(6),
        net: NetworkShape::Dumbbell { reverse: false },
        flows: 40,
        ccs: Vec::new(),
    };
    context.rtt = round_trip(choices, &context);
    context
}

/// The number of events between two audits, by `bytes`. No distance but 1 divides another.
#[must_use]
pub fn distance(bytes: &[u8]) -> u64 {
    const DISTANCES: [u64; 4] = [97, 31, 7, 1];
    DISTANCES[bytes.len() % DISTANCES.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::choices::random_bytes;

    #[test]
    fn every_rule_is_about_a_key_that_exists() {
        let queue = keys_of("link").iter().find(|key| key.name == "queue").expect("a queue");
        let cwnd_scenario::keys::Form::ByKind { kinds, common, .. } = &queue.form else {
            panic!("{queue:?}")
        };
        let of_queue: Vec<_> = kinds.iter().flat_map(|kind| &kind.keys).chain(common).cloned().collect();
        let of_actions: Vec<_> = schema::alternatives_of("action")
            .iter()
            .filter_map(action::of_kind)
            .flat_map(|(_, keys)| keys.iter().cloned())
            .collect();
        let models = schema::alternatives_of("traffic").iter().filter_map(|form| match form {
            cwnd_scenario::keys::Form::ByKind { kinds, .. } => Some(kinds),
            _ => None,
        });
        let of_traffic: Vec<_> = models.flatten().flat_map(|kind| kind.keys.iter().cloned()).collect();
        for (keys, rules) in [
            (&of_actions[..], action::ACTION),
            (&of_traffic, traffic::TRAFFIC),
            (keys_of("flow"), flow::FLOW),
            (keys_of("link"), link::LINK),
            (keys_of("record"), RECORD),
            (&of_queue, link::QUEUE),
        ] {
            for (name, ..) in rules {
                assert!(keys.iter().any(|key| key.name == *name), "{name}");
            }
        }
    }

    #[test]
    fn every_key_of_a_flow_and_of_a_link_is_written_and_most_documents_are_valid() {
        let (mut flow, mut link, mut valid) = (Map::new(), Map::new(), 0);
        for seed in 0..400 {
            let document = document(&random_bytes(seed, 2000));
            valid += usize::from(cwnd_scenario::Scenario::from_json(&document.to_string()).is_ok());
            for group in document["flow"].as_array().into_iter().flatten() {
                flow.extend(group.as_object().cloned().unwrap_or_default());
            }
            link.extend(document["link"].as_object().cloned().unwrap_or_default());
        }
        // The words of netem stand for other keys of a link; `tests/readers.rs` reads them at random.
        for (table, written, never) in [
            ("flow", flow, &["label", "stack", "tls", "exec"][..]),
            ("link", link, &["packet_size", "netem"]),
        ] {
            for key in keys_of(table) {
                assert!(written.contains_key(key.name) != never.contains(&key.name), "{table}.{}", key.name);
            }
        }
        assert!(valid > 200, "{valid} of 400");
    }
}
