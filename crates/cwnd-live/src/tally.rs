// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is counted of the packets that pass, and what the emulator has to know of each.

use crate::distinct::Distinct;
use crate::emulator::{DroppedPacket, Header};
use crate::lateness::Lateness;
use crate::paths::HostSide;
use crate::wire::{FIRST_PORT, TcpSegment};
use cwnd_link::{Drops, PacketClass};

/// What is counted while packets pass.
#[derive(Debug)]
pub struct Tally {
    /// How late packets were delivered.
    pub lateness: Lateness,
    /// Packets of other protocols, or of no flow.
    pub foreign: u64,
    /// Drops of each flow's data, in the measured interval and over the whole run.
    pub drops: Vec<[Drops; 2]>,
    /// Payload of each flow that has reached its receiver in the measured interval, each byte once.
    pub distinct_measured: Vec<u64>,
    sequences: Vec<Option<Sequence>>,
    distinct: Vec<Distinct>,
    measure: (u64, u64),
}

/// Sequence numbers of a flow.
#[derive(Clone, Copy, Debug)]
struct Sequence {
    /// Of its first byte.
    first: u32,
    /// The highest position seen, bytes.
    highest: u64,
}

impl Sequence {
    /// The position that a sequence number, of 32 bits, stands for: the one nearest to the highest.
    fn position(&mut self, number: u32) -> u64 {
        let low = number.wrapping_sub(self.first);
        let ahead = low.wrapping_sub(self.highest as u32) as i32;
        let position = self.highest.saturating_add_signed(i64::from(ahead));
        self.highest = self.highest.max(position);
        position
    }
}

/// A packet of IPv4, whatever is in it.
pub fn whole(packet: &[u8], from: HostSide) -> Option<Header> {
    let is_ipv4 = packet.len() >= 20 && packet[0] >> 4 == 4;
    let bytes = packet.len() as u32;
    is_ipv4.then_some(Header {
        flow: 0,
        from,
        bytes,
        class: Some(PacketClass::Data),
        position: 0,
        payload: 0,
    })
}

impl Tally {
    /// Nothing yet, of this many flows; `measure` is the measured interval, ns.
    pub fn new(flows: usize, measure: (u64, u64)) -> Self {
        Self {
            lateness: Lateness::default(),
            foreign: 0,
            drops: vec![[Drops::default(); 2]; flows],
            distinct_measured: vec![0; flows],
            sequences: vec![None; flows],
            distinct: vec![Distinct::default(); flows],
            measure,
        }
    }

    /// Data that were due at `due`, ns, have reached their receiver.
    pub fn note_arrival(&mut self, due: u64, header: &Header) {
        let new = self.distinct[header.flow as usize].note(header.position, u64::from(header.payload));
        if (self.measure.0..self.measure.1).contains(&due) {
            self.distinct_measured[header.flow as usize] += new;
        }
    }

    /// A packet of a flow's data was dropped.
    pub fn note_drop(&mut self, dropped: &DroppedPacket) {
        let drops = &mut self.drops[dropped.header.flow as usize];
        drops[1].count(dropped.cause);
        if (self.measure.0..self.measure.1).contains(&dropped.at) {
            drops[0].count(dropped.cause);
        }
    }

    /// What the emulator has to know of a packet; `None` if it belongs to no flow.
    pub fn header(&mut self, packet: &[u8], from: HostSide) -> Option<Header> {
        let segment = TcpSegment::read(packet)?;
        let port = match from {
            HostSide::Senders => segment.destination,
            HostSide::Receivers => segment.source,
        };
        let flow = u32::from(port.checked_sub(FIRST_PORT)?);
        let sequence = self.sequences.get_mut(flow as usize)?;
        if from == HostSide::Senders && segment.opens() {
            *sequence = Some(Sequence { first: segment.sequence.wrapping_add(1), highest: 0 });
        }
        let class = match from {
            HostSide::Senders => (segment.payload > 0).then_some(PacketClass::Data),
            HostSide::Receivers => (!segment.opens_or_closes()).then_some(PacketClass::Ack),
        };
        let position = match (class, sequence) {
            (Some(PacketClass::Data), Some(sequence)) => sequence.position(segment.sequence),
            _ => 0,
        };
        Some(Header { flow, from, bytes: segment.bytes, class, position, payload: segment.payload })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // 2^32 - 100 is the first byte: 200 bytes on, the number is 100. A retransmission of byte 50 stays behind.
    #[test]
    fn a_position_goes_on_where_the_number_wraps() {
        let mut sequence = Sequence { first: u32::MAX - 99, highest: 0 };
        assert_eq!(sequence.position(u32::MAX - 99), 0);
        assert_eq!(sequence.position(100), 200);
        assert_eq!(sequence.position(u32::MAX - 49), 50);
        for gigabytes in 1..=10u64 {
            assert_eq!(sequence.position((100u64 + (gigabytes << 30)) as u32), 200 + (gigabytes << 30));
        }
    }
}
