// SPDX-License-Identifier: MIT OR Apache-2.0
//! Distributions as a scenario specifies them: a kind, its parameters with their units, bounds. The simulator draws samples from them.
//!
//! A bare quantity is a constant. `mean` is always that of the distribution *without* its bounds, because the papers state that one. The
//! simulator computes the mean of the samples.

use super::cdf::Cdf;
use super::kinds::KINDS;
use super::unit::Unit;
use crate::invalid::{Invalid, KeyTable};
use serde_json::{Map, Value, json};

/// One, in millionths, the unit of shapes and shares.
pub const ONE: u64 = 1_000_000;

/// A distribution of times, sizes or counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// Always this.
    Constant(u64),
    /// Each whole number of `min..=max` alike.
    Uniform {
        /// Smallest value.
        min: u64,
        /// Largest value.
        max: u64,
    },
    /// One of the families with a density.
    Parametric(Parametric),
    /// A lognormal body with a Pareto tail.
    BodyTail(BodyTail),
    /// Measured.
    Empirical(Cdf),
}

/// A family with its shape and scale, truncated to bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parametric {
    /// Which family.
    pub family: Family,
    /// Its shape (for [`Family::Lognormal`] sigma), millionths; 10⁶ where it has none.
    pub shape: u64,
    /// Its scale.
    pub scale: Scale,
    /// Lower bound.
    pub at_least: Option<u64>,
    /// Upper bound.
    pub at_most: Option<u64>,
}

/// How a scale was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// By the mean of the unbounded distribution.
    Mean(u64),
    /// By the scale parameter of the family ([`Family::scale_key`]).
    Parameter(u64),
}

/// Families of distributions with a density.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// P(X > x) = e^(−x/mean).
    Exponential,
    /// P(X > x) = (minimum/x)^shape for x ≥ minimum; mean = minimum · shape/(shape − 1).
    Pareto,
    /// P(X > x) = (1 + x/scale)^−shape (Lomax; ns-2's `ParetoII`); mean = scale/(shape − 1).
    Pareto2,
    /// ln X is normal with deviation sigma about ln median; mean = median · e^(sigma²/2).
    Lognormal,
    /// P(X > x) = e^−((x/scale)^shape); mean = scale · Γ(1 + 1/shape).
    Weibull,
}

impl Family {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Exponential, Self::Pareto, Self::Pareto2, Self::Lognormal, Self::Weibull];

    /// Its name in a scenario.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exponential => "exponential",
            Self::Pareto => "pareto",
            Self::Pareto2 => "pareto2",
            Self::Lognormal => "lognormal",
            Self::Weibull => "weibull",
        }
    }

    /// Key of its scale parameter, the alternative to `mean`; the exponential has none.
    #[must_use]
    pub const fn scale_key(self) -> Option<&'static str> {
        match self {
            Self::Exponential => None,
            Self::Pareto => Some("minimum"),
            Self::Pareto2 | Self::Weibull => Some("scale"),
            Self::Lognormal => Some("median"),
        }
    }

    /// Key of its shape, and the accepted range (millionths).
    #[must_use]
    pub const fn shape(self) -> Option<(&'static str, u64, u64)> {
        match self {
            Self::Exponential => None,
            Self::Pareto | Self::Pareto2 => Some(("shape", 100_000, 100 * ONE)),
            Self::Lognormal => Some(("sigma", 1_000, 10 * ONE)),
            Self::Weibull => Some(("shape", 100_000, 100 * ONE)),
        }
    }

    /// Whether values may be far above the mean: a shape of one or less has no mean.
    const fn heavy(self) -> bool {
        matches!(self, Self::Pareto | Self::Pareto2)
    }
}

/// A lognormal body and a Pareto tail (the file sizes of Surge, Barford and Crovella 1998).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyTail {
    /// e^μ of the body.
    pub median: u64,
    /// σ of the body, millionths.
    pub sigma: u64,
    /// Where the tail begins: smallest value of the Pareto.
    pub tail_from: u64,
    /// Shape of the Pareto, millionths.
    pub tail_shape: u64,
    /// Probability of the tail, millionths.
    pub tail_share: u64,
    /// Upper bound.
    pub at_most: Option<u64>,
}

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

impl Distribution {
    /// Reads a distribution, or a bare quantity.
    pub(crate) fn parse(path: &str, value: &Value, unit: Unit) -> Result<Self, Invalid> {
        if !value.is_object() {
            let expected = format!(
                "{}, or a distribution such as {{ kind = \"exponential\", mean = ... }}",
                unit.expected()
            );
            return match unit.read(value) {
                Some(constant) => Ok(Self::Constant(constant)),
                None => {
                    Err(Invalid { field: path.into(), value: Some(crate::invalid::shown(value)), expected })
                }
            };
        }
        let mut table = KeyTable::new(path, value)?;
        let names = KINDS.map(|kind| kind.name);
        let kind = table.required("kind", &format!("one of {}", names.join(", ")), |v| {
            names.into_iter().find(|name| v == name)
        })?;
        let read = match kind {
            "uniform" => parse_uniform(&mut table, unit)?,
            "body-tail" => Self::BodyTail(parse_body_tail(&mut table, unit)?),
            "empirical" => Self::Empirical(Cdf::parse(&mut table, unit)?),
            name => {
                let family = Family::ALL.into_iter().find(|family| family.name() == name);
                Self::Parametric(parse_parametric(&mut table, family.unwrap_or(Family::Exponential), unit)?)
            }
        };
        table.finish()?;
        Ok(read)
    }

    /// As a scenario writes it.
    pub(crate) fn to_value(&self, unit: Unit) -> Value {
        match self {
            Self::Constant(value) => unit.write(*value),
            Self::Uniform { min, max } => {
                json!({ "kind": "uniform", "min": unit.write(*min), "max": unit.write(*max) })
            }
            Self::Parametric(spec) => spec.to_value(unit),
            Self::BodyTail(spec) => {
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
            Self::Empirical(cdf) => cdf.to_value(unit),
        }
    }

    /// Whether the mean of the samples is finite.
    #[must_use]
    pub fn mean_is_finite(&self) -> bool {
        match self {
            Self::Parametric(spec) => !spec.family.heavy() || spec.shape > ONE || spec.at_most.is_some(),
            Self::BodyTail(spec) => spec.tail_shape > ONE || spec.at_most.is_some(),
            Self::Constant(_) | Self::Uniform { .. } | Self::Empirical(_) => true,
        }
    }

    /// Whether every sample is zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        match self {
            Self::Constant(value) | Self::Uniform { max: value, .. } => *value == 0,
            Self::Empirical(cdf) => cdf.points().last().is_none_or(|(value, _)| *value == 0),
            Self::Parametric(_) | Self::BodyTail(_) => false,
        }
    }
}

impl Parametric {
    fn to_value(&self, unit: Unit) -> Value {
        let mut map = Map::new();
        map.insert("kind".into(), json!(self.family.name()));
        if let Some((key, ..)) = self.family.shape() {
            map.insert(key.into(), show_millionths(self.shape));
        }
        match self.scale {
            Scale::Mean(mean) => map.insert("mean".into(), unit.write(mean)),
            Scale::Parameter(parameter) => {
                map.insert(self.family.scale_key().unwrap_or("mean").into(), unit.write(parameter))
            }
        };
        for (key, bound) in [("at_least", self.at_least), ("at_most", self.at_most)] {
            if let Some(bound) = bound {
                map.insert(key.into(), unit.write(bound));
            }
        }
        Value::Object(map)
    }
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
    if family.heavy() && shape <= ONE && mean.is_some() {
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
