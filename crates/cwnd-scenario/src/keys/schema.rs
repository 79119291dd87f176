// SPDX-License-Identifier: MIT OR Apache-2.0
//! The JSON schema of a scenario (draft 2020-12), from the tables.
//!
//! It says what each value may look like by itself. Conditions between keys (a start before the end, names of links that exist, keys
//! of the algorithm that a flow has) are for the parser. Keywords that begin with `x-` are for documentation: `x-value` (the form in
//! words), `x-default` (what holds where the key is not written, in words), `x-unit`, `x-source`.

use super::words::words;
use super::{
    Absent, Form, Key, Keyed, KindKeys, Quantity, Variants, action, distribution, document, flow, link, live,
    record,
};
use crate::params::show_param;
use crate::traffic;
use crate::units::MAX_TIME;
use cwnd::params::{ParamKind, Spec};
use cwnd::registry;
use serde_json::{Map, Value, json};

/// The tables of the schema that have a name: the name, the heading, and what is accepted.
#[must_use]
pub fn tables() -> Vec<(&'static str, &'static str, Form)> {
    let times = Form::Quantity(Quantity::Time(0, MAX_TIME));
    let actions = action::ActionTable::kinds().into_iter().map(|KindKeys { name, help, keys }| {
        let form = Form::Table(keys);
        Form::Table(vec![Key { name, form, absent: Absent::Required, unit: "", help, source: "" }])
    });
    vec![
        ("document", "The document", Form::Table(document::keys())),
        ("link", "`[link]`: a dumbbell", Form::Table(link::dumbbell())),
        ("graph", "`[[link]]`: a graph", Form::Table(link::graph())),
        ("parking_lot", "`[parking_lot]`", Form::Table(link::parking_lot())),
        ("flow", "`[[flow]]`", Form::Table(flow::FlowGroup::keys())),
        ("traffic", "`[[traffic]]`", traffic::form()),
        ("action", "`[[action]]`", Form::Either(actions.collect())),
        ("record", "`[record]`", Form::Table(record::RecordSpec::keys())),
        ("live", "`[live]`: hosts of lane live", Form::Table(live::LiveSpec::keys())),
        ("times", "Distributions of times", distribution::form(&times)),
        ("sizes", "Distributions of sizes", distribution::form(&Form::Quantity(Quantity::Payload))),
        ("counts", "Distributions of counts", distribution::form(&Form::Whole { min: 0, max: 1 << 53 })),
    ]
}

/// The schema. The parameters of the algorithms that are registered are keys of a flow, of traffic and of a switch.
#[must_use]
pub fn schema() -> Value {
    let mut defs = Map::new();
    for (name, title, form) in tables() {
        let mut schema = of_form(&form);
        if let Some(map) = schema.as_object_mut() {
            map.insert("title".into(), json!(title));
        }
        defs.insert(name.to_owned(), schema);
    }
    let parameters = parameters();
    let switch = &mut defs["action"]["anyOf"][2]["properties"]["switch"];
    add_properties(switch, &parameters);
    add_properties(&mut defs["flow"], &parameters);
    add_to_senders(&mut defs["traffic"], &parameters);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "cwnd scenario",
        "$ref": "#/$defs/document",
        "$defs": defs,
    })
}

fn add_properties(object: &mut Value, more: &Map<String, Value>) {
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        properties.extend(more.iter().map(|(key, value)| (key.clone(), value.clone())));
    }
}

/// Adds properties to those alternatives that have a key `cc`.
fn add_to_senders(schema: &mut Value, more: &Map<String, Value>) {
    if schema.pointer("/properties/cc").is_some() {
        add_properties(schema, more);
    }
    if let Some(Value::Array(alternatives)) = schema.get_mut("anyOf") {
        alternatives.iter_mut().for_each(|alternative| add_to_senders(alternative, more));
    }
}

/// The parameters of every algorithm. One of several algorithms accepts what any of them accepts.
fn parameters() -> Map<String, Value> {
    let mut all: Map<String, Value> = Map::new();
    for spec in registry::all().flat_map(|algorithm| algorithm.specs) {
        let entry = all.entry(spec.name).or_insert_with(|| json!({ "description": spec.help, "anyOf": [] }));
        if let Some(Value::Array(forms)) = entry.get_mut("anyOf") {
            forms.extend(
                of_parameter(spec).into_iter().filter(|form| !forms.contains(form)).collect::<Vec<_>>(),
            );
        }
    }
    all
}

/// What a parameter accepts: a number or flag, or the same as text.
fn of_parameter(spec: &Spec) -> Vec<Value> {
    let bound = |value: u32| show_param(spec, value).parse::<f64>().map_or(Value::Null, |bound| json!(bound));
    match spec.kind {
        ParamKind::Decimal => vec![
            json!({ "type": "number", "minimum": bound(spec.min), "maximum": bound(spec.max) }),
            json!({ "type": "string", "pattern": r"^[0-9]+(\.[0-9]*)?$" }),
        ],
        ParamKind::Whole => vec![
            json!({ "type": "integer", "minimum": spec.min, "maximum": spec.max }),
            json!({ "type": "string", "pattern": "^[0-9]+$" }),
        ],
        ParamKind::Flag => vec![json!({ "type": "boolean" }), json!({ "enum": ["true", "false"] })],
        ParamKind::Choice(names) => vec![json!({ "enum": names })],
    }
}

