// SPDX-License-Identifier: MIT OR Apache-2.0
//! The formats of keys that only a flow has: its algorithm, label, start, access link, bursts.

use super::formats::{Rate, Required};
use super::{Absent, Form, Key, Keyed, Parsed, Quantity, Row, RowFormat, Scope, ValueFormat, keys};
use crate::buffer::{self, Buffer};
use crate::invalid::TableReader;
use crate::route::RouteSpec;
use crate::units::{self, MAX_TIME, RATE, pair, time, write_time};
use serde_json::{Value, json};
use std::borrow::Cow;

/// When a flow starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At this time.
    At(u64),
    /// Uniformly within this interval, drawn from the seed.
    Uniform(u64, u64),
}

/// Default queue limit of an access link, packets (Linux's `txqueuelen`).
pub(crate) const ACCESS_QUEUE: u64 = 1000;
/// Max characters of a user's label.
const LONGEST: usize = 40;
/// Max send overhead, ns.
const MAX_OVERHEAD: u64 = 1_000_000_000;
/// For how long a host's tick counter has run at most, ns: in µs it fits 32 bits.
const MAX_PHASE: u64 = 3_600_000_000_000;
/// The longest time for which a receiver's interface holds segments back, ns.
const MAX_GRO: u64 = 100_000_000;
/// Max packets per burst.
const MAX_BURST: u64 = 1 << 20;

