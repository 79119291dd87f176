// SPDX-License-Identifier: MIT OR Apache-2.0
//! A link without a rate: a packet takes no time to send and never waits. It may limit how many packets are on their way at once, as the
//! `limit` of tc-netem does without a `rate`.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What a running link without a rate has in place of a queue.
#[derive(Clone, Debug)]
pub(crate) struct NoRate {
    /// Most packets that are on their way at once; `None`: any number, and none is noted.
    limit: Option<u64>,
    /// When the packets that are on their way arrive, ns. They may overtake each other.
    arrivals: BinaryHeap<Reverse<u64>>,
}

impl NoRate {
    pub const fn new(limit: Option<u64>) -> Self {
        Self { limit, arrivals: BinaryHeap::new() }
    }

    /// Whether another packet may go on its way at `now`, ns. One that arrives at this instant is there.
    pub fn has_room(&mut self, now: u64) -> bool {
        let Some(limit) = self.limit else { return true };
        while self.arrivals.peek().is_some_and(|first| first.0 <= now) {
            self.arrivals.pop();
        }
        (self.arrivals.len() as u64) < limit
    }

    /// A packet is on its way, and arrives at this time, ns.
    pub fn note(&mut self, arrives: u64) {
        if self.limit.is_some() {
            self.arrivals.push(Reverse(arrives));
        }
    }
}
