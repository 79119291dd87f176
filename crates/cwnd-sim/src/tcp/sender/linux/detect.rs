// SPDX-License-Identifier: MIT OR Apache-2.0
//! Loss detection (RFC 8985 §6.2), the recoveries that it begins, the timers, and what is sent.

use super::arrival::{Arrival, Sending};
use super::log::Detected;
use super::timer::TimerKind;
use super::tlp::Probe;
use crate::tcp::sender::Sender;
use crate::tcp::sender::next_segment::NextSegment;
use crate::tcp::sender::scoreboard::DUP_THRESH;
use cwnd::CaState;
use cwnd::driver::Ack;

/// What an acknowledgement leads to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Response {
    /// Whether something was found lost.
    pub lost: bool,
    /// For how long the reordering window lasts, µs.
    pub wait_us: Option<u64>,
    /// Segments by which the window may grow.
    pub credit: u32,
}

impl Sender {
    /// The state machine's answer to an acknowledgement. // Linux: tcp_fastretrans_alert
    pub(super) fn respond_to_ack(&mut self, ack: &Ack, arrival: &Arrival) -> Response {
        let mut response = Response { credit: ack.delivered, ..Response::default() };
        let is_news = arrival.acked == 0 || arrival.sacked > 0 || arrival.dsack.is_some();
        if self.driver.conn.ca_state == CaState::Open && !is_news && !arrival.echo {
            return response;
        }
        if arrival.echo {
            self.driver.prohibit_undo();
        }
        match self.driver.conn.ca_state {
            CaState::Recovery if self.una < self.driver.recovery_end() => {
                if arrival.acked > 0 && self.undo_partial(arrival) {
                    return response;
                }
                self.undo_by_dsack();
            }
            CaState::Recovery => {
                // What was lost behind it stays lost. // Linux: tcp_try_undo_recovery
                if self.undo_if_original(arrival, false) {
                    self.driver.on_undone_reduction_over();
                } else if let Some(linux) = &mut self.linux {
                    linux.window.on_recovery_over();
                }
            }
            CaState::Loss => self.repair_after_timeout(arrival),
            CaState::Open | CaState::Disorder | CaState::Cwr => {
                self.undo_by_dsack();
            }
        }
        // Before losses are looked for: the reordering window depends on the state.
        response.credit = self.driver.on_progress(ack);
        if !self.linux.as_mut().is_some_and(|linux| std::mem::take(&mut linux.rack.advanced)) {
            self.recover(false);
            self.answer_echo(arrival);
            return response;
        }
        let (found, wait_us) = self.detect(ack.now_us);
        self.recover(found.lost_again > 0);
        self.answer_echo(arrival);
        Response { lost: found.lost > 0, wait_us, ..response }
    }

    /// Looks for losses; with what is found, how long until the last of the segments that may be late is lost, µs.
    // RFC 8985 §6.2, step 5
    fn detect(&mut self, now_us: u64) -> (Detected, Option<u64>) {
        let reo_wnd_us = self.reordering_window_us();
        let Some(linux) = &mut self.linux else { return Default::default() };
        let Some(rtt_us) = linux.rack.rtt_us else { return Default::default() };
        let patience_us = rtt_us.saturating_add(reo_wnd_us);
        let found = linux.log.detect(linux.rack.newest, now_us.checked_sub(patience_us), &mut self.board);
        self.count_lost(found.lost);
        self.refresh();
        let wait_us =
            found.waiting_us.map(|sent_us| sent_us.saturating_add(patience_us).saturating_sub(now_us));
        (found, wait_us)
    }

    /// RACK.reo_wnd, µs. // RFC 8985 §6.2, step 4
    fn reordering_window_us(&self) -> u64 {
        let Some(linux) = &self.linux else { return 0 };
        let conn = &self.driver.conn;
        let at_once =
            matches!(conn.ca_state, CaState::Recovery | CaState::Loss) || self.board.sacked_out >= DUP_THRESH;
        let rtt_us = linux.rack.rtt_us.unwrap_or(0);
        let min_rtt_us = linux.min_rtt_us(conn.min_rtt_us);
        let srtt_us = if conn.srtt_us8 == 0 { rtt_us } else { u64::from(conn.srtt_us8) / 8 };
        linux.window.us(at_once, min_rtt_us, srtt_us)
    }

