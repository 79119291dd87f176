// SPDX-License-Identifier: MIT OR Apache-2.0
//! What lies between a sender's decision to send a packet and the packet's start: the host's random overhead.

use cwnd_link::Overhead;
use cwnd_link::random::Stream;
use std::collections::VecDeque;

/// A packet that the sender has decided to send.
#[derive(Clone, Copy, Debug)]
pub struct Decided {
    /// When it leaves the host, ns.
    leaves: u64,
    /// When the sender decided, ns: what its round trip is measured from, as a timestamp option has it.
    pub at: u64,
    /// Its position.
    pub position: u64,
}

/// The host's packets, first in, first out.
#[derive(Debug)]
pub struct Host {
    /// When the first of them leaves, ns; `u64::MAX` when there is none.
    next: u64,
    overhead: Overhead,
    waiting: VecDeque<Decided>,
}

impl Host {
    /// A host that takes up to `most` ns for a packet.
    pub fn new(most: u64, stream: Stream) -> Self {
        Self { next: u64::MAX, overhead: Overhead::new(most, stream), waiting: VecDeque::new() }
    }

    /// When a packet next leaves, ns; `u64::MAX` for never.
    #[inline]
    pub const fn next(&self) -> u64 {
        self.next
    }

    /// The sender decides at `at` to send.
    pub fn push(&mut self, at: u64, position: u64) {
        self.waiting.push_back(Decided { leaves: self.overhead.release(at), at, position });
        self.look();
    }

    /// The packet that leaves next.
    pub fn pop(&mut self) -> Option<Decided> {
        let first = self.waiting.pop_front();
        self.look();
        first
    }

    /// How many packets wait.
    pub fn len(&self) -> u64 {
        self.waiting.len() as u64
    }

    fn look(&mut self) {
        self.next = self.waiting.front().map_or(u64::MAX, |packet| packet.leaves);
    }
}
