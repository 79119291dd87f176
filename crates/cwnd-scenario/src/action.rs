// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[[action]]`: changes of flows and links at given times; parsed, validated and printed.

use crate::buffer::BUFFER;
use crate::flow::{param, parse_params};
use crate::invalid::{Invalid, KeyTable, shown};
use crate::keys::action::actions;
use crate::keys::link::{LinkRate, LinkSpec};
use crate::model::{Action, ActionKind, Scenario};
use crate::routes::suggest;
use crate::units::{self, TIME, time, write_rate, write_time};
use serde_json::{Map, Value, json};
use std::collections::HashSet;

const RATE: &str = "a rate with its unit (bit/s, kbit/s, Mbit/s, Gbit/s), or 0bit/s for an outage";

/// Reads the value of the key `action`; the links and flows of `scenario` are complete. Returns the actions in the order of time.
pub(crate) fn parse_list(value: Option<&Value>, scenario: &Scenario) -> Result<Vec<Action>, Invalid> {
    let Some(value) = value else { return Ok(Vec::new()) };
    let Value::Array(list) = value else {
        return Err(Invalid {
            field: "action".into(),
            value: Some(shown(value)),
            expected: "actions, each an [[action]]".into(),
        });
    };
    let labels = scenario.labels();
    let names = crate::label::names(&scenario.flows, &labels);
    let mut flows: HashSet<&str> = names.iter().chain(&labels).map(String::as_str).collect();
    flows.extend(scenario.flows.iter().map(|group| group.cc.as_str()));
    let mut known: Vec<&str> = flows.iter().copied().collect();
    known.sort_unstable();
    let scope = ActionTargets { scenario, labels: &labels, names: &names, flows, known };
    let mut actions = list
        .iter()
        .enumerate()
        .map(|(index, value)| scope.parse(&format!("action[{index}]"), value))
        .collect::<Result<Vec<_>, _>>()?;
    actions.sort_by_key(|action| action.at);
    Ok(actions)
}

/// The names that actions may refer to.
struct ActionTargets<'a> {
    scenario: &'a Scenario,
    labels: &'a [String],
    names: &'a [String],
    /// Names of flows, and labels and algorithms, which refer to all their flows.
    flows: HashSet<&'a str>,
    /// The same, sorted.
    known: Vec<&'a str>,
}

impl ActionTargets<'_> {
    fn parse(&self, path: &str, value: &Value) -> Result<Action, Invalid> {
        let mut table = KeyTable::new(path, value)?;
        let kinds = actions().map(|action| action.name);
        let mut given = kinds.into_iter().filter_map(|kind| Some((kind, table.get(kind)?)));
        let first_two = (given.next(), given.next());
        drop(given);
        let expected = format!("one of {}, each in an [[action]] of its own", kinds.join(", "));
        match first_two {
            (Some((kind, keys)), None) => {
                let mut keys = KeyTable::new(&table.field(kind), keys)?;
                table.finish()?;
                self.parse_one(kind, &mut keys)
            }
            (_, Some((kind, keys))) => table.refuse(kind, Some(keys), expected),
            (None, None) => {
                table.finish()?;
                Err(Invalid { field: path.to_owned(), value: Some(shown(value)), expected })
            }
        }
    }

    fn parse_one(&self, kind: &'static str, keys: &mut KeyTable<'_>) -> Result<Action, Invalid> {
        let on =
            if matches!(kind, "start" | "stop" | "switch") { self.flow(keys)? } else { self.link(keys)? };
        let expected = format!("{TIME}, before the end");
        let at = keys.required("at", &expected, |v| time(v).filter(|at| *at < self.scenario.duration))?;
        let what = match kind {
            "start" => ActionKind::Start(on),
            "stop" => ActionKind::Stop(on),
            "switch" => {
                let cc = crate::params::parse_cc(keys)?;
                let params = parse_params(keys, &cc)?;
                return Ok(Action { at, what: ActionKind::Switch(on, cc, params) });
            }
            "rate" => {
                let traced = |link: &LinkSpec| link.name == on && matches!(link.rate, LinkRate::Trace(..));
                if self.scenario.links.iter().any(traced) {
                    let expected = "a link whose rate does not follow a trace";
                    return keys.refuse("link", Some(&json!(on)), expected);
                }
                ActionKind::Rate(
                    on,
                    keys.required("to", RATE, |v| v.as_str().and_then(units::read_rate_or_0))?,
                )
            }
            "delay" => ActionKind::Delay(on, keys.required("to", TIME, time)?),
            _ => {
                let buffer = keys.required("to", BUFFER, crate::buffer::read)?;
                let room = |link: &LinkSpec| {
                    crate::queue::check_limit(link, buffer, self.scenario.packet_size).err()
                };
                let link = self.scenario.links.iter().find(|link| link.name == on);
                if let Some(expected) = link.and_then(room) {
                    let value = keys.get("to");
                    return keys.refuse("to", value, expected);
                }
                ActionKind::Buffer(on, buffer)
            }
        };
        keys.finish()?;
        Ok(Action { at, what })
    }

    /// The key `flow`: the name of a flow, or a label or an algorithm for all their flows.
    fn flow(&self, keys: &mut KeyTable<'_>) -> Result<String, Invalid> {
        const FLOW: &str = "the name of a flow, or a label or an algorithm for all their flows";
        let name = keys.required_text("flow", FLOW)?;
        let known = self.flows.contains(name.as_str());
        if known || !self.scenario.flows_named(&name, self.labels, self.names).is_empty() {
            return Ok(name);
        }
        let expected = suggest(FLOW, &name, self.known.iter().copied());
        keys.refuse("flow", Some(&json!(name)), expected)
    }

    /// The key `link`; in a dumbbell it may be left out and is then the bottleneck.
    fn link(&self, keys: &mut KeyTable<'_>) -> Result<String, Invalid> {
        const LINK: &str = "the name of a link";
        let name = keys.text("link", LINK, |_| true)?;
        let name = match name {
            Some(name) => name,
            None if self.scenario.dumbbell.is_some() => return Ok(self.scenario.links[0].name.clone()),
            None => return keys.refuse("link", None, LINK),
        };
        let names = self.scenario.links.iter().map(|link| link.name.as_str());
        if names.clone().any(|known| known == name) {
            return Ok(name);
        }
        keys.refuse("link", Some(&json!(name)), suggest(LINK, &name, names))
    }
}

/// An action as a table.
pub(crate) fn print(action: &Action) -> Value {
    let at = write_time(action.at);
    let (kind, keys) = match &action.what {
        ActionKind::Start(flow) => ("start", json!({ "flow": flow, "at": at })),
        ActionKind::Stop(flow) => ("stop", json!({ "flow": flow, "at": at })),
        ActionKind::Switch(flow, cc, params) => {
            let mut keys = Map::new();
            for (key, value) in [("flow", flow), ("at", &at), ("cc", cc)] {
                keys.insert(key.into(), json!(value));
            }
            keys.extend(params.iter().map(|(name, text)| (name.clone(), param(text))));
            ("switch", Value::Object(keys))
        }
        ActionKind::Rate(link, rate) => ("rate", json!({ "link": link, "at": at, "to": write_rate(*rate) })),
        ActionKind::Delay(link, delay) => {
            ("delay", json!({ "link": link, "at": at, "to": write_time(*delay) }))
        }
        ActionKind::Buffer(link, buffer) => {
            ("buffer", json!({ "link": link, "at": at, "to": crate::buffer::write(*buffer) }))
        }
    };
    json!({ kind: keys })
}
