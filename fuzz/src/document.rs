// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes to the document of a scenario.
//!
//! A table of the schema is a list of [`Key`]s here: a name, how often it is written, and how its value is drawn. A new key of the
//! schema is a line in such a list.
//!
//! Documents are bounded by what a run of them costs: about ten thousand packets over the bottleneck, forty flows, a thousand
//! samples. In one of eight, the *wild* ones, times and rates come from the whole range that the schema accepts; those runs end after
//! [`check`](crate::check)'s number of events.

use crate::draw::Draw;
use cwnd::params::Spec;
use cwnd::registry::{self, Recovery};
use cwnd_scenario::show_param;
use serde_json::{Map, Value, json};

/// The longest time that a scenario may last, ns.
const LONGEST: u64 = 8_640_000_000_000_000;
/// Where RED, losses and sizes of the queue are drawn up to, packets.
const MOST_QUEUED: u64 = 3_000;

/// What later choices hang on.
struct Frame {
    /// Simulated time, ns.
    duration: u64,
    /// Flows that may still be added.
    flows: u64,
    wild: bool,
}

/// A key of a table: its name, in how many of 16 documents it is written, and its value.
type Key = (&'static str, u64, fn(&mut Draw<'_>, &Frame) -> Value);

fn table(draw: &mut Draw<'_>, frame: &Frame, keys: &[Key]) -> Map<String, Value> {
    let mut map = Map::new();
    for (name, often, value) in keys {
        if *often == 16 || draw.chance(*often) {
            map.insert((*name).to_owned(), value(draw, frame));
        }
    }
    map
}

const FLOW: &[Key] = &[
    ("start", 6, start),
    ("stop", 3, |draw, frame| time(within(draw, frame))),
    ("rtt", 6, |draw, frame| time(round_trip(draw, frame))),
    ("recovery", 6, |draw, _| json!(draw.one_of(&Recovery::ALL).name())),
    ("initial_cwnd", 5, |draw, _| json!(draw.magnitude(1, 1024))),
    ("initial_ssthresh", 4, |draw, _| json!(draw.magnitude(2, 1 << 30))),
    ("ack_every", 5, |draw, _| json!(draw.magnitude(1, 1000))),
    ("ack_delay", 4, |draw, frame| time(span(draw, frame))),
    ("rwnd", 3, |draw, _| json!(draw.magnitude(1, 10_000))),
    ("min_rto", 5, |draw, frame| time(span(draw, frame))),
    ("limited_transmit", 4, |draw, _| json!(draw.chance(8))),
    ("overhead", 4, |draw, _| time(draw.magnitude(0, 1_000_000_000))),
    ("host_clock", 4, |draw, _| json!(format!("{}Hz", draw.magnitude(1, 1_000_000)))),
];

const LINK: &[Key] = &[
    ("rtt", 16, |draw, frame| time(round_trip(draw, frame))),
    ("loss", 8, |draw, _| json!(loss(draw))),
    ("queue", 14, queue),
];

const RECORD: &[Key] = &[
    ("interval", 16, |draw, frame| {
        time(if draw.chance(4) { 0 } else { (frame.duration / draw.whole(1, 200)).max(1) })
    }),
    ("per_ack", 3, |draw, _| json!(draw.chance(12))),
    ("inner", 4, |draw, _| json!(draw.chance(12))),
];

/// The document of a scenario. Most are valid.
#[must_use]
pub fn document(bytes: &[u8]) -> Value {
    let draw = &mut Draw::new(bytes);
    let wild = draw.chance(2);
    let packet_size = if draw.chance(4) { draw.magnitude(100, 64_000) } else { 1500 };
    let rate = if wild { draw.magnitude(1, 1 << 50) } else { draw.magnitude(10_000, 40_000_000_000) };
    let packets = draw.magnitude(8, 8192);
    let fitting = u128::from(packets) * u128::from(packet_size) * 8_000_000_000 / u128::from(rate);
    let duration =
        if wild { draw.magnitude(1, LONGEST) } else { fitting.clamp(1_000, 1_000_000_000_000) as u64 };
    let mut frame = Frame { duration, flows: 40, wild };

    let mut link = Map::new();
    link.insert("rate".into(), json!(format!("{rate}bit/s")));
    if packet_size != 1500 {
        link.insert("packet_size".into(), json!(format!("{packet_size}B")));
    }
    link.extend(table(draw, &frame, LINK));

    let mut root = Map::new();
    root.insert("duration".into(), time(duration));
    if draw.chance(4) {
        let to = within(draw, &frame).max(1);
        root.insert("measure".into(), json!([time(draw.whole(0, to - 1)), time(to)]));
    }
    root.insert("seed".into(), json!(draw.magnitude(0, i64::MAX as u64)));
    root.insert("record".into(), Value::Object(table(draw, &frame, RECORD)));
    root.insert("link".into(), Value::Object(link));
    let groups: Vec<Value> = (0..=draw.whole(0, 4)).map(|_| flow(draw, &mut frame)).collect();
    root.insert("flow".into(), Value::Array(groups));
    Value::Object(root)
}

/// After how many events a run of what `bytes` say is audited. Few of the distances divide one another.
#[must_use]
pub fn distance(bytes: &[u8]) -> u64 {
    const DISTANCES: [u64; 4] = [97, 31, 7, 1];
    DISTANCES[bytes.len() % DISTANCES.len()]
}

