// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recoveries that were for nothing: by timestamps (RFC 3522), by D-SACKs of all that was sent again (RFC 3708, as Linux has it), and
//! after a timeout by what arrives (RFC 5682).

use super::arrival::{Arrival, Sending};
use super::timer::HostTimers;
use crate::tcp::sender::Sender;
use cwnd::CaState;
use cwnd::driver::RecoveryEpoch;

/// What may be undone.
#[derive(Clone, Copy, Debug, Default)]
pub struct Undo {
    /// The first segment out when the reduction was made; `None` when there is nothing to undo.
    start: Option<u64>,
    /// Retransmissions not yet reported as duplicates; `None` before the first one.
    awaited: Option<u32>,
    /// When the first retransmission of the episode was sent, µs.
    first_sent_us: Option<u64>,
    /// The driver's names for what may be undone: the recovery's and the timeout's.
    recovery: Option<RecoveryEpoch>,
    timeout: Option<RecoveryEpoch>,
    /// F-RTO goes on. // RFC 5682 §3.1
    pub frto: bool,
}

impl Undo {
    /// A segment is sent again.
    pub fn on_retransmission(&mut self, now_us: u64) {
        self.first_sent_us.get_or_insert(now_us);
        self.awaited = Some(self.awaited.unwrap_or(0) + 1);
    }

    /// Whether there is something to undo. // Linux: undo_marker
    pub const fn may(&self) -> bool {
        self.start.is_some()
    }

    /// Retransmissions not yet reported as duplicates.
    pub const fn awaited(&self) -> Option<u32> {
        self.awaited
    }

    /// No episode goes on.
    pub const fn on_open(&mut self) {
        self.first_sent_us = None;
    }

    /// A retransmission of the segment at `position` was a duplicate.
    pub fn on_dsack(&mut self, position: u64) {
        if self.start.is_some_and(|start| position >= start) {
            self.awaited = self.awaited.map(|awaited| awaited.saturating_sub(1));
        }
    }

    /// Whether what arrived was sent before the first retransmission, or nothing was sent again. // RFC 3522 §3.2, step 4
    fn is_original(&self, echo_us: Option<u64>, timers: &HostTimers) -> bool {
        let Some(first_us) = self.first_sent_us else { return true };
        echo_us.is_some_and(|echo_us| timers.timestamp(echo_us) < timers.timestamp(first_us))
    }

    /// Whether D-SACKs have come for all that was sent again. // RFC 3708 §2
    fn is_proven(&self) -> bool {
        self.start.is_some() && self.awaited == Some(0)
    }
}

impl Sender {
    /// A reduction is made that may turn out to be needless. `recovery` or else `timeout` names it.
    pub(super) fn begin_undo(&mut self, recovery: Option<RecoveryEpoch>, timeout: Option<RecoveryEpoch>) {
        let Some(linux) = &mut self.linux else { return };
        let probes = u32::from(linux.probe.end.is_some() && linux.probe.is_retransmission);
        let out = self.board.retrans_out + probes;
        let first_sent_us = linux.undo.first_sent_us.filter(|_| linux.log.any_sent_again(&self.board));
        linux.undo = Undo {
            start: Some(self.una),
            awaited: (out > 0).then_some(out),
            first_sent_us,
            recovery,
            timeout,
            frto: false,
        };
    }

    /// The timer fired in a reduction that has been made: both have to be needless.
    pub(super) const fn join_undo(&mut self, timeout: RecoveryEpoch) {
        if let Some(linux) = &mut self.linux
            && linux.undo.start.is_some()
        {
            linux.undo.timeout = Some(timeout);
        }
    }

    /// Takes the reduction back; whether there was one. With `forget_losses`, nothing is lost any more. `opens`: the state is open then,
    /// whatever is missing. // Linux: tcp_undo_cwnd_reduction, tcp_try_keep_open
    fn undo(&mut self, forget_losses: bool, opens: bool) -> bool {
        let Some(linux) = &mut self.linux else { return false };
        let names = [linux.undo.recovery.take(), linux.undo.timeout.take()];
        linux.undo.start = None;
        let lost = if forget_losses { 0 } else { self.board.lost_out };
        let again = linux.log.any_sent_again(&self.board);
        let is_missing = !opens && (self.board.sacked_out + lost > 0 || again);
        let state = if is_missing { CaState::Disorder } else { CaState::Open };
        let (now_us, ssthresh) = (self.driver.conn.now_us, self.driver.conn.ssthresh);
        let undo = |name| self.driver.on_spurious_into(now_us, name, state);
        if !names.into_iter().flatten().map(undo).fold(false, |_, done| done) {
            return false;
        }
        linux.takes_back_cwr |= self.driver.conn.ssthresh > ssthresh;
        linux.timeouts = 0;
        linux.undo.frto = false;
        linux.rack.advanced = true; // losses are looked for anew
        if forget_losses {
            linux.log.forget_losses(&mut self.board);
            self.refresh();
        }
        true
    }

