// SPDX-License-Identifier: MIT OR Apache-2.0
//! Links: dumbbells, parking lots, graphs.

use super::{Frame, Key, MOST_QUEUED, millionths, rate, short, some_rate, span, table, time, within};
use crate::draw::Draw;
use serde_json::{Map, Value, json};

/// What links there are.
pub(crate) enum Net {
    /// One, with or without a link back.
    Dumbbell { reverse: bool },
    /// So many in a row, between the nodes n0, n1 …
    Lot { hops: u64, reverse: bool },
    /// So many nodes, called n0, n1 …, each linked with the next, both ways; link names.
    Graph { nodes: u64, links: Vec<String> },
}

impl Net {
    /// Names of the links.
    pub fn links(&self) -> Vec<String> {
        match self {
            Self::Dumbbell { reverse: false } => vec!["link".into()],
            Self::Dumbbell { reverse: true } => vec!["link".into(), "reverse".into()],
            Self::Lot { hops, .. } => (1..=*hops).map(|number| format!("hop{number}")).collect(),
            Self::Graph { links, .. } => links.clone(),
        }
    }
}

const LINK: &[Key] = &[
    ("rate", 16, link_rate),
    ("delay", 16, |draw, frame| time(if frame.delays { draw.whole(0, frame.rtt / 32) } else { 0 })),
    ("loss", 7, |draw, _| json!(loss(draw))),
    ("queue", 15, queue),
    ("jitter", 3, jitter),
    (
        "reorder",
        3,
        |draw, frame| json!({ "share": millionths(draw).max(1) as f64 / 1e6, "extra": time(short(draw, frame)) }),
    ),
];

/// The key of the links, and its value.
pub(super) fn network(draw: &mut Draw<'_>, frame: &mut Frame) -> (&'static str, Value) {
    match draw.whole(0, 15) {
        15 | 14 => {
            let nodes = draw.whole(2, 6);
            let mut ends: Vec<(u64, u64)> =
                (1..nodes).flat_map(|node| [(node - 1, node), (node, node - 1)]).collect();
            for _ in 0..draw.whole(0, 3) {
                let (from, to) = (draw.whole(0, nodes - 1), draw.whole(0, nodes - 1));
                if from != to {
                    ends.push((from, to));
                }
            }
            let names: Vec<String> = (0..ends.len()).map(|number| format!("l{number}")).collect();
            let links = ends.iter().zip(&names).map(|((from, to), name)| {
                let mut map = Map::from_iter([("name".to_owned(), json!(name))]);
                map.insert("from".into(), json!(format!("n{from}")));
                map.insert("to".into(), json!(format!("n{to}")));
                map.extend(table(draw, frame, LINK));
                Value::Object(map)
            });
            let links = Value::Array(links.collect());
            frame.net = Net::Graph { nodes, links: names };
            ("link", links)
        }
        13 | 12 => {
            let hops = draw.whole(1, 5);
            let mut map = table(draw, frame, LINK);
            map.insert("hops".into(), json!(hops));
            let reverse = draw.chance(8);
            if reverse {
                map.insert("reverse".into(), way_back(draw, frame));
            }
            frame.net = Net::Lot { hops, reverse };
            ("parking_lot", Value::Object(map))
        }
        _ => {
            let mut map = table(draw, frame, LINK);
            map.insert("rtt".into(), time(frame.rtt));
            let reverse = draw.chance(5);
            if reverse {
                map.insert("reverse".into(), way_back(draw, frame));
            }
            frame.net = Net::Dumbbell { reverse };
            ("link", Value::Object(map))
        }
    }
}

fn way_back(draw: &mut Draw<'_>, frame: &Frame) -> Value {
    if draw.chance(6) { json!(true) } else { Value::Object(table(draw, frame, LINK)) }
}

fn link_rate(draw: &mut Draw<'_>, frame: &Frame) -> Value {
    let first = some_rate(draw, frame);
    if !draw.chance(3) {
        return rate(first);
    }
    let mut at = 0;
    let mut steps = vec![json!([time(0), rate(first)])];
    for _ in 0..draw.whole(0, 5) {
        at += within(draw, frame) / 4 + 1;
        steps.push(json!([time(at), rate(if draw.chance(3) { 0 } else { some_rate(draw, frame) })]));
    }
    Value::Array(steps)
}

fn decimal(millionths: u64) -> String {
    format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000)
}

fn loss(draw: &mut Draw<'_>) -> String {
    match draw.whole(0, 4) {
        0 => format!("random:{}", decimal(draw.magnitude(1, 999_999))),
        1 => format!("every:{}", draw.magnitude(1, MOST_QUEUED)),
        2 => format!("every:{},{}", draw.magnitude(1, MOST_QUEUED), draw.magnitude(1, MOST_QUEUED)),
        3 => {
            let parts: Vec<String> = (0..4).map(|_| decimal(millionths(draw))).collect();
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

fn jitter(draw: &mut Draw<'_>, frame: &Frame) -> Value {
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| map.insert(key.to_owned(), value);
    match draw.whole(0, 4) {
        0 => return time(short(draw, frame)),
        1 => {
            put("kind", json!("uniform"));
            put("max", time(short(draw, frame)));
        }
        2 => {
            put("kind", json!("normal"));
            put("mean", time(short(draw, frame)));
            put("sd", time(short(draw, frame)));
        }
        3 => {
            put("kind", json!("exponential"));
            put("mean", time(short(draw, frame)));
        }
        _ => {
            put("kind", json!("none"));
        }
    }
    put("overtaking", json!(draw.chance(8)));
    Value::Object(map)
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
    let mut map = Map::new();
    for (key, value) in [("kind", json!("red")), ("limit", limit), ("min", json!(min)), ("max", json!(max))] {
        map.insert(key.into(), value);
    }
    for key in ["max_p", "weight"] {
        if draw.chance(6) {
            map.insert(key.into(), json!(millionths(draw).max(1) as f64 / 1e6));
        }
    }
    if draw.chance(6) {
        map.insert("gentle".into(), json!(draw.chance(8)));
    }
    Value::Object(map)
}

/// The size of a queue: mostly room for a packet and more, at the frame's rate.
pub(super) fn size(draw: &mut Draw<'_>, frame: &Frame) -> String {
    let packets = draw.magnitude(1, if frame.wild { 1 << 32 } else { MOST_QUEUED });
    let bytes = packets.saturating_mul(frame.packet_size);
    let ns = |bytes: u64| (u128::from(bytes) * 8_000_000_000 / u128::from(frame.rate)) as u64 + 1;
    match draw.whole(0, 15) {
        15 => format!("{}ns", span(draw, frame)),
        14 => format!("{}bdp", decimal(draw.magnitude(1000, 10_000_000))),
        9..14 => format!("{bytes}B"),
        5..9 => format!("{}ns", ns(bytes.saturating_mul(16))), // some links are slower
        _ => format!("{packets}packets"),
    }
}
