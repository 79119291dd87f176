// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rate and the delay of a link: constant, steps, a trace, or a series from a file.

use super::formats::{Named, NonEmpty, Optional, Required, Text, Time};
use super::{Absent, Form, Keyed, Parsed, Quantity, RowFormat, Scope, ValueFormat, keys};
use crate::files;
use crate::invalid::{Invalid, TableReader, shown};
use crate::series::{MAX_STEPS, Series, SeriesEnd, SeriesQuantity, SeriesSource, is_series};
use crate::units::{self, MAX_TIME, RATE, time, write_rate, write_time};
use cwnd_link::Trace;
use serde_json::{Value, json};

/// Rate of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkRate {
    /// A constant rate, bit/s.
    Constant(u64),
    /// The first rate, and further rates from given times on, bit/s; 0 is an outage.
    Steps(u64, Vec<(u64, u64)>),
    /// A trace of delivery opportunities, and the file that it was read from.
    Trace(Trace, String),
    /// A series of rates, and the file that it was read from.
    Series(Series, SeriesSource),
}

impl LinkRate {
    /// The rate for sizes in time and BDP: the first rate above 0; of a trace and of a series the mean.
    #[must_use]
    pub fn nominal(&self) -> u64 {
        match self {
            Self::Constant(rate) => *rate,
            Self::Steps(first, steps) => {
                let mut rates = std::iter::once(*first).chain(steps.iter().map(|step| step.1));
                rates.find(|rate| *rate > 0).unwrap_or(0)
            }
            Self::Trace(trace, _) => trace.mean_rate(),
            Self::Series(series, _) => series.mean(),
        }
    }
}

/// The propagation delay of a link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkDelay {
    /// At the beginning, ns.
    pub first: u64,
    /// A series of delays, and the file that it was read from.
    pub series: Option<(Series, SeriesSource)>,
}

keys! {
    /// The key of a trace.
    struct TraceTable {
        trace: String = String::new(), Required(Text("the path of a trace in Mahimahi's format, or of a series of rates")), "",
            "path of a file in Mahimahi's format: one line per opportunity to deliver 1500 bytes, with its time in whole milliseconds. The trace repeats. A file with several columns is read like a `series`. The path is relative to the document's folder or, without one, to the working directory",
            "Mahimahi";
    }
}

const END: Named<SeriesEnd> = Named { all: &SeriesEnd::ALL, name: SeriesEnd::name, aliases: &[], or: " or " };

keys! {
    /// The keys of a series.
    struct SeriesTable {
        series: String = String::new(), Required(Text("the path of a series")), "",
            "path of a file with a time and a value in each row; a value holds until the next row's time. CSV with named columns (`time_s,rate_mbps`), or another recognised form (docs/guide/files.md). May be compressed with gzip. A rate of 0 is an outage", "";
        time: Option<String> = None, Optional(NonEmpty("a unit of time: ns, us, ms, s or min"), "what the file says, else s"), "",
            "unit of the times", "";
        unit: Option<String> = None, Optional(NonEmpty("a unit, such as Mbit/s or ms"), "what the file says"), "",
            "unit of the values: `\"Mbit/s\"`, `\"B/s\"`, … of rates, `\"ms\"`, … of delays", "";
        column: Option<String> = None, Optional(NonEmpty("the name of a column"), "the only one that fits"), "",
            "name of the column of the values, where the file has several", "";
        end: SeriesEnd = SeriesEnd::Repeat, END, "",
            "what follows the last value: the series again, or the last value", "";
    }
}

/// A link without a rate, as a scenario writes it where the key is not left out.
pub(crate) const NO_RATE: &str = "none";

/// A rate, steps, a trace, a series, or none.
pub(crate) struct Rates;

impl RowFormat for Rates {
    type Value = Option<LinkRate>;

