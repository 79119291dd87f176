// SPDX-License-Identifier: MIT OR Apache-2.0
//! A column of a table: its name, unit and meaning, and how its value is read off a row.

use crate::Lane;
use cwnd_link::{DropCause, Drops};

/// Private area that Linux gives a module, bytes.
pub const PRIVATE_BYTES: usize = 104;

/// How a column's value is read off a row, and of which type it is.
#[derive(Debug)]
pub enum Read<R> {
    /// Text.
    Text(fn(&R) -> &str),
    /// Text of few values.
    Word(fn(&R) -> &'static str),
    /// A number.
    Number(fn(&R) -> f64),
    /// A number, or nothing.
    MaybeNumber(fn(&R) -> Option<f64>),
    /// A count.
    Count(fn(&R) -> u64),
    /// A count, or nothing.
    MaybeCount(fn(&R) -> Option<u64>),
    /// A count of drops by one cause.
    Dropped(fn(&R) -> &Drops, DropCause),
    /// A number of something, or a count of 32 bits.
    Index(fn(&R) -> u32),
    /// The same, or nothing.
    MaybeIndex(fn(&R) -> Option<u32>),
    /// Numbers of links.
    Indices(fn(&R) -> &[u32]),
    /// A module's private area.
    Bytes(fn(&R) -> &[u8; PRIVATE_BYTES]),
}

/// A column of rows of type `R`.
#[derive(Debug)]
pub struct Column<R> {
    /// Name.
    pub name: &'static str,
    /// Unit; empty for names and numbers of things.
    pub unit: &'static str,
    /// Meaning, in a sentence without its full stop.
    pub doc: &'static str,
    /// Its value.
    pub read: Read<R>,
    /// Whether a summary's document lacks it, because the place in the list says it or only the table needs it.
    pub table_only: bool,
    /// The only lanes that have it; `None`: those that have the table.
    pub only: Option<&'static [Lane]>,
}

/// A column without the type of its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnInfo {
    /// Name.
    pub name: &'static str,
    /// Type, as Arrow calls it.
    pub kind: &'static str,
    /// Whether it can be null.
    pub nullable: bool,
    /// Unit.
    pub unit: &'static str,
    /// Meaning.
    pub doc: &'static str,
    /// Whether a summary's document lacks it.
    pub table_only: bool,
    /// The only lanes that have it; `None`: those that have the table.
    pub only: Option<&'static [Lane]>,
}

