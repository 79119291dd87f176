// SPDX-License-Identifier: MIT OR Apache-2.0
//! A datagram of a foreign stack as it is on the wire: IPv4 (RFC 791 §3.1), UDP (RFC 768) and the stack's own bytes; or IPv4 and the
//! segment of a TCP.

use super::host::CaptureHost;
use super::segment::{TIME_TO_LIVE, ports};
use etherparse::{IpEcn, IpNumber, Ipv4Header, TcpSlice, UdpHeader};

/// The packet of a flow's datagram that `from` sends, with the two bits of the ECN field (RFC 3168 §5). Empty if it is too long for IPv4.
#[must_use]
pub fn datagram(flow: u32, from: CaptureHost, ecn: u8, payload: &[u8]) -> Vec<u8> {
    let (source, destination) = ports(flow, from);
    let length = u16::try_from(payload.len() + UdpHeader::LEN).unwrap_or(u16::MAX);
    let addresses = (from.address(), from.other().address());
    let Ok(mut ip) = Ipv4Header::new(length, TIME_TO_LIVE, IpNumber::UDP, addresses.0, addresses.1) else {
        return Vec::new();
    };
    ip.ecn = IpEcn::try_new(ecn & 3).unwrap_or_default();
    ip.header_checksum = ip.calc_header_checksum();
    let Ok(udp) = UdpHeader::with_ipv4_checksum(source, destination, &ip, payload) else {
        return Vec::new();
    };
    [&ip.to_bytes()[..], &udp.to_bytes(), payload].concat()
}

/// Places in a TCP header: of the two ports, and of the checksum. // RFC 9293 §3.1
const PORTS: std::ops::Range<usize> = 0..4;
const CHECKSUM: std::ops::Range<usize> = 16..18;

/// The packet of a segment of a foreign TCP that `from` sends. Its ports are the flow's, so that flows are told apart, and its checksum is
/// filled in: a host leaves that to its interface. Empty if it is too long for IPv4, or no segment.
#[must_use]
pub fn foreign_segment(flow: u32, from: CaptureHost, ecn: u8, segment: &[u8]) -> Vec<u8> {
    let (source, destination) = ports(flow, from);
    let addresses = (from.address(), from.other().address());
    let length = u16::try_from(segment.len()).unwrap_or(u16::MAX);
    let Ok(mut ip) = Ipv4Header::new(length, TIME_TO_LIVE, IpNumber::TCP, addresses.0, addresses.1) else {
        return Vec::new();
    };
    ip.ecn = IpEcn::try_new(ecn & 3).unwrap_or_default();
    ip.header_checksum = ip.calc_header_checksum();
    let mut segment = segment.to_vec();
    let ports = [source.to_be_bytes(), destination.to_be_bytes()].concat();
    let (Some(place), true) = (segment.get_mut(PORTS), usize::from(length) >= CHECKSUM.end) else {
        return Vec::new();
    };
    place.copy_from_slice(&ports);
    segment[CHECKSUM].fill(0);
    let Ok(slice) = TcpSlice::from_slice(&segment) else { return Vec::new() };
    let Ok(checksum) = slice.calc_checksum_ipv4(ip.source, ip.destination) else { return Vec::new() };
    segment[CHECKSUM].copy_from_slice(&checksum.to_be_bytes());
    [&ip.to_bytes()[..], &segment].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum of all words in one's complement; of what its checksum covers, 0xffff. // RFC 1071 §1
    fn sum(bytes: &[u8]) -> u16 {
        bytes.chunks(2).fold(0, |sum: u16, pair| {
            let word = u16::from_be_bytes([pair[0], pair.get(1).copied().unwrap_or(0)]);
            let (sum, carry) = sum.overflowing_add(word);
            sum + u16::from(carry)
        })
    }

    // 20 bytes of IP, 8 of UDP, 5 of payload. Ports 50000 and 10003: flow 3. RFC 3168 §5: 10 is ECT(0), 01 ECT(1), 11 CE.
    #[test]
    fn a_datagram_has_its_bytes_behind_both_headers_and_both_checksums() {
        for ecn in 0..4 {
            let packet = datagram(3, CaptureHost::Senders, ecn, &[1, 2, 3, 4, 5]);
            assert_eq!((packet.len(), packet[1], packet[9]), (33, ecn, 17));
            assert_eq!((&packet[2..4], &packet[12..20]), (&[0, 33][..], &[198, 18, 0, 1, 198, 18, 0, 2][..]));
            assert_eq!(
                (&packet[20..26], &packet[28..]),
                (&[195, 80, 39, 19, 0, 13][..], &[1, 2, 3, 4, 5][..])
            );
            let pseudo = [&packet[12..20], &[0, 17, 0, 13], &packet[20..]].concat();
            assert_eq!([sum(&packet[..20]), sum(&pseudo)], [0xffff; 2]);
        }
        let back = datagram(3, CaptureHost::Receivers, 0, &[]);
        assert_eq!(
            (&back[12..20], &back[20..24]),
            (&[198, 18, 0, 2, 198, 18, 0, 1][..], &[39, 19, 195, 80][..])
        );
    }

    // 20 bytes of IP, 20 of TCP without options (data offset 5), 3 of data; ports 50000 and 10003: flow 3.
    #[test]
    fn a_foreign_segment_gets_the_ports_of_its_flow_and_a_checksum() {
        let mut segment = [0; 23];
        segment[..4].copy_from_slice(&[1, 2, 3, 4]);
        segment[12] = 5 << 4;
        segment[16..18].copy_from_slice(&[9, 9]);
        segment[20..].copy_from_slice(&[1, 2, 3]);
        let packet = foreign_segment(3, CaptureHost::Senders, 2, &segment);
        assert_eq!((packet.len(), packet[1], packet[9]), (43, 2, 6));
        assert_eq!((&packet[20..24], &packet[40..]), (&[195, 80, 39, 19][..], &[1, 2, 3][..]));
        let pseudo = [&packet[12..20], &[0, 6, 0, 23], &packet[20..]].concat();
        assert_eq!([sum(&packet[..20]), sum(&pseudo)], [0xffff; 2]);
        assert!(foreign_segment(3, CaptureHost::Senders, 0, &segment[..17]).is_empty());
    }

    // 65 535 - 20 - 8 = 65 507.
    #[test]
    fn one_that_ipv4_has_no_room_for_is_no_packet() {
        assert_eq!(datagram(0, CaptureHost::Senders, 0, &[0; 65_507]).len(), 65_535);
        assert!(datagram(0, CaptureHost::Senders, 0, &[0; 65_508]).is_empty());
    }
}
