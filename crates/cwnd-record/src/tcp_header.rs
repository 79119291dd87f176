// SPDX-License-Identifier: MIT OR Apache-2.0
//! A TCP header with its options (RFC 9293 §3.1, RFC 7323 §3, RFC 2018 §3), as a trace's records have it.

/// What a trace keeps of a header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpHeader {
    /// Number of the first byte.
    pub sequence: u32,
    /// Number of the byte that the receiver expects next.
    pub acknowledges: u32,
    /// CWR, ECE, URG, ACK, PSH, RST, SYN, FIN, from the highest bit on.
    pub flags: u8,
    /// Receive window as sent, before its scale.
    pub window: u16,
    /// Its length with the options.
    pub bytes: u32,
    /// Value and echo.
    pub timestamps: (u32, u32),
    /// From and to; two zeros where there is none.
    pub sack: [(u32, u32); 4],
}

const END: u8 = 0;
const NOTHING: u8 = 1;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |word| u32::from_be_bytes(*word))
}

impl TcpHeader {
    /// Reads it; what lies behind its end has no meaning.
    pub fn read(bytes: &[u8]) -> Self {
        let byte = |at: usize| bytes.get(at).copied().unwrap_or_default();
        let length = usize::from(byte(12) >> 4) * 4;
        let mut header = Self {
            sequence: u32_at(bytes, 4),
            acknowledges: u32_at(bytes, 8),
            flags: byte(13),
            window: u16::from_be_bytes([byte(14), byte(15)]),
            bytes: length as u32,
            ..Self::default()
        };
        let mut options = bytes.get(20..length).unwrap_or_default();
        while let Some((&kind, rest)) = options.split_first() {
            options = match kind {
                END => break,
                NOTHING => rest,
                _ => {
                    let size = rest.first().map_or(0, |size| usize::from(*size));
                    let Some(value) = options.get(2..size.max(2)).filter(|_| size >= 2) else { break };
                    header.take(kind, value);
                    options.get(size..).unwrap_or_default()
                }
            };
        }
        header
    }

    fn take(&mut self, kind: u8, value: &[u8]) {
        match kind {
            TIMESTAMPS => self.timestamps = (u32_at(value, 0), u32_at(value, 4)),
            SACK => {
                for (block, bytes) in self.sack.iter_mut().zip(value.chunks_exact(8)) {
                    *block = (u32_at(bytes, 0), u32_at(bytes, 4));
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // 20 bytes, two of padding, 10 of timestamps, two of padding, 18 of two blocks: 52, so the offset is 13 words.
    #[test]
    fn a_header_is_read_with_its_timestamps_and_blocks() {
        let mut bytes = vec![0, 80, 1, 0, 0, 0, 0, 7, 0, 0, 1, 0, 13 << 4, 0x10, 2, 1, 9, 9, 9, 9];
        bytes.extend([1, 1, 8, 10, 0, 0, 0, 5, 0, 0, 0, 6]);
        bytes.extend([1, 1, 5, 18, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 5, 0]);
        bytes.extend([8, 10, 1, 1, 1, 1, 1, 1]); // behind its end
        let header = TcpHeader {
            sequence: 7,
            acknowledges: 256,
            flags: 0x10,
            window: 513,
            bytes: 52,
            timestamps: (5, 6),
            sack: [(512, 768), (1024, 1280), (0, 0), (0, 0)],
        };
        assert_eq!(TcpHeader::read(&bytes), header);
        for length in 0..bytes.len() {
            let _ = TcpHeader::read(&bytes[..length]); // no panic
        }
    }
}
