// SPDX-License-Identifier: MIT OR Apache-2.0
//! Positions of the simulator's segments for the sequence numbers of a record.

/// Where each segment begins, in bytes after the first one of the connection.
#[derive(Debug)]
pub struct Segments {
    first: u32,
    starts: Vec<u64>,
    end: u64,
}

impl Segments {
    /// None yet; `first` is the sequence number of the first byte.
    pub const fn new(first: u32) -> Self {
        Self { first, starts: Vec::new(), end: 0 }
    }

    /// Bytes from the beginning to this sequence number, within 2³¹ of the last segment's end.
    pub const fn offset(&self, sequence: u32) -> u64 {
        let ahead = sequence.wrapping_sub(self.first).wrapping_sub(self.end as u32).cast_signed();
        self.end.saturating_add_signed(ahead as i64)
    }

    /// Where the next new segment begins.
    pub const fn end(&self) -> u64 {
        self.end
    }

    /// A new segment of so many bytes.
    pub fn push(&mut self, bytes: u32) {
        self.starts.push(self.end);
        self.end += u64::from(bytes);
    }

    /// Sequence number of the first byte of the segment at this position, or of the end.
    pub fn sequence(&self, position: u64) -> u32 {
        let start = self.starts.get(position as usize).copied().unwrap_or(self.end);
        self.first.wrapping_add(start as u32)
    }

    /// The number of segments that begin before this byte: the first that does not.
    pub fn from(&self, offset: u64) -> u64 {
        self.starts.partition_point(|&start| start < offset) as u64
    }

    /// The number of segments that end at this byte or before: the first that is not covered by everything up to it.
    pub fn to(&self, offset: u64) -> u64 {
        if offset >= self.end {
            return self.starts.len() as u64;
        }
        (self.starts.partition_point(|&start| start <= offset) as u64).saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Segments of 1000, 1000 and 500 bytes from 2^32 - 500 on: they begin at bytes 0, 1000, 2000, and the third ends at 2500.
    #[test]
    fn sequence_numbers_become_positions() {
        let mut segments = Segments::new(u32::MAX - 499);
        [1000, 1000, 500].into_iter().for_each(|bytes| segments.push(bytes));
        assert_eq!((segments.offset(u32::MAX - 499), segments.offset(500), segments.end()), (0, 1000, 2500));
        assert_eq!([0, 999, 1000, 2499, 2500].map(|byte| segments.to(byte)), [0, 0, 1, 2, 3]);
        assert_eq!([0, 1, 1000, 1001, 2500].map(|byte| segments.from(byte)), [0, 1, 1, 2, 3]);
        assert_eq!([0, 1, 3].map(|position| segments.sequence(position)), [u32::MAX - 499, 500, 2000]);
    }
}
