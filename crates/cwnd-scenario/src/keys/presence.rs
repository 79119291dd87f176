// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether a key must be written, and what holds where it is not.

use super::{Absent, Form, Parsed, RowFormat, Scope, ValueFormat};
use crate::invalid::TableReader;
use serde_json::Value;

/// Methods of a [`RowFormat`] that are those of the format that it wraps, its first field.
macro_rules! as_wrapped {
    ($($method:ident)+) => { $(as_wrapped!(@$method);)+ };
    (@parse) => {
        fn parse(&self, table: &mut TableReader<'_>, key: &'static str, scope: &Scope<'_>) -> Parsed<Self::Value> {
            RowFormat::parse(&self.0, table, key, scope)
        }
    };
    (@print) => {
        fn print(&self, value: &Self::Value) -> Option<Value> {
            RowFormat::print(&self.0, value)
        }
    };
    (@form) => {
        fn form(&self) -> Form {
            RowFormat::form(&self.0)
        }
    };
}

/// A key that may be left out, and what then holds, in words.
pub(crate) struct Optional<K>(pub K, pub &'static str);

impl<K: RowFormat> RowFormat for Optional<K> {
    type Value = Option<K::Value>;

    fn parse(
        &self,
        table: &mut TableReader<'_>,
        key: &'static str,
        scope: &Scope<'_>,
    ) -> Parsed<Self::Value> {
        Ok(self.0.parse(table, key, scope)?.map(Some))
    }

    fn print(&self, value: &Self::Value) -> Option<Value> {
        value.as_ref().and_then(|value| self.0.print(value))
    }

    fn absent(&self, _: &Self::Value) -> Absent {
        Absent::Words(self.1)
    }

    as_wrapped!(form);
}

/// A key that may be left out; its default depends on other keys and is described in words.
pub(crate) struct OptionalDescribed<K>(pub K, pub &'static str);

impl<K: RowFormat> RowFormat for OptionalDescribed<K> {
    type Value = K::Value;

    fn absent(&self, _: &Self::Value) -> Absent {
        Absent::Words(self.1)
    }

    as_wrapped!(parse print form);
}

/// A key that must be written.
pub(crate) struct Required<K>(pub K);

impl<K: ValueFormat> RowFormat for Required<K> {
    type Value = K::Value;

    fn parse(
        &self,
        table: &mut TableReader<'_>,
        key: &'static str,
        scope: &Scope<'_>,
    ) -> Parsed<Self::Value> {
        match RowFormat::parse(&self.0, table, key, scope)? {
            Some(value) => Ok(Some(value)),
            None => table.refuse(key, None, self.0.expected(scope)),
        }
    }

    fn absent(&self, _: &Self::Value) -> Absent {
        Absent::Required
    }

    as_wrapped!(print form);
}
