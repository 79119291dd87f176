// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scenarios from TOML and JSON, validated field by field.

use crate::files::{self, Files};
use crate::invalid::{Invalid, TableReader, document, pointer, shown};
use crate::keys::document::Head;
use crate::keys::flow::{FlowGroup, MAX_FLOWS};
use crate::keys::link::{LinkRate, LinkSpec};
use crate::keys::live::LiveSpec;
use crate::keys::rate_formats::check_steps;
use crate::keys::record::RecordSpec;
use crate::keys::{Keyed, Scope};
use crate::model::{SaidBack, Scenario};
use crate::netem;
use crate::route::RouteSpec;
use crate::routes::check_rtt;
use crate::topology::{Topology, check_traffic};
use crate::traffic::parse_list;
use crate::units::{read_rate_or_0, read_size, read_time};
use serde_json::{Value, json};

impl Scenario {
    /// Reads a TOML document that names no files.
    ///
    /// # Errors
    /// [`Invalid`], naming the field, the value and what was expected.
    pub fn from_toml(text: &str) -> Result<Self, Invalid> {
        Self::from_toml_with(text, &files::none)
    }

    /// Reads a TOML document and the files that it names.
    ///
    /// # Errors
    /// [`Invalid`], naming the field, the value and what was expected.
    pub fn from_toml_with(text: &str, files: Files<'_>) -> Result<Self, Invalid> {
        let wrong = |error: toml::de::Error| document("TOML", &error.to_string());
        let value = toml::Value::Table(toml::from_str(text).map_err(wrong)?);
        Self::from_value(&crate::unit_hints::json(value), files)
    }

    /// Reads a JSON document of the same shape that names no files.
    ///
    /// # Errors
    /// [`Invalid`], naming the field, the value and what was expected.
    pub fn from_json(text: &str) -> Result<Self, Invalid> {
        Self::from_json_with(text, &files::none)
    }

    /// Reads a JSON document of the same shape and the files that it names.
    ///
    /// # Errors
    /// [`Invalid`], naming the field, the value and what was expected.
    pub fn from_json_with(text: &str, files: Files<'_>) -> Result<Self, Invalid> {
        let value: Value =
            serde_json::from_str(text).map_err(|error| document("JSON", &error.to_string()))?;
        Self::from_value(&value, files)
    }

    /// Reads a document that is held as a value.
    pub(crate) fn from_value(value: &Value, files: Files<'_>) -> Result<Self, Invalid> {
        let read =
            |value: &Value| Self::validated(value, files).map_err(|invalid| as_written(invalid, value));
        let Some((expanded, lines)) = netem::expanded(value)? else { return read(value) };
        Ok(Self { netem: SaidBack(lines), ..read(&expanded)? })
    }

    fn validated(value: &Value, files: Files<'_>) -> Result<Self, Invalid> {
        let mut table = TableReader::new("", value)?;
        let head = Head::defaults().parse_keys(&mut table, &Scope::default())?;
        let duration = head.duration;
        let mut topology = Topology::parse(&mut table, head.packet_size, files)?;
        let record = match table.get("record") {
            Some(value) => crate::record::parse(value)?,
            None => RecordSpec::default(),
        };
        let live = table.get("live").map_or_else(|| Ok(LiveSpec::default()), crate::keys::live::parse)?;
        let scope = Scope {
            duration,
            packet_size: topology.packet_size,
            links: Some(&topology.links),
            is_dumbbell: topology.dumbbell.is_some(),
            flows: None,
            files,
        };
        let flows = parse_flows(&mut table, &scope)?;
        let written = table.get("traffic");
        let traffic = parse_list(written, &scope)?;
        for (index, (group, keys)) in
            traffic.iter().zip(written.and_then(Value::as_array).into_iter().flatten()).enumerate()
        {
            check_traffic(index, keys, group, &mut topology)?;
        }
        if flows.is_empty() && traffic.is_empty() {
            return table.refuse("flow", value.get("flow"), "at least one [[flow]] or [[traffic]]");
        }
        if flows.iter().any(|group| group.route == RouteSpec::Reverse) {
            topology.ensure_reverse();
        }
        let actions = table.get("action");
        table.finish()?;
        let mut scenario = Self {
            name: head.name,
            duration,
            measure: head.measure.unwrap_or((0, duration)),
            seed: head.seed,
            packet_size: topology.packet_size,
            links: topology.links.clone(),
            dumbbell: topology.dumbbell,
            flows,
            traffic,
            actions: Vec::new(),
            record,
            live,
            netem: SaidBack::default(),
        };
        topology.resolve(&mut scenario)?;
        scenario.check_rtts()?;
        scenario.check_series()?;
        scenario.check_stacks()?;
        scenario.check_labels()?;
        scenario.actions = crate::action::parse_list(actions, &scenario)?;
        scenario.check_paths_without_rate()?;
        scenario.check_record()?;
        scenario.check_switches()?;
        Ok(scenario)
    }

