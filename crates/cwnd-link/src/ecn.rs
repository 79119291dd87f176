// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a queue sees of a packet's ECN field.

/// Whether a packet is ECN-capable (RFC 3168): whether it may be marked instead of dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ecn {
    /// Not-ECT.
    NotCapable,
    /// ECT.
    Capable,
}
