// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prints `[[traffic]]` so that it parses to the same groups.

use super::distribution::{Distribution, show_millionths};
use super::unit::Unit;
use super::{Arrivals, Model, Starts, Traffic};
use crate::units::{write_rate, write_size, write_time};
use serde_json::{Map, Value, json};

/// Groups as a TOML document, every default written out.
///
/// # Panics
/// Never: a group has only values that TOML can express.
#[must_use]
pub fn to_toml(groups: &[Traffic]) -> String {
    let groups: Vec<Value> = groups.iter().map(Traffic::to_value).collect();
    toml::to_string_pretty(&json!({ "traffic": groups })).expect("a group holds only what TOML can say")
}

fn starts(starts: Starts) -> Value {
    match starts {
        Starts::At(at) => json!(write_time(at)),
        Starts::Uniform(from, to) => json!({ "uniform": [write_time(from), write_time(to)] }),
        Starts::Every { from, gap } => json!({ "every": write_time(gap), "from": write_time(from) }),
        Starts::Poisson { from, gap } => json!({ "poisson": write_time(gap), "from": write_time(from) }),
    }
}

impl Traffic {
    /// The group as a table of a scenario, every default written out.
    #[must_use]
    pub fn to_value(&self) -> Value {
        // Sizes are stored in bytes, so the payload of a packet does not matter here.
        let size = |distribution: &Distribution| distribution.to_value(Unit::Size { packet: 1 });
        let time = |distribution: &Distribution| distribution.to_value(Unit::Time);
        let mut map = Map::new();
        let mut put = |key: &str, value: Value| {
            map.insert(key.to_owned(), value);
        };
        put("name", json!(self.name));
        if !self.cc.is_empty() {
            put("cc", json!(self.cc));
        }
        put("direction", json!(self.direction.name()));
        if let Some((from, to)) = &self.ends {
            put("from", json!(from));
            put("to", json!(to));
        }
        put("start", starts(self.start));
        if let Some(stop) = self.stop {
            put("stop", json!(write_time(stop)));
        }
        if let Some(rtt) = &self.rtt {
            put("rtt", time(rtt));
        }
        if let Some(window) = self.window {
            put("window", json!(write_size(window)));
        }
        match &self.model {
            Model::Long { flows } => {
                put("model", json!("long"));
                put("flows", json!(flows));
            }
            Model::Sessions(model) => {
                put("model", json!("sessions"));
                put("sessions", json!(model.sessions));
                if let Some(pages) = model.pages {
                    put("pages", json!(pages));
                }
                put("gap", time(&model.gap));
                put("gap_from", json!(model.gap_from.name()));
                put("objects", model.objects.to_value(Unit::Count));
                put("object_gap", time(&model.object_gap));
                put("object_gap_from", json!(model.object_gap_from.name()));
                put("size", size(&model.size));
                put("keep", json!(model.keep));
            }
            Model::Mix { arrivals, size: sizes } => {
                put("model", json!("mix"));
                match arrivals {
                    Arrivals::Share(share) => put("share", show_millionths(*share)),
                    Arrivals::Gap(gaps) => put("arrivals", time(gaps)),
                }
                put("size", size(sizes));
            }
            Model::RequestResponse(model) => {
                put("model", json!("request-response"));
                put("sessions", json!(model.sessions));
                if let Some(exchanges) = model.exchanges {
                    put("exchanges", json!(exchanges));
                }
                put("request", size(&model.request));
                put("response", size(&model.response));
                put("server", time(&model.server));
                put("think", time(&model.think));
                put("keep", json!(model.keep));
            }
            Model::Udp(model) => {
                put("model", json!("udp"));
                put("sources", json!(model.sources));
                put("rate", json!(write_rate(model.rate)));
                put("packet_size", json!(write_size(u64::from(model.packet_size))));
                if let Some((on, off)) = &model.on_off {
                    put("on", time(on));
                    put("off", time(off));
                }
            }
        }
        Value::Object(map)
    }
}
