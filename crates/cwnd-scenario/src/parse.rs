// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scenarios from TOML and JSON, validated field by field.

use crate::flow::{MAX_FLOWS, pair};
use crate::invalid::{Invalid, Table};
use crate::model::{Group, HEADER_BYTES, Record, Route, Scenario};
use crate::routes::{check_rtt, check_traffic};
use crate::topology::Network;
use crate::traffic::{Context, parse_list};
use crate::units;
use serde_json::Value;

const INTERVAL: &str = "two rising times within the duration, such as [\"20s\", \"100s\"]";

impl Scenario {
    /// Reads a TOML document.
    ///
    /// # Errors
    /// [`Invalid`], naming the field, the value and what was expected.
    pub fn from_toml(text: &str) -> Result<Self, Invalid> {
        let wrong = |error: toml::de::Error| document("TOML", &error.to_string());
        let value = toml::Value::Table(toml::from_str(text).map_err(wrong)?);
        Self::from_value(&crate::meant::json(value))
    }

    /// Reads a JSON document of the same shape.
    ///
    /// # Errors
    /// [`Invalid`], naming the field, the value and what was expected.
    pub fn from_json(text: &str) -> Result<Self, Invalid> {
        let value: Value =
            serde_json::from_str(text).map_err(|error| document("JSON", &error.to_string()))?;
        Self::from_value(&value)
    }

    fn from_value(value: &Value) -> Result<Self, Invalid> {
        let mut table = Table::new("", value)?;
        let name = table.text("name", "a text", |_| true)?.unwrap_or_default();
        let duration = table.required("duration", "a time above 0 with its unit, such as 100s", |v| {
            v.as_str().and_then(units::read_time).filter(|t| *t > 0)
        })?;
        let measure = table
            .read("measure", INTERVAL, |v| pair(v).filter(|(a, b)| a < b && *b <= duration))?
            .unwrap_or((0, duration));
        let seed = table.whole("seed", 0, i64::MAX as u64)?.unwrap_or(1);
        let mut network = Network::parse(&mut table)?;
        let record = match table.get("record") {
            Some(value) => crate::record::parse(value)?,
            None => Record::default(),
        };
        let flows = parse_flows(&mut table, duration, &network)?;
        let context = Context { duration, payload: network.packet_size - HEADER_BYTES };
        let written = table.get("traffic");
        let traffic = parse_list(written, &context)?;
        for (index, (group, keys)) in
            traffic.iter().zip(written.and_then(Value::as_array).into_iter().flatten()).enumerate()
        {
            check_traffic(index, keys, group, &mut network)?;
        }
        if flows.is_empty() && traffic.is_empty() {
            return table.refuse("flow", value.get("flow"), "at least one [[flow]] or [[traffic]]");
        }
        if flows.iter().any(|group| group.route == Route::Reverse) {
            network.need_reverse();
        }
        let actions = table.get("action");
        table.finish()?;
        let mut scenario = Self {
            name,
            duration,
            measure,
            seed,
            packet_size: network.packet_size,
            links: network.links.clone(),
            dumbbell: network.dumbbell,
            flows,
            traffic,
            actions: Vec::new(),
            record,
        };
        network.settle(&mut scenario)?;
        scenario.check_rtts()?;
        scenario.check_labels()?;
        scenario.actions = crate::action::parse_list(actions, &scenario)?;
        scenario.check_record()?;
        Ok(scenario)
    }

    /// Refuses flows whose round trip is shorter than the delays that it is made of.
    fn check_rtts(&self) -> Result<(), Invalid> {
        for (index, group) in self.flows.iter().enumerate() {
            let (path, back) = self.links_of(&group.route);
            let rtt = group.rtt.unwrap_or_else(|| self.default_rtt(group, &path, &back));
            let links = self.propagation(&path).saturating_add(self.propagation(&back));
            check_rtt(&format!("flow[{index}]"), (rtt, group.rtt.is_some()), (links, group.access_delay))?;
        }
        Ok(())
    }
}

fn parse_flows(table: &mut Table<'_>, duration: u64, network: &Network<'_>) -> Result<Vec<Group>, Invalid> {
    let flows = match table.get("flow") {
        None => Vec::new(),
        Some(Value::Array(list)) => list
            .iter()
            .enumerate()
            .map(|(index, value)| crate::flow::parse(&format!("flow[{index}]"), value, duration, network))
            .collect::<Result<Vec<_>, _>>()?,
        other => return table.refuse("flow", other, "flows, each a [[flow]]"),
    };
    let total: u64 = flows.iter().map(|group| u64::from(group.count)).sum();
    if total > MAX_FLOWS {
        return Err(Invalid {
            field: "flow".into(),
            value: Some(format!("{total} flows")),
            expected: format!("at most {MAX_FLOWS}"),
        });
    }
    Ok(flows)
}

pub(crate) fn document(kind: &str, error: &str) -> Invalid {
    let detail = error.lines().map(str::trim).filter(|l| !l.is_empty()).collect::<Vec<_>>().join(" ");
    Invalid {
        field: "scenario".into(),
        value: Some("the document".into()),
        expected: format!("{kind}: {detail}"),
    }
}
