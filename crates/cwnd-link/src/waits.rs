// SPDX-License-Identifier: MIT OR Apache-2.0
//! A histogram of queueing delays.

/// Classes per power of two, as a power of two: a wait is known to within 1/128.
const PARTS_BITS: u32 = 6;
const PARTS: u64 = 1 << PARTS_BITS;
/// What the class of 1 ns would be.
const ONE: u64 = 1023 << PARTS_BITS;

/// A histogram of queueing delays, with 64 classes per power of two.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WaitHistogram {
    counts: Vec<u64>,
}

impl WaitHistogram {
    /// Counts a wait of this length, ns.
    #[inline]
    pub fn note(&mut self, wait: u64) {
        let class = Self::class(wait);
        if let Some(count) = self.counts.get_mut(class) { *count += 1 } else { self.first(class) }
    }

    #[cold]
    fn first(&mut self, class: usize) {
        self.counts.resize((class + 1).next_power_of_two(), 0);
        self.counts[class] = 1;
    }

    #[inline]
    const fn class(wait: u64) -> usize {
        if wait < PARTS {
            return wait as usize;
        }
        // Exponent and the first bits of the fraction. From 2⁵³ ns on, 104 days, a wait may be rounded up to the next class; waits are below 2⁶³.
        let parts = (wait.cast_signed() as f64).to_bits() >> (f64::MANTISSA_DIGITS - 1 - PARTS_BITS);
        (parts - (ONE + (PARTS_BITS as u64 - 1) * PARTS)) as usize
    }

    /// The middle of a class, ns.
    const fn middle(class: usize) -> u64 {
        let class = class as u64;
        if class < PARTS {
            return class;
        }
        let shift = class / PARTS - 1;
        ((class % PARTS + PARTS) << shift) + ((1 << shift) >> 1)
    }

    /// Waits, ns, each within 1/128 of those it stands for, and how many packets had them.
    pub fn rows(&self) -> impl Iterator<Item = (u64, u64)> {
        self.counts.iter().enumerate().filter(|(_, n)| **n > 0).map(|(class, &n)| (Self::middle(class), n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_known_to_within_a_part_in_128() {
        for wait in (0..100_000).chain((0..50).map(|n| ((1 << 56) / 3) >> n)) {
            let middle = WaitHistogram::middle(WaitHistogram::class(wait));
            assert!(middle.abs_diff(wait) * 128 <= wait, "{wait}: {middle}");
        }
        for wait in 1..100_000 {
            let (last, next) = (WaitHistogram::class(wait - 1), WaitHistogram::class(wait));
            assert!(next == last || next == last + 1, "{wait}");
        }
    }

    #[test]
    fn waits_are_counted_by_their_class() {
        let mut waits = WaitHistogram::default();
        for wait in [0, 5, 5, 1000, 1001, 4000] {
            waits.note(wait);
        }
        // 1000 lies in 512..1024, in parts of 8: 1000..1008, so 1001 is with it.
        assert_eq!(waits.rows().collect::<Vec<_>>(), [(0, 1), (5, 2), (1004, 2), (4016, 1)]);
    }
}
