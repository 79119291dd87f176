// SPDX-License-Identifier: MIT OR Apache-2.0
//! The keys of a distribution: its kind, and the kind's parameters, whose rows `cwnd-traffic` has. A bare quantity is a constant.

use super::{Absent, Form, Key, KindKeys};
use crate::files::Files;
use crate::invalid::{Invalid, TableReader};
use crate::traffic::cdf;
use crate::traffic::unit::Unit;
use cwnd_traffic::{
    Bounds, Distribution, DistributionKind, ONE, Parameter, ParameterKind, ParameterValue, Scale,
};
use serde_json::{Map, Value, json};

/// Least part of a distribution between its bounds: of a smaller one the mean is lost in rounding.
const LEAST_PART: f64 = 1e-9;

/// A decimal of `min..=max` millionths. The quotient of two whole numbers is the `f64` that their decimal reads as,
/// so a value between two millionths is refused.
fn millionths(value: &Value, min: u64, max: u64) -> Option<u64> {
    let value = value.as_f64().filter(|v| (0.0..1e9).contains(v))?;
    let whole = (value * ONE as f64).round();
    Some(whole as u64).filter(|n| whole / ONE as f64 == value && (min..=max).contains(n))
}

/// `value` in millionths as a decimal.
fn show(value: u64) -> String {
    let text = format!("{}.{:06}", value / ONE, value % ONE);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The same as the number that reads back to it.
pub(crate) fn show_millionths(value: u64) -> Value {
    if value.is_multiple_of(ONE) { json!(value / ONE) } else { json!(value as f64 / ONE as f64) }
}

/// A decimal key with its range.
pub(crate) fn read_millionths(
    table: &mut TableReader<'_>,
    key: &'static str,
    min: u64,
    max: u64,
) -> Result<Option<u64>, Invalid> {
    let expected = format!("a number from {} to {} with at most six decimals", show(min), show(max));
    table.read(key, &expected, |v| millionths(v, min, max))
}

/// Numbers from `min` to `max` millionths, as data.
pub(crate) fn millionths_form(min: u64, max: u64) -> Form {
    Form::Decimal { min: min as f64 / ONE as f64, max: max as f64 / ONE as f64, text: false }
}

/// Reads a distribution, or a bare quantity.
pub(crate) fn parse(
    path: &str,
    value: &Value,
    unit: Unit,
    files: Files<'_>,
) -> Result<Distribution, Invalid> {
    if !value.is_object() {
        let expected = format!(
            "{}, or a distribution such as {{ kind = \"exponential\", mean = ... }}",
            unit.expected()
        );
        return match unit.read(value) {
            Some(constant) => Ok(Distribution::Constant(constant)),
            None => Err(Invalid { field: path.into(), value: Some(crate::invalid::shown(value)), expected }),
        };
    }
    let mut table = TableReader::new(path, value)?;
    let names: Vec<_> = DistributionKind::ALL.iter().map(|kind| kind.name()).chain([cdf::NAME]).collect();
    let expected = format!("one of {}", names.join(", "));
    let named = |value: &Value| names.iter().copied().find(|name| value == name);
    let name = table.required_name("kind", &expected, &names, named)?;
    let read = match DistributionKind::ALL.iter().find(|kind| kind.name() == name) {
        Some(kind) => kind.with(&parse_parameters(*kind, &mut table, unit)?),
        None => Distribution::Empirical(cdf::parse(&mut table, unit, files)?),
    };
    table.finish()?;
    if read.part_between_bounds() < LEAST_PART {
        let expected = "bounds with at least a billionth of the distribution between them";
        let bound = if table.get("at_most").is_some() { "at_most" } else { "at_least" };
        let value = table.get(bound);
        return table.refuse(bound, value, expected);
    }
    Ok(read)
}

/// Reads the parameters in the order of their rows.
fn parse_parameters(
    kind: DistributionKind,
    table: &mut TableReader<'_>,
    unit: Unit,
) -> Result<Vec<ParameterValue>, Invalid> {
    let mut values = Vec::new();
    for row in kind.parameters() {
        let row = ParameterRow { row, kind, before: &values, unit };
        let value = row.parse(table)?;
        values.push(value);
    }
    Ok(values)
}

/// The row of a parameter that is being read.
struct ParameterRow<'a> {
    row: &'static Parameter,
    kind: DistributionKind,
    /// The values of the rows before.
    before: &'a [ParameterValue],
    unit: Unit,
}

