// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a table of keys is made of: how a value and a row are read and written, and the macros that declare tables.

use super::form::{Absent, Form, Key, KindKeys};
use super::lanes::Lanes;
use super::scope::Scope;
use super::words;
use crate::invalid::{Invalid, TableReader};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// How one value is read, written and described.
pub(crate) trait ValueFormat {
    /// What it is read into.
    type Value;

    /// What is expected, for error messages.
    fn expected(&self, scope: &Scope<'_>) -> Cow<'static, str>;

    /// Reads it; `None` where it is not accepted.
    fn read(&self, value: &Value, scope: &Scope<'_>) -> Option<Self::Value>;

    /// Writes it so that it reads back.
    fn write(&self, value: &Self::Value) -> Value;

    /// What is accepted, as data.
    fn form(&self) -> Form;

    /// Whether any text may be accepted, so that a number is no quantity without its unit.
    fn is_free_text(&self) -> bool {
        false
    }
}

/// The value of a row; `None` where its key is not written.
pub(crate) type Parsed<T> = Result<Option<T>, Invalid>;

/// How a row is parsed, printed and described. A [`ValueFormat`] is one; others have several keys, or errors of their own.
pub(crate) trait RowFormat {
    /// The type of the row's field.
    type Value;

    /// Reads the row's key; `None` where it is not written.
    fn parse(&self, table: &mut TableReader<'_>, key: &'static str, scope: &Scope<'_>)
    -> Parsed<Self::Value>;

    /// The value as printed; `None` where the key is left out.
    fn print(&self, value: &Self::Value) -> Option<Value>;

    /// Prints the row into `map`.
    fn print_into(&self, key: &'static str, value: &Self::Value, map: &mut Map<String, Value>) {
        if let Some(value) = self.print(value) {
            map.insert(key.to_owned(), value);
        }
    }

    /// What is accepted, as data.
    fn form(&self) -> Form;

    /// What holds where the key is not written.
    fn absent(&self, default: &Self::Value) -> Absent {
        self.print(default).map_or(Absent::Words("none"), Absent::Value)
    }

    /// The row's keys: one, but for a row of several.
    fn keys(&self, row: Row, default: &Self::Value) -> Vec<Key> {
        vec![row.key(self.form(), self.absent(default))]
    }
}

impl<K: ValueFormat> RowFormat for K {
    type Value = K::Value;

    fn parse(
        &self,
        table: &mut TableReader<'_>,
        key: &'static str,
        scope: &Scope<'_>,
    ) -> Parsed<Self::Value> {
        if self.is_free_text() {
            let Some(value) = table.get(key) else { return Ok(None) };
            return match self.read(value, scope) {
                Some(text) => Ok(Some(text)),
                None => table.refuse(key, Some(value), self.expected(scope)),
            };
        }
        let written = table.get(key);
        let expected = || words::with_nearest(self.expected(scope), &ValueFormat::form(self), written);
        table.read_as(key, expected, |value| self.read(value, scope))
    }

    fn print(&self, value: &Self::Value) -> Option<Value> {
        Some(self.write(value))
    }

    fn form(&self) -> Form {
        ValueFormat::form(self)
    }
}

/// The columns of a row that only describe it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub name: &'static str,
    pub unit: &'static str,
    pub help: &'static str,
    pub source: &'static str,
}

impl Row {
    /// The key that it describes.
    pub fn key(self, form: Form, absent: Absent) -> Key {
        let Self { name, unit, help, source } = self;
        Key { name, form, absent, unit, help, source }
    }
}

/// A struct whose fields are the keys of a table, as [`keys!`] declares it.
pub(crate) trait Keyed: Sized {
    /// What honours each row.
    const LANES: &'static [(&'static str, Lanes)];

    /// Every key at its default.
    fn defaults() -> Self;

    /// Parses the keys in the order of the rows. A key that is not written keeps the value in `self`.
    fn parse_keys(self, table: &mut TableReader<'_>, scope: &Scope<'_>) -> Result<Self, Invalid>;

