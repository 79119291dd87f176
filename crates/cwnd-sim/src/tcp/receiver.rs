// SPDX-License-Identifier: MIT OR Apache-2.0
//! A TCP receiver: reassembly, delayed acknowledgements (RFC 5681 §4.2), selective acknowledgements (RFC 2018).

mod acknowledgement;
mod merged;
mod opening;
mod out_of_order;
mod quiet;
mod reading;
mod timestamps;

use crate::network::Segment;
pub use acknowledgement::{AckPacket, SackBlocks};
pub use merged::Merged;
use out_of_order::OutOfOrder;
use reading::Reading;

/// At most so many segments are acknowledged one by one. // Linux: TCP_MAX_QUICKACKS
const MOST_QUICK: u8 = 16;
/// The largest window that a connection opens with, bytes.
pub const FIRST_WINDOW: u32 = 65_535;

/// Segments to acknowledge one by one under a window of `bytes`: half of those it holds, but two where that is none. // Linux: tcp_incr_quickack
const fn quick_under(bytes: u64, mss: u32) -> u8 {
    match bytes / (2 * mss as u64) {
        0 => 2,
        half if half > MOST_QUICK as u64 => MOST_QUICK,
        half => half as u8,
    }
}

/// The coarse clock that pauses are measured by, in units of 2¹⁶ ns: a segment takes a shift and a difference.
const fn coarse(at: u64) -> u32 {
    (at >> 16) as u32
}

/// What a pause of `ms` is at most, in units of that clock.
const fn patience(ms: u64) -> u32 {
    coarse(ms * 1_000_000) + 1
}

/// State of one flow's receiver.
#[derive(Clone, Debug, Default)]
pub struct Receiver {
    next: u64,
    /// `None` while nothing has arrived beyond `next`.
    out_of_order: Option<Box<OutOfOrder>>,
    /// Segments in order not yet acknowledged; `ack_every` is at most 1000.
    pending: u16,
    first_sent_us: u32,
    newest_sent_us: u32,
    /// Acknowledgements that are not delayed: at the beginning, and after a pause or a duplicate `most_quick`, while the sender may be in slow
    /// start. // RFC 5681 §4.2: MAY; Linux: icsk_ack.quick
    quick: u8,
    /// What its application has read, with a receiver that does as today's Linux.
    reading: Option<Box<Reading>>,
    /// 0 for a receiver that does not do as today's Linux, which reports segments that arrive again (RFC 2883), refuses old timestamps (RFC 7323 §5),
    /// and waits with selective acknowledgements.
    most_quick: u8,
    /// A pause longer than this between the arrivals of two segments in order makes acknowledgements quick again, units of 2¹⁶ ns: this host's own timeout.
    patience: u32,
    /// When the last segment in order arrived, in the same unit.
    came: u32,
    /// Whether TS.Recent is kept apart, as a segment left an older timestamp or one that had arrived left a newer one; usually it is that of
    /// `first_sent_us`.
    keeps_recent: bool,
    /// Whether the segment that the last acknowledgement out of order reports had arrived before.
    is_duplicate: bool,
    /// Segments that arrived for the first time.
    pub distinct: u64,
    /// Segments that arrived at all.
    pub arrived: u64,
}

impl Receiver {
    /// A receiver that does as today's Linux, of segments of `mss` bytes, with a window of `rwnd` segments; `reads_at_once`: so does its application.
    /// The clock of the sender's timestamps has run for `phase_us` at time 0.
    pub fn linux(mss: u32, rwnd: Option<u32>, reads_at_once: bool, phase_us: u32) -> Self {
        let bytes = rwnd.map_or(u64::MAX, |rwnd| u64::from(rwnd) * u64::from(mss));
        let quick = quick_under(bytes, mss);
        Self {
            quick,
            reading: Some(Box::new(Reading::new(mss, rwnd.is_some(), reads_at_once, phase_us))),
            most_quick: quick,
            patience: patience(1000), // RFC 6298 §2.1
            ..Self::default()
        }
    }

    #[inline]
    const fn as_linux(&self) -> bool {
        self.most_quick > 0
    }

    /// The next acknowledgements are quick. // Linux: tcp_enter_quickack_mode
    #[inline]
    fn enter_quickack(&mut self) {
        self.quick = self.quick.max(self.most_quick);
    }

