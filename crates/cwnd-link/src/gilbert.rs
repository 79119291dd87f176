// SPDX-License-Identifier: MIT OR Apache-2.0
//! Losses in bursts: the model of Gilbert (1960) and Elliott (1963), with the four parameters of Haßlinger and Hohlfeld (2008).
//!
//! Two states. A packet is lost with probability 1 − k in the good one and 1 − h in the bad one; then the state changes, from
//! good to bad with probability p, back with r. In the long run
//!
//! * a share p / (p + r) of packets meets the bad state,
//! * the loss rate is (r (1 − k) + p (1 − h)) / (p + r),
//! * a stay in the bad state lasts 1 / r packets on average; with k = 1 and h = 0 (Gilbert's simplest form) that is the mean
//!   length of a burst of losses, and 1 / p that of the gap between two.
//!
//! It starts in the good state.

use crate::random::RandomStream;

/// The four parameters, each a probability in units of 2⁻⁶⁴; `u64::MAX` is certainty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GilbertElliott {
    /// From good to bad, per packet.
    pub p: u64,
    /// From bad to good, per packet.
    pub r: u64,
    /// 1 − k: loss in the good state.
    pub loss_good: u64,
    /// 1 − h: loss in the bad state.
    pub loss_bad: u64,
}

impl GilbertElliott {
    /// The loss rate in the long run, 0 to 1; that of the good state if the state never changes.
    #[must_use]
    pub fn loss_rate(&self) -> f64 {
        let [p, r, good, bad] = [self.p, self.r, self.loss_good, self.loss_bad].map(crate::random::fraction);
        if p == 0.0 { good } else { (r * good + p * bad) / (p + r) }
    }

    /// Mean number of packets per stay in the bad state.
    #[must_use]
    pub fn mean_burst(&self) -> f64 {
        1.0 / crate::random::fraction(self.r)
    }

    /// Whether the next packet is lost, `bad` being the state.
    #[inline]
    pub(crate) fn loses_next(&self, bad: &mut bool, stream: &mut RandomStream) -> bool {
        let (loss, change) = if *bad { (self.loss_bad, self.r) } else { (self.loss_good, self.p) };
        let lost = stream.happens(loss);
        *bad ^= stream.happens(change);
        lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{CERTAIN, probability};

    struct Seen {
        lost: u64,
        bursts: u64,
    }

    fn play(model: GilbertElliott, packets: u64, seed: u64) -> Seen {
        let (mut bad, mut stream, mut before) = (false, RandomStream::new(seed, 0), false);
        let mut seen = Seen { lost: 0, bursts: 0 };
        for _ in 0..packets {
            let lost = model.loses_next(&mut bad, &mut stream);
            seen.lost += u64::from(lost);
            seen.bursts += u64::from(lost && !before);
            before = lost;
        }
        seen
    }

    // p = 0.01, r = 0.25, 1 − k = 0.001, 1 − h = 0.5: (0.25 · 0.001 + 0.01 · 0.5) / 0.26 = 0.00525 / 0.26 = 0.0201923.
    #[test]
    fn the_stationary_loss_rate_by_hand() {
        let [p, r, loss_good, loss_bad] = [0.01, 0.25, 0.001, 0.5].map(probability);
        let model = GilbertElliott { p, r, loss_good, loss_bad };
        assert!((model.loss_rate() - 0.020_192_3).abs() < 1e-7, "{}", model.loss_rate());
        assert!((model.mean_burst() - 4.0).abs() < 1e-12);
    }

    // Losses of a two-state chain have the autocorrelation λⁿ, λ = 1 − p − r, in what the states explain, so the count
    // of n packets has the variance n [π(1−π) + 2 c λ/(1−λ)], c = π_b π_g (loss_bad − loss_good)². Here π_b = 1/26,
    // c = 0.0369822 · 0.249001 = 0.0092086, λ = 0.74: n [0.0197846 + 2 · 0.0092086 · 2.84615] = n · 0.072203; for n = 10⁶
    // σ = 268.7, and 5 σ = 1344 of 20 192.
    #[test]
    fn the_loss_rate_comes_out() {
        let [p, r, loss_good, loss_bad] = [0.01, 0.25, 0.001, 0.5].map(probability);
        let model = GilbertElliott { p, r, loss_good, loss_bad };
        for seed in 1..=5 {
            let lost = play(model, 1_000_000, seed).lost as f64;
            assert!((lost - 20_192.3).abs() < 1344.0, "seed {seed}: {lost}");
        }
    }

    // k = 1, h = 0, p = 0.01, r = 0.2: bursts of 5 on average. 10⁶ packets are about 10⁶ / (100 + 5) = 9524 bursts; a burst's
    // length is geometric with σ = √(1−r)/r = 4.47, so the mean of 9524 lies within 5 · 4.47/√9524 = 0.229 of 5.
    #[test]
    fn bursts_have_their_mean_length() {
        let model =
            GilbertElliott { p: probability(0.01), r: probability(0.2), loss_good: 0, loss_bad: CERTAIN };
        for seed in 1..=5 {
            let seen = play(model, 1_000_000, seed);
            let mean = seen.lost as f64 / seen.bursts as f64;
            assert!((mean - 5.0).abs() < 0.229, "seed {seed}: {mean}");
        }
    }

    // p = r = 1: good, bad, good, bad, …
    #[test]
    fn certain_changes_alternate() {
        let model = GilbertElliott { p: CERTAIN, r: CERTAIN, loss_good: 0, loss_bad: CERTAIN };
        let (mut bad, mut stream) = (false, RandomStream::new(1, 0));
        let lost: Vec<bool> = (0..6).map(|_| model.loses_next(&mut bad, &mut stream)).collect();
        assert_eq!(lost, [false, true, false, true, false, true]);
    }
}
