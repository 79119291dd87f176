// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scenarios from TOML and JSON, validated field by field.

use crate::invalid::{Invalid, Table, nearest, unknown_key};
use crate::model::{Buffer, Discipline, Group, HEADER_BYTES, Inner, Link, LinkRate, Record, Scenario, Start};
use crate::model::{Dumbbell, Route};
use crate::print::show_param;
use crate::traffic::{Context, parse_list};
use crate::units::{self, RATE, TIME, read_probability};
use cwnd::params::{Kind, Spec};
use cwnd::registry::{self, ParamError, Recovery};
use cwnd_link::{GilbertElliott, Jitter, Loss};
use serde_json::Value;

/// Most flows of a scenario.
const MAX_FLOWS: u64 = 1_000_000;
/// Longest simulated time: a hundred days, ns.
const MAX_TIME: u64 = 8_640_000_000_000_000;

const LOSS: &str = "every:N or every:N,FIRST, random:P with 0 < P < 1, gilbert:P,R,1-K,1-H with four numbers from 0 to 1, \
                    or at:N,N,... with rising packet numbers from 1";
/// Longest send overhead, ns.
const MAX_OVERHEAD: u64 = 1_000_000_000;
const OVERHEAD: &str = "a time with its unit (ns, us, ms, s), at most 1s, such as 300us";
const CLOCK: &str = "a frequency with its unit (Hz, kHz, MHz) from 1Hz to 1MHz, such as 100Hz";
const START: &str =
    "a time of 0 or more before the end (10s), or two rising ones ({ uniform = [\"0s\", \"100ms\"] })";
const INNER: &str = "true, false, or a list of names of inner variables (see cwnd show)";
const INTERVAL: &str = "two rising times within the duration, such as [\"20s\", \"100s\"]";

impl Scenario {
    /// Reads a TOML document.
    ///
    /// # Errors
    /// [`Invalid`], naming the field, the value and what was expected.
    pub fn from_toml(text: &str) -> Result<Self, Invalid> {
        let value: Value = toml::from_str(text).map_err(|error| document("TOML", &error.to_string()))?;
        Self::from_value(&value)
    }

    /// Reads a JSON document of the same shape.
    ///
    /// # Errors
    /// [`Invalid`], naming the field, the value and what was expected.
    pub fn from_json(text: &str) -> Result<Self, Invalid> {
        let value: Value =
            serde_json::from_str(text).map_err(|error| document("JSON", &error.to_string()))?;
        Self::from_value(&value)
    }

    fn from_value(value: &Value) -> Result<Self, Invalid> {
        let mut table = Table::new("", value)?;
        let name = table.read("name", "a text", |v| v.as_str().map(str::to_owned))?.unwrap_or_default();
        let duration = table.required("duration", "a time above 0 with its unit, such as 100s", |v| {
            v.as_str().and_then(units::read_time).filter(|t| (1..=MAX_TIME).contains(t))
        })?;
        let measure = table
            .read("measure", INTERVAL, |v| pair(v).filter(|(a, b)| a < b && *b <= duration))?
            .unwrap_or((0, duration));
        let seed = table.whole("seed", 0, i64::MAX as u64)?.unwrap_or(1);
        let (link, packet_size) = match table.get("link") {
            Some(value) => parse_link(value)?,
            None => return table.refuse("link", None, "a table with rate, rtt and queue"),
        };
        let record = match table.get("record") {
            Some(value) => parse_record(value)?,
            None => Record::default(),
        };
        let flows = match table.get("flow") {
            Some(Value::Array(list)) if !list.is_empty() => list
                .iter()
                .enumerate()
                .map(|(index, value)| parse_group(&format!("flow[{index}]"), value, duration))
                .collect::<Result<Vec<_>, _>>()?,
            other => return table.refuse("flow", other, "at least one [[flow]]"),
        };
        let traffic =
            parse_list(table.get("traffic"), &Context { duration, payload: packet_size - HEADER_BYTES })?;
        table.finish()?;
        check_inner(&record.inner, &flows)?;
        let total: u64 = flows.iter().map(|group| u64::from(group.count)).sum();
        if total > MAX_FLOWS {
            return Err(Invalid {
                field: "flow".into(),
                value: Some(format!("{total} flows")),
                expected: format!("at most {MAX_FLOWS}"),
            });
        }
        Ok(Self {
            name,
            duration,
            measure,
            seed,
            packet_size,
            links: vec![link],
            dumbbell: Some(Dumbbell { forward: 0, reverse: None }),
            flows,
            traffic,
            actions: Vec::new(),
            record,
        })
    }
}

impl Default for Record {
    fn default() -> Self {
        Self { interval: 100_000_000, per_ack: false, inner: Inner::Off }
    }
}

pub(crate) fn document(kind: &str, error: &str) -> Invalid {
    let detail = error.lines().map(str::trim).filter(|l| !l.is_empty()).collect::<Vec<_>>().join(" ");
    Invalid {
        field: "scenario".into(),
        value: Some("the document".into()),
        expected: format!("{kind}: {detail}"),
    }
}

