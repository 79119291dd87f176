// SPDX-License-Identifier: MIT OR Apache-2.0
//! Queue disciplines that decide at a packet's arrival, and the words in which they answer.

use crate::random::Stream;
use crate::red::{Red, RedParams};

/// Size of a queue. What counts is what waits; the packet being sent does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Waiting packets, the new one included.
    Packets(u64),
    /// Bytes of waiting packets, the new one included.
    Bytes(u64),
    /// Longest wait before a packet's own serialisation, ns: a buffer that shrinks and grows with the link's rate.
    Time(u64),
}

/// What is in a queue at some instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Backlog {
    /// Packets.
    pub packets: u64,
    /// Bytes.
    pub bytes: u64,
}

/// What becomes of a packet offered to a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is accepted.
    Departs {
        /// When its first bit is sent, ns: the wait is from its arrival to here.
        begins: u64,
        /// When its last bit has been sent, ns; [`NEVER`](crate::NEVER) behind a rate that stays 0.
        at: u64,
        /// Whether it now carries a congestion mark (ECN).
        mark: bool,
    },
    /// It is dropped.
    Dropped(Cause),
}

/// Why a queue dropped a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// No room.
    Full,
    /// The discipline wanted it, before the queue was full.
    Early,
}

/// A discipline beside the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Queue {
    /// None: packets are dropped when there is no room.
    #[default]
    DropTail,
    /// Random Early Detection.
    Red(RedParams),
}

/// What a discipline is shown of an arrival. Enough for one that looks at delays (PIE) instead of lengths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub now: u64,
    pub size: u32,
    /// Whether the packet may be marked instead of dropped.
    pub ecn: bool,
    /// What waits, the packet being sent and this one excluded.
    pub waiting: Backlog,
    /// Since when nothing is being sent, ns, if nothing is.
    pub idle_since: Option<u64>,
    /// Rate of the link, bit/s.
    pub rate: u64,
    /// Whether the limit leaves no room for it.
    pub full: bool,
}

/// What a discipline wants done with an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    Accept,
    Mark,
    Drop(Cause),
}

/// A running discipline: an enum, so that calls are inlined. A new one is a file, a variant here and in [`Queue`].
#[derive(Clone, Debug)]
pub(crate) enum Discipline {
    DropTail,
    Red(Red),
}

impl Discipline {
    pub fn new(queue: Queue, stream: Stream) -> Self {
        match queue {
            Queue::DropTail => Self::DropTail,
            Queue::Red(params) => Self::Red(Red::new(params, stream)),
        }
    }

    #[inline]
    pub fn on_arrival(&mut self, arrival: &Arrival) -> Admission {
        match self {
            Self::DropTail if arrival.full => Admission::Drop(Cause::Full),
            Self::DropTail => Admission::Accept,
            Self::Red(red) => red.on_arrival(arrival),
        }
    }
}
