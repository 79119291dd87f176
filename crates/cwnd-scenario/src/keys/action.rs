// SPDX-License-Identifier: MIT OR Apache-2.0
//! The keys of `[[action]]`.

use super::flow_formats::AlgorithmName;
use super::formats::{Required, Time};
use super::queue::QueueLimit;
use super::{
    Absent, Concat, Form, KnownLinks, Parsed, Quantity, RowFormat, Scope, ValueFormat, keys, variants,
};
use crate::buffer::Buffer;
use crate::invalid::TableReader;
use crate::routes::suggest;
use crate::units::{self, MAX_TIME, TIME, time, write_rate, write_time};
use serde_json::{Value, json};
use std::borrow::Cow;

variants! {
    /// The actions, in the order in which an error message lists them. The name is the key of a table with the others.
    pub(crate) enum ActionTable {
        Start(OnFlow) = "start", "the flow's application starts, or resumes after a stop";
        Stop(OnFlow) = "stop", "the flow's application stops";
        Switch(Concat<OnFlow, ToAlgorithm>) = "switch", "the open connection switches to another algorithm and keeps its recovery";
        Rate(Concat<OnLink, ToRate>) = "rate", "the link's rate; `0bit/s` is an outage. Not for a link with a trace, or without a rate";
        Delay(Concat<OnLink, ToDelay>) = "delay", "the link's `delay`; round trip times change with it";
        Buffer(Concat<OnLink, ToBuffer>) = "buffer", "the limit of the link's queue. Shrinking it drops queued packets only at a drop-head queue, which drops down to the new limit when the next packet arrives";
    }
}

keys! {
    /// The keys of an action on flows.
    pub(crate) struct OnFlow {
        flow: String = String::new(), FlowName, "",
            "a flow's name (`\"cubic 1\"`), or a group's label or an algorithm, for all its flows. An algorithm and a number also refer to a flow with another name: `\"cubic 2\"` is the second flow of `cubic`", "";
        at: u64 = 0, Required(BeforeEnd), "", "time, before the end of the run", "";
    }
}

keys! {
    /// The keys of an action on a link.
    pub(crate) struct OnLink {
        link: String = String::new(), LinkName, "", "a link's name", "";
        at: u64 = 0, Required(BeforeEnd), "", "time, before the end of the run", "";
    }
}

keys! {
    /// The key of a switch of the algorithm.
    pub(crate) struct ToAlgorithm {
        cc: String = String::new(), AlgorithmName, "",
            "the algorithm; its parameters are also keys", "";
    }
}

keys! {
    /// The key of another rate.
    pub(crate) struct ToRate {
        to: u64 = 0, NewRate, "", "the new value", "";
    }
}

keys! {
    /// The key of another delay.
    pub(crate) struct ToDelay {
        to: u64 = 0, Required(Time), "", "the new value", "";
    }
}

keys! {
    /// The key of another limit.
    pub(crate) struct ToBuffer {
        to: Buffer = Buffer::Packets(0), NewLimit, "", "the new value", "";
    }
}

/// The name of a flow, or a label or an algorithm for all their flows; required.
struct FlowName;

impl RowFormat for FlowName {
    type Value = String;

    fn parse(&self, table: &mut TableReader<'_>, key: &'static str, scope: &Scope<'_>) -> Parsed<String> {
        const FLOW: &str = "the name of a flow, or a label or an algorithm for all their flows";
        let name = table.required_text(key, FLOW)?;
        match scope.flows {
            Some(flows) if !flows.has(&name) => {
                table.refuse(key, Some(&json!(name)), suggest(FLOW, &name, flows.known().iter().copied()))
            }
            _ => Ok(Some(name)),
        }
    }

    fn print(&self, name: &String) -> Option<Value> {
        Some(json!(name))
    }

    fn form(&self) -> Form {
        Form::Text { min: 0, max: u64::MAX }
    }

    fn absent(&self, _: &String) -> Absent {
        Absent::Required
    }
}

/// The name of a link; in a dumbbell it may be left out and is then the bottleneck.
struct LinkName;

impl RowFormat for LinkName {
    type Value = String;