fn pair(value: &Value) -> Option<(u64, u64)> {
    let [from, to] = value.as_array()?.as_slice() else { return None };
    Some((units::read_time(from.as_str()?)?, units::read_time(to.as_str()?)?))
}

fn parse_link(value: &Value) -> Result<(Link, u32), Invalid> {
    let mut table = Table::new("link", value)?;
    let rate = table.quantity("rate", RATE, units::read_rate)?;
    let Some(rate) = rate else { return table.refuse("rate", None, RATE) };
    let rtt = table.quantity("rtt", TIME, units::read_time)?;
    let Some(rtt) = rtt else { return table.refuse("rtt", None, TIME) };
    let packet_size = table.read("packet_size", "a size from 100B to 64kB", |v| {
        v.as_str().and_then(units::read_size).filter(|n| (100..=64_000).contains(n))
    })?;
    let loss = table.read("loss", LOSS, |v| v.as_str().and_then(read_loss))?.unwrap_or_default();
    let queue = table.get("queue");
    let packet_size = packet_size.unwrap_or(1500) as u32;
    let mut link = Link {
        name: "link".into(),
        from: "left".into(),
        to: "right".into(),
        rate: LinkRate::Constant(rate),
        delay: 0,
        rtt,
        buffer: Buffer::Bdp(1_000_000),
        discipline: Discipline::DropTail,
        loss,
        jitter: Jitter::None,
        overtaking: false,
        reorder: None,
    };
    crate::queue::parse(queue, &mut link, packet_size)?;
    table.finish()?;
    Ok((link, packet_size))
}

fn read_loss(text: &str) -> Option<Loss> {
    let (kind, rest) = text.split_once(':')?;
    match kind {
        "every" => {
            let (n, first) = rest.split_once(',').unwrap_or((rest, rest));
            let above_0 = |text: &str| text.trim().parse().ok().filter(|n| *n > 0);
            Some(Loss::Every { n: above_0(n)?, first: above_0(first)? })
        }
        "random" => read_probability(rest).filter(|p| (1..u64::MAX).contains(p)).map(Loss::Random),
        "gilbert" => {
            let list: Vec<u64> =
                rest.split(',').map(|p| read_probability(p.trim())).collect::<Option<_>>()?;
            let [p, r, loss_good, loss_bad] = list.try_into().ok()?;
            Some(Loss::Gilbert(GilbertElliott { p, r, loss_good, loss_bad }))
        }
        "at" => {
            let list: Vec<u64> = rest.split(',').map(|n| n.trim().parse().ok()).collect::<Option<_>>()?;
            (list[0] > 0 && list.windows(2).all(|w| w[0] < w[1])).then_some(Loss::At(list))
        }
        _ => None,
    }
}

fn parse_record(value: &Value) -> Result<Record, Invalid> {
    let mut table = Table::new("record", value)?;
    let default = Record::default();
    let interval = table.quantity("interval", TIME, units::read_time)?.unwrap_or(default.interval);
    let per_ack = table.read("per_ack", "true or false", Value::as_bool)?.unwrap_or(default.per_ack);
    let inner = table.read("inner", INNER, read_inner)?.unwrap_or_default();
    table.finish()?;
    Ok(Record { interval, per_ack, inner })
}

fn read_inner(value: &Value) -> Option<Inner> {
    match value {
        Value::Bool(true) => Some(Inner::All),
        Value::Bool(false) => Some(Inner::Off),
        Value::Array(list) if !list.is_empty() => {
            list.iter().map(|name| name.as_str().map(str::to_owned)).collect::<Option<_>>().map(Inner::Only)
        }
        _ => None,
    }
}

/// Refuses names that no flow's algorithm shows.
fn check_inner(inner: &Inner, flows: &[Group]) -> Result<(), Invalid> {
    let Inner::Only(names) = inner else { return Ok(()) };
    let mut shown: Vec<&str> = flows
        .iter()
        .filter_map(|group| registry::find(&group.cc))
        .flat_map(|(algorithm, _)| algorithm.inner())
        .collect();
    shown.sort_unstable();
    shown.dedup();
    let Some(unknown) = names.iter().find(|name| !shown.contains(&name.as_str())) else { return Ok(()) };
    Err(Invalid {
        field: "record.inner".into(),
        value: Some(format!("\"{unknown}\"")),
        expected: if shown.is_empty() {
            "no name, because the flows' algorithms show no inner variables".into()
        } else {
            format!("names of what the flows' algorithms show: {}", shown.join(", "))
        },
    })
}

