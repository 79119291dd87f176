// SPDX-License-Identifier: MIT OR Apache-2.0
//! The units of a series' times and rates. In a rate `b` is bits and `B` is bytes; a spelling whose case leaves that open is no unit.

/// What a unit's text says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Unit {
    /// Nanoseconds of a time, bit/s of a rate.
    Known(f64),
    /// The letters are those of a unit; their case is not.
    Unclear,
}

/// Reads a unit; `None` where the text is not one.
pub(super) type UnitReader = fn(&str) -> Option<Unit>;

/// The known units of times, for messages.
pub(super) const TIMES: &str = "a unit of time: ns, us, ms, s or min";
/// The known units of rates, for messages.
pub(super) const RATES: &str =
    "a unit of rates: bit/s, kbit/s, Mbit/s, Gbit/s, B/s, kB/s, MB/s or GB/s (b is bits, B is bytes)";

/// Symbols of times, ns. Their case matters: `Ms` is not `ms`.
const TIME_SYMBOLS: &[(&str, f64)] = &[("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];
/// Words for times, ns, in lower case. Their case does not matter.
const TIME_WORDS: &[(&str, f64)] =
    &[("msec", 1e6), ("milliseconds", 1e6), ("sec", 1e9), ("secs", 1e9), ("seconds", 1e9), ("min", 60e9)];

/// A unit of time, ns.
pub(super) fn time(text: &str) -> Option<Unit> {
    let find = |units: &[(&str, f64)], text: &str| {
        units.iter().find(|(name, _)| *name == text).map(|(_, factor)| *factor)
    };
    let lower = text.to_lowercase();
    if let Some(factor) = find(TIME_SYMBOLS, text).or_else(|| find(TIME_WORDS, &lower)) {
        return Some(Unit::Known(factor));
    }
    find(TIME_SYMBOLS, &lower).map(|_| Unit::Unclear)
}

/// A unit of rates, bit/s: a prefix, bits or bytes, and `/s`, `/sec`, `_sec` or `ps`.
pub(super) fn rate(text: &str) -> Option<Unit> {
    let lower = text.to_ascii_lowercase();
    if lower == "mbit" {
        return Some(Unit::Known(1e6));
    }
    let end = ["/sec", "_sec", "/s", "ps"].into_iter().find(|end| lower.ends_with(end))?;
    let (amount, end) = text.split_at(text.len() - end.len());
    let (prefix, what) = match amount.chars().next()? {
        prefix @ ('k' | 'K' | 'm' | 'M' | 'g' | 'G') => (Some(prefix), &amount[1..]),
        _ => (None, amount),
    };
    let factor = match prefix.map(|prefix| prefix.to_ascii_lowercase()) {
        None => 1.0,
        Some('k') => 1e3,
        Some('m') => 1e6,
        Some(_) => 1e9,
    };
    match what {
        // All in capitals, `MBPS`, may be either.
        "b" | "B" if end.chars().any(char::is_uppercase) => Some(Unit::Unclear),
        "b" => Some(Unit::Known(factor)),
        // `mB/s`: the prefix has the wrong case, so that of `B` may be wrong, too.
        "B" if matches!(prefix, Some('m' | 'g')) => Some(Unit::Unclear),
        "B" => Some(Unit::Known(8.0 * factor)),
        _ => match what.to_ascii_lowercase().as_str() {
            "bit" | "bits" => Some(Unit::Known(factor)),
            "byte" | "bytes" => Some(Unit::Known(8.0 * factor)),
            _ => None,
        },
    }
}
