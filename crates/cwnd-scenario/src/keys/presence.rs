// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether a key must be written, and what holds where it is not.

use super::{Absent, Form, RowKind, Scope, ValueKind};
use crate::invalid::{Invalid, KeyTable};
use serde_json::Value;

/// A key that may be left out, and what then holds, in words.
pub(crate) struct Optional<K>(pub K, pub &'static str);

impl<K: RowKind> RowKind for Optional<K> {
    type Value = Option<K::Value>;

    fn parse(
        &self,
        table: &mut KeyTable<'_>,
        key: &'static str,
        scope: &Scope<'_>,
    ) -> Result<Option<Self::Value>, Invalid> {
        Ok(self.0.parse(table, key, scope)?.map(Some))
    }

    fn print(&self, value: &Self::Value) -> Option<Value> {
        value.as_ref().and_then(|value| self.0.print(value))
    }

    fn form(&self) -> Form {
        self.0.form()
    }

    fn absent(&self, _: &Self::Value) -> Absent {
        Absent::Words(self.1)
    }
}

/// A key that may be left out; its default depends on other keys and is described in words.
pub(crate) struct Worded<K>(pub K, pub &'static str);

impl<K: RowKind> RowKind for Worded<K> {
    type Value = K::Value;

    fn parse(
        &self,
        table: &mut KeyTable<'_>,
        key: &'static str,
        scope: &Scope<'_>,
    ) -> Result<Option<Self::Value>, Invalid> {
        self.0.parse(table, key, scope)
    }

    fn print(&self, value: &Self::Value) -> Option<Value> {
        self.0.print(value)
    }

    fn form(&self) -> Form {
        self.0.form()
    }

    fn absent(&self, _: &Self::Value) -> Absent {
        Absent::Words(self.1)
    }
}

/// A key that must be written.
pub(crate) struct Required<K>(pub K);

impl<K: ValueKind> RowKind for Required<K> {
    type Value = K::Value;

    fn parse(
        &self,
        table: &mut KeyTable<'_>,
        key: &'static str,
        scope: &Scope<'_>,
    ) -> Result<Option<Self::Value>, Invalid> {
        match RowKind::parse(&self.0, table, key, scope)? {
            Some(value) => Ok(Some(value)),
            None => table.refuse(key, None, self.0.expected(scope)),
        }
    }

    fn print(&self, value: &Self::Value) -> Option<Value> {
        Some(self.0.write(value))
    }

    fn form(&self) -> Form {
        ValueKind::form(&self.0)
    }

    fn absent(&self, _: &Self::Value) -> Absent {
        Absent::Required
    }
}
