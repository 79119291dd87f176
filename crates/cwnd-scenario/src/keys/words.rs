// SPDX-License-Identifier: MIT OR Apache-2.0
//! Forms of values in words, for documentation and error messages.

use super::{Form, Quantity};
use crate::invalid::nearest;
use crate::units::{MAX_TIME, write_size, write_time};
use serde_json::Value;
use std::borrow::Cow;

/// From this on, the upper bound of a whole number is not worth a word.
const LARGE: u64 = 1 << 30;

/// Names with commas between them, and `or` before the last.
pub(crate) fn listed(names: &[&str], or: &str) -> String {
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{}{or}{last}", rest.join(", ")),
        _ => names.concat(),
    }
}

/// A form in words; `unit` is that of a plain number.
pub(crate) fn words(form: &Form, unit: &str) -> String {
    match form {
        Form::Flag => "flag".into(),
        Form::Whole { min, max } => {
            let what = if unit.is_empty() { "whole number" } else { unit };
            match *max {
                LARGE.. if *min == 0 => what.into(),
                LARGE.. => format!("{what}, {min} or more"),
                max => format!("{what}, {min} to {max}"),
            }
        }
        Form::Decimal { min, max, .. } if *min < 1e-12 => {
            if *min > 0.0 {
                format!("number above 0, at most {max}")
            } else {
                format!("number, 0 to {max}")
            }
        }
        Form::Decimal { min, max, .. } => format!("number, {min} to {max}"),
        Form::Text { max, .. } if *max < LARGE => format!("string of up to {max} characters"),
        Form::Text { .. } => "string".into(),
        Form::Choice(names) => {
            names.iter().map(|name| format!("`\"{name}\"`")).collect::<Vec<_>>().join(", ")
        }
        Form::Quantity(quantity) => quantity_in_words(*quantity),
        Form::Syntax { what, .. } => (*what).into(),
        Form::List { item, .. } => match words(item, "").as_str() {
            "table" => "list of tables".into(),
            "string" => "list of strings".into(),
            item => format!("list of {item}"),
        },
        Form::Tuple(items) => {
            format!("[{}]", items.iter().map(|item| words(item, "")).collect::<Vec<_>>().join(", "))
        }
        Form::Named("times") => "time or distribution".into(),
        Form::Named("sizes") => "size, packets or distribution".into(),
        Form::Named("counts") => "number or distribution".into(),
        Form::Table(_) | Form::ByKind { .. } | Form::Named(_) => "table".into(),
        Form::Either(forms) => {
            let mut all: Vec<String> = forms.iter().map(|form| words(form, unit)).collect();
            all.dedup();
            all.join(" or ")
        }
    }
}

fn quantity_in_words(quantity: Quantity) -> String {
    match quantity {
        Quantity::Time(0, MAX_TIME) => "time".into(),
        Quantity::Time(0, max) => format!("time up to {}", write_time(max)),
        Quantity::Time(..) => "time above 0".into(),
        Quantity::Rate { or_outage: false } => "rate".into(),
        Quantity::Rate { or_outage: true } => "rate or `\"0bit/s\"`".into(),
        Quantity::Size(0, u64::MAX) => "size".into(),
        Quantity::Size(min, max) => format!("size, {} to {}", write_size(min), write_size(max)),
        Quantity::Payload => "size or packets".into(),
        Quantity::Frequency => "frequency, 1Hz to 1MHz".into(),
        Quantity::Packets => "`\"4packets\"`".into(),
        Quantity::Buffer => "packets, size, time or multiple of the BDP".into(),
    }
}

/// What is expected in place of `written`; where that is to be a name, with the nearest ones.
pub(super) fn with_nearest<'a>(expected: Cow<'a, str>, form: &Form, written: Option<&Value>) -> Cow<'a, str> {
    let (Form::Choice(names), Some(Value::String(name))) = (form, written) else { return expected };
    let near = nearest(name, names.iter().copied());
    if near.is_empty() {
        expected
    } else {
        format!("{expected} (did you mean {}?)", near.join(" or ")).into()
    }
}