impl ParameterRow<'_> {
    fn parse(&self, table: &mut TableReader<'_>) -> Result<ParameterValue, Invalid> {
        let (key, unit) = (self.row.name, self.unit);
        let is_above = |bound: u64| move |value: &Value| unit.read(value).filter(|n| *n > bound);
        match self.row.kind {
            ParameterKind::Number(min, max) => match read_millionths(table, key, min, max)? {
                Some(number) => Ok(ParameterValue::Number(number)),
                None => table.refuse(key, None, self.row.help),
            },
            ParameterKind::Value => {
                let value = table.required(key, unit.expected(), |v| unit.read(v))?;
                Ok(ParameterValue::Number(value))
            }
            ParameterKind::NotBelow(lower) => {
                let expected = format!("{}, not below {lower}", unit.expected());
                let from = self.number(lower);
                let value =
                    table.required(key, &expected, |v| unit.read(v).filter(|value| *value >= from))?;
                Ok(ParameterValue::Number(value))
            }
            ParameterKind::Positive => {
                let value = table.required(key, &positive(unit), is_above(0))?;
                Ok(ParameterValue::Number(value))
            }
            ParameterKind::Above(lower) => {
                let expected = format!("{}, above {lower}", unit.expected());
                let value = table.required(key, &expected, is_above(self.number(lower)))?;
                Ok(ParameterValue::Number(value))
            }
            ParameterKind::OptionalAbove(lower) => {
                let expected = format!("{}, above {lower}", unit.expected());
                table.read(key, &expected, is_above(self.number(lower))).map(ParameterValue::Optional)
            }
            ParameterKind::Mean => match table.read(key, &positive(unit), is_above(0))? {
                Some(mean) => Ok(ParameterValue::Number(mean)),
                None => table.refuse(key, None, self.row.help),
            },
            ParameterKind::Scale(shape) => self.parse_scale(table, shape).map(ParameterValue::Scale),
            ParameterKind::Bounds => {
                let low = format!("{}, at most {}", unit.expected(), unit.write(self.middle()));
                let at_least =
                    table.read("at_least", &low, |v| unit.read(v).filter(|n| *n <= self.middle()))?;
                let at_most = self.parse_at_most(table)?;
                Ok(ParameterValue::Bounds(Bounds { at_least, at_most }))
            }
            ParameterKind::UpperBound(no_at_least) => {
                table.read("at_least", no_at_least, |_| None::<u64>)?;
                self.parse_at_most(table).map(ParameterValue::Optional)
            }
        }
    }

    /// The mean, or the scale parameter.
    fn parse_scale(
        &self,
        table: &mut TableReader<'_>,
        shape: Option<&'static str>,
    ) -> Result<Scale, Invalid> {
        let (key, unit, kind) = (self.row.name, self.unit, self.kind.name());
        let above_0 = |value: &Value| unit.read(value).filter(|n| *n > 0);
        let mean = table.read("mean", &positive(unit), above_0)?;
        let scale = match (mean, table.read(key, &positive(unit), above_0)?) {
            (Some(mean), None) => Scale::Mean(mean),
            (None, Some(parameter)) => Scale::Parameter(parameter),
            (Some(_), Some(value)) => {
                return table.refuse(
                    key,
                    Some(&unit.write(value)),
                    format!("either mean or {key}, not both"),
                );
            }
            (None, None) => {
                table.check_spelling(key)?;
                return table.refuse("mean", None, format!("the mean of {kind}, or its {key}"));
            }
        };
        match shape.map(|shape| (shape, self.number(shape))) {
            Some((name, shape)) if shape <= ONE && mean.is_some() => {
                let expected = format!("above 1 with a mean (a shape of 1 or less has none: give {key})");
                table.refuse(name, Some(&show_millionths(shape)), expected)
            }
            _ => Ok(scale),
        }
    }

    fn parse_at_most(&self, table: &mut TableReader<'_>) -> Result<Option<u64>, Invalid> {
        let high = format!("{}, above {}", self.unit.expected(), self.unit.write(self.middle()));
        table.read("at_most", &high, |v| self.unit.read(v).filter(|n| *n > self.middle()))
    }

    /// The value of the parameter called `name`, which has a row before this one.
    fn number(&self, name: &str) -> u64 {
        let rows = self.kind.parameters().iter().zip(self.before);
        let value = rows.filter(|(row, _)| row.name == name).find_map(|(_, value)| match value {
            ParameterValue::Number(number) => Some(*number),
            _ => None,
        });
        value.unwrap_or(0)
    }

    /// A value near the middle: the mean or the scale.
    fn middle(&self) -> u64 {
        let scale = self.before.iter().find_map(|value| match value {
            ParameterValue::Scale(Scale::Mean(middle) | Scale::Parameter(middle)) => Some(*middle),
            _ => None,
        });
        scale.unwrap_or_else(|| self.number("mean"))
    }
}

