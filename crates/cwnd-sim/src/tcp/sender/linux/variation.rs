// SPDX-License-Identifier: MIT OR Apache-2.0
//! Variation of the round trip time as Linux keeps it, from which the timeout follows (`tcp_rtt_estimator`).
//!
//! RFC 6298 §2.3 takes one sample per round trip. Linux takes each: a mean deviation with a gain of a quarter, which grows by an eighth of that
//! where a round trip is shorter than the mean. RTTVAR is at least the largest mean deviation of this round trip, and at least the smallest timeout.
//! At the end of a round trip it falls by a quarter of its distance to the largest of that one.

use cwnd::Conn;

/// The estimator. The names end with the factor that the values have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Variation {
    /// The smoothed round trip time that it knows, µs; 0 before the first sample.
    srtt_us8: u32,
    /// Mean deviation, and the largest one of this round trip, µs.
    deviation_us4: u32,
    largest_us4: u32,
    /// RTTVAR, µs.
    us4: u32,
    /// The round trip is over when a byte beyond this one is acknowledged.
    round_end: u32,
}

impl Variation {
    /// RTTVAR × 4, µs.
    pub const fn us4(&self) -> u32 {
        self.us4
    }

    /// A sample has moved the smoothed round trip time of `conn`, and what it acknowledges has moved `snd_una`. Returns RTTVAR × 4, µs.
    #[inline(always)]
    pub fn follow(&mut self, conn: &Conn, least_us4: u32) -> u32 {
        let srtt_us8 = conn.srtt_us8;
        // A sample moves the mean, in eighths of a µs, by the µs by which it differs from it.
        let error_us = srtt_us8.wrapping_sub(self.srtt_us8).cast_signed();
        if std::mem::replace(&mut self.srtt_us8, srtt_us8) == 0 {
            self.begin(conn, least_us4);
            return self.us4;
        }
        // Below 2²⁹: samples are below 2²⁸ µs.
        let mut change = error_us.abs() - (self.deviation_us4 >> 2).cast_signed();
        if change > 0 && error_us < 0 {
            change >>= 3;
        }
        self.deviation_us4 = self.deviation_us4.wrapping_add_signed(change);
        if self.deviation_us4 > self.largest_us4 {
            self.largest_us4 = self.deviation_us4;
            self.us4 = self.us4.max(self.largest_us4);
        }
        if conn.snd_una.wrapping_sub(self.round_end).cast_signed() > 0 {
            self.us4 -= (self.us4 - self.largest_us4) >> 2;
            self.begin_round(conn, least_us4);
        }
        self.us4
    }

    /// The first sample R: the timeout is 3 · R. // RFC 6298 §2.2
    #[cold]
    fn begin(&mut self, conn: &Conn, least_us4: u32) {
        self.deviation_us4 = self.srtt_us8 >> 2;
        self.us4 = self.deviation_us4.max(least_us4);
        self.begin_round(conn, self.us4);
    }

    const fn begin_round(&mut self, conn: &Conn, least_us4: u32) {
        (self.largest_us4, self.round_end) = (least_us4, conn.snd_nxt);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u32 = 1000;
    const FLOOR: u32 = 200_000;

    /// RTTVAR × 4 after each of these samples, µs, of a connection whose handshake took `handshake_us`. A sample that ends a round trip
    /// acknowledges all that was sent before; `true` marks it.
    fn after(handshake_us: u32, samples: &[(u32, bool)]) -> Vec<u32> {
        let (mut conn, mut variation) = (Conn::new(MSS, 10), Variation::default());
        (conn.snd_una, conn.snd_nxt) = (u32::MAX - 3 * MSS, u32::MAX - 3 * MSS);
        conn.srtt_us8 = 8 * handshake_us;
        let mut all = vec![variation.follow(&conn, FLOOR)];
        for &(rtt_us, ends_round) in samples {
            conn.srtt_us8 = conn.srtt_us8 - (conn.srtt_us8 >> 3) + rtt_us;
            if ends_round {
                conn.snd_una = conn.snd_nxt.wrapping_add(1);
                conn.snd_nxt = conn.snd_una.wrapping_add(10 * MSS);
            }
            all.push(variation.follow(&conn, FLOOR));
        }
        all
    }

    // 2 · 300 ms. The first round trip has it as its largest deviation, which decays by a quarter with each equal sample: 450, 337.5, 253.125 ms. The
    // second, of three samples, has 337.5 ms as its largest: RTTVAR is 600 − 262.5 / 4 = 534.375 ms after it. In the third it is below the floor:
    // 534.375 − 334.375 / 4 = 450.781 25 ms.
    #[test]
    fn the_variation_falls_by_a_quarter_of_its_distance_per_round_trip() {
        let (same, last) = ((300_000, false), (300_000, true));
        let expected = [600_000, 600_000, 600_000, 600_000, 534_375, 534_375, 450_782];
        assert_eq!(after(300_000, &[last, same, same, last, same, last]), expected);
    }

    // With 100 ms and variation 200 ms, a sample of 500 ms is 400 ms off: 200 − 50 + 400 = 550 ms at once. The next one, of 50 ms, is 100 ms shorter than
    // the mean of 150 ms: less than a quarter of the deviation, which falls by 137.5 − 100 = 37.5 ms; RTTVAR stays.
    #[test]
    fn a_longer_round_trip_counts_at_once() {
        assert_eq!(after(100_000, &[(500_000, false), (50_000, false)]), [200_000, 550_000, 550_000]);
    }

    // At 100 ms and variation 200 ms, a sample of 1 ms is 99 ms off, a quarter of 200 is 50: an eighth of 49 ms, 6.125 ms.
    #[test]
    fn a_shorter_round_trip_counts_an_eighth() {
        assert_eq!(after(100_000, &[(1_000, false)]), [200_000, 206_125]);
    }

    #[test]
    fn the_smallest_timeout_is_the_least_variation() {
        let mut samples = vec![(10_000, true)];
        samples.extend([(10_000, false); 100]);
        samples.extend([(10_000, true); 40]);
        assert!(after(10_000, &samples).iter().all(|us4| *us4 == FLOOR));
    }
}
