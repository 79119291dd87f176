// SPDX-License-Identifier: MIT OR Apache-2.0
//! When segments were sent for the first time: eight bytes for all that left at one instant. Most leave in the burst that one
//! acknowledgement lets go.

/// Bursts whose memory is kept when there are none.
const FEW: usize = 64;

/// Segments that left at one instant: the low half of the position behind the last of them, and that of the time, µs.
#[derive(Clone, Copy, Debug)]
struct Burst {
    end: u32,
    sent_us: u32,
}

/// Consecutive segments, in the order of their transmissions.
///
/// Positions are within 2³¹ of each other, and times within 2³² µs: nothing stays out for an hour without a timeout.
#[derive(Debug, Default)]
pub struct Bursts {
    all: Vec<Burst>,
    /// Index of the first one that is not forgotten.
    head: usize,
    /// When the last one was sent, µs.
    last_us: u64,
}

impl Bursts {
    /// Whether there are no segments.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.head == self.all.len()
    }

    /// Whether the next burst needs memory.
    #[inline]
    pub const fn is_full(&self) -> bool {
        self.all.len() == self.all.capacity()
    }

    /// The segments up to `end` were sent at `now_us`.
    #[inline]
    pub fn push(&mut self, end: u64, now_us: u64) {
        self.last_us = now_us;
        self.all.push(Burst { end: end as u32, sent_us: now_us as u32 });
    }

    /// Makes room for an eighth more: that of what is forgotten, or else new.
    #[cold]
    pub fn make_room(&mut self) {
        self.all.drain(..self.head);
        self.head = 0;
        let room = self.all.len() / 8 + 1;
        if self.all.capacity() - self.all.len() < room {
            self.all.reserve_exact(room + 15);
        }
    }

    /// The bursts from that of the segment at `position` on.
    fn from(&self, position: u64) -> &[Burst] {
        let is_before = |burst: &Burst| burst.end.wrapping_sub(position as u32).cast_signed() <= 0;
        let bursts = &self.all[self.head..];
        &bursts[bursts.partition_point(is_before)..]
    }

    /// The segments before `una` go.
    pub fn forget(&mut self, una: u64) {
        self.head = self.all.len() - self.from(una).len();
    }

    fn time_us(&self, burst: Burst) -> u64 {
        self.last_us - u64::from((self.last_us as u32).wrapping_sub(burst.sent_us))
    }

    /// When the segment at `position` was sent, µs.
    pub fn sent_us(&self, position: u64) -> Option<u64> {
        self.from(position).first().map(|&burst| self.time_us(burst))
    }

    /// Calls `each` with how many segments each burst has from the one at `first` on, and when it was sent, µs; then they go.
    pub fn take(&mut self, first: u64, mut each: impl FnMut(u32, u64)) {
        let mut begin = first as u32;
        for &burst in &self.all[self.head..] {
            each(burst.end.wrapping_sub(begin), self.time_us(burst));
            begin = burst.end;
        }
        self.head = 0;
        self.all.clear();
        if self.all.capacity() > FEW {
            self.all = Vec::new();
        }
    }

    /// What it allocates, bytes.
    #[cfg(test)]
    pub const fn bytes(&self) -> usize {
        self.all.capacity() * size_of::<Burst>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Segments 7, 8 and 9 at 5 µs, 10 at 12; 11 to 3000 an hour later, when the low half of the time has gone round: 3600 s are 2³² µs
    // less 695 s.
    #[test]
    fn segments_have_the_times_at_which_they_were_sent() {
        const HOUR: u64 = 3_600_000_000;
        let start = u64::from(u32::MAX) - 5;
        let mut bursts = Bursts::default();
        for (end, at) in [(10, 5), (11, 12), (3001, HOUR)] {
            bursts.push(end, start + at);
        }
        let times = |bursts: &Bursts, positions: [u64; 5]| positions.map(|position| bursts.sent_us(position));
        let [first, second, third] = [5, 12, HOUR].map(|at| Some(start + at));
        assert_eq!(times(&bursts, [7, 9, 10, 11, 3000]), [first, first, second, third, third]);
        assert_eq!(bursts.sent_us(3001), None);
        bursts.forget(9);
        let mut taken = Vec::new();
        bursts.take(9, |count, sent_us| taken.push((count, sent_us - start)));
        assert_eq!(taken, [(1, 5), (1, 12), (2990, HOUR)]);
        assert!(bursts.is_empty());
    }

    // 1000 bursts of one segment out, a hundred windows long: eight bytes each and an eighth to spare, and what is rounded up at the start.
    #[test]
    fn what_is_forgotten_makes_room() {
        let mut bursts = Bursts::default();
        for position in 0..100_000_u64 {
            if bursts.is_full() {
                bursts.forget(position.saturating_sub(1000));
                bursts.make_room();
            }
            bursts.push(position + 1, position);
        }
        assert_eq!(bursts.sent_us(99_000), Some(99_000));
        assert!(bursts.bytes() <= 8 * (1126 + 16), "{}", bursts.bytes());
    }
}
