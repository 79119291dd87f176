// SPDX-License-Identifier: MIT OR Apache-2.0
//! A link's queue: its limit, DropTail, RED; parsed, validated and printed.

use crate::buffer::{BUFFER, Buffer, read, write};
use crate::invalid::{Invalid, KeyTable, shown};
use crate::keys::link::{DisciplineSpec, LinkSpec, RedSpec};
use crate::units::{self, probability, read_probability};
use cwnd_link::Limit;
use serde_json::{Value, json};

pub(crate) const FRACTION: &str = "a number above 0, at most 1, of at most fifteen decimals";

/// Reads the queue at `path` into `link`. [`check`] follows when the link's rate and RTT are known.
pub(crate) fn parse(value: &Value, path: &str, link: &mut LinkSpec) -> Result<(), Invalid> {
    let mut queue = KeyTable::new(path, value)?;
    let red = queue.required("kind", "droptail or red", |v| match v.as_str() {
        Some("droptail") => Some(false),
        Some("red") => Some(true),
        _ => None,
    })?;
    link.buffer = queue.required("limit", BUFFER, read)?;
    link.discipline =
        if red { DisciplineSpec::Red(parse_red(&mut queue)?) } else { DisciplineSpec::DropTail };
    queue.finish()
}

/// Checks the queue of `link`, as it was `written` at `path`.
pub(crate) fn check(
    link: &LinkSpec,
    packet: u32,
    path: &str,
    written: Option<&Value>,
) -> Result<(), Invalid> {
    let field = |key: &str| written.and_then(|queue| queue.get(key)).map(shown);
    if let DisciplineSpec::Red(red) = link.discipline {
        let (min, max) = (link.threshold(red.min, packet), link.threshold(red.max, packet));
        if number(max) <= number(min) {
            return Err(Invalid {
                field: format!("{path}.max"),
                value: field("max").or_else(|| Some(write(red.max))),
                expected: format!("more than min, which is {}; this is {}", in_words(min), in_words(max)),
            });
        }
    }
    check_limit(link, link.buffer, packet).map_err(|expected| Invalid {
        field: format!("{path}.limit"),
        value: Some(field("limit").unwrap_or_else(|| format!("the default, {}", write(link.buffer)))),
        expected,
    })
}

/// Checks that the queue of `link` may have the limit `buffer`; the error is what is expected instead.
pub(crate) fn check_limit(link: &LinkSpec, buffer: Buffer, packet: u32) -> Result<(), String> {
    let (packets, bytes) = match link.limit(buffer, packet) {
        Limit::Packets(n) => (n, n.saturating_mul(u64::from(packet))),
        Limit::Bytes(n) => (n / u64::from(packet), n),
        Limit::Time(ns) => {
            let bytes = u128::from(link.rate.nominal()) * u128::from(ns) / 8_000_000_000;
            let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
            (bytes / u64::from(packet), bytes)
        }
    };
    if (1..=1 << 32).contains(&packets) {
        return Ok(());
    }
    let at = match buffer {
        Buffer::Bdp(..) => format!(" at a round trip of {}", units::write_time(link.rtt)),
        _ => String::new(),
    };
    Err(format!(
        "room for at least one packet of {} and at most 2^32; this is {bytes} bytes{at}",
        units::write_size(u64::from(packet))
    ))
}

fn parse_red(queue: &mut KeyTable<'_>) -> Result<RedSpec, Invalid> {
    let min = queue.required("min", BUFFER, read)?;
    let in_bytes = matches!(min, Buffer::Bytes(_));
    let expected = if in_bytes {
        "a size (60kB), like min"
    } else {
        "packets, a time or multiples of the BDP, like min"
    };
    let max = queue
        .required("max", expected, |v| read(v).filter(|max| matches!(max, Buffer::Bytes(_)) == in_bytes))?;
    Ok(RedSpec {
        min,
        max,
        max_p: queue.read("max_p", FRACTION, fraction)?.unwrap_or_else(|| parts(1, 10)),
        weight: queue.read("weight", FRACTION, fraction)?.unwrap_or_else(|| parts(2, 1000)),
        gentle: queue.read("gentle", "true or false", Value::as_bool)?.unwrap_or(true),
    })
}

/// n / of in units of 2⁻⁶⁴, rounded as a parsed decimal is.
fn parts(n: u128, of: u128) -> u64 {
    ((n << 64) / of) as u64
}

/// A probability above 0, as a number or as text.
pub(crate) fn fraction(value: &Value) -> Option<u64> {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.as_f64()?.to_string(), // never with an exponent
    };
    read_probability(&text).filter(|p| *p > 0)
}

const fn number(limit: Limit) -> u64 {
    match limit {
        Limit::Packets(n) | Limit::Bytes(n) | Limit::Time(n) => n,
    }
}

fn in_words(limit: Limit) -> String {
    match limit {
        Limit::Packets(n) => format!("{n} packets"),
        Limit::Bytes(n) => format!("{n} bytes"),
        Limit::Time(n) => units::write_time(n),
    }
}

/// A probability as the number that parses to it.
pub(crate) fn decimal_number(p: u64) -> Value {
    let text = probability(p);
    text.parse::<f64>().map_or(Value::String(text), |n| json!(n))
}

/// The queue, every default written out.
pub(crate) fn print(link: &LinkSpec) -> Value {
    let limit = write(link.buffer);
    match link.discipline {
        DisciplineSpec::DropTail => json!({ "kind": "droptail", "limit": limit }),
        DisciplineSpec::Red(red) => json!({
            "kind": "red",
            "limit": limit,
            "min": write(red.min),
            "max": write(red.max),
            "max_p": decimal_number(red.max_p),
            "weight": decimal_number(red.weight),
            "gentle": red.gentle,
        }),
    }
}
