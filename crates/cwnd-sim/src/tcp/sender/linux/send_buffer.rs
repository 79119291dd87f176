// SPDX-License-Identifier: MIT OR Apache-2.0
//! A sender's buffer: data that the application has written and that is not acknowledged yet, in packets as Linux keeps it; and the memory
//! of these packets.
//!
//! The application fills the last packet up to its full size before it begins another (`tcp_sendmsg_locked`). A transmission cuts its data
//! off the first packet, which is filled up from the next one before (`tso_fragment`, `tcp_grow_skb`). Each packet takes memory in addition to its
//! data, sent or not, until all of it is acknowledged. The buffer has memory for two windows in packets of one segment, and grows only while less
//! is in flight than the window allows (`tcp_should_expand_sndbuf`, `tcp_sndbuf_expand`).

use std::collections::VecDeque;
use std::ops::Range;

/// Memory of a packet in addition to its data, bytes: its head and its description. // Linux: tcp_stream_alloc_skb
const OVERHEAD: u32 = 960;
/// Its parts: the description; and in the head, the headers and the list of pages. // Linux: struct sk_buff, MAX_TCP_HEADER, struct skb_shared_info
const DESCRIPTION: u32 = 256;
const HEAD: u32 = 320 + 320;
/// Options that a segment may do without: the timestamps.
const OPTIONS: u32 = 12;
/// The smallest window for which a buffer has room, segments. // Linux: TCP_INIT_CWND
const LEAST_SEGMENTS: u32 = 10;
/// The most that the buffer grows to, bytes: that of the hosts of lane linux.
const MOST: u64 = 64 << 20;
/// An application waits when this many bytes are unsent; the second limit is for one with a stop time, so that it leaves at most one write
/// behind. The senders of lane linux have the same limits.
const UNSENT: u32 = 1 << 20;
pub const UNSENT_AT_STOP: u32 = 1 << 16;

/// What a packet of one full segment takes at most, bytes: a head of a power of two. // Linux: tcp_sndbuf_expand
const fn largest_packet(mss: u32) -> u32 {
    (mss + OPTIONS + HEAD).next_power_of_two() + DESCRIPTION
}

/// The data of a connection that is not acknowledged yet.
#[derive(Clone, Debug, Default)]
pub struct SendBuffer {
    /// Payload of a segment, bytes.
    mss: u32,
    /// Bytes of a full packet.
    goal: u32,
    /// Bytes of the packets that are not sent yet, and the sum.
    packets: VecDeque<u32>,
    unsent: u32,
    /// Segments of the packets that are sent and not acknowledged yet; before the first of them, a segment of this position.
    sent: VecDeque<u16>,
    sent_from: u64,
    /// The packet that was last asked for: which of those, and its first segment.
    asked: (usize, u64),
    /// Bytes that are not sent yet from which on the application waits. // Linux: TCP_NOTSENT_LOWAT
    most_unsent: u32,
    /// Memory that the application may fill, bytes.
    room: u32,
    /// Whether the application waits for room. // Linux: SOCK_NOSPACE
    pub is_full: bool,
}

impl SendBuffer {
    /// The empty buffer of a connection with segments of `mss` bytes.
    pub fn new(mss: u32) -> Self {
        Self { mss, goal: mss, most_unsent: UNSENT, ..Self::default() }
    }

    /// Whether it has no size yet.
    pub const fn is_new(&self) -> bool {
        self.room == 0
    }

    /// A full packet has so many segments from now on, but not more than so many bytes, unless it is one.
    pub fn limit_packets(&mut self, segments: u32, bytes: u32) {
        self.goal = segments.min(bytes / self.mss).max(1) * self.mss;
    }

    /// Bytes of the first packet; 0 where all is sent.
    pub fn first(&self) -> u32 {
        self.packets.front().copied().unwrap_or(0)
    }

    /// Whether at most the first packet is not sent yet: what is written next is appended to it.
    pub fn is_last(&self) -> bool {
        self.packets.len() < 2
    }

    /// Whether the last packet is full, or there is none.
    pub fn needs_packet(&self) -> bool {
        self.packets.back().is_none_or(|&last| last >= self.goal)
    }

    /// Appends up to `bytes` to the last packet, or to a new one if it is full; how many.
    pub fn append(&mut self, bytes: u32) -> u32 {
        if self.needs_packet() {
            self.packets.push_back(0);
        }
        let Some(last) = self.packets.back_mut() else { return 0 };
        let bytes = bytes.min(self.goal - *last);
        *last += bytes;
        self.unsent += bytes;
        bytes
    }

    /// Appends to what is not sent until that is so many segments.
    pub fn append_up_to(&mut self, segments: u64) {
        // More is never handed over at once.
        let bytes = segments.min(u64::from(u16::MAX)) as u32 * self.mss;
        while self.unsent < bytes {
            self.append(bytes - self.unsent);
        }
    }

