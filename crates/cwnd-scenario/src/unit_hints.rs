// SPDX-License-Identifier: MIT OR Apache-2.0
//! Suggestions for quantities that are not accepted: units as other tools write them, missing units.

use crate::units::{NOT_JSON, decimal, rounded, write_rate};
use serde_json::{Number, Value};

/// Units and their other spellings, in lower case. A spelling may stand for several units; the field decides.
const SPELLINGS: &[(&str, &[&str])] = &[
    ("packets", &["", "p", "pk", "pkt", "pkts", "packet", "packets", "segment", "segments"]),
    ("bdp", &["bdp", "bdps"]),
    ("ns", &["ns", "nsec", "nsecs", "nanosecond", "nanoseconds"]),
    ("us", &["us", "usec", "usecs", "µs", "μs", "microsecond", "microseconds"]),
    ("ms", &["", "ms", "msec", "msecs", "millis", "millisecond", "milliseconds"]),
    ("s", &["", "s", "sec", "secs", "second", "seconds"]),
    ("min", &["m", "min", "mins", "minute", "minutes"]),
    ("bit/s", &["bps", "b/s", "bit", "bits", "bit/s", "bits/s", "bit/sec", "bits/sec"]),
    ("kbit/s", &["k", "kbps", "kb/s", "kbit", "kbits", "kbit/s", "kbits/s", "kbit/sec", "kbits/sec"]),
    ("Mbit/s", &["", "m", "mbps", "mb/s", "mbit", "mbits", "mbit/s", "mbits/s", "mbit/sec", "mbits/sec"]),
    ("Gbit/s", &["g", "gbps", "gb/s", "gbit", "gbits", "gbit/s", "gbits/s", "gbit/sec", "gbits/sec"]),
    ("B", &["", "b", "byte", "bytes", "octets"]),
    ("kB", &["k", "kb", "kbyte", "kbytes"]),
    ("MB", &["m", "mb", "mbyte", "mbytes"]),
    ("GB", &["g", "gb", "gbyte", "gbytes"]),
    ("Hz", &["", "hz", "hertz"]),
    ("kHz", &["khz"]),
    ("MHz", &["mhz"]),
];

/// Units that are a multiple of an accepted one.
const MULTIPLES: &[(&[&str], u64, &str)] = &[
    (&["h", "hr", "hrs", "hour", "hours"], 60, "min"),
    (&["d", "day", "days"], 24 * 60, "min"),
    (&["kib", "ki"], 1 << 10, "B"),
    (&["mib", "mi"], 1 << 20, "B"),
    (&["gib", "gi"], 1 << 30, "B"),
];

/// A number without a unit is taken as a rate in bit/s if it is at least this, else in Mbit/s.
const LARGE: u64 = 1_000_000;

/// Bytes per second, which are eight times as many bits.
const BYTES_PER_SECOND: &[(&str, &str)] =
    &[("B/s", "bit/s"), ("kB/s", "kbit/s"), ("MB/s", "Mbit/s"), ("GB/s", "Gbit/s")];

/// Up to two quantities that `value` may mean, of those that `accepted` accepts.
///
/// Not generic over `accepted`: compiled once, not for each key.
pub(crate) fn suggest_quantities(value: &Value, accepted: &dyn Fn(&str) -> bool) -> Vec<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return Vec::new(),
    };
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let number = number.replace(',', ".");
    let (number, unit) = without_exponent(number.strip_suffix(".0").unwrap_or(&number), unit.trim());
    if number.is_empty() {
        return Vec::new();
    }
    if let Some(rate) = number.parse().ok().filter(|rate| unit.is_empty() && *rate >= LARGE) {
        let rate = write_rate(rate);
        if accepted(&rate) {
            return vec![rate];
        }
    }
    let eightfold = BYTES_PER_SECOND.iter().find(|(bytes, _)| *bytes == unit).and_then(|(_, bits)| {
        let eight = number.parse::<u64>().ok()?.checked_mul(8)?;
        Some(format!("{eight}{bits}"))
    });
    if eightfold.is_some() {
        return eightfold.into_iter().filter(|text| accepted(text)).collect();
    }
    let lower = unit.to_lowercase();
    if let Some((_, factor, unit)) = MULTIPLES.iter().find(|(names, ..)| names.contains(&lower.as_str())) {
        let text = rounded(&number, *factor).map(|n| format!("{n}{unit}"));
        return text.into_iter().filter(|text| accepted(text)).collect();
    }
    SPELLINGS
        .iter()
        .filter(|(_, spellings)| spellings.contains(&lower.as_str()))
        .map(|(unit, _)| format!("{number}{unit}"))
        .filter(|text| accepted(text))
        .take(2)
        .collect()
}