    /// At least so many of the next acknowledgements are quick, with a receiver that does as today's Linux. // tcp_incr_quickack
    pub fn enter_quickack_for(&mut self, acknowledgements: u8) {
        self.quick = self.quick.max(acknowledgements.min(self.most_quick));
    }

    /// The connection is open, after a handshake of `took` ns: the first round trip time of this host's timeout. // RFC 6298 §2.2; Linux: 200 ms
    pub fn on_open(&mut self, took: u64) {
        let took_ms = took / 1_000_000;
        self.patience = patience(took_ms + (2 * took_ms).max(200));
    }

    /// Whether the acknowledgement that is being delayed is one of segments beyond a hole: Linux waits with those for a millisecond at
    /// most, or a twentieth of the round trip. // tcp_comp_sack_delay_ns
    #[inline]
    #[must_use]
    pub fn waits_with_reports(&self) -> bool {
        self.out_of_order.is_some()
    }

    /// A segment arrived at `at`, ns. Returns the acknowledgement that it causes now; `None` means that one is being delayed.
    #[inline(always)]
    pub fn on_segment(&mut self, segment: Segment, ack_every: u32, at: u64) -> Option<AckPacket> {
        self.arrived += 1;
        // Positions are within 2³¹ of `next`, so the low half identifies them.
        let ahead = segment.position.wrapping_sub(self.next as u32).cast_signed();
        if self.is_refused(segment, 1, at) {
            return Some(self.refuse(ahead));
        }
        if ahead == 0 {
            self.note_times(segment.sent_us, segment.sent_us, at);
            self.pending += 1;
            self.distinct += 1;
            self.open_window(self.next..self.next + 1);
            self.next += 1;
            if self.out_of_order.is_some() {
                // RFC 5681 §4.2: a segment that fills a hole, or part of one, is acknowledged at once.
                let begin = self.next - u64::from(self.pending);
                let reads = self.fill();
                self.count_partial_fill(begin, reads);
                let waited = self.take_waiting();
                return Some(AckPacket { waited, ..self.send_ack() });
            }
            if u32::from(self.pending) >= ack_every || self.quick > 0 {
                return Some(self.send_ack());
            }
            self.on_delay();
            return None;
        }
        let position = self.next.wrapping_add_signed(ahead.into());
        let (mut is_new, mut goes_early) = (false, false);
        if ahead > 0 {
            let (next, as_linux) = (self.next, self.as_linux());
            let out_of_order = self.out_of_order.get_or_insert_default();
            is_new = out_of_order.arrive(next, position, position + 1) > 0;
            goes_early = out_of_order.note(next, position, position + 1, as_linux);
            self.distinct += u64::from(is_new);
        } else {
            self.on_old(position, segment.sent_us, at);
        }
        if !self.as_linux() {
            return Some(self.repeat(is_new.then_some(position)));
        }
        if is_new {
            self.open_window(position..position + 1);
        }
        self.answer_out_of_order(is_new, position, goes_early)
    }

    /// A segment out of order has arrived, and is new or not: the acknowledgement of today's Linux, `None` if it waits. `goes_early`: what has waited
    /// goes now, and nothing is due for the segment.
    fn answer_out_of_order(&mut self, is_new: bool, position: u64, goes_early: bool) -> Option<AckPacket> {
        let is_beyond = position > self.next;
        self.is_duplicate = !is_new;
        if goes_early {
            return Some(AckPacket { waited: true, ..self.repeat((!is_new).then_some(position)) });
        }
        if is_beyond && self.waits() {
            if let Some(out_of_order) = self.out_of_order.as_mut().filter(|_| !is_new) {
                out_of_order.duplicate = Some(position);
            }
            return None;
        }
        // RFC 5681 §4.2: out of order, or old: a duplicate acknowledgement at once. RFC 2883 §4.
        Some(self.repeat(Some(position)))
    }

    /// Segments arrive at `at`, ns, that all have arrived before; the first of them, at `position`, was sent at `sent_us`.
    fn on_old(&mut self, position: u64, sent_us: u32, at: u64) {
        self.enter_quickack();
        self.report_all();
        self.keep_recent_of_old(position, sent_us, at);
    }

