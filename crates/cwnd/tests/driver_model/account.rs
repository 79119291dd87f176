// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the invariants look at: the transport's own account of recovery epochs, and each call with the window before and after it.

use crate::algorithm::HookLog;
use cwnd::driver::{EcnOutcome, RecoveryEpoch};
use cwnd::{CaState, Conn};

/// The last epoch by the transport's own account.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// Data below this has had its reduction.
    pub paid: u64,
    pub paid_before: u64,
    pub cwnd_before: u32,
    pub ssthresh_before: u32,
    /// Where its reduction leads.
    pub target: u32,
    /// An ECN echo began it or came in it.
    pub marked: bool,
    /// An ECN echo began it, and its acknowledgement has not been told.
    pub echoed: bool,
    /// Names of its parts, and which are proven spurious.
    pub names: Vec<(RecoveryEpoch, bool)>,
    pub undone: bool,
    /// The window has restarted since, after an idle time: there is nothing to give back.
    pub restarted: bool,
    /// The parts of the epoch before.
    pub stale: Vec<RecoveryEpoch>,
}

impl Account {
    pub fn begin(&mut self, conn: &Conn, next: u64) {
        let stale = self.names.iter().map(|(name, _)| *name).collect();
        *self = Self {
            paid: next,
            paid_before: self.paid,
            cwnd_before: conn.prior_cwnd,
            ssthresh_before: self.ssthresh_before,
            stale,
            ..Self::default()
        };
    }
}

/// What of the connection the invariants compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowState {
    pub cwnd: u32,
    pub ssthresh: u32,
    pub state: CaState,
    pub recovery_end: u64,
    pub in_flight: u32,
    pub packets_out: u32,
}

/// One call of the driver, or one burst.
#[derive(Clone, Copy, Debug)]
pub enum DriverCall {
    Loss {
        lost: u64,
        began: bool,
    },
    Ecn {
        marked: u64,
        outcome: EcnOutcome,
    },
    Timeout {
        lost: u64,
    },
    /// Linux: another epoch in the repair after a timeout, by the timer or by a lost retransmission.
    Renewal {
        timeout: bool,
    },
    /// Linux: a loss that a probe has repaired.
    RepairedLoss,
    /// Linux: fast recovery in a reduction that an echo began.
    LossAfterEcho,
    /// Linux: the timer, and no acknowledgement, found the losses.
    RecoveryByTimer,
    /// Linux: an echo that asks for nothing more.
    FurtherEcho,
    /// Linux: all data of an epoch has arrived, after its reduction was taken back.
    UndoneReductionOver,
    /// Something is missing, or nothing is, and nothing was decided.
    Disorder {
        missing: bool,
    },
    /// `state`: what it is to be after an undo.
    Spurious {
        name: RecoveryEpoch,
        undone: bool,
        state: CaState,
    },
    /// An acknowledgement in one call: everything before `position` in TCP, the largest in QUIC.
    Ack {
        acked: u32,
        delivered: u32,
        position: u64,
    },
    /// Its three parts, as Linux's transport tells them; `plain`: it reports nothing beside its position.
    Arrival {
        acked: u32,
        plain: bool,
    },
    Progress {
        position: u64,
    },
    Window {
        acked: u32,
        delivered: u32,
    },
    /// `unacknowledged`: after a loss that a timer found. `began`: an epoch began by a loss since the last burst. `idle_us`: after an idle
    /// time, the time since the last transmission.
    Burst {
        sent: u32,
        unacknowledged: bool,
        began: bool,
        idle_us: Option<u64>,
    },
}

/// A call with what was before and after it.
#[derive(Debug)]
pub struct CheckedStep {
    pub call: DriverCall,
    pub before: WindowState,
    pub after: WindowState,
    pub told: HookLog,
    /// The account before the call.
    pub account: Account,
    pub next: u64,
    /// What was out once the packet that this is about had left.
    pub flight: u32,
}