/// `1`, `e8bps` as `100000000`, `bps`: powers of ten that make a whole number.
fn without_exponent<'a>(number: &str, unit: &'a str) -> (String, &'a str) {
    let whole = unit.strip_prefix(['e', 'E']).and_then(|rest| {
        let split = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (exponent, unit) = rest.split_at(split);
        let factor = 10_u64.checked_pow(exponent.parse().ok()?)?;
        Some((decimal(number, factor)?.to_string(), unit.trim()))
    });
    whole.unwrap_or_else(|| (number.to_owned(), unit))
}

/// A TOML value as JSON. A value that JSON cannot express (`nan`, `inf`, a date) becomes a text that no field accepts, so that the error
/// message shows it.
pub(crate) fn json(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(n) => n.into(),
        toml::Value::Float(x) => {
            Number::from_f64(x).map_or_else(|| no_json(&x.to_string().to_lowercase()), Value::Number)
        }
        toml::Value::Boolean(flag) => Value::Bool(flag),
        toml::Value::Datetime(date) => no_json(&date.to_string()),
        toml::Value::Array(list) => list.into_iter().map(json).collect(),
        toml::Value::Table(table) => table.into_iter().map(|(key, value)| (key, json(value))).collect(),
    }
}

fn no_json(text: &str) -> Value {
    Value::String(format!("{NOT_JSON}{text}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{read_rate, read_size, read_time};
    use serde_json::json;

    #[test]
    fn units_of_other_tools_are_recognised() {
        let rate =
            |text: &str| suggest_quantities(&json!(text), &|text| read_rate(text).is_some()).join(" or ");
        for (text, expected) in [
            ("100Mbps", "100Mbit/s"),
            ("100 mbps", "100Mbit/s"),
            ("100Mb/s", "100Mbit/s"),
            ("1.5Gb/s", "1.5Gbit/s"),
            ("2,5Mbit/s", "2.5Mbit/s"),
            ("100", "100Mbit/s"),
            ("64K", "64kbit/s"),
            ("10MB/s", "80Mbit/s"),
            ("100furlongs", ""),
            ("Mbps", ""),
            ("-5Mbps", ""),
            ("0Mbps", ""),
        ] {
            assert_eq!(rate(text), expected, "{text}");
        }
        let time =
            |text: &str| suggest_quantities(&json!(text), &|text| read_time(text).is_some()).join(" or ");
        for (text, expected) in
            [("10msec", "10ms"), ("10", "10ms or 10s"), ("10 Sec", "10s"), ("5µs", "5us"), ("2m", "2min")]
        {
            assert_eq!(time(text), expected, "{text}");
        }
        for (text, expected) in
            [("1h", "60min"), ("2hours", "120min"), ("1.5 hrs", "90min"), ("1e3", "1000ms or 1000s")]
        {
            assert_eq!(time(text), expected, "{text}");
        }
        for (text, expected) in [
            ("1e8", "100Mbit/s"),
            ("2.5e9", "2500Mbit/s"),
            ("1E6bps", "1000000bit/s"),
            ("1e-3", ""),
            ("1e99", ""),
        ] {
            assert_eq!(rate(text), expected, "{text}");
        }
        let size =
            |text: &str| suggest_quantities(&json!(text), &|text| read_size(text).is_some()).join(" or ");
        for (text, expected) in
            [("64KiB", "65536B"), ("1.5 kib", "1536B"), ("10MiB", "10485760B"), ("1GiB", "1073741824B")]
        {
            assert_eq!(size(text), expected, "{text}");
        }
        let packets = |text: &str| suggest_quantities(&json!(text), &|text| text.ends_with("packets"));
        assert_eq!(packets("100packet"), ["100packets"]);
        assert_eq!(suggest_quantities(&json!(40), &|text| read_time(text).is_some()), ["40ms", "40s"]);
        assert_eq!(suggest_quantities(&json!("64KB"), &|text| read_size(text).is_some()), ["64kB"]);
        assert!(suggest_quantities(&json!(true), &|_| true).is_empty());
    }
}
