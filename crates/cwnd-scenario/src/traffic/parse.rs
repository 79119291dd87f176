// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parses `[[traffic]]`.

use super::distribution::{Distribution, ONE, read_millionths};
use super::presets::PRESETS;
use super::unit::Unit;
use super::{Arrivals, Directions, GapFrom, Model, RequestResponse, Sessions, Starts, Traffic, Udp};
use crate::invalid::{Invalid, KeyTable, unknown_name};
use crate::params::unknown_algorithm;
use crate::routes::parse_ends;
use crate::units::{self, RATE, TIME};
use cwnd::registry;
use serde_json::{Map, Value, json};

/// Max number of sources of a group.
const MAX_SOURCES: u64 = 1_000_000;
const MODELS: [&str; 5] = ["long", "sessions", "mix", "request-response", "udp"];
const STARTS: &str = "a time before the end (10s), { uniform = [\"0s\", \"1s\"] }, { every = \"1s\", from = \"0s\" } \
                      or { poisson = \"1s\", from = \"0s\" } (from: 0s)";

/// The properties of the scenario that parsing a traffic group needs.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// Simulated time, ns.
    pub duration: u64,
    /// Payload of a full packet, bytes.
    pub payload: u32,
}

impl Context {
    const fn size(&self) -> Unit {
        Unit::Size { packet: self.payload }
    }
}

/// Reads the `[[traffic]]` of a TOML document and nothing else.
///
/// # Errors
/// [`Invalid`], naming the field, the value and what was expected.
pub fn read(text: &str, context: &Context) -> Result<Vec<Traffic>, Invalid> {
    let value: Value =
        toml::from_str(text).map_err(|error| crate::parse::document("TOML", &error.to_string()))?;
    let mut table = KeyTable::new("", &value)?;
    let groups = parse_list(table.get("traffic"), context)?;
    table.finish()?;
    Ok(groups)
}

/// Reads the value of the key `traffic`.
pub(crate) fn parse_list(value: Option<&Value>, context: &Context) -> Result<Vec<Traffic>, Invalid> {
    match value {
        None => Ok(Vec::new()),
        Some(Value::Array(list)) => list
            .iter()
            .enumerate()
            .map(|(index, value)| parse(&format!("traffic[{index}]"), value, context))
            .collect(),
        Some(other) => Err(Invalid {
            field: "traffic".into(),
            value: Some(crate::invalid::shown(other)),
            expected: "groups, each a [[traffic]]".into(),
        }),
    }
}

fn parse(path: &str, value: &Value, context: &Context) -> Result<Traffic, Invalid> {
    let (value, preset) = with_preset(path, value)?;
    let mut table = KeyTable::new(path, &value)?;
    let table = &mut table;
    let _ = table.get("preset");
    let expected = format!("one of {} (or a preset)", MODELS.join(", "));
    let model = table.required("model", &expected, |v| MODELS.into_iter().find(|name| v == name))?;
    let name = table.text("name", "a text", |_| true)?;
    let udp = model == "udp";
    let traffic = Traffic {
        name: name.unwrap_or_else(|| preset.unwrap_or(model).to_owned()),
        cc: if udp { String::new() } else { parse_cc(table)? },
        direction: table
            .read("direction", "forward, reverse or both", |v| {
                Directions::ALL.into_iter().find(|direction| v == direction.name())
            })?
            .unwrap_or(Directions::Forward),
        ends: parse_ends(table)?,
        start: table.read("start", STARTS, |v| read_starts(v, context))?.unwrap_or(Starts::At(0)),
        stop: table.quantity("stop", TIME, units::read_time)?,
        rtt: if udp { None } else { distribution(table, "rtt", Unit::Time)? },
        window: if udp { None } else { parse_window(table, context)? },
        model: match model {
            "long" => Model::Long { flows: count(table, "flows")? },
            "sessions" => Model::Sessions(parse_sessions(table, context)?),
            "mix" => parse_mix(table, context)?,
            "request-response" => Model::RequestResponse(parse_exchanges(table, context)?),
            _ => Model::Udp(parse_udp(table)?),
        },
    };
    match table.rest().next() {
        None => Ok(traffic),
        Some((key, value)) if udp && ["cc", "rtt", "window"].contains(&key.as_str()) => {
            table.refuse(key, Some(value), format!("no {key}: datagrams have none"))
        }
        Some((key, value)) => {
            table.refuse(key, Some(value), crate::invalid::unknown_key(key, &table.asked()))
        }
    }
}

