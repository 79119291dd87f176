// SPDX-License-Identifier: MIT OR Apache-2.0
//! Labels of groups and names of flows: the user's label, or the algorithm and the settings that differ from its other groups.
//! Derived here and nowhere else.

use crate::invalid::{Invalid, shown};
use crate::keys::flow::{ACCESS_QUEUE, FlowGroup};
use crate::model::Scenario;
use crate::params::{controller_in, show_param};
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};

/// Max characters of the settings in a derived label.
const SETTINGS: usize = 50;
/// Keys that never distinguish two groups.
const NOT_COMPARED: [&str; 3] = ["cc", "count", "label"];
/// The two keys that are written as one route.
const ENDS: [&str; 2] = ["from", "to"];

impl Scenario {
    /// The label of each group of flows: the user's, or the algorithm and the settings that differ between its groups without a user's
    /// label. Only groups that differ in no setting have the same label.
    #[must_use]
    pub fn labels(&self) -> Vec<String> {
        let mut groups: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, group) in self.flows.iter().enumerate().filter(|(_, group)| group.label.is_none()) {
            groups.entry(&group.cc).or_default().push(index);
        }
        let mut labels: Vec<String> =
            self.flows.iter().map(|group| group.label.clone().unwrap_or_else(|| group.cc.clone())).collect();
        for members in groups.into_values().filter(|members| members.len() > 1) {
            let groups: Vec<&FlowGroup> = members.iter().map(|&index| &self.flows[index]).collect();
            let mut settings: Vec<_> = groups.iter().map(|group| self.settings(group)).collect();
            if groups.iter().any(|group| group.host != groups[0].host || group.stack != groups[0].stack) {
                let bare: Vec<_> = groups.iter().map(|group| self.settings(&group.bare())).collect();
                leave_out_what_follows(&mut settings, &bare);
            }
            for (index, suffix) in members.iter().zip(suffixes(&members, &settings)) {
                labels[*index] += &suffix;
            }
        }
        labels
    }

    /// Every setting of a group as printed in a scenario, defaults included.
    fn settings(&self, group: &FlowGroup) -> Map<String, Value> {
        let mut all = Map::new();
        if let Some(host) = group.host {
            all.insert("host".into(), json!(host.name()));
        }
        if let Some(stack) = group.stack {
            all.insert("stack".into(), json!(stack.name()));
        }
        if let Some((algorithm, _)) = cwnd::registry::find(&group.cc) {
            let controller = controller_in(group.stack, &group.cc, &group.params);
            for (index, spec) in algorithm.specs.iter().enumerate() {
                all.insert(spec.name.to_owned(), json!(show_param(spec, controller.param(index))));
            }
        }
        let template = self.template(group);
        all.insert("recovery".into(), json!(template.recovery.name()));
        all.insert("rtt".into(), json!(crate::units::write_time(template.rtt)));
        for (key, value) in crate::flow::print(group).as_object().into_iter().flatten() {
            all.entry(key.as_str()).or_insert_with(|| value.clone());
        }
        if !group.tls {
            all.shift_remove("tls");
        }
        if let Some(access) = group.access {
            all.insert("access".into(), json!(crate::units::write_rate(access.rate)));
            if access.queue != ACCESS_QUEUE {
                all.insert("access.queue".into(), json!(format!("{}packets", access.queue)));
            }
        }
        all
    }

    /// Refuses a label that another group has, or that gives two flows the same name.
    pub(crate) fn check_labels(&self) -> Result<(), Invalid> {
        if self.flows.iter().all(|group| group.label.is_none()) {
            return Ok(());
        }
        let labels = self.labels();
        let given = |index: &usize| self.flows[*index].label.is_some();
        let refuse = |index: usize, why: String| {
            let value = Some(shown(&json!(labels[index])));
            Err(Invalid {
                field: format!("flow[{index}].label"),
                value,
                expected: format!("a label that {why}"),
            })
        };
        let mut first: HashMap<&str, usize> = HashMap::new();
        for (index, label) in labels.iter().enumerate() {
            let Some(other) = first.insert(label, index) else { continue };
            if let Some(wrong) = [index, other].into_iter().find(given) {
                let other = if wrong == index { other } else { index };
                return refuse(wrong, format!("no other group has (flow[{other}] is called {label})"));
            }
        }
        // The name of one flow may be the label of another group, or that label with a number.
        let names = names(&self.flows, &labels);
        let mut seen = HashSet::new();
        if let Some(name) = names.iter().find(|name| !seen.insert(name.as_str())) {
            let alike =
                |index: &usize| name.strip_prefix(labels[*index].as_str()).is_some_and(is_number_or_nothing);
            if let Some(index) = (0..labels.len()).filter(given).find(alike) {
                return refuse(index, format!("gives each flow a unique name (two would be called {name})"));
            }
        }
        Ok(())
    }

    /// The numbers of the flows that `name` refers to: one flow by its name; all flows of a group by its label, or of an algorithm by
    /// its name; or one flow by its algorithm's name and a number.
    #[must_use]
    pub(crate) fn flows_named(&self, name: &str, labels: &[String], names: &[String]) -> Vec<u32> {
        let numbers = |test: &dyn Fn(usize, &FlowGroup) -> bool| -> Vec<u32> {
            let group_of = self
                .flows
                .iter()
                .enumerate()
                .flat_map(|(index, group)| std::iter::repeat_n((index, group), group.count as usize));
            (0..)
                .zip(group_of)
                .filter(|(_, (index, group))| test(*index, group))
                .map(|(flow, _)| flow)
                .collect()
        };
        if let Some(flow) = names.iter().position(|known| known == name) {
            return vec![flow as u32];
        }
        let labelled = numbers(&|index, _| labels[index] == name);
        if !labelled.is_empty() {
            return labelled;
        }
        let of_algorithm = numbers(&|_, group| group.cc == name);
        if !of_algorithm.is_empty() {
            return of_algorithm;
        }
        let Some((cc, number)) = name.rsplit_once(' ').filter(|(_, number)| is_number(number)) else {
            return Vec::new();
        };
        let place = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        place.and_then(|place| numbers(&|_, group| group.cc == cc).get(place).copied()).into_iter().collect()
    }
}

