// SPDX-License-Identifier: MIT OR Apache-2.0
//! Payload that has reached a receiver, each byte once.

use std::collections::BTreeMap;

/// The parts of a flow that have arrived.
#[derive(Clone, Debug, Default)]
pub struct Distinct {
    /// All below this position has arrived.
    next: u64,
    /// Parts beyond it: first position, and the one behind the last.
    beyond: BTreeMap<u64, u64>,
}

impl Distinct {
    /// So many bytes from a position on have arrived; returns how many of them had not before.
    pub fn note(&mut self, position: u64, bytes: u64) -> u64 {
        let (mut from, mut to) = (position.max(self.next), position + bytes);
        if from >= to {
            return 0;
        }
        let mut new = to - from;
        // Parts that overlap this one, or touch it, become one with it.
        while let Some((&first, &last)) = self.beyond.range(..=to).next_back()
            && last >= from
        {
            self.beyond.remove(&first);
            new -= last.min(to).saturating_sub(first.max(from));
            (from, to) = (from.min(first), to.max(last));
        }
        if from == self.next {
            self.next = to;
        } else {
            self.beyond.insert(from, to);
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // In order 10; a hole of 10; beyond it 10, of which 5 again with 5 more; then the hole with both its neighbours' edges.
    #[test]
    fn each_byte_counts_once() {
        let mut distinct = Distinct::default();
        assert_eq!(
            [(0, 10), (20, 10), (25, 10), (20, 10)].map(|(at, bytes)| distinct.note(at, bytes)),
            [10, 10, 5, 0]
        );
        assert_eq!(distinct.note(8, 14), 10);
        assert_eq!((distinct.next, distinct.beyond.len()), (35, 0));
        assert_eq!(distinct.note(0, 35), 0);
    }

    // Against a list of flags, in random pieces.
    #[test]
    fn random_pieces_count_as_a_list_of_flags_does() {
        let (mut distinct, mut flags, mut state) = (Distinct::default(), vec![false; 4000], 7u64);
        for _ in 0..3000 {
            let mut random = |below: u64| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223) & 0xffff_ffff;
                (state >> 8) % below
            };
            let (at, bytes) = (random(3900), 1 + random(90));
            let piece = &mut flags[at as usize..(at + bytes) as usize];
            let new = piece.iter().filter(|flag| !**flag).count() as u64;
            piece.fill(true);
            assert_eq!(distinct.note(at, bytes), new);
        }
    }
}
