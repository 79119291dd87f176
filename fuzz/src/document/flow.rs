// SPDX-License-Identifier: MIT OR Apache-2.0
//! Flows, and the parameters of their algorithms.

use super::link::Net;
use super::{Frame, Key, before_end, rate, round_trip, short, some_rate, span, table, time, within};
use crate::draw::Draw;
use cwnd::params::Spec;
use cwnd::registry::{self, Description, Recovery};
use cwnd_scenario::show_param;
use serde_json::{Map, Value, json};

const FLOW: &[Key] = &[
    ("start", 6, start),
    ("stop", 3, |draw, frame| time(within(draw, frame))),
    ("rtt", 6, |draw, frame| {
        // With delays of links: never below them.
        time(if frame.delays {
            frame.rtt.saturating_add(short(draw, frame))
        } else {
            round_trip(draw, frame)
        })
    }),
    ("recovery", 6, |draw, _| json!(draw.one_of(&Recovery::ALL).name())),
    ("initial_cwnd", 5, |draw, _| json!(draw.magnitude(1, 1024))),
    ("initial_ssthresh", 4, |draw, _| json!(draw.magnitude(2, 1 << 30))),
    ("ack_every", 5, |draw, _| json!(draw.magnitude(1, 1000))),
    ("ack_delay", 4, |draw, frame| time(span(draw, frame))),
    ("rwnd", 3, |draw, _| json!(draw.magnitude(1, 10_000))),
    ("min_rto", 5, |draw, frame| time(span(draw, frame))),
    ("limited_transmit", 4, |draw, _| json!(draw.chance(8))),
    ("overhead", 3, |draw, _| time(draw.magnitude(0, 1_000_000_000))),
    ("host_clock", 4, |draw, _| json!(format!("{}Hz", draw.magnitude(1, 1_000_000)))),
    ("access", 3, access),
    ("access_delay", 2, |draw, frame| time(draw.whole(0, frame.rtt / 32))),
    ("pacing", 3, |draw, _| json!(draw.chance(12))),
    ("burst", 3, |draw, _| json!(draw.magnitude(1, 1 << 20))),
    ("size", 4, |draw, frame| json!(format!("{}B", draw.magnitude(1, frame.packet_size * 4096)))),
    ("app_rate", 3, |draw, frame| rate(some_rate(draw, frame))),
    ("idle_restart", 3, |draw, _| json!(draw.chance(8))),
];

/// An algorithm, and one of its names.
pub(super) fn algorithm(draw: &mut Draw<'_>) -> (&'static Description, &'static str) {
    let favourite = draw.favourite().filter(|_| !draw.chance(4));
    let sets: Vec<_> = registry::all()
        .filter(|algorithm| favourite.is_none_or(|favourite| favourite.name == algorithm.name))
        .flat_map(|algorithm| algorithm.sets().map(move |set| (algorithm, set.name)))
        .collect();
    draw.one_of(&sets)
}

/// One `[[flow]]`.
pub(super) fn flow(draw: &mut Draw<'_>, frame: &mut Frame) -> Value {
    let (algorithm, cc) = algorithm(draw);
    frame.ccs.push(cc.to_owned());
    let mut map = Map::from_iter([("cc".to_owned(), json!(cc))]);
    let count = if draw.chance(6) { draw.magnitude(1, frame.flows.max(1)) } else { 1 };
    frame.flows = frame.flows.saturating_sub(count);
    map.insert("count".into(), json!(count));
    map.extend(table(draw, frame, FLOW));
    map.extend(route(draw, frame));
    if algorithm.name == "hybla-growth" || draw.favourite().is_some() {
        bound(draw, &mut map);
    }
    map.extend(parameters(draw, algorithm));
    Value::Object(map)
}

/// On a path of seconds Hybla's slow start goes to 2³² segments within a round trip, and a sender without bounds sends them all;
/// what an algorithm that nobody knows does is anybody's guess.
fn bound(draw: &mut Draw<'_>, map: &mut Map<String, Value>) {
    map.entry("rwnd").or_insert_with(|| json!(draw.magnitude(1, 10_000)));
}

/// Which way it goes: `direction`, `from` and `to`, or `path` and `back`.
fn route(draw: &mut Draw<'_>, frame: &Frame) -> Map<String, Value> {
    let mut map = Map::new();
    match &frame.net {
        Net::Dumbbell { .. } => {
            if draw.chance(2) {
                map.insert("direction".into(), json!("reverse"));
            }
        }
        Net::Lot { hops, .. } if draw.chance(5) => {
            let first = draw.whole(1, *hops);
            let last = draw.whole(first, *hops);
            map.insert("path".into(), (first..=last).map(|number| json!(format!("hop{number}"))).collect());
            if draw.chance(6) {
                map.insert("back".into(), json!([]));
            }
        }
        net => map.extend(ends(draw, net)),
    }
    map
}

/// `from` and `to`, between which there is a way.
pub(super) fn ends(draw: &mut Draw<'_>, net: &Net) -> Map<String, Value> {
    let (nodes, both) = match net {
        Net::Dumbbell { .. } => return Map::new(),
        Net::Lot { hops, reverse } => (hops + 1, *reverse),
        Net::Graph { nodes, .. } => (*nodes, true),
    };
    let low = draw.whole(0, nodes - 2);
    let high = draw.whole(low + 1, nodes - 1);
    let (from, to) = if both && draw.chance(8) { (high, low) } else { (low, high) };
    Map::from_iter(
        [("from", from), ("to", to)].map(|(key, node)| (key.to_owned(), json!(format!("n{node}")))),
    )
}

/// Parameters that differ from the algorithm's own.
pub(super) fn parameters(draw: &mut Draw<'_>, algorithm: &Description) -> Map<String, Value> {
    let mut map = Map::new();
    for spec in algorithm.specs {
        if draw.chance(1) {
            map.insert(spec.name.to_owned(), parameter(draw, spec));
        }
    }
    map
}

fn parameter(draw: &mut Draw<'_>, spec: &Spec) -> Value {
    let text = show_param(spec, draw.magnitude(spec.min.into(), spec.max.into()) as u32);
    match text.as_str() {
        "true" => json!(true),
        "false" => json!(false),
        _ => text.parse::<u64>().map_or_else(|_| json!(text), |whole| json!(whole)),
    }
}

fn start(draw: &mut Draw<'_>, frame: &Frame) -> Value {
    let (one, other) = (before_end(draw, frame), before_end(draw, frame));
    if one == other || draw.chance(8) {
        return time(one);
    }
    json!({ "uniform": [time(one.min(other)), time(one.max(other))] })
}

fn access(draw: &mut Draw<'_>, frame: &Frame) -> Value {
    let bits = some_rate(draw, frame);
    if draw.chance(8) {
        return rate(bits);
    }
    json!({ "rate": rate(bits), "queue": format!("{}packets", draw.magnitude(1, 1000)) })
}
