// SPDX-License-Identifier: MIT OR Apache-2.0
//! A receive window that opens: each segment that arrives while it does is acknowledged at once (Linux: `tcp_grow_window`).
//!
//! The buffer is that of the hosts of lanes live and linux, 32 MiB. Half of it is the first window. The first segment shows how much memory a
//! segment takes, and the window opens to the share of the buffer that is payload, by two segments with each that arrives: less what has
//! arrived and was not read.

use std::ops::Range;

/// What the buffer holds, bytes.
const BUFFER: u64 = 32 << 20;
/// The share of payload is counted in parts of 256. // Linux: TCP_RMEM_TO_WIN_SCALE
const PARTS: u32 = 8;
/// Memory that a usual driver gives a packet, bytes: half a page, or if that is too small, a power of two. It includes the list of pages and
/// room in front; the description of the packet is separate. // Linux: struct skb_shared_info, NET_SKB_PAD, struct sk_buff
const HALF_PAGE: u32 = 2048;
const IN_HEAD: u32 = 320 + 64;
const DESCRIPTION: u32 = 256;
/// This many packets of half a page share one description: one, and 17 whose pages it refers to. // Linux: skb_try_coalesce, MAX_SKB_FRAGS
const DESCRIBED: u32 = 18;
/// Headers of a packet, bytes.
const HEADERS: u32 = cwnd_scenario::HEADER_BYTES;

/// A window that opens, and what is in the buffer.
#[derive(Clone, Debug)]
pub struct Opening {
    /// Payload of a segment, bytes.
    mss: u32,
    /// Memory of the head of a packet, bytes.
    head: u32,
    /// The share of a packet's memory that is payload, in parts of 256.
    share: u32,
    /// The window, bytes, and the largest that it opens to.
    window: u32,
    widest: u32,
    /// Segments that may be read: how many, with how many descriptions, and how many segments the last of these is of.
    queued: u32,
    descriptions: u32,
    last: u32,
    /// The segments beyond a hole that have a description in common, rising.
    beyond: Vec<Range<u64>>,
}

impl Opening {
    /// One of segments of `mss` bytes.
    pub fn new(mss: u32) -> Self {
        let needed = mss + HEADERS + IN_HEAD;
        let head = if needed <= HALF_PAGE { HALF_PAGE } else { needed.next_power_of_two() };
        let share = (mss << PARTS) / (head + DESCRIPTION);
        // Room for one segment is kept. // Linux: tcp_init_buffer_space
        let window = BUFFER as u32 / 2 - mss;
        let mut opening = Self {
            mss,
            head,
            share,
            window,
            widest: 0,
            queued: 0,
            descriptions: 0,
            last: 0,
            beyond: Vec::new(),
        };
        opening.widest = opening.space(1, 1) as u32;
        opening
    }

    /// How many segments may have one description.
    const fn described(&self) -> u32 {
        if self.head == HALF_PAGE { DESCRIBED } else { 1 }
    }

    /// The window that is left where so many segments are in the buffer, with so many descriptions, bytes.
    const fn space(&self, segments: u32, descriptions: u32) -> u64 {
        let taken = segments as u64 * self.head as u64 + descriptions as u64 * DESCRIPTION as u64;
        (BUFFER.saturating_sub(taken) * self.share as u64) >> PARTS
    }

    /// The application has read what there was to read.
    pub const fn on_read(&mut self) {
        (self.queued, self.descriptions, self.last) = (0, 0, 0);
    }

    /// The segments of this range, which are next, have arrived. Whether the window opens.
    pub fn on_next(&mut self, range: Range<u64>) -> bool {
        for _ in range.clone() {
            self.queue(1);
        }
        let opens = self.open(range.end - range.start);
        if self.beyond.is_empty() {
            return opens;
        }
        let mut next = range.end;
        while let Some(first) = self.beyond.first().filter(|first| first.start <= next).cloned() {
            self.beyond.remove(0);
            if first.end > next {
                self.queue((first.end - next) as u32);
                next = first.end;
            }
        }
        opens
    }

    /// So many segments with one description are queued.
    const fn queue(&mut self, segments: u32) {
        self.queued += segments;
        if self.last > 0 && self.last + segments <= self.described() {
            self.last += segments;
        } else {
            self.descriptions += 1;
            self.last = segments;
        }
    }

    /// The segments of this range, of which some are new, have arrived beyond a hole. Whether the window opens.
    pub fn on_beyond(&mut self, range: Range<u64>) -> bool {
        let (most, mut opens) = (u64::from(self.described()), false);
        for position in range {
            let place = self.beyond.partition_point(|other| other.start <= position);
            let before = place.checked_sub(1).and_then(|before| self.beyond.get_mut(before));
            match before {
                Some(before) if position < before.end => {}
                Some(before) if before.end == position && position - before.start < most => {
                    before.end += 1;
                    opens |= self.open(1);
                }
                _ => {
                    // Its memory counts from then on. // Linux: tcp_data_queue_ofo
                    opens |= self.open(1);
                    self.beyond.insert(place, position..position + 1);
                }
            }
        }
        opens
    }

