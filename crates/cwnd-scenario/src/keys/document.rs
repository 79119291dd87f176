// SPDX-License-Identifier: MIT OR Apache-2.0
//! The keys of the document itself.

use super::formats::{IntegerRange, Optional, OptionalDescribed, PacketSize, Text};
use super::{Absent, Form, Key, Keyed, Parsed, Quantity, RowFormat, Scope, keys};
use crate::invalid::TableReader;
use crate::units::{MAX_TIME, pair, time, write_time};
use serde_json::{Value, json};

/// What a seed may be.
pub(crate) const SEED: IntegerRange = IntegerRange(0, i64::MAX as u64);

keys! {
    /// The keys of the document that are values.
    pub(crate) struct Head {
        name: String = String::new(), OptionalDescribed(Text("a string"), "none"), "",
            "name, for display", "";
        duration: u64 = 0, Duration, "ns",
            "simulated time, at most a hundred days", "";
        measure: Option<(u64, u64)> = None, Optional(Interval, "the whole run"), "ns",
            "the measured interval of the summary", "";
        seed: u64 = 1, SEED, "",
            "seed of all random draws", "";
        packet_size: Option<u32> = None, Optional(PacketSize(100, 64_000), "`\"1500B\"`"), "bytes",
            "size of a full data packet on the wire, including 52 bytes of headers. With one `[link]`, the key may be there instead", "";
    }
}

keys! {
    /// The keys of the document that are tables.
    fn tables {
        link: Form::Either(vec![Form::Named("link"), list("graph")]), Absent::Words("required"), "",
            "`[link]`: a dumbbell; one or more `[[link]]`: a graph", "";
        parking_lot: Form::Named("parking_lot"), Absent::Words("none"), "",
            "bottlenecks in a row, instead of `link`", "";
        record: Form::Named("record"), Absent::Words("see below"), "",
            "what to record in the tables", "";
        live: Form::Named("live"), Absent::Words("see below"), "",
            "host settings in lane live; the simulator ignores them", "";
        flow: list("flow"), Absent::Words("none"), "",
            "groups of flows; `flow` or `traffic` is required", "";
        traffic: list("traffic"), Absent::Words("none"), "",
            "background traffic", "";
        action: list("action"), Absent::Words("none"), "",
            "changes at given times", "";
    }
}

fn list(table: &'static str) -> Form {
    Form::List { item: Box::new(Form::Named(table)), min: 0 }
}

/// The keys of the document.
pub(crate) fn keys() -> Vec<Key> {
    Head::keys().into_iter().chain(tables()).collect()
}

/// A time above 0; required.
struct Duration;

impl RowFormat for Duration {
    type Value = u64;

    fn parse(&self, table: &mut TableReader<'_>, key: &'static str, _: &Scope<'_>) -> Parsed<u64> {
        let above_0 = |value: &Value| time(value).filter(|ns| *ns > 0);
        table.required(key, "a time above 0 with its unit, such as 100s", above_0).map(Some)
    }

    fn print(&self, duration: &u64) -> Option<Value> {
        Some(json!(write_time(*duration)))
    }

    fn form(&self) -> Form {
        Form::Quantity(Quantity::Time(1, MAX_TIME))
    }

    fn absent(&self, _: &u64) -> Absent {
        Absent::Required
    }
}

/// Two rising times within the duration.
struct Interval;

impl RowFormat for Interval {
    type Value = (u64, u64);

    fn parse(&self, table: &mut TableReader<'_>, key: &'static str, _: &Scope<'_>) -> Parsed<(u64, u64)> {
        const INTERVAL: &str = "two increasing times within the duration, such as [\"20s\", \"100s\"]";
        let duration = table.get("duration").and_then(time).unwrap_or(0);
        table.read(key, INTERVAL, |value| pair(value).filter(|(a, b)| a < b && *b <= duration))
    }

    fn print(&self, (from, to): &(u64, u64)) -> Option<Value> {
        Some(json!([write_time(*from), write_time(*to)]))
    }

    fn form(&self) -> Form {
        Form::Tuple(vec![Form::Quantity(Quantity::Time(0, MAX_TIME)); 2])
    }
}
