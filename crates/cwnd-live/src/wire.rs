// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the emulator reads of a packet: IPv4 (RFC 791 §3.1), TCP (RFC 9293 §3.1) and UDP (RFC 768).

pub use cwnd_record::capture::FIRST_PORT;

const TCP: u8 = 6;
const UDP: u8 = 17;
const FIN: u8 = 1;
const SYN: u8 = 2;
const RST: u8 = 4;

/// A TCP segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpSegment {
    /// Port of the sender.
    pub source: u16,
    /// Port of the receiver.
    pub destination: u16,
    /// Sequence number.
    pub sequence: u32,
    /// Payload, bytes.
    pub payload: u32,
    /// Size of the packet, bytes.
    pub bytes: u32,
    flags: u8,
}

impl TcpSegment {
    /// Reads a packet; `None` if it is no whole TCP segment over IPv4, or a fragment of one.
    #[must_use]
    pub fn read(packet: &[u8]) -> Option<Self> {
        let (header, length) = internet(packet, TCP)?;
        let word = |at: usize| word(packet, at);
        let offset = usize::from(*packet.get(header + 12)? >> 4) * 4;
        let payload = usize::from(length).checked_sub(header + offset)?;
        Some(Self {
            source: word(header)?,
            destination: word(header + 2)?,
            sequence: u32::from(word(header + 4)?) << 16 | u32::from(word(header + 6)?),
            payload: payload as u32,
            bytes: u32::from(length),
            flags: *packet.get(header + 13)?,
        })
    }

    /// Whether it opens or closes a connection.
    #[must_use]
    pub const fn opens_or_closes(&self) -> bool {
        self.flags & (SYN | FIN | RST) != 0
    }

    /// Whether it opens a connection.
    #[must_use]
    pub const fn opens(&self) -> bool {
        self.flags & SYN != 0
    }
}

/// A datagram of UDP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UdpDatagram {
    /// Port of the sender.
    pub source: u16,
    /// Port of the receiver.
    pub destination: u16,
    /// Size of the packet, bytes.
    pub bytes: u32,
}

impl UdpDatagram {
    /// Headers of IPv4 and UDP, bytes.
    pub const HEADERS: u32 = 28;

    /// Reads a packet; `None` if it is no whole UDP datagram over IPv4, or a fragment of one.
    #[must_use]
    pub fn read(packet: &[u8]) -> Option<Self> {
        let (header, length) = internet(packet, UDP)?;
        let (source, destination) = (word(packet, header)?, word(packet, header + 2)?);
        Some(Self { source, destination, bytes: u32::from(length) })
    }
}

/// The ECN field in the second byte of the IP header. // RFC 3168 §5
const ECN: u8 = 0b11;

/// Whether a packet of IPv4 can carry a congestion mark: it has ECT(0), ECT(1), or a mark already. // RFC 3168 §5
#[must_use]
pub fn is_markable(packet: &[u8]) -> bool {
    packet.get(1).is_some_and(|byte| byte & ECN != 0)
}

/// Whether a packet of IPv4 has a congestion mark (CE). // RFC 3168 §5
#[must_use]
pub fn is_marked(packet: &[u8]) -> bool {
    packet.get(1).is_some_and(|byte| byte & ECN == ECN)
}

/// Gives a packet of IPv4 a congestion mark (CE), and its header the checksum that belongs to it. // RFC 3168 §5, RFC 1624 §3
pub fn mark(packet: &mut [u8]) {
    let (Some(before), Some(checksum)) = (word(packet, 0), word(packet, 10)) else { return };
    packet[1] |= ECN;
    let after = before | u16::from(ECN);
    // HC' = ~(~HC + ~m + m'), in one's complement.
    let sum = u32::from(!checksum) + u32::from(!before) + u32::from(after);
    let folded = (sum & 0xffff) + (sum >> 16);
    let checksum = !((folded & 0xffff) + (folded >> 16)) as u16;
    packet[10..12].copy_from_slice(&checksum.to_be_bytes());
}

