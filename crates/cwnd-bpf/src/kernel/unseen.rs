// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a recording of packets lacks: the kernel counts what it sends, too.

use std::collections::HashMap;

use cwnd_kernel_records::{PacketRecord, RawPacket};

/// [`RawPacket::kind`] of what was sent.
const SENT: u32 = 1;

/// Compares the segments with data that were recorded with those that the kernel counts. Some are not recorded: the ring buffer was full, or no
/// tracing program ran when they left, which has been seen where an interrupt falls into certain tasks, on some machines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnseenSegments {
    /// Of each connection, what the kernel had counted at its last packet.
    counted: HashMap<u64, u32>,
    segments: u64,
}

impl UnseenSegments {
    /// Counts on with the next packet that was recorded.
    pub fn note(&mut self, packet: &PacketRecord) {
        let now = packet.raw.data_segs_out;
        // A connection may have sent before it was recorded.
        let Some(before) = self.counted.insert(packet.connection, now) else { return };
        // The count goes back where a new connection has got the socket's memory, and nothing told so.
        let sent = now.saturating_sub(before);
        self.segments += u64::from(sent.saturating_sub(data_segments(&packet.raw)));
    }

    /// Segments that the kernel counts and that were not recorded, so far.
    #[must_use]
    pub const fn segments(&self) -> u64 {
        self.segments
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

#[cfg(test)]
mod tests {
    use super::*;
    use cwnd_kernel_records::{PACKET_BYTES, packet};

    // A packet of one connection with a header of 20 bytes: ((kind, bytes, size of its segments, the kernel's count), unseen so far).
    #[test]
    fn what_the_kernel_counts_and_no_record_shows_is_unseen() {
        let mut unseen = UnseenSegments::default();
        for (at, ((kind, bytes, gso_size, data_segs_out), expected)) in [
            ((SENT, 1020, 0, 8), 0), // the first that is recorded: seven went before the recording
            ((SENT, 1020, 0, 9), 0), // one by one
            ((SENT, 20, 0, 9), 0),   // no data
            ((SENT, 3520, 1000, 13), 0), // 1000, 1000, 1000 and 500 bytes at once
            ((0, 20, 0, 13), 0),     // an acknowledgement
            ((0, 1020, 0, 16), 3),   // before it three left unseen; its own data is not the sender's
            ((SENT, 1020, 0, 18), 4), // one between the two
            ((SENT, 1020, 0, 1), 4), // another connection, under the same number
            ((SENT, 1020, 0, 3), 5),
        ]
        .into_iter()
        .enumerate()
        {
            let blank = packet(&[0; PACKET_BYTES], 0);
            let mut raw = RawPacket { kind, bytes, gso_size, data_segs_out, ..blank };
            raw.header[12] = 5 << 4;
            unseen.note(&PacketRecord { seq: 0, connection: 3, raw });
            assert_eq!(unseen.segments(), expected, "row {at}");
        }
    }
}