    fn parse(
        &self,
        table: &mut TableReader<'_>,
        key: &'static str,
        scope: &Scope<'_>,
    ) -> Parsed<Option<LinkRate>> {
        let field = table.field(key);
        let rate = match table.get(key) {
            Some(Value::String(text)) if text == NO_RATE => return Ok(Some(None)),
            Some(Value::Array(list)) if !list.is_empty() => parse_steps(&field, list).map(Some)?,
            Some(value @ Value::Object(map)) if map.contains_key("series") => {
                let (series, source) = parse_series(&field, value, scope, SeriesQuantity::Rate)?;
                Some(LinkRate::Series(series, source))
            }
            Some(value @ Value::Object(_)) => parse_trace(&field, value, scope).map(Some)?,
            _ => {
                let constant = |value: &Value| value.as_str().and_then(units::read_rate);
                table.read_as(key, || rates().into(), constant)?.map(LinkRate::Constant)
            }
        };
        Ok(rate.map(Some))
    }

    fn print(&self, rate: &Option<LinkRate>) -> Option<Value> {
        let step = |at: u64, rate: u64| json!([write_time(at), write_rate(rate)]);
        Some(match rate.as_ref()? {
            LinkRate::Constant(rate) => json!(write_rate(*rate)),
            LinkRate::Steps(first, steps) => {
                let steps = steps.iter().map(|&(at, rate)| step(at, rate));
                Value::Array(std::iter::once(step(0, *first)).chain(steps).collect())
            }
            LinkRate::Trace(_, path) => json!({ "trace": path }),
            LinkRate::Series(_, source) => print_series(source),
        })
    }

    fn form(&self) -> Form {
        let rate = Form::Quantity(Quantity::Rate { or_outage: true });
        let step = Form::Tuple(vec![Form::Quantity(Quantity::Time(0, MAX_TIME)), rate]);
        Form::Either(vec![
            Form::Quantity(Quantity::Rate { or_outage: false }),
            Form::List { item: Box::new(step), min: 1 },
            Form::Table(TraceTable::keys()),
            Form::Table(SeriesTable::keys()),
            Form::Choice(vec![NO_RATE]),
        ])
    }

    fn absent(&self, _: &Option<LinkRate>) -> Absent {
        Absent::Words("none: a packet takes no time to send")
    }
}

/// A delay, constant or a series.
pub(crate) struct Delays;

impl RowFormat for Delays {
    type Value = LinkDelay;

    fn parse(&self, table: &mut TableReader<'_>, key: &'static str, scope: &Scope<'_>) -> Parsed<LinkDelay> {
        match table.get(key) {
            Some(value @ Value::Object(_)) => {
                let series = parse_series(&table.field(key), value, scope, SeriesQuantity::Delay)?;
                Ok(Some(LinkDelay { first: series.0.first(), series: Some(series) }))
            }
            _ => {
                let constant = RowFormat::parse(&Time, table, key, scope)?;
                Ok(constant.map(|first| LinkDelay { first, series: None }))
            }
        }
    }

    fn print(&self, delay: &LinkDelay) -> Option<Value> {
        Some(match &delay.series {
            None => Time.write(&delay.first),
            Some((_, source)) => print_series(source),
        })
    }

    fn form(&self) -> Form {
        Form::Either(vec![ValueFormat::form(&Time), Form::Table(SeriesTable::keys())])
    }
}

/// What a rate of a link may be, for error messages.
pub(crate) fn rates() -> String {
    format!(
        "{RATE}, steps ([[\"0s\", \"10Mbit/s\"], ...]), a trace ({{ trace = \"file\" }}), a series ({{ series = \"file\" }}) or none"
    )
}

