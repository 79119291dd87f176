// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is done to flows and links at given times.

use super::flow::{algorithm, parameters};
use super::link::size;
use super::{Frame, before_end, rate, some_rate, time};
use crate::draw::Draw;
use serde_json::{Map, Value, json};

/// One `[[action]]`.
pub(super) fn action(draw: &mut Draw<'_>, frame: &Frame) -> Value {
    let kind = draw.one_of(&["start", "stop", "switch", "rate", "delay", "buffer"]);
    let mut map = Map::from_iter([("at".to_owned(), time(before_end(draw, frame)))]);
    let mut put = |key: &str, value: Value| map.insert(key.to_owned(), value);
    if ["start", "stop", "switch"].contains(&kind) {
        // The name of an algorithm stands for all its flows.
        let flow = draw.whole(0, frame.ccs.len() as u64 - 1) as usize;
        put("flow", json!(frame.ccs[flow]));
    } else {
        let links = frame.net.links();
        let link = draw.whole(0, links.len() as u64 - 1) as usize;
        put("link", json!(links[link]));
    }
    match kind {
        "switch" => {
            // See the bound of flows: none of its kind is switched to.
            let (algorithm, cc) = algorithm(draw);
            let cc = if algorithm.name == "hybla-growth" { "cubic" } else { cc };
            put("cc", json!(cc));
            if cc != "cubic" {
                map.extend(parameters(draw, algorithm));
            }
        }
        "rate" => {
            put("to", rate(if draw.chance(4) { 0 } else { some_rate(draw, frame) }));
        }
        "delay" => {
            put("to", time(draw.magnitude(0, frame.rtt.max(1))));
        }
        "buffer" => {
            put("to", json!(size(draw, frame)));
        }
        _ => {}
    }
    Value::Object(Map::from_iter([(kind.to_owned(), Value::Object(map))]))
}
