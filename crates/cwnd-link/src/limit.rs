// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much a queue may hold.

/// Limit of a queue. It counts the packets that wait, not the one being sent, but for [`Limit::BytesInAll`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Waiting packets, the new one included.
    Packets(u64),
    /// Bytes of waiting packets, the new one included.
    Bytes(u64),
    /// Bytes of waiting packets and of the one being sent, the new one included. An idle link takes any packet.
    BytesInAll(u64),
    /// Max queueing delay before a packet's own serialisation, ns: a limit that scales with the link's rate.
    Time(u64),
}

impl Limit {
    /// The limit that counts the packet being sent too, as dummynet's does; one of time counts it already.
    #[must_use]
    pub const fn in_all(self) -> Self {
        match self {
            Self::Packets(most) => Self::Packets(most.saturating_sub(1)),
            Self::Bytes(most) => Self::BytesInAll(most),
            Self::BytesInAll(_) | Self::Time(_) => self,
        }
    }
}
