// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random send overhead: the time a host takes between deciding to send a packet and sending it.
//!
//! Flows whose packets meet a full DropTail queue in a fixed rhythm win or lose by their phase (Floyd and Jacobson 1992, "On
//! traffic phase effects"); a little random time per packet breaks that. Each packet is delayed by a time of its own, uniform from 0
//! to `most`, but never overtakes the one before it: the added delay is bounded by `most` whatever the sending rate, and a
//! burst is spread over up to `most`. (ns-2's `overhead_` draws one such time per burst and delays the whole burst.)

use crate::random::RandomStream;

/// The overhead of one sender.
#[derive(Clone, Copy, Debug)]
pub struct SendOverhead {
    most: u64,
    last: u64,
    stream: RandomStream,
}

impl SendOverhead {
    /// Up to `most` ns per packet; 0 for none.
    #[must_use]
    pub const fn new(most: u64, stream: RandomStream) -> Self {
        Self { most, last: 0, stream }
    }

    /// When a packet that the sender sends at `now` leaves it, ns. `now` must not run backwards.
    #[inline]
    pub fn release(&mut self, now: u64) -> u64 {
        if self.most == 0 {
            return now;
        }
        let drawn = now + self.stream.below(self.most.saturating_add(1));
        self.last = self.last.max(drawn);
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Apart by more than `most`, packets do not meet: delays are uniform on 0 … 300 µs, mean 150, σ = 300/√12 = 86.6 µs;
    // the mean of 10⁴ lies within 5 · 86.6/100 = 4.33 µs of it.
    #[test]
    fn the_overhead_is_uniform_and_bounded() {
        let mut overhead = SendOverhead::new(300_000, RandomStream::new(5, 0));
        let delays: Vec<u64> = (0..10_000).map(|n| overhead.release(n * 1_000_000) - n * 1_000_000).collect();
        let mean = delays.iter().sum::<u64>() as f64 / 1e4;
        assert!((mean - 150_000.0).abs() < 4330.0, "{mean}");
        assert!(delays.iter().all(|&d| d <= 300_000));
        assert!(delays.iter().any(|&d| d < 1000) && delays.iter().any(|&d| d > 299_000));
    }

    #[test]
    fn packets_keep_their_order_and_a_burst_its_bound() {
        let mut overhead = SendOverhead::new(300_000, RandomStream::new(5, 0));
        let times: Vec<u64> = (0..1000).map(|_| overhead.release(7)).collect();
        assert!(times.is_sorted() && times.iter().all(|&t| t <= 300_007));
        assert_eq!(SendOverhead::new(0, RandomStream::new(5, 0)).release(7), 7);
    }
}