    /// Begins a recovery where something is lost and none goes on. In the repair after a timeout that is so only when a retransmission
    /// was lost again.
    fn recover(&mut self, lost_again: bool) {
        if self.board.lost_out == 0 {
            return;
        }
        let (now_us, end) = (self.driver.conn.now_us, self.driver.recovery_end());
        let state = self.driver.conn.ca_state;
        if state == CaState::Cwr {
            self.driver.on_loss_after_echo(now_us);
            self.begin_undo(None, None);
            self.forget_probe();
        } else if self.driver.in_recovery_epoch() && self.una < end {
            if state == CaState::Loss && lost_again {
                let epoch = self.driver.on_lost_retransmission(now_us, self.nxt);
                self.begin_undo(Some(epoch), None);
                self.forget_probe();
            }
        } else if let Some(epoch) = self.driver.on_loss(now_us, self.una.max(end), self.nxt) {
            self.begin_undo(Some(epoch), None);
            self.forget_probe();
        }
    }

    /// The acknowledgement echoes a congestion mark: a reduction, unless one goes on, or a recovery has just begun. // Linux: tcp_try_to_open
    fn answer_echo(&mut self, arrival: &Arrival) {
        if arrival.echo && !self.driver.in_recovery_epoch() {
            let marked = self.una.max(self.driver.recovery_end());
            self.driver.on_ecn(self.driver.conn.now_us, marked, self.nxt);
        }
    }

    fn forget_probe(&mut self) {
        if let Some(linux) = &mut self.linux {
            linux.probe.end = None;
        }
    }

    /// The timer is due; whether it was a retransmission timeout.
    #[inline(never)]
    pub(in crate::tcp::sender) fn on_timer_as_linux(&mut self, now: u64) -> bool {
        self.set_now(now / 1000);
        let Some(linux) = &mut self.linux else { return false };
        linux.end_quiet_mode(self.una);
        linux.sending = Sending::All;
        linux.timers.fired_us = Some(now / 1000);
        let kind = linux.timer;
        match kind {
            TimerKind::Probe => self.on_probe_timeout(now),
            TimerKind::Reordering => self.on_window_over(now),
            TimerKind::Timeout => self.on_timeout_as_linux(now),
        }
        #[cfg(debug_assertions)]
        self.check();
        kind == TimerKind::Timeout
    }

    /// The reordering window is over. // Linux: tcp_rack_reo_timeout
    fn on_window_over(&mut self, now: u64) {
        let (found, wait_us) = self.detect(now / 1000);
        if found.lost > 0 {
            let repairs = self.driver.conn.ca_state == CaState::Recovery;
            self.recover(true); // in the repair after a timeout, too
            if !repairs && self.driver.conn.ca_state == CaState::Recovery {
                self.driver.on_recovery_by_timer();
            }
        }
        match wait_us {
            Some(wait_us) => self.await_reordered(now, wait_us),
            None => self.rearm_timeout(now),
        }
    }

