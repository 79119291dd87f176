// SPDX-License-Identifier: MIT OR Apache-2.0
//! The algorithm and the hosts of a group's transfers: keys of a flow, and parameters of the algorithm, as a `[[flow]]` has them.

use super::formats::SenderAlgorithm;
use crate::flow::{check_gso, param, parse_params, print as print_flow};
use crate::flow_spec;
use crate::invalid::{Invalid, TableReader, shown};
use crate::keys::flow::{FlowGroup, HOST, Start};
use crate::keys::{Absent, Key, Keyed, RowFormat, Scope};
use serde_json::{Map, Value, json};

/// The algorithm of transfers that name none: that of the papers whose presets these are.
const DEFAULT_ALGORITHM: &str = "sack";
/// The keys of a flow that transfers have. The others say where, when and how much a flow sends, or belong to a real stack; instead of `rwnd`
/// a group has `window`.
pub(crate) const OF_SENDERS: [&str; 20] = [
    "cc",
    "host",
    "recovery",
    "initial_cwnd",
    "initial_ssthresh",
    "ack_every",
    "ack_delay",
    "min_rto",
    "limited_transmit",
    "overhead",
    "host_clock",
    "host_clock_phase",
    "access",
    "pacing",
    "burst",
    "handshake",
    "gso",
    "gro",
    "ecn",
    "idle_restart",
];

/// Senders with the defaults.
pub(crate) fn defaults() -> FlowGroup {
    FlowGroup::of(DEFAULT_ALGORITHM, Start::At(0))
}

/// The keys, described; `cc` first.
pub(crate) fn keys() -> Vec<Key> {
    let described = |key: Key| match key.name {
        "cc" => Key {
            absent: Absent::Value(json!(DEFAULT_ALGORITHM)),
            help: "algorithm or parameter set of the senders; its parameters are keys, too",
            ..key
        },
        "access" => Key {
            help: "access link of the senders, shared by all transfers in a direction, the first link on their path",
            ..key
        },
        _ => key,
    };
    FlowGroup::keys().into_iter().filter(|key| OF_SENDERS.contains(&key.name)).map(described).collect()
}

/// The keys of a group, where `cc` may be an algorithm with settings, `cubic@beta=0.85,host=linux`: those become keys.
pub(crate) fn with_settings(path: &str, mut value: Value) -> Result<Value, Invalid> {
    let Some(map) = value.as_object_mut() else { return Ok(value) };
    let Some(text) = map.get("cc").and_then(Value::as_str).filter(|cc| cc.contains('@')).map(str::to_owned)
    else {
        return Ok(value);
    };
    let field = format!("{path}.cc");
    let refuse =
        |expected: String| Err(Invalid { field: field.clone(), value: Some(shown(&json!(text))), expected });
    let mut own = flow_spec::parse(&text, &field)?;
    if own.shift_remove("count") != Some(json!(1)) {
        return refuse("an algorithm without a count: NAME@KEY=VALUE,...".into());
    }
    for (key, value) in own {
        if key != "cc" && map.contains_key(&key) {
            return refuse(format!("{key} once, not twice"));
        }
        map.insert(key, value);
    }
    Ok(value)
}

/// Reads the keys. The parameters of the algorithm are what is left when all keys of the group are read: see [`parse_rest`].
pub(crate) fn parse(table: &mut TableReader<'_>, scope: &Scope<'_>) -> Result<FlowGroup, Invalid> {
    let cc = SenderAlgorithm.parse(table, "cc", scope)?;
    let mut own = Map::from_iter([("cc".to_owned(), json!(cc.as_deref().unwrap_or(DEFAULT_ALGORITHM)))]);
    for key in OF_SENDERS {
        own.extend(table.get(key).map(|value| (key.to_owned(), value.clone())));
    }
    // A table of these keys alone: a group has others of the same names. Where its data go is the group's.
    let own = Value::Object(own);
    let mut own = TableReader::new(table.path(), &own)?;
    let host = RowFormat::parse(&HOST, &mut own, "host", scope)?;
    let group = FlowGroup::on(host).parse_keys(&mut own, &Scope { is_dumbbell: true, ..*scope })?;
    check_gso(&mut own, &group)?;
    Ok(group)
}

/// Reads the keys that are left: parameters of the algorithm.
pub(crate) fn parse_rest(table: &TableReader<'_>, group: &mut FlowGroup) -> Result<(), Invalid> {
    group.params = parse_params(table, &group.cc)?;
    Ok(())
}

/// What was set, as keys, without `cc`: what differs from the defaults of the host.
pub(crate) fn print(group: &FlowGroup) -> Map<String, Value> {
    let bare = print_flow(&FlowGroup { cc: group.cc.clone(), ..FlowGroup::on(group.host) });
    let differs = |(key, value): &(&String, &Value)| {
        let is_own = OF_SENDERS.contains(&key.as_str()) && key.as_str() != "cc";
        is_own && (key.as_str() == "host" || bare.get(key.as_str()) != Some(*value))
    };
    let all = group.print_keys();
    let set = all.iter().filter(differs).map(|(key, value)| (key.clone(), value.clone()));
    set.chain(group.params.iter().map(|(name, text)| (name.clone(), param(text)))).collect()
}
