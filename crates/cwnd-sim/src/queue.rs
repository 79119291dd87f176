// SPDX-License-Identifier: MIT OR Apache-2.0
//! The event queue: ordered by time, then by insertion.
//!
//! Only the root ever moves or goes, so a plain heap without an index does. Who waits in it for a time that has changed since
//! leaves a stale entry behind, which it recognises by the time that it remembers.

/// What an event concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Id(u32);

const CLASS_SHIFT: u32 = 26;
const ID_BITS: u32 = 28;

/// Kinds of [`Id`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A delay line; in the queue of timers, a flow's.
    Main,
    /// A source of traffic.
    Source,
    /// The sampler, an action.
    Agenda,
    /// A flow's retransmission timer.
    Rto,
}

impl Id {
    /// The `number`-th of its class.
    #[inline]
    pub const fn new(class: Class, number: u32) -> Self {
        debug_assert!(number < 1 << CLASS_SHIFT);
        Self((class as u32) << CLASS_SHIFT | number)
    }

    /// Its class.
    #[inline]
    pub const fn class(self) -> Class {
        match self.0 >> CLASS_SHIFT {
            0 => Class::Main,
            1 => Class::Source,
            2 => Class::Agenda,
            _ => Class::Rto,
        }
    }

    /// Its number.
    #[inline]
    pub const fn number(self) -> u32 {
        self.0 & ((1 << CLASS_SHIFT) - 1)
    }
}

/// An entry: its time, and its place among those of the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// When, ns.
    pub time: u64,
    /// Order of insertion, then the id.
    key: u64,
}

impl Entry {
    /// Later than every other.
    pub const NEVER: Self = Self { time: u64::MAX, key: u64::MAX };

    /// What it concerns.
    #[inline]
    pub const fn id(self) -> Id {
        Id((self.key & ((1 << ID_BITS) - 1)) as u32)
    }
}

/// Counts insertions, over all queues of a simulation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Orders(u64);

impl Orders {
    /// An entry that is inserted now.
    #[inline]
    pub const fn entry(&mut self, time: u64, id: Id) -> Entry {
        self.0 += 1;
        Entry { time, key: self.0 << ID_BITS | id.0 as u64 }
    }
}

/// The queue: a heap of four children a node, whose levels are half as many as those of two.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    entries: Vec<Entry>,
}

impl Queue {
    /// Adds an entry.
    #[inline]
    pub fn push(&mut self, orders: &mut Orders, time: u64, id: Id) {
        self.insert(orders.entry(time, id));
    }

    /// Whether there is none.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds an entry that has its order.
    pub fn insert(&mut self, entry: Entry) {
        self.entries.push(entry);
        let mut at = self.entries.len() - 1;
        while at > 0 {
            let parent = (at - 1) / 4;
            if entry > self.entries[parent] {
                break;
            }
            self.entries[at] = self.entries[parent];
            at = parent;
        }
        self.entries[at] = entry;
    }

    /// The earliest entry; [`Entry::NEVER`] when there is none.
    #[inline]
    pub fn first(&self) -> Entry {
        self.entries.first().copied().unwrap_or(Entry::NEVER)
    }

    /// Puts the earliest entry's id at another time.
    #[inline]
    pub fn replace_first(&mut self, orders: &mut Orders, time: u64) {
        let Some(first) = self.entries.first() else { return };
        let entry = orders.entry(time, first.id());
        self.replace_first_with(entry);
    }

    /// Puts `entry` in place of the earliest one.
    #[inline]
    pub fn replace_first_with(&mut self, entry: Entry) {
        if let [only] = self.entries.as_mut_slice() {
            *only = entry;
        } else {
            self.sift(entry);
        }
    }

    /// Removes the earliest entry.
    #[inline]
    pub fn remove_first(&mut self) {
        if let Some(last) = self.entries.pop()
            && !self.entries.is_empty()
        {
            self.sift(last);
        }
    }

    /// All entries, in no order.
    #[cfg(debug_assertions)]
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter()
    }

    /// Finds `entry` its place, from the root on.
    #[inline]
    fn sift(&mut self, entry: Entry) {
        let n = self.entries.len();
        let mut at = 0;
        loop {
            let first = 4 * at + 1;
            if first >= n {
                break;
            }
            let children = &self.entries[first..n.min(first + 4)];
            let (mut child, mut least) = (first, children[0]);
            for (place, other) in children.iter().enumerate().skip(1) {
                if *other < least {
                    (child, least) = (first + place, *other);
                }
            }
            if least > entry {
                break;
            }
            self.entries[at] = least;
            at = child;
        }
        self.entries[at] = entry;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cwnd_link::random::Stream;

    #[test]
    fn events_come_by_time_then_by_insertion() {
        let (mut queue, mut orders) = (Queue::default(), Orders::default());
        for (time, source) in [(5, 0), (3, 1), (5, 2), (1, 3)] {
            queue.push(&mut orders, time, Id::new(Class::Main, source));
        }
        let mut seen = Vec::new();
        while queue.first().time < 10 {
            let first = queue.first();
            seen.push((first.time, first.id().number()));
            if first.time < 5 { queue.replace_first(&mut orders, 5) } else { queue.remove_first() }
        }
        // 3 and 1 come back at time 5 in the order in which they were inserted again, behind 0 and 2.
        assert_eq!(seen, [(1, 3), (3, 1), (5, 0), (5, 2), (5, 3), (5, 1)]);
        assert_eq!(queue.first(), Entry::NEVER);
    }

    #[test]
    fn a_thousand_random_times_come_out_sorted() {
        let (mut queue, mut orders, mut draw) = (Queue::default(), Orders::default(), Stream::new(1, 0));
        for number in 0..1000 {
            queue.push(&mut orders, draw.below(300), Id::new(Class::Source, number));
        }
        let mut seen: Vec<Entry> = Vec::new();
        while queue.first() != Entry::NEVER {
            seen.push(queue.first());
            queue.remove_first();
        }
        assert!(seen.len() == 1000 && seen.is_sorted());
        assert!(seen.iter().all(|entry| entry.id().class() == Class::Source));
    }
}