    /// The retransmission timer fired. // RFC 6298 §5.4 – §5.6, RFC 8985 §6.3
    fn on_timeout_as_linux(&mut self, now: u64) {
        let now_us = now / 1000;
        self.sent.timeouts += 1;
        self.rto.back_off_from(self.timeout_in_ticks_us());
        let reo_wnd_us = self.reordering_window_us();
        let Some(linux) = &mut self.linux else { return };
        let horizon_us = match linux.rack.rtt_us {
            Some(rtt_us) => now_us.checked_sub(rtt_us.saturating_add(reo_wnd_us)),
            None => Some(u64::MAX),
        };
        let lost = linux.log.time_out(horizon_us, &mut self.board);
        let repeated = linux.timeouts > 0;
        linux.timeouts = linux.timeouts.saturating_add(1);
        linux.probe = Probe::default();
        self.count_lost(lost);
        self.refresh();
        let is_first = !self.driver.in_recovery_epoch();
        let repairs = matches!(self.driver.conn.ca_state, CaState::Recovery | CaState::Loss);
        if is_first
            && self.board.sacked_out >= DUP_THRESH
            && let Some(linux) = &mut self.linux
        {
            linux.window.on_timeout_in_disorder();
        }
        let end = self.driver.recovery_end();
        if is_first || self.una >= end {
            let epoch = self.driver.on_timeout(now_us, self.una.max(end), self.nxt);
            self.begin_undo(None, Some(epoch));
        } else if self.driver.conn.ca_state == CaState::Loss && !repeated {
            let epoch = self.driver.on_further_timeout(now_us, self.nxt);
            self.begin_undo(None, Some(epoch));
        } else {
            let epoch = self.driver.on_timeout(now_us, self.una, self.nxt);
            self.join_undo(epoch);
        }
        if let Some(linux) = &mut self.linux {
            // RFC 5682 §3.1, step 1: not in a recovery that goes on.
            linux.undo.frto = !repairs || repeated;
        }
        self.set_timeout(now);
    }

    /// What goes next where something is lost, a probe is due, or nothing new may go.
    #[inline(never)]
    pub(in crate::tcp::sender) fn next_segment_as_linux(&mut self, now: u64) -> Option<NextSegment> {
        let has_new = self.has_new(now);
        let linux = self.linux.as_mut()?;
        if linux.probe.due && !has_new {
            return (self.nxt > self.una).then(|| NextSegment::Rescue(self.nxt - 1));
        }
        if linux.sending == Sending::NewFirst && !has_new {
            (linux.undo.frto, linux.sending) = (false, Sending::All);
        }
        if linux.sending == Sending::All
            && !linux.probe.due
            && let Some(position) = linux.log.next_lost(&self.board)
        {
            return Some(NextSegment::Retransmission(position));
        }
        (has_new && !self.holds_burst(now)).then_some(NextSegment::New)
    }

    /// The segment at `position` is sent again, as a probe or because it is lost.
    #[inline(never)]
    pub(in crate::tcp::sender) fn on_retransmission_as_linux(
        &mut self,
        now: u64,
        position: u64,
        is_probe: bool,
    ) {
        let now_us = now / 1000;
        let Some(linux) = &mut self.linux else { return };
        linux.log.retransmit(position, now_us, !is_probe, &mut self.board);
        if is_probe {
            self.on_probe_sent(now, true);
            return;
        }
        linux.undo.on_retransmission(now_us);
        self.refresh();
        let waits = self.linux.as_ref().is_some_and(|linux| linux.timer == TimerKind::Reordering);
        if position == self.una && !waits {
            self.set_timeout(now); // Linux: the first segment's timer starts anew, but for a wait that goes on (tcp_xmit_retransmit_queue)
        }
    }

    /// A burst is over: notes the new segments that have left, and sets the timer. // Linux: tcp_set_xmit_timer, tcp_event_new_data_sent,
    /// tcp_schedule_loss_probe; of what these set one after the other, the last
    #[inline(never)]
    pub(super) fn end_burst_slow_path(&mut self) {
        let now_us = self.driver.conn.now_us;
        let Some(linux) = &mut self.linux else { return };
        let restarts = std::mem::take(&mut linux.restarts_timer);
        let has_sent = linux.log.extend(self.una, self.nxt, now_us);
        let now = now_us * 1000;
        if has_sent && linux.probe.due {
            self.on_probe_sent(now, false);
        } else if has_sent {
            // A retransmission of the first segment has set it anew already, and a wait for a late one goes on in this state.
            let was_probe = linux.timer == TimerKind::Probe;
            if !self.schedule_probe(now, false) && (restarts || was_probe) {
                self.rearm_timeout(now);
            }
        } else if restarts && !self.schedule_probe(now, true) {
            self.rearm_timeout(now);
        }
    }
}
