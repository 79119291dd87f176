// SPDX-License-Identifier: MIT OR Apache-2.0
//! Timestamps of a receiver that does as today's Linux: TS.Recent, which its acknowledgements echo, and the segments that it drops, because their
//! timestamp is too old or because they had been acknowledged. // RFC 7323 §4.3, §5.3

use super::reading::STAMP_US;
use super::{AckPacket, Receiver, coarse};
use crate::network::Segment;

/// By how much a timestamp may be older than TS.Recent. // RFC 7323 §5.3; Linux: TCP_PAWS_WINDOW
const OLDER: u64 = 1;

impl Receiver {
    /// Whether today's Linux drops `count` segments from this one on, which arrive at `at`, ns.
    #[inline(always)]
    pub(super) fn is_refused(&mut self, segment: Segment, count: u32, at: u64) -> bool {
        if !self.as_linux() {
            return false;
        }
        // What is next, and was sent after the segment before it, is not dropped: that one was not.
        let is_usual = segment.position == self.next as u32
            && segment.sent_us.wrapping_sub(self.newest_sent_us).cast_signed() >= 0
            && !self.keeps_recent;
        debug_assert!(!is_usual || !self.drops(segment, count, at), "{segment:?}, {self:?}");
        !is_usual && self.is_refused_if_unusual(segment, count, at)
    }

    #[inline(never)]
    fn is_refused_if_unusual(&mut self, segment: Segment, count: u32, at: u64) -> bool {
        if self.next == 0 {
            return false;
        }
        self.drops(segment, count, at)
    }

    /// Whether what arrives at `at`, ns, does so after a pause that makes acknowledgements quick again. // Linux: tcp_event_data_recv
    #[inline]
    const fn is_after_pause(&self, at: u64) -> bool {
        coarse(at).wrapping_sub(self.came) > self.patience
    }

    /// Whether today's Linux drops `count` segments from this one on, which arrive at `at`, ns: their timestamp is too old, or all of them are
    /// before what the last acknowledgement has acknowledged. // Linux: tcp_validate_incoming
    #[inline]
    pub fn drops(&self, segment: Segment, count: u32, at: u64) -> bool {
        let end = segment.position.wrapping_add(count).wrapping_sub(self.next as u32).cast_signed();
        let is_old = self.next > 0 && end < -i32::from(self.pending);
        let may_be_older = self.keeps_recent || self.is_older(segment.sent_us);
        self.as_linux()
            && (is_old || (may_be_older && self.next > 0 && self.stamps_behind(segment.sent_us, at) > OLDER))
    }

    /// Segments in order arrive at `at`, ns, the first and the last of which were sent then.
    #[inline]
    pub(super) fn note_times(&mut self, first_sent_us: u32, newest_sent_us: u32, at: u64) {
        if self.pending == 0 {
            if self.keeps_recent || self.is_older(first_sent_us) {
                self.keep_recent(first_sent_us, at);
            }
            self.first_sent_us = first_sent_us;
            // After a pause nothing is pending: an acknowledgement is not delayed for so long.
            if self.as_linux() && self.is_after_pause(at) {
                self.enter_quickack();
            }
        }
        self.newest_sent_us = newest_sent_us;
        self.came = coarse(at);
    }

    /// An older timestamp than TS.Recent does not take its place. // RFC 7323 §4.3 (2); Linux: tcp_replace_ts_recent
    #[cold]
    fn keep_recent(&mut self, sent_us: u32, at: u64) {
        let is_behind = self.stamps_behind(sent_us, at) > 0;
        self.set_recent(self.recent_us(), is_behind);
    }

    /// Whether the segment may have been sent before the one that the last segment in order has left: few are, and only of those the ages count.
    #[inline]
    const fn is_older(&self, sent_us: u32) -> bool {
        sent_us.wrapping_sub(self.first_sent_us).cast_signed() < 0
    }

    /// When a segment was sent of which the timestamp is TS.Recent, µs.
    #[inline]
    pub(super) fn recent_us(&self) -> u32 {
        if self.keeps_recent { self.kept_recent_us() } else { self.first_sent_us }
    }

    #[cold]
    fn kept_recent_us(&self) -> u32 {
        self.reading.as_ref().map_or(self.first_sent_us, |reading| reading.recent_us)
    }

    /// By how much the timestamp of a segment, which arrives at `at`, ns, is older than TS.Recent; 0 if it is not. Ages are compared, so that a
    /// pause of any length makes nothing old: to within a round trip of every 71.6 minutes. // RFC 7323 §5.3, R1
    fn stamps_behind(&self, sent_us: u32, at: u64) -> u64 {
        let phase_us = self.reading.as_ref().map_or(0, |reading| reading.stamp_phase_us);
        let now_us = at / 1000;
        let stamp = |sent_us: u32| {
            let age_us = (now_us as u32).wrapping_sub(sent_us);
            (now_us + phase_us).saturating_sub(age_us.into()) / STAMP_US
        };
        stamp(self.recent_us()).saturating_sub(stamp(sent_us))
    }

    /// A segment is dropped, and answered by an acknowledgement. // RFC 7323 §5.3, R1; Linux: tcp_send_dupack
    #[cold]
    pub(super) fn refuse(&mut self, ahead: i32) -> AckPacket {
        self.is_duplicate = ahead < 0;
        let sacked = if ahead < 0 { self.next.checked_add_signed(ahead.into()) } else { None };
        if ahead < 0 {
            self.enter_quickack();
        }
        self.report_all();
        // It counts as a quick one only if one was due before. // Linux: tcp_dec_quickack_mode
        let is_due = self.pending > 0 || self.out_of_order.as_ref().is_some_and(|held| held.is_waiting());
        let quick = self.quick;
        let ack = self.repeat(sacked);
        if !is_due {
            self.quick = quick;
        }
        ack
    }

    /// A segment at `position`, which has arrived before, was sent at `sent_us`: its timestamp becomes TS.Recent, unless that is newer, or the segment
    /// lies behind what is acknowledged. // RFC 7323 §4.3 (2); Linux: tcp_replace_ts_recent
    pub(super) fn keep_recent_of_old(&mut self, position: u64, sent_us: u32, at: u64) {
        if position + u64::from(self.pending) <= self.next && self.stamps_behind(sent_us, at) == 0 {
            self.set_recent(sent_us, true);
        }
    }

    /// Keeps TS.Recent, or not.
    fn set_recent(&mut self, recent_us: u32, keeps: bool) {
        if let Some(reading) = &mut self.reading {
            reading.recent_us = recent_us;
            self.keeps_recent = keeps;
        }
    }
}