fn flow(draw: &mut Draw<'_>, frame: &mut Frame) -> Value {
    let sets: Vec<_> = registry::all()
        .flat_map(|algorithm| algorithm.sets().map(move |set| (algorithm, set.name)))
        .collect();
    let (algorithm, cc) = sets[draw.whole(0, sets.len() as u64 - 1) as usize];
    let mut map = Map::from_iter([("cc".to_owned(), json!(cc))]);
    let count = if draw.chance(6) { draw.magnitude(1, frame.flows.max(1)) } else { 1 };
    frame.flows = frame.flows.saturating_sub(count);
    map.insert("count".into(), json!(count));
    map.extend(table(draw, frame, FLOW));
    // On a path of seconds its slow start goes to 2³² segments within a round trip, and a sender without bounds sends them all.
    if algorithm.name == "hybla" {
        map.entry("rwnd").or_insert_with(|| json!(draw.magnitude(1, 10_000)));
    }
    for spec in algorithm.specs {
        if draw.chance(1) {
            map.insert(spec.name.to_owned(), parameter(draw, spec));
        }
    }
    Value::Object(map)
}

fn parameter(draw: &mut Draw<'_>, spec: &Spec) -> Value {
    let text = show_param(spec, draw.magnitude(spec.min.into(), spec.max.into()) as u32);
    match text.as_str() {
        "true" => json!(true),
        "false" => json!(false),
        _ => text.parse::<u64>().map_or_else(|_| json!(text), |whole| json!(whole)),
    }
}

fn time(ns: u64) -> Value {
    json!(format!("{ns}ns"))
}

/// An instant of the run, which may be its end.
fn within(draw: &mut Draw<'_>, frame: &Frame) -> u64 {
    match draw.whole(0, 15) {
        15 => frame.duration,
        14 => draw.magnitude(0, frame.duration),
        part => (u128::from(frame.duration) * u128::from(part) / 14) as u64,
    }
}

/// A time that may be longer than the run.
fn span(draw: &mut Draw<'_>, frame: &Frame) -> u64 {
    if frame.wild { draw.magnitude(0, LONGEST) } else { draw.magnitude(0, frame.duration.saturating_mul(2)) }
}

/// Mostly so long that there are many of them.
fn round_trip(draw: &mut Draw<'_>, frame: &Frame) -> u64 {
    if draw.chance(3) { span(draw, frame) } else { frame.duration / draw.magnitude(1, 1000) }
}

fn start(draw: &mut Draw<'_>, frame: &Frame) -> Value {
    let last = frame.duration.saturating_sub(1);
    let (one, other) = (within(draw, frame).min(last), within(draw, frame).min(last));
    if one == other || draw.chance(8) {
        return time(one);
    }
    json!({ "uniform": [time(one.min(other)), time(one.max(other))] })
}

/// A number from 0 to 1 of up to six decimals.
fn part(draw: &mut Draw<'_>) -> String {
    let millionths = draw.magnitude(0, 1_000_000);
    format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000)
}

fn loss(draw: &mut Draw<'_>) -> String {
    match draw.whole(0, 4) {
        0 => {
            let millionths = draw.magnitude(1, 999_999);
            format!("random:0.{millionths:06}")
        }
        1 => format!("every:{}", draw.magnitude(1, MOST_QUEUED)),
        2 => format!("every:{},{}", draw.magnitude(1, MOST_QUEUED), draw.magnitude(1, MOST_QUEUED)),
        3 => {
            let parts: Vec<String> = (0..4).map(|_| part(draw)).collect();
            format!("gilbert:{}", parts.join(","))
        }
        _ => {
            let mut at = 0;
            let list: Vec<String> = (0..=draw.whole(0, 40))
                .map(|_| {
                    at += draw.magnitude(1, 256);
                    at.to_string()
                })
                .collect();
            format!("at:{}", list.join(","))
        }
    }
}

fn queue(draw: &mut Draw<'_>, frame: &Frame) -> Value {
    let limit = json!(size(draw, frame));
    if !draw.chance(6) {
        return json!({ "kind": "droptail", "limit": limit });
    }
    let (min, more) = (draw.magnitude(0, MOST_QUEUED), draw.magnitude(1, MOST_QUEUED));
    let (min, max) = if draw.chance(5) {
        (format!("{}B", min * 1000), format!("{}B", (min + more) * 1000))
    } else {
        (format!("{min}packets"), format!("{}packets", min + more))
    };
    let mut map = Map::from_iter(
        [("kind", json!("red")), ("limit", limit)].map(|(key, value)| (key.to_owned(), value)),
    );
    map.insert("min".into(), json!(min));
    map.insert("max".into(), json!(max));
    for key in ["max_p", "weight"] {
        if draw.chance(6) {
            map.insert(key.into(), json!(draw.magnitude(1, 1_000_000) as f64 / 1e6));
        }
    }
    if draw.chance(6) {
        map.insert("gentle".into(), json!(draw.chance(8)));
    }
    Value::Object(map)
}

/// The size of a queue.
fn size(draw: &mut Draw<'_>, frame: &Frame) -> String {
    let packets = draw.magnitude(1, if frame.wild { 1 << 32 } else { MOST_QUEUED });
    match draw.whole(0, 3) {
        0 => format!("{packets}packets"),
        1 => format!("{}B", packets.saturating_mul(1500)),
        2 => format!("{}ns", span(draw, frame)),
        _ => {
            let thousandths = draw.magnitude(1, 10_000);
            format!("{}.{:03}bdp", thousandths / 1000, thousandths % 1000)
        }
    }
}