/// A value of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// Text.
    Text(&'a str),
    /// A number.
    Number(f64),
    /// A count, or a number of something.
    Count(u64),
    /// Numbers of links.
    Indices(&'a [u32]),
    /// A module's private area.
    Bytes(&'a [u8; PRIVATE_BYTES]),
    /// There is none.
    Nothing,
}

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Values<'a> {
    /// [`Read::Text`].
    Text(Vec<&'a str>),
    /// [`Read::Word`].
    Word(Vec<&'static str>),
    /// [`Read::Number`].
    Number(Vec<f64>),
    /// [`Read::MaybeNumber`].
    MaybeNumber(Vec<Option<f64>>),
    /// [`Read::Count`] and [`Read::Dropped`].
    Count(Vec<u64>),
    /// [`Read::MaybeCount`].
    MaybeCount(Vec<Option<u64>>),
    /// [`Read::Index`].
    Index(Vec<u32>),
    /// [`Read::MaybeIndex`].
    MaybeIndex(Vec<Option<u32>>),
    /// [`Read::Indices`].
    Indices(Vec<&'a [u32]>),
    /// [`Read::Bytes`].
    Bytes(Vec<&'a [u8; PRIVATE_BYTES]>),
}

impl<R> Column<R> {
    /// A column.
    #[must_use]
    pub const fn new(name: &'static str, unit: &'static str, doc: &'static str, read: Read<R>) -> Self {
        Self { name, unit, doc, read, table_only: false, only: None }
    }

    /// A column that a summary's document lacks.
    #[must_use]
    pub const fn table_only(
        name: &'static str,
        unit: &'static str,
        doc: &'static str,
        read: Read<R>,
    ) -> Self {
        Self { name, unit, doc, read, table_only: true, only: None }
    }

    /// A column that only some of the table's lanes have.
    #[must_use]
    pub const fn only(
        lanes: &'static [Lane],
        name: &'static str,
        unit: &'static str,
        doc: &'static str,
        read: Read<R>,
    ) -> Self {
        Self { name, unit, doc, read, table_only: false, only: Some(lanes) }
    }

    /// Whether tables of this lane have it.
    #[must_use]
    pub fn is_of(&self, lane: Lane) -> bool {
        self.only.is_none_or(|only| only.contains(&lane))
    }

    /// What it is, without how it is read.
    #[must_use]
    pub const fn info(&self) -> ColumnInfo {
        let (kind, nullable) = match self.read {
            Read::Text(_) => ("string", false),
            Read::Word(_) => ("dictionary", false),
            Read::Number(_) => ("double", false),
            Read::MaybeNumber(_) => ("double", true),
            Read::Count(_) | Read::Dropped(..) => ("uint64", false),
            Read::MaybeCount(_) => ("uint64", true),
            Read::Index(_) => ("uint32", false),
            Read::MaybeIndex(_) => ("uint32", true),
            Read::Indices(_) => ("list<uint32>", false),
            Read::Bytes(_) => ("fixed_size_binary[104]", false),
        };
        let Self { name, unit, doc, table_only, only, .. } = *self;
        ColumnInfo { name, kind, nullable, unit, doc, table_only, only }
    }

    /// Its value in a row.
    #[must_use]
    pub fn cell<'a>(&self, row: &'a R) -> Cell<'a> {
        match self.read {
            Read::Text(read) => Cell::Text(read(row)),
            Read::Word(read) => Cell::Text(read(row)),
            Read::Number(read) => Cell::Number(read(row)),
            Read::MaybeNumber(read) => read(row).map_or(Cell::Nothing, Cell::Number),
            Read::Count(read) => Cell::Count(read(row)),
            Read::Dropped(read, cause) => Cell::Count(read(row)[cause]),
            Read::MaybeCount(read) => read(row).map_or(Cell::Nothing, Cell::Count),
            Read::Index(read) => Cell::Count(u64::from(read(row))),
            Read::MaybeIndex(read) => {
                read(row).map_or(Cell::Nothing, |number| Cell::Count(u64::from(number)))
            }
            Read::Indices(read) => Cell::Indices(read(row)),
            Read::Bytes(read) => Cell::Bytes(read(row)),
        }
    }

    /// Its values in these rows.
    #[must_use]
    pub fn values<'a>(&self, rows: &'a [R]) -> Values<'a> {
        match self.read {
            Read::Text(read) => Values::Text(rows.iter().map(read).collect()),
            Read::Word(read) => Values::Word(rows.iter().map(read).collect()),
            Read::Number(read) => Values::Number(rows.iter().map(read).collect()),
            Read::MaybeNumber(read) => Values::MaybeNumber(rows.iter().map(read).collect()),
            Read::Count(read) => Values::Count(rows.iter().map(read).collect()),
            Read::Dropped(read, cause) => Values::Count(rows.iter().map(|row| read(row)[cause]).collect()),
            Read::MaybeCount(read) => Values::MaybeCount(rows.iter().map(read).collect()),
            Read::Index(read) => Values::Index(rows.iter().map(read).collect()),
            Read::MaybeIndex(read) => Values::MaybeIndex(rows.iter().map(read).collect()),
            Read::Indices(read) => Values::Indices(rows.iter().map(read).collect()),
            Read::Bytes(read) => Values::Bytes(rows.iter().map(read).collect()),
        }
    }
}
