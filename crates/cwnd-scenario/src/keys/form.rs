// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a key accepts, as data: for documentation, the JSON schema and generators of scenarios.

use serde_json::Value;

/// A key of a table of the schema.
#[derive(Clone, Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// The values that it accepts.
    pub form: Form,
    /// What holds where it is not written.
    pub absent: Absent,
    /// Unit of a plain number, if it has one.
    pub unit: &'static str,
    /// Its meaning.
    pub help: &'static str,
    /// The RFC or paper that it is from, if there is one.
    pub source: &'static str,
}

/// What holds where a key is not written.
#[derive(Clone, Debug)]
pub enum Absent {
    /// Nothing: it must be written.
    Required,
    /// This value.
    Value(Value),
    /// What these words say.
    Words(&'static str),
}

/// The values that a key accepts. Conditions that depend on other keys are not part of it.
#[derive(Clone, Debug)]
pub enum Form {
    /// `true` or `false`.
    Flag,
    /// A whole number.
    Whole {
        /// Smallest value.
        min: u64,
        /// Largest value.
        max: u64,
    },
    /// A decimal number, or that number as text where `text` is set.
    Decimal {
        /// Lower bound, accepted.
        min: f64,
        /// Upper bound, accepted.
        max: f64,
        /// Whether it may be written as text too.
        text: bool,
    },
    /// Any text of this many characters.
    Text {
        /// Fewest characters.
        min: u64,
        /// Most characters.
        max: u64,
    },
    /// One of these texts.
    Choice(Vec<&'static str>),
    /// A number with its unit, as text.
    Quantity(Quantity),
    /// Text of another syntax.
    Syntax {
        /// What it is, in words.
        what: &'static str,
        /// A regular expression for all of it.
        pattern: &'static str,
    },
    /// A list of values of one form, of at least `min` values.
    List {
        /// The form of each.
        item: Box<Self>,
        /// Fewest values.
        min: u64,
    },
    /// A list of values, each of its own form.
    Tuple(Vec<Self>),
    /// A table of keys.
    Table(Vec<Key>),
    /// A table of the schema with a name of its own.
    Named(&'static str),
    /// A table whose key `key` is a name that selects the other keys.
    ByKind {
        /// The key.
        key: &'static str,
        /// Its names, and the keys that each has.
        kinds: Vec<KindKeys>,
        /// The keys that all have.
        common: Vec<Key>,
    },
    /// Any of these.
    Either(Vec<Self>),
}

/// One of the names that a key accepts, and the keys that go with it.
#[derive(Clone, Debug)]
pub struct KindKeys {
    /// The name.
    pub name: &'static str,
    /// Its meaning.
    pub help: &'static str,
    /// The keys that only it has.
    pub keys: Vec<Key>,
}

/// What a number with a unit measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// A time in ns, from the first number to the second.
    Time(u64, u64),
    /// A rate in bit/s; 0 where an outage may be written.
    Rate {
        /// Whether 0 is accepted.
        or_outage: bool,
    },
    /// A size in bytes, from the first number to the second.
    Size(u64, u64),
    /// A size in bytes or packets.
    Payload,
    /// A frequency from 1 Hz to 1 MHz.
    Frequency,
    /// A number of packets.
    Packets,
    /// A size of a queue: packets, bytes, time, or multiples of the BDP.
    Buffer,
}
