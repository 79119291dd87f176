// SPDX-License-Identifier: MIT OR Apache-2.0
//! Acknowledgements as packets on a delay line, for flows that are not fused.

use crate::delay_line::{Packet, PacketKind};
use crate::receiver::{AckPacket, Blocks};

/// Size of an acknowledgement on the wire: IP and TCP headers with timestamps, bytes.
pub const ACK_BYTES: u32 = cwnd_scenario::HEADER_BYTES;

const HAS_TIMES: u8 = 1;
const HAS_SACKED: u8 = 2;
const HAS_BLOCKS: u8 = 4;

/// SACK blocks of acknowledgements in the network. Few acknowledgements have any, so they are kept apart from the packets.
#[derive(Clone, Debug, Default)]
pub struct AckSlab {
    blocks: Vec<Blocks>,
    free: Vec<u32>,
}

/// The position near `near` with these low 32 bits: within 2³¹ of it.
fn position(near: u64, low: u32) -> u64 {
    near.wrapping_add_signed(i64::from(low.wrapping_sub(near as u32).cast_signed()))
}

impl AckSlab {
    /// Packs an acknowledgement; the caller sets when it is due and its path. Low 32 bits of `departs`: when the newest segment was
    /// sent. High 32 bits: the segment that it reports, or the index of its blocks.
    pub fn pack(&mut self, flow: u32, ack: &AckPacket, blocks: Option<Blocks>) -> Packet {
        let (first_us, newest_us) = ack.sent_us.unwrap_or((0, 0));
        let mut flags = if ack.sent_us.is_some() { HAS_TIMES } else { 0 };
        let mut high = 0;
        if let Some(blocks) = blocks {
            flags |= HAS_BLOCKS;
            high = self.keep(blocks);
        } else if let Some(sacked) = ack.sacked {
            flags |= HAS_SACKED;
            high = sacked as u32;
        }
        Packet {
            departs: u64::from(high) << 32 | u64::from(newest_us),
            flow,
            position: ack.cumulative as u32,
            sent_us: first_us,
            kind: PacketKind::Ack,
            flags,
            ..Packet::default()
        }
    }

    fn keep(&mut self, blocks: Blocks) -> u32 {
        if let Some(place) = self.free.pop() {
            self.blocks[place as usize] = blocks;
            return place;
        }
        self.blocks.push(blocks);
        self.blocks.len() as u32 - 1
    }

    /// Unpacks an acknowledgement; `near` is any position of the flow's window.
    pub fn unpack(&mut self, packet: &Packet, near: u64) -> (AckPacket, Option<Blocks>) {
        let high = (packet.departs >> 32) as u32;
        let has = |flag| packet.flags & flag != 0;
        let ack = AckPacket {
            cumulative: position(near, packet.position),
            sacked: has(HAS_SACKED).then(|| position(near, high)),
            sent_us: has(HAS_TIMES).then_some((packet.sent_us, packet.departs as u32)),
        };
        (ack, self.release(packet))
    }

    /// Takes the blocks of a packet that has arrived or is lost, and frees their place.
    pub fn release(&mut self, packet: &Packet) -> Option<Blocks> {
        (packet.flags & HAS_BLOCKS != 0).then(|| {
            let place = (packet.departs >> 32) as u32;
            self.free.push(place);
            self.blocks[place as usize]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_acknowledgement_comes_out_as_it_went_in() {
        let mut ack_slab = AckSlab::default();
        let near = (1 << 40) - 5;
        for (cumulative, sacked, sent_us) in [
            (near, None, None),
            (near + 100, Some(near + 101), Some((u32::MAX, 3))),
            (near - 7, Some(near - 5), None),
            (1 << 40, None, Some((0, 0))),
        ] {
            let ack = AckPacket { cumulative, sacked, sent_us };
            let packet = ack_slab.pack(9, &ack, None);
            assert_eq!((packet.flow, packet.kind), (9, PacketKind::Ack));
            let (out, blocks) = ack_slab.unpack(&packet, near);
            assert_eq!(out, ack);
            assert!(blocks.is_none());
        }
    }
}