/// The keys, and those of the preset that are not written.
fn with_preset(path: &str, value: &Value) -> Result<(Value, Option<&'static str>), Invalid> {
    let mut table = KeyTable::new(path, value)?;
    let Some(written) = table.get("preset") else { return Ok((value.clone(), None)) };
    let Some(preset) = PRESETS.iter().find(|preset| written == preset.name) else {
        let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
        let offer = unknown_name("the name of a preset", written.as_str().unwrap_or_default(), &names);
        return table.refuse("preset", Some(written), offer);
    };
    let mut keys: Map<String, Value> =
        toml::from_str(preset.keys).map_err(|error| crate::parse::document("preset", &error.to_string()))?;
    if let Value::Object(written) = value {
        // `share` and `gap` exclude each other: the written one overrides the preset's.
        if written.contains_key("arrivals") {
            keys.remove("share");
        }
        keys.extend(written.iter().map(|(key, value)| (key.clone(), value.clone())));
    }
    Ok((Value::Object(keys), Some(preset.name)))
}

fn parse_cc(table: &mut KeyTable<'_>) -> Result<String, Invalid> {
    let Some(value) = table.get("cc") else { return Ok("sack".into()) };
    match value.as_str() {
        Some(cc) if registry::find(cc).is_some() => Ok(cc.to_owned()),
        _ => table.refuse("cc", Some(value), unknown_algorithm(value.as_str().unwrap_or_default())),
    }
}

fn parse_window(table: &mut KeyTable<'_>, context: &Context) -> Result<Option<u64>, Invalid> {
    let payload = u64::from(context.payload);
    let expected = format!("a size of at least one packet's payload, {payload}B");
    table.read("window", &expected, |v| context.size().read(v).filter(|bytes| *bytes >= payload))
}

fn read_starts(value: &Value, context: &Context) -> Option<Starts> {
    let before_end = |t: &u64| *t < context.duration;
    let time = |v: &Value| v.as_str().and_then(units::read_time);
    let Value::Object(map) = value else { return time(value).filter(before_end).map(Starts::At) };
    if let (1, Some(pair)) = (map.len(), map.get("uniform")) {
        let [from, to] = pair.as_array()?.as_slice() else { return None };
        return Some(Starts::Uniform(time(from)?, time(to)?))
            .filter(|starts| matches!(starts, Starts::Uniform(a, b) if a < b && before_end(b)));
    }
    let known = |key: &String| ["from", "every", "poisson"].contains(&key.as_str());
    let from = map.get("from").map_or(Some(0), time).filter(before_end)?;
    match (map.get("every"), map.get("poisson")) {
        _ if !map.keys().all(known) => None,
        (Some(gap), None) => Some(Starts::Every { from, gap: time(gap)? }),
        (None, Some(gap)) => Some(Starts::Poisson { from, gap: time(gap).filter(|gap| *gap > 0)? }),
        _ => None,
    }
}

/// A number of sources; default 1.
fn count(table: &mut KeyTable<'_>, key: &'static str) -> Result<u32, Invalid> {
    Ok(table.whole(key, 1, MAX_SOURCES)?.unwrap_or(1) as u32)
}

fn distribution(
    table: &mut KeyTable<'_>,
    key: &'static str,
    unit: Unit,
) -> Result<Option<Distribution>, Invalid> {
    let Some(value) = table.get(key) else { return Ok(None) };
    Distribution::parse(&table.field(key), value, unit).map(Some)
}

fn required(table: &mut KeyTable<'_>, key: &'static str, unit: Unit) -> Result<Distribution, Invalid> {
    match distribution(table, key, unit)? {
        Some(value) => Ok(value),
        None => table.refuse(key, None, format!("{}, or a distribution", unit.expected())),
    }
}

fn from(table: &mut KeyTable<'_>, key: &'static str) -> Result<GapFrom, Invalid> {
    let read = |v: &Value| [GapFrom::Start, GapFrom::Finish].into_iter().find(|from| v == from.name());
    Ok(table.read(key, "start or finish", read)?.unwrap_or(GapFrom::Finish))
}

/// Refuses gaps that are always zero where nothing else separates two starts.
fn apart(table: &KeyTable<'_>, key: &str, gap: &Distribution) -> Result<(), Invalid> {
    if gap.is_zero() {
        return table.refuse(
            key,
            Some(&gap.to_value(Unit::Time)),
            "gaps above 0, because they count from the start of the one before",
        );
    }
    Ok(())
}

