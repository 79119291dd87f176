// SPDX-License-Identifier: MIT OR Apache-2.0
//! The blocks that the last acknowledgement had. Linux does not go through the segments of these again; it does through those of a block that returns
//! after the receiver had left it out, and that joins packets (`recv_sack_cache`).

/// How many an acknowledgement has, beside the timestamps.
const MOST: usize = 3;

/// The blocks of the last acknowledgement, from the first on; all their segments are reported.
#[derive(Clone, Copy, Debug, Default)]
pub struct LastBlocks([(u64, u64); MOST]);

impl LastBlocks {
    /// Those of an acknowledgement.
    pub const fn new(blocks: [(u64, u64); MOST]) -> Self {
        Self(blocks)
    }

    /// The next acknowledgement reports one more segment: its block comes first.
    pub fn extend(&mut self, position: u64) {
        let touches = |&(from, to): &(u64, u64)| from <= position + 1 && position <= to && from < to;
        let joined = self.0.iter().copied().filter(touches);
        let first =
            joined.fold((position, position + 1), |block, (from, to)| (block.0.min(from), block.1.max(to)));
        let others = self.0.into_iter().filter(|block| !touches(block));
        let mut blocks = std::iter::once(first).chain(others);
        self.0 = std::array::from_fn(|_| blocks.next().unwrap_or_default());
    }

    /// The next acknowledgement reports a duplicate, which takes the place of a block.
    pub const fn leave_place(&mut self) {
        self.0[MOST - 1] = (0, 0);
    }

    /// The first position of `from..to` that is in none of them.
    pub fn first_outside(&self, mut from: u64, to: u64) -> Option<u64> {
        while let Some(&(_, end)) = self.0.iter().find(|block| (block.0..block.1).contains(&from)) {
            from = end;
        }
        (from < to).then_some(from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // 5 to 6 and 9 are reported, then 7, which makes 5 to 7 the first block; then 20 and 30, so that 9's is left out. 8 joins the rest of them.
    #[test]
    fn a_block_that_grows_comes_first_and_three_are_kept() {
        let mut last = LastBlocks::new([(9, 10), (5, 7), (0, 0)]);
        last.extend(7);
        assert_eq!(last.0, [(5, 8), (9, 10), (0, 0)]);
        assert_eq!((last.first_outside(5, 12), last.first_outside(9, 10)), (Some(8), None));
        let mut more = last;
        more.extend(8);
        assert_eq!(more.0, [(5, 10), (0, 0), (0, 0)]);
        last.extend(20);
        last.extend(30);
        assert_eq!(last.0, [(30, 31), (20, 21), (5, 8)]);
        assert_eq!(last.first_outside(9, 10), Some(9));
        last.leave_place();
        assert_eq!(last.first_outside(5, 8), Some(5));
    }
}