    /// Refuses series that change too often in a run of this length.
    fn check_series(&self) -> Result<(), Invalid> {
        for link in &self.links {
            if let Some(LinkRate::Series(series, _)) = &link.rate {
                check_steps(&format!("{}.rate.series", link.name), series, self.duration)?;
            }
            if let Some((series, _)) = &link.delay.series {
                check_steps(&format!("{}.delay.series", link.name), series, self.duration)?;
            }
        }
        Ok(())
    }

    /// What the links' traces and series are, and what the words of netem mean, in a line each.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        let of_link = |link: &LinkSpec| {
            let rate = match &link.rate {
                Some(LinkRate::Trace(trace, path)) => {
                    let (lines, seconds) = (trace.opportunities(), trace.period() as f64 / 1e9);
                    let mean = trace.mean_rate() as f64 / 1e6;
                    Some(format!(
                        "rate from {path}: Mahimahi trace of {lines} opportunities over {seconds} s, mean {mean:.3} Mbit/s, repeated"
                    ))
                }
                Some(LinkRate::Series(series, source)) => {
                    Some(format!("rate from {}: {}", source.path, series.in_words()))
                }
                Some(LinkRate::Constant(_) | LinkRate::Steps(..)) | None => None,
            };
            let delay = link.delay.series.as_ref();
            let delay =
                delay.map(|(series, source)| format!("delay from {}: {}", source.path, series.in_words()));
            rate.into_iter().chain(delay).map(|remark| format!("{}: {remark}", link.name)).collect::<Vec<_>>()
        };
        self.netem.0.iter().cloned().chain(self.links.iter().flat_map(of_link)).collect()
    }

    /// Refuses flows whose round trip time is shorter than the delays on their path.
    fn check_rtts(&self) -> Result<(), Invalid> {
        for (index, group) in self.flows.iter().enumerate() {
            let (path, reverse_path) = self.links_of(&group.route);
            let rtt = group.rtt.unwrap_or_else(|| self.default_rtt(group, &path, &reverse_path));
            let links = self.propagation(&path).saturating_add(self.propagation(&reverse_path));
            check_rtt(&format!("flow[{index}]"), (rtt, group.rtt.is_some()), (links, group.access_delay))?;
        }
        Ok(())
    }
}

fn parse_flows(table: &mut TableReader<'_>, scope: &Scope<'_>) -> Result<Vec<FlowGroup>, Invalid> {
    let flows = match table.get("flow") {
        None => Vec::new(),
        Some(Value::Array(list)) => list
            .iter()
            .enumerate()
            .map(|(index, value)| crate::flow::parse(&format!("flow[{index}]"), value, scope))
            .collect::<Result<Vec<_>, _>>()?,
        other => return table.refuse("flow", other, "flows, each a [[flow]]"),
    };
    let total: u64 = flows.iter().map(|group| u64::from(group.count)).sum();
    if total > u64::from(MAX_FLOWS) {
        return Err(Invalid {
            field: "flow".into(),
            value: Some(format!("{total} flows")),
            expected: format!("at most {MAX_FLOWS}"),
        });
    }
    Ok(flows)
}

/// The error with its value as the document has it: what was read before it was refused is printed in a unit of ours.
fn as_written(invalid: Invalid, document: &Value) -> Invalid {
    let Some(Value::String(text)) = document.pointer(&pointer(&invalid.field)) else { return invalid };
    let quantities: [fn(&str) -> Option<u64>; 3] = [read_time, read_rate_or_0, read_size];
    let is_same = |shown: &str| {
        quantities.iter().any(|read| matches!((read(shown), read(text)), (Some(a), Some(b)) if a == b))
    };
    let is_same = invalid.value.as_deref().is_some_and(|shown| is_same(shown.trim_matches('"')));
    if is_same { Invalid { value: Some(shown(&json!(text))), ..invalid } } else { invalid }
}
