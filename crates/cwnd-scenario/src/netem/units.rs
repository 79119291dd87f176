// SPDX-License-Identifier: MIT OR Apache-2.0
//! Units of tc(8): `bps` is bytes per second, `kb` 1024 bytes, a time without a unit microseconds, a rate bits per second, a size bytes.

use crate::units::{rounded, time_in_words};

/// A number of [`fraction`] is in units of 10⁻¹⁵.
const ONE: u64 = 1_000_000_000_000_000;

const TIMES: &[(&str, u64)] = &[
    ("", 1_000),
    ("s", 1_000_000_000),
    ("sec", 1_000_000_000),
    ("secs", 1_000_000_000),
    ("ms", 1_000_000),
    ("msec", 1_000_000),
    ("msecs", 1_000_000),
    ("us", 1_000),
    ("usec", 1_000),
    ("usecs", 1_000),
    ("ns", 1),
    ("nsec", 1),
    ("nsecs", 1),
];
const RATES: &[(&str, u64)] = &[
    ("", 1),
    ("bit", 1),
    ("kbit", 1_000),
    ("mbit", 1_000_000),
    ("gbit", 1_000_000_000),
    ("tbit", 1_000_000_000_000),
    ("kibit", 1 << 10),
    ("mibit", 1 << 20),
    ("gibit", 1 << 30),
    ("bps", 8),
    ("kbps", 8_000),
    ("mbps", 8_000_000),
    ("gbps", 8_000_000_000),
    ("kibps", 8 << 10),
    ("mibps", 8 << 20),
    ("gibps", 8 << 30),
];
/// Bits, so that `kbit` is a whole number.
const SIZES: &[(&str, u64)] = &[
    ("", 8),
    ("b", 8),
    ("k", 8 << 10),
    ("kb", 8 << 10),
    ("m", 8 << 20),
    ("mb", 8 << 20),
    ("g", 8 << 30),
    ("gb", 8 << 30),
    ("bit", 1),
    ("kbit", 1 << 10),
    ("mbit", 1 << 20),
    ("gbit", 1 << 30),
];

fn read(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let unit = unit.to_lowercase();
    let factor = units.iter().find(|(name, _)| *name == unit)?.1;
    rounded(number, factor)
}

/// A time, ns.
pub(super) fn time(text: &str) -> Option<u64> {
    read(text, TIMES).filter(|ns| *ns <= crate::units::MAX_TIME)
}

/// A rate above 0, bit/s.
pub(super) fn rate(text: &str) -> Option<u64> {
    read(text, RATES).filter(|rate| *rate > 0)
}

/// A size above 0, bytes.
pub(super) fn size(text: &str) -> Option<u64> {
    read(text, SIZES).map(|bits| bits / 8).filter(|bytes| *bytes > 0)
}

/// A whole number above 0.
pub(super) fn count(text: &str) -> Option<u64> {
    text.parse().ok().filter(|count| *count > 0)
}

/// A percentage up to 100 as the decimal of a probability; only with `%`, so that it is no time.
pub(super) fn fraction(text: &str) -> Option<String> {
    let share = rounded(text.strip_suffix('%')?, ONE / 100).filter(|share| *share <= ONE)?;
    Some(decimal(share))
}

/// 1 minus a probability.
pub(super) fn complement(share: &str) -> String {
    decimal(ONE - rounded(share, ONE).unwrap_or(0).min(ONE))
}

fn decimal(share: u64) -> String {
    let text = format!("{}.{:015}", share / ONE, share % ONE);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A time in words.
pub(super) fn in_words(ns: u64) -> String {
    time_in_words(ns)
}
