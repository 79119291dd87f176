// SPDX-License-Identifier: MIT OR Apache-2.0
//! When segments were sent for the first time: eight bytes for all that left at one instant. Most leave in the burst that one
//! acknowledgement lets go.

/// Segments that left at one instant: the low half of the position behind the last of them, and that of the time, µs.
#[derive(Clone, Copy, Debug, Default)]
struct Burst {
    end: u32,
    sent_us: u32,
}

impl Burst {
    /// Whether all its segments are before `position`.
    #[inline]
    const fn is_before(self, position: u64) -> bool {
        self.end.wrapping_sub(position as u32).cast_signed() <= 0
    }
}

/// Consecutive segments, in the order of their transmissions.
///
/// Positions are within 2³¹ of each other, and times within 2³² µs: nothing stays out for an hour without a timeout.
#[derive(Debug, Default)]
pub struct Bursts {
    /// The bursts, from `head` up to `tail`: before are forgotten ones, behind is room.
    all: Vec<Burst>,
    head: usize,
    tail: usize,
    /// When the last one was sent, µs.
    last_us: u64,
}

impl Bursts {
    /// The segments up to `end` were sent at `now_us`; false where there is no room to note that.
    #[inline]
    pub fn push(&mut self, end: u64, now_us: u64) -> bool {
        let Some(burst) = self.all.get_mut(self.tail) else { return false };
        *burst = Burst { end: end as u32, sent_us: now_us as u32 };
        self.tail += 1;
        self.last_us = now_us;
        true
    }

    /// Makes room for an eighth more: that of what is forgotten, or else new.
    pub fn make_room(&mut self) {
        self.all.copy_within(self.head..self.tail, 0);
        (self.head, self.tail) = (0, self.tail - self.head);
        let room = self.tail / 8 + 1;
        if self.all.len() - self.tail < room {
            let size = self.tail + room + 15;
            self.all.reserve_exact(size - self.all.len());
            self.all.resize(size, Burst::default());
        }
    }

    /// The index of the burst of the segment at `position`. Mostly it is the first or the second.
    fn index(&self, position: u64) -> usize {
        let is_before = |burst: &Burst| burst.is_before(position);
        let bursts = &self.all[self.head..self.tail];
        let skipped = match bursts {
            [first, ..] if !is_before(first) => 0,
            [_, second, ..] if !is_before(second) => 1,
            _ => bursts.partition_point(is_before),
        };
        self.head + skipped
    }

    /// When the segment at `una` was sent, µs. What is before it goes.
    #[inline]
    pub fn first_us(&mut self, una: u64) -> Option<u64> {
        while let Some(&burst) = self.all[..self.tail].get(self.head) {
            if !burst.is_before(una) {
                return Some(self.time_us(burst));
            }
            self.head += 1;
        }
        None
    }

    /// The segments before `una` go.
    pub fn forget(&mut self, una: u64) {
        self.head = self.index(una);
    }

    fn time_us(&self, burst: Burst) -> u64 {
        self.last_us - u64::from((self.last_us as u32).wrapping_sub(burst.sent_us))
    }

    /// When the segment at `position` was sent, µs.
    pub fn sent_us(&self, position: u64) -> Option<u64> {
        self.all[..self.tail].get(self.index(position)).map(|&burst| self.time_us(burst))
    }

    /// The segments from `first` on, which is none of a burst behind the first: how many each burst has, and when it was sent, µs.
    pub fn from(&self, first: u64) -> impl Iterator<Item = (u32, u64)> {
        let mut begin = first as u32;
        self.all[self.head..self.tail].iter().map(move |&burst| {
            let count = burst.end.wrapping_sub(begin);
            begin = burst.end;
            (count, self.time_us(burst))
        })
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
            bursts.make_room();
            assert!(bursts.push(end, start + at));
        }
        let times = |bursts: &Bursts, positions: [u64; 5]| positions.map(|position| bursts.sent_us(position));
        let [first, second, third] = [5, 12, HOUR].map(|at| Some(start + at));
        assert_eq!(times(&bursts, [7, 9, 10, 11, 3000]), [first, first, second, third, third]);
        assert_eq!(bursts.sent_us(3001), None);
        bursts.forget(9);
        let counts: Vec<_> = bursts.from(9).map(|(count, sent_us)| (count, sent_us - start)).collect();
        assert_eq!(counts, [(1, 5), (1, 12), (2990, HOUR)]);
    }

    // 1000 bursts of one segment out, a hundred windows long: eight bytes each and an eighth to spare, and what is rounded up at the start.
    #[test]
    fn what_is_forgotten_makes_room() {
        let mut bursts = Bursts::default();
        for position in 0..100_000_u64 {
            while !bursts.push(position + 1, position) {
                bursts.forget(position.saturating_sub(1000));
                bursts.make_room();
            }
        }
        assert_eq!(bursts.sent_us(99_000), Some(99_000));
        assert!(bursts.bytes() <= 8 * (1126 + 16), "{}", bursts.bytes());
    }
}
