// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which hooks each call of the driver calls, and in which order. Linux's differs from the default in four points, which say so.

use crate::account::{CheckedStep, DriverCall};
use crate::algorithm::HookCall::{
    self, CongAvoid, CongControl, CwndEvent, PktsAcked, SetState, Ssthresh, UndoCwnd,
};
use crate::invariants::{Holds, that};
use crate::transport::ModelSetting;
use cwnd::CaEvent::{CompleteCwr, CwndRestart, Loss, TxStart};
use cwnd::CaState::{self, Cwr, Disorder, Open, Recovery};
use cwnd::driver::EcnOutcome;
use cwnd::{ACK_SLOW_PATH, ACK_WINDOW_UPDATE};

/// An epoch ends. Default: the end of the reduction is told, then the state. Linux: so at the end of CWR; at the end of a recovery the other
/// way round (tcp_try_undo_recovery, tcp_end_cwnd_reduction). It tells an algorithm with `cong_control` of states only.
fn end(setting: &ModelSetting, state: CaState) -> Vec<HookCall> {
    match state {
        Open | Disorder => Vec::new(),
        CaState::Loss => vec![SetState(Open)],
        Recovery if setting.is_linux() => [vec![SetState(Open)], over(setting)].concat(),
        Recovery | Cwr => [over(setting), vec![SetState(Open)]].concat(),
    }
}

/// A reduction is over.
fn over(setting: &ModelSetting) -> Vec<HookCall> {
    if setting.is_linux() && setting.is_steady() { Vec::new() } else { vec![CwndEvent(CompleteCwr)] }
}

/// The window, outside of reductions.
fn window(setting: &ModelSetting, state: CaState, acked: u32) -> Vec<HookCall> {
    match state {
        _ if setting.is_steady() => vec![CongControl],
        Recovery | Cwr => Vec::new(),
        _ if acked > 0 => vec![CongAvoid],
        _ => Vec::new(),
    }
}

/// `pkts_acked` comes first. Default: where something new is acknowledged. Linux: as long as anything is out, too (tcp_clean_rtx_queue).
fn news(told: bool, flags: u32) -> Vec<HookCall> {
    let event = HookCall::InAckEvent { flags };
    if told { vec![PktsAcked, event] } else { vec![event] }
}

/// The order is that of Linux's tcp_ack, tcp_enter_recovery, tcp_enter_loss, tcp_undo_cwnd_reduction and tcp_cwnd_restart.
pub fn hooks_are_called_in_order(setting: &ModelSetting, step: &CheckedStep) -> Option<Holds> {
    let (before, after) = (step.before.state, step.after.state);
    let is_first = step.before.packets_out == 0;
    let expected: Vec<HookCall> = match step.call {
        DriverCall::Ack { acked, delivered, .. } => {
            let is_plain = before == Open && acked > 0 && acked == delivered;
            let flags = if is_plain { ACK_WINDOW_UPDATE } else { ACK_SLOW_PATH };
            let ended = if after == before { Vec::new() } else { end(setting, before) };
            [news(acked > 0, flags), ended, window(setting, after, acked)].concat()
        }
        DriverCall::Arrival { acked, plain } => {
            let flags = match (plain, acked > 0) {
                (true, false) => 0,
                (true, true) => ACK_WINDOW_UPDATE,
                (false, true) => ACK_SLOW_PATH | ACK_WINDOW_UPDATE,
                (false, false) => ACK_SLOW_PATH,
            };
            news(acked > 0 || !is_first, flags)
        }
        DriverCall::Progress { .. } if after == before => Vec::new(),
        DriverCall::Progress { .. } => end(setting, before),
        DriverCall::Window { acked, .. } => window(setting, before, acked),
        DriverCall::Loss { began: false, .. } => Vec::new(),
        DriverCall::Loss { .. } => [end(setting, before), vec![Ssthresh, SetState(Recovery)]].concat(),
        DriverCall::LossAfterEcho => vec![SetState(Recovery)],
        DriverCall::Ecn { outcome: EcnOutcome::Ignored, .. } => Vec::new(),
        DriverCall::Ecn { .. } => [end(setting, before), vec![Ssthresh, SetState(Cwr)]].concat(),
        DriverCall::Timeout { lost } => {
            let begins = lost >= step.account.paid;
            let ended = if begins { end(setting, before) } else { Vec::new() };
            let again = setting.options().timeout_reduces_again && before != CaState::Loss;
            let asked = if begins || again { vec![Ssthresh, CwndEvent(Loss)] } else { Vec::new() };
            [ended, asked, vec![SetState(CaState::Loss)]].concat()
        }
        DriverCall::Renewal { timeout: true } => vec![Ssthresh, CwndEvent(Loss), SetState(CaState::Loss)],
        DriverCall::Renewal { timeout: false } => vec![Ssthresh, SetState(Recovery)],
        DriverCall::RepairedLoss => {
            [end(setting, before), vec![Ssthresh, SetState(Cwr)], over(setting), vec![SetState(Open)]]
                .concat()
        }
        DriverCall::Spurious { undone: false, .. } => Vec::new(),
        // Default: the state is told. Linux: where it is another (tcp_try_keep_open).
        DriverCall::Spurious { state, .. } if setting.is_linux() && state == before => vec![UndoCwnd],
        DriverCall::Spurious { state, .. } => vec![UndoCwnd, SetState(state)],
        DriverCall::UndoneReductionOver => over(setting),
        DriverCall::Disorder { missing: true } if before == Open => vec![SetState(Disorder)],
        DriverCall::Disorder { missing: false } if before == Disorder => vec![SetState(Open)],
        DriverCall::Disorder { .. } | DriverCall::RecoveryByTimer | DriverCall::FurtherEcho => Vec::new(),
        DriverCall::Burst { sent, .. } if sent == 0 || step.before.in_flight > 0 => Vec::new(),
        // Default: the first transmission with nothing out. Linux: with nothing in flight, too (tcp_event_data_sent).
        DriverCall::Burst { .. } if !is_first => {
            if setting.is_linux() {
                vec![CwndEvent(TxStart)]
            } else {
                Vec::new()
            }
        }
        DriverCall::Burst { idle_us, .. } => {
            let restarts = idle_us.is_some() && !setting.is_steady() && before != CaState::Loss;
            let restart = if restarts { vec![CwndEvent(CwndRestart)] } else { Vec::new() };
            [restart, vec![CwndEvent(TxStart)]].concat()
        }
    };
    let called = &step.told.calls;
    that(*called == expected, || format!("{called:?}, not {expected:?}"))
}
