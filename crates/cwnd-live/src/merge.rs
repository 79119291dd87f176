// SPDX-License-Identifier: MIT OR Apache-2.0
//! Merges segments of TCP as the kernel's generic receive offload does, and describes the result to a TUN device, so that the host takes it in as one
//! (`struct virtio_net_hdr` of linux/virtio_net.h).
//!
//! The conditions are those of `inet_gro_receive` and `tcp_gro_receive`: all but length, identification and checksum of the IP header are the same;
//! ports, acknowledgement, flags and options, so the timestamps too, are the same; the sequence numbers follow; no segment is longer than the
//! first. A shorter one, PSH or FIN end the merged segment, which has them. It has at most 65 535 bytes.

use crate::wire::TcpSegment;
use std::ops::Range;

/// What crosses a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DevicePackets {
    /// Packets as they are.
    AsTheyAre,
    /// Packets of which each has a header that describes it, so that the host may be handed merged ones.
    Described,
}

/// What a device with `IFF_VNET_HDR` has before each packet.
pub type DeviceHeader = [u8; 10];
/// Of a packet as it is.
pub const AS_IT_IS: DeviceHeader = [0; 10];

/// `VIRTIO_NET_HDR_F_NEEDS_CSUM`: the checksum field has the sum of the pseudo-header.
const NEEDS_CHECKSUM: u8 = 1;
/// `VIRTIO_NET_HDR_GSO_TCPV4`.
const TCP_OVER_IPV4: u8 = 1;

/// Length of an IP header without options; a packet with options is not merged.
const IP: usize = 20;
/// Where fields of such packets are. // RFC 791 §3.1, RFC 9293 §3.1
const LENGTH: Range<usize> = 2..4;
const IP_CHECKSUM: Range<usize> = 10..12;
const ADDRESSES: Range<usize> = 12..20;
const FLAGS: usize = IP + 13;
const TCP_CHECKSUM: usize = 16;
/// What has to be the same: version, length of the header and class; fragment, lifetime and protocol; addresses and ports; acknowledgement and length of
/// the header. The options come on top.
const SAME: [Range<usize>; 4] = [0..2, 6..10, 12..IP + 4, IP + 8..IP + 13];
const OPTIONS: usize = IP + 20;

const PSH: u8 = 8;
const FIN: u8 = 1;
const CWR: u8 = 0x80;
/// URG, PSH, RST, SYN and FIN.
const ENDS: u8 = 0x2f;

/// What merging looks at in a segment.
#[derive(Clone, Copy)]
struct Fields {
    segment: TcpSegment,
    /// Length of all its headers.
    headers: usize,
    flags: u8,
}

impl Fields {
    /// Of a packet that may be merged.
    fn read(packet: &[u8]) -> Option<Self> {
        let segment = TcpSegment::read(packet).filter(|segment| segment.payload > 0)?;
        let headers = segment.bytes as usize - segment.payload as usize;
        let plain = packet[0] & 15 == (IP / 4) as u8 && headers >= OPTIONS;
        plain.then_some(Self { segment, headers, flags: packet[FLAGS] })
    }
}

/// How many of the first packets were merged into `frame`, and what the device is told of it.
pub fn merge(packets: &[Vec<u8>], frame: &mut Vec<u8>) -> (usize, DeviceHeader) {
    frame.clear();
    let Some(first) = packets.first() else { return (0, AS_IT_IS) };
    frame.extend_from_slice(first);
    let Some(fields) = Fields::read(first) else { return (1, AS_IT_IS) };
    frame.truncate(fields.segment.bytes as usize);
    let size = fields.segment.payload;
    let mut next = fields.segment.sequence.wrapping_add(size);
    let mut flags = fields.flags;
    let mut count = 1;
    for packet in &packets[1..] {
        let is_open = flags & ENDS == 0;
        let Some(other) = Fields::read(packet).filter(|_| is_open) else { break };
        let Fields { segment, headers, .. } = other;
        let same = SAME
            .iter()
            .chain([&(OPTIONS..headers)])
            .all(|part| headers == fields.headers && packet.get(part.clone()) == first.get(part.clone()));
        let same_flags = (fields.flags ^ other.flags) & !(PSH | FIN) == 0 && other.flags & CWR == 0;
        let fits = segment.payload <= size && frame.len() + segment.payload as usize <= usize::from(u16::MAX);
        if !(same && same_flags && fits && segment.sequence == next) {
            break;
        }
        frame.extend_from_slice(&packet[headers..segment.bytes as usize]);
        next = next.wrapping_add(segment.payload);
        flags |= other.flags;
        count += 1;
        if segment.payload < size {
            break;
        }
    }
    if count == 1 {
        return (1, AS_IT_IS);
    }
    frame[FLAGS] = flags;
    (count, describe(frame, fields.headers, size as u16))
}

/// Sets the lengths and sums of a merged packet.
fn describe(frame: &mut [u8], headers: usize, size: u16) -> DeviceHeader {
    let length = frame.len() as u16;
    frame[LENGTH].copy_from_slice(&length.to_be_bytes());
    frame[IP_CHECKSUM].copy_from_slice(&[0, 0]);
    let sum = !folded(words(&frame[..IP]));
    frame[IP_CHECKSUM].copy_from_slice(&sum.to_be_bytes());
    // RFC 9293 §3.1: the pseudo-header. The kernel would add the rest where the packet leaves a machine.
    let protocol = u32::from(frame[9]);
    let sum = folded(words(&frame[ADDRESSES]) + protocol + u32::from(length) - IP as u32);
    frame[IP + TCP_CHECKSUM..][..2].copy_from_slice(&sum.to_be_bytes());
    let [h0, h1] = (headers as u16).to_ne_bytes();
    let [g0, g1] = size.to_ne_bytes();
    let [s0, s1] = (IP as u16).to_ne_bytes();
    let [o0, o1] = (TCP_CHECKSUM as u16).to_ne_bytes();
    [NEEDS_CHECKSUM, TCP_OVER_IPV4, h0, h1, g0, g1, s0, s1, o0, o1]
}

