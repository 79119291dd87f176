// SPDX-License-Identifier: MIT OR Apache-2.0
//! Smoothed round trip time and its variation (RFC 6298 §2). `Conn` shows the smoothed and the smallest round trip; the
//! variation, from which a transport computes its timeout, is kept here.
//!
//! RFC 6298's gains are meant for one sample per round trip. With a sample per acknowledgement the variation would decay to
//! nothing within a round trip (RFC 7323 appendix G), and a timeout without a floor of 200 ms would fire while a retransmission
//! is under way. So the largest deviation of a round trip is that round trip's sample of the variation, and it is never
//! smaller than at the round's beginning before the round is over. One sample per round trip gives RFC 6298's values.

use crate::conn::Conn;

/// Longest round trip that the estimator tells from longer ones: four and a half minutes, in µs; eight of them fit a word.
const MOST_US: u32 = u32::MAX >> 4;

/// The estimator's own part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Variation {
    /// RTTVAR × 4 when the round trip began, µs.
    began_us4: u32,
    /// Largest |SRTT − R'| in this round trip, µs.
    largest_us: u32,
}

impl Variation {
    /// RTTVAR × 4, µs.
    #[inline]
    pub(super) const fn us4(self) -> u32 {
        let now_us4 = self.ended_us4();
        if now_us4 > self.began_us4 { now_us4 } else { self.began_us4 }
    }

    /// RFC 6298 §2.3 for the round trip, as if it ended now.
    const fn ended_us4(self) -> u32 {
        self.began_us4 - (self.began_us4 >> 2) + self.largest_us
    }

    /// Takes samples of the oldest and the newest segment of an acknowledgement.
    #[inline]
    pub(super) fn sample(&mut self, conn: &mut Conn, oldest_us: u32, newest_us: u32) {
        let newest_us = newest_us.max(1);
        let rtt_us = oldest_us.clamp(1, MOST_US);
        if conn.min_rtt_us == 0 || newest_us < conn.min_rtt_us {
            conn.min_rtt_us = newest_us;
        }
        if conn.srtt_us8 == 0 {
            // RFC 6298 §2.2: a variation of R / 2, which is this round trip's sample, too.
            conn.srtt_us8 = rtt_us << 3;
            *self = Self { began_us4: rtt_us << 1, largest_us: rtt_us >> 1 };
            return;
        }
        // RFC 6298 §2.3: the variation first, with the old mean.
        self.largest_us = self.largest_us.max((conn.srtt_us8 >> 3).abs_diff(rtt_us));
        conn.srtt_us8 = conn.srtt_us8 - (conn.srtt_us8 >> 3) + rtt_us;
    }

    /// The round trip is over: its largest deviation is its sample.
    pub(super) const fn end_round(&mut self) {
        *self = Self { began_us4: self.ended_us4(), largest_us: 0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(samples: &[(u32, bool)]) -> (Conn, Variation) {
        let (mut conn, mut variation) = (Conn::new(1448, 10), Variation::default());
        for &(rtt_us, round_over) in samples {
            variation.sample(&mut conn, rtt_us, rtt_us);
            if round_over {
                variation.end_round();
            }
        }
        (conn, variation)
    }

    // RFC 6298 §2.2: R = 100 ms gives a variation of 50 ms; §2.3: 100 again, 37.5 ms; 180: 0.75 · 37.5 + 0.25 · 80 = 48.125 ms,
    // mean 110 ms.
    #[test]
    fn one_sample_per_round_trip_gives_the_rfcs_values() {
        let samples = [(100_000, true), (100_000, true), (180_000, true)];
        let expected = [(100_000, 4 * 50_000), (100_000, 4 * 37_500), (110_000, 4 * 48_125)];
        for (count, (mean, us4)) in (1..).zip(expected) {
            let (conn, variation) = after(&samples[..count]);
            assert_eq!((conn.srtt_us8 / 8, variation.us4()), (mean, us4), "{count} samples");
        }
    }

    // A thousand equal samples in one round trip take nothing from the variation; per sample it would be gone after twenty.
    // Row DR13.
    #[test]
    fn the_variation_does_not_decay_within_a_round_trip() {
        let mut samples = vec![(100_000, true)];
        samples.extend([(100_000, false); 1000]);
        assert_eq!(after(&samples).1.us4(), 200_000);
        samples.push((100_000, true));
        assert_eq!(after(&samples).1.us4(), 150_000, "a quarter at its end");
    }

    // A deviation counts at once, and once per round trip: with 37.5 ms at its beginning, 80 ms off gives 48.125 ms. The next
    // samples deviate less from a mean that follows.
    #[test]
    fn a_deviation_counts_at_once_and_once() {
        let mut samples = vec![(100_000, true), (100_000, true), (180_000, false)];
        assert_eq!(after(&samples).1.us4(), 4 * 48_125);
        samples.extend([(180_000, false); 50]);
        assert_eq!(after(&samples).1.us4(), 4 * 48_125);
        samples.push((180_000, true));
        assert_eq!(after(&samples).1.us4(), 4 * 48_125, "the round trip's largest deviation is its sample");
    }

    #[test]
    fn samples_beyond_the_range_are_its_ends() {
        let (conn, variation) = after(&[(u32::MAX, true), (u32::MAX, true), (0, true), (0, false)]);
        assert!(conn.srtt_us8 < MOST_US << 3 && conn.min_rtt_us == 1, "{conn:?}");
        assert!(variation.us4() <= MOST_US << 2, "{variation:?}");
    }

    #[test]
    fn the_smallest_round_trip_is_the_newest_segments() {
        let (mut conn, mut variation) = (Conn::new(1448, 10), Variation::default());
        variation.sample(&mut conn, 90_000, 50_000);
        assert_eq!((conn.srtt_us8, conn.min_rtt_us), (8 * 90_000, 50_000));
    }
}
