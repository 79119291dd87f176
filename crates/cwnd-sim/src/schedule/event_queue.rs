// SPDX-License-Identifier: MIT OR Apache-2.0
//! The event queue: ordered by time, then by what an event belongs to: its class, then its number.
//!
//! So the order of two events of one nanosecond does not depend on when either was scheduled.
//!
//! Only the root is ever moved or removed, so a heap without an index suffices. When the time of a delay line or a timer changes, its
//! old entry stays in the queue. Its owner remembers the time it is armed for, and so recognises the old entry as stale.

/// What an event belongs to: a class and a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventId(u32);

const CLASS_SHIFT: u32 = 29;

/// Classes of [`EventId`]s, in the order in which events of the same time come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventClass {
    /// A boundary of the measured interval: what happens at its beginning is inside, what happens at its end is not.
    Boundary,
    /// Every timer of a flow but its retransmission timer: also its start.
    Flow,
    /// A source of traffic.
    Source,
    /// An action of the scenario, or a flow's own stop.
    Action,
    /// A flow's retransmission timer.
    Rto,
    /// The sampler: a sample shows what the timers of its time have done, and what has arrived before.
    Sampler,
    /// A link takes a packet that it holds from its queue.
    Departure,
    /// The front packet of a delay line arrives.
    Line,
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
            0 => EventClass::Boundary,
            1 => EventClass::Flow,
            2 => EventClass::Source,
            3 => EventClass::Action,
            4 => EventClass::Rto,
            5 => EventClass::Sampler,
            6 => EventClass::Departure,
            _ => EventClass::Line,
        }
    }

    /// Its number.
    #[inline]
    pub const fn number(self) -> u32 {
        self.0 & ((1 << CLASS_SHIFT) - 1)
    }
}

/// An entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// When, ns.
    pub time: u64,
    /// What it belongs to.
    pub id: EventId,
}

impl Entry {
    /// Later than every other entry.
    pub const NEVER: Self = Self { time: cwnd_link::NEVER, id: EventId(u32::MAX) };
    /// Earlier than every other entry: only a boundary at time 0 would be as early, and it is handled before anything is held.
    const HELD: Self = Self { time: 0, id: EventId(0) };
}

/// The queue: a heap with four children per node, which has half the levels of a binary heap.
#[derive(Clone, Debug, Default)]
pub struct EventQueue {
    entries: Vec<Entry>,
}

impl EventQueue {
    /// Whether it has no entry.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds an entry.
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

    /// Whether this time, ns, is before that of every entry but the earliest: fewer steps than [`EventQueue::second`].
    #[inline]
    pub fn is_before_second(&self, time: u64) -> bool {
        let children = self.entries.get(1..self.entries.len().min(5)).unwrap_or_default();
        children.iter().all(|entry| time < entry.time)
    }

    /// Time of the second entry, ns; [`cwnd_link::NEVER`] when there is none.
    #[inline]
    pub fn second(&self) -> u64 {
        let children = self.entries.get(1..self.entries.len().min(5)).unwrap_or_default();
        children.iter().map(|entry| entry.time).min().unwrap_or(cwnd_link::NEVER)
    }

    /// The earliest entry is being handled: it stays the first, whatever is added, until it is replaced or removed.
    #[inline]
    pub fn hold_first(&mut self) {
        if let Some(first) = self.entries.first_mut() {
            *first = Entry::HELD;
        }
    }

    /// Puts `entry` in place of the earliest one.
    #[inline]
    pub fn replace_first(&mut self, entry: Entry) {
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
    #[cfg(any(debug_assertions, feature = "time-slices"))]
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

    fn entry(time: u64, class: EventClass, number: u32) -> Entry {
        Entry { time, id: EventId::new(class, number) }
    }

    // Whenever they were added or moved.
    #[test]
    fn events_of_one_time_come_by_class_then_by_number() {
        use EventClass::*;
        let classes = [Boundary, Flow, Source, Action, Rto, Sampler, Departure, Line];
        let expected: Vec<Entry> = classes
            .into_iter()
            .flat_map(|class| [0, 1, (1 << CLASS_SHIFT) - 2].map(|number| entry(5, class, number)))
            .collect();
        for seed in 0..20 {
            let (mut queue, mut draw) = (EventQueue::default(), RandomStream::new(seed, 0));
            let mut rest = expected.clone();
            while !rest.is_empty() {
                let Entry { time, id } = rest.swap_remove(draw.below(rest.len() as u64) as usize);
                queue.insert(Entry { time: time - draw.below(5), id });
            }
            while queue.first().time < 5 {
                queue.replace_first(Entry { time: 5, ..queue.first() });
            }
            let mut seen = Vec::new();
            while queue.first() != Entry::NEVER {
                let Entry { time, id } = queue.first();
                assert_eq!(EventId::new(id.class(), id.number()), id);
                seen.push(Entry { time, id });
                queue.remove_first();
            }
            assert_eq!(seen, expected, "seed {seed}");
        }
    }

    // At time 5 line 7 is being handled, which wakes line 3 at once: that does not take its place.
    #[test]
    fn what_is_added_while_an_event_is_handled_does_not_take_its_place() {
        let mut queue = EventQueue::default();
        queue.insert(entry(5, EventClass::Line, 7));
        queue.hold_first();
        queue.insert(entry(5, EventClass::Line, 3));
        queue.replace_first(entry(9, EventClass::Line, 7));
        assert_eq!(queue.first(), entry(5, EventClass::Line, 3));
        queue.remove_first();
        assert_eq!(queue.first(), entry(9, EventClass::Line, 7));
    }

    // The earliest is 1; the next 3, whichever of the root's children it is.
    #[test]
    fn the_second_is_the_earliest_of_the_others() {
        let mut queue = EventQueue::default();
        assert!(queue.second() == u64::MAX && queue.is_before_second(u64::MAX), "there is none");
        for (number, time) in [9, 7, 3, 1, 8, 5, 6, 4].into_iter().enumerate() {
            queue.insert(entry(time, EventClass::Line, number as u32));
        }
        assert_eq!(queue.second(), 3);
        assert_eq!([2, 3].map(|time| queue.is_before_second(time)), [true, false]);
    }

    #[test]
    fn a_thousand_random_times_come_out_sorted() {
        let (mut queue, mut draw) = (EventQueue::default(), RandomStream::new(1, 0));
        for number in 0..1000 {
            queue.insert(entry(draw.below(300), EventClass::Source, number));
        }
        let mut seen: Vec<Entry> = Vec::new();
        while queue.first() != Entry::NEVER {
            seen.push(queue.first());
            queue.remove_first();
        }
        assert!(seen.len() == 1000 && seen.is_sorted());
        assert!(seen.iter().all(|entry| entry.id.class() == EventClass::Source));
    }
}
