// SPDX-License-Identifier: MIT OR Apache-2.0
//! The application that writes into the send buffer: 64 kB at a time, as the senders of lane linux do, as long as there is room.
//!
//! It waits when the buffer is full, and an acknowledgement or a transmission that makes room wakes it (`tcp_check_space`). It runs after the
//! acknowledgement is processed. A full packet is handed over at once if no other packet waits before it (`tcp_push_one`), even if the window
//! allows only a part of it. The end of a write hands over everything that need not wait (`tcp_push`).

use super::entry::{Entry, JOINED, SACKED};
use super::log::SegmentLog;
use crate::tcp::receiver::FIRST_WINDOW;
use crate::tcp::sender::next_segment::NextSegment;
use crate::tcp::sender::{ENDLESS, Sender};
use std::ops::Range;

/// What it writes at once, bytes.
const WRITE: u32 = 1 << 16;

/// How much is handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Push {
    /// All that may go; what is little waits. // Linux: tcp_push_pending_frames
    All,
    /// The first packet, however little of it may go. // Linux: tcp_push_one
    One,
}

/// How much an application has written.
#[derive(Clone, Copy, Debug)]
pub struct Writer {
    /// Payload of a segment, bytes.
    mss: u32,
    /// One past the last segment that it is to write; [`ENDLESS`] when it never ends.
    total: u64,
    /// Bytes written.
    written: u64,
    /// Bytes of them since all was marked to be handed over. // Linux: pushed_seq
    unmarked: u32,
    /// It has been woken.
    pub is_awake: bool,
    /// An acknowledgement has come since it was last asked whether there is room.
    pub is_acknowledged: bool,
}

impl Writer {
    /// One that writes `total` segments of `mss` bytes.
    pub const fn new(total: u64, mss: u32) -> Self {
        Self { mss, total, written: 0, unmarked: 0, is_awake: true, is_acknowledged: false }
    }

    /// Whether it has written everything.
    pub const fn is_over(&self) -> bool {
        self.left() == 0
    }

    /// Bytes to write.
    const fn left(&self) -> u64 {
        if self.total == ENDLESS { u64::MAX } else { self.total * self.mss as u64 - self.written }
    }

    /// One past the last segment that it is to write; [`ENDLESS`] when it never ends.
    pub const fn total(&self) -> u64 {
        self.total
    }
}

/// In how many packets Linux keeps the segments from `una` on that were sent in those of `sent`: what is reported joins a reported packet before it
/// (`tcp_shift_skb_data`), and what was sent again alone is alone (`tcp_fragment`).
pub(super) fn packets(log: &SegmentLog, sent: impl Iterator<Item = Range<u64>>, una: u64) -> u64 {
    // Without entries, nothing is known but that they left in one packet.
    let are_sent_together = |before: Option<Entry>, entry: Option<Entry>| match (before, entry) {
        (Some(before), Some(entry)) => before.is_sent_with(entry),
        (before, entry) => before == entry,
    };
    let (mut count, mut before) = (0, None);
    for range in sent {
        for position in range.start.max(una)..range.end {
            let entry = log.get(position);
            let is_reported = |entry: Option<Entry>| entry.is_some_and(|entry| entry.has(SACKED));
            let joins = match before {
                Some(before) if is_reported(before) || is_reported(entry) => {
                    entry.is_some_and(|entry| entry.has(JOINED))
                }
                Some(before) => position > range.start && are_sent_together(before, entry),
                None => false,
            };
            count += u64::from(!joins);
            before = Some(entry);
        }
    }
    count
}

impl Sender {
    /// Whether the application might write now.
    #[inline]
    pub(in crate::tcp::sender) fn may_write(&self) -> bool {
        let writer = self.linux.as_ref().and_then(|linux| linux.offload.writer.as_ref());
        writer.is_some_and(|writer| writer.is_awake | writer.is_acknowledged)
    }

    /// The next segment after the application has run at `now`, ns. Called when the acknowledgement is processed and lets nothing more go.
    #[inline(never)]
    pub(in crate::tcp::sender) fn next_after_writes(&mut self, now: u64) -> Option<NextSegment> {
        let writer = self.writer()?;
        if std::mem::take(&mut writer.is_acknowledged) {
            self.on_space();
        }
        if !self.writer()?.is_awake || now >= self.stop_at {
            return None;
        }
        self.run_application(now);
        if self.linux.as_mut()?.offload.take_granted() {
            return Some(NextSegment::New);
        }
        self.limits.as_ref()?; // else it would have been handed over
        self.next_allowed(now)
    }

    /// The application is to write `segments` more, or resumes; whether there is one that writes into a buffer.
    pub(in crate::tcp::sender) fn extend_writer(&mut self, segments: u64) -> bool {
        let Some(linux) = &mut self.linux else { return false };
        let Some(writer) = &mut linux.offload.writer else { return false };
        writer.total = writer.total.saturating_add(segments);
        writer.is_awake |= !linux.offload.buffer.is_full;
        true
    }

