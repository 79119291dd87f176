// SPDX-License-Identifier: MIT OR Apache-2.0
//! The algorithms that are played: Reno and CUBIC of the registry, watched, and one with `cong_control`.

use cwnd::registry::Custom;
use cwnd::{AckSample, CaEvent, CaState, CongestionControl, Conn, Controller, RateSample};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A call of a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookCall {
    PktsAcked,
    InAckEvent { flags: u32 },
    CongAvoid,
    CongControl,
    Ssthresh,
    SetState(CaState),
    CwndEvent(CaEvent),
    UndoCwnd,
}

/// What an algorithm was asked and told since the last look.
#[derive(Debug, Default)]
pub struct HookLog {
    /// For each call of `ssthresh`: the flight that it was shown, and the window.
    pub reductions: Vec<(u32, u32)>,
    /// All calls, in their order.
    pub calls: Vec<HookCall>,
}

/// Where it is written down.
#[derive(Clone, Debug, Default)]
pub struct Watch(Arc<Mutex<HookLog>>);

impl Watch {
    fn told(&self) -> MutexGuard<'_, HookLog> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn take(&self) -> HookLog {
        std::mem::take(&mut *self.told())
    }

    fn note(&self, call: HookCall) {
        self.told().calls.push(call);
    }

    fn note_reduction(&self, conn: &Conn) {
        self.told().reductions.push((conn.packets_out, conn.cwnd));
        self.note(HookCall::Ssthresh);
    }
}

/// An algorithm of the registry.
#[derive(Clone, Debug)]
pub struct Watched {
    pub inner: Controller,
    pub watch: Watch,
}

impl CongestionControl for Watched {
    type Params = ();

    fn init(&mut self, conn: &mut Conn, (): &()) {
        self.inner.init(conn);
    }

    fn ssthresh(&mut self, conn: &mut Conn, (): &()) -> u32 {
        self.watch.note_reduction(conn);
        self.inner.ssthresh(conn)
    }

    fn cong_avoid(&mut self, conn: &mut Conn, ack: u32, acked: u32, (): &()) {
        self.watch.note(HookCall::CongAvoid);
        self.inner.cong_avoid(conn, ack, acked);
    }

    fn set_state(&mut self, conn: &mut Conn, new: CaState, (): &()) {
        self.watch.note(HookCall::SetState(new));
        self.inner.set_state(conn, new);
    }

    fn cwnd_event(&mut self, conn: &mut Conn, event: CaEvent, (): &()) {
        self.watch.note(HookCall::CwndEvent(event));
        self.inner.cwnd_event(conn, event);
    }

    fn in_ack_event(&mut self, conn: &mut Conn, flags: u32, (): &()) {
        self.watch.note(HookCall::InAckEvent { flags });
        self.inner.in_ack_event(conn, flags);
    }

    fn undo_cwnd(&mut self, conn: &mut Conn, (): &()) -> u32 {
        self.watch.note(HookCall::UndoCwnd);
        self.inner.undo_cwnd(conn)
    }

    fn pkts_acked(&mut self, conn: &mut Conn, sample: &AckSample, (): &()) {
        self.watch.note(HookCall::PktsAcked);
        self.inner.pkts_acked(conn, sample);
    }
}

impl Custom for Watched {}

/// Sets a constant window itself, at every acknowledgement, in every state.
#[derive(Clone, Debug)]
pub struct Steady {
    pub window: u32,
    pub watch: Watch,
}

impl CongestionControl for Steady {
    type Params = ();

    fn ssthresh(&mut self, conn: &mut Conn, (): &()) -> u32 {
        self.watch.note_reduction(conn);
        conn.cwnd.max(2)
    }

    fn cong_avoid(&mut self, _conn: &mut Conn, _ack: u32, _acked: u32, (): &()) {
        panic!("cong_avoid beside cong_control");
    }

    fn cwnd_event(&mut self, _conn: &mut Conn, event: CaEvent, (): &()) {
        self.watch.note(HookCall::CwndEvent(event));
    }

    fn set_state(&mut self, _conn: &mut Conn, new: CaState, (): &()) {
        self.watch.note(HookCall::SetState(new));
    }

    fn in_ack_event(&mut self, _conn: &mut Conn, flags: u32, (): &()) {
        self.watch.note(HookCall::InAckEvent { flags });
    }

    fn pkts_acked(&mut self, _conn: &mut Conn, _sample: &AckSample, (): &()) {
        self.watch.note(HookCall::PktsAcked);
    }

    fn undo_cwnd(&mut self, conn: &mut Conn, (): &()) -> u32 {
        self.watch.note(HookCall::UndoCwnd);
        conn.cwnd // nothing was taken
    }

    fn has_cong_control(&self) -> bool {
        true
    }

    fn cong_control(&mut self, conn: &mut Conn, _ack: u32, _flags: u32, _: &RateSample, (): &()) {
        self.watch.note(HookCall::CongControl);
        conn.cwnd = self.window;
    }
}

impl Custom for Steady {}
