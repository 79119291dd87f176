// SPDX-License-Identifier: MIT OR Apache-2.0
//! Queue disciplines that decide at a packet's arrival.

use crate::admission::{Admission, Arrival};
use crate::drops::DropCause;
use crate::random::RandomStream;
use crate::red::{Red, RedConfig};

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

/// The result of offering a packet to a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfferResult {
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
    Dropped(DropCause),
}

/// Which queue discipline a link has, with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum QueueConfig {
    /// None: packets are dropped when there is no room.
    #[default]
    DropTail,
    /// Random Early Detection.
    Red(RedConfig),
}

/// A running queue discipline: an enum, so that calls are inlined. A new one needs a file, a variant here and one in [`QueueConfig`].
#[derive(Clone, Debug)]
pub(crate) enum QueueDiscipline {
    DropTail,
    Red(Red),
}

impl QueueDiscipline {
    pub fn new(queue: QueueConfig, stream: RandomStream) -> Self {
        match queue {
            QueueConfig::DropTail => Self::DropTail,
            QueueConfig::Red(params) => Self::Red(Red::new(params, stream)),
        }
    }

    #[inline]
    pub fn on_arrival(&mut self, arrival: &Arrival) -> Admission {
        match self {
            Self::DropTail if arrival.full => Admission::Drop(DropCause::Full),
            Self::DropTail => Admission::Accept,
            Self::Red(red) => red.on_arrival(arrival),
        }
    }
}
