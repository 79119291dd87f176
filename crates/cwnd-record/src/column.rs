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

    /// The column, left out of a summary's document.
    #[must_use]
    pub const fn table_only(self) -> Self {
        Self { table_only: true, ..self }
    }

    /// The column, in tables of these lanes only.
    #[must_use]
    pub const fn only(self, lanes: &'static [Lane]) -> Self {
        Self { only: Some(lanes), ..self }
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

/// Declares a table: the struct of its rows and the list of its columns. A column is one row here, in one of three forms:
///
/// ```text
/// Count packets: u64, "packets", "packets that left";                                     the value is the field `packets`
/// Number time_s = |time_ns: u64| seconds(time_ns), "s", "time of the sample";             the value is computed from the field `time_ns`
/// Count drops = |row| row.measured.drops.total(), "packets", "packets that were dropped"; the value is computed from the row; no field
/// ```
///
/// That is: a variant of [`Read`], the name, where the value is from, the unit, and the meaning, which is also the field's comment.
/// [`Column::table_only`] or [`Column::only`] may follow (`, table_only();`). `Text` and `Indices` borrow the field.
/// The braces of the struct contain the fields without a column of their own.
/// `..by_cause(…);` inserts a list of columns. `_, _` takes unit and meaning from the macro `of_connection`.
macro_rules! columns {
    (
        $(#[$about:meta])* pub struct $row:ident { $($more_fields:tt)* }
        $(#[$list_about:meta])* pub static $list:ident;
        $(
            $read:ident $name:ident $(: $type:ty)? $(= |$source:ident $(: $source_type:ty)?| $value:expr)?,
                $unit:tt, $doc:tt $(, $method:ident($($argument:expr)?))?;
            $(..$more_columns:expr;)*
        )+
    ) => {
        $(#[$about])*
        pub struct $row {
            $(
                $(#[doc = $crate::column::columns!(@comment $name $unit $doc)] pub $name: $type,)?
                $($(#[doc = $crate::column::columns!(@doc $name $doc)] pub $source: $source_type,)?)?
            )+
            $($more_fields)*
        }

        $(#[$list_about])*
        pub static $list: std::sync::LazyLock<Vec<$crate::Column<$row>>> = std::sync::LazyLock::new(|| {
            let parts: Vec<Vec<$crate::Column<$row>>> = vec![$(
                vec![$crate::Column::<$row>::new(
                    stringify!($name),
                    $crate::column::columns!(@unit $name $unit),
                    $crate::column::columns!(@doc $name $doc),
                    $crate::column::columns!(@read $read $name $(: $type)? $(= |$source $(: $source_type)?| $value)?),
                )$(.$method($($argument)?))?],
                $($more_columns,)*
            )+];
            parts.into_iter().flatten().collect()
        });
    };
    (@comment $name:ident _ _) => { of_connection!($name doc) };
    (@comment $name:ident "" $doc:tt) => { $doc };
    (@comment $name:ident "1" $doc:tt) => { $doc };
    (@comment $name:ident $unit:tt $doc:tt) => { concat!($doc, " (", $unit, ")") };
    (@unit $name:ident _) => { of_connection!($name unit) };
    (@unit $name:ident $unit:tt) => { $unit };
    (@doc $name:ident _) => { of_connection!($name doc) };
    (@doc $name:ident $doc:tt) => { $doc };
    (@read $read:ident $name:ident: $type:ty) => {
        $crate::Read::$read(|row| $crate::column::columns!(@field $read row $name))
    };
    (@read $read:ident $name:ident = |$source:ident: $type:ty| $value:expr) => {
        $crate::Read::$read(|row| {
            let $source = $crate::column::columns!(@field $read row $source);
            $value
        })
    };
    (@read $read:ident $name:ident = |$row:ident| $value:expr) => { $crate::Read::$read(|$row| $value) };
    (@field Text $row:ident $name:ident) => { &$row.$name };
    (@field Indices $row:ident $name:ident) => { &$row.$name };
    (@field $read:ident $row:ident $name:ident) => { $row.$name };
}
pub(crate) use columns;