fn parse_group(path: &str, value: &Value, duration: u64) -> Result<Group, Invalid> {
    let mut table = Table::new(path, value)?;
    let within = format!("{TIME}, before the duration's end");
    let before_end = |t: &u64| *t < duration;
    let cc = table.required("cc", "the name of an algorithm", |v| v.as_str().map(str::to_owned))?;
    let Some((algorithm, _)) = registry::find(&cc) else {
        let names: Vec<&str> = registry::all().flat_map(|a| a.sets().map(|set| set.name)).collect();
        let near = nearest(&cc, names.iter().copied());
        let offer =
            if near.is_empty() { names.join(", ") } else { format!("one like {}", near.join(" or ")) };
        let value = Value::String(cc);
        return table.refuse("cc", Some(&value), format!("the name of an algorithm: {offer}"));
    };
    let recoveries = Recovery::ALL.map(Recovery::name).join(", ");
    let start = table.read("start", START, |v| match v {
        Value::String(text) => units::read_time(text).filter(before_end).map(Start::At),
        Value::Object(map) if map.len() == 1 => pair(map.get("uniform")?)
            .filter(|(a, b)| a < b && before_end(b))
            .map(|(a, b)| Start::Uniform(a, b)),
        _ => None,
    })?;
    let mut group = Group {
        count: table.whole("count", 1, MAX_FLOWS)?.unwrap_or(1) as u32,
        start: start.unwrap_or(Start::At(0)),
        stop: table.read("stop", &within, |v| v.as_str().and_then(units::read_time))?,
        rtt: table.quantity("rtt", TIME, units::read_time)?,
        recovery: table.read("recovery", &recoveries, |v| v.as_str().and_then(Recovery::by_name))?,
        initial_cwnd: table.whole("initial_cwnd", 1, 1 << 30)?.unwrap_or(10) as u32,
        initial_ssthresh: table.whole("initial_ssthresh", 2, 1 << 30)?.map(|n| n as u32),
        ack_every: table.whole("ack_every", 1, 1000)?.unwrap_or(2) as u32,
        ack_delay: table.quantity("ack_delay", TIME, units::read_time)?.unwrap_or(40_000_000),
        rwnd: table.whole("rwnd", 1, 1 << 30)?.map(|n| n as u32),
        min_rto: table.quantity("min_rto", TIME, units::read_time)?.unwrap_or(200_000_000),
        limited_transmit: table.read("limited_transmit", "true or false", Value::as_bool)?.unwrap_or(true),
        overhead: table
            .read("overhead", OVERHEAD, |v| {
                v.as_str().and_then(units::read_time).filter(|t| *t <= MAX_OVERHEAD)
            })?
            .unwrap_or(0),
        host_clock: table
            .read("host_clock", CLOCK, |v| v.as_str().and_then(units::read_frequency))?
            .unwrap_or(1000),
        route: Route::Forward,
        access: None,
        access_delay: 0,
        pacing: false,
        burst: None,
        size: None,
        app_rate: None,
        idle_restart: true,
        params: Vec::new(),
        cc,
    };
    for (key, value) in table.rest() {
        group.params.push((key.clone(), parse_param(&table, &group.cc, algorithm.specs, key, value)?));
    }
    Ok(group)
}

/// A key of a flow that is none of the flow's own: a parameter of its algorithm.
fn parse_param(
    table: &Table<'_>,
    cc: &str,
    specs: &[Spec],
    key: &str,
    value: &Value,
) -> Result<String, Invalid> {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let mut probe = cwnd::Controller::by_name(cc).ok_or_else(|| document("registry", cc))?;
    match probe.set_param(key, &text) {
        Ok(()) => Ok(text),
        Err(ParamError::Unknown) => {
            let names: Vec<&str> =
                FLOW_KEYS.iter().copied().chain(specs.iter().map(|spec| spec.name)).collect();
            table.refuse(key, Some(value), unknown_key(key, &names))
        }
        Err(ParamError::Refused(name, _)) => {
            let spec = specs.iter().find(|spec| spec.name == name);
            table.refuse(key, Some(value), spec.map_or_else(String::new, expectation))
        }
    }
}

/// Keys of a flow that are not parameters of its algorithm.
pub const FLOW_KEYS: &[&str] = &[
    "cc",
    "count",
    "start",
    "stop",
    "rtt",
    "recovery",
    "initial_cwnd",
    "initial_ssthresh",
    "ack_every",
    "ack_delay",
    "rwnd",
    "min_rto",
    "limited_transmit",
    "overhead",
    "host_clock",
];

/// What a parameter accepts, in words.
#[must_use]
pub fn expectation(spec: &Spec) -> String {
    let range = || format!("{} to {}", show_param(spec, spec.min), show_param(spec, spec.max));
    let what = match spec.kind {
        Kind::Decimal => format!("a decimal from {}", range()),
        Kind::Whole => format!("a whole number from {}", range()),
        Kind::Flag => "true or false".to_owned(),
        Kind::Choice(names) => format!("one of {}", names.join(", ")),
    };
    format!("{what} ({})", spec.help)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Both stand side by side in a [[flow]].
    #[test]
    fn no_parameter_has_the_name_of_a_flows_key() {
        for spec in registry::all().flat_map(|algorithm| algorithm.specs) {
            assert!(!FLOW_KEYS.contains(&spec.name), "{}", spec.name);
        }
    }
}
