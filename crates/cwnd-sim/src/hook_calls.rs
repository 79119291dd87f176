// SPDX-License-Identifier: MIT OR Apache-2.0
//! An observer of hook calls: an algorithm that notes which of its hooks are called, with which arguments, and what they change. A flow that is
//! not observed has its algorithm itself, and costs nothing more.

use cwnd::ParamError;
use cwnd::registry::Custom;
use cwnd::replay::Call;
use cwnd::{AckSample, CaEvent, CaState, CongestionControl, Conn, Controller, Info, RateSample};
use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

/// The calls so far.
#[derive(Clone, Debug, Default)]
pub struct HookCalls(Arc<Mutex<Vec<HookCall>>>);

/// A call with the connection and the algorithm's inner variables before and after it, and what it returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HookCall {
    /// The call.
    pub call: Call,
    /// The connection before it.
    pub before: Conn,
    /// The connection after it.
    pub after: Conn,
    /// The inner variables before it.
    pub inner_before: Info,
    /// The inner variables after it.
    pub inner_after: Info,
    /// What it returned; 0 where it returns nothing.
    pub returned: u32,
}

impl HookCalls {
    /// Takes them out.
    pub fn take(&self) -> Vec<HookCall> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn push(&self, call: HookCall) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(call);
    }
}

/// An algorithm, and where its calls go: a copy's too.
#[derive(Clone, Debug)]
pub struct Observed {
    algorithm: Controller,
    calls: HookCalls,
}

impl Observed {
    /// Notes the calls of `algorithm`.
    pub fn of(algorithm: Controller, calls: HookCalls) -> Controller {
        Controller::Custom(Box::new(Self { algorithm, calls }))
    }

    /// Whether this controller notes its calls.
    pub fn is(controller: &Controller) -> bool {
        matches!(controller, Controller::Custom(custom) if (&**custom as &dyn Any).is::<Self>())
    }

    fn log<T>(
        &mut self,
        conn: &mut Conn,
        call: Call,
        make: impl FnOnce(&mut Controller, &mut Conn) -> T,
        returned: impl FnOnce(&T) -> u32,
    ) -> T {
        let (before, inner_before) = (*conn, self.algorithm.info(conn));
        let result = make(&mut self.algorithm, conn);
        let (after, inner_after) = (*conn, self.algorithm.info(conn));
        self.calls.push(HookCall {
            call,
            before,
            after,
            inner_before,
            inner_after,
            returned: returned(&result),
        });
        result
    }
}

const fn nothing(_: &()) -> u32 {
    0
}

impl Custom for Observed {
    fn set_param(&mut self, name: &str, text: &str) -> Result<(), ParamError> {
        self.algorithm.set_param(name, text)
    }

    fn param(&self, index: usize) -> u32 {
        self.algorithm.param(index)
    }

    fn has_failed(&self) -> bool {
        self.algorithm.has_failed()
    }
}

impl CongestionControl for Observed {
    type Params = ();

    fn init(&mut self, conn: &mut Conn, (): &()) {
        self.log(conn, Call::Init {}, Controller::init, nothing);
    }

    fn release(&mut self, conn: &mut Conn, (): &()) {
        self.log(conn, Call::Release {}, Controller::release, nothing);
    }

    fn ssthresh(&mut self, conn: &mut Conn, (): &()) -> u32 {
        self.log(conn, Call::Ssthresh {}, Controller::ssthresh, |&result| result)
    }

    fn cong_avoid(&mut self, conn: &mut Conn, ack: u32, acked: u32, (): &()) {
        self.log(conn, Call::CongAvoid { ack, acked }, |cc, conn| cc.cong_avoid(conn, ack, acked), nothing);
    }

    fn set_state(&mut self, conn: &mut Conn, new: CaState, (): &()) {
        self.log(conn, Call::SetState { new }, |cc, conn| cc.set_state(conn, new), nothing);
    }

    fn cwnd_event(&mut self, conn: &mut Conn, event: CaEvent, (): &()) {
        self.log(conn, Call::CwndEvent { event }, |cc, conn| cc.cwnd_event(conn, event), nothing);
    }

    fn in_ack_event(&mut self, conn: &mut Conn, flags: u32, (): &()) {
        self.log(conn, Call::InAckEvent { flags }, |cc, conn| cc.in_ack_event(conn, flags), nothing);
    }

    fn undo_cwnd(&mut self, conn: &mut Conn, (): &()) -> u32 {
        self.log(conn, Call::UndoCwnd {}, Controller::undo_cwnd, |&result| result)
    }

    fn pkts_acked(&mut self, conn: &mut Conn, sample: &AckSample, (): &()) {
        self.log(conn, Call::PktsAcked { sample: *sample }, |cc, conn| cc.pkts_acked(conn, sample), nothing);
    }

    fn has_cong_control(&self) -> bool {
        self.algorithm.has_cong_control()
    }

    fn cong_control(&mut self, conn: &mut Conn, ack: u32, flags: u32, sample: &RateSample, (): &()) {
        let call = Call::CongControl { ack, flags, sample: *sample };
        self.log(conn, call, |cc, conn| cc.cong_control(conn, ack, flags, sample), nothing);
    }

    fn min_cwnd(&self, conn: &Conn, (): &()) -> u32 {
        self.algorithm.min_cwnd(conn)
    }

    fn info(&self, conn: &Conn, (): &()) -> Info {
        self.algorithm.info(conn)
    }
}
