// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a queue discipline sees of packets, and what it decides.

use super::describe::Described;
use crate::ecn::Ecn;
use crate::packet_queue::{PacketQueue, Waiting};
use crate::random::RandomStream;

/// The content of a queue at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Backlog {
    /// Packets.
    pub packets: u64,
    /// Bytes.
    pub bytes: u64,
}

/// What a queue discipline sees of an arrival. Enough for one that uses delays (PIE) instead of lengths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub now: u64,
    pub size: u32,
    /// Whether the packet may be marked instead of dropped.
    pub ecn: Ecn,
    /// The packets that wait, without the one being sent and this one.
    pub waiting: Backlog,
    /// Since when the link is idle, ns; `None` if it is busy.
    pub idle_since: Option<u64>,
    /// Rate of the link, bit/s.
    pub rate: u64,
    /// Whether the queue has no room for it.
    pub full: bool,
}

/// A queue discipline's decision on an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    Accept,
    Mark,
    /// Dropped for the cause of the discipline.
    Drop,
    /// Dropped because the queue has no room for it.
    NoRoom,
}

/// A queue discipline that decides at a packet's arrival.
pub(crate) trait AtArrival: Described {
    type Config;

    /// Starts it; `stream` serves its random draws.
    fn new(config: Self::Config, stream: RandomStream) -> Self;

    fn on_arrival(&mut self, arrival: &Arrival) -> Admission;
}

/// A queue discipline that decides when a packet reaches the head of the queue.
pub(crate) trait AtHead: Described {
    type Config;

    /// Whether a packet that arrives at a full queue takes the place of those at the head, instead of being dropped.
    const MAKES_ROOM: bool = false;

    /// Starts it.
    fn new(config: Self::Config) -> Self;

    /// Takes the packet to send at `now`, and whether it now carries a congestion mark; hands those before it, which it drops, to `dropped`.
    fn dequeue<P>(
        &mut self,
        now: u64,
        queue: &mut PacketQueue<P>,
        dropped: impl FnMut(Waiting<P>),
    ) -> Option<(Waiting<P>, bool)>;
}
