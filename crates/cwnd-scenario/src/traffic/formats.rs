// SPDX-License-Identifier: MIT OR Apache-2.0
//! The formats of keys that only traffic has: starts, ends, distributions, what a gap is counted from.

use super::unit::Unit;
use crate::invalid::TableReader;
use crate::kernel_names::kernels_own;
use crate::keys::distribution::{self, millionths_form, read_millionths, show_millionths};
use crate::keys::{Absent, Form, Key, Parsed, Quantity, Row, RowFormat, Scope, ValueFormat, keys};
use crate::params::unknown_algorithm;
use crate::routes::parse_ends;
use crate::units::{MAX_TIME, time, write_size, write_time};
use cwnd::registry;
use cwnd_traffic::{Distribution, Starts};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

const STARTS: &str = "{ uniform = [\"0s\", \"1s\"] }, { every = \"1s\", from = \"0s\" } \
                      or { poisson = \"1s\", from = \"0s\" } (from: 0s)";

/// A key that datagrams have no use for: not read where the model is `udp`.
pub(crate) struct OfTransfers<K>(pub K);

impl<K: RowFormat> RowFormat for OfTransfers<K> {
    type Value = K::Value;

    fn parse(
        &self,
        table: &mut TableReader<'_>,
        key: &'static str,
        scope: &Scope<'_>,
    ) -> Parsed<Self::Value> {
        let is_udp = table.get("model").is_some_and(|model| model == "udp");
        if is_udp { Ok(None) } else { self.0.parse(table, key, scope) }
    }

    fn print(&self, value: &Self::Value) -> Option<Value> {
        self.0.print(value)
    }

    fn form(&self) -> Form {
        self.0.form()
    }

    fn absent(&self, default: &Self::Value) -> Absent {
        self.0.absent(default)
    }
}

/// The algorithm of transfers; empty for datagrams.
pub(crate) struct SenderAlgorithm;

impl RowFormat for SenderAlgorithm {
    type Value = String;

    fn parse(&self, table: &mut TableReader<'_>, key: &'static str, _: &Scope<'_>) -> Parsed<String> {
        let Some(value) = table.get(key) else { return Ok(None) };
        match value.as_str() {
            Some(cc) if registry::find(cc).is_some() || kernels_own(cc).is_some() => Ok(Some(cc.to_owned())),
            _ => table.refuse(key, Some(value), unknown_algorithm(value.as_str().unwrap_or_default())),
        }
    }

    fn print(&self, cc: &String) -> Option<Value> {
        (!cc.is_empty()).then(|| json!(cc))
    }

    fn form(&self) -> Form {
        Form::Text { min: 1, max: u64::MAX }
    }
}

/// The two nodes of traffic in a graph: two keys.
pub(crate) struct Ends;

keys! {
    /// The keys of the ends.
    fn ends {
        from: Form::Text { min: 0, max: u64::MAX }, Absent::Words("required in a graph"), "", "a node", "";
        to: Form::Text { min: 0, max: u64::MAX }, Absent::Words("required in a graph"), "", "a node", "";
    }
}

impl RowFormat for Ends {
    type Value = Option<(String, String)>;

    fn parse(&self, table: &mut TableReader<'_>, _: &'static str, _: &Scope<'_>) -> Parsed<Self::Value> {
        parse_ends(table).map(Some)
    }

    fn print(&self, _: &Self::Value) -> Option<Value> {
        None
    }

    fn print_into(&self, _: &'static str, ends: &Self::Value, map: &mut Map<String, Value>) {
        if let Some((from, to)) = ends {
            map.insert("from".into(), json!(from));
            map.insert("to".into(), json!(to));
        }
    }

    fn form(&self) -> Form {
        Form::Table(ends())
    }

    fn keys(&self, _: Row, _: &Self::Value) -> Vec<Key> {
        ends()
    }
}

/// When sources start.
pub(crate) struct StartTimes;

const fn times() -> Form {
    Form::Quantity(Quantity::Time(0, MAX_TIME))
}

keys! {
    /// The keys of starts at random.
    fn uniform {
        uniform: Form::Tuple(vec![times(), times()]), Absent::Required, "", "the interval that each start is drawn from", "";
    }
}
keys! {
    /// The keys of starts at equal distances.
    fn every {
        every: times(), Absent::Required, "", "time between two starts", "";
        from: times(), Absent::Value(json!("0s")), "", "the first start", "";
    }
}
keys! {
    /// The keys of starts that are a Poisson process.
    fn poisson {
        poisson: Form::Quantity(Quantity::Time(1, MAX_TIME)), Absent::Required, "", "mean time between two starts", "";
        from: times(), Absent::Value(json!("0s")), "", "start of the process", "";
    }
}

impl ValueFormat for StartTimes {
    type Value = Starts;

