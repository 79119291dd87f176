// SPDX-License-Identifier: MIT OR Apache-2.0
//! The formats of keys that only a link has: jitter, reordering, and flags that are printed where they are true.

use super::formats::{Flag, Fraction, Required, TimeAbove0};
use super::{Absent, Form, Keyed, Parsed, Quantity, RowFormat, Scope, ValueFormat, Variants, keys, variants};
use crate::buffer::read_packets;
use crate::invalid::TableReader;
use cwnd_link::{Jitter, Reorder};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// Random delay of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JitterSpec {
    /// Random delay in addition to the propagation delay.
    pub delay: Jitter,
    /// Whether jitter may put packets out of order.
    pub overtaking: bool,
    /// Whether the propagation delay is the mean of the whole delay, rather than its least.
    pub centered: bool,
}

impl JitterSpec {
    /// The part of the link's delay that the jitter's mean makes up, ns.
    pub(crate) fn mean_within_delay(self) -> u64 {
        match self.delay {
            _ if !self.centered => 0,
            Jitter::None => 0,
            Jitter::Uniform { most } => most / 2,
            Jitter::Normal { mean, .. } | Jitter::Exponential { mean } => mean,
        }
    }
}

const JITTER: &str = "a time above 0 (\"5ms\": uniform from 0 to that), or a table with kind";

/// A number of packets, from 1 to 2³².
pub(crate) struct Packets;

impl ValueFormat for Packets {
    type Value = u64;

    fn expected(&self, _: &Scope<'_>) -> Cow<'static, str> {
        "packets, such as 300packets, from 1 to 2^32".into()
    }

    fn read(&self, value: &Value, _: &Scope<'_>) -> Option<u64> {
        value.as_str().and_then(read_packets).filter(|packets| (1..=1 << 32).contains(packets))
    }

    fn write(&self, packets: &u64) -> Value {
        json!(format!("{packets}packets"))
    }

    fn form(&self) -> Form {
        Form::Quantity(Quantity::Packets)
    }
}

keys! {
    /// The keys of uniform jitter.
    struct UniformJitter {
        max: u64 = 0, Required(TimeAbove0), "ns", "the delay is uniform from 0 to this", "";
    }
}
keys! {
    /// The keys of normal jitter.
    struct NormalJitter {
        mean: u64 = 0, Required(TimeAbove0), "ns", "mean", "";
        sd: u64 = 0, Required(TimeAbove0), "ns", "standard deviation before truncation to 0 … twice the mean", "";
    }
}
keys! {
    /// The keys of exponential jitter.
    struct ExponentialJitter {
        mean: u64 = 0, Required(TimeAbove0), "ns", "mean", "";
    }
}
keys! {
    /// The keys that all jitter has.
    struct AnyJitter {
        overtaking: bool = false, Flag, "",
            "whether jitter, or a delay that an action lowers, may reorder packets", "";
        centered: bool = false, Flag, "",
            "whether the link's `delay`, which is part of `rtt`, is the mean of the total delay; it must be at least the jitter's mean. Otherwise, `delay` is the minimum, and jitter adds to `rtt`", "";
    }
}
variants! {
    /// The kinds of jitter.
    enum JitterTable {
        Uniform(UniformJitter) = "uniform", "a uniform distribution from 0 to a maximum";
        Normal(NormalJitter) = "normal", "a normal distribution, truncated";
        Exponential(ExponentialJitter) = "exponential", "an exponential distribution";
        Off = "none", "no jitter";
    }
}

/// Jitter: a time, or a table.
pub(crate) struct JitterKind;

impl RowFormat for JitterKind {
    type Value = JitterSpec;

