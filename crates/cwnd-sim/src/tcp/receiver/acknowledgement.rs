// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an acknowledgement says (RFC 9293, RFC 2018).

/// An acknowledgement as it reaches the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckPacket {
    /// Everything before this position has arrived.
    pub cumulative: u64,
    /// A segment beyond it that has just arrived (the first block of the SACK option, newest edge). With D-SACK (RFC 2883) also one that
    /// had arrived before: it lies below `cumulative`, or was reported by an earlier acknowledgement.
    pub sacked: Option<u64>,
    /// When the first and the newest segment of the last advance were sent, µs (the timestamp echo, and what a sender knows of its newest
    /// segment). An acknowledgement that brings nothing in order repeats them: those before it may have been lost. // RFC 7323 §4.3
    pub sent_us: Option<(u32, u32)>,
    /// Whether it was made to wait for, so that its blocks report more than `sacked`.
    pub waited: bool,
}

/// The SACK option of an acknowledgement (RFC 2018): up to three blocks, as many as fit with timestamps.
///
/// While every acknowledgement arrives in order, one newly arrived segment is all the information ([`AckPacket::sacked`]). Where
/// acknowledgements may be lost or reordered, blocks repeat the information of earlier ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks {
    /// From and to, counted from the acknowledgement's `cumulative`; `(0, 0)` where there is none.
    pub(super) offsets: [(u32, u32); 3],
    /// The segment that has arrived again, counted from there: the first block (RFC 2883 §4), which leaves place for two.
    pub(super) duplicate: Option<i32>,
}

impl SackBlocks {
    /// The blocks of an acknowledgement up to `cumulative`: the positions `from..to` that have arrived, and the one that arrived again.
    pub fn of(cumulative: u64, ranges: &[(u64, u64)], duplicate: Option<u64>) -> Self {
        let mut blocks = Self::default();
        for (offsets, (from, to)) in blocks.offsets.iter_mut().zip(ranges) {
            *offsets = (from.saturating_sub(cumulative) as u32, to.saturating_sub(cumulative) as u32);
        }
        blocks.duplicate = duplicate.map(|position| position.wrapping_sub(cumulative) as i32);
        blocks
    }

    /// The blocks of an acknowledgement up to `cumulative`, as positions `from..to`.
    pub fn ranges(self, cumulative: u64) -> impl Iterator<Item = (u64, u64)> {
        let ranges = self.offsets.into_iter().take_while(|offsets| offsets.1 > 0);
        ranges.map(move |(from, to)| (cumulative + u64::from(from), cumulative + u64::from(to)))
    }

    /// The segment that has arrived again, of an acknowledgement up to `cumulative`.
    pub fn duplicate(self, cumulative: u64) -> Option<u64> {
        self.duplicate.and_then(|offset| cumulative.checked_add_signed(offset.into()))
    }

    /// How many it has.
    #[must_use]
    pub fn count(&self) -> u32 {
        let news = self.offsets.iter().take_while(|offsets| offsets.1 > 0).count() as u32;
        news + u32::from(self.duplicate.is_some())
    }

    /// Whether it has none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.offsets[0].1 == 0 && self.duplicate.is_none()
    }
}
