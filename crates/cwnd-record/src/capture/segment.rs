// SPDX-License-Identifier: MIT OR Apache-2.0
//! The headers of a segment: IPv4 (RFC 791 §3.1), TCP (RFC 9293 §3.1) with timestamps (RFC 7323 §3.2) and SACK blocks (RFC 2018 §3).
//!
//! The payload is zeros, which the checksum covers. ECN (RFC 3168 §5, §6.1) is in the field of the IP header and in two flags of TCP's.

use super::host::{CaptureHost, FIRST_PORT};
use etherparse::{IpEcn, IpNumber, Ipv4Header, TcpHeader, TcpOptionElement};

/// SACK blocks that fit beside timestamps.
pub const SACK_BLOCKS: usize = 3;
pub(super) const TIME_TO_LIVE: u8 = 64;
/// First port of the senders. Flow n has the receiver's port `FIRST_PORT` + n, until these have an end.
const SENDERS_PORT: u16 = 50_000;
const RECEIVERS_PORTS: u32 = 40_000;

const IP_HEADER: usize = Ipv4Header::MIN_LEN;
const MOST_HEADERS: usize = IP_HEADER + TcpHeader::MAX_LEN;

/// The first bytes of a packet: its IP and TCP headers.
#[derive(Clone, Copy, Debug)]
pub struct SegmentHeaders {
    bytes: [u8; MOST_HEADERS],
    used: usize,
    packet: u32,
}

impl SegmentHeaders {
    fn add(&mut self, bytes: &[u8]) {
        self.bytes[self.used..self.used + bytes.len()].copy_from_slice(bytes);
        self.used += bytes.len();
    }

    /// The headers.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.used]
    }

    /// Length of the packet, bytes.
    #[must_use]
    pub const fn packet_length(&self) -> u32 {
        self.packet
    }
}

/// The ECN field of a packet's IP header. // RFC 3168 §5
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EcnField {
    /// Not-ECT.
    #[default]
    NotCapable,
    /// ECT(0).
    Capable,
    /// CE: a queue has marked it.
    Experienced,
}

/// A segment that a simulated host sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WireSegment {
    /// Number of its flow.
    pub flow: u32,
    /// Number of its first byte; 1 is the flow's first one, as after a handshake from 0.
    pub sequence: u32,
    /// Number of the byte that is expected next.
    pub acknowledgement: u32,
    /// Window field.
    pub window: u16,
    /// TSval and TSecr.
    pub timestamps: (u32, u32),
    /// SACK blocks, first and one past the last byte.
    pub sack: [Option<(u32, u32)>; SACK_BLOCKS],
    /// Payload, bytes.
    pub payload: u32,
    /// ECN field of the IP header.
    pub ecn: EcnField,
    /// Flag ECE: it echoes a congestion mark.
    pub echo: bool,
    /// Flag CWR: the sender has reduced its window.
    pub cwr: bool,
}

impl WireSegment {
    /// The headers of the segment, sent by `from`.
    #[must_use]
    pub fn headers(&self, from: CaptureHost) -> SegmentHeaders {
        use TcpOptionElement::{Noop, SelectiveAcknowledgement, Timestamp};
        let (source, destination) = ports(self.flow, from);
        let mut tcp = TcpHeader::new(source, destination, self.sequence, self.window);
        (tcp.ack, tcp.acknowledgment_number) = (true, self.acknowledgement);
        (tcp.ece, tcp.cwr) = (self.echo, self.cwr);
        let timestamps = Timestamp(self.timestamps.0, self.timestamps.1);
        let [first, second, third] = self.sack;
        // As RFC 7323's appendix A and Linux lay them out. At most 12 + 28 bytes.
        let set = match first {
            None => tcp.set_options(&[Noop, Noop, timestamps]),
            Some(first) => {
                let sack = SelectiveAcknowledgement(first, [second, third, None]);
                tcp.set_options(&[Noop, Noop, timestamps, Noop, Noop, sack])
            }
        };
        debug_assert!(set.is_ok());
        let length = u32::from(tcp.header_len_u16()) + self.payload;
        // A scenario's packets are at most 64 000 bytes long.
        let bytes = u16::try_from(length).unwrap_or_default();
        let (source, destination) = (from.address(), from.other().address());
        let without_payload = tcp.calc_checksum_ipv4_raw(source, destination, &[]).unwrap_or_default();
        tcp.checksum = with_zeros(without_payload, bytes.saturating_sub(tcp.header_len_u16()));
        let mut headers =
            SegmentHeaders { bytes: [0; MOST_HEADERS], used: 0, packet: length + IP_HEADER as u32 };
        if let Ok(mut ip) = Ipv4Header::new(bytes, TIME_TO_LIVE, IpNumber::TCP, source, destination) {
            ip.ecn = match self.ecn {
                EcnField::NotCapable => IpEcn::NotEct,
                EcnField::Capable => IpEcn::Ect0,
                EcnField::Experienced => IpEcn::CongestionExperienced,
            };
            ip.header_checksum = ip.calc_header_checksum();
            headers.add(&ip.to_bytes());
        }
        headers.add(&tcp.to_bytes());
        headers
    }
}

/// The ports of a flow's packets that `from` sends: its own, and the other's.
pub(super) const fn ports(flow: u32, from: CaptureHost) -> (u16, u16) {
    let receivers = FIRST_PORT + (flow % RECEIVERS_PORTS) as u16;
    let senders = SENDERS_PORT.wrapping_add((flow / RECEIVERS_PORTS) as u16);
    match from {
        CaptureHost::Senders => (senders, receivers),
        CaptureHost::Receivers => (receivers, senders),
    }
}

