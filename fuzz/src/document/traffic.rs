// SPDX-License-Identifier: MIT OR Apache-2.0
//! Background traffic.

use super::flow::{algorithm, ends};
use super::link::NetworkShape;
use super::{DocumentContext, before_end, rate, short, some_rate, span, time, within};
use crate::choices::Choices;
use cwnd_scenario::traffic::PRESETS;
use serde_json::{Map, Value, json};

/// One `[[traffic]]`.
pub(super) fn group(choices: &mut Choices<'_>, context: &DocumentContext) -> Value {
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| map.insert(key.to_owned(), value);
    let mut udp = false;
    match choices.whole(0, 5) {
        0 => {
            put("model", json!("long"));
            put("flows", json!(choices.whole(1, 8)));
        }
        1 => {
            put("model", json!("sessions"));
            put("sessions", json!(choices.whole(1, 12)));
            put("gap", gap(choices, context));
            put("size", sizes(choices, context));
            if choices.chance(6) {
                put("pages", json!(choices.magnitude(1, 1000)));
            }
            if choices.chance(6) {
                put("objects", json!(choices.whole(0, 9)));
                put("object_gap", gap(choices, context));
            }
            if choices.chance(4) {
                put(if choices.chance(8) { "gap_from" } else { "object_gap_from" }, json!("start"));
            } else if choices.chance(6) {
                put("keep", json!(true));
            }
        }
        2 => {
            put("model", json!("mix"));
            put("size", sizes(choices, context));
            if choices.chance(8) {
                put("share", json!(choices.magnitude(1000, 2_000_000) as f64 / 1e6));
            } else {
                put("arrivals", gap(choices, context));
            }
        }
        3 => {
            put("model", json!("request-response"));
            put("sessions", json!(choices.whole(1, 12)));
            put("request", sizes(choices, context));
            put("response", sizes(choices, context));
            for key in ["server", "think"] {
                if choices.chance(8) {
                    put(key, gap(choices, context));
                }
            }
            if choices.chance(6) {
                put("exchanges", json!(choices.magnitude(1, 1000)));
                put("keep", json!(choices.chance(8)));
            }
        }
        4 => {
            udp = true;
            put("model", json!("udp"));
            put("sources", json!(choices.whole(1, 8)));
            put("rate", rate((some_rate(choices, context) / 8).max(1)));
            put("packet_size", json!(format!("{}B", choices.magnitude(28, 64_000))));
            if choices.chance(8) {
                put("on", gap(choices, context));
                put("off", gap(choices, context));
            }
        }
        _ => {
            let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
            let name = choices.one_of(&names);
            put("preset", json!(name));
            udp = name.contains("on-off") && name.contains("ns2");
        }
    }
    if choices.chance(6) {
        put("start", start(choices, context));
    }
    if choices.chance(3) {
        put("stop", time(within(choices, context)));
    }
    if !udp {
        if choices.chance(6) {
            put("cc", json!(algorithm(choices).1));
        }
        if choices.chance(6) {
            put("rtt", gap(choices, context));
        }
        // The window limits an algorithm on a path with an RTT of its own.
        put("window", json!(format!("{}packets", choices.magnitude(1, 4096))));
    }
    if let NetworkShape::Dumbbell { .. } = context.net {
        if choices.chance(8) {
            put("direction", json!(choices.one_of(&["forward", "reverse", "both"])));
        }
    } else {
        map.extend(ends(choices, &context.net));
    }
    Value::Object(map)
}

fn start(choices: &mut Choices<'_>, context: &DocumentContext) -> Value {
    let from = before_end(choices, context);
    match choices.whole(0, 3) {
        0 => time(from),
        1 if from > 0 => json!({ "uniform": [time(0), time(from)] }),
        2 => json!({ "every": time(short(choices, context)), "from": time(from) }),
        _ => json!({ "poisson": time(short(choices, context)), "from": time(from) }),
    }
}

/// A distribution of times: of the order of a round trip, or any time.
pub(super) fn gap(choices: &mut Choices<'_>, context: &DocumentContext) -> Value {
    let typical = if choices.chance(3) { span(choices, context).max(1) } else { short(choices, context) };
    distribution(choices, typical.min(1 << 50), &|ns| time(ns))
}

/// A distribution of sizes of transfers.
pub(super) fn sizes(choices: &mut Choices<'_>, context: &DocumentContext) -> Value {
    let typical = choices.magnitude(1, context.packet_size * 64);
    distribution(choices, typical, &|bytes| json!(format!("{bytes}B")))
}

/// A count.
pub(super) fn counts(choices: &mut Choices<'_>) -> Value {
    json!(choices.whole(0, 9))
}

/// A distribution of about `typical`, and never more than ten thousand times it.
fn distribution(choices: &mut Choices<'_>, typical: u64, write: &dyn Fn(u64) -> Value) -> Value {
    let most = write(typical.saturating_mul(choices.magnitude(2, 10_000)).min(1 << 52));
    let shape = choices.whole(1_050_000, 3_000_000) as f64 / 1e6;
    let mean = write(typical);
    match choices.whole(0, 7) {
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
