// SPDX-License-Identifier: MIT OR Apache-2.0
//! What comes of an acknowledgement: recoveries, reductions, what undoes them.

use super::{LinuxSender, May, News, Undo};
use crate::connection::Prr;
use cwnd::{CaEvent, CaState};

impl LinuxSender {
    pub(super) fn reduce(&mut self, flight: u32) {
        let conn = &mut self.connection.conn;
        let out = std::mem::replace(&mut conn.packets_out, flight);
        conn.ssthresh = self.connection.cc.ssthresh(conn);
        (conn.packets_out, conn.cwnd_cnt) = (out, 0);
    }

    /// What is to be given back if the reduction that now begins proves needless.
    pub(super) fn open_undo(&mut self) {
        let conn = &mut self.connection.conn;
        conn.prior_cwnd = conn.cwnd;
        // Slow start leads back to three quarters of the window at least. // Linux: tcp_current_ssthresh
        let ssthresh = conn.ssthresh.max(conn.cwnd / 2 + conn.cwnd / 4);
        let before = Some((ssthresh, self.recovery_point));
        let probe = u32::from(self.probe.is_some_and(|(_, is_retransmission)| is_retransmission));
        let out = self.count(|segment| segment.again) + probe;
        let first_us = self.undo.first_us.filter(|_| self.any_again());
        let awaited = (out > 0).then_some(out);
        self.undo = Undo { start: Some(self.una), before, awaited, first_us, frto: false };
    }

    /// Whether an episode goes on: something is out again, or the first segment has been. // Linux: tcp_any_retrans_done
    fn any_again(&self) -> bool {
        let first = self.sent.get(self.una as usize);
        self.count(|segment| segment.again) > 0 || first.is_some_and(|first| first.times > 1)
    }

    pub(super) fn end_episode(&mut self) {
        let was_recovery = self.state() == CaState::Recovery;
        if was_recovery {
            self.connection.conn.cwnd = self.connection.conn.ssthresh;
        }
        self.connection.enter(CaState::Open);
        if was_recovery {
            self.connection.cc.cwnd_event(&mut self.connection.conn, CaEvent::CompleteCwr);
        }
    }

    /// Begins a recovery where something is lost and none goes on; after a timeout only where a retransmission was lost.
    pub(super) fn recover(&mut self, lost_again: bool) {
        self.show();
        if self.count(|segment| segment.lost) == 0 {
            return;
        }
        let goes_on = self.in_episode() && self.una < self.recovery_point;
        if goes_on && !(self.state() == CaState::Loss && lost_again) {
            return;
        }
        if self.in_episode() && !goes_on {
            self.end_episode();
        }
        self.open_undo();
        self.reduce(self.connection.conn.packets_out);
        self.recovery_point = self.nxt();
        self.connection.enter(CaState::Recovery);
        self.prr = Prr::new(self.connection.conn.cwnd); // Linux: tp->prior_cwnd
        self.connection.conn.cwnd = self.pipe() + 1; // RFC 9937 §6.2: one is forced out
        self.probe = None;
    }

    /// RFC 3522 §3.2, step 4, by timestamps of milliseconds.
    fn is_original(&self, news: &News) -> bool {
        let Some(first_us) = self.undo.first_us else { return true };
        news.echo_us.is_some_and(|echo_us| echo_us / 1000 < first_us / 1000)
    }

    fn is_proven(&self) -> bool {
        self.undo.start.is_some() && self.undo.awaited == Some(0)
    }

    fn undo(&mut self, forget: bool, opens: bool) -> bool {
        self.undo.start = None;
        let Some((ssthresh, recovery_point)) = self.undo.before.take() else { return false };
        let missing = self.count(|segment| segment.sacked || segment.lost && !forget) > 0 || self.any_again();
        let state = if missing && !opens { CaState::Disorder } else { CaState::Open };
        let conn = &mut self.connection.conn;
        let restored = self.connection.cc.undo_cwnd(conn);
        conn.cwnd = conn.cwnd.max(restored);
        conn.ssthresh = conn.ssthresh.max(ssthresh);
        self.recovery_point = recovery_point;
        if self.state() != state {
            self.connection.enter(state);
        }
        (self.timeouts, self.undo.frto, self.advanced) = (0, false, true);
        for position in self.una..self.nxt() {
            self.sent[position as usize].lost &= !forget;
        }
        self.show();
        true
    }