fn of_key(key: &Key) -> Value {
    let mut schema = of_form(&key.form);
    let Some(map) = schema.as_object_mut() else { return schema };
    let mut put = |name: &str, value: Value| map.insert(name.to_owned(), value);
    put("x-value", json!(words(&key.form, key.unit)));
    match &key.absent {
        Absent::Required => put("x-default", json!("required")),
        Absent::Value(value) => put("default", value.clone()),
        Absent::Words(words) => put("x-default", json!(words)),
    };
    for (name, text) in [("description", key.help), ("x-source", key.source)] {
        if !text.is_empty() {
            put(name, json!(text));
        }
    }
    schema
}

fn of_keys<'k>(keys: impl Iterator<Item = &'k Key> + Clone) -> Value {
    let required = keys.clone().filter(|key| matches!(key.absent, Absent::Required)).map(|key| key.name);
    json!({
        "type": "object",
        "required": required.collect::<Vec<_>>(),
        "additionalProperties": false,
        "properties": keys.map(|key| (key.name.to_owned(), of_key(key))).collect::<Map<_, _>>(),
    })
}

fn of_form(form: &Form) -> Value {
    match form {
        Form::Flag => json!({ "type": "boolean" }),
        Form::Whole { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Form::Decimal { min, max, text: false } => {
            json!({ "type": "number", "minimum": min, "maximum": max })
        }
        Form::Decimal { min, max, text: true } => json!({ "anyOf": [
            { "type": "number", "minimum": min, "maximum": max },
            { "type": "string", "pattern": r"^[0-9]+(\.[0-9]+)?$" },
        ] }),
        Form::Text { min, max: u64::MAX } => json!({ "type": "string", "minLength": min }),
        Form::Text { min, max } => json!({ "type": "string", "minLength": min, "maxLength": max }),
        Form::Choice(names) => json!({ "enum": names }),
        Form::Quantity(quantity) => pattern(&of_quantity(*quantity)),
        Form::Syntax { pattern: syntax, .. } => pattern(syntax),
        Form::List { item, min } => json!({ "type": "array", "items": of_form(item), "minItems": min }),
        Form::Tuple(items) => json!({
            "type": "array",
            "prefixItems": items.iter().map(of_form).collect::<Vec<_>>(),
            "minItems": items.len(),
            "maxItems": items.len(),
        }),
        Form::Table(keys) => of_keys(keys.iter()),
        Form::Named(name) => json!({ "$ref": format!("#/$defs/{name}") }),
        Form::ByKind { key, kinds, common } => {
            let of_kind = |kind: &KindKeys| {
                let mut schema = of_keys(common.iter().chain(&kind.keys));
                if let Some(Value::Array(required)) = schema.get_mut("required") {
                    required.insert(0, json!(key));
                }
                schema["properties"][*key] = json!({ "const": kind.name, "description": kind.help });
                schema
            };
            json!({ "anyOf": kinds.iter().map(of_kind).collect::<Vec<_>>() })
        }
        Form::Either(forms) => json!({ "anyOf": forms.iter().map(of_form).collect::<Vec<_>>() }),
    }
}

fn pattern(syntax: &str) -> Value {
    json!({ "type": "string", "pattern": format!("^({syntax})$") })
}

/// A regular expression of a quantity. Bounds are for the parser, but for 0 where it is not accepted.
fn of_quantity(quantity: Quantity) -> String {
    const DECIMAL: &str = r"\s*[0-9]+(\.[0-9]+)?\s*";
    const ABOVE_0: &str = r"\s*(?=[0-9.]*[1-9])[0-9]+(\.[0-9]+)?\s*";
    const PACKETS: &str = r"\s*[0-9]+\s*packets?\s*";
    let time = format!(r"{DECIMAL}(ns|us|ms|s|min)\s*");
    let size = format!(r"{DECIMAL}(B|kB|MB|GB)\s*");
    match quantity {
        Quantity::Time(0, _) => time,
        Quantity::Time(..) => format!(r"{ABOVE_0}(ns|us|ms|s|min)\s*"),
        Quantity::Rate { or_outage: true } => format!(r"{DECIMAL}(bit/s|kbit/s|Mbit/s|Gbit/s)\s*"),
        Quantity::Rate { or_outage: false } => format!(r"{ABOVE_0}(bit/s|kbit/s|Mbit/s|Gbit/s)\s*"),
        Quantity::Size(..) => size,
        Quantity::Payload => format!(r"{size}|{DECIMAL}packets?\s*"),
        Quantity::Frequency => format!(r"{DECIMAL}(Hz|kHz|MHz)\s*"),
        Quantity::Packets => PACKETS.into(),
        Quantity::Buffer => format!(r"{PACKETS}|({size}|{time}|{DECIMAL}bdp\s*)(, at least {PACKETS})?"),
    }
}
