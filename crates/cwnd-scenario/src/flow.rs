// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[[flow]]`: groups of flows with their senders, receivers and algorithm parameters; parsed and printed.

use crate::invalid::{Invalid, KeyTable, shown, unknown_key, unknown_name};
use crate::link::time;
use crate::model::{AccessLink, Buffer, FlowGroup, HEADER_BYTES, Start};
use crate::params::expectation;
use crate::topology::Topology;
use crate::traffic::Unit;
use crate::units::{self, RATE, TIME, write_frequency, write_rate, write_size, write_time};
use cwnd::params::Spec;
use cwnd::registry::{self, ParamError, Recovery};
use serde_json::{Map, Value, json};

/// Max characters of a user's label.
const LONGEST: usize = 40;
/// What a label may be, for error messages.
const LABEL: &str = "a text of 1 to 40 printable characters without a space at either end";

/// Whether `text` is a valid label: printable, without outer spaces.
fn is_label(text: &str) -> bool {
    let invisible = |c: char| {
        c.is_control()
            || (c.is_whitespace() && c != ' ')
            || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    (1..=LONGEST).contains(&text.chars().count()) && text.trim() == text && !text.contains(invisible)
}

/// Max number of flows of a scenario.
pub(crate) const MAX_FLOWS: u64 = 1_000_000;
/// Max send overhead, ns.
const MAX_OVERHEAD: u64 = 1_000_000_000;
/// Default queue limit of an access link, packets (Linux's `txqueuelen`).
pub(crate) const ACCESS_QUEUE: u64 = 1000;

const OVERHEAD: &str = "a time with its unit (ns, us, ms, s), at most 1s, such as 300us";
const CLOCK: &str = "a frequency with its unit (Hz, kHz, MHz) from 1Hz to 1MHz, such as 100Hz";
const START: &str =
    "a time of 0 or more before the end (10s), or two rising ones ({ uniform = [\"0s\", \"100ms\"] })";
const ACCESS: &str =
    "room for at least one packet, in packets (100packets), as a size (150kB) or a time (50ms)";
const FLAG: &str = "true or false";
const BURST: &str = "packets, 1 to 1048576, such as 4packets, or their number alone";

/// Two times.
pub(crate) fn pair(value: &Value) -> Option<(u64, u64)> {
    let [from, to] = value.as_array()?.as_slice() else { return None };
    Some((units::read_time(from.as_str()?)?, units::read_time(to.as_str()?)?))
}

/// What is expected in place of an unknown algorithm, for error messages.
pub(crate) fn unknown_algorithm(cc: &str) -> String {
    let names: Vec<&str> = registry::all().flat_map(|a| a.sets().map(|set| set.name)).collect();
    unknown_name("the name of an algorithm", cc, &names)
}

/// Reads `cc`, an algorithm that exists.
pub(crate) fn parse_cc(table: &mut KeyTable<'_>) -> Result<(String, &'static [Spec]), Invalid> {
    let cc = table.required_text("cc", "the name of an algorithm")?;
    match registry::find(&cc) {
        Some((algorithm, _)) => Ok((cc, algorithm.specs)),
        None => {
            let expected = unknown_algorithm(&cc);
            table.refuse("cc", Some(&Value::String(cc)), expected)
        }
    }
}

/// Reads one `[[flow]]`.
pub(crate) fn parse(
    path: &str,
    value: &Value,
    duration: u64,
    topology: &Topology<'_>,
) -> Result<FlowGroup, Invalid> {
    let mut table = KeyTable::new(path, value)?;
    let before_end = |t: &u64| *t < duration;
    let (cc, specs) = parse_cc(&mut table)?;
    let recoveries = Recovery::ALL.map(Recovery::name).join(", ");
    let start = table.read("start", START, |v| match v {
        Value::String(text) => units::read_time(text).filter(before_end).map(Start::At),
        Value::Object(map) if map.len() == 1 => pair(map.get("uniform")?)
            .filter(|(a, b)| a < b && before_end(b))
            .map(|(a, b)| Start::Uniform(a, b)),
        _ => None,
    })?;
    let payload = Unit::Size { packet: topology.packet_size - HEADER_BYTES };
    let flag = |table: &mut KeyTable<'_>, key| table.read(key, FLAG, Value::as_bool);
    let default = FlowGroup::of(&cc, start.unwrap_or(Start::At(0)));
    let mut group = FlowGroup {
        label: table.text("label", LABEL, is_label)?,
        count: table.whole("count", 1, MAX_FLOWS)?.map_or(default.count, |n| n as u32),
        stop: table.quantity("stop", TIME, units::read_time)?,
        rtt: table.read("rtt", TIME, time)?,
        recovery: table.read("recovery", &recoveries, |v| v.as_str().and_then(Recovery::by_name))?,
        initial_cwnd: table.whole("initial_cwnd", 1, 1 << 30)?.map_or(default.initial_cwnd, |n| n as u32),
        initial_ssthresh: table.whole("initial_ssthresh", 2, 1 << 30)?.map(|n| n as u32),
        ack_every: table.whole("ack_every", 1, 1000)?.map_or(default.ack_every, |n| n as u32),
        ack_delay: table.quantity("ack_delay", TIME, units::read_time)?.unwrap_or(default.ack_delay),
        rwnd: table.whole("rwnd", 1, 1 << 30)?.map(|n| n as u32),
        min_rto: table.quantity("min_rto", TIME, units::read_time)?.unwrap_or(default.min_rto),
        limited_transmit: flag(&mut table, "limited_transmit")?.unwrap_or(default.limited_transmit),
        overhead: table
            .read("overhead", OVERHEAD, |v| {
                v.as_str().and_then(units::read_time).filter(|t| *t <= MAX_OVERHEAD)
            })?
            .unwrap_or(default.overhead),
        host_clock: table
            .read("host_clock", CLOCK, |v| v.as_str().and_then(units::read_frequency))?
            .unwrap_or(default.host_clock),
        route: crate::routes::parse(&mut table, topology)?,
        access: parse_access(&mut table, topology.packet_size)?,
        access_delay: table.read("access_delay", TIME, time)?.unwrap_or(default.access_delay),
        pacing: flag(&mut table, "pacing")?.unwrap_or(default.pacing),
        burst: table.read("burst", BURST, read_burst)?,
        size: table.read("size", payload.expected(), |v| payload.read(v).filter(|bytes| *bytes > 0))?,
        app_rate: table.quantity("app_rate", RATE, units::read_rate)?,
        idle_restart: flag(&mut table, "idle_restart")?.unwrap_or(default.idle_restart),
        ..default
    };
    group.params = parse_params(&table, &group.cc, specs)?;
    Ok(group)
}

/// Packets per burst: with their unit, or as a number.
fn read_burst(value: &Value) -> Option<u32> {
    let packets = value.as_u64().or_else(|| crate::queue::read_packets(value.as_str()?.trim()))?;
    (1..=1 << 20).contains(&packets).then_some(packets as u32)
}

/// The access link of a flow: a rate, or a table with its queue.
fn parse_access(table: &mut KeyTable<'_>, packet: u32) -> Result<Option<AccessLink>, Invalid> {
    let Some(value) = table.get("access") else { return Ok(None) };
    if let Some(text) = value.as_str() {
        return match units::read_rate(text) {
            Some(rate) => Ok(Some(AccessLink { rate, limit: ACCESS_QUEUE })),
            None => table.refuse("access", Some(value), format!("{RATE}, or a table with rate and queue")),
        };
    }
    let mut keys = KeyTable::new(&table.field("access"), value)?;
    let rate = keys.required("rate", RATE, |v| v.as_str().and_then(units::read_rate))?;
    let limit = keys.read("queue", ACCESS, |v| {
        let packets = match crate::queue::read(v)? {
            Buffer::Packets(packets) => packets,
            Buffer::Bytes(bytes) => bytes / u64::from(packet),
            Buffer::Time(ns) => {
                let bits_e9 = u128::from(rate) * u128::from(ns);
                u64::try_from(bits_e9 / (8_000_000_000 * u128::from(packet))).ok()?
            }
            Buffer::Bdp(..) => return None,
        };
        Some(packets).filter(|packets| (1..=1 << 32).contains(packets))
    })?;
    keys.finish()?;
    Ok(Some(AccessLink { rate, limit: limit.unwrap_or(ACCESS_QUEUE) }))
}

/// The keys of `table` that were not read: parameters of the algorithm.
pub(crate) fn parse_params(
    table: &KeyTable<'_>,
    cc: &str,
    specs: &[Spec],
) -> Result<Vec<(String, String)>, Invalid> {
    table.rest().map(|(key, value)| Ok((key.clone(), parse_param(table, cc, specs, (key, value))?))).collect()
}

fn parse_param(
    table: &KeyTable<'_>,
    cc: &str,
    specs: &[Spec],
    (key, value): (&str, &Value),
) -> Result<String, Invalid> {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let mut probe = cwnd::Controller::by_name(cc).ok_or_else(|| Invalid {
        field: table.field("cc"),
        value: Some(shown(&json!(cc))),
        expected: unknown_algorithm(cc),
    })?;
    match probe.set_param(key, &text) {
        Ok(()) => Ok(text),
        Err(ParamError::Unknown) => {
            let names: Vec<&str> =
                table.asked().into_iter().chain(specs.iter().map(|spec| spec.name)).collect();
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
    "start",
    "label",
    "count",
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
    "direction",
    "from",
    "to",
    "path",
    "back",
    "access",
    "access_delay",
    "pacing",
    "burst",
    "size",
    "app_rate",
    "idle_restart",
];

/// A parameter's text as a TOML value: a boolean, a number or a string.
pub(crate) fn param(text: &str) -> Value {
    match text {
        "true" => json!(true),
        "false" => json!(false),
        _ => text.parse::<u64>().map(|n| json!(n)).unwrap_or_else(|_| json!(text)),
    }
}

/// A group as a table, every default written out.
pub(crate) fn print(group: &FlowGroup) -> Value {
    let mut map = Map::new();
    let start = match group.start {
        Start::At(at) => json!(write_time(at)),
        Start::Uniform(from, to) => json!({ "uniform": [write_time(from), write_time(to)] }),
    };
    let access = group.access.map(
        |access| json!({ "rate": write_rate(access.rate), "queue": format!("{}packets", access.limit) }),
    );
    let time = |ns: u64| json!(write_time(ns));
    let mut route = Map::new();
    crate::routes::print(&group.route, &mut route);
    let keys = [
        ("cc", Some(json!(group.cc))),
        ("label", group.label.as_ref().map(|label| json!(label))),
        ("count", Some(json!(group.count))),
        ("start", Some(start)),
        ("stop", group.stop.map(time)),
        ("rtt", group.rtt.map(time)),
        ("recovery", group.recovery.map(|recovery| json!(recovery.name()))),
        ("initial_cwnd", Some(json!(group.initial_cwnd))),
        ("initial_ssthresh", group.initial_ssthresh.map(|n| json!(n))),
        ("ack_every", Some(json!(group.ack_every))),
        ("ack_delay", Some(time(group.ack_delay))),
        ("rwnd", group.rwnd.map(|n| json!(n))),
        ("min_rto", Some(time(group.min_rto))),
        ("limited_transmit", Some(json!(group.limited_transmit))),
        ("overhead", Some(time(group.overhead))),
        ("host_clock", Some(json!(write_frequency(group.host_clock)))),
        ("access", access),
        ("access_delay", Some(time(group.access_delay))),
        ("pacing", Some(json!(group.pacing))),
        ("burst", group.burst.map(|n| json!(n))),
        ("size", group.size.map(|bytes| json!(write_size(bytes)))),
        ("app_rate", group.app_rate.map(|rate| json!(write_rate(rate)))),
        ("idle_restart", Some(json!(group.idle_restart))),
    ];
    for (key, value) in keys {
        if let Some(value) = value {
            map.insert(key.to_owned(), value);
        }
    }
    map.extend(route);
    map.extend(group.params.iter().map(|(name, text)| (name.clone(), param(text))));
    Value::Object(map)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Both are keys of a [[flow]].
    #[test]
    fn no_parameter_has_the_name_of_a_flows_key() {
        for spec in registry::all().flat_map(|algorithm| algorithm.specs) {
            assert!(!FLOW_KEYS.contains(&spec.name), "{}", spec.name);
            assert!(!["flow", "at"].contains(&spec.name), "{}: a key of an action", spec.name);
        }
    }

    // The error about an unknown key lists the keys that were read, then the algorithm's parameters.
    #[test]
    fn the_keys_of_a_flow_are_those_that_are_read() {
        let text = "duration = '1s'\n[link]\nrate = '1Mbit/s'\nrtt = '1s'\n[[flow]]\ncc = 'cubic'\nqqqqqqqqqqqqqqqqq = 1\n";
        let message = crate::Scenario::from_toml(text).expect_err("unknown").to_string();
        let (_, listed) = message.split_once("one of the keys ").expect("a list");
        let mut listed: Vec<&str> = listed.split(", ").collect();
        let specs = registry::find("cubic").expect("registered").0.specs;
        assert!(specs.iter().all(|spec| listed.contains(&spec.name)));
        listed.retain(|key| specs.iter().all(|spec| spec.name != *key));
        listed.sort_unstable();
        let mut known = FLOW_KEYS.to_vec();
        known.sort_unstable();
        assert_eq!(listed, known);
    }
}