/// Names of the flows, in the order of their numbers: the group's label, with a number where several flows have it.
pub(crate) fn names(groups: &[FlowGroup], labels: &[String]) -> Vec<String> {
    let mut same: HashMap<&str, (u64, u64)> = HashMap::new();
    for (group, label) in groups.iter().zip(labels) {
        same.entry(label).or_default().0 += u64::from(group.count);
    }
    let mut names = Vec::new();
    for (group, label) in groups.iter().zip(labels) {
        for _ in 0..group.count {
            let (total, number) = same.entry(label).or_default();
            *number += 1;
            names.push(if *total > 1 { format!("{label} {number}") } else { label.clone() });
        }
    }
    names
}

fn is_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() && c != '0') && text.bytes().all(|b| b.is_ascii_digit())
}

fn is_number_or_nothing(rest: &str) -> bool {
    rest.is_empty() || rest.strip_prefix(' ').is_some_and(is_number)
}

/// Leaves out the settings that every group has from its host or its stack, or by default without one, as the groups in `bare` have
/// them: where these differ, the name of the host or the stack stands for them.
fn leave_out_what_follows(groups: &mut [Map<String, Value>], bare: &[Map<String, Value>]) {
    let keys: HashSet<String> = groups.iter().flat_map(Map::keys).cloned().collect();
    for key in keys.iter().filter(|key| !["host", "stack"].contains(&key.as_str())) {
        if groups.iter().zip(bare).all(|(group, bare)| group.get(key) == bare.get(key)) {
            groups.iter_mut().for_each(|group| drop(group.shift_remove(key)));
        }
    }
}

/// The keys whose values are not the same in all of these groups, in the order in which they are written.
fn differing(groups: &[Map<String, Value>]) -> Vec<String> {
    let mut keys: Vec<&String> = Vec::new();
    let mut seen = HashSet::new();
    for key in groups.iter().flat_map(Map::keys) {
        if !NOT_COMPARED.contains(&key.as_str()) && seen.insert(key) {
            keys.push(key);
        }
    }
    let differs = |key: &&String| groups.iter().any(|group| group.get(*key) != groups[0].get(*key));
    let mut keys: Vec<String> = keys.into_iter().filter(differs).cloned().collect();
    // A first group without a stack has no such key, and this one is said without its name.
    keys.sort_by_key(|key| key != "stack");
    // A route counts as one setting, though it has two ends.
    if ENDS.iter().any(|end| keys.iter().any(|key| key == end)) {
        keys.retain(|key| !ENDS.contains(&key.as_str()));
        keys.insert(0, ENDS[0].to_owned());
    }
    keys
}

