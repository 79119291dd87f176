// SPDX-License-Identifier: MIT OR Apache-2.0
//! Series of rates and delays, from the text of a file: values, each of which holds from its time to the next one's.
//!
//! The first time of the file is time 0 of the run. A rate of 0 is an outage. [`columns`] recognises what the file is, [`rows`] reads it.

mod columns;
mod rows;
mod source;
#[cfg(test)]
mod tests;
mod units;

pub(crate) use columns::is_series;
pub(crate) use source::SeriesError;
pub use source::{SeriesEnd, SeriesQuantity, SeriesSource};

use columns::Shape;
use std::sync::Arc;

/// Most changes of a rate or a delay in a run, from a series that may repeat.
pub(crate) const MAX_STEPS: u64 = 4_000_000;

/// A series. Copies share their memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    quantity: SeriesQuantity,
    /// Times, ns, rising from 0, and values, bit/s or ns.
    points: Arc<[(u64, u64)]>,
    /// Time from the first value to the end of the last one, ns.
    period: u64,
    end: SeriesEnd,
    /// What the file is, in words.
    shape: Arc<str>,
}

impl Series {
    /// Reads a file's text.
    pub(crate) fn parse(
        text: &str,
        source: &SeriesSource,
        quantity: SeriesQuantity,
    ) -> Result<Self, SeriesError> {
        let shape = Shape::of(text, source, quantity)?;
        let (points, period) = rows::read(text, &shape, quantity)?;
        if quantity == SeriesQuantity::Rate && points.iter().all(|point| point.1 == 0) {
            let value = format!("{} rates of 0", points.len());
            return Err(SeriesError { line: shape.first_row, value, expected: "a rate above 0".to_owned() });
        }
        Ok(Self { quantity, points: points.into(), period, end: source.end, shape: shape.in_words().into() })
    }

    /// The first value.
    #[must_use]
    pub fn first(&self) -> u64 {
        self.points.first().map_or(0, |point| point.1)
    }

    /// The least value.
    #[must_use]
    pub fn min(&self) -> u64 {
        self.points.iter().map(|point| point.1).min().unwrap_or(0)
    }

    /// The largest value.
    #[must_use]
    pub fn max(&self) -> u64 {
        self.points.iter().map(|point| point.1).max().unwrap_or(0)
    }

    /// The mean over the time of the series, rounded; of rates at least 1.
    #[must_use]
    pub fn mean(&self) -> u64 {
        let ends = self.points.iter().skip(1).map(|point| point.0).chain([self.period]);
        let sum: u128 = self
            .points
            .iter()
            .zip(ends)
            .map(|(&(from, value), to)| u128::from(value) * u128::from(to.saturating_sub(from)))
            .sum();
        let mean = (sum + u128::from(self.period) / 2) / u128::from(self.period.max(1));
        let least = u64::from(self.quantity == SeriesQuantity::Rate);
        u64::try_from(mean).unwrap_or(u64::MAX).max(least)
    }

    /// How many changes it has in a run of this length, ns.
    #[must_use]
    pub fn steps(&self, duration: u64) -> u64 {
        let rounds =
            if self.end == SeriesEnd::Hold { 1 } else { duration.div_ceil(self.period.max(1)).max(1) };
        rounds.saturating_mul(self.points.len() as u64)
    }

    /// The changes after time 0 in a run of this length, ns: times and values.
    pub fn changes(&self, duration: u64) -> impl Iterator<Item = (u64, u64)> {
        let rounds = if self.end == SeriesEnd::Hold { 1 } else { u64::MAX };
        let starts = (0..rounds).map(|round| round.saturating_mul(self.period));
        let all = starts.take_while(move |start| *start < duration);
        let all = all
            .flat_map(|start| self.points.iter().map(move |&(at, value)| (start.saturating_add(at), value)));
        all.skip(1).take_while(move |change| change.0 < duration)
    }

    /// What it is, in a line: `series of 120 values over 60 s, mean 4.2 Mbit/s`, what the file is, and what follows its end.
    #[must_use]
    pub fn in_words(&self) -> String {
        let mean = self.mean() as f64;
        let mean = match self.quantity {
            SeriesQuantity::Rate => format!("{} Mbit/s", digits(mean / 1e6)),
            SeriesQuantity::Delay => format!("{} ms", digits(mean / 1e6)),
        };
        let end = match self.end {
            SeriesEnd::Repeat => "repeated",
            SeriesEnd::Hold => "the last value held",
        };
        format!(
            "series of {} values over {} s, mean {mean} ({}; {end})",
            self.points.len(),
            digits(self.period as f64 / 1e9),
            self.shape
        )
    }
}

/// Three digits, or all of a whole number.
fn digits(value: f64) -> String {
    let decimals = if value >= 99.95 {
        0
    } else if value >= 9.995 {
        1
    } else if value >= 0.9995 {
        2
    } else {
        4
    };
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}
