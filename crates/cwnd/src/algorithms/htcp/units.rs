// SPDX-License-Identifier: MIT OR Apache-2.0
//! H-TCP's two arithmetics, and α's rise in either.

use super::{HtcpParams, LINUX};
use crate::conn::Conn;

/// Longest Δ that is told apart, µs (13 days): α is far beyond any window then.
const LONGEST_US: u64 = 1 << 40;

/// Parts of α and β.
pub(super) const fn parts(params: &HtcpParams) -> u32 {
    if params.arithmetic == LINUX { 128 } else { 1_024 }
}

/// Units of time in a second.
pub(super) fn hz(conn: &Conn, params: &HtcpParams) -> u64 {
    if params.arithmetic == LINUX { u64::from(conn.tick_hz) } else { 1_000_000 }
}

pub(super) fn now(conn: &Conn, params: &HtcpParams) -> u64 {
    if params.arithmetic == LINUX { u64::from(conn.ticks) } else { conn.now_us }
}

pub(super) fn since(conn: &Conn, then: u64, params: &HtcpParams) -> u64 {
    if params.arithmetic == LINUX {
        u64::from(conn.ticks.wrapping_sub(then as u32))
    } else {
        conn.now_us.saturating_sub(then).min(LONGEST_US)
    }
}

/// A quotient, 0 where there is none: the compiler does not see that these divisors are not 0, and the panic that it would
/// leave has no place in the kernel.
pub(super) fn over(numerator: u64, denominator: u64) -> u64 {
    numerator.checked_div(denominator).unwrap_or(0)
}

/// Milliseconds or microseconds in units of time, rounded up as the kernel does.
pub(super) fn in_units(value: u32, per_s: u64, hz: u64) -> u32 {
    over(u64::from(value) * hz + per_s - 1, per_s).min(u64::from(u32::MAX)) as u32
}

/// α(Δ) − 1 in 1/`hz`, for Δ in 1/`hz` s.  // Leith and Shorten 2004
pub(super) fn rise(delta: u64, hz: u64, params: &HtcpParams) -> u64 {
    let beyond = delta.saturating_sub(u64::from(params.delta_l_ms) * hz / 1_000);
    let quotient = over(beyond, u64::from(params.divisor)).min(u64::from(u32::MAX));
    (u64::from(params.slope) * beyond).saturating_add(over(quotient * quotient, hz))
}
