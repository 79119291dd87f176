// SPDX-License-Identifier: MIT OR Apache-2.0
//! Linux's order of calls: an acknowledgement in three parts, with what it leads to between them, and the timers.

use crate::account::DriverCall;
use crate::transport::{Fate, Transport};
use cwnd::CaState;
use cwnd::driver::Ack;

/// What an acknowledgement brings.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinuxAck<'a> {
    pub positions: &'a [u64],
    /// It shows that these are lost.
    pub lost: &'a [u64],
    /// They were sent again before.
    pub lost_again: bool,
    /// It echoes the mark of this one.
    pub marked: Option<u64>,
    /// It proves every part of the last epoch spurious.
    pub proof: bool,
    /// It shows that a probe has repaired a loss.
    pub repaired: bool,
}

impl Transport<'_> {
    /// An acknowledgement. // Linux: tcp_ack
    pub fn acknowledge_as_linux(&mut self, what: &LinuxAck<'_>) {
        let una = self.una;
        self.arrive(what.positions);
        let ack = self.ack_of(una, what.positions);
        self.tell_arrival(&ack);
        if what.repaired {
            self.tell_repaired_loss();
        }
        if what.marked.is_some() {
            self.tell_further_echo();
        }
        if what.proof {
            self.undo();
        }
        let credit = self.tell_progress(&ack);
        if let Some(newest) = what.lost.last() {
            self.lose(what.lost);
            self.tell_found(*newest, what.lost_again);
        }
        // Linux: tcp_try_to_open
        if let Some(marked) = what.marked.filter(|_| !self.driver.in_recovery_epoch()) {
            self.tell_ecn(self.una.max(self.account.paid), marked);
        }
        self.settle();
        self.tell_window(&ack.new_loss(!what.lost.is_empty()), credit);
    }

    /// The timer of the reordering window finds these lost. // Linux: tcp_rack_reo_timeout
    pub fn find_by_timer(&mut self, lost: &[u64], newest: u64) {
        self.lose(lost);
        let repairs = self.driver.conn.ca_state == CaState::Recovery;
        self.tell_found(newest, true);
        if !repairs && self.driver.conn.ca_state == CaState::Recovery {
            let (before, account) = (self.snap(), self.account.clone());
            self.driver.on_recovery_by_timer();
            self.judge(before, account, 0, DriverCall::RecoveryByTimer);
        }
    }

    /// Every part of the last epoch is proven spurious. // Linux: tcp_try_undo_recovery, tcp_try_undo_loss
    fn undo(&mut self) {
        let is_whole = self.una >= self.account.paid;
        let recovers = self.driver.conn.ca_state == CaState::Recovery;
        let state = if self.is_missing() && !is_whole { CaState::Disorder } else { CaState::Open };
        let names: Vec<_> = self.account.names.iter().map(|(name, _)| *name).collect();
        let mut undone = false;
        for name in names {
            undone |= self.tell_spurious(name, state);
        }
        if undone && recovers && is_whole {
            let (before, account) = (self.snap(), self.account.clone());
            self.driver.on_undone_reduction_over();
            self.judge(before, account, 0, DriverCall::UndoneReductionOver);
        }
    }

    /// Whether something before the newest that has arrived is missing, or known to be lost.
    pub fn is_missing(&self) -> bool {
        let reported = self.packets[self.una as usize..].iter().any(|packet| packet.fate == Fate::Arrived);
        reported || self.any_lost()
    }

    /// The retransmission timer takes these for lost, of which `newest` is the last. `repeated`: nothing has arrived since it fired.
    // Linux: tcp_enter_loss
    pub fn time_out(&mut self, lost: &[u64], newest: u64, repeated: bool) {
        self.lose(lost);
        if !self.driver.in_recovery_epoch() || self.una >= self.account.paid {
            self.tell_timeout(self.una.max(self.account.paid), newest);
        } else if self.driver.conn.ca_state == CaState::Loss && !repeated {
            self.tell_renewal(false);
        } else {
            self.tell_timeout(self.una, newest);
        }
    }

    /// Of what was found lost, `newest` is the last. // Linux: tcp_fastretrans_alert
    fn tell_found(&mut self, newest: u64, lost_again: bool) {
        let (state, end) = (self.driver.conn.ca_state, self.account.paid);
        if state == CaState::Cwr {
            self.tell_loss_after_echo();
        } else if self.driver.in_recovery_epoch() && self.una < end {
            if state == CaState::Loss && lost_again {
                self.tell_renewal(true);
            }
        } else {
            self.tell_loss(self.una.max(end), newest);
        }
    }

    /// The state where nothing was decided. // Linux: tcp_try_keep_open
    fn settle(&mut self) {
        let (before, account, missing) = (self.snap(), self.account.clone(), self.is_missing());
        if missing {
            self.driver.on_disorder();
        } else {
            self.driver.on_disorder_over();
        }
        self.judge(before, account, 0, DriverCall::Disorder { missing });
    }

    fn tell_arrival(&mut self, ack: &Ack) {
        let (before, account) = (self.snap(), self.account.clone());
        let plain = self.packets[self.una as usize..].iter().all(|packet| packet.fate != Fate::Arrived);
        self.driver.on_arrival(ack, plain);
        self.judge(before, account, 0, DriverCall::Arrival { acked: ack.acked, plain });
    }

    fn tell_progress(&mut self, ack: &Ack) -> u32 {
        let (before, account) = (self.snap(), self.account.clone());
        let credit = self.driver.on_progress(ack);
        self.judge(before, account, 0, DriverCall::Progress { position: ack.position });
        credit
    }

    fn tell_window(&mut self, ack: &Ack, credit: u32) {
        let (before, account) = (self.snap(), self.account.clone());
        self.driver.on_window(ack, credit);
        let Ack { acked, delivered, .. } = *ack;
        self.judge(before, account, 0, DriverCall::Window { acked, delivered });
    }

    /// An echo: whatever it asks for, what was taken before is not given back.
    fn tell_further_echo(&mut self) {
        let (before, account) = (self.snap(), self.account.clone());
        self.driver.prohibit_undo();
        self.account.marked = true;
        self.judge(before, account, 0, DriverCall::FurtherEcho);
    }

    /// In the repair after a timeout: a retransmission is lost again, or the timer fires for another segment.
    pub fn tell_renewal(&mut self, lost_again: bool) {
        let (before, account, now_us, next) = (self.snap(), self.account.clone(), self.now(), self.next());
        let name = if lost_again {
            self.driver.on_lost_retransmission(now_us, next)
        } else {
            self.driver.on_further_timeout(now_us, next)
        };
        self.begin_account(before, next);
        self.account.target = self.driver.conn.ssthresh;
        self.account.names.push((name, false));
        self.began |= lost_again;
        self.judge(before, account, 0, DriverCall::Renewal { timeout: !lost_again });
    }

    /// A loss is found that a probe has repaired.
    fn tell_repaired_loss(&mut self) {
        let (before, account, now_us, next) = (self.snap(), self.account.clone(), self.now(), self.next());
        self.driver.on_repaired_loss(now_us, next);
        self.begin_account(before, account.paid);
        self.account.marked = true; // nothing can be undone
        self.judge(before, account, 0, DriverCall::RepairedLoss);
    }

    /// Something is found lost in the reduction that an echo began.
    fn tell_loss_after_echo(&mut self) {
        let (before, account, now_us) = (self.snap(), self.account.clone(), self.now());
        self.driver.on_loss_after_echo(now_us);
        self.judge(before, account, 0, DriverCall::LossAfterEcho);
    }
}
