// SPDX-License-Identifier: MIT OR Apache-2.0
//! One outstanding segment.

/// What is known of one outstanding segment: when it was last sent, µs, above six marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry(u64);

/// A selective acknowledgement reported it.
pub const SACKED: u64 = 1;
/// It is taken for lost, sent again since or not.
pub const LOST: u64 = 2;
/// It has been sent again since it was last lost, and counts in the pipe for that.
pub const RETRANSMITTED: u64 = 4;
/// It has been sent more than once.
pub const SENT_AGAIN: u64 = 8;
/// Time has shown it lost. An undo may take that back, but time is not asked again before it is sent again. // Linux: tcp_tsorted_anchor
pub const JUDGED: u64 = 16;
/// It is in one packet with the segment before it, which a selective acknowledgement reported, too. // Linux: tcp_shift_skb_data
pub const JOINED: u64 = 32;
const MARKS: u32 = 6;

impl Entry {
    /// A segment that is sent at `now_us` for the first time.
    #[inline]
    pub const fn new(now_us: u64) -> Self {
        Self(now_us << MARKS)
    }

    /// The segment is sent again at `now_us`.
    pub const fn sent_again(self, now_us: u64) -> Self {
        let marks = self.0 & ((1 << MARKS) - 1) & !JUDGED;
        Self(now_us << MARKS | marks | SENT_AGAIN)
    }

    /// When it was last sent, µs.
    #[inline]
    pub const fn sent_us(self) -> u64 {
        self.0 >> MARKS
    }

    /// Whether it left in the same microsecond as the segment next to it, and both were sent again or neither.
    pub const fn is_sent_with(self, other: Self) -> bool {
        self.sent_us() == other.sent_us() && self.is_sent_again() == other.is_sent_again()
    }

    /// Whether it has been sent more than once.
    #[inline]
    pub const fn is_sent_again(self) -> bool {
        self.has(SENT_AGAIN)
    }

    pub const fn has(self, marks: u64) -> bool {
        self.0 & marks != 0
    }

    pub const fn set(&mut self, marks: u64) {
        self.0 |= marks;
    }

    pub const fn clear(&mut self, marks: u64) {
        self.0 &= !marks;
    }
}

/// A transmission as RFC 8985 orders them: by time, then by position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Transmission {
    /// When, µs.
    pub sent_us: u64,
    /// Of which segment.
    pub position: u64,
}

/// A transmission of a segment that had been sent before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Retransmission {
    /// When, µs.
    pub sent_us: u64,
    /// Of which segment.
    pub position: u64,
    /// One past the last segment that had been sent for the first time before it.
    pub behind: u64,
}
