// SPDX-License-Identifier: MIT OR Apache-2.0
//! One file per algorithm; each published form of one is a parameter set in its file.

pub mod cubic;
pub mod reno;

/// Names of the ways to count an acknowledgement, in the order of their numbers.
pub const COUNT_NAMES: &[&str] = &["segments", "acks"];
/// Every acknowledged segment counts (RFC 3465, RFC 9438, Linux).
pub const COUNT_SEGMENTS: u32 = 0;
/// Every acknowledgement counts once, whatever it acknowledges (RFC 5681 eq 3, and the papers' years).
pub const COUNT_ACKS: u32 = 1;

/// What an acknowledgement of `acked` segments is worth in congestion avoidance.
#[inline]
pub(crate) const fn counted(count: u32, acked: u32) -> u32 {
    if count == COUNT_ACKS && acked > 0 { 1 } else { acked }
}
