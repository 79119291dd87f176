// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tail loss probes (RFC 8985 §7), and the one timer for timeouts, probes and reordering, as in Linux: what it is set for last takes the
//! place of what it was set for before.

use super::log::SegmentLog;
use super::timer::TimerKind;
use crate::tcp::sender::Sender;
use cwnd::CaState;
use cwnd_link::NEVER;

/// The probe.
#[derive(Clone, Copy, Debug, Default)]
pub struct Probe {
    /// The next packet is one.
    pub due: bool,
    /// TLP.end_seq: the next new position when the one was sent that is not acknowledged.
    pub end: Option<u64>,
    /// TLP.is_retrans: it was a retransmission.
    pub is_retransmission: bool,
}

/// Smallest distance of a probe, or of the reordering timer's end from the window's, ns. // Linux: TCP_TIMEOUT_MIN_US
pub(super) const LEAST: u64 = 2_000_000;
/// A timer that is overdue is set for this, ns: the next tick. // Linux: tcp_rearm_rto
const OVERDUE: u64 = 1000;

/// When the timeout of the first segment is due, counted from its last transmission, ns.
fn first_due(log: &SegmentLog, una: u64, rto_us: u32) -> u64 {
    log.sent_us(una).map_or(0, |sent_us| sent_us.saturating_add(rto_us.into()).saturating_mul(1000))
}

impl Sender {
    /// Sets the timer for a timeout from now on.
    pub(in crate::tcp::sender) fn set_timeout(&mut self, now: u64) {
        self.set_timer(now, now.saturating_add(u64::from(self.rto.us()) * 1000), TimerKind::Timeout);
    }

    /// Sets the timer for a timeout: from now on, or where it was set for something else, from the first segment's last transmission.
    // Linux: tcp_rearm_rto
    pub(super) fn rearm_timeout(&mut self, now: u64) {
        let Some(linux) = &self.linux else { return };
        if self.una == self.nxt {
            self.set_timer(now, NEVER, TimerKind::Timeout);
        } else if linux.timer == TimerKind::Timeout {
            self.set_timeout(now);
        } else {
            let due = first_due(&linux.log, self.una, self.timeout_in_ticks_us());
            self.set_timer(now, due.max(now + OVERDUE), TimerKind::Timeout);
        }
    }

    /// Sets the timer for a probe where one may be sent; whether it did. `advances`: the acknowledgement restarts the timeout, else it
    /// counts from the first segment's last transmission. // RFC 8985 §7.2
    pub(super) fn schedule_probe(&mut self, now: u64, advances: bool) -> bool {
        let (conn, rto_us) = (&self.driver.conn, self.timeout_in_ticks_us());
        let Some(linux) = &mut self.linux else { return false };
        linux.log.forget(self.una);
        if self.una == self.nxt || !matches!(conn.ca_state, CaState::Open | CaState::Cwr) {
            return false;
        }
        let pto = if conn.srtt_us8 == 0 {
            1_000_000_000 // RFC 8985 §7.2: a second without a round trip time
        } else {
            // 2 · SRTT, and with one segment out the time for which its acknowledgement may be delayed: Linux takes the floor of
            // the timeout for TLP.max_ack_delay.
            let delay = if conn.packets_out == 1 { u64::from(self.rto.floor_us()) * 1000 } else { LEAST };
            u64::from(conn.srtt_us8) * 250 + delay
        };
        let timeout = if advances {
            now.saturating_add(u64::from(rto_us) * 1000)
        } else {
            first_due(&linux.log, self.una, rto_us)
        };
        let at = now.saturating_add(pto);
        self.set_timer(now, if timeout > now { at.min(timeout) } else { at }, TimerKind::Probe);
        true
    }

    /// Sets the timer for the end of the reordering window, `wait_us` from now. // RFC 8985 §6.2, step 5
    pub(super) fn await_reordered(&mut self, now: u64, wait_us: u64) {
        let wait = wait_us.saturating_mul(1000).saturating_add(LEAST).min(u64::from(self.rto.us()) * 1000);
        self.set_timer(now, now.saturating_add(wait), TimerKind::Reordering);
    }

    /// The probe timeout has come: the next packet is a probe, new data or else the last segment, unless one is out. // RFC 8985 §7.3
    pub(super) fn on_probe_timeout(&mut self, now: u64) {
        self.rearm_timeout(now);
        let Some(linux) = &mut self.linux else { return };
        if linux.probe.end.is_none() {
            linux.probe.due = true;
            self.retransmit_now = true; // whatever the window says
        }
    }

    /// A probe leaves. The timeout starts anew.
    pub(super) fn on_probe_sent(&mut self, now: u64, is_retransmission: bool) {
        let Some(linux) = &mut self.linux else { return };
        linux.probe = Probe { due: false, end: Some(self.nxt), is_retransmission };
        self.set_timeout(now);
    }

    /// An acknowledgement comes while a probe is out. `dsack`: it reports the probe as a duplicate. `is_pure_duplicate`: it
    /// reports nothing at all. // RFC 8985 §7.4.2
    pub(super) fn on_ack_of_probe(&mut self, dsack: bool, is_pure_duplicate: bool) {
        let Some(linux) = &mut self.linux else { return };
        let Some(end) = linux.probe.end.filter(|&end| self.una >= end) else { return };
        // New data has arrived, or the original and the probe have.
        if !linux.probe.is_retransmission || dsack {
            linux.probe.end = None;
        } else if self.una > end {
            // Data sent after the probe is acknowledged, and no duplicate was reported: the probe repaired the loss.
            linux.probe.end = None;
            self.driver.on_repaired_loss(self.driver.conn.now_us, self.nxt);
        } else if is_pure_duplicate {
            linux.probe.end = None;
        }
    }
}