    /// The window opens by twice what has arrived, `segments`, as far as there is room.
    fn open(&mut self, segments: u64) -> bool {
        let beyond = if self.beyond.is_empty() { 0 } else { self.held_beyond() };
        let space = self.space(self.queued + beyond, self.descriptions + self.beyond.len() as u32);
        let room = space.saturating_sub(self.window.into()).min(u64::from(2 * self.mss) * segments);
        self.window += room as u32;
        room > 0
    }

    /// Segments beyond a hole.
    #[inline(never)]
    fn held_beyond(&self) -> u32 {
        self.beyond.iter().map(|range| (range.end - range.start) as u32).sum()
    }

    /// Whether it opens no more.
    pub const fn is_over(&self) -> bool {
        self.window >= self.widest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The segments, from 1 on, with which the window opens, of so many that arrive in order; every `reads`-th time, what has arrived is read.
    fn opens_with(mss: u32, segments: u64, reads: u64) -> Vec<u64> {
        let mut opening = Opening::new(mss);
        let opens = |number: &u64| {
            if number % reads == 1 % reads {
                opening.on_read();
            }
            opening.on_next(number - 1..*number)
        };
        (1..=segments).filter(opens).collect()
    }

    // A segment takes 2304 bytes: 160 of 256 are payload. Half of the buffer without a segment is 16 775 768 bytes, and 160 / 256 of it are
    // 20 971 520. An application that reads at once leaves one segment in it, which is 1440 bytes of window: 4 194 312 = 1448 · 2896 + 904.
    #[test]
    fn a_window_opens_by_two_segments_with_each_that_arrives() {
        let opening = Opening::new(1448);
        assert_eq!(
            (opening.window, opening.space(0, 0), opening.space(1, 1)),
            (16_775_768, 20_971_520, 20_970_080)
        );
        assert_eq!(opens_with(1448, 3000, 1), (1..=1449).collect::<Vec<_>>());
    }

    // An application that reads 182 segments at a time: with 121 of the eighth 182 in the buffer, which take 121 · 2048 + 7 · 256 = 249 600 bytes, there is room for
    // 20 815 520 bytes. 1394 segments have opened it to 16 775 768 + 1394 · 2896 = 20 812 792: segment 1395, the 121st, is the last. After they are read, segment
    // 1457 finds 20 970 080, and each one after it 1280 bytes less, every 18th 1440: 154 560 / (2896 + 1280) = 37.
    #[test]
    fn what_is_not_read_keeps_it_from_opening() {
        let opens = opens_with(1448, 1638, 182);
        assert_eq!(opens[..1395], (1..=1395).collect::<Vec<_>>());
        assert_eq!(opens[1395..], (1457..=1457 + 36).collect::<Vec<_>>());
    }

    // A segment of 8948 bytes has a head of 16 384 bytes: 137 of 256 are payload. Half of the buffer without a segment is 16 768 268 bytes, 137 / 256 of it
    // are 17 956 864, and one segment takes 8905 of that: 1 179 691 bytes are 65 · 17 896 + 16 451.
    #[test]
    fn large_segments_have_larger_heads() {
        let opening = Opening::new(8948);
        assert_eq!(
            (opening.window, opening.space(0, 0), opening.space(1, 1)),
            (16_768_268, 17_956_864, 17_947_959)
        );
        assert_eq!(opens_with(8948, 100, 1).len(), 66);
    }

    // 0 is missing. 1 to 18 have one description, 19 another, 21 a third; 20 comes behind 19. When 0 comes it has one of its own: with 18 more it would be of 19.
    #[test]
    fn neighbours_have_one_description() {
        let mut opening = Opening::new(1448);
        for position in (1..=19).chain([21, 20]) {
            assert!(opening.on_beyond(position..position + 1));
        }
        assert_eq!(opening.beyond, [1..19, 19..21, 21..22]);
        assert!(!opening.on_beyond(3..4), "it was there");
        assert!(opening.on_next(0..1));
        assert_eq!((opening.queued, opening.descriptions, opening.last), (22, 3, 3));
        assert!(opening.beyond.is_empty());
    }

    #[test]
    fn it_is_over_when_the_buffer_is_empty_but_for_one() {
        let mut opening = Opening::new(1448);
        let over = (0..2000).find(|&position| {
            opening.on_read();
            opening.on_next(position..position + 1);
            opening.is_over()
        });
        assert_eq!(over, Some(1448));
    }
}
