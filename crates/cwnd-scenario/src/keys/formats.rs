// SPDX-License-Identifier: MIT OR Apache-2.0
//! The formats of keys that several tables have: how a value is parsed, printed and described.

pub(crate) use super::presence::{Optional, OptionalDescribed, Required};
use super::words::listed;
use super::{Form, Quantity, Scope, ValueFormat};
use crate::buffer::{self, BUFFER, Buffer};
use crate::traffic::unit::Unit;
use crate::units::{self, MAX_TIME, RATE, TIME};
use serde_json::{Value, json};
use std::borrow::Cow;

/// What a flag may be, for error messages.
pub(crate) const FLAG: &str = "true or false";

/// `true` or `false`.
pub(crate) struct Flag;

impl ValueFormat for Flag {
    type Value = bool;

    fn expected(&self, _: &Scope<'_>) -> Cow<'static, str> {
        FLAG.into()
    }

    fn read(&self, value: &Value, _: &Scope<'_>) -> Option<bool> {
        value.as_bool()
    }

    fn write(&self, value: &bool) -> Value {
        json!(value)
    }

    fn form(&self) -> Form {
        Form::Flag
    }
}

/// A whole number of `min..=max`, where both fit 32 bits.
pub(crate) struct Count(pub u32, pub u32);

impl ValueFormat for Count {
    type Value = u32;

    fn expected(&self, scope: &Scope<'_>) -> Cow<'static, str> {
        IntegerRange(self.0.into(), self.1.into()).expected(scope)
    }

    fn read(&self, value: &Value, scope: &Scope<'_>) -> Option<u32> {
        IntegerRange(self.0.into(), self.1.into()).read(value, scope).map(|number| number as u32)
    }

    fn write(&self, value: &u32) -> Value {
        json!(value)
    }

    fn form(&self) -> Form {
        Form::Whole { min: self.0.into(), max: self.1.into() }
    }
}

/// A whole number of `min..=max`.
pub(crate) struct IntegerRange(pub u64, pub u64);

impl ValueFormat for IntegerRange {
    type Value = u64;

    fn expected(&self, _: &Scope<'_>) -> Cow<'static, str> {
        format!("a whole number from {} to {}", self.0, self.1).into()
    }

    fn read(&self, value: &Value, _: &Scope<'_>) -> Option<u64> {
        value.as_u64().filter(|number| (self.0..=self.1).contains(number))
    }

    fn write(&self, value: &u64) -> Value {
        json!(value)
    }

    fn form(&self) -> Form {
        Form::Whole { min: self.0, max: self.1 }
    }
}

/// A time, ns.
pub(crate) struct Time;

impl ValueFormat for Time {
    type Value = u64;

    fn expected(&self, _: &Scope<'_>) -> Cow<'static, str> {
        TIME.into()
    }

    fn read(&self, value: &Value, _: &Scope<'_>) -> Option<u64> {
        units::time(value)
    }

    fn write(&self, value: &u64) -> Value {
        json!(units::write_time(*value))
    }

    fn form(&self) -> Form {
        Form::Quantity(Quantity::Time(0, MAX_TIME))
    }
}

/// A time above 0, ns.
pub(crate) struct TimeAbove0;

impl ValueFormat for TimeAbove0 {
    type Value = u64;

    fn expected(&self, _: &Scope<'_>) -> Cow<'static, str> {
        "a time above 0 with its unit (ns, us, ms, s, min), such as 5ms".into()
    }

    fn read(&self, value: &Value, _: &Scope<'_>) -> Option<u64> {
        units::time(value).filter(|ns| *ns > 0)
    }

    fn write(&self, value: &u64) -> Value {
        json!(units::write_time(*value))
    }

    fn form(&self) -> Form {
        Form::Quantity(Quantity::Time(1, MAX_TIME))
    }
}

/// A rate above 0, bit/s.
pub(crate) struct Rate;

impl ValueFormat for Rate {
    type Value = u64;

    fn expected(&self, _: &Scope<'_>) -> Cow<'static, str> {
        RATE.into()
    }

    fn read(&self, value: &Value, _: &Scope<'_>) -> Option<u64> {
        value.as_str().and_then(units::read_rate)
    }

    fn write(&self, value: &u64) -> Value {
        json!(units::write_rate(*value))
    }

    fn form(&self) -> Form {
        Form::Quantity(Quantity::Rate { or_outage: false })
    }
}

/// A size of a packet in bytes, from the first number to the second.
pub(crate) struct PacketSize(pub u32, pub u32);

impl ValueFormat for PacketSize {
    type Value = u32;

    fn expected(&self, _: &Scope<'_>) -> Cow<'static, str> {
        let [min, max] = [self.0, self.1].map(|bytes| units::write_size(bytes.into()));
        format!("a size from {min} to {max}").into()
    }

    fn read(&self, value: &Value, _: &Scope<'_>) -> Option<u32> {
        let bytes = value.as_str().and_then(units::read_size)?;
        u32::try_from(bytes).ok().filter(|bytes| (self.0..=self.1).contains(bytes))
    }

    fn write(&self, bytes: &u32) -> Value {
        json!(units::write_size((*bytes).into()))
    }

    fn form(&self) -> Form {
        Form::Quantity(Quantity::Size(self.0.into(), self.1.into()))
    }
}

/// A frequency, Hz.
pub(crate) struct Frequency;

impl ValueFormat for Frequency {
    type Value = u32;