    /// Whether the acknowledgement of a new segment beyond a hole waits for others. Quick ones do not.
    fn waits(&mut self) -> bool {
        let Some(out_of_order) = self.out_of_order.as_mut().filter(|_| self.quick == 0) else { return false };
        out_of_order.waits(self.next)
    }

    /// The next position has moved to one behind which segments are still missing. If the acknowledgement, the first since `begin`, is of one segment
    /// only, it is the first of the three that do not wait; and if the application `reads`, which opens the window only then. // Linux: __tcp_ack_snd_check
    fn count_partial_fill(&mut self, begin: u64, reads: bool) {
        let is_counted = (self.next == begin + 1 || reads) && self.quick == 0;
        if self.as_linux()
            && let Some(out_of_order) = self.out_of_order.as_mut().filter(|_| is_counted)
        {
            out_of_order.count_first(self.next);
        }
    }

    /// An acknowledgement with the times of the last advance.
    fn repeat(&mut self, sacked: Option<u64>) -> AckPacket {
        self.on_ack_sent();
        let sent_us = (self.next > 0).then_some((self.recent_us(), self.newest_sent_us));
        AckPacket { cumulative: self.next, sacked, sent_us, waited: self.take_waiting() || self.keeps_recent }
    }

    /// An acknowledgement of all that has arrived is sent.
    #[inline]
    const fn on_ack_sent(&mut self) {
        self.pending = 0;
        self.quick = self.quick.saturating_sub(1);
    }

    /// Whether segments beyond the hole have arrived that no acknowledgement has reported: the next one, which is made now, does.
    fn take_waiting(&mut self) -> bool {
        self.out_of_order.as_mut().is_some_and(|held| held.take_waiting())
    }

    /// The delay is over, or the acknowledgement is not delayed any more.
    pub fn on_delay_over(&mut self) -> AckPacket {
        let duplicate = self.out_of_order.as_mut().and_then(|held| held.duplicate.take());
        self.is_duplicate = duplicate.is_some();
        self.report_all();
        self.repeat(duplicate)
    }

    /// The acknowledgement that is made now reports all blocks.
    fn report_all(&mut self) {
        if let Some(out_of_order) = &mut self.out_of_order {
            out_of_order.report_all();
        }
    }

    /// The first position that has not arrived.
    #[inline]
    #[must_use]
    pub const fn next(&self) -> u64 {
        self.next
    }

    /// The blocks that `ack`, just made, carries: a segment that arrived again, the block with the newest arrival, then those reported last.
    // RFC 2018 §4, RFC 2883 §4
    #[must_use]
    pub fn blocks(&self, ack: &AckPacket) -> SackBlocks {
        let duplicate = ack.sacked.filter(|_| self.is_duplicate);
        let duplicate =
            duplicate.map(|position| (position as u32).wrapping_sub(self.next as u32).cast_signed());
        let most = if duplicate.is_some() { 2 } else { 3 };
        let mut blocks = SackBlocks { duplicate, ..SackBlocks::default() };
        let Some(out_of_order) = &self.out_of_order else { return blocks };
        let mut count = 0;
        out_of_order.report(self.next, self.as_linux(), |(from, to)| {
            let offsets = ((from - self.next) as u32, (to - self.next) as u32);
            if count < most && !blocks.offsets[..count].contains(&offsets) {
                blocks.offsets[count] = offsets;
                count += 1;
            }
        });
        blocks
    }

    fn send_ack(&mut self) -> AckPacket {
        self.on_ack_sent();
        AckPacket {
            cumulative: self.next,
            sacked: None,
            sent_us: Some((self.recent_us(), self.newest_sent_us)),
            // Its sender may be one that expects the time of its first segment, unless it asks what has happened.
            waited: self.keeps_recent,
        }
    }

    /// Moves `next` over what had arrived beyond a hole; whether the application reads it.
    fn fill(&mut self) -> bool {
        let Some(out_of_order) = &mut self.out_of_order else { return false };
        self.next = out_of_order.fill(self.next);
        if self.next == out_of_order.highest {
            self.out_of_order = None;
        }
        self.read_filled()
    }
}

#[cfg(test)]
mod tests;
