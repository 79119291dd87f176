// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prints scenarios as TOML or JSON that parses to the same scenario.

use crate::model::Scenario;
use crate::traffic::Traffic;
use crate::units::write_time;
use serde_json::{Map, Value, json};

impl Scenario {
    /// The scenario as a TOML document, every default written out.
    #[must_use]
    pub fn to_toml(&self) -> String {
        toml::to_string_pretty(&self.to_value()).expect("a scenario holds only what TOML can say")
    }

    /// The scenario as a JSON document.
    #[must_use]
    pub fn to_json(&self) -> String {
        self.to_value().to_string()
    }

    fn to_value(&self) -> Value {
        let mut document = Map::new();
        let head = [
            ("name", json!(self.name)),
            ("duration", json!(write_time(self.duration))),
            ("measure", json!([write_time(self.measure.0), write_time(self.measure.1)])),
            ("seed", json!(self.seed)),
        ];
        document.extend(head.map(|(key, value)| (key.to_owned(), value)));
        crate::topology::print(self, &mut document);
        document.insert("record".into(), crate::record::print(&self.record));
        let lists: [(&str, Vec<Value>); 3] = [
            ("flow", self.flows.iter().map(crate::flow::print).collect()),
            ("traffic", self.traffic.iter().map(Traffic::to_value).collect()),
            ("action", self.actions.iter().map(crate::action::print).collect()),
        ];
        let lists = lists.into_iter().filter(|(_, list)| !list.is_empty());
        document.extend(lists.map(|(key, list)| (key.to_owned(), Value::Array(list))));
        Value::Object(document)
    }
}