    /// Whether the receiver is not to be told of the last reduction, because it was undone. Says so once.
    pub fn takes_back_cwr(&mut self) -> bool {
        self.linux.as_mut().is_some_and(|linux| std::mem::take(&mut linux.takes_back_cwr))
    }

    /// Undoes where D-SACKs have come for all retransmissions.
    pub(super) fn undo_by_dsack(&mut self) -> bool {
        let is_proven = self.linux.as_ref().is_some_and(|linux| linux.undo.is_proven());
        if !is_proven || !self.undo(false, false) {
            return false;
        }
        if let Some(linux) = &mut self.linux {
            linux.window.on_undo_by_dsack();
        }
        true
    }

    /// Undoes where the acknowledgement advances and answers an original, or D-SACKs have come for all retransmissions.
    // Linux: tcp_may_undo
    pub(super) fn undo_if_original(&mut self, arrival: &Arrival, forget_losses: bool) -> bool {
        let Some(linux) = &self.linux else { return false };
        let (undo, timers) = (&linux.undo, &linux.timers);
        let may = undo.start.is_some() && (undo.is_proven() || undo.is_original(arrival.echo_us, timers));
        may && self.undo(forget_losses, true)
    }

    /// In fast recovery an acknowledgement of a part answers an original: the hole was reordering. Whether the recovery goes on without
    /// retransmissions, because some are still out. // Linux: tcp_try_undo_partial
    pub(super) fn undo_partial(&mut self, arrival: &Arrival) -> bool {
        let Some(linux) = &mut self.linux else { return false };
        if linux.undo.start.is_none() || !linux.undo.is_original(arrival.echo_us, &linux.timers) {
            return false;
        }
        self.note_reordered(arrival.una_before);
        if self.board.retrans_out > 0
            && let Some(linux) = &mut self.linux
        {
            linux.sending = Sending::New;
            return true;
        }
        self.undo(true, false);
        false
    }

    /// An acknowledgement in the repair after a timeout.
    pub(super) fn repair_after_timeout(&mut self, arrival: &Arrival) {
        let is_repaired = self.una >= self.driver.recovery_end();
        if arrival.acked > 0 && self.undo_if_original(arrival, true) {
            return;
        }
        let may_send_new = self.has_new(self.driver.conn.now_us * 1000);
        let Some(linux) = &mut self.linux else { return };
        if linux.undo.frto {
            let sent_new = self.nxt > self.driver.recovery_end();
            if arrival.original {
                // RFC 5682 §3.1, step 3.b: data of the flight arrives that was sent once. The timeout was spurious.
                if self.undo(true, true) {
                    return;
                }
            } else if sent_new {
                if arrival.sacked > 0 || arrival.is_pure_duplicate() {
                    linux.undo.frto = false; // RFC 5682 §3.1, step 3.a: it was not
                }
            } else if arrival.acked > 0 && !is_repaired {
                // RFC 5682 §3.1, step 2.b: new data goes first, and shows by its acknowledgement which it was.
                linux.undo.frto = may_send_new;
                linux.sending = if may_send_new { Sending::NewFirst } else { Sending::All };
            }
        }
        if is_repaired && let Some(linux) = &mut self.linux {
            linux.window.on_recovery_over();
        }
    }

    /// The state after an undo, or where nothing is lost. // Linux: tcp_try_keep_open
    pub(super) fn settle(&mut self) {
        let Some(linux) = &mut self.linux else { return };
        let again = linux.log.any_sent_again(&self.board);
        if !again && !self.driver.in_recovery_epoch() {
            linux.undo.on_open();
        }
        if self.board.sacked_out + self.board.lost_out > 0 || again {
            self.driver.on_disorder();
        } else {
            self.driver.on_disorder_over();
        }
    }
}
