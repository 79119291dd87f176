// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sending host: a random overhead between a sender's decision to send a packet and its transmission.

use cwnd_link::random::RandomStream;
use cwnd_link::{NEVER, SendOverhead};
use std::collections::VecDeque;

/// A packet that the sender has decided to send and that is still in the host.
#[derive(Clone, Copy, Debug)]
pub struct PendingSend {
    /// When it leaves the host, ns.
    leaves: u64,
    /// When the sender decided, ns. Its round trip time is measured from here, as with a timestamp option.
    pub at: u64,
    /// Its position.
    pub position: u64,
}

/// The host's packets, first in, first out.
#[derive(Debug)]
pub struct Host {
    /// When the first packet leaves, ns; [`NEVER`] when there is none.
    next: u64,
    overhead: SendOverhead,
    waiting: VecDeque<PendingSend>,
}

impl Host {
    /// A host with an overhead of up to `most` ns per packet.
    pub fn new(most: u64, stream: RandomStream) -> Self {
        Self { next: NEVER, overhead: SendOverhead::new(most, stream), waiting: VecDeque::new() }
    }

    /// When the next packet leaves, ns; [`NEVER`] for never.
    #[inline]
    pub const fn next(&self) -> u64 {
        self.next
    }

    /// The sender decides at `at` to send a packet.
    pub fn push(&mut self, at: u64, position: u64) {
        self.waiting.push_back(PendingSend { leaves: self.overhead.release(at), at, position });
        self.update_next();
    }

    /// The packet that leaves next.
    pub fn pop(&mut self) -> Option<PendingSend> {
        let first = self.waiting.pop_front();
        self.update_next();
        first
    }

    /// How many packets wait.
    pub fn len(&self) -> u64 {
        self.waiting.len() as u64
    }

    fn update_next(&mut self) {
        self.next = self.waiting.front().map_or(NEVER, |packet| packet.leaves);
    }
}