    /// The keys as printed, in the order of the rows, every default written out.
    fn print_keys(&self) -> Map<String, Value>;

    /// The rows.
    fn keys() -> Vec<Key>;
}

/// The keys of one table, then those of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Concat<A, B>(pub A, pub B);

impl<A: Keyed, B: Keyed> Keyed for Concat<A, B> {
    // No table with the column is joined to another.
    const LANES: &'static [(&'static str, Lanes)] = &[];

    fn defaults() -> Self {
        Self(A::defaults(), B::defaults())
    }

    fn parse_keys(self, table: &mut TableReader<'_>, scope: &Scope<'_>) -> Result<Self, Invalid> {
        Ok(Self(self.0.parse_keys(table, scope)?, self.1.parse_keys(table, scope)?))
    }

    fn print_keys(&self) -> Map<String, Value> {
        let mut map = self.0.print_keys();
        map.extend(self.1.print_keys());
        map
    }

    fn keys() -> Vec<Key> {
        [A::keys(), B::keys()].concat()
    }
}

/// Alternatives that a key selects by name, as [`variants!`] declares them.
pub(crate) trait Variants: Sized {
    /// The names.
    const NAMES: &'static [&'static str];

    /// Its name.
    fn name(&self) -> &'static str;

    /// Parses the keys of the alternative called `name`.
    fn parse_keys(name: &str, table: &mut TableReader<'_>, scope: &Scope<'_>) -> Result<Self, Invalid>;

    /// Its keys as printed, every default written out.
    fn print_keys(&self) -> Map<String, Value>;

    /// The alternatives.
    fn kinds() -> Vec<KindKeys>;

    /// Parses the key `kind`, a name; required.
    fn parse_kind(table: &mut TableReader<'_>) -> Result<&'static str, Invalid> {
        let expected = words::listed(Self::NAMES, " or ");
        let named = |value: &Value| Self::NAMES.iter().copied().find(|name| value == name);
        table.required_name("kind", &expected, Self::NAMES, named)
    }

    /// The key `kind` as printed.
    fn print_kind(&self) -> (String, Value) {
        ("kind".to_owned(), json!(self.name()))
    }
}

