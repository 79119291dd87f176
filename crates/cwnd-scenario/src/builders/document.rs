// SPDX-License-Identifier: MIT OR Apache-2.0
//! The document of a scenario from its keywords.

use super::{
    Builder, GivenDiscipline, KEYWORDS, Keyword, KeywordDefault, Keywords, Place, keyword_of, refusal,
};
use crate::files::{self, Files};
use crate::invalid::Invalid;
use crate::keys::rate_formats::NO_RATE;
use crate::model::Scenario;
use crate::units::write_time;
use serde_json::{Map, Value, json};

/// The latest random start of flows that name none, ns.
const LATEST_START: u64 = 100_000_000;

/// The duration of a scenario that is no comparison.
const LONG_DURATION: &str = "100s";

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

impl Keywords {
    /// The document of its scenario, before the scenario's own defaults are added. Groups of flows with the numbers `sized` have a size
    /// although their tables have none: it is an axis.
    ///
    /// # Errors
    /// [`Invalid`], where the duration, the form of a list, or a queue without a rate is refused.
    pub fn document(&self, sized: &[usize]) -> Result<Value, Invalid> {
        let mut document = Map::from_iter([("duration".to_owned(), self.duration())]);
        let (mut link, mut record) = (Map::new(), Map::new());
        let mut queue = Map::from_iter([("kind".to_owned(), json!("droptail"))]);
        let mut tables = Map::new();
        self.check_queue()?;
        for keyword in KEYWORDS.iter().filter(|keyword| self.builder.accepts(keyword)) {
            let Some(value) = self.value(keyword) else { continue };
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
        let mut starts = [write_time(0), format!("{LATEST_START}ns")];
        if self.builder == Builder::Compare {
            let has_size = |(number, flows): (usize, &super::Flows)| {
                flows.table.contains_key("size") || sized.contains(&number)
            };
            let all_sized = !self.flows.is_empty() && self.flows.iter().enumerate().all(has_size);
            let timing = timing(&self.duration(), all_sized)?;
            starts = timing.starts;
            document.entry("measure").or_insert_with(|| json!([timing.measured_from, self.duration()]));
            document.insert("name".to_owned(), self.name());
        }
        if let Some(GivenDiscipline { discipline, settings }) = &self.discipline {
            queue.insert("kind".to_owned(), json!(discipline.name()));
            if self.ecn {
                queue.insert("ecn".to_owned(), json!(true));
            }
            queue.extend(settings.clone());
        }
        if self.has_rate() {
            link.insert("queue".to_owned(), Value::Object(queue));
        }
        self.insert_network(&mut document, link)?;
        document.insert("record".to_owned(), Value::Object(record));
        document
            .insert("flow".to_owned(), self.flows.iter().map(|flows| self.flow(flows, &starts)).collect());
        document.extend(tables);
        Ok(Value::Object(document))
    }

    /// Its scenario, with the files that it names.
    ///
    /// # Errors
    /// [`Invalid`], naming the field, the value and what was expected.
    pub fn scenario(&self, files: Files<'_>) -> Result<Scenario, Invalid> {
        // By its text, as the command line does: numbers are read alike.
        Scenario::from_json_with(&self.document(&[])?.to_string(), files)
    }

    /// Inserts the table of the links: that of one, of a row, or the list of all.
    fn insert_network(
        &self,
        document: &mut Map<String, Value>,
        link: Map<String, Value>,
    ) -> Result<(), Invalid> {
        let own = self.builder.own().map(|name| (name, self.settings.get(name).cloned()));
        match (self.builder, own) {
            (Builder::ParkingLot, Some((name, hops))) => {
                let mut table: Map<String, Value> =
                    hops.map(|hops| (name.to_owned(), hops)).into_iter().collect();
                table.extend(link);
                document.insert("parking_lot".to_owned(), Value::Object(table));
            }
            (Builder::Graph, Some((name, links))) => {
                let links = links.unwrap_or_default();
                if !links.is_array() {
                    return Err(refusal(name, &links, "a list of tables"));
                }
                document.insert("link".to_owned(), links);
            }
            _ => {
                document.insert("link".to_owned(), Value::Object(link));
            }
        }
        Ok(())
    }

    /// The table of a group of flows. One that says no start begins at random where a text gave it, and in every comparison.
    fn flow(&self, flows: &super::Flows, starts: &[String; 2]) -> Value {
        let mut table = Map::new();
        if flows.is_text || self.builder == Builder::Compare {
            table.insert("start".to_owned(), json!({ "uniform": starts }));
        }
        if self.ecn {
            table.insert("ecn".to_owned(), json!(true));
        }
        table.extend(flows.table.clone());
        Value::Object(table)
    }

    /// Refuses a queue of a link without a rate.
    fn check_queue(&self) -> Result<(), Invalid> {
        if self.has_rate() {
            return Ok(());
        }
        let buffer = self.settings.get("buffer").map(|buffer| ("buffer".to_owned(), buffer.clone()));
        let discipline = self.discipline.as_ref().map(|given| {
            let is_flag = given.discipline.settings().is_empty();
            (
                keyword_of(given.discipline),
                if is_flag { json!(true) } else { Value::Object(given.settings.clone()) },
            )
        });
        match buffer.or(discipline) {
            Some((keyword, given)) => {
                let expected = format!("no {keyword}: a link without a rate has no queue");
                Err(refusal(&keyword, &given, expected))
            }
            None => Ok(()),
        }
    }

    /// Whether the link has a rate. The default is that of a comparison, which a link with a `delay_limit` does not have.
    fn has_rate(&self) -> bool {
        match self.settings.get("rate") {
            Some(rate) => rate != NO_RATE,
            None => self.builder == Builder::Compare && !self.settings.contains_key("delay_limit"),
        }
    }

    /// The duration that is given, or the builder's own.
    fn duration(&self) -> Value {
        let row = KEYWORDS.iter().find(|keyword| keyword.name == "duration");
        row.and_then(|row| self.value(row)).unwrap_or_else(|| json!(LONG_DURATION))
    }

    /// The value of a keyword, if it stands in the document.
    fn value(&self, keyword: &Keyword) -> Option<Value> {
        if let Some(given) = self.settings.get(keyword.name) {
            return Some(given.clone());
        }
        let KeywordDefault::Written(text) = keyword.default else { return None };
        let is_written = match keyword.name {
            "buffer" => self.has_rate(),
            "rate" => self.builder == Builder::Compare && self.has_rate(),
            _ => self.builder == Builder::Compare,
        };
        is_written.then(|| json!(text))
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
