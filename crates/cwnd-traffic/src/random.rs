// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random numbers, which come in as arguments.

/// A stream of random numbers. A closure is one.
pub trait Random {
    /// The next number: 64 uniform bits.
    fn next_u64(&mut self) -> u64;

    /// A number below `bound`, uniform; 0 when `bound` is 0.
    fn below(&mut self, bound: u64) -> u64 {
        scaled(self.next_u64(), bound)
    }
}

impl<F: FnMut() -> u64> Random for F {
    fn next_u64(&mut self) -> u64 {
        self()
    }
}

/// `number` scaled to `0..bound`.
pub(crate) const fn scaled(number: u64, bound: u64) -> u64 {
    ((number as u128 * bound as u128) >> 64) as u64
}