/// What follows the algorithm in the label of each group. `places` are the numbers of the groups in the scenario.
///
/// The settings that differ, in order. Where truncation makes two different groups the same, a setting that distinguishes them comes
/// first; where none is short enough, the group's number follows.
fn suffixes(places: &[usize], groups: &[Map<String, Value>]) -> Vec<String> {
    let mut keys = differing(groups);
    let texts = |keys: &[String]| groups.iter().map(|group| suffix(group, keys)).collect::<Vec<_>>();
    // Each round moves one more key that separates two groups to the front.
    for moved in 0..keys.len() {
        let separating = alike(&texts(&keys), groups).into_iter().find_map(|(earlier, other)| {
            (moved..keys.len())
                .find(|&at| written(&keys[at], &groups[earlier]) != written(&keys[at], &groups[other]))
        });
        let Some(at) = separating else { break };
        keys[moved..=at].rotate_right(1);
    }
    let texts = texts(&keys);
    let ambiguous: HashSet<&str> =
        alike(&texts, groups).into_iter().map(|(_, other)| texts[other].as_str()).collect();
    let placed = |(index, text): (usize, &String)| {
        if !ambiguous.contains(text.as_str()) {
            return text.clone();
        }
        // Groups with the same settings have the same label: by the number of the first.
        let first = groups.iter().position(|other| same(other, &groups[index])).unwrap_or(index);
        format!("{text} flow[{}]", places[first])
    };
    texts.iter().enumerate().map(placed).collect()
}

/// Pairs of groups that have the same text but different settings, the earlier one first.
fn alike(texts: &[String], groups: &[Map<String, Value>]) -> Vec<(usize, usize)> {
    let mut first: HashMap<&str, usize> = HashMap::new();
    let pairs = texts.iter().enumerate().map(|(index, text)| (*first.entry(text).or_insert(index), index));
    pairs.filter(|&(earlier, other)| !same(&groups[earlier], &groups[other])).collect()
}

/// Whether two groups have the same settings.
fn same(one: &Map<String, Value>, other: &Map<String, Value>) -> bool {
    let lacks = |all: &Map<String, Value>, of: &Map<String, Value>| {
        of.iter().any(|(key, value)| !NOT_COMPARED.contains(&key.as_str()) && all.get(key) != Some(value))
    };
    !lacks(one, other) && !lacks(other, one)
}

/// These settings of a group, each after a space; truncated between two settings at [`SETTINGS`] characters.
fn suffix(settings: &Map<String, Value>, keys: &[String]) -> String {
    let mut text = String::new();
    for part in keys.iter().filter_map(|key| written(key, settings)) {
        if text.chars().count() + part.chars().count() > SETTINGS {
            return text + " …";
        }
        text = text + " " + &part;
    }
    text
}

/// A setting as the command line writes it, or its value alone where that is clear; `None` where the group does not have it.
fn written(key: &str, settings: &Map<String, Value>) -> Option<String> {
    let text = plain(settings.get(key)?);
    Some(match key {
        "rtt" => {
            let unit = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
            format!("{} {}", &text[..unit], &text[unit..])
        }
        "direction" | "stack" => text,
        "from" => format!("{text}→{}", settings.get(ENDS[1]).map(plain).unwrap_or_default()),
        _ => format!("{key}={text}"),
    })
}

/// A value without quotes; a uniform start as its bounds.
fn plain(value: &Value) -> String {
    let join = |values: &mut dyn Iterator<Item = &Value>, between: &str| -> String {
        values.map(plain).collect::<Vec<_>>().join(between)
    };
    match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => join(&mut list.iter(), ","),
        Value::Object(map) => match map.get("uniform") {
            Some(Value::Array(bounds)) => join(&mut bounds.iter(), ".."),
            _ => value.to_string(),
        },
        other => other.to_string(),
    }
}
