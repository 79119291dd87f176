// SPDX-License-Identifier: MIT OR Apache-2.0
//! A ring that grows: what is appended last is taken last.

/// The ring. Its room is a power of two, or nothing.
#[derive(Clone, Debug, Default)]
pub struct Ring<T> {
    slots: Vec<T>,
    head: u32,
    len: u32,
}

impl<T: Copy + Default> Ring<T> {
    /// Number of entries.
    #[inline(always)]
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// Where the entry `index` places behind the front is.
    #[inline(always)]
    const fn place(&self, index: usize) -> usize {
        (self.head as usize + index) & (self.slots.len() - 1)
    }

    /// The entry `index` places behind the front.
    #[inline(always)]
    pub fn get(&self, index: usize) -> Option<&T> {
        if index < self.len() { Some(&self.slots[self.place(index)]) } else { None }
    }

    /// The place `index` places behind the front, where there is one, filled or not.
    #[inline(always)]
    pub fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        let place = if self.slots.is_empty() { 0 } else { self.place(index) };
        self.slots.get_mut(place)
    }

    /// Takes the front entry.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<T> {
        let front = *self.get(0)?;
        self.skip(1);
        Some(front)
    }

    /// Takes the first `count` entries, of which there are so many.
    #[inline(always)]
    pub fn skip(&mut self, count: u32) {
        debug_assert!(count <= self.len);
        self.head = (self.head + count) & (self.slots.len() as u32).wrapping_sub(1);
        self.len -= count;
    }

    /// Appends an entry.
    #[inline(always)]
    pub fn push(&mut self, entry: T) {
        if self.len() == self.slots.len() {
            self.grow();
        }
        let place = self.place(self.len());
        self.slots[place] = entry;
        self.len += 1;
    }

    /// The entries from the front on that follow each other in memory: all of them, or those before the ring begins again.
    #[inline(always)]
    pub fn front(&self) -> &[T] {
        let head = self.head as usize;
        &self.slots[head..(head + self.len()).min(self.slots.len())]
    }

    /// Where the next `count` entries go, if they follow each other in memory; [`Ring::append`] follows.
    #[inline(always)]
    pub fn spare(&mut self, count: u32) -> Option<&mut [T]> {
        if self.len() + count as usize > self.slots.len() {
            self.make_room(count);
        }
        let begin = self.place(self.len());
        self.slots.get_mut(begin..begin + count as usize)
    }

    /// Appends so many entries, which stand in [`Ring::spare`].
    #[inline(always)]
    pub const fn append(&mut self, count: u32) {
        self.len += count;
    }

    /// The entries from the `from`-th up to the `to`-th, not counted: those before the ring begins again, and those behind.
    #[inline]
    pub fn parts(&self, from: usize, to: usize) -> [&[T]; 2] {
        let head = self.head as usize;
        let begins = self.slots.len() - head;
        let before = head + from.min(begins)..head + to.min(begins);
        [&self.slots[before], &self.slots[from.saturating_sub(begins)..to.saturating_sub(begins)]]
    }

    /// The entries, from the front on.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.parts(0, self.len()).into_iter().flatten()
    }

    #[cold]
    fn make_room(&mut self, count: u32) {
        while self.len() + count as usize > self.slots.len() {
            self.grow();
        }
    }

    #[cold]
    fn grow(&mut self) {
        let room = (2 * self.slots.len()).max(8);
        let mut slots = Vec::with_capacity(room);
        slots.extend_from_slice(&self.slots[self.head as usize..]);
        slots.extend_from_slice(&self.slots[..self.head as usize]);
        slots.resize(room, T::default());
        self.slots = slots;
        self.head = 0;
    }

    /// How many of the entries, from the `from`-th on, hold; those that do come first.
    pub fn partition_point(&self, from: usize, holds: impl Fn(&T) -> bool) -> usize {
        let (mut begin, mut end) = (from, self.len());
        while begin < end {
            let middle = begin.midpoint(end);
            if self.get(middle).is_some_and(&holds) {
                begin = middle + 1;
            } else {
                end = middle;
            }
        }
        begin
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cwnd_link::random::RandomStream;
    use std::collections::VecDeque;

    // Random pushes, pops, skips and runs beside the ring of the standard library.
    #[test]
    fn it_does_what_the_standard_ring_does() {
        let (mut ring, mut other, mut draw) = (Ring::default(), VecDeque::new(), RandomStream::new(1, 0));
        for number in 0..20_000_u64 {
            match draw.below(5) {
                0 => assert_eq!(ring.pop(), other.pop_front()),
                1 => {
                    let count = draw.below(other.len() as u64 + 1) as u32;
                    if count > 0 {
                        ring.skip(count);
                        other.drain(..count as usize);
                    }
                }
                2 => {
                    let count = draw.below(7) as u32;
                    if let Some(spare) = ring.spare(count) {
                        spare.iter_mut().zip(number..).for_each(|(place, entry)| *place = entry);
                        ring.append(count);
                        other.extend(number..number + u64::from(count));
                    }
                }
                _ => {
                    ring.push(number);
                    other.push_back(number);
                }
            }
            assert_eq!(ring.len(), other.len());
            let (from, to) = (draw.below(other.len() as u64 + 1) as usize, other.len());
            assert!(ring.parts(from, to).concat().iter().eq(other.range(from..)), "after {number} steps");
            assert!(ring.iter().eq(&other) && ring.get(other.len()).is_none(), "after {number} steps");
            let front = ring.front();
            assert!(other.iter().zip(front).all(|(one, another)| one == another));
            assert!(front.len() == other.len() || !front.is_empty());
        }
    }
}
