// SPDX-License-Identifier: MIT OR Apache-2.0
//! Timers: a heap for those that are due soon, and slots of about a millisecond for the others.
//!
//! Most timers are moved or cancelled before they are due, so an entry should cost little until then: a later entry is appended to its
//! slot, unsorted. When time reaches a slot, its entries move to the heap, which holds about one slot of entries and stays in the
//! level 1 cache. The order is that of one heap.

use super::event_queue::{Entry, EventId, EventQueue};

/// A slot is 2²⁰ ns.
const SLOT_SHIFT: u32 = 20;
/// Number of slots, 4.3 s together; entries beyond that are in a second heap.
const SLOTS: u64 = 4096;
const WORDS: usize = (SLOTS / 64) as usize;

/// The timers of a simulation.
#[derive(Clone, Debug)]
pub struct Wheel {
    near: EventQueue,
    /// `near` holds the entries due before this slot.
    horizon: u64,
    slots: Vec<Vec<Entry>>,
    /// Room of slots that have been emptied, for those that are filled next.
    spare: Vec<Vec<Entry>>,
    /// Which slots have entries.
    filled: [u64; WORDS],
    far: EventQueue,
}

impl Default for Wheel {
    fn default() -> Self {
        Self {
            near: EventQueue::default(),
            horizon: 0,
            slots: vec![Vec::new(); SLOTS as usize],
            spare: Vec::new(),
            filled: [0; WORDS],
            far: EventQueue::default(),
        }
    }
}

impl Wheel {
    /// Adds an entry.
    #[inline]
    pub fn push(&mut self, time: u64, id: EventId) {
        self.place(Entry { time, id });
        self.look_ahead();
    }

    /// The earliest entry; [`Entry::NEVER`] when there is none.
    #[inline]
    pub fn first(&self) -> Entry {
        self.near.first()
    }

    /// Removes the entries that are not to be kept.
    #[cfg(feature = "time-slices")]
    #[cold]
    pub fn keep(&mut self, is_kept: impl Fn(EventId) -> bool) {
        let all = std::mem::take(self);
        for entry in all.entries().filter(|entry| is_kept(entry.id)) {
            self.push(entry.time, entry.id);
        }
    }

    /// See [`EventQueue::hold_first`].
    #[inline]
    pub fn hold_first(&mut self) {
        self.near.hold_first();
    }

    /// Puts `entry` in place of the earliest one.
    #[inline]
    pub fn replace_first(&mut self, entry: Entry) {
        if entry.time >> SLOT_SHIFT < self.horizon {
            self.near.replace_first(entry);
        } else {
            self.near.remove_first();
            self.place(entry);
            self.look_ahead();
        }
    }

    /// Removes the earliest entry.
    #[inline]
    pub fn remove_first(&mut self) {
        self.near.remove_first();
        self.look_ahead();
    }

    /// All entries, unordered.
    #[cfg(any(debug_assertions, feature = "time-slices"))]
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.near.entries().chain(self.slots.iter().flatten()).chain(self.far.entries())
    }

    #[inline]
    fn place(&mut self, entry: Entry) {
        let slot = entry.time >> SLOT_SHIFT;
        if slot < self.horizon {
            self.near.insert(entry);
        } else if slot - self.horizon < SLOTS {
            let at = slot % SLOTS;
            self.filled[(at / 64) as usize] |= 1 << (at % 64);
            let entries = &mut self.slots[at as usize];
            if entries.capacity() == 0
                && let Some(spare) = self.spare.pop()
            {
                *entries = spare;
            }
            entries.push(entry);
        } else {
            self.far.insert(entry);
        }
    }

    /// Makes sure that the near heap has the earliest entry.
    #[inline]
    fn look_ahead(&mut self) {
        if self.near.is_empty() {
            self.advance();
        }
    }

    #[inline(never)]
    fn advance(&mut self) {
        let Some(slot) = self.next_filled().or_else(|| self.far_slot()) else { return };
        self.horizon = slot + 1;
        let at = slot % SLOTS;
        self.filled[(at / 64) as usize] &= !(1 << (at % 64));
        let mut entries = std::mem::take(&mut self.slots[at as usize]);
        for entry in entries.drain(..) {
            self.near.insert(entry);
        }
        if entries.capacity() > 0 {
            self.spare.push(entries);
        }
        while self.far.first() != Entry::NEVER && (self.far.first().time >> SLOT_SHIFT) < self.horizon + SLOTS
        {
            let entry = self.far.first();
            self.far.remove_first();
            self.place(entry);
        }
    }

    fn far_slot(&self) -> Option<u64> {
        (!self.far.is_empty()).then(|| self.far.first().time >> SLOT_SHIFT)
    }

    /// The earliest slot with entries.
    fn next_filled(&self) -> Option<u64> {
        let from = self.horizon % SLOTS;
        // The word of the first slot is read twice: its upper part first, its lower part last.
        (0..=WORDS as u64).find_map(|step| {
            let word = (from / 64 + step) % WORDS as u64;
            let mut bits = self.filled[word as usize];
            if step == 0 {
                bits &= u64::MAX << (from % 64);
            } else if step == WORDS as u64 {
                bits &= !(u64::MAX << (from % 64));
            }
            (bits != 0).then(|| {
                let at = word * 64 + u64::from(bits.trailing_zeros());
                self.horizon + (at + SLOTS - from) % SLOTS
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::EventClass;
    use cwnd_link::random::RandomStream;

    // Against one heap: what is pushed, moved and removed at random comes out in the same order.
    #[test]
    fn the_order_is_that_of_one_heap() {
        for seed in 0..20 {
            let mut draw = RandomStream::new(seed, 0);
            let (mut wheel, mut heap) = (Wheel::default(), EventQueue::default());
            let mut now = 0;
            for number in 0..3000 {
                // Mostly within milliseconds, some at once, some beyond the slots, some an hour away.
                let ahead = [0, 1_000, 3_000_000, 40_000_000, 6_000_000_000, 3_600_000_000_000]
                    [draw.below(6) as usize];
                let time = now + draw.below(ahead + 1);
                let id = EventId::new(EventClass::Flow, draw.below(100) as u32);
                if draw.below(3) == 0 && heap.first() != Entry::NEVER {
                    let time = time.max(now);
                    let entry = Entry { time, ..heap.first() };
                    wheel.hold_first();
                    wheel.replace_first(entry);
                    heap.replace_first(entry);
                } else {
                    wheel.push(time, id);
                    heap.insert(Entry { time, id });
                }
                assert_eq!(wheel.first(), heap.first(), "seed {seed}, {number}");
                if draw.below(2) == 0 {
                    now = heap.first().time;
                    wheel.remove_first();
                    heap.remove_first();
                }
            }
            while heap.first() != Entry::NEVER {
                assert_eq!(wheel.first(), heap.first(), "seed {seed}");
                wheel.remove_first();
                heap.remove_first();
            }
            assert_eq!(wheel.first(), Entry::NEVER);
        }
    }
}
