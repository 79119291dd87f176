// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes to the document of a scenario.
//!
//! A table of the schema is a list of [`Key`]s here: a name, how often it is written, and how its value is drawn. A new key of the
//! schema is a line in such a list.
//!
//! Documents are bounded by what a run of them costs: about ten thousand packets over a link, forty flows, two hundred samples. In
//! one of eight, the *wild* ones, times and rates come from the whole range that the schema accepts; those runs end after
//! [`check`](crate::check)'s number of events. Traces of rates are left out: they are files.

mod action;
mod flow;
mod link;
mod traffic;

use crate::draw::Draw;
use cwnd::registry::Description;
use link::Net;
use serde_json::{Map, Value, json};

/// The longest time of a scenario, ns.
const LONGEST: u64 = 8_640_000_000_000_000;
/// Where sizes of queues are drawn up to, packets.
const MOST_QUEUED: u64 = 3_000;

/// What later choices hang on.
pub(crate) struct Frame {
    /// Simulated time, ns.
    duration: u64,
    /// Rate of a typical link, bit/s.
    rate: u64,
    /// A typical round trip, ns.
    rtt: u64,
    packet_size: u64,
    wild: bool,
    /// Whether links have delays of their own, which a flow's round trip must not fall below.
    delays: bool,
    net: Net,
    /// Flows that may still be added.
    flows: u64,
    /// Algorithms of the flows so far.
    ccs: Vec<String>,
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
    drawn(&mut Draw::new(bytes))
}

/// The document of a scenario about `algorithm`: the first flow is its, and most others are.
#[must_use]
pub fn document_about(bytes: &[u8], algorithm: &'static Description) -> Value {
    drawn(&mut Draw::favouring(bytes, algorithm))
}

fn drawn(draw: &mut Draw<'_>) -> Value {
    let mut frame = frame(draw);
    let mut root = Map::from_iter([("duration".to_owned(), time(frame.duration))]);
    if draw.chance(4) {
        let to = within(draw, &frame).max(1);
        root.insert("measure".into(), json!([time(draw.whole(0, to - 1)), time(to)]));
    }
    root.insert("seed".into(), json!(draw.magnitude(0, i64::MAX as u64)));
    if frame.packet_size != 1500 {
        root.insert("packet_size".into(), json!(format!("{}B", frame.packet_size)));
    }
    root.insert("record".into(), Value::Object(table(draw, &frame, RECORD)));
    let (name, links) = link::network(draw, &mut frame);
    root.insert(name.into(), links);
    let groups: Vec<Value> = (0..=draw.whole(0, 4)).map(|_| flow::flow(draw, &mut frame)).collect();
    let traffic = several(draw, 4, 2, |draw| traffic::group(draw, &frame));
    let actions = several(draw, 5, 6, |draw| action::action(draw, &frame));
    for (name, list) in [("flow", groups), ("traffic", traffic), ("action", actions)] {
        if !list.is_empty() {
            root.insert(name.into(), Value::Array(list));
        }
    }
    Value::Object(root)
}

fn several(
    draw: &mut Draw<'_>,
    often: u64,
    most: u64,
    mut one: impl FnMut(&mut Draw<'_>) -> Value,
) -> Vec<Value> {
    let count = if draw.chance(often) { draw.whole(1, most) } else { 0 };
    (0..count).map(|_| one(draw)).collect()
}

fn frame(draw: &mut Draw<'_>) -> Frame {
    let wild = draw.chance(2);
    let packet_size = if draw.chance(4) { draw.magnitude(100, 64_000) } else { 1500 };
    let rate = if wild { draw.magnitude(1, 1 << 40) } else { draw.magnitude(10_000, 40_000_000_000) };
    let packets = draw.magnitude(8, 16_384);
    let fitting = u128::from(packets) * u128::from(packet_size) * 8_000_000_000 / u128::from(rate);
    let fitting = fitting.clamp(1_000, 1_000_000_000_000) as u64;
    let duration = if wild { draw.magnitude(1, LONGEST) } else { fitting };
    let mut frame = Frame {
        duration,
        rate,
        rtt: 0,
        packet_size,
        wild,
        delays: draw.chance(6),
        net: Net::Dumbbell { reverse: false },
        flows: 40,
        ccs: Vec::new(),
    };
    frame.rtt = round_trip(draw, &frame);
    frame
}

/// After how many events a run of what `bytes` say is audited. None of the distances divides another but 1.
#[must_use]
pub fn distance(bytes: &[u8]) -> u64 {
    const DISTANCES: [u64; 4] = [97, 31, 7, 1];
    DISTANCES[bytes.len() % DISTANCES.len()]
}

fn time(ns: u64) -> Value {
    json!(format!("{ns}ns"))
}

fn rate(bits: u64) -> Value {
    json!(format!("{bits}bit/s"))
}

/// An instant of the run, which may be its end.
fn within(draw: &mut Draw<'_>, frame: &Frame) -> u64 {
    match draw.whole(0, 15) {
        15 => frame.duration,
        14 => draw.magnitude(0, frame.duration),
        part => (u128::from(frame.duration) * u128::from(part) / 14) as u64,
    }
}

/// An instant before the run's end.
fn before_end(draw: &mut Draw<'_>, frame: &Frame) -> u64 {
    within(draw, frame).min(frame.duration - 1)
}

/// A time that may be longer than the run.
fn span(draw: &mut Draw<'_>, frame: &Frame) -> u64 {
    draw.magnitude(0, if frame.wild { LONGEST } else { frame.duration.saturating_mul(2) })
}

/// A time of the order of a round trip, above 0.
fn short(draw: &mut Draw<'_>, frame: &Frame) -> u64 {
    draw.magnitude(1, frame.rtt.max(1).saturating_mul(4).min(LONGEST))
}

/// Mostly so long that there are many of them.
fn round_trip(draw: &mut Draw<'_>, frame: &Frame) -> u64 {
    if draw.chance(3) { span(draw, frame) } else { frame.duration / draw.magnitude(1, 1000) }
}

/// A rate of about that of the links.
fn some_rate(draw: &mut Draw<'_>, frame: &Frame) -> u64 {
    match draw.whole(0, 3) {
        0 => frame.rate,
        1 => draw.magnitude((frame.rate / 64).max(1), frame.rate),
        2 => draw.magnitude(frame.rate, frame.rate.saturating_mul(8)),
        _ => (frame.rate / draw.whole(1, 10)).max(1),
    }
}

/// A number from 0 to 1 of up to six decimals, in millionths.
fn millionths(draw: &mut Draw<'_>) -> u64 {
    draw.magnitude(0, 1_000_000)
}
