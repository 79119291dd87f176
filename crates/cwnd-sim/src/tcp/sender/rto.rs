// SPDX-License-Identifier: MIT OR Apache-2.0
//! The retransmission timeout (RFC 6298): the core's round trip times with this host's floor and back-off.

/// Timeout before the first sample (RFC 6298 §2.1), µs.
const INITIAL_RTO_US: u32 = 1_000_000;
/// Upper bound of the timeout with its back-off (RFC 6298 §2.5 allows any of 60 s and more), µs.
const MAX_RTO_US: u32 = 120_000_000;
/// Clock granularity G, µs.
const GRANULARITY_US: u32 = 1;

/// The timeout.
#[derive(Clone, Copy, Debug)]
pub struct Rto {
    floor_us: u32,
    us: u32,
    backoff: u32,
}

impl Rto {
    /// A timeout without samples. It lies at least `floor_us` above the smoothed RTT, as Linux has it: a floor of the timeout
    /// itself (RFC 6298 §2.4) would fire on paths whose RTT comes near to it.
    pub const fn new(floor_us: u64) -> Self {
        let floor_us = if floor_us < MAX_RTO_US as u64 { floor_us as u32 } else { MAX_RTO_US };
        let floor_us = if floor_us > GRANULARITY_US { floor_us } else { GRANULARITY_US };
        Self { floor_us, us: INITIAL_RTO_US, backoff: 0 }
    }

    /// A sample has moved the smoothed RTT and its variation to these; the back-off is over. // RFC 6298 §2.3, §5.7
    ///
    /// Samples come from timestamps, so retransmitted segments give valid ones (RFC 7323 §4.1).
    #[inline]
    pub fn follow(&mut self, srtt_us8: u32, rttvar_us4: u32) {
        self.follow_floored(srtt_us8, rttvar_us4.max(self.floor_us));
    }

    /// The same where the variation is not below the floor.
    #[inline]
    pub fn follow_floored(&mut self, srtt_us8: u32, rttvar_us4: u32) {
        self.backoff = 0;
        // Below 2³².
        self.us = ((srtt_us8 >> 3) + rttvar_us4).min(MAX_RTO_US);
    }

    /// The present timeout, back-off included, µs.
    #[inline]
    pub const fn us(&self) -> u32 {
        if self.backoff == 0 {
            return self.us;
        }
        let most = MAX_RTO_US as u64;
        // Below 2⁴³.
        let doubled = (self.us as u64) << if self.backoff < 16 { self.backoff } else { 16 };
        if doubled < most { doubled as u32 } else { MAX_RTO_US }
    }

    /// The timeout without its back-off, µs.
    #[inline]
    pub const fn measured_us(&self) -> u32 {
        self.us
    }

    /// Its distance from the smoothed RTT, at least, µs.
    pub const fn floor_us(&self) -> u32 {
        self.floor_us
    }

    /// The timer fired. // RFC 6298 §5.5
    pub const fn back_off(&mut self) {
        self.backoff += 1;
    }

    /// The timer fired on a host that keeps the timeout as `us`, in whole ticks: it doubles that.
    pub const fn back_off_from(&mut self, us: u32) {
        (self.us, self.backoff) = (us, 0);
        self.back_off();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 6298 §2.1 to §2.3: a second before the first sample; then 100 ms + 4 · 50 ms.
    #[test]
    fn the_timeout_is_the_round_trip_and_four_variations() {
        let mut rto = Rto::new(1);
        assert_eq!(rto.us(), 1_000_000);
        rto.follow(100_000 * 8, 50_000 * 4);
        assert_eq!(rto.us(), 300_000);
    }

    #[test]
    fn the_floor_holds_and_each_timeout_doubles_it() {
        let mut rto = Rto::new(200_000);
        rto.follow(10_000 * 8, 7);
        assert_eq!(rto.us(), 210_000); // 10 ms + the floor of 200 ms
        rto.back_off();
        rto.back_off();
        assert_eq!(rto.us(), 840_000);
        for _ in 0..60 {
            rto.back_off();
        }
        assert_eq!(rto.us(), MAX_RTO_US);
        rto.follow(10_000 * 8, 7);
        assert_eq!(rto.us(), 210_000, "a new sample ends the back-off");
    }
}