/// A number of 16 bits.
fn word(packet: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes([*packet.get(at)?, *packet.get(at + 1)?]))
}

/// Length of the header of IPv4 and of the whole packet, bytes, if it holds this protocol and is whole.
fn internet(packet: &[u8], protocol: u8) -> Option<(usize, u16)> {
    let [version, header] = [packet.first()? >> 4, packet.first()? & 15];
    let length = word(packet, 2)?;
    let fragment = word(packet, 6)? & 0x3fff; // the offset, and whether more follow
    let is_whole = fragment == 0 && usize::from(length) <= packet.len();
    (version == 4 && *packet.get(9)? == protocol && is_whole).then_some((usize::from(header) * 4, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Version 4, 20 bytes of header, 52 + 3 bytes in all, TCP; ports 1000 to 2000, sequence number 0x0102_0304, 12 bytes of options.
    fn packet(flags: u8) -> Vec<u8> {
        let mut packet = vec![0u8; 55];
        packet[0] = 0x45;
        packet[3] = 55;
        packet[9] = TCP;
        packet[20..28].copy_from_slice(&[3, 232, 7, 208, 1, 2, 3, 4]);
        packet[32] = 8 << 4;
        packet[33] = flags;
        packet
    }

    #[test]
    fn a_segment_is_read() {
        let segment = TcpSegment::read(&packet(0x10)).expect("TCP");
        assert_eq!((segment.source, segment.destination, segment.sequence), (1000, 2000, 0x0102_0304));
        assert_eq!((segment.payload, segment.bytes, segment.opens_or_closes()), (3, 55, false));
        for (flag, opens) in [(SYN, true), (FIN, false), (RST, false)] {
            let segment = TcpSegment::read(&packet(flag)).expect("TCP");
            assert!(segment.opens_or_closes() && segment.opens() == opens);
        }
    }

    #[test]
    fn what_is_no_whole_segment_is_none() {
        let whole = packet(0x10);
        for length in 0..whole.len() {
            assert_eq!(TcpSegment::read(&whole[..length]), None, "{length} bytes");
        }
        for (at, value) in [(0, 0x65), (9, 17), (6, 0x20), (7, 1), (32, 0xf0)] {
            let mut other = whole.clone();
            other[at] = value;
            assert_eq!(TcpSegment::read(&other), None, "byte {at} is {value}");
        }
    }

    /// The checksum of an IP header, by all its words. // RFC 1071 §1
    fn checksum(header: &[u8]) -> u16 {
        let words = header.chunks(2).enumerate().filter(|(number, _)| *number != 5);
        let sum: u32 = words.map(|(_, pair)| u32::from(u16::from_be_bytes([pair[0], pair[1]]))).sum();
        let folded = (sum & 0xffff) + (sum >> 16);
        !((folded & 0xffff) + (folded >> 16)) as u16
    }

    // RFC 1624 §3: the checksum that is brought up to date is the one that is counted anew, whatever the other bytes.
    #[test]
    fn a_mark_is_in_the_header_and_its_checksum() {
        for number in 0..=u16::MAX {
            let mut whole = packet(0x10);
            whole[4..6].copy_from_slice(&number.to_be_bytes());
            whole[1] = 0xb8 | [1, 2, 3][usize::from(number) % 3];
            let before = checksum(&whole[..20]);
            whole[10..12].copy_from_slice(&before.to_be_bytes());
            assert!(is_markable(&whole));
            mark(&mut whole);
            assert_eq!((whole[1], word(&whole, 10)), (0xbb, Some(checksum(&whole[..20]))), "{number}");
        }
        assert!(!is_markable(&packet(0x10)) && !is_markable(&[0x45]));
    }

    #[test]
    fn a_datagram_is_read() {
        let mut datagram = packet(0);
        datagram[9] = UDP;
        let read = UdpDatagram::read(&datagram).expect("UDP");
        assert_eq!((read.source, read.destination, read.bytes), (1000, 2000, 55));
        assert_eq!(UdpDatagram::read(&packet(0)), None);
        assert_eq!(TcpSegment::read(&datagram), None);
    }
}
