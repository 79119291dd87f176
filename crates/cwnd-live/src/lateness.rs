// SPDX-License-Identifier: MIT OR Apache-2.0
//! How late packets were delivered.

use cwnd_link::WaitHistogram;
use serde::{Deserialize, Serialize};

/// How much later than due packets were delivered.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Lateness {
    histogram: WaitHistogram,
    packets: u64,
    worst: u64,
}

impl Lateness {
    /// Counts a packet that was delivered this much too late, ns.
    pub fn note(&mut self, late: u64) {
        self.histogram.note(late);
        self.packets += 1;
        self.worst = self.worst.max(late);
    }

    /// Packets delivered.
    #[must_use]
    pub const fn packets(&self) -> u64 {
        self.packets
    }

    /// The longest one, ns.
    #[must_use]
    pub const fn worst(&self) -> u64 {
        self.worst
    }

    /// What at least this many of 1000 packets did not exceed, ns, to within 1/128: the nearest rank.
    #[must_use]
    pub fn per_mille(&self, part: u64) -> u64 {
        let rank = (self.packets * part).div_ceil(1000).max(1);
        let mut so_far = 0;
        let reached = self.histogram.rows().find(|(_, packets)| {
            so_far += packets;
            so_far >= rank
        });
        reached.map_or(0, |(late, _)| late.min(self.worst))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // 999 packets 10 ns late, one 5000 ns: 999 of 1000 are not later than 10.
    #[test]
    fn a_part_is_the_nearest_rank() {
        let mut lateness = Lateness::default();
        (0..999).for_each(|_| lateness.note(10));
        lateness.note(5000);
        assert_eq!([500, 990, 999].map(|part| lateness.per_mille(part)), [10, 10, 10]);
        assert_eq!((lateness.per_mille(1000), lateness.worst(), lateness.packets()), (5000, 5000, 1000));
        assert_eq!(Lateness::default().per_mille(500), 0);
    }
}
