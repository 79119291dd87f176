// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prints `[[traffic]]` so that it parses to the same groups.

use super::{Traffic, senders};
use crate::keys::{Keyed, Variants};
use cwnd_traffic::Model;
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

impl Traffic {
    /// The group as a table of a scenario, every default written out; of the senders what was set.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut own = self.print_keys();
        let mut map = Map::new();
        let has_senders = !matches!(self.model, Model::Udp(_));
        map.extend(own.shift_remove_entry("name"));
        if has_senders {
            map.insert("cc".into(), json!(self.sender.cc));
        }
        map.extend(own);
        if has_senders {
            map.extend(senders::print(&self.sender));
        }
        map.insert("model".into(), json!(self.model.name()));
        map.extend(self.model.print_keys());
        Value::Object(map)
    }
}