    fn expected(&self, scope: &Scope<'_>) -> Cow<'static, str> {
        format!("a time before the end ({}), {STARTS}", write_time(scope.duration)).into()
    }

    fn read(&self, value: &Value, scope: &Scope<'_>) -> Option<Starts> {
        read_starts(value, scope)
    }

    fn write(&self, starts: &Starts) -> Value {
        match *starts {
            Starts::At(at) => json!(write_time(at)),
            Starts::Uniform(from, to) => json!({ "uniform": [write_time(from), write_time(to)] }),
            Starts::Every { from, gap } => json!({ "every": write_time(gap), "from": write_time(from) }),
            Starts::Poisson { from, gap } => json!({ "poisson": write_time(gap), "from": write_time(from) }),
        }
    }

    fn form(&self) -> Form {
        let tables = [uniform(), every(), poisson()].map(Form::Table);
        Form::Either(std::iter::once(times()).chain(tables).collect())
    }
}

fn read_starts(value: &Value, scope: &Scope<'_>) -> Option<Starts> {
    let before_end = |t: &u64| *t < scope.duration;
    let Value::Object(map) = value else { return time(value).filter(before_end).map(Starts::At) };
    if let (1, Some(pair)) = (map.len(), map.get("uniform")) {
        let [from, to] = pair.as_array()?.as_slice() else { return None };
        return Some(Starts::Uniform(time(from)?, time(to)?))
            .filter(|starts| matches!(starts, Starts::Uniform(a, b) if a < b && before_end(b)));
    }
    let known = |key: &String| ["from", "every", "poisson"].contains(&key.as_str());
    let from = map.get("from").map_or(Some(0), time).filter(before_end)?;
    match (map.get("every"), map.get("poisson")) {
        _ if !map.keys().all(known) => None,
        (Some(gap), None) => Some(Starts::Every { from, gap: time(gap)? }),
        (None, Some(gap)) => Some(Starts::Poisson { from, gap: time(gap).filter(|gap| *gap > 0)? }),
        _ => None,
    }
}

/// A receive window of at least a packet's payload, bytes.
pub(crate) struct Window;

impl ValueFormat for Window {
    type Value = u64;

    fn expected(&self, scope: &Scope<'_>) -> Cow<'static, str> {
        format!("a size of at least one packet's payload, {}B", scope.payload_bytes()).into()
    }

    fn read(&self, value: &Value, scope: &Scope<'_>) -> Option<u64> {
        scope.payload().read(value).filter(|bytes| *bytes >= scope.payload_bytes())
    }

    fn write(&self, bytes: &u64) -> Value {
        json!(write_size(*bytes))
    }

    fn form(&self) -> Form {
        Form::Quantity(Quantity::Payload)
    }
}

/// A distribution of what its values measure.
pub(crate) enum Distributed {
    /// Times.
    Times,
    /// Sizes in bytes or packets.
    Sizes,
    /// Counts.
    Counts,
}

impl Distributed {
    const fn unit(&self, scope: &Scope<'_>) -> Unit {
        match self {
            Self::Times => Unit::Time,
            Self::Sizes => scope.payload(),
            Self::Counts => Unit::Count,
        }
    }
}

impl RowFormat for Distributed {
    type Value = Distribution;

    fn parse(
        &self,
        table: &mut TableReader<'_>,
        key: &'static str,
        scope: &Scope<'_>,
    ) -> Parsed<Distribution> {
        let Some(value) = table.get(key) else { return Ok(None) };
        distribution::parse(&table.field(key), value, self.unit(scope), scope.files).map(Some)
    }

    // Sizes are stored in bytes, so the payload of a packet does not matter here.
    fn print(&self, value: &Distribution) -> Option<Value> {
        let unit = match self {
            Self::Times => Unit::Time,
            Self::Sizes => Unit::Size { packet: 1 },
            Self::Counts => Unit::Count,
        };
        Some(distribution::print(value, unit))
    }

    fn form(&self) -> Form {
        Form::Named(match self {
            Self::Times => "times",
            Self::Sizes => "sizes",
            Self::Counts => "counts",
        })
    }
}

/// A distribution that must be written.
pub(crate) struct RequiredDistribution(pub Distributed);

impl RowFormat for RequiredDistribution {
    type Value = Distribution;

    fn parse(
        &self,
        table: &mut TableReader<'_>,
        key: &'static str,
        scope: &Scope<'_>,
    ) -> Parsed<Distribution> {
        match self.0.parse(table, key, scope)? {
            Some(value) => Ok(Some(value)),
            None => table.refuse(key, None, format!("{}, or a distribution", self.0.unit(scope).expected())),
        }
    }

    fn print(&self, value: &Distribution) -> Option<Value> {
        self.0.print(value)
    }

    fn form(&self) -> Form {
        self.0.form()
    }

    fn absent(&self, _: &Distribution) -> Absent {
        Absent::Required
    }
}

/// A share in millionths, from the first number to the second.
pub(crate) struct Share(pub u64, pub u64);

impl RowFormat for Share {
    type Value = u64;

    fn parse(&self, table: &mut TableReader<'_>, key: &'static str, _: &Scope<'_>) -> Parsed<u64> {
        read_millionths(table, key, self.0, self.1)
    }

    fn print(&self, share: &u64) -> Option<Value> {
        Some(show_millionths(*share))
    }

    fn form(&self) -> Form {
        millionths_form(self.0, self.1)
    }
}
