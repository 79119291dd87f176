// SPDX-License-Identifier: MIT OR Apache-2.0
//! What somebody may have meant by a quantity that is not accepted: units as other tools write them, and none at all.

use serde_json::{Number, Value};

/// Units, and how else they are written, in lower case. A spelling may stand for several: the field decides.
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

/// Bytes per second, which are eight times as many bits.
const BYTES_PER_SECOND: &[(&str, &str)] =
    &[("B/s", "bit/s"), ("kB/s", "kbit/s"), ("MB/s", "Mbit/s"), ("GB/s", "Gbit/s")];

/// Up to two quantities that `value` may stand for, among those that `accepted` takes.
pub(crate) fn meant(value: &Value, accepted: impl Fn(&str) -> bool) -> Vec<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return Vec::new(),
    };
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let (number, unit) = (number.replace(',', "."), unit.trim());
    if number.is_empty() {
        return Vec::new();
    }
    let eightfold = BYTES_PER_SECOND.iter().find(|(bytes, _)| *bytes == unit).and_then(|(_, bits)| {
        let eight = number.parse::<u64>().ok()?.checked_mul(8)?;
        Some(format!("{eight}{bits}"))
    });
    if eightfold.is_some() {
        return eightfold.into_iter().filter(|text| accepted(text)).collect();
    }
    let lower = unit.to_lowercase();
    SPELLINGS
        .iter()
        .filter(|(_, spellings)| spellings.contains(&lower.as_str()))
        .map(|(unit, _)| format!("{number}{unit}"))
        .filter(|text| accepted(text))
        .take(2)
        .collect()
}

/// A TOML value as JSON. What JSON has no word for, `nan`, `inf` and dates, becomes text, so that its refusal shows it.
pub(crate) fn json(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(n) => n.into(),
        toml::Value::Float(x) => {
            Number::from_f64(x).map_or_else(|| Value::String(x.to_string().to_lowercase()), Value::Number)
        }
        toml::Value::Boolean(flag) => Value::Bool(flag),
        toml::Value::Datetime(date) => Value::String(date.to_string()),
        toml::Value::Array(list) => list.into_iter().map(json).collect(),
        toml::Value::Table(table) => table.into_iter().map(|(key, value)| (key, json(value))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{read_rate, read_size, read_time};
    use serde_json::json;

    #[test]
    fn units_of_other_tools_are_recognised() {
        let rate = |text: &str| meant(&json!(text), |text| read_rate(text).is_some()).join(" or ");
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
        let time = |text: &str| meant(&json!(text), |text| read_time(text).is_some()).join(" or ");
        for (text, expected) in
            [("10msec", "10ms"), ("10", "10ms or 10s"), ("10 Sec", "10s"), ("5µs", "5us"), ("2m", "2min")]
        {
            assert_eq!(time(text), expected, "{text}");
        }
        assert_eq!(meant(&json!(40), |text| read_time(text).is_some()), ["40ms", "40s"]);
        assert_eq!(meant(&json!("64KB"), |text| read_size(text).is_some()), ["64kB"]);
        assert!(meant(&json!(true), |_| true).is_empty());
    }
}
