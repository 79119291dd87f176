// SPDX-License-Identifier: MIT OR Apache-2.0
//! Measured distributions: points of a cumulative distribution function, from a file or listed.
//!
//! A file has a line per point: the value and the probability of at most that value, separated by a comma, a tab or spaces. Of three
//! columns the second is ignored (ns-2's random variables, pFabric: value, count, probability). Values and probabilities do not decrease.
//! The last probability is 1, or 100 in a file of per cent (HPCC's WebSearch, FbHdp, AliStorage, GoogleRPC). Empty lines, comments after
//! `#` and a first line of column names are ignored. The caller hands the file in. A printed scenario has the points instead of the path, so that it means the
//! same elsewhere.

use super::unit::Unit;
use crate::files::{self, Files};
use crate::invalid::{Invalid, TableReader, shown};
use crate::keys::{Absent, Form, Key};
use crate::units::{decimal, rounded};
use cwnd_traffic::{CERTAIN, Cdf, CdfError, CdfPoints, Interpolation};
use serde_json::{Value, json};

/// Its name as a kind of distribution.
pub(crate) const NAME: &str = "empirical";
/// Its definition, in a line.
pub(crate) const HELP: &str =
    "points of a cumulative distribution, connected by straight lines or, with steps, only the points";

/// Its keys, where values have the form `value`.
pub(crate) fn keys(value: &Form) -> Vec<Key> {
    let point = Form::Tuple(vec![value.clone(), Form::Decimal { min: 0.0, max: 1.0, text: true }]);
    let text = || Form::Text { min: 1, max: u64::MAX };
    let key =
        |name, form, help| Key { name, form, absent: Absent::Words("none"), unit: "", help, source: "" };
    vec![
        key(
            "file",
            text(),
            "the path of a file of points: value and cumulative probability, up to 1 or, in per cent, 100; with three columns, the first and the last",
        ),
        key("unit", text(), "the unit of the file's values"),
        key("points", Form::List { item: Box::new(point), min: 1 }, "points instead of a file"),
        key("steps", Form::Flag, "whether only the points are drawn"),
    ]
}

/// Max number of points.
const MAX_POINTS: usize = 65_536;

/// A line of a file with its number, from 1.
type Row<'t> = (usize, &'t str, Vec<&'t str>);

/// The lines of a file that are points.
fn rows(text: &str) -> impl Iterator<Item = Row<'_>> {
    let mut first = true;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            return None;
        }
        let columns: Vec<&str> =
            line.split(|c: char| c == ',' || c.is_whitespace()).filter(|part| !part.is_empty()).collect();
        let names = std::mem::take(&mut first)
            && columns.iter().all(|name| name.starts_with(|c: char| c.is_alphabetic() || c == '"'));
        (!names).then_some((index + 1, line, columns))
    })
}

/// Reads a file's text. `read` reads a value in the field's unit; an error names `field` and the line.
pub(crate) fn from_text(
    field: &str,
    text: &str,
    interpolation: Interpolation,
    read: impl Fn(&str) -> Option<u64>,
) -> Result<Cdf, Invalid> {
    let mut points = CdfPoints::default();
    let last = rows(text).last().and_then(|(_, _, columns)| columns.last().copied());
    let is_per_cent = last.and_then(|last| decimal(last, 1)) == Some(100);
    let one = if is_per_cent { CERTAIN / 100 } else { CERTAIN };
    for (number, line, columns) in rows(text) {
        let refuse = |expected: String| {
            let at = format!("{field}, line {number}");
            Err(Invalid { field: at, value: Some(format!("\"{line}\"")), expected })
        };
        let ([value, probability] | [value, _, probability]) = columns[..] else {
            return refuse(
                "two columns: a value and its cumulative probability (or three: value, count, probability)"
                    .into(),
            );
        };
        let (Some(value), Some(probability)) = (read(value), rounded(probability, one)) else {
            return refuse("a value of 0 or more and a probability from 0 to 1, as plain decimals".into());
        };
        if let Err(error) = points.push(value, probability) {
            return refuse(expected_point(error).into());
        }
        if points.len() > MAX_POINTS {
            return refuse(format!("at most {MAX_POINTS} points"));
        }
    }
    finish(field, points, interpolation)
}

/// Reads `file` and `unit`, or `points`, and `steps`.
pub(crate) fn parse(table: &mut TableReader<'_>, unit: Unit, files: Files<'_>) -> Result<Cdf, Invalid> {
    let steps = table.read("steps", "true or false", Value::as_bool)?.unwrap_or(false);
    let interpolation = if steps { Interpolation::Steps } else { Interpolation::Linear };
    let file = table.text("file", "the path of a file", |_| true)?;
    let listed = table.get("points");
    match (file, listed) {
        (Some(path), None) => from_file(table, (&path, files), unit, interpolation),
        (None, Some(value)) => from_list(&table.field("points"), value, unit, interpolation),
        (_, Some(value)) => table.refuse("points", Some(value), "either file or points, not both"),
        (None, None) => {
            table.refuse("file", None, "the path of a file, or points = [[value, probability], ...]")
        }
    }
}

