// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tables of the schema.

use cwnd_scenario::keys::{Form, Key, tables};
use std::sync::LazyLock;

static TABLES: LazyLock<Vec<(&'static str, &'static str, Form)>> = LazyLock::new(tables);

/// The keys of the table of the schema called `name`.
pub(super) fn keys_of(name: &str) -> &'static [Key] {
    match TABLES.iter().find(|(known, ..)| *known == name) {
        Some((.., Form::Table(keys))) => keys,
        _ => &[],
    }
}

/// The alternatives of the table of the schema called `name`.
pub(super) fn alternatives_of(name: &str) -> &'static [Form] {
    match TABLES.iter().find(|(known, ..)| *known == name) {
        Some((.., Form::Either(forms))) => forms,
        _ => &[],
    }
}
