// SPDX-License-Identifier: MIT OR Apache-2.0
//! Acknowledgements as packets on a delay line, for flows that are not fused.

use super::receiver::{AckPacket, SackBlocks};
use crate::network::{AckFields, PackedAck};

/// Size of an acknowledgement on the wire: IP and TCP headers with timestamps, bytes.
pub const ACK_BYTES: u32 = cwnd_scenario::HEADER_BYTES;

/// SACK blocks of acknowledgements in the network. Few acknowledgements have any, so they are kept apart from the packets.
#[derive(Clone, Debug, Default)]
pub struct AckSlab {
    blocks: Vec<SackBlocks>,
    free: Vec<u32>,
}

/// The position near `near` with these low 32 bits: within 2³¹ of it.
pub fn position(near: u64, low: u32) -> u64 {
    near.wrapping_add_signed(i64::from(low.wrapping_sub(near as u32).cast_signed()))
}

impl AckSlab {
    /// Packs an acknowledgement. Its blocks stay here until it is unpacked or released.
    pub fn pack(&mut self, ack: &AckPacket, blocks: Option<SackBlocks>) -> PackedAck {
        let (first_sent_us, newest_sent_us) = ack.sent_us.unwrap_or((0, 0));
        let times = if ack.sent_us.is_some() { AckFields::TIMES } else { AckFields::default() };
        let (detail, fields) = match (blocks, ack.sacked) {
            (Some(blocks), _) => (self.store(blocks), times.with(AckFields::BLOCKS)),
            (None, Some(sacked)) => (sacked as u32, times.with(AckFields::SACKED)),
            (None, None) => (0, times),
        };
        PackedAck { cumulative: ack.cumulative as u32, first_sent_us, newest_sent_us, detail, fields }
    }

    fn store(&mut self, blocks: SackBlocks) -> u32 {
        if let Some(place) = self.free.pop() {
            self.blocks[place as usize] = blocks;
            return place;
        }
        self.blocks.push(blocks);
        self.blocks.len() as u32 - 1
    }

    /// Unpacks an acknowledgement; `near` is any position of the flow's window.
    pub fn unpack(&mut self, packed: PackedAck, near: u64) -> (AckPacket, Option<SackBlocks>) {
        let PackedAck { cumulative, first_sent_us, newest_sent_us, detail, fields } = packed;
        let ack = AckPacket {
            cumulative: position(near, cumulative),
            sacked: fields.has(AckFields::SACKED).then(|| position(near, detail)),
            sent_us: fields.has(AckFields::TIMES).then_some((first_sent_us, newest_sent_us)),
            waited: false, // its blocks have come with it
        };
        (ack, self.release(fields, detail))
    }

    /// What the SACK option of an acknowledgement takes, in whole words, bytes. // RFC 2018 §3
    pub fn option_bytes(&self, fields: AckFields, detail: u32) -> u32 {
        let blocks = if fields.has(AckFields::BLOCKS) {
            self.blocks[detail as usize].count()
        } else {
            u32::from(fields.has(AckFields::SACKED))
        };
        if blocks > 0 { 4 + 8 * blocks } else { 0 }
    }

    /// Takes the blocks of an acknowledgement that has arrived or is lost, and frees their place.
    pub fn release(&mut self, fields: AckFields, detail: u32) -> Option<SackBlocks> {
        fields.has(AckFields::BLOCKS).then(|| {
            self.free.push(detail);
            self.blocks[detail as usize]
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
            let ack = AckPacket { cumulative, sacked, sent_us, waited: false };
            let packed = ack_slab.pack(&ack, None);
            let (out, blocks) = ack_slab.unpack(packed, near);
            assert_eq!(out, ack);
            assert!(blocks.is_none());
        }
    }

    // Two blocks and a duplicate: 4 + 3 · 8 bytes. One segment that is reported alone: 4 + 8.
    #[test]
    fn a_sack_option_has_four_bytes_and_eight_a_block() {
        let mut ack_slab = AckSlab::default();
        let bytes = |ack_slab: &mut AckSlab, sacked, blocks| {
            let ack = AckPacket { cumulative: 5, sacked, sent_us: None, waited: false };
            let packed = ack_slab.pack(&ack, blocks);
            ack_slab.option_bytes(packed.fields, packed.detail)
        };
        let blocks = SackBlocks::of(5, &[(7, 9), (12, 13)], Some(3));
        assert_eq!(bytes(&mut ack_slab, None, Some(blocks)), 28);
        assert_eq!(bytes(&mut ack_slab, Some(7), None), 12);
        assert_eq!(bytes(&mut ack_slab, None, None), 0);
    }
}
