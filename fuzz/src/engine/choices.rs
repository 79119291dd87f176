// SPDX-License-Identifier: MIT OR Apache-2.0
//! Choices made from bytes. When the bytes are used up, every choice is the simplest one.

use arbitrary::Unstructured;
use cwnd::registry::Description;
use cwnd_link::random::RandomStream;

/// Takes choices from bytes, front to back.
#[derive(Debug)]
pub struct Choices<'a>(Unstructured<'a>, Option<&'static Description>);

impl<'a> Choices<'a> {
    /// Choices from `bytes`.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(Unstructured::new(bytes), None)
    }

    /// Choices from `bytes` in which `algorithm` is the one most often chosen.
    #[must_use]
    pub fn favouring(bytes: &'a [u8], algorithm: &'static Description) -> Self {
        Self(Unstructured::new(bytes), Some(algorithm))
    }

    /// The algorithm that is most often chosen.
    #[must_use]
    pub const fn favourite(&self) -> Option<&'static Description> {
        self.1
    }

    /// A whole number of `from..=to`; `from` when the bytes are used up.
    pub fn whole(&mut self, from: u64, to: u64) -> u64 {
        self.0.int_in_range(from..=to.max(from)).unwrap_or(from)
    }

    /// True in `n` of 16 cases; false when the bytes are used up.
    pub fn chance(&mut self, n: u64) -> bool {
        self.whole(0, 15) >= 16 - n.min(16)
    }

    /// One of `list`, which is not empty.
    pub fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.whole(0, list.len() as u64 - 1) as usize]
    }

    /// A number of `from..=to` whose order of magnitude is uniform; the ends themselves more often than others.
    pub fn magnitude(&mut self, from: u64, to: u64) -> u64 {
        match self.whole(0, 31) {
            30 => from,
            31 => to,
            _ => {
                let bits = self.whole(u64::from(from.max(1).ilog2()), u64::from(to.max(1).ilog2())) as u32;
                let (low, high) = (1 << bits, u64::MAX >> (63 - bits));
                self.whole(low, high).clamp(from, to)
            }
        }
    }
}

/// `count` bytes that are a function of `seed`.
#[must_use]
pub fn random_bytes(seed: u64, count: usize) -> Vec<u8> {
    let mut stream = RandomStream::new(seed, 0);
    std::iter::repeat_with(|| stream.next_u64().to_le_bytes()).flatten().take(count).collect()
}
