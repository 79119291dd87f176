// SPDX-License-Identifier: MIT OR Apache-2.0
//! Changes at given times.

use super::by_form::table;
use super::context::{DocumentContext, Rule};
use super::draws::{before_end, time};
use super::flow::{algorithm, parameters};
use super::schema::alternatives_of;
use crate::engine::choices::Choices;
use cwnd_scenario::keys::Form;
use serde_json::{Map, Value, json};

/// Keys of an action that depend on the rest of the document. All others are drawn by their form.
pub(super) const ACTION: &[Rule] = &[
    ("flow", 16, |choices, context| {
        // The name of an algorithm refers to all its flows.
        json!(context.ccs[choices.whole(0, context.ccs.len() as u64 - 1) as usize])
    }),
    ("link", 16, |choices, context| {
        let links = context.net.links();
        json!(links[choices.whole(0, links.len() as u64 - 1) as usize])
    }),
    ("at", 16, |choices, context| time(before_end(choices, context))),
    ("cc", 0, |_, _| Value::Null), // drawn with its parameters
];

/// One `[[action]]`.
pub(super) fn action(choices: &mut Choices<'_>, context: &DocumentContext) -> Value {
    let kinds: Vec<_> = alternatives_of("action").iter().filter_map(of_kind).collect();
    let (kind, keys) = choices.one_of(&kinds);
    let mut map = table(choices, context, keys, ACTION);
    if keys.iter().any(|key| key.name == "cc") {
        // See the bound on flows: such algorithms are not switched to.
        let (algorithm, cc) = algorithm(choices);
        let cc = if algorithm.name == "hybla-growth" { "cubic" } else { cc };
        map.insert("cc".into(), json!(cc));
        if cc != "cubic" {
            map.extend(parameters(choices, algorithm));
        }
    }
    Value::Object(Map::from_iter([(kind.to_owned(), Value::Object(map))]))
}

/// The name of an action, and the keys of its table.
pub(super) fn of_kind(form: &Form) -> Option<(&'static str, &[cwnd_scenario::keys::Key])> {
    let Form::Table(action) = form else { return None };
    match action.as_slice() {
        [key] => match &key.form {
            Form::Table(keys) => Some((key.name, keys)),
            _ => None,
        },
        _ => None,
    }
}
