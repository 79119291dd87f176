// SPDX-License-Identifier: MIT OR Apache-2.0
//! The packets that wait in a queue that holds them.

use crate::ecn::Ecn;
use std::collections::VecDeque;

/// A packet that waits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting<P> {
    /// When it arrived, ns.
    pub arrived: u64,
    /// Bytes.
    pub size: u32,
    /// Whether it may be marked instead of dropped.
    pub ecn: Ecn,
    pub packet: P,
}

/// The packets that wait, first in, first out.
#[derive(Clone, Debug)]
pub(crate) struct PacketQueue<P> {
    pub packets: VecDeque<Waiting<P>>,
    bytes: u64,
}

impl<P> Default for PacketQueue<P> {
    fn default() -> Self {
        Self { packets: VecDeque::new(), bytes: 0 }
    }
}

impl<P> PacketQueue<P> {
    /// Appends a packet.
    pub fn push(&mut self, packet: Waiting<P>) {
        self.bytes += u64::from(packet.size);
        self.packets.push_back(packet);
    }

    /// Takes the first.
    pub fn pop(&mut self) -> Option<Waiting<P>> {
        let packet = self.packets.pop_front()?;
        self.bytes -= u64::from(packet.size);
        Some(packet)
    }

    /// Bytes of all of them.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }
}