fn positive(unit: Unit) -> String {
    format!("{}, above 0", unit.expected())
}

/// As a scenario writes it.
pub(crate) fn print(distribution: &Distribution, unit: Unit) -> Value {
    let Some((kind, values)) = distribution.parameters() else {
        return match distribution {
            Distribution::Constant(value) => unit.write(*value),
            Distribution::Empirical(cdf) => cdf::print(cdf, unit),
            _ => Value::Null,
        };
    };
    let mut map = Map::from_iter([("kind".to_owned(), json!(kind.name()))]);
    let mut put = |key: &str, value: Value| map.insert(key.to_owned(), value);
    for (row, value) in kind.parameters().iter().zip(values) {
        match value {
            ParameterValue::Number(number) if matches!(row.kind, ParameterKind::Number(..)) => {
                put(row.name, show_millionths(number));
            }
            ParameterValue::Number(value) => {
                put(row.name, unit.write(value));
            }
            ParameterValue::Optional(value) => {
                value.map(|value| put(row.name, unit.write(value)));
            }
            ParameterValue::Scale(Scale::Mean(mean)) => {
                put("mean", unit.write(mean));
            }
            ParameterValue::Scale(Scale::Parameter(parameter)) => {
                put(row.name, unit.write(parameter));
            }
            ParameterValue::Bounds(Bounds { at_least, at_most }) => {
                at_least.map(|bound| put("at_least", unit.write(bound)));
                at_most.map(|bound| put("at_most", unit.write(bound)));
            }
        }
    }
    Value::Object(map)
}

/// A distribution of values of the form `value`: one of them, or a table.
pub(crate) fn form(value: &Form) -> Form {
    let kinds = DistributionKind::ALL.iter().map(|kind| KindKeys {
        name: kind.name(),
        help: kind.help(),
        keys: kind.parameters().iter().flat_map(|row| keys(row, value)).collect(),
    });
    let empirical = KindKeys { name: cdf::NAME, help: cdf::HELP, keys: cdf::keys(value) };
    let kinds = kinds.chain([empirical]).collect();
    Form::Either(vec![value.clone(), Form::ByKind { key: "kind", kinds, common: Vec::new() }])
}

/// The keys of a row of parameters, where values have the form `value`.
fn keys(row: &Parameter, value: &Form) -> Vec<Key> {
    let key = |name, absent, help| Key { name, form: value.clone(), absent, unit: "", help, source: "" };
    let at_most = || key("at_most", Absent::Words("none"), "upper bound of the values");
    match row.kind {
        ParameterKind::Number(min, max) => {
            vec![Key { form: millionths_form(min, max), ..key(row.name, Absent::Required, row.help) }]
        }
        ParameterKind::Scale(_) => vec![
            key("mean", Absent::Words("this or the scale"), "the mean without bounds"),
            key(row.name, Absent::Words("this or `mean`"), row.help),
        ],
        ParameterKind::Bounds => {
            vec![key("at_least", Absent::Words("none"), "lower bound of the values"), at_most()]
        }
        ParameterKind::UpperBound(_) => vec![at_most()],
        ParameterKind::OptionalAbove(_) => vec![key(row.name, Absent::Words("none"), row.help)],
        ParameterKind::Value
        | ParameterKind::NotBelow(_)
        | ParameterKind::Positive
        | ParameterKind::Above(_)
        | ParameterKind::Mean => vec![key(row.name, Absent::Required, row.help)],
    }
}
