// SPDX-License-Identifier: MIT OR Apache-2.0
//! Promises that an algorithm breaks on purpose, each with its source. `main.rs` shows every break: an exception that is
//! not needed fails its test.

use crate::random_history::ContractPromise::{
    self, ALossKeepsAHalf, GrowthIsBackedByAcknowledgements, NeverShrinksOnAnAck,
    NoGrowthWhileApplicationLimited,
};
use crate::support::is_called;
use cwnd::registry::SetDescription;

/// The promise, whose it is not (a set; `name*`: an algorithm with all its sets), and why.
pub type Exception = (ContractPromise, &'static str, &'static str);

pub const EXCEPTIONS: &[Exception] = &[
    (NeverShrinksOnAnAck, "vegas*", "shrinks when the RTT rises: Brakmo and Peterson 1995 §4"),
    (NeverShrinksOnAnAck, "fast", "shrinks when too many of its segments wait: Wei et al. 2006 §III"),
    (
        NeverShrinksOnAnAck,
        "yeah*",
        "takes a queue of more than 80 segments out of its window: Baiocchi et al. 2007",
    ),
    (
        NoGrowthWhileApplicationLimited,
        "vegas*",
        "judges a round by its RTT, whoever limited it: Brakmo and Peterson 1995 §4, Linux",
    ),
    (
        NoGrowthWhileApplicationLimited,
        "hybla-linux",
        "its initial window, ρ segments, comes with the first RTT where no handshake gave one: Linux's hybla_init",
    ),
    (
        GrowthIsBackedByAcknowledgements,
        "hybla-growth*",
        "2^ρ − 1 segments per segment in slow start, ρ² / w in avoidance: Caini and Firrincieli 2004",
    ),
    (
        GrowthIsBackedByAcknowledgements,
        "illinois-linux",
        "α of a larger window lasts to the round's end, and multiplies whatever an ACK brings: golden traces",
    ),
    (GrowthIsBackedByAcknowledgements, "illinois-2.6.22", "as illinois-linux"),
    (ALossKeepsAHalf, "illinois-2.6.22", "kept β instead of 1 − β, an eighth: that kernel's mistake"),
    (
        ALossKeepsAHalf,
        "cubic-linux*",
        "cwnd · 717 is kept in 32 bits, and wraps from six million segments on: recorded from Linux 6.18",
    ),
    (ALossKeepsAHalf, "westwood", "bandwidth × RTT, whatever the window was: Mascolo et al. 2001"),
];

/// Whether `set` may break `promise`.
pub fn excused(promise: ContractPromise, set: &SetDescription) -> bool {
    EXCEPTIONS.iter().any(|(which, whose, _)| *which == promise && is_called(set, whose))
}

/// The promise, the algorithm, the parameter and value, and why.
pub type BySetting = (ContractPromise, &'static str, Option<(&'static str, &'static str)>, &'static str);

/// The same for settings of one's own: the promise, the algorithm, the parameter and the value that break it (none: any
/// settings), and why.
pub const BY_SETTINGS: &[BySetting] = &[
    (
        NoGrowthWhileApplicationLimited,
        "hybla-growth*",
        Some(("first_window", "rho")),
        "as hybla-linux: the initial window comes with the first RTT",
    ),
    (
        GrowthIsBackedByAcknowledgements,
        "illinois*",
        Some(("arithmetic", "linux")),
        "as illinois-linux: α of a larger window lasts to the round's end",
    ),
    (
        ALossKeepsAHalf,
        "westwood*",
        None,
        "bandwidth × RTT, as the clock and the filters of the settings see it",
    ),
];

/// Whether `set` may break `promise` with these settings (name and value).
pub fn excused_by_settings(
    promise: ContractPromise,
    set: &SetDescription,
    settings: &[(String, String)],
) -> bool {
    BY_SETTINGS.iter().any(|(which, whose, needs, _)| {
        let given = |(name, value): (&str, &str)| settings.iter().any(|(n, v)| n == name && v == value);
        *which == promise && is_called(set, whose) && needs.is_none_or(given)
    })
}
