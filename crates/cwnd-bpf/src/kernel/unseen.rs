// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a recording of packets lacks although its ring buffer had room.

use std::collections::HashMap;

use cwnd_bpf_build::shared_structs::RawPacket;

/// [`RawPacket::kind`] of what was sent.
const SENT: u32 = 1;

/// Compares the segments that were recorded with those that the kernel counts.
#[derive(Debug, Default)]
pub struct UnseenSegments {
    /// Of each connection, what the kernel had counted at its last packet.
    counted: HashMap<u64, u32>,
    /// Counted by the kernel, and not recorded.
    pub segments: u64,
}

impl UnseenSegments {
    /// The next packet that was recorded, and its connection.
    pub fn note(&mut self, connection: u64, packet: &RawPacket) {
        let now = packet.data_segs_out;
        // A connection may have sent before it was recorded.
        let Some(before) = self.counted.insert(connection, now) else { return };
        let sent = now.wrapping_sub(before);
        self.segments += u64::from(sent.saturating_sub(data_segments(packet)));
    }
}

/// The segments with data in a packet that was sent.
fn data_segments(raw: &RawPacket) -> u32 {
    let header = u32::from(raw.header[12] >> 4) * 4;
    match raw.bytes.saturating_sub(header) {
        data if raw.kind != SENT || data == 0 => 0,
        data => data.div_ceil(if raw.gso_size == 0 { data } else { raw.gso_size }),
    }
}
