// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scenario of a comparison.

use super::{Compare, GivenDiscipline, KEYWORDS, KeywordDefault, Place, refusal};
use crate::files::{self, Files};
use crate::invalid::Invalid;
use crate::keys::rate_formats::NO_RATE;
use crate::model::Scenario;
use crate::units::write_time;
use serde_json::{Map, Value, json};

/// The latest random start of flows that name none, ns.
const LATEST_START: u64 = 100_000_000;

/// What a comparison takes from its duration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Between which times flows begin that name no start: at random, against phase effects, within the first 100 ms, or a tenth of a short
    /// run.
    pub starts: [String; 2],
    /// From which time on it is measured by default: the first fifth is not, unless every flow has a size.
    pub measured_from: String,
}

/// What follows from a duration, as a scenario writes it, and from whether all flows have a size. Transfers have no steady state: a run of
/// nothing else is measured from its begin.
///
/// # Errors
/// [`Invalid`], where it is no duration.
pub fn timing(duration: &Value, all_sized: bool) -> Result<Timing, Invalid> {
    let link = json!({ "rate": "100Mbit/s", "rtt": "40ms" });
    let document = json!({ "duration": duration, "link": link, "flow": [{ "cc": "cubic" }] });
    let duration = Scenario::from_value(&document, &files::none)?.duration;
    let latest = LATEST_START.min((duration / 10).max(1));
    let starts = [write_time(0), format!("{latest}ns")];
    let from = if all_sized { write_time(0) } else { format!("{}ns", duration / 5) };
    Ok(Timing { starts, measured_from: from })
}

impl Compare {
    /// The document of its scenario, before the scenario's own defaults are added.
    ///
    /// # Errors
    /// [`Invalid`], where the duration or the form of a list is refused.
    pub fn document(&self) -> Result<Value, Invalid> {
        let mut document = Map::from_iter([("duration".to_owned(), self.duration())]);
        let (mut link, mut record) = (Map::new(), Map::new());
        let mut queue = Map::from_iter([("kind".to_owned(), json!("droptail"))]);
        let mut tables = Map::new();
        let has_rate = self.has_rate();
        for keyword in KEYWORDS {
            let is_default = !self.settings.contains_key(keyword.name);
            if is_default && !has_rate && ["rate", "buffer"].contains(&keyword.name) {
                continue;
            }
            let Some(value) = self.value(keyword.name, keyword.default) else { continue };
            let (table, key) = match keyword.place {
                Place::Document => (&mut document, keyword.name),
                Place::Link => (&mut link, keyword.name),
                Place::Limit => (&mut queue, "limit"),
                Place::Record(key) => (&mut record, key),
                Place::Tables(key) => {
                    let entries = entries(keyword.name, &value)?;
                    if !entries.is_empty() {
                        tables.insert(key.to_owned(), json!(entries));
                    }
                    continue;
                }
                Place::Ecn => continue,
            };
            table.insert(key.to_owned(), value);
        }
        let all_sized =
            !self.flows.is_empty() && self.flows.iter().all(|flows| flows.table.contains_key("size"));
        let Timing { starts, measured_from } = timing(&self.duration(), all_sized)?;
        document.entry("measure").or_insert_with(|| json!([measured_from, self.duration()]));
        document.insert("name".to_owned(), self.name());
        if let Some(GivenDiscipline { discipline, settings }) = &self.discipline {
            queue.insert("kind".to_owned(), json!(discipline.name()));
            if self.ecn {
                queue.insert("ecn".to_owned(), json!(true));
            }
            queue.extend(settings.clone());
        }
        // Without a rate a link has no queue: one that is asked for is refused.
        if has_rate || self.discipline.is_some() || queue.contains_key("limit") {
            link.insert("queue".to_owned(), Value::Object(queue));
        }
        document.insert("link".to_owned(), Value::Object(link));
        document.insert("record".to_owned(), Value::Object(record));
        let flows = self.flows.iter().map(|flows| {
            let mut table = Map::from_iter([("start".to_owned(), json!({ "uniform": starts }))]);
            if self.ecn {
                table.insert("ecn".to_owned(), json!(true));
            }
            table.extend(flows.table.clone());
            Value::Object(table)
        });
        document.insert("flow".to_owned(), flows.collect());
        document.extend(tables);
        Ok(Value::Object(document))
    }

    /// Its scenario, with the files that it names.
    ///
    /// # Errors
    /// [`Invalid`], naming the field, the value and what was expected.
    pub fn scenario(&self, files: Files<'_>) -> Result<Scenario, Invalid> {
        // By its text, as the command line does: numbers are read alike.
        Scenario::from_json_with(&self.document()?.to_string(), files)
    }

    /// Whether the link has a rate: where it has a `delay_limit`, it has the default rate no more.
    fn has_rate(&self) -> bool {
        match self.settings.get("rate") {
            Some(rate) => rate != NO_RATE,
            None => !self.settings.contains_key("delay_limit"),
        }
    }

    fn duration(&self) -> Value {
        let row = KEYWORDS.iter().find(|keyword| keyword.name == "duration");
        row.and_then(|row| self.value(row.name, row.default)).unwrap_or_default()
    }

    /// The value of a keyword, if it stands in the document.
    fn value(&self, name: &str, default: KeywordDefault) -> Option<Value> {
        let written = match default {
            KeywordDefault::Written(text) => Some(json!(text)),
            KeywordDefault::Scenarios(_) | KeywordDefault::Nothing => None,
        };
        self.settings.get(name).cloned().or(written)
    }
}

/// The tables of a keyword that has several, or one; a preset of traffic is a text.
fn entries(name: &str, value: &Value) -> Result<Vec<Value>, Invalid> {
    let is_traffic = name == "traffic";
    let list = match value {
        Value::Array(list) => list.clone(),
        Value::Object(_) => vec![value.clone()],
        Value::String(_) if is_traffic => vec![value.clone()],
        other if is_traffic => {
            let expected = "names of presets, or tables such as {\"preset\": \"ha2008\", \"share\": 0.1}";
            return Err(refusal(name, other, expected));
        }
        other => return Err(refusal(name, other, "a list of tables")),
    };
    let table =
        |entry: Value| if is_traffic && entry.is_string() { json!({ "preset": entry }) } else { entry };
    Ok(list.into_iter().map(table).collect())
}
