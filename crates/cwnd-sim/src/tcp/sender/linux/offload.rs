// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bursts of a host with segmentation offload: TCP hands data over in packets of several segments, which leave back to back, and while
//! little may be sent it waits for more. Below 24 Mbit/s, two segments a millisecond, little changes.
//!
//! The rules, which are Linux's: a packet that is handed over holds as much as is sent in a millisecond at the pace of the window, and
//! two segments at least (`tcp_tso_autosize`). What may be sent waits if it is less than that, less than a third of the window, and less than
//! the first packet, or if that is the last; if the last transmission was less than a millisecond ago; and if an acknowledgement is expected
//! within a millisecond (`tcp_tso_should_defer`, since 6.18). Nothing waits in a recovery. With pacing a whole packet leaves when the pace
//! allows its first segment, and the next one when all of this one would have been sent.

use super::send_buffer::SendBuffer;
use super::writer::{Push, Writer};
use crate::tcp::sender::Sender;
use cwnd::{CaState, Conn};
use std::collections::VecDeque;

/// What the headers take of the largest buffer, bytes. // Linux: MAX_TCP_HEADER
const HEADERS: u32 = 320;
/// Segments of the smallest buffer. // Linux: tcp_min_tso_segs
const LEAST: u32 = 2;
/// Below this round trip, in units of 512 µs, buffers are larger. // Linux: tcp_tso_autosize; the unit is 2 to the power of tcp_tso_rtt_log
const CLOSE: u32 = 32;
/// How long after the last transmission data still waits, µs; later it goes at the next acknowledgement, whenever that comes.
const PATIENCE_US: u64 = 1000;
/// Data waits while it is less than this part of the window. // Linux: tcp_tso_win_divisor
const PART: u64 = 3;

/// Positions of segments that bear the mark PSH, rising.
#[derive(Clone, Debug, Default)]
struct BufferEnds(VecDeque<u64>);

/// Data that waits to be sent.
#[derive(Clone, Debug, Default)]
pub struct Offload {
    /// Segments of the largest packet that is handed over; 0: without offload, segments leave as they may.
    full: u32,
    pub buffer: SendBuffer,
    pub writer: Option<Writer>,
    /// Half of the largest window that the receiver has had, bytes: no packet is larger, and so much at most is written before it is handed over.
    half_window: u32,
    /// New segments that may leave before the next question.
    granted: u32,
    /// Data waits for more although the window would let some of it go.
    pub held: bool,
    /// The last segments of buffers of several, which bear the mark PSH, from the oldest on; only where a receiver's interface asks.
    // Linux: __tcp_transmit_skb, since 5.6
    ends: Option<Box<BufferEnds>>,
}

impl Offload {
    /// That of a connection; unless `enabled` segments leave as they may. `notes_ends`: it is asked which segments are the last of their buffers.
    pub fn new(conn: &Conn, enabled: bool, writer: Option<Writer>, notes_ends: bool) -> Self {
        let full = if enabled { conn.gso_max_size.saturating_sub(HEADERS) / conn.mss } else { 0 };
        let mut buffer = SendBuffer::new(conn.mss);
        buffer.limit_packets(full, u32::MAX);
        let writer = writer.filter(|_| enabled);
        Self {
            full,
            buffer,
            writer,
            half_window: u32::MAX,
            granted: 0,
            held: false,
            ends: notes_ends.then(Box::default),
        }
    }

    /// The largest window that the receiver has had is so large, bytes. // Linux: tcp_bound_to_half_wnd
    pub fn set_largest_window(&mut self, bytes: u64) {
        let half = (bytes / 2).min(u32::MAX.into()) as u32;
        if self.half_window != half {
            self.half_window = half;
            self.buffer.limit_packets(self.full, half);
        }
    }

    /// Half of it, bytes.
    pub const fn half_window(&self) -> u32 {
        self.half_window
    }

    /// Segments of the buffer that is handed over which have not left yet, and whether there are buffers.
    pub const fn rest(&self) -> (u32, bool) {
        (self.granted, self.full > 0)
    }

    /// Takes one of the segments that may leave.
    #[inline]
    pub const fn take_granted(&mut self) -> bool {
        if self.granted == 0 {
            return false;
        }
        self.granted -= 1;
        true
    }
}

/// Segments of a buffer that takes a millisecond to send at the connection's rate; there is none before the first round trip.
#[inline(always)]
fn autosize(conn: &Conn, full: u32) -> u32 {
    let close = conn.min_rtt_us >> 9;
    let more = if conn.min_rtt_us > 0 && close < CLOSE { conn.gso_max_size >> close } else { 0 };
    let bytes = (conn.pacing_rate >> 10).saturating_add(more.into());
    (bytes / u64::from(conn.mss)).min(full.into()).max(LEAST.into()) as u32
}

