// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[[action]]`: what is done to flows and links at given times; read, checked and written.

use crate::flow::{param, parse_cc, parse_params};
use crate::invalid::{Invalid, Table, shown};
use crate::link::time;
use crate::model::{Action, Link, LinkRate, Scenario, What};
use crate::queue::BUFFER;
use crate::routes::like;
use crate::units::{self, TIME, write_rate, write_time};
use serde_json::{Map, Value, json};
use std::collections::HashSet;

const KINDS: [&str; 6] = ["start", "stop", "switch", "rate", "delay", "buffer"];
const RATE: &str = "a rate with its unit (bit/s, kbit/s, Mbit/s, Gbit/s), or 0bit/s for an outage";

/// Reads the value of the key `action`, for a `scenario` whose links and flows are known; in the order of time.
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
    let scope = Scope { scenario, labels: &labels, names: &names, flows, known };
    let mut actions = list
        .iter()
        .enumerate()
        .map(|(index, value)| scope.parse(&format!("action[{index}]"), value))
        .collect::<Result<Vec<_>, _>>()?;
    actions.sort_by_key(|action| action.at);
    Ok(actions)
}

/// What actions may name.
struct Scope<'a> {
    scenario: &'a Scenario,
    labels: &'a [String],
    names: &'a [String],
    /// Names of flows, and labels and algorithms, which stand for all their flows.
    flows: HashSet<&'a str>,
    /// The same, sorted.
    known: Vec<&'a str>,
}

impl Scope<'_> {
    fn parse(&self, path: &str, value: &Value) -> Result<Action, Invalid> {
        let mut table = Table::new(path, value)?;
        let mut given = KINDS.into_iter().filter_map(|kind| Some((kind, table.get(kind)?)));
        let one = (given.next(), given.next());
        drop(given);
        let expected = format!("one of {}, each in an [[action]] of its own", KINDS.join(", "));
        match one {
            (Some((kind, keys)), None) => {
                let mut keys = Table::new(&table.field(kind), keys)?;
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

    fn parse_one(&self, kind: &'static str, keys: &mut Table<'_>) -> Result<Action, Invalid> {
        let on =
            if matches!(kind, "start" | "stop" | "switch") { self.flow(keys)? } else { self.link(keys)? };
        let expected = format!("{TIME}, before the end");
        let at = keys.required("at", &expected, |v| time(v).filter(|at| *at < self.scenario.duration))?;
        let what = match kind {
            "start" => What::Start(on),
            "stop" => What::Stop(on),
            "switch" => {
                let (cc, specs) = parse_cc(keys)?;
                let params = parse_params(keys, &cc, specs)?;
                return Ok(Action { at, what: What::Switch(on, cc, params) });
            }
            "rate" => {
                let traced = |link: &Link| link.name == on && matches!(link.rate, LinkRate::Trace(..));
                if self.scenario.links.iter().any(traced) {
                    let expected = "a link whose rate does not follow a trace";
                    return keys.refuse("link", Some(&json!(on)), expected);
                }
                What::Rate(on, keys.required("to", RATE, |v| v.as_str().and_then(units::read_rate_or_0))?)
            }
            "delay" => What::Delay(on, keys.required("to", TIME, time)?),
            _ => {
                let buffer = keys.required("to", BUFFER, crate::queue::read)?;
                let room =
                    |link: &Link| crate::queue::check_room(link, buffer, self.scenario.packet_size).err();
                let link = self.scenario.links.iter().find(|link| link.name == on);
                if let Some(expected) = link.and_then(room) {
                    let value = keys.get("to");
                    return keys.refuse("to", value, expected);
                }
                What::Buffer(on, buffer)
            }
        };
        keys.finish()?;
        Ok(Action { at, what })
    }

    /// The key `flow`: the name of a flow, or a label or an algorithm for all their flows.
    fn flow(&self, keys: &mut Table<'_>) -> Result<String, Invalid> {
        const FLOW: &str = "the name of a flow, or a label or an algorithm for all their flows";
        let name = keys.required_text("flow", FLOW)?;
        let known = self.flows.contains(name.as_str());
        if known || !self.scenario.flows_called(&name, self.labels, self.names).is_empty() {
            return Ok(name);
        }
        let expected = like(FLOW, &name, self.known.iter().copied());
        keys.refuse("flow", Some(&json!(name)), expected)
    }

    /// The key `link`, which a dumbbell's bottleneck can do without.
    fn link(&self, keys: &mut Table<'_>) -> Result<String, Invalid> {
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
        keys.refuse("link", Some(&json!(name)), like(LINK, &name, names))
    }
}

/// An action as a table.
pub(crate) fn print(action: &Action) -> Value {
    let at = write_time(action.at);
    let (kind, keys) = match &action.what {
        What::Start(flow) => ("start", json!({ "flow": flow, "at": at })),
        What::Stop(flow) => ("stop", json!({ "flow": flow, "at": at })),
        What::Switch(flow, cc, params) => {
            let mut keys = Map::new();
            for (key, value) in [("flow", flow), ("at", &at), ("cc", cc)] {
                keys.insert(key.into(), json!(value));
            }
            keys.extend(params.iter().map(|(name, text)| (name.clone(), param(text))));
            ("switch", Value::Object(keys))
        }
        What::Rate(link, rate) => ("rate", json!({ "link": link, "at": at, "to": write_rate(*rate) })),
        What::Delay(link, delay) => ("delay", json!({ "link": link, "at": at, "to": write_time(*delay) })),
        What::Buffer(link, buffer) => {
            ("buffer", json!({ "link": link, "at": at, "to": crate::queue::write(*buffer) }))
        }
    };
    json!({ kind: keys })
}