    fn undo_by_dsack(&mut self) {
        if self.is_proven() && self.undo(false, false) {
            self.persist = (self.persist + 1).min(16);
        }
    }

    fn undo_if_original(&mut self, news: &News, forget: bool) -> bool {
        self.undo.start.is_some() && (self.is_proven() || self.is_original(news)) && self.undo(forget, true)
    }

    /// RFC 5682 §3.1, with SACK.
    fn repair(&mut self, news: &News) {
        if news.acked > 0 && self.undo_if_original(news, true) {
            return;
        }
        let has_new = self.connection.has_new(self.una, self.nxt());
        let is_repaired = self.una >= self.recovery_point;
        if self.undo.frto {
            let is_duplicate = news.acked == 0 && news.sacked == 0 && !news.has_duplicate;
            if news.original {
                if self.undo(true, true) {
                    return; // step 3.b
                }
            } else if self.nxt() > self.recovery_point {
                self.undo.frto &= news.sacked == 0 && !is_duplicate; // step 3.a
            } else if news.acked > 0 && !is_repaired {
                self.undo.frto = has_new; // step 2.b
                self.may = if has_new { May::NewFirst } else { May::All };
            }
        }
        if is_repaired {
            self.persist = self.persist.saturating_sub(1);
        }
    }

    /// RFC 8985 §7.4.2.
    pub(super) fn judge_probe(&mut self, news: &News) {
        let Some((end, is_retransmission)) = self.probe.filter(|&(end, _)| self.una >= end) else { return };
        let is_duplicate = news.acked == 0 && news.sacked == 0 && !news.has_duplicate;
        if !is_retransmission || news.of_probe || (self.una == end && is_duplicate) {
            self.probe = None;
        } else if self.una > end {
            self.probe = None;
            if self.in_episode() {
                self.end_episode();
            }
            self.connection.conn.prior_cwnd = self.connection.conn.cwnd;
            self.undo.before = None;
            self.reduce(self.connection.conn.packets_out.max(self.connection.conn.max_packets_out));
            self.connection.enter(CaState::Cwr);
            self.connection.conn.cwnd = self.connection.cc.min_cwnd(&self.connection.conn);
            self.connection.cc.cwnd_event(&mut self.connection.conn, CaEvent::CompleteCwr);
            self.connection.enter(CaState::Open);
        }
    }

    /// What comes of an acknowledgement: whether something is newly lost, how long until more is, and what the window may grow by.
    // Linux: tcp_fastretrans_alert
    pub(super) fn respond(&mut self, news: &News, now_us: u64) -> (bool, Option<u64>, u32) {
        let is_plain = news.acked > 0 && news.sacked == 0 && !news.has_duplicate;
        if self.state() == CaState::Open && is_plain {
            return (false, None, news.delivered);
        }
        match self.state() {
            CaState::Recovery if self.una < self.recovery_point => {
                if news.acked > 0 && self.undo.start.is_some() && self.is_original(news) {
                    // The hole was reordering; what is out again is awaited first. // Linux: tcp_try_undo_partial
                    self.note_order(news.una);
                    if self.count(|segment| segment.again) > 0 {
                        self.may = May::New;
                        return (false, None, news.delivered);
                    }
                    self.undo(true, false);
                }
                self.undo_by_dsack();
            }
            CaState::Recovery => {
                if self.undo_if_original(news, false) {
                    self.connection.cc.cwnd_event(&mut self.connection.conn, CaEvent::CompleteCwr);
                } else {
                    self.persist = self.persist.saturating_sub(1);
                }
            }
            CaState::Loss => self.repair(news),
            _ => self.undo_by_dsack(),
        }
        if self.in_episode() && self.una >= self.recovery_point {
            self.end_episode();
        }
        if !std::mem::take(&mut self.advanced) {
            self.recover(false);
            return (false, None, news.delivered);
        }
        let (lost, lost_again, wait_us) = self.detect(now_us);
        self.recover(lost_again);
        (lost, wait_us, news.delivered)
    }

    /// The state where no episode goes on. // Linux: tcp_try_keep_open
    pub(super) fn settle(&mut self) {
        if self.in_episode() {
            return;
        }
        if !self.any_again() {
            self.undo.first_us = None;
        }
        let missing = self.count(|segment| segment.sacked || segment.lost) > 0 || self.any_again();
        let state = if missing { CaState::Disorder } else { CaState::Open };
        if self.state() != state {
            self.connection.enter(state);
        }
    }
}
