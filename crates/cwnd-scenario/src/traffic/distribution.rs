// SPDX-License-Identifier: MIT OR Apache-2.0
//! Distributions as a scenario specifies them: a kind, its parameters with their units, bounds. A bare quantity is a constant.

use super::cdf;
use super::kinds::KINDS;
use super::unit::Unit;
use crate::files::Files;
use crate::invalid::{Invalid, KeyTable};
use cwnd_traffic::{BodyTail, Distribution, Family, ONE, Parametric, Scale};
use serde_json::{Map, Value, json};

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
    table: &mut KeyTable<'_>,
    key: &'static str,
    min: u64,
    max: u64,
) -> Result<Option<u64>, Invalid> {
    let expected = format!("a number from {} to {} with at most six decimals", show(min), show(max));
    table.read(key, &expected, |v| millionths(v, min, max))
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
    let mut table = KeyTable::new(path, value)?;
    let names = KINDS.map(|kind| kind.name);
    let kind = table.required("kind", &format!("one of {}", names.join(", ")), |v| {
        names.into_iter().find(|name| v == name)
    })?;
    let read = match kind {
        "uniform" => parse_uniform(&mut table, unit)?,
        "body-tail" => Distribution::BodyTail(parse_body_tail(&mut table, unit)?),
        "empirical" => Distribution::Empirical(cdf::parse(&mut table, unit, files)?),
        name => {
            let family = Family::ALL.into_iter().find(|family| family.name() == name);
            Distribution::Parametric(parse_parametric(
                &mut table,
                family.unwrap_or(Family::Exponential),
                unit,
            )?)
        }
    };
    table.finish()?;
    Ok(read)
}

/// As a scenario writes it.
pub(crate) fn print(distribution: &Distribution, unit: Unit) -> Value {
    match distribution {
        Distribution::Constant(value) => unit.write(*value),
        Distribution::Uniform { min, max } => {
            json!({ "kind": "uniform", "min": unit.write(*min), "max": unit.write(*max) })
        }
        Distribution::Parametric(spec) => print_parametric(spec, unit),
        Distribution::BodyTail(spec) => {
            let mut value = json!({
                "kind": "body-tail",
                "median": unit.write(spec.median),
                "sigma": show_millionths(spec.sigma),
                "tail_from": unit.write(spec.tail_from),
                "tail_shape": show_millionths(spec.tail_shape),
                "tail_share": show_millionths(spec.tail_share),
            });
            if let Some(most) = spec.at_most {
                value["at_most"] = unit.write(most);
            }
            value
        }
        Distribution::Empirical(cdf) => cdf::print(cdf, unit),
    }
}

fn print_parametric(spec: &Parametric, unit: Unit) -> Value {
    let mut map = Map::new();
    map.insert("kind".into(), json!(spec.family.name()));
    if let Some((key, ..)) = spec.family.shape() {
        map.insert(key.into(), show_millionths(spec.shape));
    }
    match spec.scale {
        Scale::Mean(mean) => map.insert("mean".into(), unit.write(mean)),
        Scale::Parameter(parameter) => {
            map.insert(spec.family.scale_key().unwrap_or("mean").into(), unit.write(parameter))
        }
    };
    for (key, bound) in [("at_least", spec.at_least), ("at_most", spec.at_most)] {
        if let Some(bound) = bound {
            map.insert(key.into(), unit.write(bound));
        }
    }
    Value::Object(map)
}

/// A quantity above zero.
fn positive(table: &mut KeyTable<'_>, key: &'static str, unit: Unit) -> Result<Option<u64>, Invalid> {
    table.read(key, &format!("{}, above 0", unit.expected()), |v| unit.read(v).filter(|n| *n > 0))
}

fn required(table: &mut KeyTable<'_>, key: &'static str, unit: Unit) -> Result<u64, Invalid> {
    match positive(table, key, unit)? {
        Some(value) => Ok(value),
        None => table.refuse(key, None, format!("{}, above 0", unit.expected())),
    }
}

fn parse_uniform(table: &mut KeyTable<'_>, unit: Unit) -> Result<Distribution, Invalid> {
    let min = table.required("min", unit.expected(), |v| unit.read(v))?;
    let expected = format!("{}, not below min", unit.expected());
    let max = table.required("max", &expected, |v| unit.read(v).filter(|max| *max >= min))?;
    Ok(Distribution::Uniform { min, max })
}

fn parse_parametric(table: &mut KeyTable<'_>, family: Family, unit: Unit) -> Result<Parametric, Invalid> {
    let shape = match family.shape() {
        None => ONE,
        Some((key, min, max)) => match read_millionths(table, key, min, max)? {
            Some(shape) => shape,
            None => return table.refuse(key, None, format!("the {key} of {}", family.name())),
        },
    };
    let mean = positive(table, "mean", unit)?;
    let parameter = match family.scale_key() {
        Some(key) => positive(table, key, unit)?.map(|value| (key, value)),
        None => None,
    };
    let scale = match (mean, parameter) {
        (Some(mean), None) => Scale::Mean(mean),
        (None, Some((_, value))) => Scale::Parameter(value),
        (Some(_), Some((key, value))) => {
            return table.refuse(key, Some(&unit.write(value)), format!("either mean or {key}, not both"));
        }
        (None, None) => {
            let or = family.scale_key().map_or_else(String::new, |key| format!(", or its {key}"));
            return table.refuse("mean", None, format!("the mean of {}{or}", family.name()));
        }
    };
    if family.is_heavy() && shape <= ONE && mean.is_some() {
        let parameter = family.scale_key().unwrap_or("scale");
        let expected = format!("above 1 where a mean is given (with less there is none: give {parameter})");
        return table.refuse("shape", Some(&show_millionths(shape)), expected);
    }
    // The bounds enclose a value near the middle, so that a substantial part of the distribution lies between them.
    let (Scale::Mean(middle) | Scale::Parameter(middle)) = scale;
    let low = format!("{}, at most {}", unit.expected(), unit.write(middle));
    let high = format!("{}, above {}", unit.expected(), unit.write(middle));
    let at_least = match family {
        Family::Pareto => {
            table.read("at_least", "no at_least: a Pareto's minimum is its lower bound", |_| None)?
        }
        _ => table.read("at_least", &low, |v| unit.read(v).filter(|n| *n <= middle))?,
    };
    let at_most = table.read("at_most", &high, |v| unit.read(v).filter(|n| *n > middle))?;
    Ok(Parametric { family, shape, scale, at_least, at_most })
}

fn parse_body_tail(table: &mut KeyTable<'_>, unit: Unit) -> Result<BodyTail, Invalid> {
    let median = required(table, "median", unit)?;
    let Some(sigma) = read_millionths(table, "sigma", 1_000, 10 * ONE)? else {
        return table.refuse("sigma", None, "the body's deviation of ln");
    };
    let above = format!("{}, above median", unit.expected());
    let tail_from = table.required("tail_from", &above, |v| unit.read(v).filter(|from| *from > median))?;
    let Some(tail_shape) = read_millionths(table, "tail_shape", 100_000, 100 * ONE)? else {
        return table.refuse("tail_shape", None, "the shape of the tail's Pareto");
    };
    let Some(tail_share) = read_millionths(table, "tail_share", 1, ONE - 1)? else {
        return table.refuse("tail_share", None, "the probability of the tail, between 0 and 1");
    };
    let above = format!("{}, above tail_from", unit.expected());
    let at_most = table.read("at_most", &above, |v| unit.read(v).filter(|most| *most > tail_from))?;
    Ok(BodyTail { median, sigma, tail_from, tail_shape, tail_share, at_most })
}
