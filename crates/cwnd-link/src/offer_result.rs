// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a queue answers to a packet that is offered to it. [`Link::offer`](crate::Link::offer) decides about a link.

use crate::aqm::DropCause;

/// The result of offering a packet to a queue.
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
