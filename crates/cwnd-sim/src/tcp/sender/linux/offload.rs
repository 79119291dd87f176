// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bursts of a host with segmentation offload: TCP hands data over in buffers of several segments, which leave back to back, and while
//! little may be sent it waits for more. Below 24 Mbit/s, two segments a millisecond, little changes.
//!
//! The rules, which are Linux's: a buffer that is handed over holds as much as is sent in a millisecond at the pace of the window, and
//! two segments at least (`tcp_tso_autosize`). What may be sent waits if it is less than that, less than the buffer, and less than a third of the
//! window; if the last transmission was less than a millisecond ago; and if an acknowledgement is expected within a millisecond
//! (`tcp_tso_should_defer`, since 6.18). Nothing waits in a recovery. With pacing a whole buffer leaves when the pace allows its first segment, and the next
//! one when all of this one would have been sent.

use crate::tcp::receiver::FIRST_WINDOW;
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
const PART: u32 = 3;

/// Positions of segments that bear the mark PSH, rising.
#[derive(Clone, Debug, Default)]
struct BufferEnds(VecDeque<u64>);

/// Data that waits to be sent, in the buffers in which the application has written it.
#[derive(Clone, Debug, Default)]
pub struct Offload {
    /// Segments of a full buffer; 0: without offload, segments leave as they may.
    full: u32,
    /// Segments that are left of the first buffer, and of the one behind it, which has given some to the first.
    first: u32,
    second: u32,
    /// New segments that may leave before the next question.
    granted: u32,
    /// Data waits for more although the window would let some of it go.
    pub held: bool,
    /// The last segments of buffers of several, which bear the mark PSH, from the oldest on; only where a receiver's interface asks.
    // Linux: __tcp_transmit_skb, since 5.6
    ends: Option<Box<BufferEnds>>,
}

impl Offload {
    /// The buffers of a connection; unless `enabled` segments leave as they may. `notes_ends`: it is asked which segments are the last of their buffers.
    pub fn new(conn: &Conn, enabled: bool, notes_ends: bool) -> Self {
        let full = if enabled { conn.gso_max_size.saturating_sub(HEADERS) / conn.mss } else { 0 };
        // While the largest window is that of a SYN, a buffer holds half of it. The first one leaves in part, and is filled up again.
        let first = if enabled { conn.cwnd.saturating_add((FIRST_WINDOW / 2 / conn.mss).max(1)) } else { 0 };
        Self { full, first, second: full, granted: 0, held: false, ends: notes_ends.then(Box::default) }
    }

    /// Segments of the buffer that is handed over which have not left yet, and whether there are buffers.
    pub const fn rest(&self) -> (u32, bool) {
        (self.granted, self.full > 0)
    }

    /// `segments` of the first buffer leave; behind it are full ones.
    const fn take(&mut self, segments: u32) {
        if segments < self.first {
            self.first -= segments;
        } else {
            self.first = self.second;
            self.second = self.full;
        }
    }

    /// Fills the first buffer up to `segments` from the one behind it.
    fn fill(&mut self, segments: u32) {
        let more = segments.saturating_sub(self.first);
        if more >= self.second {
            self.first += self.second;
            self.second = self.full;
        } else {
            self.first += more;
            self.second -= more;
        }
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
        if offload.granted > 0 {
            offload.granted -= 1;
            return false;
        }
        offload.full > 0 && self.holds_data(now)
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

    #[inline(never)]
    fn holds_data(&mut self, now: u64) -> bool {
        let conn = &self.driver.conn;
        let Some(linux) = &mut self.linux else { return false };
        let offload = &mut linux.offload;
        // Segments: what there is, and what window and receiver allow.
        let data = u32::try_from(self.data_end - self.nxt).unwrap_or(u32::MAX);
        let by_window = conn.cwnd.saturating_sub(conn.in_flight).max(1);
        let by_receiver = self.rwnd - conn.packets_out;
        let allowed = by_window.min(by_receiver);
        let most = autosize(conn, offload.full);
        let quota = by_window.min(most).min((conn.cwnd / 2).max(1));
        offload.fill(quota.min(data));
        let buffer = offload.first.min(data);
        let need = most.min(buffer).min(conn.cwnd.min(self.rwnd) / PART);
        let (now_us, until_us) = (now / 1000, self.driver.last_sent_us().saturating_add(PATIENCE_US));
        let waits = now_us <= until_us
            && buffer > 1
            && !self.retransmit_now
            && !matches!(conn.ca_state, CaState::Recovery | CaState::Loss)
            // The last buffer of the data is followed by its end.
            && data > offload.first
            && allowed < need
            && {
                // The acknowledgement of the first segment is expected soon. One that is not noted yet has left in this burst.
                let srtt_us = u64::from(conn.srtt_us8 / 8);
                let by_us = now_us + PATIENCE_US.min(srtt_us / 2);
                let first_us = linux.log.first_us(self.una).or_else(|| linux.log.sent_us(self.una));
                first_us.is_some_and(|sent_us| sent_us + srtt_us <= by_us)
            };
        offload.held = waits && by_window < by_receiver;
        if !waits {
            let leave = buffer.min(quota).min(allowed);
            offload.take(leave);
            offload.granted = leave - 1;
            if let Some(ends) = &mut offload.ends
                && leave > 1
            {
                ends.0.push_back(self.nxt + u64::from(leave) - 1);
            }
        }
        waits
    }
}
