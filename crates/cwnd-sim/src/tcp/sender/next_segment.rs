// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a sender sends next.

/// A segment to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tcp) enum NextSegment {
    /// A segment for the first time.
    New,
    /// The segment at this position again.
    Retransmission(u64),
    /// The segment at this position again: once per recovery, when nothing else may go (RFC 6675 §4, rule 4), or as a probe.
    Rescue(u64),
}