    fn parse(&self, table: &mut TableReader<'_>, key: &'static str, scope: &Scope<'_>) -> Parsed<String> {
        const LINK: &str = "the name of a link";
        let links = scope.link_ends();
        let names = links.iter().map(|link| link.name);
        match table.text(key, LINK, |_| true)? {
            Some(name) if names.clone().any(|known| known == name) => Ok(Some(name)),
            Some(name) => table.refuse(key, Some(&json!(name)), suggest(LINK, &name, names)),
            None if scope.is_dumbbell => Ok(links.first().map(|link| link.name.to_owned())),
            None => table.refuse(key, None, LINK),
        }
    }

    fn print(&self, name: &String) -> Option<Value> {
        Some(json!(name))
    }

    fn form(&self) -> Form {
        Form::Text { min: 0, max: u64::MAX }
    }

    fn absent(&self, _: &String) -> Absent {
        Absent::Words("a dumbbell's `\"link\"`")
    }
}

/// The link that the key `link` of this table names: all links, its number and its name.
fn named<'l>(table: &mut TableReader<'_>, scope: &Scope<'l>) -> Option<(&'l dyn KnownLinks, usize, &'l str)> {
    let ends = scope.link_ends();
    let number = match table.get("link").and_then(Value::as_str) {
        Some(name) => ends.iter().position(|link| link.name == name)?,
        None => 0,
    };
    Some((scope.links?, number, ends.get(number)?.name))
}

/// A time before the end.
struct BeforeEnd;

impl ValueFormat for BeforeEnd {
    type Value = u64;

    fn expected(&self, _: &Scope<'_>) -> Cow<'static, str> {
        format!("{TIME}, before the end").into()
    }

    fn read(&self, value: &Value, scope: &Scope<'_>) -> Option<u64> {
        time(value).filter(|at| *at < scope.duration)
    }

    fn write(&self, at: &u64) -> Value {
        json!(write_time(*at))
    }

    fn form(&self) -> Form {
        Form::Quantity(Quantity::Time(0, MAX_TIME))
    }
}

/// A rate or an outage, of a link without a trace; required.
struct NewRate;

impl RowFormat for NewRate {
    type Value = u64;

    fn parse(&self, table: &mut TableReader<'_>, key: &'static str, scope: &Scope<'_>) -> Parsed<u64> {
        const RATE: &str = "a rate with its unit (bit/s, kbit/s, Mbit/s, Gbit/s), or 0bit/s for an outage";
        if let Some((links, number, name)) = named(table, scope)
            && let Err(expected) = links.check_new_rate(number)
        {
            return table.refuse("link", Some(&json!(name)), expected);
        }
        table.required(key, RATE, |value| value.as_str().and_then(units::read_rate_or_0)).map(Some)
    }

    fn print(&self, rate: &u64) -> Option<Value> {
        Some(json!(write_rate(*rate)))
    }

    fn form(&self) -> Form {
        Form::Quantity(Quantity::Rate { or_outage: true })
    }

    fn absent(&self, _: &u64) -> Absent {
        Absent::Required
    }
}

/// A limit that the link's queue may have; required.
struct NewLimit;

impl RowFormat for NewLimit {
    type Value = Buffer;

    fn parse(&self, table: &mut TableReader<'_>, key: &'static str, scope: &Scope<'_>) -> Parsed<Buffer> {
        let limit = Required(QueueLimit).parse(table, key, scope)?;
        let (Some(buffer), Some((links, number, name))) = (limit, named(table, scope)) else {
            return Ok(limit);
        };
        if !links.has_queue(number) {
            let expected = "a link that has a queue of cwnd: without a rate it has none, and the kernel's has its own limit";
            return table.refuse("link", Some(&json!(name)), expected);
        }
        match links.check_limit(number, buffer, scope.packet_size) {
            Ok(()) => Ok(limit),
            Err(expected) => {
                let value = table.get(key);
                table.refuse(key, value, expected)
            }
        }
    }

    fn print(&self, limit: &Buffer) -> Option<Value> {
        Some(QueueLimit.write(limit))
    }

    fn form(&self) -> Form {
        ValueFormat::form(&QueueLimit)
    }

    fn absent(&self, _: &Buffer) -> Absent {
        Absent::Required
    }
}
