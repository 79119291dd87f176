// SPDX-License-Identifier: MIT OR Apache-2.0
//! The event queue: ordered by time, then by insertion.
//!
//! Only the root is ever moved or removed, so a heap without an index suffices. When the time of a delay line or a timer changes, its
//! old entry stays in the queue. Its owner remembers the time it is armed for, and so recognises the old entry as stale.

/// What an event belongs to: a class and a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventId(u32);

const CLASS_SHIFT: u32 = 25;
const ID_BITS: u32 = 28;

/// Classes of [`EventId`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventClass {
    /// In the queue of delay lines: a delay line. Among the timers: every timer of a flow but its retransmission timer.
    Main,
    /// A source of traffic.
    Source,
    /// The sampler, a boundary of the measured interval, an action of the scenario.
    ScheduledAction,
    /// A flow's retransmission timer.
    Rto,
    /// A link takes a packet that it holds from its queue.
    Departure,
}

impl EventId {
    /// The `number`-th of its class.
    #[inline]
    pub const fn new(class: EventClass, number: u32) -> Self {
        debug_assert!(number < 1 << CLASS_SHIFT);
        Self((class as u32) << CLASS_SHIFT | number)
    }

    /// Its class.
    #[inline]
    pub const fn class(self) -> EventClass {
        match self.0 >> CLASS_SHIFT {
            0 => EventClass::Main,
            1 => EventClass::Source,
            2 => EventClass::ScheduledAction,
            3 => EventClass::Rto,
            _ => EventClass::Departure,
        }
    }

    /// Its number.
    #[inline]
    pub const fn number(self) -> u32 {
        self.0 & ((1 << CLASS_SHIFT) - 1)
    }
}

/// An entry: its time, and its order among entries of the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// When, ns.
    pub time: u64,
    /// Number of the insertion, then the id.
    key: u64,
}

impl Entry {
    /// Later than every other entry.
    pub const NEVER: Self = Self { time: cwnd_link::NEVER, key: u64::MAX };

    /// What it belongs to.
    #[inline]
    pub const fn id(self) -> EventId {
        EventId((self.key & ((1 << ID_BITS) - 1)) as u32)
    }
}

/// Sequence numbers of events, over all queues of a simulation.
#[derive(Clone, Copy, Debug, Default)]
pub struct EventSeq(u64);

impl EventSeq {
    /// A new entry, with the next sequence number.
    #[inline]
    pub const fn entry(&mut self, time: u64, id: EventId) -> Entry {
        self.0 += 1;
        Entry { time, key: self.0 << ID_BITS | id.0 as u64 }
    }
}

/// The queue: a heap with four children per node, which has half the levels of a binary heap.
#[derive(Clone, Debug, Default)]
pub struct EventQueue {
    entries: Vec<Entry>,
}

impl EventQueue {
    /// Adds an entry.
    #[inline]
    pub fn push(&mut self, event_seq: &mut EventSeq, time: u64, id: EventId) {
        self.insert(event_seq.entry(time, id));
    }

    /// Whether it has no entry.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds an entry that has its sequence number.
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

    /// Whether this time, ns, is before that of every entry but the earliest.
    #[inline]
    pub fn is_before_second(&self, time: u64) -> bool {
        let children = self.entries.get(1..self.entries.len().min(5)).unwrap_or_default();
        children.iter().all(|entry| time < entry.time)
    }

    /// Moves the earliest entry to another time.
    #[inline]
    pub fn replace_first(&mut self, event_seq: &mut EventSeq, time: u64) {
        let Some(first) = self.entries.first() else { return };
        let entry = event_seq.entry(time, first.id());
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

    /// All entries, unordered.
    #[cfg(debug_assertions)]
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter()
    }

    /// Moves `entry` down from the root to its place.
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
    use cwnd_link::random::RandomStream;

    #[test]
    fn events_come_by_time_then_by_insertion() {
        let (mut queue, mut event_seq) = (EventQueue::default(), EventSeq::default());
        for (time, source) in [(5, 0), (3, 1), (5, 2), (1, 3)] {
            queue.push(&mut event_seq, time, EventId::new(EventClass::Main, source));
        }
        let mut seen = Vec::new();
        while queue.first().time < 10 {
            let first = queue.first();
            seen.push((first.time, first.id().number()));
            if first.time < 5 { queue.replace_first(&mut event_seq, 5) } else { queue.remove_first() }
        }
        // 3 and 1 come back at time 5 in the order in which they were inserted again, behind 0 and 2.
        assert_eq!(seen, [(1, 3), (3, 1), (5, 0), (5, 2), (5, 3), (5, 1)]);
        assert_eq!(queue.first(), Entry::NEVER);
    }

    // The earliest is 1; the next 3, whichever of the root's children it is.
    #[test]
    fn what_is_before_the_second_is_before_all_but_the_earliest() {
        let (mut queue, mut event_seq) = (EventQueue::default(), EventSeq::default());
        assert!(queue.is_before_second(u64::MAX), "there is no second");
        for (number, time) in [9, 7, 3, 1, 8, 5, 6, 4].into_iter().enumerate() {
            queue.push(&mut event_seq, time, EventId::new(EventClass::Main, number as u32));
        }
        assert_eq!([1, 2, 3, 4].map(|time| queue.is_before_second(time)), [true, true, false, false]);
    }

    #[test]
    fn a_thousand_random_times_come_out_sorted() {
        let (mut queue, mut event_seq, mut draw) =
            (EventQueue::default(), EventSeq::default(), RandomStream::new(1, 0));
        for number in 0..1000 {
            queue.push(&mut event_seq, draw.below(300), EventId::new(EventClass::Source, number));
        }
        let mut seen: Vec<Entry> = Vec::new();
        while queue.first() != Entry::NEVER {
            seen.push(queue.first());
            queue.remove_first();
        }
        assert!(seen.len() == 1000 && seen.is_sorted());
        assert!(seen.iter().all(|entry| entry.id().class() == EventClass::Source));
    }
}