    /// Fills the first packet up to `bytes` from the one behind it.
    pub fn fill(&mut self, bytes: u32) {
        let first = self.first();
        let Some(second) = self.packets.get_mut(1) else { return };
        let more = bytes.saturating_sub(first).min(*second);
        *second -= more;
        if *second == 0 {
            self.packets.remove(1);
        }
        if let Some(first) = self.packets.front_mut() {
            *first += more;
        }
    }

    /// `segments` of the first packet leave.
    pub fn take(&mut self, segments: u32) {
        if let Some(first) = self.packets.front_mut() {
            let bytes = (segments * self.mss).min(*first);
            *first -= bytes;
            self.unsent -= bytes;
            if *first == 0 {
                self.packets.pop_front();
            }
        }
        self.sent.push_back(segments as u16);
    }

    /// The application will stop.
    pub const fn limit_unsent(&mut self) {
        self.most_unsent = UNSENT_AT_STOP;
    }

    /// Whether the segment at `position` is the last of a packet of several. // Linux: __tcp_transmit_skb marks it with PSH
    pub fn ends_packet(&mut self, position: u64) -> bool {
        let (mut place, mut first) = if position < self.asked.1 { (0, self.sent_from) } else { self.asked };
        while let Some(&segments) = self.sent.get(place) {
            let end = first + u64::from(segments);
            if position < end {
                self.asked = (place, first);
                return segments > 1 && position + 1 == end && position >= first;
            }
            (place, first) = (place + 1, end);
        }
        false
    }

    /// Whether the segment at `position` is the first of a packet.
    pub fn begins_packet(&self, position: u64) -> bool {
        self.sent_ranges().map(|range| range.start).find(|&start| start >= position) == Some(position)
    }

    /// The segments before `una` are acknowledged: packets that are wholly of these go.
    pub fn forget(&mut self, una: u64) {
        while let Some(segments) = self.sent.front().copied().map(u64::from)
            && self.sent_from + segments <= una
        {
            self.sent.pop_front();
            self.sent_from += segments;
            self.asked = match self.asked {
                (0, _) => (0, self.sent_from),
                (place, first) => (place - 1, first),
            };
        }
    }

    /// How many packets are sent and not forgotten.
    pub fn sent(&self) -> u64 {
        self.sent.len() as u64
    }

    /// Their segments.
    pub fn sent_ranges(&self) -> impl Iterator<Item = Range<u64>> {
        self.sent.iter().scan(self.sent_from, |from, &segments| {
            let first = std::mem::replace(from, *from + u64::from(segments));
            Some(first..*from)
        })
    }

    /// Memory that is taken while `out` segments are in `sent` packets, bytes.
    fn taken(&self, out: u64, sent: u64) -> u64 {
        self.data(out) + (sent + self.packets.len() as u64) * u64::from(OVERHEAD)
    }

    fn data(&self, out: u64) -> u64 {
        u64::from(self.unsent) + out * u64::from(self.mss)
    }

    /// Whether the application may begin another packet. // Linux: sk_stream_memory_free
    pub fn has_room(&self, out: u64, sent: u64) -> bool {
        self.unsent < self.most_unsent && self.taken(out, sent) < self.room.into()
    }

    /// Whether so much has become free that a waiting application is woken: a third. // Linux: sk_stream_is_writeable
    pub fn wakes(&self, out: u64, sent: u64) -> bool {
        let taken = self.taken(out, sent);
        2 * self.unsent < self.most_unsent && taken + (taken >> 1) <= self.room.into()
    }

