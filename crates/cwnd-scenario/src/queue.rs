// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks the queue of a link, when its rate and RTT are known.

use crate::buffer::{Buffer, write};
use crate::invalid::{Invalid, shown};
use crate::keys::link::LinkSpec;
use crate::units;
use cwnd_link::{Limit, SettingKind, SettingValue};
use serde_json::Value;

/// Checks the queue of `link`, as it was `written` at `path`.
pub(crate) fn check(
    link: &LinkSpec,
    packet: u32,
    path: &str,
    written: Option<&Value>,
) -> Result<(), Invalid> {
    let Some(spec) = &link.queue else { return Ok(()) };
    let field = |key: &str| written.and_then(|queue| queue.get(key)).map(shown);
    let discipline = &spec.discipline;
    for (setting, value) in discipline.rows() {
        if let (SettingKind::TimeNotBelow(lower), SettingValue::Number(time)) = (setting.kind, value) {
            let least = discipline.rows().find_map(|(row, value)| match value {
                SettingValue::Number(least) if row.name == lower => Some(least),
                _ => None,
            });
            let least = least.filter(|least| time < *least);
            let Some(least) = least.map(units::write_time) else { continue };
            let time =
                field(setting.name).unwrap_or_else(|| format!("the default, {}", units::write_time(time)));
            return Err(Invalid {
                field: format!("{path}.{}", setting.name),
                value: Some(time),
                expected: format!("at least {lower}, which is {least}"),
            });
        }
        let (SettingKind::QueueSizeAbove(lower), SettingValue::Size(size)) = (setting.kind, value) else {
            continue;
        };
        let below = discipline.rows().find(|(row, _)| row.name == lower);
        let Some((_, SettingValue::Size(below))) = below else { continue };
        let (min, max) = (link.threshold(below, packet), link.threshold(size, packet));
        if number(max) <= number(min) {
            return Err(Invalid {
                field: format!("{path}.{}", setting.name),
                value: field(setting.name).or_else(|| Some(write(size))),
                expected: format!("more than {lower}, which is {}; this is {}", in_words(min), in_words(max)),
            });
        }
    }
    check_limit(link, spec.limit, packet).map_err(|expected| Invalid {
        field: format!("{path}.limit"),
        value: Some(field("limit").unwrap_or_else(|| format!("the default, {}", write(spec.limit)))),
        expected,
    })
}

/// Checks that the queue of `link` may have the limit `buffer`; the error is what is expected instead.
pub(crate) fn check_limit(link: &LinkSpec, buffer: Buffer, packet: u32) -> Result<(), String> {
    if buffer == Buffer::Infinite {
        return Ok(());
    }
    let (packets, bytes) = match link.limit(buffer, packet) {
        Limit::Packets(n) => (n, n.saturating_mul(u64::from(packet))),
        Limit::Bytes(n) | Limit::BytesInAll(n) => (n / u64::from(packet), n),
        Limit::Time(ns) => {
            let bytes = u128::from(link.nominal_rate()) * u128::from(ns) / 8_000_000_000;
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

const fn number(limit: Limit) -> u64 {
    match limit {
        Limit::Packets(n) | Limit::Bytes(n) | Limit::BytesInAll(n) | Limit::Time(n) => n,
    }
}

fn in_words(limit: Limit) -> String {
    match limit {
        Limit::Packets(n) => format!("{n} packets"),
        Limit::Bytes(n) | Limit::BytesInAll(n) => format!("{n} bytes"),
        Limit::Time(n) => units::write_time(n),
    }
}
