// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recognises the columns of a series by the names in its first line or by its shape.
//!
//! Shapes without names: two columns, seconds and Mbit/s (Pensieve's simulator; of delays seconds and ms); six columns, the HSDPA logs of
//! Riiser et al. (MMSys 2013): Unix time, time in ms, latitude, longitude, bytes, and the milliseconds in which they came; one column with
//! a unit that is given, a value a second (FCC). Names of data sets: `bytes_sec` (FCC's webget), `time (ns GMT)` and `delivery_rate`
//! (Puffer).

use super::source::{SeriesError, SeriesQuantity, SeriesSource};
use super::units::{self, Unit, UnitReader};

/// Names of columns of times.
const TIMES: &[&str] = &[
    "time",
    "timestamp",
    "timestamps",
    "t",
    "ts",
    "seconds",
    "second",
    "sec",
    "secs",
    "elapsed",
    "relative_time",
    "unix_time",
    "epoch",
    "datetime",
    "date",
];
/// Names of columns of rates.
const RATES: &[&str] = &[
    "rate",
    "bandwidth",
    "bw",
    "throughput",
    "tput",
    "thpt",
    "capacity",
    "goodput",
    "bitrate",
    "download",
    "downlink",
    "dl",
    "dl_bitrate",
    "download_speed",
    "speed",
    "delivery_rate",
    "bytes_sec",
    "link_rate",
];
/// Names of columns of delays.
const DELAYS: &[&str] = &["rtt", "delay", "latency", "owd", "ping", "one_way_delay", "round_trip_time"];

/// How the rows of a series are read.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shape {
    /// What it is, in words.
    name: String,
    /// What separates columns; none: blanks.
    pub separator: Option<char>,
    /// The column of the times, and their unit, ns; `None`: a value a second.
    pub time: Option<(usize, f64)>,
    /// The column of the values, and their unit, bit/s or ns.
    pub value: (usize, f64),
    /// The column with the time, ms, in which as many bytes as the value has have come before the row's time.
    pub bytes_in_ms: Option<usize>,
    /// A column whose value all rows have in common.
    pub common: Option<(usize, String)>,
    /// The first line with numbers, from 1.
    pub first_row: usize,
}

/// Whether a text is a series rather than a list of whole numbers, which is a trace of opportunities.
pub(crate) fn is_series(text: &str) -> bool {
    let Some((_, line)) = first_line(text) else { return false };
    let cells = cells(line, separator(line));
    cells.len() > 1 || cells.first().is_some_and(|cell| has_rate_unit(cell))
}

