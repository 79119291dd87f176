// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much a queue may hold.

/// Limit of a queue. It counts the packets that wait, not the one being sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Waiting packets, the new one included.
    Packets(u64),
    /// Bytes of waiting packets, the new one included.
    Bytes(u64),
    /// Max queueing delay before a packet's own serialisation, ns: a limit that scales with the link's rate.
    Time(u64),
}
