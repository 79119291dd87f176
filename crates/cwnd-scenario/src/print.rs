// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scenarios as TOML that reads back to the same scenario.

use crate::model::Scenario;
use crate::traffic::Traffic;
use crate::units::write_time;
use cwnd::params::{Kind, Spec};
use serde_json::{Map, Value, json};

/// A number in 1/65536 as the shortest decimal that reads back to it, five digits at most.
fn decimal_x64k(value: u32) -> String {
    (0..=5)
        .map(|digits| format!("{:.*}", digits, f64::from(value) / 65_536.0))
        .find(|text| text.parse::<f64>().is_ok_and(|v| (v * 65_536.0).round() == f64::from(value)))
        .unwrap_or_else(|| (f64::from(value) / 65_536.0).to_string())
}

/// A parameter's value as a person writes it.
#[must_use]
pub fn show_param(spec: &Spec, value: u32) -> String {
    match spec.kind {
        Kind::Decimal => decimal_x64k(value),
        Kind::Whole => value.to_string(),
        Kind::Flag => (value != 0).to_string(),
        Kind::Choice(names) => {
            names.get(value as usize).map_or_else(|| value.to_string(), |name| (*name).to_owned())
        }
    }
}

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