/// The checksum of a segment with `payload` bytes of zeros from its checksum without them: only the length in the pseudo-header
/// differs. // RFC 1624 §3, equation 3
const fn with_zeros(checksum: u16, payload: u16) -> u16 {
    let (sum, carry) = (!checksum).overflowing_add(payload);
    !(sum + carry as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum of all words in one's complement; of a header with its checksum 0xffff. // RFC 1071 §1
    fn sum(words: impl IntoIterator<Item = u16>) -> u16 {
        words.into_iter().fold(0, |sum, word| {
            let (sum, carry) = u16::overflowing_add(sum, word);
            sum + u16::from(carry)
        })
    }

    fn words(bytes: &[u8]) -> impl Iterator<Item = u16> {
        bytes.chunks(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]))
    }

    fn sums(packet: &[u8], length: u32) -> [u16; 2] {
        let pseudo = words(&packet[12..20]).chain([6, length as u16 - 20]); // RFC 9293 §3.1; zeros add nothing
        [sum(words(&packet[..20])), sum(pseudo.chain(words(&packet[20..])))]
    }

    // 20 bytes of IP, 20 of TCP, 12 of timestamps, 1448 of payload.
    #[test]
    fn a_full_segment_is_1500_bytes_with_both_checksums() {
        let segment = WireSegment {
            flow: 3,
            sequence: 0x0102_0304,
            timestamps: (7, 9),
            window: 500,
            payload: 1448,
            ..WireSegment::default()
        };
        let headers = segment.headers(CaptureHost::Senders);
        let (packet, length) = (headers.bytes(), headers.packet_length());
        assert_eq!((packet.len(), length), (52, 1500));
        assert_eq!(
            (&packet[..4], &packet[12..20]),
            (&[0x45, 0, 5, 220][..], &[198, 18, 0, 1, 198, 18, 0, 2][..])
        );
        assert_eq!(&packet[20..28], [195, 80, 39, 19, 1, 2, 3, 4]); // ports 50000 and 10003
        assert_eq!(&packet[32..36], [8 << 4, 0x10, 1, 244]); // 32 bytes, ACK, window
        assert_eq!(&packet[40..52], [1, 1, 8, 10, 0, 0, 0, 7, 0, 0, 0, 9]);
        assert_eq!(sums(packet, length), [0xffff; 2]);
    }

    // Two bytes of padding, kind and length, eight bytes a block: 28 for three blocks, 12 for one.
    #[test]
    fn an_acknowledgement_carries_its_blocks() {
        let blocks = [Some((1449, 2897)), Some((4345, 5793)), Some((7241, 8689))];
        for count in 0..=3 {
            let mut sack = blocks;
            sack[count..].fill(None);
            let segment = WireSegment { acknowledgement: 1, sack, ..WireSegment::default() };
            let headers = segment.headers(CaptureHost::Receivers);
            let (packet, length) = (headers.bytes(), headers.packet_length());
            let options = if count == 0 { 0 } else { 4 + 8 * count };
            assert_eq!((packet.len(), length as usize), (52 + options, 52 + options));
            assert_eq!(sums(packet, length), [0xffff; 2]);
            if count > 0 {
                assert_eq!(&packet[52..64], [1, 1, 5, 2 + 8 * count as u8, 0, 0, 5, 169, 0, 0, 11, 81]);
            }
        }
    }

    // RFC 3168 §5: 10 is ECT(0), 11 is CE, in the low bits of the second byte. §6.1: CWR is bit 8 of the flags, ECE bit 9.
    #[test]
    fn marks_are_in_both_headers_and_both_checksums() {
        let fields = [EcnField::NotCapable, EcnField::Capable, EcnField::Experienced];
        for (ecn, bits) in fields.into_iter().zip([0b00, 0b10, 0b11]) {
            for (echo, cwr, flags) in [(false, false, 0x10), (true, false, 0x50), (false, true, 0x90)] {
                let segment = WireSegment { ecn, echo, cwr, payload: 1448, ..WireSegment::default() };
                let headers = segment.headers(CaptureHost::Senders);
                let packet = headers.bytes();
                assert_eq!((packet[1], packet[33]), (bits, flags));
                assert_eq!(sums(packet, headers.packet_length()), [0xffff; 2]);
            }
        }
    }

    // As if every byte were summed, the carry of a sum beyond 65535 included: 0xff00 + 0x0100 = 0x10000, which is 1.
    #[test]
    fn the_checksum_covers_any_number_of_zeros() {
        assert_eq!(with_zeros(!0xff00, 0x0100), !1);
        let zeros = [0; 64_000];
        let mut tcp = TcpHeader::new(1, 2, 3, 4);
        let sum =
            |tcp: &TcpHeader, payload| tcp.calc_checksum_ipv4_raw([198, 18, 0, 1], [198, 18, 0, 2], payload);
        for (sequence, length) in (0..zeros.len()).step_by(97).enumerate() {
            tcp.sequence_number = sequence as u32 * 1_000_003;
            let without = sum(&tcp, &[]).expect("short enough");
            assert_eq!(sum(&tcp, &zeros[..length]), Ok(with_zeros(without, length as u16)));
        }
    }

    #[test]
    fn flows_without_a_port_of_their_own_have_another_one_of_the_senders() {
        let ports = |flow| {
            WireSegment { flow, ..WireSegment::default() }.headers(CaptureHost::Senders).bytes()[20..24]
                .to_vec()
        };
        assert_eq!(ports(39_999), [195, 80, 195, 79]); // 50000 to 49999
        assert_eq!(ports(40_000), [195, 81, 39, 16]); // 50001 to 10000
    }
}
