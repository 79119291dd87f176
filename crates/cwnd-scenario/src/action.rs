// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[[action]]`: changes of flows and links at given times; parsed, validated and printed.

use crate::flow::{param, parse_params};
use crate::invalid::{Invalid, TableReader, shown};
use crate::keys::action::{ActionTable, OnFlow, OnLink, ToAlgorithm, ToBuffer, ToDelay, ToRate};
use crate::keys::list_of_stacks::is_stock;
use crate::keys::{Concat, FlowNames, Scope, Variants};
use crate::model::{Action, ActionKind, Scenario};
use serde_json::{Value, json};
use std::collections::HashSet;

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
    let names = crate::flow_labels::names(&scenario.flows, &labels);
    let mut flows: HashSet<&str> = names.iter().chain(&labels).map(String::as_str).collect();
    flows.extend(scenario.flows.iter().map(|group| group.cc.as_str()));
    let mut known: Vec<&str> = flows.iter().copied().collect();
    known.sort_unstable();
    let targets = ActionTargets { scenario, labels: &labels, names: &names, flows, known };
    let scope = Scope {
        duration: scenario.duration,
        packet_size: scenario.packet_size,
        links: Some(&scenario.links),
        is_dumbbell: scenario.dumbbell.is_some(),
        flows: Some(&targets),
        ..Scope::default()
    };
    let parsed = list.iter().enumerate().map(|(index, value)| {
        parse(&format!("action[{index}]"), value, &scope) //
    });
    let mut actions = parsed.collect::<Result<Vec<_>, _>>()?;
    actions.sort_by_key(|action| action.at);
    Ok(actions)
}

/// The flows that actions may refer to.
#[derive(Debug)]
struct ActionTargets<'a> {
    scenario: &'a Scenario,
    labels: &'a [String],
    names: &'a [String],
    /// Names of flows, and labels and algorithms, which refer to all their flows.
    flows: HashSet<&'a str>,
    /// The same, sorted.
    known: Vec<&'a str>,
}

impl FlowNames for ActionTargets<'_> {
    fn has(&self, name: &str) -> bool {
        self.flows.contains(name) || !self.scenario.flows_named(name, self.labels, self.names).is_empty()
    }

    fn known(&self) -> &[&str] {
        &self.known
    }
}

fn parse(path: &str, value: &Value, scope: &Scope<'_>) -> Result<Action, Invalid> {
    let mut table = TableReader::new(path, value)?;
    let mut given = ActionTable::NAMES.iter().copied().filter_map(|kind| Some((kind, table.get(kind)?)));
    let first_two = (given.next(), given.next());
    drop(given);
    let expected = format!("one of {}, each in an [[action]] of its own", ActionTable::NAMES.join(", "));
    match first_two {
        (Some((kind, keys)), None) => {
            let mut keys = TableReader::new(&table.field(kind), keys)?;
            table.finish()?;
            parse_one(kind, &mut keys, scope)
        }
        (_, Some((kind, keys))) => table.refuse(kind, Some(keys), expected),
        (None, None) => {
            table.finish()?;
            Err(Invalid { field: path.to_owned(), value: Some(shown(value)), expected })
        }
    }
}

fn parse_one(kind: &str, keys: &mut TableReader<'_>, scope: &Scope<'_>) -> Result<Action, Invalid> {
    let (at, what) = match ActionTable::parse_keys(kind, keys, scope)? {
        ActionTable::Switch(Concat(OnFlow { flow, at }, ToAlgorithm { cc })) => {
            if is_stock(&cc) {
                let written = keys.get("cc");
                return keys.refuse("cc", written, "an algorithm of cwnd: this one is a stack's own");
            }
            let params = parse_params(keys, &cc)?;
            return Ok(Action { at, what: ActionKind::Switch(flow, cc, params) });
        }
        ActionTable::Start(OnFlow { flow, at }) => (at, ActionKind::Start(flow)),
        ActionTable::Stop(OnFlow { flow, at }) => (at, ActionKind::Stop(flow)),
        ActionTable::Rate(Concat(OnLink { link, at }, ToRate { to })) => (at, ActionKind::Rate(link, to)),
        ActionTable::Delay(Concat(OnLink { link, at }, ToDelay { to })) => (at, ActionKind::Delay(link, to)),
        ActionTable::Buffer(Concat(OnLink { link, at }, ToBuffer { to })) => {
            (at, ActionKind::Buffer(link, to))
        }
    };
    keys.finish()?;
    Ok(Action { at, what })
}

/// An action as a table.
pub(crate) fn print(action: &Action) -> Value {
    let at = action.at;
    let on_flow = |flow: &String| OnFlow { flow: flow.clone(), at };
    let on_link = |link: &String| OnLink { link: link.clone(), at };
    let (table, params) = match &action.what {
        ActionKind::Start(flow) => (ActionTable::Start(on_flow(flow)), &[][..]),
        ActionKind::Stop(flow) => (ActionTable::Stop(on_flow(flow)), &[][..]),
        ActionKind::Switch(flow, cc, params) => {
            (ActionTable::Switch(Concat(on_flow(flow), ToAlgorithm { cc: cc.clone() })), params.as_slice())
        }
        ActionKind::Rate(link, to) => (ActionTable::Rate(Concat(on_link(link), ToRate { to: *to })), &[][..]),
        ActionKind::Delay(link, to) => {
            (ActionTable::Delay(Concat(on_link(link), ToDelay { to: *to })), &[][..])
        }
        ActionKind::Buffer(link, to) => {
            (ActionTable::Buffer(Concat(on_link(link), ToBuffer { to: *to })), &[][..])
        }
    };
    let mut keys = table.print_keys();
    keys.extend(params.iter().map(|(name, text)| (name.clone(), param(text))));
    json!({ table.name(): keys })
}
