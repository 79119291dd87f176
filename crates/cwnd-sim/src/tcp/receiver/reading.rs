// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the application of a receiver reads, on which the window depends, and acknowledgements: Linux acknowledges what is read, if it ends what
//! was handed over (`tcp_cleanup_rbuf`). The engine asks the sender for that.

use super::Receiver;
use super::opening::Opening;
use std::ops::Range;

/// An application without an end, and without a limit of the window, reads when so much can be read, bytes: as those of lane linux do.
const READ_FROM: u32 = 256 << 10;
/// The clock of timestamps, µs. // Linux: TCP_TS_HZ
pub(super) const STAMP_US: u64 = 1_000;

/// What the application has read.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    /// The window, while it opens.
    pub(super) opening: Option<Opening>,
    mss: u32,
    /// The window has a limit, so that it is as large when nothing is read.
    is_limited: bool,
    /// It reads when so many segments can be read; one past the last that it has read.
    from: u64,
    to: u64,
    /// It has just read segments of which the last one is not acknowledged.
    is_recent: bool,
    /// For how long a millisecond of the sender's timestamps has run at time 0, µs.
    pub(super) stamp_phase_us: u64,
    /// When a segment was sent of which the timestamp is kept as TS.Recent, µs.
    pub(super) recent_us: u32,
}

impl Reading {
    /// That of segments of `mss` bytes, by timestamps of a clock that has run for `phase_us` at time 0.
    pub fn new(mss: u32, is_limited: bool, at_once: bool, phase_us: u32) -> Self {
        let opening = (!is_limited).then(|| Opening::new(mss));
        let stamp_phase_us = u64::from(phase_us) % STAMP_US;
        let mut reading =
            Self { opening, mss, is_limited, from: 1, to: 0, is_recent: false, stamp_phase_us, recent_us: 0 };
        reading.set(at_once);
        reading
    }

    fn set(&mut self, at_once: bool) {
        self.from = if at_once || self.is_limited { 1 } else { READ_FROM.div_ceil(self.mss).into() };
    }

    /// Reads if there is enough, where segments before `next` can be read; whether it does.
    fn read(&mut self, next: u64) -> bool {
        let reads = next - self.to >= self.from;
        if reads {
            self.to = next;
            if let Some(opening) = &mut self.opening {
                opening.on_read();
            }
        }
        reads
    }
}

impl Receiver {
    /// Whether its application reads at once, or when there is much.
    pub fn set_reading(&mut self, at_once: bool) {
        if let Some(reading) = &mut self.reading {
            reading.set(at_once);
        }
    }

    /// The segments of this range, of which some are new, have arrived: they are next, or beyond a hole. // Linux: tcp_grow_window
    #[inline]
    pub(super) fn open_window(&mut self, range: Range<u64>) {
        if self.is_opening() {
            self.open_more(range);
        }
    }

    /// Whether the window opens.
    #[inline]
    pub(super) fn is_opening(&self) -> bool {
        self.reading.as_ref().is_some_and(|reading| reading.opening.is_some())
    }

    #[inline(never)]
    fn open_more(&mut self, range: Range<u64>) {
        let next = self.next;
        let Some(reading) = &mut self.reading else { return };
        reading.read(next);
        let Some(opening) = &mut reading.opening else { return };
        let opens =
            if range.start <= next { opening.on_next(next..range.end) } else { opening.on_beyond(range) };
        if opens {
            self.quick |= 1;
        }
        if opening.is_over() {
            reading.opening = None;
        }
    }

    /// The acknowledgement of segments in order is delayed: whether the application reads them now.
    #[inline]
    pub(super) fn on_delay(&mut self) {
        let next = self.next;
        if let Some(reading) = &mut self.reading
            && next - reading.to >= reading.from
        {
            // It has read as soon as there were enough, which nobody notes when the window does not open.
            let rest = if reading.opening.is_some() { 0 } else { (next - reading.to) % reading.from };
            reading.read(next);
            (reading.to, reading.is_recent) = (next - rest, rest == 0);
        }
    }

    /// Whether the application has just read the last segment that has arrived, and its acknowledgement is delayed.
    #[inline]
    pub fn take_read(&mut self) -> bool {
        self.reading.as_mut().is_some_and(|reading| std::mem::take(&mut reading.is_recent))
    }

    /// The next position has moved by more than one: the application reads if it can. Whether the window opens only then.
    pub(super) fn read_filled(&mut self) -> bool {
        let next = self.next;
        self.reading.as_mut().is_some_and(|reading| reading.read(next) && !reading.is_limited)
    }
}
