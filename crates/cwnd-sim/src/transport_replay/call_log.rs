// SPDX-License-Identifier: MIT OR Apache-2.0
//! An algorithm that notes which of its hooks are called, with which arguments.

use cwnd::registry::Custom;
use cwnd::replay::Call;
use cwnd::{AckSample, CaEvent, CaState, CongestionControl, Conn, Controller, Info};
use std::sync::{Arc, Mutex, PoisonError};

/// The calls so far.
#[derive(Clone, Debug, Default)]
pub struct Calls(Arc<Mutex<Vec<Logged>>>);

/// A call with the connection before it, and what it returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Logged {
    /// The call.
    pub call: Call,
    /// The connection before it.
    pub before: Conn,
    /// What it returned; 0 where it returns nothing.
    pub returned: u32,
    /// The window after it.
    pub cwnd: u32,
}

impl Calls {
    /// Takes them out.
    pub fn take(&self) -> Vec<Logged> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn push(&self, logged: Logged) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(logged);
    }
}

/// An algorithm, and where its calls go.
#[derive(Debug)]
pub struct CallLog {
    algorithm: Controller,
    calls: Calls,
}

impl CallLog {
    /// Logs the calls of `algorithm`.
    pub fn of(algorithm: Controller, calls: Calls) -> Controller {
        Controller::Custom(Box::new(Self { algorithm, calls }))
    }

    fn log<T>(
        &mut self,
        conn: &mut Conn,
        call: Call,
        make: impl FnOnce(&mut Controller, &mut Conn) -> T,
        returned: impl FnOnce(&T) -> u32,
    ) -> T {
        let before = *conn;
        let result = make(&mut self.algorithm, conn);
        self.calls.push(Logged { call, before, returned: returned(&result), cwnd: conn.cwnd });
        result
    }
}

const fn nothing(_: &()) -> u32 {
    0
}

impl Custom for CallLog {}

impl CongestionControl for CallLog {
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

    fn cong_control(&mut self, conn: &mut Conn, acked: u32, (): &()) {
        self.log(conn, Call::CongControl { acked }, |cc, conn| cc.cong_control(conn, acked), nothing);
    }

    fn min_cwnd(&self, conn: &Conn, (): &()) -> u32 {
        self.algorithm.min_cwnd(conn)
    }

    fn info(&self, conn: &Conn, (): &()) -> Info {
        self.algorithm.info(conn)
    }
}
