// SPDX-License-Identifier: MIT OR Apache-2.0
//! A sliding window of bits over positions: one bit a position, from the first that still matters to the last one set.

/// Bits for the positions of one window. Every position beyond it is clear; those before it must not be asked for.
#[derive(Clone, Debug, Default)]
pub struct Bitmap {
    words: Vec<u64>,
    /// The block of 64 positions that the first word holds.
    first: u64,
}

impl Bitmap {
    /// Makes room for the positions `from..to`, `from < to`; what lies before `from` is forgotten. Call before setting.
    #[inline]
    pub fn cover(&mut self, from: u64, to: u64) {
        if ((to - 1) >> 6).wrapping_sub(self.first) >= self.words.len() as u64 {
            self.slide(from >> 6, (to - 1) >> 6);
        }
    }

    /// Moves the window to begin at the block `first` and to hold the block `last`.
    #[cold]
    fn slide(&mut self, first: u64, last: u64) {
        if self.words.is_empty() {
            self.first = first;
        }
        debug_assert!(first >= self.first, "a window slides forwards");
        let passed = (first - self.first).min(self.words.len() as u64) as usize;
        self.words.drain(..passed);
        self.first = first;
        let needed = (last - first + 1) as usize;
        if needed > self.words.capacity() {
            // A sixteenth to spare: a window that grows or slides by one is moved at every sixteenth of it.
            self.words.reserve_exact(needed + needed / 16 - self.words.len());
        }
        self.words.resize(self.words.capacity().max(needed), 0);
    }

    /// The word that holds the block, all clear beyond the window.
    #[inline]
    fn word(&self, block: u64) -> u64 {
        self.words.get(block.wrapping_sub(self.first) as usize).copied().unwrap_or(0)
    }

    /// Whether the bit is set.
    #[inline]
    #[must_use]
    pub fn get(&self, position: u64) -> bool {
        self.word(position >> 6) >> (position & 63) & 1 == 1
    }

    /// Sets the bit, which [`Bitmap::cover`] must have made room for.
    #[inline]
    pub fn set(&mut self, position: u64) {
        self.words[((position >> 6) - self.first) as usize] |= 1 << (position & 63);
    }

    /// Sets `from..to`, which [`Bitmap::cover`] must have made room for.
    pub fn set_range(&mut self, from: u64, to: u64) {
        if from >= to {
            return;
        }
        let (a, b) = ((from >> 6) - self.first, ((to - 1) >> 6) - self.first);
        let words = &mut self.words[a as usize..=b as usize];
        let last = words.len() - 1;
        if last == 0 {
            words[0] |= from_mask(from) & to_mask(to);
            return;
        }
        words[0] |= from_mask(from);
        words[1..last].fill(u64::MAX);
        words[last] |= to_mask(to);
    }

    /// How many of `from..to` are set.
    #[must_use]
    pub fn count_ones(&self, from: u64, to: u64) -> u32 {
        if from >= to {
            return 0;
        }
        let (a, b) = (from >> 6, (to - 1) >> 6);
        if a == b {
            return (self.word(a) & from_mask(from) & to_mask(to)).count_ones();
        }
        let ends = (self.word(a) & from_mask(from)).count_ones() + (self.word(b) & to_mask(to)).count_ones();
        let len = self.words.len() as u64;
        let place = |block: u64| (block - self.first).min(len) as usize;
        ends + self.words[place(a + 1)..place(b)].iter().map(|word| word.count_ones()).sum::<u32>()
    }

    /// First clear position in `from..to`.
    #[must_use]
    pub fn first_clear(&self, from: u64, to: u64) -> Option<u64> {
        let mut block = from >> 6;
        let mut clear = !self.word(block) & from_mask(from);
        while clear == 0 {
            block += 1;
            if block << 6 >= to {
                return None;
            }
            clear = !self.word(block);
        }
        let position = (block << 6) + u64::from(clear.trailing_zeros());
        (position < to).then_some(position)
    }