/// The sum of big-endian words; of an even number of bytes.
fn words(bytes: &[u8]) -> u32 {
    bytes.chunks_exact(2).map(|word| u32::from(u16::from_be_bytes([word[0], word[1]]))).sum()
}

/// The sum in ones' complement of 16 bits. // RFC 1071
fn folded(mut sum: u32) -> u16 {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACK: u8 = 0x10;

    /// A segment of 1448 bytes as Linux sends it, with 12 bytes of options.
    fn segment(sequence: u32, payload: usize, flags: u8) -> Vec<u8> {
        let mut packet = vec![0u8; 52 + payload];
        let length = (52 + payload) as u16;
        packet[0] = 0x45;
        packet[LENGTH].copy_from_slice(&length.to_be_bytes());
        packet[4] = sequence as u8; // the identification differs
        packet[8..10].copy_from_slice(&[64, 6]);
        packet[ADDRESSES].copy_from_slice(&[10, 0, 0, 1, 10, 0, 0, 2]);
        packet[20..24].copy_from_slice(&[3, 232, 7, 208]);
        packet[24..28].copy_from_slice(&sequence.to_be_bytes());
        packet[32] = 8 << 4;
        packet[FLAGS] = flags;
        packet[40..44].copy_from_slice(&[1, 1, 8, 10]);
        packet[52..].fill(sequence as u8);
        packet
    }

    fn count(packets: &[Vec<u8>]) -> usize {
        merge(packets, &mut Vec::new()).0
    }

    #[test]
    fn three_segments_become_one() {
        let packets: Vec<_> = [100, 1548, 2996].map(|sequence| segment(sequence, 1448, ACK)).into();
        let mut frame = Vec::new();
        let (count, header) = merge(&packets, &mut frame);
        assert_eq!((count, frame.len()), (3, 52 + 3 * 1448));
        let merged = TcpSegment::read(&frame).expect("a whole segment");
        assert_eq!((merged.sequence, merged.payload), (100, 3 * 1448));
        assert_eq!(&frame[52 + 1448..52 + 2 * 1448], &packets[1][52..]);
        let u16_at = |at: usize| u16::from_ne_bytes([header[at], header[at + 1]]);
        // TCP over IPv4, 52 bytes of headers, segments of 1448 bytes, a checksum from byte 20 on, 16 bytes further.
        assert_eq!(header[..2], [1, 1]);
        assert_eq!([2, 4, 6, 8].map(u16_at), [52, 1448, 20, 16]);
        // RFC 1071: with its checksum the sum of a header is all ones.
        assert_eq!(folded(words(&frame[..IP])), 0xffff);
        // 0a00 + 0001 + 0a00 + 0002, protocol 6, 32 + 4344 = 0x1118 bytes of TCP: 0x2521.
        assert_eq!(frame[36..38], [0x25, 0x21]);
    }

    // 52 + 45 × 1448 = 65 212 bytes; another one would make 66 660.
    #[test]
    fn a_merged_packet_has_at_most_65_535_bytes() {
        let packets: Vec<_> = (0..60).map(|number| segment(number * 1448, 1448, ACK)).collect();
        assert_eq!(count(&packets), 45);
    }

    #[test]
    fn what_differs_is_not_merged() {
        let merged_with = |other: Vec<u8>| count(&[segment(0, 1448, ACK), other]) == 2;
        let next = || segment(1448, 1448, ACK);
        assert!(merged_with(next()));
        assert!(!merged_with(segment(1449, 1448, ACK)), "a gap");
        assert!(!merged_with(segment(1448, 1449, ACK)), "longer than the first");
        assert!(!merged_with(segment(1448, 0, ACK)), "no data");
        // Class, lifetime, address, port, acknowledgement, CWR, timestamp.
        for at in [1, 8, 12, 23, 31, 51] {
            let mut other = next();
            other[at] ^= 1;
            assert!(!merged_with(other), "byte {at}");
        }
        assert!(
            !merged_with(segment(1448, 1448, ACK | CWR)) && !merged_with(segment(1448, 1448, ACK | 0x20))
        );
        // Window and identification may differ.
        for at in [4, 35] {
            let mut other = next();
            other[at] ^= 1;
            assert!(merged_with(other), "byte {at}");
        }
    }

    #[test]
    fn a_short_segment_and_its_marks_end_it() {
        let with = |payload: u32, flags| {
            [
                segment(0, 1448, ACK),
                segment(1448, payload as usize, flags),
                segment(1448 + payload, 1448, ACK),
            ]
        };
        assert_eq!(count(&with(1448, ACK)), 3);
        for (payload, flags) in [(1000, ACK), (1448, ACK | PSH), (1448, ACK | FIN)] {
            let mut frame = Vec::new();
            assert_eq!(merge(&with(payload, flags), &mut frame).0, 2);
            assert_eq!(frame[FLAGS], flags);
        }
        assert_eq!(count(&[segment(0, 1448, ACK | PSH), segment(1448, 1448, ACK)]), 1);
    }
}
