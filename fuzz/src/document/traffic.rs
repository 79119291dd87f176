// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traffic beside the flows.

use super::flow::{algorithm, ends};
use super::link::Net;
use super::{Frame, before_end, rate, short, some_rate, span, time, within};
use crate::draw::Draw;
use cwnd_scenario::traffic::PRESETS;
use serde_json::{Map, Value, json};

/// One `[[traffic]]`.
pub(super) fn group(draw: &mut Draw<'_>, frame: &Frame) -> Value {
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| map.insert(key.to_owned(), value);
    let mut udp = false;
    match draw.whole(0, 5) {
        0 => {
            put("model", json!("long"));
            put("flows", json!(draw.whole(1, 8)));
        }
        1 => {
            put("model", json!("sessions"));
            put("sessions", json!(draw.whole(1, 12)));
            put("gap", gap(draw, frame));
            put("size", size(draw, frame));
            if draw.chance(6) {
                put("pages", json!(draw.magnitude(1, 1000)));
            }
            if draw.chance(6) {
                put("objects", json!(draw.whole(0, 9)));
                put("object_gap", gap(draw, frame));
            }
            if draw.chance(4) {
                put(if draw.chance(8) { "gap_from" } else { "object_gap_from" }, json!("start"));
            } else if draw.chance(6) {
                put("keep", json!(true));
            }
        }
        2 => {
            put("model", json!("mix"));
            put("size", size(draw, frame));
            if draw.chance(8) {
                put("share", json!(draw.magnitude(1000, 2_000_000) as f64 / 1e6));
            } else {
                put("arrivals", gap(draw, frame));
            }
        }
        3 => {
            put("model", json!("request-response"));
            put("sessions", json!(draw.whole(1, 12)));
            put("request", size(draw, frame));
            put("response", size(draw, frame));
            for key in ["server", "think"] {
                if draw.chance(8) {
                    put(key, gap(draw, frame));
                }
            }
            if draw.chance(6) {
                put("exchanges", json!(draw.magnitude(1, 1000)));
                put("keep", json!(draw.chance(8)));
            }
        }
        4 => {
            udp = true;
            put("model", json!("udp"));
            put("sources", json!(draw.whole(1, 8)));
            put("rate", rate((some_rate(draw, frame) / 8).max(1)));
            put("packet_size", json!(format!("{}B", draw.magnitude(28, 64_000))));
            if draw.chance(8) {
                put("on", gap(draw, frame));
                put("off", gap(draw, frame));
            }
        }
        _ => {
            let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
            let name = draw.one_of(&names);
            put("preset", json!(name));
            udp = name.contains("on-off") && name.contains("ns2");
        }
    }
    if draw.chance(6) {
        put("start", start(draw, frame));
    }
    if draw.chance(3) {
        put("stop", time(within(draw, frame)));
    }
    if !udp {
        if draw.chance(6) {
            put("cc", json!(algorithm(draw).1));
        }
        if draw.chance(6) {
            put("rtt", gap(draw, frame));
        }
        // A window bounds what an algorithm may do on a path of its own length.
        put("window", json!(format!("{}packets", draw.magnitude(1, 4096))));
    }
    if let Net::Dumbbell { .. } = frame.net {
        if draw.chance(8) {
            put("direction", json!(draw.one_of(&["forward", "reverse", "both"])));
        }
    } else {
        map.extend(ends(draw, &frame.net));
    }
    Value::Object(map)
}

fn start(draw: &mut Draw<'_>, frame: &Frame) -> Value {
    let from = before_end(draw, frame);
    match draw.whole(0, 3) {
        0 => time(from),
        1 if from > 0 => json!({ "uniform": [time(0), time(from)] }),
        2 => json!({ "every": time(short(draw, frame)), "from": time(from) }),
        _ => json!({ "poisson": time(short(draw, frame)), "from": time(from) }),
    }
}

/// A distribution of times: of the order of a round trip, or of anything.
fn gap(draw: &mut Draw<'_>, frame: &Frame) -> Value {
    let typical = if draw.chance(3) { span(draw, frame).max(1) } else { short(draw, frame) };
    distribution(draw, typical.min(1 << 50), &|ns| time(ns))
}

/// A distribution of sizes of transfers.
fn size(draw: &mut Draw<'_>, frame: &Frame) -> Value {
    let typical = draw.magnitude(1, frame.packet_size * 64);
    distribution(draw, typical, &|bytes| json!(format!("{bytes}B")))
}

/// A distribution of about `typical`, and never more than ten thousand times it.
fn distribution(draw: &mut Draw<'_>, typical: u64, write: &dyn Fn(u64) -> Value) -> Value {
    let most = write(typical.saturating_mul(draw.magnitude(2, 10_000)).min(1 << 52));
    let shape = draw.whole(1_050_000, 3_000_000) as f64 / 1e6;
    let mean = write(typical);
    match draw.whole(0, 7) {
        0 => mean,
        1 => json!({ "kind": "exponential", "mean": mean, "at_most": most }),
        2 => json!({ "kind": "pareto", "shape": shape, "mean": mean, "at_most": most }),
        3 => json!({ "kind": "pareto2", "shape": shape, "mean": mean, "at_most": most }),
        4 => json!({ "kind": "lognormal", "sigma": shape, "mean": mean, "at_most": most }),
        5 => json!({ "kind": "weibull", "shape": shape, "mean": mean, "at_most": most }),
        6 => json!({ "kind": "uniform", "min": write(typical / 2), "max": write(typical.saturating_mul(2)) }),
        _ => json!({
            "kind": "body-tail", "median": mean, "sigma": shape, "tail_from": write(typical.saturating_mul(8)),
            "tail_shape": 1.2, "tail_share": 0.1, "at_most": write(typical.saturating_mul(1000)),
        }),
    }
}