impl Sender {
    /// Whether new data waits for more at `now`, ns, although the window lets some of it go.
    #[inline]
    pub(in crate::tcp::sender) fn holds_burst(&mut self, now: u64) -> bool {
        let Some(linux) = &mut self.linux else { return false };
        let offload = &mut linux.offload;
        !(offload.full == 0
            || offload.take_granted()
            || (self.hand_over(now, Push::All) && self.take_granted()))
    }

    fn take_granted(&mut self) -> bool {
        self.linux.as_mut().is_some_and(|linux| linux.offload.take_granted())
    }

    /// Whether the segment with these low 32 bits of its position is the last of a buffer of several; what has been acknowledged is forgotten.
    pub fn ends_buffer(&mut self, position: u32) -> bool {
        let Some(ends) = self.linux.as_mut().and_then(|linux| linux.offload.ends.as_mut()) else {
            return false;
        };
        while ends.0.front().is_some_and(|first| *first < self.una) {
            ends.0.pop_front();
        }
        let position = crate::tcp::position(self.una, position);
        ends.0.binary_search(&position).is_ok()
    }

    /// Hands a packet over to the host, as much of it as window and receiver allow; whether any of it goes.
    // Linux: tcp_write_xmit
    #[inline(never)]
    pub(super) fn hand_over(&mut self, now: u64, push: Push) -> bool {
        let conn = &self.driver.conn;
        let Some(linux) = &mut self.linux else { return false };
        let offload = &mut linux.offload;
        let (mss, granted) = (conn.mss, offload.granted);
        let in_flight = conn.in_flight + granted;
        // Segments that window and receiver allow; a probe goes whatever the window says.
        let by_window = conn.cwnd.saturating_sub(in_flight).max(self.retransmit_now.into());
        let by_receiver = self.rwnd.saturating_sub(conn.packets_out + granted);
        if by_window.min(by_receiver) == 0 {
            return false;
        }
        let most = autosize(conn, offload.full);
        let quota = by_window.min(most).min((conn.cwnd / 2).max(1));
        let is_written = offload.writer.as_ref().is_none_or(Writer::is_over);
        if offload.writer.is_none() {
            offload.buffer.append_up_to(self.data_end - self.nxt);
        }
        let buffer = &mut offload.buffer;
        buffer.fill(quota * mss);
        let (bytes, is_last) = (buffer.first(), buffer.is_last());
        // The end of a write is no whole segment and waits for more, but for that of the last one. // Linux: tcp_nagle_test
        let segments = if is_last && is_written { bytes.div_ceil(mss) } else { bytes / mss };
        let allowed = by_window.min(by_receiver);
        let is_enough = |segments: u32| allowed >= segments;
        let sent_us = if granted > 0 { now / 1000 } else { self.driver.last_sent_us() };
        let waits = push == Push::All
            && bytes > mss
            && !self.retransmit_now
            && !matches!(conn.ca_state, CaState::Recovery | CaState::Loss)
            && now / 1000 <= sent_us.saturating_add(PATIENCE_US)
            && !is_enough(most)
            && (is_last || u64::from(allowed) * u64::from(mss) < u64::from(bytes))
            // In bytes, rounded down: of 13 segments five, of 12 four.
            && u64::from(allowed) * u64::from(mss) < u64::from(conn.cwnd.min(self.rwnd)) * u64::from(mss) / PART
            && self.una < self.nxt + u64::from(granted)
            && {
                // The acknowledgement of the first segment is expected soon. One that is not noted yet has left in this burst.
                let by_us8 = (now / 1000) * 8 + (8 * PATIENCE_US).min(u64::from(conn.srtt_us8 / 2));
                let first_us = linux.log.first_us(self.una).or_else(|| linux.log.sent_us(self.una));
                first_us.is_some_and(|sent_us| sent_us * 8 + u64::from(conn.srtt_us8) <= by_us8)
            };
        if waits {
            offload.held |=
                by_window < by_receiver && u64::from(by_window) * u64::from(mss) <= u64::from(bytes);
            return false;
        }
        let leave = segments.min(quota).min(by_receiver);
        if leave == 0 {
            return false;
        }
        offload.buffer.take(leave);
        offload.granted += leave;
        if let Some(ends) = &mut offload.ends
            && leave > 1
        {
            ends.0.push_back(self.nxt + u64::from(granted + leave) - 1);
        }
        self.on_space();
        true
    }
}