    /// Last clear position in `from..to`.
    #[must_use]
    pub fn last_clear(&self, from: u64, to: u64) -> Option<u64> {
        if from >= to {
            return None;
        }
        let mut block = (to - 1) >> 6;
        let mut clear = !self.word(block) & to_mask(to);
        while clear == 0 {
            if block << 6 <= from {
                return None;
            }
            block -= 1;
            clear = !self.word(block);
        }
        let position = (block << 6) + 63 - u64::from(clear.leading_zeros());
        (position >= from).then_some(position)
    }

    /// Last set position in `from..to`.
    #[must_use]
    pub fn last_set(&self, from: u64, to: u64) -> Option<u64> {
        if from >= to {
            return None;
        }
        let mut block = (to - 1) >> 6;
        let mut set = self.word(block) & to_mask(to);
        while set == 0 {
            if block << 6 <= from {
                return None;
            }
            block -= 1;
            set = self.word(block);
        }
        let position = (block << 6) + 63 - u64::from(set.leading_zeros());
        (position >= from).then_some(position)
    }
}

/// The positions of `from`'s block from it on.
const fn from_mask(from: u64) -> u64 {
    u64::MAX << (from & 63)
}

/// The positions of the block that holds `to - 1` up to that one.
const fn to_mask(to: u64) -> u64 {
    u64::MAX >> (63 - ((to - 1) & 63))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cwnd_link::random::RandomStream;
    use std::collections::BTreeSet;

    // Against a set of numbers: a window that slides and grows at random, seed 11.
    #[test]
    fn a_sliding_window_answers_as_a_set_of_numbers_does() {
        let mut random = RandomStream::new(11, 0);
        let mut bits = Bitmap::default();
        let mut set = BTreeSet::new();
        let mut from = 1000;
        for round in 0..3000 {
            from += random.below(40);
            let width = 1 + random.below(600);
            if random.below(200) == 0 {
                (bits, set) = (Bitmap::default(), BTreeSet::new()); // everything arrived
            }
            bits.cover(from, from + width);
            set = set.split_off(&from);
            let a = from + random.below(width);
            let b = (a + random.below(150)).min(from + width);
            if random.below(3) == 0 {
                bits.set_range(a, b);
                set.extend(a..b);
            } else {
                bits.set(a);
                set.insert(a);
            }
            let end = from + width + random.below(200);
            let (x, y) = (from + random.below(width), end);
            let at = format!("round {round}: {x}..{y}");
            assert_eq!(bits.count_ones(x, y), set.range(x..y).count() as u32, "{at}");
            assert_eq!(bits.count_ones(x, x), 0);
            assert_eq!(bits.first_clear(x, y), (x..y).find(|n| !set.contains(n)), "{at}");
            assert_eq!(bits.last_clear(x, y), (x..y).rev().find(|n| !set.contains(n)), "{at}");
            assert_eq!(bits.last_set(x, y), set.range(x..y).next_back().copied(), "{at}");
            let near = a.max(x);
            assert_eq!(
                bits.last_clear(x, near),
                (x..near).rev().find(|n| !set.contains(n)),
                "{at}, to {near}"
            );
            assert_eq!(bits.get(x), set.contains(&x), "{at}");
        }
    }

    // One bit a position and a sixteenth more, in words of 64: 100 000 positions are 1563 words.
    #[test]
    fn a_window_takes_a_bit_a_position_and_a_sixteenth_to_spare() {
        let mut bits = Bitmap::default();
        for position in 7..100_007 {
            bits.cover(7, position + 1);
            bits.set(position);
        }
        assert!(bits.words.capacity() <= 1563 * 17 / 16 + 1, "{}", bits.words.capacity());
        // It slides without growing.
        for position in 100_007..900_007 {
            bits.cover(position - 100_000, position + 1);
        }
        assert!(bits.words.capacity() <= 1563 * 17 / 16 + 2, "{}", bits.words.capacity());
    }
}
