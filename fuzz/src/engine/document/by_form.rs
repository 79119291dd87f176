// SPDX-License-Identifier: MIT OR Apache-2.0
//! Draws the keys of a table: by a rule of the generator where there is one, else by what the table of keys says that the key accepts.

use super::context::{DocumentContext, LONGEST, Rule};
use super::distributions::{counts, gap, sizes};
use super::draws::{rate, size, some_rate, span, time};
use crate::engine::choices::Choices;
use cwnd_scenario::keys::{Absent, Form, Key, KindKeys, Quantity};
use serde_json::{Map, Value, json};

/// In how many of 16 documents a key without a rule is written.
const OFTEN: u64 = 3;
/// Largest whole number without a rule: no run becomes longer by orders of magnitude.
const LARGEST: u64 = 1 << 30;

/// The keys of this table, each by its rule or by its form.
pub(super) fn table(
    choices: &mut Choices<'_>,
    context: &DocumentContext,
    keys: &[Key],
    rules: &[Rule],
) -> Map<String, Value> {
    let mut map = Map::new();
    for key in keys {
        let rule = rules.iter().find(|(name, ..)| *name == key.name);
        let often = match (rule, &key.absent) {
            (Some((_, often, _)), _) => *often,
            (None, Absent::Required) => 16,
            (None, _) => OFTEN,
        };
        if often != 16 && !choices.chance(often) {
            continue;
        }
        let value = match rule {
            Some((.., draw)) => Some(draw(choices, context)),
            None => value(choices, context, &key.form),
        };
        map.extend(value.map(|value| (key.name.to_owned(), value)));
    }
    map
}

/// One of the alternatives of a table by kind, with its keys.
pub(super) fn by_kind(
    choices: &mut Choices<'_>,
    context: &DocumentContext,
    form: &Form,
    rules: &[Rule],
) -> Map<String, Value> {
    let Form::ByKind { key, kinds, common } = form else { return Map::new() };
    // Queues of the kernel are lane linux's alone.
    let all: Vec<&KindKeys> = kinds.iter().filter(|kind| kind.name != "kernel").collect();
    let kind = choices.one_of(&all);
    let mut map = Map::from_iter([((*key).to_owned(), json!(kind.name))]);
    for keys in [common, &kind.keys] {
        map.extend(table(choices, context, keys, rules));
    }
    map
}

/// A value of this form; `None` for a syntax that is not known here.
fn value(choices: &mut Choices<'_>, context: &DocumentContext, form: &Form) -> Option<Value> {
    Some(match form {
        Form::Flag => json!(choices.chance(8)),
        Form::Whole { min, max } => json!(choices.magnitude(*min, (*max).min(LARGEST))),
        Form::Decimal { min, max, .. } => {
            let millionths = |bound: f64| (bound * 1e6).ceil() as u64;
            json!(choices.magnitude(millionths(*min), millionths(*max)) as f64 / 1e6)
        }
        Form::Text { .. } => json!("x"),
        Form::Choice(names) => json!(choices.one_of(names)),
        Form::Quantity(quantity) => quantity_of(choices, context, *quantity),
        Form::Syntax { .. } => return None,
        Form::List { item, min } => {
            let items = (0..choices.whole((*min).max(1), 3)).map(|_| value(choices, context, item));
            Value::Array(items.collect::<Option<_>>()?)
        }
        Form::Tuple(items) => {
            Value::Array(items.iter().map(|item| value(choices, context, item)).collect::<Option<_>>()?)
        }
        Form::Table(keys) => Value::Object(table(choices, context, keys, &[])),
        Form::ByKind { .. } => Value::Object(by_kind(choices, context, form, &[])),
        Form::Named("times") => gap(choices, context),
        Form::Named("sizes") => sizes(choices, context),
        Form::Named("counts") => counts(choices),
        Form::Named(_) => return None,
        Form::Either(forms) => {
            let all: Vec<&Form> = forms.iter().collect();
            let form = choices.one_of(&all);
            value(choices, context, form)?
        }
    })
}

fn quantity_of(choices: &mut Choices<'_>, context: &DocumentContext, quantity: Quantity) -> Value {
    match quantity {
        Quantity::Time(min, max) => time(span(choices, context).clamp(min, max.min(LONGEST))),
        Quantity::Rate { or_outage: true } if choices.chance(4) => rate(0),
        Quantity::Rate { .. } => rate(some_rate(choices, context)),
        Quantity::Size(min, max) => json!(format!("{}B", choices.magnitude(min, max))),
        Quantity::Payload => json!(format!("{}B", choices.magnitude(1, context.packet_size * 4096))),
        Quantity::Frequency => json!(format!("{}Hz", choices.magnitude(1, 1_000_000))),
        Quantity::Packets => json!(format!("{}packets", choices.magnitude(1, 1 << 20))),
        Quantity::Buffer => json!(size(choices, context)),
    }
}
