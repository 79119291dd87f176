// SPDX-License-Identifier: MIT OR Apache-2.0
//! A TCP receiver: reassembly, delayed acknowledgements (RFC 5681 §4.2), selective acknowledgements (RFC 2018).

use crate::bits::Bits;
use crate::pipe::Packet;

/// An acknowledgement as it reaches the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckPacket {
    /// Everything before this position has arrived.
    pub cumulative: u64,
    /// A segment beyond it that has just arrived (the first block of the SACK option, newest edge).
    pub sacked: Option<u64>,
    /// When the first and the newest segment that it acknowledges in order were sent, µs (the timestamp echo, and what
    /// a sender knows of its newest segment).
    pub sent_us: Option<(u32, u32)>,
}

/// State of one flow's receiver.
#[derive(Clone, Debug, Default)]
pub struct Receiver {
    next: u64,
    /// There only while something has arrived beyond `next`.
    beyond: Option<Box<Beyond>>,
    /// Segments in order not yet acknowledged.
    pending: u32,
    first_sent_us: u32,
    newest_sent_us: u32,
    /// Segments that arrived for the first time.
    pub distinct: u64,
    /// Segments that arrived at all.
    pub arrived: u64,
}

/// What arrived beyond a hole.
#[derive(Clone, Debug, Default)]
struct Beyond {
    arrived: Bits,
    /// One past the highest position among it.
    highest: u64,
}

impl Receiver {
    /// A packet arrived. Returns the acknowledgement that it causes now; `None` means that one is being delayed.
    #[inline]
    pub fn on_packet(&mut self, packet: &Packet, ack_every: u32) -> Option<AckPacket> {
        self.arrived += 1;
        // Positions are within 2³¹ of `next`, so the low half identifies them.
        let ahead = packet.position.wrapping_sub(self.next as u32).cast_signed();
        if ahead == 0 {
            if self.pending == 0 {
                self.first_sent_us = packet.sent_us;
            }
            self.newest_sent_us = packet.sent_us;
            self.pending += 1;
            self.distinct += 1;
            self.next += 1;
            if self.beyond.is_some() {
                // RFC 5681 §4.2: a segment that fills a hole, or part of one, is acknowledged at once.
                self.fill();
                return Some(self.acknowledge());
            }
            return (self.pending >= ack_every).then(|| self.acknowledge());
        }
        let mut sacked = None;
        if ahead > 0 {
            let position = self.next + u64::from(ahead.unsigned_abs());
            let beyond = self.beyond.get_or_insert_default();
            beyond.arrived.cover(self.next, position + 1);
            if !beyond.arrived.get(position) {
                beyond.arrived.set(position);
                self.distinct += 1;
                sacked = Some(position);
            }
            beyond.highest = beyond.highest.max(position + 1);
        }
        // RFC 5681 §4.2: out of order, or old: a duplicate acknowledgement at once.
        let sent_us = (self.pending > 0).then_some((self.first_sent_us, self.newest_sent_us));
        self.pending = 0;
        Some(AckPacket { cumulative: self.next, sacked, sent_us })
    }

    /// The delay is over.
    pub fn on_delay_over(&mut self) -> AckPacket {
        self.acknowledge()
    }

    fn acknowledge(&mut self) -> AckPacket {
        self.pending = 0;
        AckPacket {
            cumulative: self.next,
            sacked: None,
            sent_us: Some((self.first_sent_us, self.newest_sent_us)),
        }
    }

    /// Moves `next` over what had arrived beyond a hole.
    fn fill(&mut self) {
        let Some(beyond) = &self.beyond else { return };
        self.next = beyond.arrived.first_clear(self.next, beyond.highest).unwrap_or(beyond.highest);
        if self.next == beyond.highest {
            self.beyond = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(position: u32) -> Packet {
        Packet { due: 0, position, sent_us: 100 + position }
    }

    fn acks(positions: &[u32], ack_every: u32) -> Vec<Option<(u64, Option<u64>)>> {
        let mut receiver = Receiver::default();
        positions
            .iter()
            .map(|&p| receiver.on_packet(&packet(p), ack_every).map(|ack| (ack.cumulative, ack.sacked)))
            .collect()
    }

    #[test]
    fn every_second_segment_in_order_is_acknowledged() {
        assert_eq!(acks(&[0, 1, 2, 3], 2), [None, Some((2, None)), None, Some((4, None))]);
    }

    #[test]
    fn a_hole_is_reported_at_once_and_its_filling_too() {
        assert_eq!(
            acks(&[0, 2, 3, 1, 4], 2),
            [None, Some((1, Some(2))), Some((1, Some(3))), Some((4, None)), None]
        );
    }

    #[test]
    fn an_old_segment_is_acknowledged_again_but_not_counted() {
        let mut receiver = Receiver::default();
        for position in [0, 1, 0, 3, 3] {
            receiver.on_packet(&packet(position), 2);
        }
        assert_eq!((receiver.arrived, receiver.distinct), (5, 3));
    }

    #[test]
    fn a_delayed_acknowledgement_echoes_the_first_segment() {
        let mut receiver = Receiver::default();
        receiver.on_packet(&packet(0), 3);
        receiver.on_packet(&packet(1), 3);
        assert_eq!(receiver.on_packet(&packet(2), 3).and_then(|ack| ack.sent_us), Some((100, 102)));
    }
}
