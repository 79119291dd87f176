// SPDX-License-Identifier: MIT OR Apache-2.0
//! Delay lines: packets on their way to a place that all of them reach in the order in which they set out.
//!
//! Packets that leave one link and have the same way before them share a line, whatever their flow: so an event is the front of a
//! ring, and a thousand flows of one round trip time cost the event queue one entry.

/// What a packet is, and what is done with it at the end of its line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Data: it has been at the receiver, and what that answers reaches the sender now.
    #[default]
    Fused,
    /// Data: it comes to its next link.
    Hop,
    /// Data: it comes to its receiver.
    Data,
    /// An acknowledgement comes to its next link.
    AckHop,
    /// An acknowledgement comes to the sender.
    Ack,
    /// A datagram comes to its next link.
    Datagram,
}

impl Kind {
    /// Whether it is a packet of data.
    pub const fn is_data(self) -> bool {
        matches!(self, Self::Fused | Self::Hop | Self::Data)
    }

    /// Whether it has left its flow's last link, or is in it.
    #[inline]
    pub const fn leaves_last_link(self) -> bool {
        matches!(self, Self::Fused | Self::Data)
    }
}

/// A packet under way.
#[derive(Clone, Copy, Debug, Default)]
pub struct Packet {
    /// When it reaches the end of its line, ns.
    pub due: u64,
    /// Data: when it left its link, ns. Acknowledgements: see [`crate::ack`].
    pub departs: u64,
    /// Its flow; of a datagram the group of traffic, and the way.
    pub flow: u32,
    /// Low 32 bits of its position; of an acknowledgement, of the position that it acknowledges up to; of a datagram its size.
    pub position: u32,
    /// When it was sent, µs, low 32 bits.
    pub sent_us: u32,
    /// What it is.
    pub kind: Kind,
    /// What an acknowledgement carries, see [`crate::ack`].
    pub flags: u8,
    /// Number of the link on its way that it comes to next.
    pub hop: u16,
}

const _: () = assert!(size_of::<Packet>() == 32);

/// A growing ring of packets, sorted by when they are due.
#[derive(Clone, Debug, Default)]
pub struct Line {
    ring: Vec<Packet>,
    head: usize,
    len: usize,
    /// The time of the line's entry in the event queue; `u64::MAX` when it has none.
    pub armed: u64,
    /// How many packets at the front are known to have left the link, so that they are counted already.
    passed: usize,
    /// Whether packets may leave the link in another order than they arrive.
    disordered: bool,
}

impl Line {
    /// An empty line; `disordered` if packets may overtake each other on it.
    pub fn new(disordered: bool) -> Self {
        Self { armed: u64::MAX, disordered, ..Self::default() }
    }

    /// Makes an empty line serve another flow.
    pub const fn renew(&mut self, disordered: bool) {
        self.disordered = disordered;
    }

    /// Packets under way.
    #[inline]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// The packet `index` places behind the front.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&Packet> {
        if index < self.len { Some(&self.ring[(self.head + index) & (self.ring.len() - 1)]) } else { None }
    }

    /// When the front is due, ns; `u64::MAX` when the line is empty.
    #[inline]
    pub fn next(&self) -> u64 {
        self.get(0).map_or(u64::MAX, |packet| packet.due)
    }

    /// Takes the front packet; tells whether it was counted as having left its link.
    #[inline]
    pub fn pop(&mut self) -> Option<(Packet, bool)> {
        let front = *self.get(0)?;
        self.head = (self.head + 1) & (self.ring.len() - 1);
        self.len -= 1;
        let counted = self.passed > 0;
        self.passed -= usize::from(counted);
        Some((front, counted))
    }

    /// Appends a packet, or sorts it in among those that it overtakes.
    #[inline(always)]
    pub fn push(&mut self, packet: Packet) {
        if self.len == self.ring.len() {
            self.grow();
        }
        let mask = self.ring.len() - 1;
        let at = if self.disordered { self.make_way(packet.due) } else { self.len };
        debug_assert!(at == 0 || self.ring[(self.head + at - 1) & mask].due <= packet.due);
        self.ring[(self.head + at) & mask] = packet;
        self.len += 1;
    }

    /// Moves those that a packet due at `due` overtakes one place back; its place.
    #[inline(never)]
    fn make_way(&mut self, due: u64) -> usize {
        let mask = self.ring.len() - 1;
        let mut at = self.len;
        while at > 0 && self.ring[(self.head + at - 1) & mask].due > due {
            self.ring[(self.head + at) & mask] = self.ring[(self.head + at - 1) & mask];
            at -= 1;
        }
        at
    }

    /// The packets that have left the link by `now` and were not counted yet, one after the other.
    pub fn pass(&mut self, now: u64) -> Option<Packet> {
        if self.disordered {
            return None; // counted where they arrive
        }
        let packet = *self.get(self.passed)?;
        if packet.departs > now {
            return None;
        }
        self.passed += 1;
        Some(packet)
    }

    /// The packets, from the front on.
    pub fn iter(&self) -> impl Iterator<Item = &Packet> {
        (0..self.len).filter_map(|index| self.get(index))
    }

    #[cold]
    fn grow(&mut self) {
        let room = (2 * self.ring.len()).max(8);
        let mut ring = Vec::with_capacity(room);
        ring.extend_from_slice(&self.ring[self.head..]);
        ring.extend_from_slice(&self.ring[..self.head]);
        ring.resize(room, Packet::default());
        self.ring = ring;
        self.head = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(due: u64) -> Packet {
        Packet { due, departs: due - 10, ..Packet::default() }
    }

    fn dues(line: &mut Line) -> Vec<u64> {
        std::iter::from_fn(|| line.pop().map(|(packet, _)| packet.due)).collect()
    }

    #[test]
    fn packets_keep_their_order_through_growth_and_wrap() {
        let mut line = Line::new(false);
        for round in 0..50_u64 {
            for n in 0..round {
                line.push(packet(1000 * round + n + 10));
            }
            assert_eq!(line.len(), round as usize);
            assert!(dues(&mut line).into_iter().eq((0..round).map(|n| 1000 * round + n + 10)));
        }
    }

    #[test]
    fn a_packet_that_overtakes_is_sorted_in_behind_those_due_with_it() {
        let mut line = Line::new(true);
        for (number, due) in [30, 50, 40, 20, 40, 60].into_iter().enumerate() {
            line.push(Packet { position: number as u32, ..packet(due) });
        }
        let order: Vec<u32> = line.iter().map(|packet| packet.position).collect();
        assert_eq!(order, [3, 0, 2, 4, 1, 5]);
    }

    #[test]
    fn a_packet_is_counted_once_when_it_leaves_the_link_or_when_it_is_taken() {
        let mut line = Line::new(false);
        for due in [20, 21, 35] {
            line.push(packet(due));
        }
        let passed = |line: &mut Line, now| std::iter::from_fn(|| line.pass(now)).count();
        assert_eq!((passed(&mut line, 9), passed(&mut line, 10), passed(&mut line, 11)), (0, 1, 1));
        assert_eq!(line.pop().map(|(_, counted)| counted), Some(true));
        assert_eq!(line.pop().map(|(_, counted)| counted), Some(true));
        assert_eq!(line.pop().map(|(_, counted)| counted), Some(false));
    }
}
