// SPDX-License-Identifier: MIT OR Apache-2.0
//! A sender whose transmissions, timers and data are those of a record: what it makes of acknowledgements is its own.

use super::linux::{LinuxState, TimerKind};
use super::next_segment::NextSegment;
use super::{AckPacket, SackBlocks, Sender};
use cwnd::driver::Ack;
use cwnd_link::NEVER;

/// What a record says a timer expired for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expired {
    /// The retransmission timeout.
    Timeout,
    /// The end of the reordering window.
    Reordering,
    /// The probe timeout.
    Probe,
}

/// What the sender knows beside its [`cwnd::Conn`], in segments unless the name says otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderState {
    /// Oldest unacknowledged position.
    pub una: u64,
    /// Selectively acknowledged.
    pub sacked_out: u32,
    /// Thought lost.
    pub lost_out: u32,
    /// Sent again.
    pub retrans_out: u32,
    /// What its recovery knows besides.
    pub linux: LinuxState,
    /// What the timer is set for; `None` when it is off.
    pub timer: Option<Expired>,
    /// When it is due, µs.
    pub due_us: u64,
}

impl Sender {
    /// The application has written so much that `segments` more can be sent, and the receiver allows `rwnd` segments in flight.
    pub fn set_data(&mut self, segments: u64, rwnd: u32) {
        self.data_end = self.nxt + segments;
        self.rwnd = rwnd;
    }

    /// The connection opened at `now_us` after a handshake whose round trip took so long, µs; 0 if that is not known.
    pub fn open_replayed(&mut self, now_us: u64, rtt_us: u32) {
        let rtt_us = (rtt_us > 0).then_some(rtt_us);
        self.driver.on_ack(&Ack::new(now_us, 0, 0, 0).rtt(rtt_us, rtt_us));
        if rtt_us.is_some() {
            self.follow_round_trip();
        }
    }

    /// A segment was sent for the first time at `now`, ns. Call [`Sender::end_burst`] afterwards.
    pub fn transmit_new(&mut self, now: u64) {
        self.data_end = self.data_end.max(self.nxt + 1);
        self.retransmit_now = false;
        self.driver.on_sent(now / 1000, u64::from(self.rto.us()));
        self.sent.packets += 1;
        let conn = &mut self.driver.conn;
        conn.snd_nxt = conn.snd_nxt.wrapping_add(conn.mss);
        conn.packets_out += 1;
        conn.in_flight += 1;
        self.nxt += 1;
        if self.rto_at == NEVER {
            self.start_timer(now);
        }
    }

    /// The segment at `position` was sent again at `now`, ns. Returns whether that is what this sender would have sent again next.
    pub fn transmit_again(&mut self, now: u64, position: u64, is_probe: bool) -> bool {
        let expected = match self.next_segment_as_linux(now) {
            Some(NextSegment::Retransmission(next)) => next == position && !is_probe,
            Some(NextSegment::Rescue(next)) => next == position && is_probe,
            _ => false,
        };
        self.retransmit_now = false;
        self.driver.on_sent(now / 1000, u64::from(self.rto.us()));
        self.sent.packets += 1;
        self.sent.retransmits += 1;
        self.on_retransmission_as_linux(now, position, is_probe);
        expected
    }

    /// An acknowledgement arrived at `now`, ns, with data of the other side: it is no duplicate acknowledgement. // Linux: FLAG_NOT_DUP
    pub fn on_data_with_ack(&mut self, now: u64, packet: &AckPacket, blocks: Option<&SackBlocks>) {
        let (una, probe) = (self.una, self.linux.as_ref().map(|linux| linux.probe));
        self.on_ack_with(now, packet, blocks);
        if let (Some(linux), Some(probe)) = (&mut self.linux, probe)
            && blocks.is_none()
            && self.una == una
        {
            linux.probe.end = probe.end;
        }
    }

    /// Whether a selective acknowledgement has reported the segment at `position`, or it is not in flight at all.
    pub fn has_arrived(&self, position: u64) -> bool {
        self.linux.as_ref().is_none_or(|linux| linux.log.first_unreported(position, position + 1).is_none())
            || !(self.una..self.nxt).contains(&position)
    }

    /// The record's timer expired at `now`, ns, whatever this sender's is set for.
    pub fn expire(&mut self, now: u64, expired: Expired) {
        let kind = match expired {
            Expired::Timeout => TimerKind::Timeout,
            Expired::Reordering => TimerKind::Reordering,
            Expired::Probe => TimerKind::Probe,
        };
        let Some(linux) = &mut self.linux else { return };
        linux.timer = kind;
        self.on_timer_as_linux(now);
    }

    /// What it knows.
    pub fn state(&self) -> SenderState {
        let timer = |kind| match kind {
            TimerKind::Timeout => Expired::Timeout,
            TimerKind::Reordering => Expired::Reordering,
            TimerKind::Probe => Expired::Probe,
        };
        let linux = self.linux.as_ref();
        SenderState {
            una: self.una,
            sacked_out: self.board.sacked_out,
            lost_out: self.board.lost_out,
            retrans_out: self.board.retrans_out,
            linux: linux.map(|linux| linux.state()).unwrap_or_default(),
            timer: linux.filter(|_| self.rto_at != NEVER).map(|linux| timer(linux.timer)),
            due_us: self.rto_at / 1000,
        }
    }
}
