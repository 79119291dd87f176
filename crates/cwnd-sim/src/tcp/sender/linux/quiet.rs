// SPDX-License-Identifier: MIT OR Apache-2.0
//! Quiet mode: nothing is missing, the state is open, no probe is out or due, and no D-SACK waits for its delivery. Most ACKs arrive in this
//! mode. They take a fast path, which only sets the probe's timer; deferred bookkeeping is applied on exit.

use super::LinuxRecovery;
use super::entry::Transmission;
use super::timer::TimerKind;
use super::tlp::LEAST;
use crate::tcp::receiver::{AckPacket, SackBlocks};
use crate::tcp::sender::Sender;
use cwnd::CaState;

/// Whether the sender is in quiet mode, and what it has deferred.
#[derive(Clone, Copy, Debug, Default)]
pub struct QuietMode {
    is_active: bool,
    /// When the last ACK in this mode arrived, and when the newest segment that it acknowledges was sent, µs.
    last: Option<(u64, u64)>,
}

impl QuietMode {
    /// The mode in which a connection begins.
    pub const FIRST: Self = Self { is_active: true, last: None };

    /// When the newest segment that was acknowledged in this mode was sent, µs.
    #[inline]
    pub fn newest_us(&self) -> Option<u64> {
        self.last.map(|(_, sent_us)| sent_us)
    }
}

impl LinuxRecovery {
    /// An ACK arrived at `now_us` in quiet mode; `rtt_us` is the round trip of the newest segment.
    #[inline]
    pub fn note_quiet_ack(&mut self, now_us: u64, rtt_us: Option<u32>) {
        debug_assert!(self.quiet.is_active);
        self.quiet.last = rtt_us.map(|rtt_us| (now_us, now_us - u64::from(rtt_us)));
        self.restarts_timer = true;
        self.note_room();
    }

    /// RACK.rtt, µs; `None` before the first sample.
    pub fn rack_rtt_us(&self) -> Option<u64> {
        self.quiet.last.map(|(now_us, sent_us)| now_us - sent_us).or(self.rack.rtt_us)
    }

    /// Ends quiet mode, if it is active, and applies what was deferred. Each ACK in it has acknowledged a newer transmission than the one before,
    /// so the last one is enough; `una` is what it acknowledged.
    pub fn end_quiet_mode(&mut self, una: u64) {
        self.log.forget(una);
        if let Some((now_us, sent_us)) = std::mem::take(&mut self.quiet).last {
            self.rack.newest = self.rack.newest.max(Transmission { sent_us, position: una - 1 });
            self.rack.rtt_us = Some(now_us - sent_us);
            self.rack.advanced = true;
            self.highest = self.highest.max(una);
        }
    }

    /// When the first and the last segment of `from..to` were sent, µs, low 32 bits: what an acknowledgement of these echoes.
    fn echo(&self, from: u64, to: u64) -> Option<(u32, u32)> {
        Some((self.log.sent_us(from)? as u32, self.log.sent_us(to - 1)? as u32))
    }
}

impl Sender {
    /// Whether an ACK without blocks arrives in quiet mode and does not end it.
    #[inline(always)]
    pub fn is_quiet_ack(&self, packet: &AckPacket) -> bool {
        let is_quiet = self.linux.as_ref().is_some_and(|linux| linux.quiet.is_active);
        is_quiet && packet.sacked.is_none() && packet.sent_us.is_some() && packet.cumulative > self.una
    }

    /// Checks that an acknowledgement echoes when the segments that it acknowledges were sent.
    #[cfg(debug_assertions)]
    pub fn check_echo(&self, packet: &AckPacket) {
        if let Some(linux) = &self.linux {
            assert_eq!(packet.sent_us, linux.echo(self.una, packet.cumulative), "{packet:?}, {self:?}");
        }
    }

    /// An ACK arrived at `now`, ns, that is not a quiet ACK, or that may acknowledge more than it echoes, because ACKs before it may have been
    /// lost.
    #[inline(never)]
    pub fn on_ack_as_linux(&mut self, now: u64, packet: &AckPacket, blocks: Option<&SackBlocks>) {
        debug_assert!(
            packet.cumulative <= self.nxt,
            "acknowledged what was never sent: {packet:?}, {self:?}"
        );
        if self.is_quiet_ack(packet)
            && blocks.is_none_or(SackBlocks::is_empty)
            && let Some(linux) = &mut self.linux
        {
            linux.log.forget(self.una);
            let sent_us = linux.echo(self.una, packet.cumulative);
            self.on_ack_inline(now, &AckPacket { sent_us, ..*packet }, None);
        } else {
            self.on_ack_slow_path(now, packet, blocks);
        }
    }

    /// An ACK outside quiet mode, or one that ends it. Quiet mode may begin with it.
    pub fn on_ack_slow_path(&mut self, now: u64, packet: &AckPacket, blocks: Option<&SackBlocks>) {
        self.on_ack_with_holes(now, packet, blocks);
        self.begin_quiet_mode();
    }

    /// Begins quiet mode if its conditions hold.
    fn begin_quiet_mode(&mut self) {
        let is_open = self.driver.conn.ca_state == CaState::Open;
        if let Some(linux) = &mut self.linux {
            let is_settled = linux.timeouts == 0 && linux.probe.end.is_none() && linux.window.is_settled();
            let is_possible = linux.rates.is_none() && is_open && is_settled;
            linux.quiet.is_active = is_possible && linux.log.is_clean(&self.board);
            if linux.quiet.is_active {
                linux.log.settle();
            }
        }
    }

    /// [`Sender::end_burst_slow_path`] in quiet mode, in the most frequent case.
    #[inline(never)]
    pub fn end_burst_as_linux(&mut self) {
        let conn = &self.driver.conn;
        let Some(linux) = &mut self.linux else { return };
        let (Some(newest_us), true) = (linux.quiet.newest_us(), conn.packets_out > 1) else {
            return self.end_burst_slow_path();
        };
        let has_sent = self.nxt > linux.log.end();
        if !(has_sent || linux.restarts_timer) {
            return;
        }
        let now = conn.now_us * 1000;
        let at = now + (u64::from(conn.srtt_us8) * 250 + LEAST);
        // The first segment was sent after the newest that has arrived, or with it: its timeout is not before this.
        // The last acknowledgement has ended the back-off.
        let timeout =
            if has_sent { newest_us * 1000 } else { now } + u64::from(self.rto.measured_us()) * 1000;
        if at > timeout {
            return self.end_burst_by_timeout(at, has_sent);
        }
        if !linux.log.extend_within_room(self.nxt, conn.now_us) {
            return self.end_burst_slow_path();
        }
        linux.restarts_timer = false;
        linux.timer = TimerKind::Probe;
        linux.timers.set_us = conn.now_us;
        self.rto_at = at;
    }

    /// The same where the first segment's timeout may come before two round trips, `at`.
    #[inline(never)]
    fn end_burst_by_timeout(&mut self, at: u64, has_sent: bool) {
        let Some(linux) = &mut self.linux else { return };
        let now_us = self.driver.conn.now_us;
        let from_us = if has_sent { linux.log.first_us(self.una) } else { Some(now_us) };
        // In this order: what is noted here is not new there.
        let Some(from_us) = from_us.filter(|_| linux.log.extend_within_room(self.nxt, now_us)) else {
            return self.end_burst_slow_path();
        };
        linux.restarts_timer = false;
        let due_us = from_us + u64::from(self.timeout_in_ticks_us());
        let at = if due_us > now_us { at.min(due_us * 1000) } else { at };
        self.set_timer(now_us * 1000, at, TimerKind::Probe);
    }
}
