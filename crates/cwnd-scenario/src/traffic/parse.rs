// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parses `[[traffic]]`.

use super::presets::PRESETS;
use super::senders;
use super::tables::{Traffic, is_of_transfers, leith_size};
use super::unit::Unit;
use crate::invalid::{Invalid, TableReader, document, unknown_name};
use crate::keys::{Keyed, Scope, Variants, distribution};
use crate::units::HEADER_BYTES;
use cwnd_traffic::{Directions, Distribution, GapFrom, Mix, Model, Sessions, Udp};
use serde_json::{Map, Value, json};

/// The properties of the scenario that parsing a traffic group needs.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// Simulated time, ns.
    pub duration: u64,
    /// Payload of a full packet, bytes.
    pub payload: u32,
}

impl Context {
    fn scope(&self) -> Scope<'_> {
        Scope { duration: self.duration, packet_size: self.payload + HEADER_BYTES, ..Scope::default() }
    }
}

/// Reads the `[[traffic]]` of a TOML document and nothing else.
///
/// # Errors
/// [`Invalid`], naming the field, the value and what was expected.
pub fn read(text: &str, context: &Context) -> Result<Vec<Traffic>, Invalid> {
    let value: Value = toml::from_str(text).map_err(|error| document("TOML", &error.to_string()))?;
    let mut table = TableReader::new("", &value)?;
    let groups = parse_list(table.get("traffic"), &context.scope())?;
    table.finish()?;
    Ok(groups)
}

/// Reads the value of the key `traffic`.
pub(crate) fn parse_list(value: Option<&Value>, scope: &Scope<'_>) -> Result<Vec<Traffic>, Invalid> {
    match value {
        None => Ok(Vec::new()),
        Some(Value::Array(list)) => list
            .iter()
            .enumerate()
            .map(|(index, value)| parse(&format!("traffic[{index}]"), value, scope))
            .collect(),
        Some(other) => Err(Invalid {
            field: "traffic".into(),
            value: Some(crate::invalid::shown(other)),
            expected: "groups, each a [[traffic]]".into(),
        }),
    }
}

fn parse(path: &str, value: &Value, scope: &Scope<'_>) -> Result<Traffic, Invalid> {
    let (value, preset) = with_preset(path, value)?;
    let value = senders::with_settings(path, value)?;
    let mut table = TableReader::new(path, &value)?;
    let table = &mut table;
    let _ = table.get("preset");
    let expected = format!("one of {} (or a preset)", Model::NAMES.join(", "));
    let named = |value: &Value| Model::NAMES.iter().copied().find(|name| value == name);
    let model = table.required_name("model", &expected, Model::NAMES, named)?;
    let name = preset.unwrap_or(model).to_owned();
    let mut traffic = Traffic { name, ..Traffic::defaults() }.parse_keys(table, scope)?;
    let is_udp = model == "udp";
    if !is_udp {
        traffic.sender = senders::parse(table, scope)?;
    }
    traffic.model = Model::parse_keys(model, table, scope)?;
    match &mut traffic.model {
        Model::Long(_) | Model::RequestResponse(_) => {}
        Model::List(_) if traffic.direction == Directions::Both => {
            let both = json!(traffic.direction.name());
            return table.refuse("direction", Some(&both), "forward or reverse: a list has one direction");
        }
        Model::List(_) => {}
        Model::Sessions(model) => check_sessions(table, model, scope)?,
        Model::Mix(model) => check_mix(table, model, scope)?,
        Model::Udp(model) => check_udp(table, model)?,
    }
    if !is_udp {
        senders::parse_rest(table, &mut traffic.sender)?;
        return Ok(traffic);
    }
    match table.rest().next() {
        None => Ok(traffic),
        Some((key, value)) if is_of_transfers(key) => {
            table.refuse(key, Some(value), format!("no {key}: datagrams have none"))
        }
        Some((key, value)) => {
            table.refuse(key, Some(value), crate::invalid::unknown_key(key, &table.read_keys()))
        }
    }
}

/// The keys, and those of the preset that are not written.
fn with_preset(path: &str, value: &Value) -> Result<(Value, Option<&'static str>), Invalid> {
    let mut table = TableReader::new(path, value)?;
    let Some(written) = table.get("preset") else { return Ok((value.clone(), None)) };
    let Some(preset) = PRESETS.iter().find(|preset| written == preset.name) else {
        let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
        let offer = unknown_name("the name of a preset", written.as_str().unwrap_or_default(), &names);
        return table.refuse("preset", Some(written), offer);
    };
    let mut keys: Map<String, Value> =
        toml::from_str(preset.keys).map_err(|error| document("preset", &error.to_string()))?;
    if let Value::Object(written) = value {
        // `share` and `gap` exclude each other: the written one overrides the preset's.
        if written.contains_key("arrivals") {
            keys.remove("share");
        }
        keys.extend(written.iter().map(|(key, value)| (key.clone(), value.clone())));
    }
    Ok((Value::Object(keys), Some(preset.name)))
}

/// Refuses gaps that are always zero where nothing else separates two starts.
fn apart(table: &TableReader<'_>, key: &str, gap: &Distribution) -> Result<(), Invalid> {
    if gap.is_zero() {
        return table.refuse(
            key,
            Some(&distribution::print(gap, Unit::Time)),
            "gaps above 0, because they count from the previous start",
        );
    }
    Ok(())
}

fn check_sessions(
    table: &mut TableReader<'_>,
    model: &mut Sessions,
    scope: &Scope<'_>,
) -> Result<(), Invalid> {
    if table.get("size").is_none() {
        model.size = leith_size(scope.payload_bytes());
    }
    if model.gap_from == GapFrom::Start {
        apart(table, "gap", &model.gap)?;
    }
    let overlap = model.gap_from == GapFrom::Start || model.object_gap_from == GapFrom::Start;
    if model.keep && overlap {
        let expected = "false if gaps count from a start: overlapping transfers need separate connections";
        return table.refuse("keep", Some(&json!(true)), expected);
    }
    Ok(())
}

fn check_mix(table: &TableReader<'_>, model: &Mix, scope: &Scope<'_>) -> Result<(), Invalid> {
    match (model.share, &model.arrivals) {
        (Some(_), Some(gaps)) => {
            let gaps = distribution::print(gaps, Unit::Time);
            table.refuse("arrivals", Some(&gaps), "either share or arrivals, not both")
        }
        (None, None) => {
            table.check_spelling("arrivals")?;
            table.refuse("share", None, "the share of the link's rate to offer (0.15), or arrivals (gaps)")
        }
        (Some(_), None) if !model.size.mean_is_finite() => {
            let expected = "a finite mean, which share needs: a shape above 1, or at_most";
            table.refuse("size", Some(&distribution::print(&model.size, scope.payload())), expected)
        }
        (Some(_), None) => Ok(()),
        (None, Some(gaps)) => apart(table, "arrivals", gaps),
    }
}

fn check_udp(table: &TableReader<'_>, model: &Udp) -> Result<(), Invalid> {
    match (&model.on, &model.off) {
        (Some(on), Some(off)) if on.is_zero() && off.is_zero() => {
            table.refuse("on", Some(&distribution::print(on, Unit::Time)), "bursts above 0")
        }
        (Some(_), None) => table.refuse("off", None, "pauses between the bursts of on"),
        (None, Some(_)) => table.refuse("on", None, "bursts between the pauses of off"),
        _ => Ok(()),
    }
}
