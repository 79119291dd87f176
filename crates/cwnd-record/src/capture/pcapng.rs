// SPDX-License-Identifier: MIT OR Apache-2.0
//! A capture file: pcapng (draft-ietf-opsawg-pcapng, §4) with one section, one interface and enhanced packet blocks.
//!
//! Little-endian. Timestamps are in ns from time 0 of the run, so a reader that shows dates shows 1 January 1970.

use super::host::CaptureHost;

// draft-ietf-opsawg-pcapng §4.1, §4.2, §4.3
const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const BYTE_ORDER_MAGIC: u32 = 0x1a2b_3c4d;
const INTERFACE_DESCRIPTION: u32 = 1;
const ENHANCED_PACKET: u32 = 6;
/// Raw IP: each packet begins with its IP header.
const LINKTYPE_RAW: u16 = 101;
// §3.5, §4.1, §4.2: options.
const END_OF_OPTIONS: u16 = 0;
const USER_APPLICATION: u16 = 4;
const INTERFACE_NAME: u16 = 2;
const INTERFACE_DESCRIBED: u16 = 3;
const INTERFACE_IPV4: u16 = 4;
const TIME_RESOLUTION: u16 = 9;
/// 10⁻⁹ s.
const NANOSECONDS: u8 = 9;

/// A capture in memory, from which the caller takes what has been written.
#[derive(Clone, Debug)]
pub struct Pcapng {
    bytes: Vec<u8>,
    snap_length: u32,
}

impl Pcapng {
    /// A capture at `host` that keeps up to `snap_length` bytes of each packet.
    #[must_use]
    pub fn new(host: CaptureHost, snap_length: u32) -> Self {
        let mut pcapng = Self { bytes: Vec::new(), snap_length };
        pcapng.block(SECTION_HEADER, |bytes| {
            bytes.extend(BYTE_ORDER_MAGIC.to_le_bytes());
            bytes.extend(1u16.to_le_bytes()); // version 1.0
            bytes.extend(0u16.to_le_bytes());
            bytes.extend(u64::MAX.to_le_bytes()); // as long as the file is
            option(bytes, USER_APPLICATION, concat!("cwnd ", env!("CARGO_PKG_VERSION")).as_bytes());
            option(bytes, END_OF_OPTIONS, &[]);
        });
        pcapng.block(INTERFACE_DESCRIPTION, |bytes| {
            bytes.extend(LINKTYPE_RAW.to_le_bytes());
            bytes.extend(0u16.to_le_bytes()); // reserved
            bytes.extend(snap_length.to_le_bytes());
            option(bytes, INTERFACE_NAME, host.name().as_bytes());
            let description = format!("the {}' host; timestamps from the start of the run", host.name());
            option(bytes, INTERFACE_DESCRIBED, description.as_bytes());
            let [first, second, third, fourth] = host.address();
            option(bytes, INTERFACE_IPV4, &[first, second, third, fourth, 255, 255, 255, 0]);
            option(bytes, TIME_RESOLUTION, &[NANOSECONDS]);
            option(bytes, END_OF_OPTIONS, &[]);
        });
        pcapng
    }

    /// Adds a packet of `length` bytes at `time_ns`. `head` are its first bytes; those after them are zeros.
    pub fn packet(&mut self, time_ns: u64, head: &[u8], length: u32) {
        let kept = length.min(self.snap_length);
        self.block(ENHANCED_PACKET, |bytes| {
            for word in [0, (time_ns >> 32) as u32, time_ns as u32, kept, length] {
                bytes.extend(word.to_le_bytes());
            }
            let end = bytes.len() + kept as usize;
            bytes.extend(&head[..head.len().min(kept as usize)]);
            bytes.resize(end.next_multiple_of(4), 0);
        });
    }

    /// Bytes that were written and not taken.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Takes what has been written since the last call. All of it, one piece after the other, is the file.
    #[must_use]
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    /// Adds a block: its type, its length, what `body` writes (a multiple of 4 bytes), its length again.
    fn block(&mut self, kind: u32, body: impl FnOnce(&mut Vec<u8>)) {
        let start = self.bytes.len();
        self.bytes.extend(kind.to_le_bytes());
        self.bytes.extend([0; 4]);
        body(&mut self.bytes);
        let length = ((self.bytes.len() - start + 4) as u32).to_le_bytes();
        self.bytes[start + 4..start + 8].copy_from_slice(&length);
        self.bytes.extend(length);
    }
}

/// Adds an option: its code, its length, its value, padded to a multiple of 4 bytes. // §3.5
fn option(bytes: &mut Vec<u8>, code: u16, value: &[u8]) {
    bytes.extend(code.to_le_bytes());
    bytes.extend((value.len() as u16).to_le_bytes());
    let end = bytes.len() + value.len();
    bytes.extend(value);
    bytes.resize(end.next_multiple_of(4), 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(bytes: &[u8], at: usize) -> u32 {
        u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
    }

    /// Type and body of each block; both lengths are checked.
    fn blocks(mut bytes: &[u8]) -> Vec<(u32, &[u8])> {
        let mut blocks = Vec::new();
        while !bytes.is_empty() {
            let length = word(bytes, 4) as usize;
            assert_eq!(length % 4, 0);
            assert_eq!(word(bytes, length - 4) as usize, length);
            blocks.push((word(bytes, 0), &bytes[8..length - 4]));
            bytes = &bytes[length..];
        }
        blocks
    }

    // 2^32 ns and 7: the upper word is 1, the lower one 7. Of five bytes four are kept; of three, all, and one of padding.
    #[test]
    fn a_packet_has_its_time_its_lengths_and_no_more_than_the_snap_length() {
        let mut capture = Pcapng::new(CaptureHost::Senders, 4);
        capture.packet((1 << 32) + 7, &[1, 2, 3, 4, 5], 5);
        capture.packet(8, &[9], 3);
        let file = capture.take();
        let blocks = blocks(&file);
        assert_eq!(
            blocks.iter().map(|block| block.0).collect::<Vec<_>>(),
            [SECTION_HEADER, INTERFACE_DESCRIPTION, ENHANCED_PACKET, ENHANCED_PACKET]
        );
        let words = |at: usize| (0..5).map(|number| word(blocks[at].1, 4 * number)).collect::<Vec<_>>();
        assert_eq!((words(2), &blocks[2].1[20..]), (vec![0, 1, 7, 4, 5], &[1, 2, 3, 4][..]));
        assert_eq!((words(3), &blocks[3].1[20..]), (vec![0, 0, 8, 3, 3], &[9, 0, 0, 0][..]));
        assert!(capture.is_empty());
    }

    #[test]
    fn the_interface_is_raw_ip_with_the_hosts_name_and_counts_nanoseconds() {
        let file = Pcapng::new(CaptureHost::Receivers, 80).take();
        let interface = blocks(&file)[1].1;
        assert_eq!((interface[..4].to_vec(), word(interface, 4)), (vec![101, 0, 0, 0], 80));
        let has = |what: &[u8]| interface.windows(what.len()).any(|window| window == what);
        assert!(has(b"\x02\x00\x09\x00receivers\0\0\0"));
        assert!(has(&[4, 0, 8, 0, 198, 18, 0, 2, 255, 255, 255, 0]));
        assert!(has(&[9, 0, 1, 0, 9, 0, 0, 0]));
    }
}