/// The first line that is neither empty nor a comment, with its number from 1.
fn first_line(text: &str) -> Option<(usize, &str)> {
    let lines =
        text.lines().enumerate().map(|(index, line)| (index + 1, line.trim_start_matches('\u{feff}').trim()));
    lines.into_iter().find(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// What separates the columns of a line.
fn separator(line: &str) -> Option<char> {
    [',', ';', '\t'].into_iter().find(|mark| line.contains(*mark))
}

/// The columns of a line.
pub(super) fn cells(line: &str, separator: Option<char>) -> Vec<&str> {
    match separator {
        Some(mark) => line.split(mark).map(|cell| cell.trim().trim_matches('"')).collect(),
        None => line.split_whitespace().collect(),
    }
}

/// A number of a cell.
pub(super) fn number(cell: &str) -> Option<f64> {
    cell.parse().ok().filter(|value: &f64| value.is_finite())
}

impl Shape {
    /// The shape of a file's text.
    pub fn of(text: &str, source: &SeriesSource, quantity: SeriesQuantity) -> Result<Self, SeriesError> {
        let Some((line, first)) = first_line(text) else {
            return Err(SeriesError {
                line: 1,
                value: String::new(),
                expected: "rows of numbers".to_owned(),
            });
        };
        let separator = separator(first);
        let cells = cells(first, separator);
        let given =
            Given::of(source, quantity).map_err(|(value, expected)| SeriesError { line, value, expected })?;
        let refuse = |expected: String| Err(SeriesError { line, value: shortened(first), expected });
        if cells.iter().any(|cell| number(cell).is_none() && !cell.is_empty()) {
            return match named(&cells, &given, source, quantity) {
                Ok(shape) => Ok(Self { separator, first_row: line + 1, ..shape }),
                Err(expected) => refuse(expected),
            };
        }
        if source.column.is_some() {
            return refuse("a first line with the names of the columns".to_owned());
        }
        let values = given.value.unwrap_or(1e6); // Mbit/s, or ms
        let shape = |name: &str, time, value| Self {
            name: name.to_owned(),
            separator,
            time,
            value,
            bytes_in_ms: None,
            common: None,
            first_row: line,
        };
        match (cells.len(), quantity) {
            (6, SeriesQuantity::Rate) if is_hsdpa(&cells) => Ok(Self {
                bytes_in_ms: Some(5),
                ..shape(
                    "HSDPA log: bytes and the milliseconds in which they arrived",
                    Some((1, 1e6)),
                    (4, 8.0),
                )
            }),
            (2, _) => {
                let words = match (quantity, given.is_written) {
                    (_, true) => "two columns in the units that are given",
                    (SeriesQuantity::Rate, false) => "two columns: seconds and Mbit/s",
                    (SeriesQuantity::Delay, false) => "two columns: seconds and ms",
                };
                Ok(shape(words, Some((0, given.time.unwrap_or(1e9))), (1, values)))
            }
            (1, _) if given.value.is_some() => Ok(shape("one column: a value per second", None, (0, values))),
            (1, _) => refuse(
                "a time and a value in each line, or unit = \"Mbit/s\" for a value per second".to_owned(),
            ),
            (count, _) => {
                refuse(format!("two columns, or a first line with the names of the {count} columns"))
            }
        }
    }

    /// What it is, in words.
    pub fn in_words(&self) -> &str {
        &self.name
    }
}

/// What a scenario says of the units.
struct Given {
    time: Option<f64>,
    value: Option<f64>,
    is_written: bool,
}

impl Given {
    fn of(source: &SeriesSource, quantity: SeriesQuantity) -> Result<Self, (String, String)> {
        let read = |unit: &Option<String>, reader: UnitReader, expected: &str| match unit {
            None => Ok(None),
            Some(unit) => match reader(unit) {
                Some(Unit::Known(factor)) => Ok(Some(factor)),
                _ => Err((unit.clone(), expected.to_owned())),
            },
        };
        let value = match quantity {
            SeriesQuantity::Rate => read(&source.unit, units::rate, units::RATES)?,
            SeriesQuantity::Delay => read(&source.unit, units::time, units::TIMES)?,
        };
        let time = read(&source.time, units::time, units::TIMES)?;
        Ok(Self { time, value, is_written: source.unit.is_some() || source.time.is_some() })
    }
}

/// Whether a row is one of an HSDPA log: Unix time, ms, degrees, degrees, bytes, ms.
fn is_hsdpa(cells: &[&str]) -> bool {
    let value = |index: usize| cells.get(index).and_then(|cell| number(cell)).unwrap_or(-1.0);
    value(0) > 1e9 && value(1) >= 0.0 && value(2).abs() <= 90.0 && value(3).abs() <= 180.0 && value(5) > 0.0
}

/// The shape of a file whose columns have names; an error says what was expected.
fn named(
    cells: &[&str],
    given: &Given,
    source: &SeriesSource,
    quantity: SeriesQuantity,
) -> Result<Shape, String> {
    let (names, reader, known): (_, UnitReader, _) = match quantity {
        SeriesQuantity::Rate => (RATES, units::rate, units::RATES),
        SeriesQuantity::Delay => (DELAYS, units::time, units::TIMES),
    };
    let columns: Vec<Column> = cells.iter().map(|cell| Column::of(cell)).collect();
    let time = columns.iter().position(|column| column.is_called(TIMES));
    let is_value = |index: usize| Some(index) != time && columns[index].is_value(names, reader, quantity);
    let mut found: Vec<usize> = (0..columns.len()).filter(|index| is_value(*index)).collect();
    if let Some(name) = &source.column {
        found = (0..columns.len()).filter(|index| cells[*index] == name).collect();
        if found.is_empty() {
            return Err(format!("the column {name:?} among {}", cells.join(", ")));
        }
    }
    let what = if quantity == SeriesQuantity::Rate { "rate" } else { "delay" };
    let value = match found[..] {
        [value] => value,
        [] => return Err(format!("a column of a {what} with its unit, such as {}", example(quantity))),
        _ => {
            let several: Vec<&str> = found.iter().map(|index| cells[*index]).collect();
            return Err(format!(
                "one column of a {what}, not {}; column = \"NAME\" chooses one",
                several.join(", ")
            ));
        }
    };
    let Some(unit) = given.value.or_else(|| columns[value].factor(reader)) else {
        let unit = if quantity == SeriesQuantity::Rate { "Mbit/s" } else { "ms" };
        let known = columns[value].unit.as_ref().map(|_| format!(", {known}")).unwrap_or_default();
        return Err(format!("the unit of {:?} in its name, or unit = \"{unit}\"{known}", cells[value]));
    };
    let time = match time {
        Some(index) if given.time.is_none() && columns[index].read(units::time) == Some(Unit::Unclear) => {
            return Err(format!(
                "the unit of {:?} in its name, or time = \"ms\", {}",
                cells[index],
                units::TIMES
            ));
        }
        // 0: by the size of the first one
        Some(index) => {
            Some((index, given.time.or_else(|| columns[index].factor(units::time)).unwrap_or(0.0)))
        }
        None => None,
    };
    let common = columns.iter().position(|column| column.base == "session_id");
    let of_time = time.map_or_else(|| "a value a second".to_owned(), |(index, _)| cells[index].to_owned());
    Ok(Shape {
        name: format!("columns {of_time} and {}", cells[value]),
        separator: None,
        time,
        value: (value, unit),
        bytes_in_ms: None,
        common: common.map(|index| (index, "session_id".to_owned())),
        first_row: 0,
    })
}

const fn example(quantity: SeriesQuantity) -> &'static str {
    match quantity {
        SeriesQuantity::Rate => "time_s,rate_mbps or time,bandwidth (Mbit/s)",
        SeriesQuantity::Delay => "time_s,rtt_ms or time,delay (ms)",
    }
}

/// The name of a column.
struct Column {
    /// The name in lower case, without its unit.
    base: String,
    /// The unit, as it is written.
    unit: Option<String>,
}

impl Column {
    /// `rate_mbps`, `bandwidth (Mbit/s)`, `rtt[ms]`, `Mbps`.
    fn of(cell: &str) -> Self {
        let cell = cell.trim();
        if let Some((name, rest)) = cell.split_once(['(', '[']) {
            let unit = rest.trim_end_matches([')', ']']).split_whitespace().next().unwrap_or_default();
            return Self { base: plain(name), unit: Some(unit.to_owned()) };
        }
        let whole = plain(cell);
        if RATES.contains(&whole.as_str())
            || TIMES.contains(&whole.as_str())
            || DELAYS.contains(&whole.as_str())
        {
            let unit = units::rate(&whole).map(|_| whole.clone());
            return Self { base: whole, unit };
        }
        let is_unit = |text: &str| units::rate(text).or_else(|| units::time(text)).is_some();
        if let Some((name, unit)) = cell.rsplit_once(['_', ' ', '-']).filter(|(_, unit)| is_unit(unit)) {
            return Self { base: plain(name), unit: Some(unit.to_owned()) };
        }
        if is_unit(cell) {
            return Self { base: whole, unit: Some(cell.to_owned()) };
        }
        Self { base: whole, unit: None }
    }

    fn is_called(&self, names: &[&str]) -> bool {
        names.contains(&self.base.as_str())
    }

    /// What its unit says.
    fn read(&self, reader: UnitReader) -> Option<Unit> {
        if self.base == "delivery_rate" && self.unit.is_none() {
            return reader("B/s"); // Puffer
        }
        reader(self.unit.as_ref()?)
    }

    /// The factor of its unit, where that is clear.
    fn factor(&self, reader: UnitReader) -> Option<f64> {
        match self.read(reader)? {
            Unit::Known(factor) => Some(factor),
            Unit::Unclear => None,
        }
    }

    /// Whether it may be the column of the values: by its name, or a rate by its unit alone.
    fn is_value(&self, names: &[&str], reader: UnitReader, quantity: SeriesQuantity) -> bool {
        self.is_called(names) || (quantity == SeriesQuantity::Rate && self.read(reader).is_some())
    }
}

/// A name in lower case, with `_` for blanks.
fn plain(name: &str) -> String {
    name.trim().to_lowercase().replace([' ', '-'], "_")
}

/// Whether a name has a unit of rates.
fn has_rate_unit(cell: &str) -> bool {
    number(cell).is_none() && Column::of(cell).read(units::rate).is_some()
}

/// A line, for a message.
pub(super) fn shortened(line: &str) -> String {
    line.chars().take(60).collect()
}
