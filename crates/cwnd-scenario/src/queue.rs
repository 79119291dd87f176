// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks the queue of a link, when its rate and RTT are known.

use crate::buffer::write;
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
    link.check_limit(spec.limit, packet).map_err(|expected| Invalid {
        field: format!("{path}.limit"),
        value: Some(field("limit").unwrap_or_else(|| format!("the default, {}", write(spec.limit)))),
        expected,
    })
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
