// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prints `[[traffic]]` so that it parses to the same groups.

use super::Traffic;
use crate::keys::{Keyed, Variants};
use serde_json::{Value, json};

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
    /// The group as a table of a scenario, every default written out.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut map = self.print_keys();
        map.insert("model".into(), json!(self.model.name()));
        map.extend(self.model.print_keys());
        Value::Object(map)
    }
}
