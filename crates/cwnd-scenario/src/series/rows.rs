// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the rows of a series whose columns are known.

use super::columns::{Shape, cells, number, shortened};
use super::source::{MAX_ROWS, SeriesError, SeriesQuantity};
use crate::units::MAX_TIME;

/// A second, ns: what a value lasts where there are no times, or one row alone.
const SECOND: u64 = 1_000_000_000;

const FALLS: &str = "a time not before that of the previous row";
const LONG: &str = "a time of at most 100 days";

/// Points of a series, times in ns from 0 and values, and how long the series is, ns.
pub(super) fn read(
    text: &str,
    shape: &Shape,
    quantity: SeriesQuantity,
) -> Result<(Vec<(u64, u64)>, u64), SeriesError> {
    let mut reader =
        Reader { shape, quantity, points: Vec::new(), origin: None, unit: 0.0, end: 0, common: None };
    for (index, line) in text.lines().enumerate().skip(shape.first_row - 1) {
        let trimmed = line.split('#').next().unwrap_or_default().trim();
        if !trimmed.is_empty() {
            let refused = |expected| SeriesError { line: index + 1, value: shortened(trimmed), expected };
            reader.row(trimmed).map_err(refused)?;
        }
    }
    let Reader { points, end, .. } = reader;
    if points.is_empty() {
        let value = String::new();
        return Err(SeriesError {
            line: shape.first_row,
            value,
            expected: "at least one row of numbers".into(),
        });
    }
    let last = points[points.len() - 1].0;
    let step = points.len().checked_sub(2).map_or(SECOND, |before| last - points[before].0);
    let period = if shape.bytes_in_ms.is_some() { end } else { last.saturating_add(step) };
    Ok((points, period.max(1)))
}

struct Reader<'a> {
    shape: &'a Shape,
    quantity: SeriesQuantity,
    points: Vec<(u64, u64)>,
    /// The time that is 0, in the file's unit.
    origin: Option<f64>,
    /// The unit of times, ns.
    unit: f64,
    /// When the last value ends, ns, where rows say that.
    end: u64,
    common: Option<String>,
}

impl Reader<'_> {
    /// Reads a row; an error says what was expected.
    fn row(&mut self, line: &str) -> Result<(), String> {
        let cells = cells(line, self.shape.separator);
        let cell = |column: usize| cells.get(column).copied().unwrap_or_default();
        let read = |column: usize| {
            number(cell(column)).filter(|value| *value >= 0.0).ok_or_else(|| match self.quantity {
                SeriesQuantity::Rate => "a time and a rate, numbers of 0 or more".to_owned(),
                SeriesQuantity::Delay => "a time and a delay, numbers of 0 or more".to_owned(),
            })
        };
        if let Some((column, name)) = &self.shape.common {
            let value = cell(*column).to_owned();
            if self.common.get_or_insert_with(|| value.clone()) != &value {
                return Err(format!("the rows of one {name}; a file has one series"));
            }
        }
        let (column, unit) = self.shape.value;
        let mut value = read(column)? * unit;
        let time = match self.shape.time {
            None => self.points.len() as f64 * SECOND as f64,
            Some((column, unit)) => {
                let time = read(column)?;
                if self.origin.is_none() {
                    self.unit = if unit > 0.0 { unit } else { unit_of_first(time) };
                }
                let lasted = match self.shape.bytes_in_ms {
                    None => 0.0,
                    Some(column) => {
                        let ms = read(column)?;
                        if ms <= 0.0 {
                            return Err("a time above 0 in which the bytes arrived".to_owned());
                        }
                        value = value * 1e3 / ms;
                        ms
                    }
                };
                // The row is written when its bytes have come.
                let begin = time - lasted;
                let origin = *self.origin.get_or_insert(begin);
                self.end = whole(((time - origin) * self.unit).max(0.0), LONG)?;
                let begin = (begin - origin) * self.unit;
                // Two rows that overlap by what was rounded follow each other.
                let last = self.points.last().filter(|_| lasted > 0.0);
                last.map_or(begin, |point| begin.max(point.0 as f64))
            }
        };
        let time = if time < 0.0 { Err(FALLS.to_owned()) } else { whole(time, LONG) }?;
        let value =
            whole(value, "a smaller value").map(|whole| if value > 0.0 { whole.max(1) } else { whole })?;
        match self.points.last_mut() {
            Some(last) if time < last.0 => return Err(FALLS.to_owned()),
            Some(last) if time == last.0 => last.1 = value,
            _ => self.points.push((time, value)),
        }
        if self.points.len() > MAX_ROWS {
            return Err(format!("at most {MAX_ROWS} rows"));
        }
        Ok(())
    }
}

/// A time or a value, rounded.
fn whole(value: f64, expected: &str) -> Result<u64, String> {
    let rounded = (value + 0.5).floor();
    if (0.0..=MAX_TIME as f64).contains(&rounded) { Ok(rounded as u64) } else { Err(expected.to_owned()) }
}

/// The unit of times that do not name it, ns: seconds, and of a Unix time what its size says.
fn unit_of_first(time: f64) -> f64 {
    match time {
        1e17.. => 1.0,
        1e14.. => 1e3,
        1e11.. => 1e6,
        _ => 1e9,
    }
}
