// SPDX-License-Identifier: MIT OR Apache-2.0
//! The packets of one flow that have been accepted by the bottleneck: a delay line, first in, first out.

/// A data packet under way.
#[derive(Clone, Copy, Debug, Default)]
pub struct Packet {
    /// When an immediate acknowledgement of it would reach the sender, ns.
    pub due: u64,
    /// Its position, low 32 bits.
    pub position: u32,
    /// When it was sent, µs, low 32 bits.
    pub sent_us: u32,
}

/// A growing ring of packets.
#[derive(Clone, Debug)]
pub struct Pipe {
    ring: Vec<Packet>,
    head: usize,
    len: usize,
}

impl Default for Pipe {
    fn default() -> Self {
        Self { ring: vec![Packet::default(); 64], head: 0, len: 0 }
    }
}

impl Pipe {
    /// Packets under way.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// The packet `index` places behind the front.
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&Packet> {
        if index < self.len { Some(&self.ring[(self.head + index) & (self.ring.len() - 1)]) } else { None }
    }

    /// Takes the front packet.
    #[inline]
    pub fn pop(&mut self) -> Option<Packet> {
        let front = *self.get(0)?;
        self.head = (self.head + 1) & (self.ring.len() - 1);
        self.len -= 1;
        Some(front)
    }

    /// Appends a packet.
    #[inline]
    pub fn push(&mut self, packet: Packet) {
        if self.len == self.ring.len() {
            self.grow();
        }
        let tail = (self.head + self.len) & (self.ring.len() - 1);
        self.ring[tail] = packet;
        self.len += 1;
    }

    #[cold]
    fn grow(&mut self) {
        let mut ring = Vec::with_capacity(2 * self.ring.len());
        ring.extend_from_slice(&self.ring[self.head..]);
        ring.extend_from_slice(&self.ring[..self.head]);
        ring.resize(2 * self.ring.len(), Packet::default());
        self.ring = ring;
        self.head = 0;
    }
}
