// SPDX-License-Identifier: MIT OR Apache-2.0
//! Documents of scenarios from keywords: what `cwnd compare`, `cwnd.compare`, `cwnd.dumbbell`, `cwnd.parking_lot` and `cwnd.graph` make.

mod command;
mod compare_options;
mod document;
mod keyword_row;

pub use compare_options::KEYWORDS;
pub use document::{Timing, timing};
pub use keyword_row::{Group, Keyword, KeywordDefault, OptionForm, Place};

use crate::flow_spec;
use crate::invalid::document;
use crate::invalid::{Invalid, shown, unknown_name};
use cwnd_link::Discipline;
use keyword_row::{disciplines, flags, keyword_of};
use serde_json::{Map, Value, json};

/// What makes a scenario of keywords.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builder {
    /// `cwnd compare` and `cwnd.compare`: one bottleneck, with starts and a measured interval of its own.
    Compare,
    /// `cwnd.dumbbell`: one bottleneck, with the scenario's own defaults.
    Dumbbell,
    /// `cwnd.parking_lot`: bottlenecks in a row.
    ParkingLot,
    /// `cwnd.graph`: any network.
    Graph,
}

impl Builder {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Compare, Self::Dumbbell, Self::ParkingLot, Self::Graph];

    /// Its name in Python.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compare => "compare",
            Self::Dumbbell => "dumbbell",
            Self::ParkingLot => "parking_lot",
            Self::Graph => "graph",
        }
    }

    /// A keyword that only it has: a key of its network.
    const fn own(self) -> Option<&'static str> {
        match self {
            Self::Compare | Self::Dumbbell => None,
            Self::ParkingLot => Some("hops"),
            Self::Graph => Some("links"),
        }
    }

    /// Whether it has the keyword of this row.
    #[must_use]
    pub const fn accepts(self, keyword: &Keyword) -> bool {
        match (self, keyword.place) {
            (Self::Compare, _) => true,
            (_, Place::Ecn) | (Self::Graph, Place::Link | Place::Limit) => false,
            (Self::ParkingLot, Place::Link) => keyword.in_parking_lot,
            _ => true,
        }
    }

    /// The names of its keywords.
    fn names(self) -> Vec<String> {
        let rows = KEYWORDS.iter().filter(|keyword| self.accepts(keyword)).map(|keyword| keyword.name);
        let named = ["flows"].into_iter().chain(self.own()).chain(rows).map(str::to_owned);
        let queues = disciplines().chain(flags()).map(keyword_of);
        named.chain(queues.filter(|_| self != Self::Graph)).collect()
    }
}

/// Settings by their keywords: those that [`KEYWORDS`] has, `flows`, and a queue discipline's settings by its name.
///
/// They are read from plain JSON, `{"flows": ["cubic:2@beta=0.85", {"cc": "reno"}], "rate": "50Mbit/s", "codel": {}}`, and are turned into
/// a scenario's [document](Self::document) or into the [command](Self::command) that runs it. Their values are validated by the scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Keywords {
    builder: Builder,
    flows: Vec<Flows>,
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
struct Flows {
    /// The table of a `[[flow]]`.
    table: Map<String, Value>,
    /// The argument of the command line that means it, if there is one.
    text: Option<String>,
    /// Whether a text or a name gave it: without a start it begins at random.
    is_text: bool,
}

impl Keywords {
    /// Reads settings from the text of a JSON document.
    ///
    /// # Errors
    /// [`Invalid`], as [`Keywords::from_value`].
    pub fn from_json(builder: Builder, text: &str) -> Result<Self, Invalid> {
        let value = serde_json::from_str(text).map_err(|error| document("JSON", &error.to_string()))?;
        Self::from_value(builder, &value)
    }

    /// Reads settings. Their forms are checked, and that no keyword is unknown; values are the scenario's matter.
    ///
    /// # Errors
    /// [`Invalid`], naming the keyword, the value and what was expected.
    pub fn from_value(builder: Builder, value: &Value) -> Result<Self, Invalid> {
        let Value::Object(given) = value else {
            return Err(refusal(builder.name(), value, "a table of keywords"));
        };
        let names = builder.names();
        if let Some((key, value)) = given.iter().find(|(key, _)| !names.contains(key)) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let what = format!("a keyword of {}", builder.name());
            return Err(refusal(key, value, unknown_name(&what, key, &names)));
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
            let expected = format!("a queue that marks packets: {}", all.join(" or "));
            return Err(refusal("ecn", &json!(true), expected));
        }
        Ok(Self { builder, flows: read_flows(&flows)?, settings, discipline, ecn })
    }

    /// What it is called: the name that is given, or the flows as the command line writes them.
    fn name(&self) -> Value {
        self.settings.get("name").cloned().unwrap_or_else(|| json!(self.derived_name()))
    }

    fn derived_name(&self) -> String {
        self.flows.iter().map(Flows::name).collect::<Vec<_>>().join(" + ")
    }
}