    /// The application will stop: it leaves little behind in the buffer.
    pub fn limit_unsent(&mut self) {
        if let Some(linux) = &mut self.linux {
            linux.offload.buffer.limit_unsent();
        }
    }

    /// Whether what the application has written goes even when it has stopped.
    pub(in crate::tcp::sender) fn has_buffer(&self) -> bool {
        self.linux.as_ref().is_some_and(|linux| linux.offload.writer.is_some())
    }

    /// Whether the segment at `position` is the last one of a packet of several that was handed over, or of the data.
    pub fn ends_packet(&mut self, position: u64) -> bool {
        let Some(linux) = &mut self.linux else { return false };
        let is_last = linux.offload.writer.is_some_and(|writer| position + 1 == writer.total);
        is_last || linux.offload.buffer.ends_packet(position)
    }

    fn writer(&mut self) -> Option<&mut Writer> {
        self.linux.as_mut()?.offload.writer.as_mut()
    }

    /// Segments that are out, with those that are to leave now, and the packets that they are in.
    fn out(&mut self) -> (u64, u64) {
        let Some(linux) = &mut self.linux else { return (0, 0) };
        let buffer = &mut linux.offload.buffer;
        buffer.forget(self.una);
        let sent = if linux.log.is_clean(&self.board) {
            buffer.sent()
        } else {
            packets(&linux.log, linux.offload.buffer.sent_ranges(), self.una)
        };
        (self.nxt - self.una + u64::from(linux.offload.rest().0), sent)
    }

    /// There may be room in a buffer that was full: it grows, and a waiting application is woken. // Linux: tcp_check_space
    #[inline]
    pub(super) fn on_space(&mut self) {
        let conn = &self.driver.conn;
        let Some(linux) = &mut self.linux else { return };
        let reordering = linux.window.degree;
        let offload = &mut linux.offload;
        if !offload.buffer.is_full {
            return;
        }
        let granted = offload.rest().0;
        if conn.in_flight + granted < conn.cwnd {
            offload.buffer.expand(conn.cwnd, reordering);
        }
        // The data alone mostly tells that there is no room.
        if offload.buffer.wakes(self.nxt - self.una + u64::from(granted), 0) {
            self.wake_application();
        }
    }

    #[inline(never)]
    fn wake_application(&mut self) {
        let (out, sent) = self.out();
        let Some(linux) = &mut self.linux else { return };
        if linux.offload.buffer.wakes(out, sent)
            && let Some(writer) = &mut linux.offload.writer
        {
            linux.offload.buffer.is_full = false;
            writer.is_awake = true;
        }
    }

    /// Writes until there is no room, or nothing more to write.
    fn run_application(&mut self, now: u64) {
        if let Some(linux) = &mut self.linux {
            let window = u64::from(self.rwnd) * u64::from(self.driver.conn.mss);
            // Until an acknowledgement comes, the largest window is that of a SYN. // Linux: tcp_bound_to_half_wnd
            let largest = if self.una == 0 { window.min(FIRST_WINDOW.into()) } else { window };
            linux.offload.set_largest_window(largest);
            if linux.offload.buffer.is_new() {
                linux.offload.buffer.expand(self.driver.conn.cwnd, linux.window.degree);
            }
        }
        while let Some(writer) = self.writer() {
            writer.is_awake = false;
            let bytes = writer.left().min(WRITE.into()) as u32;
            self.check_application();
            if bytes == 0 || self.write_bytes(now, bytes) == 0 {
                break;
            }
        }
        let nxt = self.nxt;
        if let Some(writer) = self.writer() {
            let whole = writer.written / u64::from(writer.mss);
            let end = if writer.is_over() { writer.total } else { whole };
            self.data_end = end.max(nxt);
        }
    }

    /// Writes up to so many bytes; returns how many there was room for. // Linux: tcp_sendmsg_locked
    fn write_bytes(&mut self, now: u64, bytes: u32) -> u32 {
        let mut copied = 0;
        while copied < bytes {
            let (out, sent) = self.out();
            let Some(linux) = &mut self.linux else { break };
            let offload = &mut linux.offload;
            let half_window = offload.half_window();
            let (buffer, Some(writer)) = (&mut offload.buffer, &mut offload.writer) else { break };
            if buffer.needs_packet() && !buffer.has_room(out, sent) {
                buffer.is_full = true;
                break;
            }
            let more = buffer.append(bytes - copied);
            copied += more;
            writer.written += u64::from(more);
            writer.unmarked += more;
            if copied == bytes || !buffer.needs_packet() {
                continue;
            }
            if writer.unmarked > half_window {
                writer.unmarked = 0;
                self.push(now, Push::All);
            } else if buffer.is_last() {
                self.push(now, Push::One);
            }
        }
        if copied > 0
            && let Some(writer) = self.writer()
        {
            writer.unmarked = 0;
            self.push(now, Push::All);
        }
        copied
    }

    /// Hands over what may go. What is paced goes when the pace allows it.
    fn push(&mut self, now: u64, push: Push) {
        if self.limits.is_some() {
            return;
        }
        while self.hand_over(now, push) && push == Push::All {}
    }
}