const LABEL: &str = "a string of 1 to 40 printable characters without a space at either end";
const OVERHEAD: &str = "a time with its unit (ns, us, ms, s), at most 1s, such as 300us";
const PHASE: &str = "a time with its unit (ns, us, ms, s), at most 1h, such as 4ms";
const GRO: &str = "a time above 0 with its unit (ns, us, ms), at most 100ms, such as 50us";
/// What a start may be, for error messages.
fn expected_start(scope: &Scope<'_>) -> Cow<'static, str> {
    let end = write_time(scope.duration);
    format!(
        "a time of 0 or more before the end ({end}), or two increasing ones ({{ uniform = [\"0s\", \"100ms\"] }})"
    )
    .into()
}

const ACCESS: &str =
    "room for at least one packet, in packets (100packets), as a size (150kB) or a time (50ms)";
const BURST: &str = "packets, 1 to 1048576, such as 4packets, or their number alone";

/// An algorithm that exists; required.
pub(crate) struct AlgorithmName;

impl RowFormat for AlgorithmName {
    type Value = String;

    fn parse(&self, table: &mut TableReader<'_>, _: &'static str, _: &Scope<'_>) -> Parsed<String> {
        crate::params::parse_cc(table).map(Some)
    }

    fn print(&self, cc: &String) -> Option<Value> {
        Some(json!(cc))
    }

    fn form(&self) -> Form {
        Form::Text { min: 1, max: u64::MAX }
    }

    fn absent(&self, _: &String) -> Absent {
        Absent::Required
    }
}

/// A user's label.
pub(crate) struct Label;

impl RowFormat for Label {
    type Value = String;

    fn parse(&self, table: &mut TableReader<'_>, key: &'static str, _: &Scope<'_>) -> Parsed<String> {
        table.text(key, LABEL, is_label)
    }

    fn print(&self, label: &String) -> Option<Value> {
        Some(json!(label))
    }

    fn form(&self) -> Form {
        Form::Text { min: 1, max: LONGEST as u64 }
    }
}

/// Whether `text` is a valid label: printable, without outer spaces.
fn is_label(text: &str) -> bool {
    let invisible = |c: char| {
        c.is_control()
            || (c.is_whitespace() && c != ' ')
            || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    (1..=LONGEST).contains(&text.chars().count()) && text.trim() == text && !text.contains(invisible)
}

/// A start before the end.
pub(crate) struct StartTime;

impl ValueFormat for StartTime {
    type Value = Start;

    fn expected(&self, scope: &Scope<'_>) -> Cow<'static, str> {
        expected_start(scope)
    }

    fn read(&self, value: &Value, scope: &Scope<'_>) -> Option<Start> {
        if !value.is_object() {
            return time(value).filter(|at| *at < scope.duration).map(Start::At);
        }
        let mut keys = TableReader::new("start", value).ok()?;
        let UniformStart { uniform: (from, to) } =
            UniformStart::defaults().parse_keys(&mut keys, scope).ok()?;
        keys.finish().ok()?;
        Some(Start::Uniform(from, to))
    }

    fn write(&self, start: &Start) -> Value {
        match *start {
            Start::At(at) => json!(write_time(at)),
            Start::Uniform(from, to) => Value::Object(UniformStart { uniform: (from, to) }.print_keys()),
        }
    }

    fn form(&self) -> Form {
        Form::Either(vec![Form::Quantity(Quantity::Time(0, MAX_TIME)), Form::Table(UniformStart::keys())])
    }
}

keys! {
    /// The keys of a start at random.
    struct UniformStart {
        uniform: (u64, u64) = (0, 0), Required(IntervalBeforeEnd), "",
            "the interval that each start is drawn from", "";
    }
}

/// Two rising times before the end.
struct IntervalBeforeEnd;

impl ValueFormat for IntervalBeforeEnd {
    type Value = (u64, u64);

    fn expected(&self, scope: &Scope<'_>) -> Cow<'static, str> {
        expected_start(scope)
    }

    fn read(&self, value: &Value, scope: &Scope<'_>) -> Option<(u64, u64)> {
        pair(value).filter(|(from, to)| from < to && *to < scope.duration)
    }

    fn write(&self, (from, to): &(u64, u64)) -> Value {
        json!([write_time(*from), write_time(*to)])
    }

    fn form(&self) -> Form {
        Form::Tuple(vec![Form::Quantity(Quantity::Time(0, MAX_TIME)); 2])
    }
}

/// A random delay in the sending host.
pub(crate) struct Overhead;

impl ValueFormat for Overhead {
    type Value = u64;

    fn expected(&self, _: &Scope<'_>) -> Cow<'static, str> {
        OVERHEAD.into()
    }

    fn read(&self, value: &Value, _: &Scope<'_>) -> Option<u64> {
        time(value).filter(|ns| *ns <= MAX_OVERHEAD)
    }

    fn write(&self, value: &u64) -> Value {
        json!(write_time(*value))
    }

    fn form(&self) -> Form {
        Form::Quantity(Quantity::Time(0, MAX_OVERHEAD))
    }
}

/// For how long a host's tick counter has run at time 0.
pub(crate) struct ClockPhase;

impl ValueFormat for ClockPhase {
    type Value = u64;

    fn expected(&self, _: &Scope<'_>) -> Cow<'static, str> {
        PHASE.into()
    }

    fn read(&self, value: &Value, _: &Scope<'_>) -> Option<u64> {
        time(value).filter(|ns| *ns <= MAX_PHASE)
    }

    fn write(&self, value: &u64) -> Value {
        json!(write_time(*value))
    }

    fn form(&self) -> Form {
        Form::Quantity(Quantity::Time(0, MAX_PHASE))
    }
}

/// For how long the receiver's interface holds segments back.
pub(crate) struct Gro;

impl ValueFormat for Gro {
    type Value = u64;

    fn expected(&self, _: &Scope<'_>) -> Cow<'static, str> {
        GRO.into()
    }

    fn read(&self, value: &Value, _: &Scope<'_>) -> Option<u64> {
        time(value).filter(|ns| (1..=MAX_GRO).contains(ns))
    }

    fn write(&self, value: &u64) -> Value {
        json!(write_time(*value))
    }

    fn form(&self) -> Form {
        Form::Quantity(Quantity::Time(1, MAX_GRO))
    }
}

/// Packets per burst: with their unit, or as a number.
pub(crate) struct Burst;

impl ValueFormat for Burst {
    type Value = u32;

    fn expected(&self, _: &Scope<'_>) -> Cow<'static, str> {
        BURST.into()
    }

    fn read(&self, value: &Value, _: &Scope<'_>) -> Option<u32> {
        let packets = value.as_u64().or_else(|| buffer::read_packets(value.as_str()?.trim()))?;
        (1..=MAX_BURST).contains(&packets).then_some(packets as u32)
    }

    fn write(&self, packets: &u32) -> Value {
        json!(packets)
    }

    fn form(&self) -> Form {
        Form::Either(vec![Form::Whole { min: 1, max: MAX_BURST }, Form::Quantity(Quantity::Packets)])
    }
}

keys! {
    /// An access link: a link of one flow, before all others.
    #[derive(Copy)]
    pub struct AccessLink {
        rate: u64 = 0, Required(Rate), "", "rate of the link", "";
        queue: u64 = ACCESS_QUEUE, AccessQueue, "",
            "limit of its DropTail queue: packets, a size or a time", "Linux: txqueuelen";
    }
}

/// An access link: a rate, or a table with its queue.
pub(crate) struct Access;

impl RowFormat for Access {
    type Value = AccessLink;

    fn parse(&self, table: &mut TableReader<'_>, key: &'static str, scope: &Scope<'_>) -> Parsed<AccessLink> {
        let Some(value) = table.get(key) else { return Ok(None) };
        if let Some(text) = value.as_str() {
            return match units::read_rate(text) {
                Some(rate) => Ok(Some(AccessLink { rate, ..AccessLink::defaults() })),
                None => table.refuse(key, Some(value), format!("{RATE}, or a table with rate and queue")),
            };
        }
        let mut keys = TableReader::new(&table.field(key), value)?;
        let access = AccessLink::defaults().parse_keys(&mut keys, scope)?;
        keys.finish()?;
        Ok(Some(access))
    }

    fn print(&self, access: &AccessLink) -> Option<Value> {
        Some(Value::Object(access.print_keys()))
    }

    fn form(&self) -> Form {
        Form::Either(vec![ValueFormat::form(&Rate), Form::Table(AccessLink::keys())])
    }
}

/// The limit of an access link's queue, packets; a size or a time is one at the rate of its table.
struct AccessQueue;

impl RowFormat for AccessQueue {
    type Value = u64;

    fn parse(&self, table: &mut TableReader<'_>, key: &'static str, scope: &Scope<'_>) -> Parsed<u64> {
        let rate = table.get("rate").and_then(|rate| Rate.read(rate, scope)).unwrap_or(0);
        let packet = u64::from(scope.packet_size);
        table.read(key, ACCESS, |value| {
            let packets = match buffer::read(value)? {
                Buffer::Packets(packets) => packets,
                Buffer::Bytes(bytes) => bytes / packet,
                Buffer::Time(ns) => {
                    let bits_e9 = u128::from(rate) * u128::from(ns);
                    u64::try_from(bits_e9 / (8_000_000_000 * u128::from(packet))).ok()?
                }
                Buffer::Bdp(..) | Buffer::Infinite => return None,
            };
            Some(packets).filter(|packets| (1..=1 << 32).contains(packets))
        })
    }

    fn print(&self, packets: &u64) -> Option<Value> {
        Some(json!(buffer::write(Buffer::Packets(*packets))))
    }

    fn form(&self) -> Form {
        Form::Quantity(Quantity::Buffer)
    }
}

/// The route: several keys.
pub(crate) struct Route;

impl RowFormat for Route {
    type Value = RouteSpec;

    fn parse(&self, table: &mut TableReader<'_>, _: &'static str, scope: &Scope<'_>) -> Parsed<RouteSpec> {
        crate::routes::parse(table, scope).map(Some)
    }

    // Printed by hand, after all other keys.
    fn print(&self, _: &RouteSpec) -> Option<Value> {
        None
    }

    fn form(&self) -> Form {
        Form::Table(crate::routes::keys())
    }

    fn keys(&self, _: Row, _: &RouteSpec) -> Vec<Key> {
        crate::routes::keys()
    }
}
