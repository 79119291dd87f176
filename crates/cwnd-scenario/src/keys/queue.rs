// SPDX-License-Identifier: MIT OR Apache-2.0
//! The keys of a link's queue: its discipline, its limit, and the discipline's settings, whose rows `cwnd-link` has.

use super::formats::{BufferSize, Flag, Fraction, Required, TimeAbove0};
use super::kernel_queue::{self, KERNEL, KernelQueue};
use super::words::listed;
use super::{Absent, Form, Key, Keyed, KindKeys, Parsed, Quantity, RowFormat, Scope, ValueFormat, keys};
use crate::buffer::{self, BUFFER, Buffer, INFINITE};
use crate::invalid::{Invalid, TableReader};
use cwnd_link::{Discipline, Limit, Setting, SettingKind, SettingValue};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// The limit of a queue: a size, or none.
pub(crate) struct QueueLimit;

impl ValueFormat for QueueLimit {
    type Value = Buffer;

    fn expected(&self, _: &Scope<'_>) -> Cow<'static, str> {
        format!("{BUFFER}, or infinite").into()
    }

    fn read(&self, value: &Value, _: &Scope<'_>) -> Option<Buffer> {
        if value == INFINITE { Some(Buffer::Infinite) } else { buffer::read(value) }
    }

    fn write(&self, value: &Buffer) -> Value {
        json!(buffer::write(*value))
    }

    fn form(&self) -> Form {
        Form::Either(vec![Form::Quantity(Quantity::Buffer), Form::Choice(vec![INFINITE])])
    }
}

keys! {
    /// The key that every queue of ours has.
    struct LimitTable {
        limit: Buffer = Buffer::Bdp(1_000_000, 0), Required(QueueLimit), "",
            "max queue; the packet being sent does not count. `infinite` is no limit: no packet is dropped because the queue is full, and only the senders' windows limit it. `1bdp` is rate × `rtt` in whole packets, rounded down, but at least one packet. `\"0.1bdp, at least 4packets\"` sets a larger minimum", "";
    }
}

/// A queue discipline with its settings, as a scenario specifies them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisciplineSpec {
    /// The discipline.
    pub discipline: Discipline,
    /// The values of its settings, in the order of [`Discipline::settings`].
    pub settings: Vec<SettingValue<Buffer>>,
}

impl DisciplineSpec {
    /// No discipline: packets are dropped when there is no room.
    pub(crate) const DROP_TAIL: Self = Self { discipline: Discipline::DropTail, settings: Vec::new() };

    /// Its settings with their values.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (&'static Setting, SettingValue<Buffer>)> {
        self.discipline.settings().iter().zip(self.settings.iter().copied())
    }
}

/// A queue, as a scenario specifies it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueSpec {
    /// Its limit.
    pub limit: Buffer,
    /// Its discipline.
    pub discipline: DisciplineSpec,
    /// The kernel's, which has its own limit and discipline, where it is one: then it has neither here.
    pub kernel: Option<KernelQueue>,
}

impl QueueSpec {
    /// Drop-tail of one BDP.
    pub(crate) const DEFAULT: Self =
        Self { limit: Buffer::Bdp(1_000_000, 0), discipline: DisciplineSpec::DROP_TAIL, kernel: None };
}

/// A queue. Its limit is checked when the link's rate and RTT are known.
pub(crate) struct Queue;

impl RowFormat for Queue {
    type Value = QueueSpec;

    fn parse(&self, table: &mut TableReader<'_>, key: &'static str, scope: &Scope<'_>) -> Parsed<QueueSpec> {
        let Some(value) = table.get(key) else { return Ok(None) };
        let mut keys = TableReader::new(&table.field(key), value)?;
        if keys.get("kind").is_some_and(|kind| kind == KERNEL) {
            let kernel = Some(kernel_queue::parse(&mut keys)?);
            keys.finish()?;
            return Ok(Some(QueueSpec {
                limit: Buffer::Infinite,
                discipline: DisciplineSpec::DROP_TAIL,
                kernel,
            }));
        }
        let ours = Discipline::ALL.iter().map(|discipline| discipline.name());
        let names: Vec<&str> = ours.chain([KERNEL]).collect();
        let named = |value: &Value| Discipline::ALL.iter().copied().find(|known| value == known.name());
        let discipline = keys.required_name("kind", &listed(&names, " or "), &names, named)?;
        let LimitTable { limit } = LimitTable::defaults().parse_keys(&mut keys, scope)?;
        let settings = discipline.settings().iter().map(|setting| parse_setting(setting, &mut keys, scope));
        let settings = settings.collect::<Result<_, _>>()?;
        keys.finish()?;
        Ok(Some(QueueSpec { limit, discipline: DisciplineSpec { discipline, settings }, kernel: None }))
    }

