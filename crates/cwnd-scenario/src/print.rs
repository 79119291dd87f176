// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prints scenarios as TOML or JSON that parses to the same scenario.

use crate::invalid::shown;
use crate::keys::Keyed;
use crate::keys::document::Head;
use crate::model::Scenario;
use crate::traffic::Traffic;
use serde_json::Value;

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

    /// The value of a key as a document has it, by its JSON pointer (RFC 6901) such as `/flow/0/initial_cwnd`; `None` if there is no such
    /// key.
    #[must_use]
    pub fn written(&self, pointer: &str) -> Option<String> {
        self.to_value().pointer(pointer).map(shown)
    }

    fn to_value(&self) -> Value {
        let head = Head {
            name: self.name.clone(),
            duration: self.duration,
            measure: Some(self.measure),
            seed: self.seed,
            // In a dumbbell printed with the link.
            packet_size: self.dumbbell.is_none().then_some(self.packet_size),
        };
        let mut document = head.print_keys();
        crate::topology::print(self, &mut document);
        document.insert("record".into(), crate::record::print(&self.record));
        document.insert("live".into(), Value::Object(self.live.print_keys()));
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
