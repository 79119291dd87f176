// SPDX-License-Identifier: MIT OR Apache-2.0
//! Losses that no queue causes.

use crate::random::Stream;

/// Which packets a link loses, by the order in which they are offered to it (the first is number 1).
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Loss {
    /// None.
    #[default]
    None,
    /// Every n-th.
    Every(u64),
    /// Each with this probability, in units of 2⁻⁶⁴.
    Random(u64),
    /// These, in rising order.
    At(Vec<u64>),
}

/// A running loss process.
#[derive(Clone, Debug)]
pub struct LossProcess {
    loss: Loss,
    offered: u64,
    /// Number of the next packet to lose, or the next place in the list.
    next: u64,
    index: usize,
    stream: Stream,
}

impl LossProcess {
    /// Starts `loss`; `stream` serves [`Loss::Random`].
    #[must_use]
    pub fn new(loss: Loss, stream: Stream) -> Self {
        let next = match &loss {
            Loss::Every(n) => *n,
            Loss::At(list) => list.first().copied().unwrap_or(u64::MAX),
            Loss::None | Loss::Random(_) => u64::MAX,
        };
        Self { loss, offered: 0, next, index: 0, stream }
    }

    /// Whether the next packet is lost.
    #[inline]
    pub fn loses_next(&mut self) -> bool {
        self.offered += 1;
        if let Loss::Random(p) = self.loss {
            return self.stream.next_u64() < p;
        }
        if self.offered < self.next {
            return false;
        }
        match &self.loss {
            Loss::Every(n) => self.next += n,
            Loss::At(list) => {
                self.index += 1;
                self.next = list.get(self.index).copied().unwrap_or(u64::MAX);
            }
            Loss::None | Loss::Random(_) => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(loss: Loss, offered: u64) -> Vec<u64> {
        let mut process = LossProcess::new(loss, Stream::new(1, 0));
        (1..=offered).filter(|_| process.loses_next()).collect()
    }

    #[test]
    fn the_listed_and_the_nth_packets_are_lost() {
        assert_eq!(lost(Loss::None, 100), []);
        assert_eq!(lost(Loss::Every(30), 100), [30, 60, 90]);
        assert_eq!(lost(Loss::At(vec![1, 2, 99]), 100), [1, 2, 99]);
    }

    // 10⁵ packets at 1 %: 1000 ± 5 σ, σ = √(10⁵ · 0.01 · 0.99) = 31.5.
    #[test]
    fn random_losses_have_their_probability() {
        let n = lost(Loss::Random((0.01 * 2_f64.powi(64)) as u64), 100_000).len();
        assert!((843..=1157).contains(&n), "{n}");
    }
}
