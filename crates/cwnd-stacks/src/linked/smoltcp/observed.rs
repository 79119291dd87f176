// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the segments of the sending end say: smoltcp shows neither its window nor its measurements.

use smoltcp::wire::{TcpPacket, TcpSeqNumber};
use std::collections::VecDeque;

/// What has been seen at the device.
#[derive(Debug, Default)]
pub(super) struct Observed {
    /// The sequence number that [`Observed::acknowledged`] stands for.
    sequence: TcpSeqNumber,
    /// How far the peer has acknowledged, and how far data have been sent, from the SYN on.
    acknowledged: u64,
    sent: u64,
    /// Ends of segments that nothing was sent again beside, and when they left.
    samples: VecDeque<(u64, u64)>,
    retransmissions: u64,
    timeouts: u64,
    /// The stack's timer has fired, and nothing has left since.
    by_timer: bool,
    srtt: u64,
    min_rtt: u64,
}

impl Observed {
    /// A segment leaves.
    pub(super) fn on_sent(&mut self, now: u64, segment: &[u8]) {
        let Ok(packet) = TcpPacket::new_checked(segment) else { return };
        if packet.syn() && self.sent == 0 {
            self.sequence = packet.seq_number();
        }
        let length = packet.segment_len() as u64;
        let begin = self.place(packet.seq_number());
        if length == 0 {
            return;
        }
        let by_timer = std::mem::take(&mut self.by_timer);
        if begin < self.sent {
            self.retransmissions += 1;
            // RFC 6298 §5.4: the earliest segment that has not been acknowledged, and nothing but the timer asked for it.
            self.timeouts += u64::from(by_timer && begin == self.acknowledged);
            // Which of the two an acknowledgement is for, nobody knows. // RFC 6298 §3
            self.samples.clear();
        }
        if begin + length > self.sent {
            self.sent = begin + length;
            self.samples.push_back((self.sent, now));
        }
    }

    /// The stack's timer fires, or (`false`) something else makes it send.
    pub(super) fn on_cause(&mut self, by_timer: bool) {
        self.by_timer = by_timer;
    }

    /// A segment arrives.
    pub(super) fn on_arrival(&mut self, now: u64, segment: &[u8]) {
        let Ok(packet) = TcpPacket::new_checked(segment) else { return };
        let to = self.place(packet.ack_number());
        if !packet.ack() || to <= self.acknowledged || to > self.sent {
            return;
        }
        (self.sequence, self.acknowledged) = (packet.ack_number(), to);
        let mut last = None;
        while let Some(&(end, left)) = self.samples.front().filter(|(end, _)| *end <= to) {
            last = (end == to).then_some(left);
            self.samples.pop_front();
        }
        let Some(left) = last else { return };
        let rtt = now - left;
        self.min_rtt = if self.min_rtt == 0 { rtt } else { self.min_rtt.min(rtt) };
        // RFC 6298 §2.3
        self.srtt = if self.srtt == 0 { rtt } else { self.srtt - self.srtt / 8 + rtt / 8 };
    }

    /// A sequence number as a place in the stream; at most 2 GiB lie between it and what has been acknowledged.
    fn place(&self, sequence: TcpSeqNumber) -> u64 {
        self.acknowledged.saturating_add_signed(i64::from(sequence.0.wrapping_sub(self.sequence.0)))
    }

    /// Bytes sent and not acknowledged. // RFC 5681 §2, FlightSize
    pub(super) fn in_flight(&self) -> u64 {
        self.sent - self.acknowledged
    }

    /// Segments that were sent again.
    pub(super) fn retransmissions(&self) -> u64 {
        self.retransmissions
    }

    /// Times that its retransmission timer made it send.
    pub(super) fn timeouts(&self) -> u64 {
        self.timeouts
    }

    /// The smoothed and the smallest round trip time, ns; 0 before the first sample.
    pub(super) fn rtts(&self) -> (u64, u64) {
        (self.srtt, self.min_rtt)
    }
}