    /// Makes room for two windows of `cwnd` segments, of which `reordering` may be late. // Linux: tcp_sndbuf_expand
    pub fn expand(&mut self, cwnd: u32, reordering: u32) {
        let segments = cwnd.max(reordering + 1).max(LEAST_SEGMENTS);
        let room = (2 * u64::from(segments) * u64::from(largest_packet(self.mss))).min(MOST);
        self.room = self.room.max(room as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u32 = 1448;

    /// Segments of the packets that are not sent yet.
    fn packets(buffer: &SendBuffer) -> Vec<u32> {
        buffer.packets.iter().map(|bytes| bytes / MSS).collect()
    }

    /// An empty buffer with packets of 45 segments.
    fn buffer() -> SendBuffer {
        let mut buffer = SendBuffer::new(MSS);
        buffer.limit_packets(45, u32::MAX);
        buffer.expand(10, 3);
        buffer
    }

    /// Appends so many segments.
    fn write(buffer: &mut SendBuffer, segments: u32) {
        let mut left = segments * MSS;
        while left > 0 {
            left -= buffer.append(left);
        }
    }

    // A segment of 1460 bytes with 640 bytes of headers and pages has a head of 4096 bytes, and 256 beside it: 2 · 10 · 4352 = 87 040. One of 8960
    // has a head of 16 384 bytes.
    #[test]
    fn the_buffer_holds_two_windows_of_packets_of_one_segment() {
        let mut buffer = buffer();
        assert_eq!(buffer.room, 87_040);
        buffer.expand(20, 3);
        assert_eq!(buffer.room, 174_080);
        buffer.expand(15, 30);
        assert_eq!(buffer.room, 31 * 8704);
        let mut large = SendBuffer::new(8948);
        large.expand(10, 3);
        assert_eq!(large.room, 20 * 16_640);
    }

    // Ten segments leave of the only packet, and are written again: it is full again. With a packet behind it, they are written there.
    #[test]
    fn the_last_packet_is_filled_up_before_another_begins() {
        let mut buffer = buffer();
        write(&mut buffer, 45);
        buffer.take(10);
        write(&mut buffer, 30);
        assert_eq!(packets(&buffer), [45, 20]);
        buffer.take(10);
        write(&mut buffer, 30);
        assert_eq!(packets(&buffer), [35, 45, 5]);
    }

    // Packets of 22 segments, and then of 45: only the last of the first kind is filled up.
    #[test]
    fn packets_that_are_written_keep_their_size() {
        let mut buffer = buffer();
        buffer.limit_packets(45, 32_767);
        write(&mut buffer, 60);
        buffer.limit_packets(45, u32::MAX);
        write(&mut buffer, 50);
        assert_eq!(packets(&buffer), [22, 22, 45, 21]);
    }

    // 35 of 45 left: filled up to 40 from the next one, then to 80, of which the next one has only 40.
    #[test]
    fn the_first_packet_takes_from_the_next_one_only() {
        let mut buffer = buffer();
        write(&mut buffer, 135);
        buffer.take(10);
        buffer.fill(40 * MSS);
        assert_eq!(packets(&buffer), [40, 40, 45]);
        buffer.fill(100 * MSS);
        assert_eq!(packets(&buffer), [80, 45]);
        buffer.take(80);
        assert_eq!(packets(&buffer), [45]);
    }

    // 45 segments not sent, and 12 sent as packets of ten and two: 57 · 1448 + 3 · 960 = 85 416 bytes of 87 040. With 11 segments acknowledged, one packet
    // less: 46 · 1448 + 2 · 960 = 68 528. A third is free from 58 026 bytes on: with 37 segments in two packets, 37 · 1448 + 2 · 960 = 55 496.
    #[test]
    fn packets_take_memory_until_all_of_them_is_acknowledged() {
        let mut buffer = buffer();
        write(&mut buffer, 45);
        buffer.take(10);
        buffer.take(2);
        write(&mut buffer, 12);
        assert_eq!(buffer.taken(12, buffer.sent()), 85_416);
        assert!(buffer.has_room(12, buffer.sent()));
        buffer.forget(11);
        assert_eq!(buffer.taken(1, buffer.sent()), 68_528);
        assert!(!buffer.wakes(1, buffer.sent()));
        buffer.take(13);
        buffer.forget(20);
        assert_eq!(buffer.taken(5, buffer.sent()), 55_496);
        assert!(buffer.wakes(5, buffer.sent()));
    }

    // Packets of 10, 1 and 3 segments end with 9 and 13; that of one is not marked. With two of them acknowledged, the third is the first.
    #[test]
    fn the_last_segment_of_a_packet_of_several_ends_it() {
        let mut buffer = buffer();
        write(&mut buffer, 45);
        for segments in [10, 1, 3] {
            buffer.take(segments);
        }
        let ends = |buffer: &mut SendBuffer, from| -> Vec<u64> {
            (from..20).filter(|&position| buffer.ends_packet(position)).collect()
        };
        assert_eq!(ends(&mut buffer, 0), [9, 13]);
        assert_eq!(ends(&mut buffer, 0), [9, 13], "asked again");
        buffer.forget(12);
        assert_eq!(ends(&mut buffer, 12), [13]);
    }

    // 16 packets of 65 160 bytes are 1 042 560, 17 are more than 2²⁰: then the application waits until half of that is sent, eight packets.
    #[test]
    fn what_is_not_sent_is_limited_too() {
        let mut buffer = buffer();
        buffer.expand(1000, 3);
        let mut written = 0;
        while buffer.has_room(0, 0) {
            write(&mut buffer, 45);
            written += 1;
        }
        assert_eq!(written, 17);
        let mut sent = 0;
        while !buffer.wakes(0, 0) {
            buffer.take(45);
            sent += 45;
        }
        assert_eq!(sent, 9 * 45);
        assert_eq!(buffer.unsent, 8 * 65_160);
    }
}