impl Flows {
    /// A label, or as the command line writes it; where that has no text, its algorithm.
    fn name(&self) -> String {
        let text = |key: &str| self.table.get(key).and_then(Value::as_str).map(str::to_owned);
        let label = if self.is_text { None } else { text("label") };
        label.or_else(|| self.text.clone()).or_else(|| text("cc")).unwrap_or_default()
    }
}

/// Refuses what `field` has.
fn refusal(field: &str, value: &Value, expected: impl Into<String>) -> Invalid {
    Invalid { field: field.to_owned(), value: Some(shown(value)), expected: expected.into() }
}

/// Flows in a list, each a text or a table, or names with counts.
fn read_flows(given: &Value) -> Result<Vec<Flows>, Invalid> {
    let expected = "a list of flows, each a string such as \"cubic:2@rtt=160ms\" or a table";
    let of_table = |table: Map<String, Value>, is_text| {
        let text = flow_spec::print(&table);
        Flows { table, text, is_text }
    };
    let list = match given {
        Value::Array(list) => list,
        Value::Object(names) => {
            let table = |(cc, count): (&String, &Value)| {
                Map::from_iter([("cc".to_owned(), json!(cc)), ("count".to_owned(), count.clone())])
            };
            return Ok(names.iter().map(|name| of_table(table(name), true)).collect());
        }
        _ => return Err(refusal("flows", given, expected)),
    };
    let read = |(number, flow): (usize, &Value)| match flow {
        Value::String(text) => {
            let table = flow_spec::parse(text, &format!("flow[{number}]"))?;
            Ok(Flows { table, text: Some(text.clone()), is_text: true })
        }
        Value::Object(table) => Ok(of_table(table.clone(), false)),
        other => Err(refusal(&format!("flows[{number}]"), other, expected)),
    };
    list.iter().enumerate().map(read).collect()
}

/// What the keyword of a queue discipline expects: a table of its settings.
fn expected_settings(discipline: Discipline) -> String {
    let none = discipline.settings().iter().all(|setting| setting.default.is_some()).then(|| "{}".to_owned());
    let example = discipline.option().map(|option| {
        let pairs = option.names.iter().zip(option.example);
        let pairs: Vec<String> = pairs.map(|(name, value)| format!("\"{name}\": \"{value}\"")).collect();
        format!("{{{}}}", pairs.join(", "))
    });
    let what = discipline.option().map_or("its settings", |option| option.what);
    format!("{what}, such as {}", none.into_iter().chain(example).collect::<Vec<_>>().join(" or "))
}

/// The queue discipline that is given.
fn take_discipline(settings: &mut Map<String, Value>) -> Result<Option<GivenDiscipline>, Invalid> {
    let mut taken: Option<GivenDiscipline> = None;
    for discipline in disciplines() {
        let keyword = keyword_of(discipline);
        let Some(given) = settings.shift_remove(&keyword) else { continue };
        if let Some(other) = taken {
            let expected = format!("one queue discipline; {} is also given", other.discipline.name());
            return Err(refusal(&keyword, &given, expected));
        }
        let Value::Object(settings) = given else {
            return Err(refusal(&keyword, &given, expected_settings(discipline)));
        };
        taken = Some(GivenDiscipline { discipline, settings });
    }
    for discipline in flags() {
        let keyword = keyword_of(discipline);
        match (settings.shift_remove(&keyword), &taken) {
            (None | Some(Value::Bool(false)), _) => {}
            (Some(given), Some(other)) => {
                let expected = format!("one queue discipline; {} is also given", other.discipline.name());
                return Err(refusal(&keyword, &given, expected));
            }
            (Some(Value::Bool(true)), None) => {
                taken = Some(GivenDiscipline { discipline, settings: Map::new() })
            }
            (Some(other), None) => return Err(refusal(&keyword, &other, "true or false")),
        }
    }
    Ok(taken)
}

#[cfg(test)]
mod tests;
