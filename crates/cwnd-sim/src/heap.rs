// SPDX-License-Identifier: MIT OR Apache-2.0
//! The event queue: one entry per source of events (a flow, the sampler), ordered by time, then by insertion.
//!
//! A source's handler changes no other source's next event, so only the root ever moves: a plain binary heap without
//! an index.

#[derive(Clone, Copy, Debug)]
struct Entry {
    time: u64,
    order: u64,
    source: u32,
}

impl Entry {
    #[inline]
    const fn before(&self, other: &Self) -> bool {
        self.time < other.time || (self.time == other.time && self.order < other.order)
    }
}

/// The queue.
#[derive(Clone, Debug, Default)]
pub struct Heap {
    entries: Vec<Entry>,
    inserted: u64,
}

impl Heap {
    /// Adds a source with its first event.
    pub fn push(&mut self, time: u64, source: u32) {
        self.inserted += 1;
        let entry = Entry { time, order: self.inserted, source };
        self.entries.push(entry);
        let mut at = self.entries.len() - 1;
        while at > 0 {
            let parent = (at - 1) / 2;
            if !entry.before(&self.entries[parent]) {
                break;
            }
            self.entries[at] = self.entries[parent];
            at = parent;
        }
        self.entries[at] = entry;
    }

    /// The earliest event: its time and source.
    #[inline]
    #[must_use]
    pub fn first(&self) -> Option<(u64, u32)> {
        self.entries.first().map(|entry| (entry.time, entry.source))
    }

    /// Gives the source of the earliest event its next one.
    #[inline]
    pub fn replace_first(&mut self, time: u64) {
        self.inserted += 1;
        let Some(first) = self.entries.first() else { return };
        let entry = Entry { time, order: self.inserted, source: first.source };
        let n = self.entries.len();
        let mut at = 0;
        loop {
            let mut child = 2 * at + 1;
            if child >= n {
                break;
            }
            if child + 1 < n && self.entries[child + 1].before(&self.entries[child]) {
                child += 1;
            }
            if !self.entries[child].before(&entry) {
                break;
            }
            self.entries[at] = self.entries[child];
            at = child;
        }
        self.entries[at] = entry;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_by_time_then_by_insertion() {
        let mut heap = Heap::default();
        for (time, source) in [(5, 0), (3, 1), (5, 2), (1, 3)] {
            heap.push(time, source);
        }
        let mut seen = Vec::new();
        while let Some((time, source)) = heap.first()
            && time < 10
        {
            seen.push((time, source));
            heap.replace_first(if time < 5 { 5 } else { 10 });
        }
        // 3 and 1 come back at time 5 in the order in which they were inserted again, behind 0 and 2.
        assert_eq!(seen, [(1, 3), (3, 1), (5, 0), (5, 2), (5, 3), (5, 1)]);
    }
}