/// Declares a table of keys: `name: type = default, format, unit, help, source;` a row, and what honours the key beside the simulator's TCP
/// (`, Lanes::LIVE`) where that matters. The struct has a field per row; fields that are
/// no keys follow in `also`. For a struct of another crate, `impl Keyed for`, a row has no type. A table without a struct, `fn name`, has `name: format, absent, unit, help, source;` a row: keys that are
/// parsed by hand.
macro_rules! keys {
    (
        $(#[$meta:meta])*
        $vis:vis struct $table:ident {
            $($name:ident: $type:ty = $default:expr, $format:expr, $unit:tt, $help:literal, $source:literal $(, $lanes:expr)?;)+
        }
        $(also { $($(#[$more_meta:meta])* $more:ident: $more_type:ty = $more_default:expr;)+ })?
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        $vis struct $table {
            $(#[doc = $crate::keys::keys!(@doc $help, $unit)] pub $name: $type,)+
            $($($(#[$more_meta])* pub $more: $more_type,)+)?
        }

        $crate::keys::keys! {
            impl Keyed for $table { $($name = $default, $format, $unit, $help, $source $(, $lanes)?;)+ }
            also { $($($more = $more_default;)+)? }
        }
    };
    (
        impl Keyed for $table:ident { $($name:ident = $default:expr, $format:expr, $unit:tt, $help:literal, $source:literal $(, $lanes:expr)?;)+ }
        $(also { $($more:ident = $more_default:expr;)* })?
    ) => {
        impl $crate::keys::Keyed for $table {
            const LANES: &'static [(&'static str, $crate::keys::Lanes)] =
                &[$((stringify!($name), $crate::keys::Lanes::SIM$(.and($lanes))?)),+];

            fn defaults() -> Self {
                Self { $($name: $default,)+ $($($more: $more_default,)*)? }
            }

            fn parse_keys(
                mut self,
                table: &mut $crate::invalid::TableReader<'_>,
                scope: &$crate::keys::Scope<'_>,
            ) -> Result<Self, $crate::invalid::Invalid> {
                $(if let Some(value) = $crate::keys::RowFormat::parse(&$format, table, stringify!($name), scope)? {
                    self.$name = value;
                })+
                Ok(self)
            }

            fn print_keys(&self) -> serde_json::Map<String, serde_json::Value> {
                let mut map = serde_json::Map::new();
                $($crate::keys::RowFormat::print_into(&$format, stringify!($name), &self.$name, &mut map);)+
                map
            }

            fn keys() -> Vec<$crate::keys::Key> {
                let default = <Self as $crate::keys::Keyed>::defaults();
                let mut keys = Vec::new();
                $(keys.extend($crate::keys::RowFormat::keys(
                    &$format,
                    $crate::keys::Row { name: stringify!($name), unit: $unit, help: $help, source: $source },
                    &default.$name,
                ));)+
                keys
            }
        }
    };
    (
        $(#[$meta:meta])*
        fn $table:ident {
            $($name:ident: $form:expr, $absent:expr, $unit:literal, $help:literal, $source:literal;)+
        }
    ) => {
        $(#[$meta])*
        pub(crate) fn $table() -> Vec<$crate::keys::Key> {
            vec![$($crate::keys::Row { name: stringify!($name), unit: $unit, help: $help, source: $source }
                .key($form, $absent),)+]
        }
    };
    (@doc $help:literal, "") => { $help };
    (@doc $help:literal, $unit:literal) => { concat!($help, ", ", $unit) };
}
pub(crate) use keys;

/// Declares alternatives that a key selects by name, each with a table of keys: `variant(table) = name, help;` a row. `impl Variants for`
/// does so for an enum of another crate.
macro_rules! variants {
    (
        $(#[$meta:meta])*
        $vis:vis enum $table:ident {
            $($variant:ident $(($keys:ty))? = $name:literal, $help:literal;)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        $vis enum $table {
            $(#[doc = $help] $variant $(($keys))?,)+
        }

        $crate::keys::variants! {
            impl Variants for $table { $($variant $(($keys))? = $name, $help;)+ }
        }
    };
    (
        impl Variants for $table:ident { $($variant:ident $(($keys:ty))? = $name:literal, $help:literal;)+ }
    ) => {
        impl $crate::keys::Variants for $table {
            const NAMES: &'static [&'static str] = &[$($name),+];

            fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => $name,)+
                }
            }

            fn parse_keys(
                name: &str,
                table: &mut $crate::invalid::TableReader<'_>,
                scope: &$crate::keys::Scope<'_>,
            ) -> Result<Self, $crate::invalid::Invalid> {
                $(if name == $name {
                    return Ok(Self::$variant $(($crate::keys::Keyed::parse_keys(
                        <$keys as $crate::keys::Keyed>::defaults(), table, scope
                    )?))?);
                })+
                table.refuse("kind", Some(&serde_json::json!(name)), Self::NAMES.join(", "))
            }

            fn print_keys(&self) -> serde_json::Map<String, serde_json::Value> {
                match self {
                    $($crate::keys::variants!(@pattern $variant keys $($keys)?) =>
                        $crate::keys::variants!(@print keys $($keys)?),)+
                }
            }

            fn kinds() -> Vec<$crate::keys::KindKeys> {
                vec![$($crate::keys::KindKeys {
                    name: $name,
                    help: $help,
                    keys: $crate::keys::variants!(@keys $($keys)?),
                }),+]
            }
        }
    };
    (@pattern $variant:ident $bound:ident) => { Self::$variant };
    (@pattern $variant:ident $bound:ident $keys:ty) => { Self::$variant($bound) };
    (@print $bound:ident) => { serde_json::Map::new() };
    (@print $bound:ident $keys:ty) => { $crate::keys::Keyed::print_keys($bound) };
    (@keys) => { Vec::new() };
    (@keys $keys:ty) => { <$keys as $crate::keys::Keyed>::keys() };
}
pub(crate) use variants;