    fn print(&self, queue: &QueueSpec) -> Option<Value> {
        if let Some(kernel) = &queue.kernel {
            return Some(kernel_queue::print(kernel));
        }
        let mut map = Map::from_iter([("kind".to_owned(), json!(queue.discipline.discipline.name()))]);
        map.extend(LimitTable { limit: queue.limit }.print_keys());
        map.extend(queue.discipline.rows().map(|(row, value)| (row.name.to_owned(), write(row, value))));
        Some(Value::Object(map))
    }

    fn form(&self) -> Form {
        let kinds = Discipline::ALL.iter().map(|discipline| KindKeys {
            name: discipline.name(),
            help: discipline.help(),
            keys: LimitTable::keys().into_iter().chain(discipline.settings().iter().map(key)).collect(),
        });
        Form::ByKind { key: "kind", kinds: kinds.chain([kernel_queue::kind()]).collect(), common: Vec::new() }
    }
}

/// Reads the key of a setting.
fn parse_setting(
    setting: &Setting,
    table: &mut TableReader<'_>,
    scope: &Scope<'_>,
) -> Result<SettingValue<Buffer>, Invalid> {
    let key = setting.name;
    let (value, expected) = match setting.kind {
        SettingKind::Flag => (Flag.parse(table, key, scope)?.map(SettingValue::Flag), Flag.expected(scope)),
        SettingKind::TimeAbove0 | SettingKind::TimeNotBelow(_) => {
            (TimeAbove0.parse(table, key, scope)?.map(SettingValue::Number), TimeAbove0.expected(scope))
        }
        SettingKind::Fraction => {
            (Fraction.parse(table, key, scope)?.map(SettingValue::Number), Fraction.expected(scope))
        }
        SettingKind::QueueSize => {
            (BufferSize.parse(table, key, scope)?.map(SettingValue::Size), BufferSize.expected(scope))
        }
        SettingKind::QueueSizeAbove(lower) => {
            let is_bytes = |buffer: &Buffer| matches!(buffer, Buffer::Bytes(_));
            let in_bytes = table.get(lower).and_then(buffer::read).is_some_and(|lower| is_bytes(&lower));
            let units = if in_bytes { "a size (60kB)" } else { "packets, a time or multiples of the BDP" };
            let expected = format!("{units}, like {lower}");
            let like_lower = |value: &Value| buffer::read(value).filter(|size| is_bytes(size) == in_bytes);
            (table.read(key, &expected, like_lower)?.map(SettingValue::Size), expected.into())
        }
    };
    match value.or_else(|| default(setting)) {
        Some(value) => Ok(value),
        None => table.refuse(key, None, expected),
    }
}

/// What holds where the key of a setting is not written.
fn default(setting: &Setting) -> Option<SettingValue<Buffer>> {
    Some(setting.default?.map_size(|size| match size {
        Limit::Packets(packets) => Buffer::Packets(packets),
        Limit::Bytes(bytes) | Limit::BytesInAll(bytes) => Buffer::Bytes(bytes),
        Limit::Time(time) => Buffer::Time(time),
    }))
}

/// What holds where the setting `name` of a discipline is not written, if that is a text.
pub(crate) fn default_text(discipline: Discipline, name: &str) -> Option<String> {
    let setting = discipline.settings().iter().find(|setting| setting.name == name)?;
    write(setting, default(setting)?).as_str().map(str::to_owned)
}

/// The value of a setting as printed.
fn write(setting: &Setting, value: SettingValue<Buffer>) -> Value {
    match value {
        SettingValue::Flag(flag) => Flag.write(&flag),
        SettingValue::Number(p) if setting.kind == SettingKind::Fraction => Fraction.write(&p),
        SettingValue::Number(time) => TimeAbove0.write(&time),
        SettingValue::Size(size) => BufferSize.write(&size),
    }
}

/// The row of a setting.
fn key(setting: &Setting) -> Key {
    let form = match setting.kind {
        SettingKind::Flag => ValueFormat::form(&Flag),
        SettingKind::TimeAbove0 | SettingKind::TimeNotBelow(_) => ValueFormat::form(&TimeAbove0),
        SettingKind::Fraction => ValueFormat::form(&Fraction),
        SettingKind::QueueSize | SettingKind::QueueSizeAbove(_) => Form::Quantity(Quantity::Buffer),
    };
    let absent = default(setting).map_or(Absent::Required, |value| Absent::Value(write(setting, value)));
    let Setting { name, unit, help, source, .. } = *setting;
    Key { name, form, absent, unit, help, source }
}
