// SPDX-License-Identifier: MIT OR Apache-2.0
//! Round trip time and retransmission timeout (RFC 6298).

/// Timeout before the first sample (RFC 6298 §2.1), µs.
const INITIAL_RTO_US: u32 = 1_000_000;
/// Upper bound of the timeout with its back-off (RFC 6298 §2.5 allows any of 60 s and more), µs.
const MAX_RTO_US: u32 = 120_000_000;
/// Longest round trip that the estimator tells from longer ones: four and a half minutes, in µs; eight of them fit a word.
const MOST_US: u32 = u32::MAX >> 4;
/// Clock granularity G, µs.
const GRANULARITY_US: u32 = 1;

/// The estimator. Samples come from timestamps, so retransmitted segments give valid ones (RFC 7323 §4.1).
#[derive(Clone, Copy, Debug)]
pub struct Rtt {
    /// Smoothed RTT × 8, µs; 0 before the first sample.
    pub srtt_us8: u32,
    /// Its variation × 4, µs.
    rttvar_us4: u32,
    /// Smallest sample, µs; 0 before the first.
    pub min_us: u32,
    floor_us: u32,
    rto_us: u32,
    backoff: u32,
}

impl Rtt {
    /// An estimator without samples. Its timeout lies at least `floor_us` above the smoothed RTT, as Linux has it: a floor
    /// of the timeout itself (RFC 6298 §2.4) would fire on paths whose RTT comes near to it.
    pub const fn new(floor_us: u64) -> Self {
        let floor_us = if floor_us < MAX_RTO_US as u64 { floor_us as u32 } else { MAX_RTO_US };
        Self { srtt_us8: 0, rttvar_us4: 0, min_us: 0, floor_us, rto_us: INITIAL_RTO_US, backoff: 0 }
    }

    /// Takes a sample.
    #[inline]
    pub fn sample(&mut self, rtt_us: u32) {
        let rtt_us = rtt_us.clamp(1, MOST_US);
        if self.min_us == 0 || rtt_us < self.min_us {
            self.min_us = rtt_us;
        }
        if self.srtt_us8 == 0 {
            // RFC 6298 §2.2
            self.srtt_us8 = rtt_us << 3;
            self.rttvar_us4 = rtt_us << 1;
        } else {
            // RFC 6298 §2.3: the variation first, with the old mean.
            let error = (self.srtt_us8 >> 3).abs_diff(rtt_us);
            self.rttvar_us4 = self.rttvar_us4 - (self.rttvar_us4 >> 2) + error;
            self.srtt_us8 = self.srtt_us8 - (self.srtt_us8 >> 3) + rtt_us;
        }
        self.backoff = 0;
        let variation = self.rttvar_us4.max(GRANULARITY_US).max(self.floor_us);
        self.rto_us = (self.srtt_us8 >> 3).saturating_add(variation).min(MAX_RTO_US);
    }

    /// The present timeout, back-off included, µs.
    #[inline]
    pub const fn rto_us(&self) -> u32 {
        if self.backoff == 0 {
            return self.rto_us;
        }
        let most = MAX_RTO_US as u64;
        // Below 2⁴³.
        let doubled = (self.rto_us as u64) << if self.backoff < 16 { self.backoff } else { 16 };
        if doubled < most { doubled as u32 } else { MAX_RTO_US }
    }

    /// The timer fired. // RFC 6298 §5.5
    pub const fn back_off(&mut self) {
        self.backoff += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 6298 §2.2: R = 100 ms gives 100 + 4 · 50 = 300 ms; §2.3: 100 again, variation 37.5: 250 ms.
    #[test]
    fn the_timeout_follows_the_rfc() {
        let mut rtt = Rtt::new(1);
        assert_eq!(rtt.rto_us(), 1_000_000);
        rtt.sample(100_000);
        assert_eq!(rtt.rto_us(), 300_000);
        rtt.sample(100_000);
        assert_eq!(rtt.rto_us(), 250_000);
        rtt.sample(180_000); // variation 0.75 · 37.5 + 0.25 · 80 = 48.125 ms, mean 110 ms
        assert_eq!(rtt.rto_us(), 110_000 + 4 * 48_125);
    }

    #[test]
    fn the_floor_holds_and_each_timeout_doubles_it() {
        let mut rtt = Rtt::new(200_000);
        for _ in 0..100 {
            rtt.sample(10_000);
        }
        assert_eq!(rtt.rto_us(), 210_000); // 10 ms + the floor of 200 ms
        rtt.back_off();
        rtt.back_off();
        assert_eq!(rtt.rto_us(), 840_000);
        for _ in 0..60 {
            rtt.back_off();
        }
        assert_eq!(rtt.rto_us(), MAX_RTO_US);
        rtt.sample(10_000);
        assert_eq!(rtt.rto_us(), 210_000, "a new sample ends the back-off");
    }
}