fn from_file(
    table: &mut TableReader<'_>,
    (path, files): (&str, Files<'_>),
    unit: Unit,
    interpolation: Interpolation,
) -> Result<Cdf, Invalid> {
    let names: &[&str] = match unit {
        Unit::Time => &["ns", "us", "ms", "s", "min"],
        Unit::Size { .. } => &["B", "kB", "MB", "GB", "packets"],
        Unit::Count => &[],
    };
    let name = if names.is_empty() {
        String::new()
    } else {
        table.required("unit", &format!("the unit of the file's values: {}", names.join(", ")), |v| {
            v.as_str().filter(|name| names.contains(name)).map(str::to_owned)
        })?
    };
    let field = table.field("file");
    let text = files::read(files, &field, path)?;
    from_text(&field, &text, interpolation, |value| {
        if unit == Unit::Count { decimal(value, 1) } else { unit.read(&json!(format!("{value}{name}"))) }
    })
}

fn from_list(field: &str, value: &Value, unit: Unit, interpolation: Interpolation) -> Result<Cdf, Invalid> {
    let expected = format!("[[{}, probability], ...]", unit.expected());
    let refuse = |value: &Value, expected: String| Invalid {
        field: field.to_owned(),
        value: Some(shown(value)),
        expected,
    };
    let list = value.as_array().ok_or_else(|| refuse(value, expected.clone()))?;
    let mut points = CdfPoints::default();
    for item in list {
        let pair = match item.as_array().map(Vec::as_slice) {
            Some([value, Value::Number(p)]) => {
                unit.read(value).zip(p.as_f64().and_then(|p| decimal(&format!("{p:.15}"), CERTAIN)))
            }
            // Probabilities with more digits than an `f64` has are written as text.
            Some([value, Value::String(p)]) => unit.read(value).zip(decimal(p, CERTAIN)),
            _ => None,
        };
        let (value, probability) = pair.ok_or_else(|| refuse(item, expected.clone()))?;
        points.push(value, probability).map_err(|error| refuse(item, expected_point(error).into()))?;
    }
    finish(field, points, interpolation)
}

/// As a scenario writes it.
pub(crate) fn print(cdf: &Cdf, unit: Unit) -> Value {
    let points: Vec<Value> = cdf
        .points()
        .iter()
        .map(|(value, probability)| {
            let text = format!("{}.{:015}", probability / CERTAIN, probability % CERTAIN);
            json!([unit.write(*value), text.trim_end_matches('0').trim_end_matches('.')])
        })
        .collect();
    json!({ "kind": NAME, "steps": cdf.interpolation() == Interpolation::Steps, "points": points })
}

/// What is expected of a point that cannot follow.
const fn expected_point(error: CdfError) -> &'static str {
    match error {
        CdfError::AboveOne => "a probability of at most 1",
        CdfError::Falls | CdfError::Empty | CdfError::EndsAt(_) => {
            "values and probabilities that do not decrease"
        }
    }
}

/// All points of a field.
fn finish(field: &str, points: CdfPoints, interpolation: Interpolation) -> Result<Cdf, Invalid> {
    points.finish(interpolation).map_err(|error| {
        let (value, expected) = match error {
            CdfError::EndsAt(last) => (
                Some(format!("a last probability of {}", last as f64 / CERTAIN as f64)),
                "a last probability of 1 (of 100 in a file of per cent)",
            ),
            _ => (None, "at least one point"),
        };
        Invalid { field: field.to_owned(), value, expected: expected.into() }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<(u64, u64)>, Invalid> {
        from_text("size.file", text, Interpolation::Linear, |value| decimal(value, 1))
            .map(|cdf| cdf.points().to_vec())
    }

    #[test]
    fn columns_comments_and_names_are_understood() {
        let expected = Ok(vec![(100, 0), (1_000, CERTAIN / 2), (10_000, CERTAIN)]);
        assert_eq!(read("100 0\n1000 0.5\n10000 1\n"), expected);
        assert_eq!(read("size,probability\n100,0\n1000,0.5 # the median\n\n10000,1.0"), expected);
        assert_eq!(read("# bytes\tpart\n100\t0\n1000\t0.5\n10000\t1"), expected);
        // Per cent, and three columns of which the second is a count.
        assert_eq!(read("100 0\n1000 50\n10000 100\n"), expected);
        assert_eq!(read("100,0.0\n1000,50.0\n10000,100.0\n"), expected);
        assert_eq!(read("100 1 0\n1000 1 0.5\n10000 1 1\n"), expected);
        assert_eq!(read("100 1 0\n1000 1 50\n10000 1 100\n"), expected);
        // 6.48826 % of 10¹⁵ are 64 882 600 000 000.
        assert_eq!(read("3 6.48826\n9 100\n"), Ok(vec![(3, 64_882_600_000_000), (9, CERTAIN)]));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let cases = [
            ("100 0\n90 1\n", "size.file, line 2: \"90 1\"", "do not decrease"),
            ("100 0.5\n200 0.4\n", "line 2", "do not decrease"),
            ("100 0.5\n200 1.5\n", "line 2", "at most 1"),
            ("100 0\n200\n", "line 2: \"200\"", "two columns"),
            ("100 0\n-3 1\n", "line 2: \"-3 1\"", "0 or more"),
            ("100 0\n200 50\n300 101\n", "line 2", "at most 1"),
            ("100 50\n200 40\n300 100\n", "line 2", "do not decrease"),
            ("100 0 1 1\n", "line 1", "or three"),
            ("100 0\nx y\n", "line 2: \"x y\"", "plain decimals"),
            ("100 0\n200 0.99\n", "a last probability of 0.99", "a last probability of 1"),
            ("", "size.file: missing", "at least one point"),
            ("size probability\n", "size.file: missing", "at least one point"),
        ];
        for (text, subject, expected) in cases {
            let message = read(text).expect_err(text).to_string();
            assert!(message.contains(subject) && message.contains(expected), "{text:?}: {message}");
        }
    }
}
