// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random losses, independent of the queue.
//!
//! A loss process numbers the packets that are offered to it, from 1. The caller chooses which packets it offers: all, data only, or
//! acknowledgements only.

use crate::gilbert::GilbertElliott;
use crate::random::RandomStream;

/// Which packets a link loses, by the order in which they are offered to it (the first is number 1).
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Loss {
    /// None.
    #[default]
    None,
    /// Number `first` (at least 1) and every n-th after it; `first` = n loses n, 2n, …
    Every {
        /// Distance of two losses, at least 1.
        n: u64,
        /// The first one.
        first: u64,
    },
    /// Each with this probability (Bernoulli), in units of 2⁻⁶⁴.
    Random(u64),
    /// In bursts.
    Gilbert(GilbertElliott),
    /// These, in rising order.
    At(Vec<u64>),
}

/// A running loss process.
#[derive(Clone, Debug)]
pub struct LossProcess {
    offered: u64,
    /// Number of the next packet to decide on: the next lost one, or every one where losses are drawn.
    next: u64,
    loss: Loss,
    /// The next place in a list.
    index: usize,
    /// State of the Gilbert–Elliott model.
    bad: bool,
    stream: RandomStream,
}

impl LossProcess {
    /// Starts `loss`; `stream` serves [`Loss::Random`] and [`Loss::Gilbert`].
    #[must_use]
    pub fn new(loss: Loss, stream: RandomStream) -> Self {
        let next = match &loss {
            Loss::Every { first, .. } => *first,
            Loss::At(list) => list.first().copied().unwrap_or(u64::MAX),
            Loss::None => u64::MAX,
            Loss::Random(_) | Loss::Gilbert(_) => 0,
        };
        Self { offered: 0, next, loss, index: 0, bad: false, stream }
    }

    /// Whether it is known that none of the next `n` packets is lost.
    #[inline]
    pub const fn spares(&self, n: u32) -> bool {
        self.offered + (n as u64) < self.next
    }

    /// Counts the next `n` packets, of which none is lost.
    #[inline]
    pub const fn skip_n(&mut self, n: u32) {
        debug_assert!(self.spares(n));
        self.offered += n as u64;
    }

    /// Whether the next packet is lost.
    #[inline]
    pub fn loses_next(&mut self) -> bool {
        self.offered += 1;
        self.offered >= self.next && self.decide()
    }

    #[inline(never)]
    fn decide(&mut self) -> bool {
        match &self.loss {
            Loss::None => return false,
            Loss::Random(p) => return self.stream.happens(*p),
            Loss::Gilbert(model) => return model.loses_next(&mut self.bad, &mut self.stream),
            Loss::Every { n, .. } => self.next = self.next.saturating_add((*n).max(1)),
            Loss::At(list) => {
                self.index += 1;
                self.next = list.get(self.index).copied().unwrap_or(u64::MAX);
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(loss: Loss, offered: u64) -> Vec<u64> {
        let mut process = LossProcess::new(loss, RandomStream::new(1, 0));
        (1..=offered).filter(|_| process.loses_next()).collect()
    }

    #[test]
    fn the_listed_and_the_nth_packets_are_lost() {
        assert_eq!(lost(Loss::None, 100), []);
        assert_eq!(lost(Loss::Every { n: 30, first: 30 }, 100), [30, 60, 90]);
        assert_eq!(lost(Loss::Every { n: 30, first: 1 }, 100), [1, 31, 61, 91]);
        assert_eq!(lost(Loss::Every { n: 30, first: 75 }, 120), [75, 105]);
        assert_eq!(lost(Loss::Every { n: 1, first: 3 }, 5), [3, 4, 5]);
        assert_eq!(lost(Loss::At(vec![1, 2, 99]), 100), [1, 2, 99]);
        assert_eq!(lost(Loss::At(vec![]), 100), []);
    }

    // 10⁵ packets at 1 %: 1000 ± 5 σ, σ = √(10⁵ · 0.01 · 0.99) = 31.5.
    #[test]
    fn random_losses_have_their_probability() {
        let n = lost(Loss::Random(crate::random::probability(0.01)), 100_000).len();
        assert!((843..=1157).contains(&n), "{n}");
        assert_eq!(lost(Loss::Random(u64::MAX), 3), [1, 2, 3]);
    }

    // Losses of two links are independent of each other and of how many packets the other is offered.
    #[test]
    fn processes_do_not_disturb_each_other() {
        let p = Loss::Random(crate::random::probability(0.1));
        let mut acks = LossProcess::new(p.clone(), RandomStream::new(1, 9));
        let mut data = LossProcess::new(p.clone(), RandomStream::new(1, 0));
        let seen: Vec<u64> = (1..=1000)
            .filter(|n| {
                if n % 2 == 0 {
                    acks.loses_next();
                }
                data.loses_next()
            })
            .collect();
        assert_eq!(seen, lost(p, 1000));
    }
}