fn parse_sessions(table: &mut KeyTable<'_>, context: &Context) -> Result<Sessions, Invalid> {
    // Leith, Shorten and McCullagh 2007, II.A.
    let gap = json!({ "kind": "exponential", "mean": "1s" });
    let size = json!({ "kind": "pareto", "shape": 1.2, "mean": "6packets" });
    let sessions = Sessions {
        sessions: count(table, "sessions")?,
        pages: table.whole("pages", 1, u64::MAX >> 1)?,
        gap: match distribution(table, "gap", Unit::Time)? {
            Some(gap) => gap,
            None => Distribution::parse("gap", &gap, Unit::Time)?,
        },
        gap_from: from(table, "gap_from")?,
        objects: distribution(table, "objects", Unit::Count)?.unwrap_or(Distribution::Constant(1)),
        object_gap: distribution(table, "object_gap", Unit::Time)?.unwrap_or(Distribution::Constant(0)),
        object_gap_from: from(table, "object_gap_from")?,
        size: match distribution(table, "size", context.size())? {
            Some(size) => size,
            None => Distribution::parse("size", &size, context.size())?,
        },
        keep: table.read("keep", "true or false", Value::as_bool)?.unwrap_or(false),
    };
    if sessions.gap_from == GapFrom::Start {
        apart(table, "gap", &sessions.gap)?;
    }
    let overlap = sessions.gap_from == GapFrom::Start || sessions.object_gap_from == GapFrom::Start;
    if sessions.keep && overlap {
        let expected =
            "false where a gap counts from a start: transfers that overlap need connections of their own";
        return table.refuse("keep", Some(&json!(true)), expected);
    }
    Ok(sessions)
}

fn parse_mix(table: &mut KeyTable<'_>, context: &Context) -> Result<Model, Invalid> {
    let share = read_millionths(table, "share", 1, 10 * ONE)?;
    let gaps = distribution(table, "arrivals", Unit::Time)?;
    let size = required(table, "size", context.size())?;
    let arrivals = match (share, gaps) {
        (Some(share), None) => Arrivals::Share(share),
        (None, Some(gaps)) => Arrivals::Gap(gaps),
        (Some(_), Some(gaps)) => {
            let gaps = gaps.to_value(Unit::Time);
            return table.refuse("arrivals", Some(&gaps), "either share or arrivals, not both");
        }
        (None, None) => {
            return table.refuse(
                "share",
                None,
                "the share of the link's rate to offer (0.15), or arrivals (gaps)",
            );
        }
    };
    match &arrivals {
        Arrivals::Share(_) if !size.mean_is_finite() => {
            let expected = "a mean, which a share needs: a shape above 1, or at_most";
            table.refuse("size", Some(&size.to_value(context.size())), expected)?;
        }
        Arrivals::Share(_) => {}
        Arrivals::Gap(gaps) => apart(table, "arrivals", gaps)?,
    }
    Ok(Model::Mix { arrivals, size })
}

fn parse_exchanges(table: &mut KeyTable<'_>, context: &Context) -> Result<RequestResponse, Invalid> {
    Ok(RequestResponse {
        sessions: count(table, "sessions")?,
        exchanges: table.whole("exchanges", 1, u64::MAX >> 1)?,
        request: required(table, "request", context.size())?,
        response: required(table, "response", context.size())?,
        server: distribution(table, "server", Unit::Time)?.unwrap_or(Distribution::Constant(0)),
        think: distribution(table, "think", Unit::Time)?.unwrap_or(Distribution::Constant(0)),
        keep: table.read("keep", "true or false", Value::as_bool)?.unwrap_or(true),
    })
}

fn parse_udp(table: &mut KeyTable<'_>) -> Result<Udp, Invalid> {
    let sources = count(table, "sources")?;
    let rate = table.required("rate", RATE, |v| v.as_str().and_then(units::read_rate))?;
    let packet_size = table.read("packet_size", "a size from 28B to 64kB", |v| {
        v.as_str().and_then(units::read_size).filter(|n| (28..=64_000).contains(n))
    })?;
    let on = distribution(table, "on", Unit::Time)?;
    let off = distribution(table, "off", Unit::Time)?;
    let on_off = match (on, off) {
        (None, None) => None,
        (Some(on), Some(off)) => {
            if on.is_zero() && off.is_zero() {
                return table.refuse("on", Some(&on.to_value(Unit::Time)), "bursts above 0");
            }
            Some((on, off))
        }
        (Some(_), None) => return table.refuse("off", None, "the pauses that go with on"),
        (None, Some(_)) => return table.refuse("on", None, "the bursts that go with off"),
    };
    Ok(Udp { sources, rate, packet_size: packet_size.unwrap_or(1500) as u32, on_off })
}