fn parse_steps(field: &str, list: &[Value]) -> Result<LinkRate, Invalid> {
    let mut steps: Vec<(u64, u64)> = Vec::new();
    for (index, item) in list.iter().enumerate() {
        let step = match item.as_array().map(Vec::as_slice) {
            Some([at, rate]) => time(at).zip(rate.as_str().and_then(units::read_rate_or_0)),
            _ => None,
        };
        let (follows, expected) = match steps.last() {
            None => (
                step.is_some_and(|(at, _)| at == 0),
                "[\"0s\", a rate or, for an outage, 0bit/s] as the first step".to_owned(),
            ),
            Some((before, _)) => (
                step.is_some_and(|(at, _)| at > *before),
                format!("[a time after {}, a rate or, for an outage, 0bit/s]", write_time(*before)),
            ),
        };
        match step {
            Some(step) if follows => steps.push(step),
            _ => {
                let field = format!("{field}[{index}]");
                return Err(Invalid { field, value: Some(shown(item)), expected });
            }
        }
    }
    if steps.iter().all(|step| step.1 == 0) {
        let (field, value) = (field.to_owned(), Some(format!("{} steps of 0bit/s", steps.len())));
        return Err(Invalid { field, value, expected: "a rate above 0 in at least one step".to_owned() });
    }
    let first = steps.remove(0).1;
    Ok(if steps.is_empty() { LinkRate::Constant(first) } else { LinkRate::Steps(first, steps) })
}

/// A trace, and its path as written; a file of several columns is a series.
fn parse_trace(field: &str, value: &Value, scope: &Scope<'_>) -> Result<LinkRate, Invalid> {
    let mut table = TableReader::new(field, value)?;
    let TraceTable { trace: path } = TraceTable::defaults().parse_keys(&mut table, scope)?;
    table.finish()?;
    let field = format!("{field}.trace");
    let text = files::read(scope.files, &field, &path)?;
    if is_series(&text) {
        let source = SeriesSource { path, ..SeriesSource::default() };
        let series = read_series(&field, &text, &source, SeriesQuantity::Rate)?;
        return Ok(LinkRate::Series(series, source));
    }
    let trace = Trace::parse(&text).map_err(|error| Invalid {
        field: format!("{field}, line {}", error.line),
        value: Some(format!("{:?}", error.value)),
        expected: match error.line {
            1 => format!(
                "{}, as in a Mahimahi trace, or a series: a time and a rate in each row",
                error.expected
            ),
            _ => error.expected,
        },
    })?;
    Ok(LinkRate::Trace(trace, path))
}

/// A series, and what the scenario says of it.
fn parse_series(
    field: &str,
    value: &Value,
    scope: &Scope<'_>,
    quantity: SeriesQuantity,
) -> Result<(Series, SeriesSource), Invalid> {
    let mut table = TableReader::new(field, value)?;
    let SeriesTable { series: path, time, unit, column, end } =
        SeriesTable::defaults().parse_keys(&mut table, scope)?;
    table.finish()?;
    let source = SeriesSource { path, time, unit, column, end };
    let field = format!("{field}.series");
    let text = files::read(scope.files, &field, &source.path)?;
    Ok((read_series(&field, &text, &source, quantity)?, source))
}

fn read_series(
    field: &str,
    text: &str,
    source: &SeriesSource,
    quantity: SeriesQuantity,
) -> Result<Series, Invalid> {
    Series::parse(text, source, quantity).map_err(|error| Invalid {
        field: format!("{field}, line {}", error.line),
        value: Some(format!("{:?}", error.value)),
        expected: error.expected,
    })
}

fn print_series(source: &SeriesSource) -> Value {
    let SeriesSource { path, time, unit, column, end } = source.clone();
    Value::Object(SeriesTable { series: path, time, unit, column, end }.print_keys())
}

/// Refuses a series that changes too often in a run of this length, ns; it is in `field`.
pub(crate) fn check_steps(field: &str, series: &Series, duration: u64) -> Result<(), Invalid> {
    let steps = series.steps(duration);
    if steps <= MAX_STEPS {
        return Ok(());
    }
    let value = Some(format!("{steps} changes in {}", write_time(duration)));
    Err(Invalid {
        field: field.to_owned(),
        value,
        expected: format!("at most {MAX_STEPS}, or end = \"hold\""),
    })
}
