// SPDX-License-Identifier: MIT OR Apache-2.0
//! Times, rates and sizes that fit the rest of a document.

use super::context::{DocumentContext, LONGEST, MOST_QUEUED};
use crate::engine::choices::Choices;
use serde_json::{Value, json};

pub(super) fn time(ns: u64) -> Value {
    json!(format!("{ns}ns"))
}

pub(super) fn rate(bits: u64) -> Value {
    json!(format!("{bits}bit/s"))
}

/// An instant of the run, which may be its end.
pub(super) fn within(choices: &mut Choices<'_>, context: &DocumentContext) -> u64 {
    match choices.whole(0, 15) {
        15 => context.duration,
        14 => choices.magnitude(0, context.duration),
        part => (u128::from(context.duration) * u128::from(part) / 14) as u64,
    }
}

/// An instant before the run's end.
pub(super) fn before_end(choices: &mut Choices<'_>, context: &DocumentContext) -> u64 {
    within(choices, context).min(context.duration - 1)
}

/// A time that may be longer than the run.
pub(super) fn span(choices: &mut Choices<'_>, context: &DocumentContext) -> u64 {
    choices.magnitude(0, if context.wild { LONGEST } else { context.duration.saturating_mul(2) })
}

/// A time of the order of a round trip, above 0.
pub(super) fn short(choices: &mut Choices<'_>, context: &DocumentContext) -> u64 {
    choices.magnitude(1, context.rtt.max(1).saturating_mul(4).min(LONGEST))
}

/// Mostly so long that there are many of them.
pub(super) fn round_trip(choices: &mut Choices<'_>, context: &DocumentContext) -> u64 {
    if choices.chance(3) { span(choices, context) } else { context.duration / choices.magnitude(1, 1000) }
}

/// A rate of the order of the links' rates.
pub(super) fn some_rate(choices: &mut Choices<'_>, context: &DocumentContext) -> u64 {
    match choices.whole(0, 3) {
        0 => context.rate,
        1 => choices.magnitude((context.rate / 64).max(1), context.rate),
        2 => choices.magnitude(context.rate, context.rate.saturating_mul(8)),
        _ => (context.rate / choices.whole(1, 10)).max(1),
    }
}

/// A number from 0 to 1 of up to six decimals, in millionths.
pub(super) fn millionths(choices: &mut Choices<'_>) -> u64 {
    choices.magnitude(0, 1_000_000)
}

pub(super) fn decimal(millionths: u64) -> String {
    format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000)
}

/// The limit of a queue: mostly room for at least a packet, at the context's rate.
pub(super) fn size(choices: &mut Choices<'_>, context: &DocumentContext) -> String {
    let packets = choices.magnitude(1, if context.wild { 1 << 32 } else { MOST_QUEUED });
    let bytes = packets.saturating_mul(context.packet_size);
    let ns = |bytes: u64| (u128::from(bytes) * 8_000_000_000 / u128::from(context.rate)) as u64 + 1;
    match choices.whole(0, 15) {
        15 => format!("{}ns", span(choices, context)),
        14 => format!("{}bdp", decimal(choices.magnitude(1000, 10_000_000))),
        9..14 => format!("{bytes}B"),
        5..9 => format!("{}ns", ns(bytes.saturating_mul(16))), // some links are slower
        _ => format!("{packets}packets"),
    }
}