    fn parse(&self, table: &mut TableReader<'_>, key: &'static str, scope: &Scope<'_>) -> Parsed<JitterSpec> {
        let Some(value) = table.get(key) else { return Ok(None) };
        if !value.is_object() {
            return match TimeAbove0.read(value, scope) {
                Some(most) => Ok(Some(JitterSpec {
                    delay: Jitter::Uniform { most },
                    overtaking: false,
                    centered: false,
                })),
                None => table.refuse(key, Some(value), JITTER),
            };
        }
        let mut keys = TableReader::new(&table.field(key), value)?;
        let kind = JitterTable::parse_kind(&mut keys)?;
        let delay = match JitterTable::parse_keys(kind, &mut keys, scope)? {
            JitterTable::Uniform(keys) => Jitter::Uniform { most: keys.max },
            JitterTable::Normal(keys) => Jitter::Normal { mean: keys.mean, sd: keys.sd },
            JitterTable::Exponential(keys) => Jitter::Exponential { mean: keys.mean },
            JitterTable::Off => Jitter::None,
        };
        let AnyJitter { overtaking, centered } = AnyJitter::defaults().parse_keys(&mut keys, scope)?;
        keys.finish()?;
        Ok(Some(JitterSpec { delay, overtaking, centered }))
    }

    fn print(&self, jitter: &JitterSpec) -> Option<Value> {
        let keys = match jitter.delay {
            Jitter::None if !jitter.overtaking && !jitter.centered => return None,
            Jitter::None => JitterTable::Off,
            Jitter::Uniform { most } => JitterTable::Uniform(UniformJitter { max: most }),
            Jitter::Normal { mean, sd } => JitterTable::Normal(NormalJitter { mean, sd }),
            Jitter::Exponential { mean } => JitterTable::Exponential(ExponentialJitter { mean }),
        };
        let mut map = Map::from_iter([keys.print_kind()]);
        map.extend(keys.print_keys());
        let JitterSpec { overtaking, centered, .. } = *jitter;
        map.extend(AnyJitter { overtaking, centered }.print_keys());
        Some(Value::Object(map))
    }

    fn form(&self) -> Form {
        let by_kind = Form::ByKind { key: "kind", kinds: JitterTable::kinds(), common: AnyJitter::keys() };
        Form::Either(vec![ValueFormat::form(&TimeAbove0), by_kind])
    }
}

keys! {
    /// The keys of reordering.
    struct Reordered {
        share: u64 = 0, Required(Fraction), "", "share of the packets", "";
        extra: u64 = 0, Required(TimeAbove0), "ns", "their extra delay", "";
    }
}

/// Packets that are delayed extra.
pub(crate) struct Reordering;

impl RowFormat for Reordering {
    type Value = Reorder;

    fn parse(&self, table: &mut TableReader<'_>, key: &'static str, scope: &Scope<'_>) -> Parsed<Reorder> {
        let Some(value) = table.get(key) else { return Ok(None) };
        let mut keys = TableReader::new(&table.field(key), value)?;
        let Reordered { share, extra } = Reordered::defaults().parse_keys(&mut keys, scope)?;
        keys.finish()?;
        Ok(Some(Reorder { share, extra }))
    }

    fn print(&self, reorder: &Reorder) -> Option<Value> {
        let Reorder { share, extra } = *reorder;
        Some(Value::Object(Reordered { share, extra }.print_keys()))
    }

    fn form(&self) -> Form {
        Form::Table(Reordered::keys())
    }
}

/// A flag that is printed where it is true.
pub(crate) struct PrintIfTrue;

impl RowFormat for PrintIfTrue {
    type Value = bool;

    fn parse(&self, table: &mut TableReader<'_>, key: &'static str, scope: &Scope<'_>) -> Parsed<bool> {
        RowFormat::parse(&Flag, table, key, scope)
    }

    fn print(&self, value: &bool) -> Option<Value> {
        value.then(|| Flag.write(value))
    }

    fn form(&self) -> Form {
        ValueFormat::form(&Flag)
    }

    fn absent(&self, default: &bool) -> Absent {
        Absent::Value(Flag.write(default))
    }
}