    fn expected(&self, _: &Scope<'_>) -> Cow<'static, str> {
        "a frequency with its unit (Hz, kHz, MHz) from 1Hz to 1MHz, such as 100Hz".into()
    }

    fn read(&self, value: &Value, _: &Scope<'_>) -> Option<u32> {
        value.as_str().and_then(units::read_frequency)
    }

    fn write(&self, value: &u32) -> Value {
        json!(units::write_frequency(*value))
    }

    fn form(&self) -> Form {
        Form::Quantity(Quantity::Frequency)
    }
}

/// A size of a queue.
pub(crate) struct BufferSize;

impl ValueFormat for BufferSize {
    type Value = Buffer;

    fn expected(&self, _: &Scope<'_>) -> Cow<'static, str> {
        BUFFER.into()
    }

    fn read(&self, value: &Value, _: &Scope<'_>) -> Option<Buffer> {
        buffer::read(value)
    }

    fn write(&self, value: &Buffer) -> Value {
        json!(buffer::write(*value))
    }

    fn form(&self) -> Form {
        Form::Quantity(Quantity::Buffer)
    }
}

/// Payload above 0, bytes: a size, or full packets.
pub(crate) struct Payload;

impl ValueFormat for Payload {
    type Value = u64;

    fn expected(&self, scope: &Scope<'_>) -> Cow<'static, str> {
        scope.payload().expected().into()
    }

    fn read(&self, value: &Value, scope: &Scope<'_>) -> Option<u64> {
        scope.payload().read(value).filter(|bytes| *bytes > 0)
    }

    fn write(&self, value: &u64) -> Value {
        json!(units::write_size(*value))
    }

    fn form(&self) -> Form {
        Form::Quantity(Quantity::Payload)
    }
}

/// A probability above 0, in units of 2⁻⁶⁴.
pub(crate) struct Fraction;

impl ValueFormat for Fraction {
    type Value = u64;

    fn expected(&self, _: &Scope<'_>) -> Cow<'static, str> {
        "a number above 0, at most 1, with at most fifteen decimals".into()
    }

    fn read(&self, value: &Value, _: &Scope<'_>) -> Option<u64> {
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.as_f64()?.to_string(), // never with an exponent
        };
        units::read_probability(&text).filter(|p| *p > 0)
    }

    fn write(&self, p: &u64) -> Value {
        let text = units::probability(*p);
        text.parse::<f64>().map_or(Value::String(text), |number| json!(number))
    }

    fn form(&self) -> Form {
        Form::Decimal { min: 1e-15, max: 1.0, text: true }
    }
}

/// Any text; what is expected in words.
pub(crate) struct Text(pub &'static str);

impl ValueFormat for Text {
    type Value = String;

    fn expected(&self, _: &Scope<'_>) -> Cow<'static, str> {
        self.0.into()
    }

    fn read(&self, value: &Value, _: &Scope<'_>) -> Option<String> {
        crate::invalid::text(value)
    }

    fn write(&self, text: &String) -> Value {
        json!(text)
    }

    fn is_free_text(&self) -> bool {
        true
    }

    fn form(&self) -> Form {
        Form::Text { min: 0, max: u64::MAX }
    }
}

/// Any text but the empty one; what is expected in words.
pub(crate) struct NonEmpty(pub &'static str);

impl ValueFormat for NonEmpty {
    type Value = String;

    fn expected(&self, _: &Scope<'_>) -> Cow<'static, str> {
        self.0.into()
    }

    fn read(&self, value: &Value, _: &Scope<'_>) -> Option<String> {
        crate::invalid::text(value).filter(|text| !text.is_empty())
    }

    fn write(&self, text: &String) -> Value {
        json!(text)
    }

    fn form(&self) -> Form {
        Form::Text { min: 1, max: u64::MAX }
    }

    fn is_free_text(&self) -> bool {
        true
    }
}

impl Scope<'_> {
    /// The unit of payload.
    pub const fn payload(&self) -> Unit {
        Unit::Size { packet: self.packet_size - units::HEADER_BYTES }
    }

    /// Payload of a full packet, bytes.
    pub fn payload_bytes(&self) -> u64 {
        u64::from(self.packet_size - units::HEADER_BYTES)
    }
}

/// A value by its name.
pub(crate) struct Named<T: 'static> {
    /// The values.
    pub all: &'static [T],
    /// The name of each.
    pub name: fn(T) -> &'static str,
    /// Other names, which are read but not written.
    pub aliases: &'static [(&'static str, T)],
    /// What joins the last two names in an error message.
    pub or: &'static str,
}

impl<T: Copy> Named<T> {
    fn names(&self) -> Vec<&'static str> {
        let own = self.all.iter().map(|value| (self.name)(*value));
        own.chain(self.aliases.iter().map(|(alias, _)| *alias)).collect()
    }
}

impl<T: Copy> ValueFormat for Named<T> {
    type Value = T;

    fn expected(&self, _: &Scope<'_>) -> Cow<'static, str> {
        listed(&self.names(), self.or).into()
    }

    fn read(&self, value: &Value, _: &Scope<'_>) -> Option<T> {
        let text = value.as_str()?;
        let own = self.all.iter().copied().find(|value| (self.name)(*value) == text);
        own.or_else(|| self.aliases.iter().find(|(alias, _)| *alias == text).map(|(_, value)| *value))
    }

    fn write(&self, value: &T) -> Value {
        json!((self.name)(*value))
    }

    fn form(&self) -> Form {
        Form::Choice(self.names())
    }
}
