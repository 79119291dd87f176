// SPDX-License-Identifier: MIT OR Apache-2.0
//! Actions on flows and links.

use super::flow::{algorithm, parameters};
use super::link::size;
use super::{DocumentContext, before_end, rate, some_rate, time};
use crate::choices::Choices;
use serde_json::{Map, Value, json};

/// One `[[action]]`.
pub(super) fn action(choices: &mut Choices<'_>, context: &DocumentContext) -> Value {
    let kind = choices.one_of(&["start", "stop", "switch", "rate", "delay", "buffer"]);
    let mut map = Map::from_iter([("at".to_owned(), time(before_end(choices, context)))]);
    let mut put = |key: &str, value: Value| map.insert(key.to_owned(), value);
    if ["start", "stop", "switch"].contains(&kind) {
        // The name of an algorithm refers to all its flows.
        let flow = choices.whole(0, context.ccs.len() as u64 - 1) as usize;
        put("flow", json!(context.ccs[flow]));
    } else {
        let links = context.net.links();
        let link = choices.whole(0, links.len() as u64 - 1) as usize;
        put("link", json!(links[link]));
    }
    match kind {
        "switch" => {
            // See the bound on flows: such algorithms are not switched to.
            let (algorithm, cc) = algorithm(choices);
            let cc = if algorithm.name == "hybla-growth" { "cubic" } else { cc };
            put("cc", json!(cc));
            if cc != "cubic" {
                map.extend(parameters(choices, algorithm));
            }
        }
        "rate" => {
            put("to", rate(if choices.chance(4) { 0 } else { some_rate(choices, context) }));
        }
        "delay" => {
            put("to", time(choices.magnitude(0, context.rtt.max(1))));
        }
        "buffer" => {
            put("to", json!(size(choices, context)));
        }
        _ => {}
    }
    Value::Object(Map::from_iter([(kind.to_owned(), Value::Object(map))]))
}
