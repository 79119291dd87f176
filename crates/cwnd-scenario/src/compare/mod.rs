// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cwnd compare`: flows through one bottleneck, with starts and a measured interval of their own.

mod command;
mod document;
mod keywords;

pub use document::{Timing, timing};
pub use keywords::{KEYWORDS, Keyword, KeywordDefault, OptionForm, Place};

use crate::flow_spec;
use crate::invalid::document;
use crate::invalid::{Invalid, shown, unknown_name};
use cwnd_link::Discipline;
use keywords::{disciplines, flags};
use serde_json::{Map, Value, json};

/// The settings of a comparison, by their keywords: those that [`KEYWORDS`] has, `flows`, and a queue discipline's settings by its name.
///
/// They are read from plain JSON, `{"flows": ["cubic:2@beta=0.85", {"cc": "reno"}], "rate": "50Mbit/s", "codel": {}}`, and are turned into
/// a scenario's [document](Self::document) or into the [command](Self::command) that runs it. Their values are validated by the scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Compare {
    flows: Vec<ComparedFlows>,
    /// What is given, without nulls, which mean the default.
    settings: Map<String, Value>,
    /// The queue discipline that is given, with its settings.
    discipline: Option<GivenDiscipline>,
    ecn: bool,
}

/// A queue discipline with the settings that are given.
#[derive(Clone, Debug, PartialEq)]
struct GivenDiscipline {
    discipline: Discipline,
    settings: Map<String, Value>,
}

/// A group of flows.
#[derive(Clone, Debug, PartialEq)]
struct ComparedFlows {
    /// The table of a `[[flow]]`.
    table: Map<String, Value>,
    /// The argument of the command line that means it, if there is one.
    text: Option<String>,
}

impl Compare {
    /// Reads settings from the text of a JSON document.
    ///
    /// # Errors
    /// [`Invalid`], as [`Compare::from_value`].
    pub fn from_json(text: &str) -> Result<Self, Invalid> {
        let value = serde_json::from_str(text).map_err(|error| document("JSON", &error.to_string()))?;
        Self::from_value(&value)
    }

    /// Reads settings. Their forms are checked, and that no keyword is unknown; values are the scenario's matter.
    ///
    /// # Errors
    /// [`Invalid`], naming the keyword, the value and what was expected.
    pub fn from_value(value: &Value) -> Result<Self, Invalid> {
        let Value::Object(given) = value else {
            return Err(refusal("compare", value, "a table of keywords"));
        };
        let names = keywords::names();
        if let Some((key, value)) = given.iter().find(|(key, _)| !names.contains(&key.as_str())) {
            return Err(refusal(key, value, unknown_name("a keyword of compare", key, &names)));
        }
        let mut settings: Map<String, Value> =
            given.iter().filter(|(_, value)| !value.is_null()).map(|(k, v)| (k.clone(), v.clone())).collect();
        let flows = settings.shift_remove("flows").unwrap_or(Value::Null);
        let discipline = take_discipline(&mut settings)?;
        let ecn = match settings.shift_remove("ecn") {
            None => false,
            Some(Value::Bool(ecn)) => ecn,
            Some(other) => return Err(refusal("ecn", &other, "true or false")),
        };
        let marks = |given: &GivenDiscipline| disciplines().any(|known| known == given.discipline);
        if ecn && !discipline.as_ref().is_some_and(marks) {
            let all: Vec<&str> = disciplines().map(Discipline::name).collect();
            let expected = format!("a queue that marks, by {}", all.join(" or "));
            return Err(refusal("ecn", &json!(true), expected));
        }
        Ok(Self { flows: read_flows(&flows)?, settings, discipline, ecn })
    }

    /// What it is called: the name that is given, or the flows as the command line writes them.
    fn name(&self) -> Value {
        self.settings.get("name").cloned().unwrap_or_else(|| json!(self.derived_name()))
    }

    fn derived_name(&self) -> String {
        self.flows.iter().map(ComparedFlows::name).collect::<Vec<_>>().join(" + ")
    }
}

impl ComparedFlows {
    /// As the command line writes it; where that has no text, its label or its algorithm.
    fn name(&self) -> String {
        let text = |key: &str| self.table.get(key).and_then(Value::as_str).map(str::to_owned);
        self.text.clone().or_else(|| text("label")).or_else(|| text("cc")).unwrap_or_default()
    }
}

/// Refuses what `field` has.
fn refusal(field: &str, value: &Value, expected: impl Into<String>) -> Invalid {
    Invalid { field: field.to_owned(), value: Some(shown(value)), expected: expected.into() }
}

fn read_flows(given: &Value) -> Result<Vec<ComparedFlows>, Invalid> {
    let expected = "a list of flows, each a text such as \"cubic:2@rtt=160ms\" or a table";
    let Value::Array(list) = given else { return Err(refusal("flows", given, expected)) };
    let read = |(number, flow): (usize, &Value)| match flow {
        Value::String(text) => {
            let table = flow_spec::parse(text, &format!("flow[{number}]"))?;
            Ok(ComparedFlows { table, text: Some(text.clone()) })
        }
        Value::Object(table) => Ok(ComparedFlows { table: table.clone(), text: flow_spec::print(table) }),
        other => Err(refusal(&format!("flows[{number}]"), other, expected)),
    };
    list.iter().enumerate().map(read).collect()
}

/// The queue discipline that is given.
fn take_discipline(settings: &mut Map<String, Value>) -> Result<Option<GivenDiscipline>, Invalid> {
    let mut taken: Option<GivenDiscipline> = None;
    for discipline in disciplines() {
        let Some(given) = settings.shift_remove(discipline.name()) else { continue };
        if let Some(other) = taken {
            let expected = format!("one queue discipline; {} is given, too", other.discipline.name());
            return Err(refusal(discipline.name(), &given, expected));
        }
        let Value::Object(settings) = given else {
            let what = discipline.option().map_or("its settings", |option| option.what);
            return Err(refusal(discipline.name(), &given, format!("a table of {what}")));
        };
        taken = Some(GivenDiscipline { discipline, settings });
    }
    for (keyword, discipline) in flags() {
        match (settings.shift_remove(keyword), &taken) {
            (None | Some(Value::Bool(false)), _) => {}
            (Some(given), Some(other)) => {
                let expected = format!("one queue discipline; {} is given, too", other.discipline.name());
                return Err(refusal(keyword, &given, expected));
            }
            (Some(Value::Bool(true)), None) => {
                taken = Some(GivenDiscipline { discipline, settings: Map::new() })
            }
            (Some(other), None) => return Err(refusal(keyword, &other, "true or false")),
        }
    }
    Ok(taken)
}

#[cfg(test)]
mod tests;
