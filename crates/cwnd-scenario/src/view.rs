// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a scenario holds, as headings, legends and marks name it.

use crate::flow_labels::names;
use crate::keys::kernel_queue::KERNEL;
use crate::keys::link::LinkSpec;
use crate::model::{Action, Scenario};
use serde_json::Value;
use std::collections::HashMap;

impl Scenario {
    /// The name of each group of flows: its label, or, of several groups with one label, its flows' names (`cubic 1 to 3`).
    #[must_use]
    pub fn group_names(&self) -> Vec<String> {
        let labels = self.labels();
        let mut count: HashMap<&str, usize> = HashMap::new();
        for label in &labels {
            *count.entry(label).or_default() += 1;
        }
        let mut names = names(&self.flows, &labels).into_iter();
        let mut of_group = |size: u32| -> Vec<String> { names.by_ref().take(size as usize).collect() };
        self.flows
            .iter()
            .zip(&labels)
            .map(|(group, label)| match of_group(group.count).as_slice() {
                _ if count[label.as_str()] == 1 => label.clone(),
                [first, .., last] => {
                    format!("{first} to {}", last.rsplit(' ').next().unwrap_or_default())
                }
                flows => flows.concat(),
            })
            .collect()
    }
}

impl LinkSpec {
    /// The kind of its queue, as a scenario writes it, and its limit in words, of the kernel's the words of tc; `None` without a rate, where it has none.
    #[must_use]
    pub fn queue_in_words(&self) -> Option<(&'static str, String)> {
        self.queue.as_ref().map(|queue| match &queue.kernel {
            Some(kernel) => (KERNEL, kernel.words()),
            None => (queue.discipline.discipline.name(), queue.limit.in_words()),
        })
    }
}

impl Action {
    /// Its kind, the flow or link that it is on, and the value that a link's setting gets, as a scenario writes them.
    #[must_use]
    pub fn written(&self) -> (String, String, Option<String>) {
        let text = |keys: &Value, key: &str| keys.get(key).and_then(Value::as_str).map(str::to_owned);
        let printed = crate::action::print(self);
        let entry = printed.as_object().and_then(|map| map.iter().next());
        let (kind, keys) = entry.expect("an action is printed as a table of its kind");
        let on = text(keys, "flow").or_else(|| text(keys, "link")).unwrap_or_default();
        (kind.clone(), on, text(keys, "to"))
    }
}
