// SPDX-License-Identifier: MIT OR Apache-2.0
//! A window of bits over positions: a ring of words that grows with the window it must cover.

/// Bits for the positions of one window; all clear outside it.
#[derive(Clone, Debug, Default)]
pub struct Bits {
    words: Vec<u64>,
}

impl Bits {
    #[inline]
    fn place(&self, position: u64) -> (usize, u64) {
        ((position >> 6) as usize & (self.words.len() - 1), 1 << (position & 63))
    }

    /// Makes room for the positions `from..to`; call before setting bits there.
    pub fn cover(&mut self, from: u64, to: u64) {
        let needed = ((to >> 6) - (from >> 6) + 1).next_power_of_two() as usize;
        if needed <= self.words.len() {
            return;
        }
        let old = std::mem::take(&mut self.words);
        self.words = vec![0; needed];
        if !old.is_empty() {
            // Every old word holds positions of one aligned block of 64 in a span shorter than the old ring.
            for block in (from >> 6)..(from >> 6) + old.len() as u64 {
                self.words[block as usize & (needed - 1)] = old[block as usize & (old.len() - 1)];
            }
        }
    }

    /// Whether the bit is set.
    #[inline]
    #[must_use]
    pub fn get(&self, position: u64) -> bool {
        if self.words.is_empty() {
            return false;
        }
        let (word, mask) = self.place(position);
        self.words[word] & mask != 0
    }

    /// Sets the bit, which [`Bits::cover`] must have made room for.
    #[inline]
    pub fn set(&mut self, position: u64) {
        let (word, mask) = self.place(position);
        self.words[word] |= mask;
    }

    /// Clears the bit; returns whether it was set.
    #[inline]
    pub fn clear(&mut self, position: u64) -> bool {
        if self.words.is_empty() {
            return false;
        }
        let (word, mask) = self.place(position);
        let was = self.words[word] & mask != 0;
        self.words[word] &= !mask;
        was
    }

    /// Clears `from..to`; returns how many were set.
    pub fn clear_range(&mut self, from: u64, to: u64) -> u32 {
        if self.words.is_empty() {
            return 0;
        }
        let mut count = 0;
        for (block, mask) in blocks(from, to) {
            let index = block as usize & (self.words.len() - 1);
            count += (self.words[index] & mask).count_ones();
            self.words[index] &= !mask;
        }
        count
    }

    /// First set position in `from..to`.
    #[must_use]
    pub fn first_set(&self, from: u64, to: u64) -> Option<u64> {
        self.first(from, to, 0)
    }

    /// First clear position in `from..to`.
    #[must_use]
    pub fn first_clear(&self, from: u64, to: u64) -> Option<u64> {
        if self.words.is_empty() {
            return (from < to).then_some(from);
        }
        self.first(from, to, u64::MAX)
    }

    fn first(&self, from: u64, to: u64, flip: u64) -> Option<u64> {
        if self.words.is_empty() {
            return None;
        }
        blocks(from, to).find_map(|(block, mask)| {
            let hit = (self.words[block as usize & (self.words.len() - 1)] ^ flip) & mask;
            (hit != 0).then(|| (block << 6) + u64::from(hit.trailing_zeros()))
        })
    }
}

/// The blocks of 64 that cover `from..to`, each with a mask of the positions inside.
fn blocks(from: u64, to: u64) -> impl Iterator<Item = (u64, u64)> {
    let mut at = from;
    std::iter::from_fn(move || {
        if at >= to {
            return None;
        }
        let end = ((at | 63) + 1).min(to);
        let width = end - at;
        let mask = if width == 64 { u64::MAX } else { ((1 << width) - 1) << (at & 63) };
        let block = at >> 6;
        at = end;
        Some((block, mask))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_survive_growth_and_wrap() {
        let mut bits = Bits::default();
        for round in 0..50_u64 {
            let from = round * 37;
            let to = from + 64 + round * 29;
            bits.cover(from, to);
            bits.clear_range(from, to);
            for position in (from..to).step_by(3) {
                bits.set(position);
            }
            bits.cover(from, to + 500);
            for position in from..to {
                assert_eq!(
                    bits.get(position),
                    (position - from).is_multiple_of(3),
                    "round {round}, {position}"
                );
            }
            assert_eq!(bits.first_set(from + 1, to), Some(from + 3));
            assert_eq!(bits.first_clear(from, to), Some(from + 1));
            assert_eq!(u64::from(bits.clear_range(from, to)), (to - from).div_ceil(3));
            assert_eq!(bits.first_set(from, to), None);
        }
    }
}
