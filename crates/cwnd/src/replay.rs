// SPDX-License-Identifier: MIT OR Apache-2.0
//! Replays a recorded sequence of hook calls and compares what an algorithm does with what was recorded.
//!
//! The algorithm's own state is carried from call to call; the connection, and with it `cwnd`, `cwnd_cnt` and `ssthresh`,
//! comes from the record at every call, because between two calls the transport may change them.

use crate::conn::{AckSample, CaEvent, CaState, Conn};
use crate::registry::Controller;

/// A recorded call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// `init`
    Init,
    /// `cong_avoid`: the byte acknowledged, segments acknowledged.
    CongAvoid(u32, u32),
    /// `ssthresh`: what it returned.
    Ssthresh(u32),
    /// `undo_cwnd`: what it returned.
    UndoCwnd(u32),
    /// `set_state`: the new state.
    SetState(CaState),
    /// `cwnd_event`
    CwndEvent(CaEvent),
    /// `in_ack_event`: its flags.
    InAckEvent(u32),
    /// `pkts_acked`
    PktsAcked(AckSample),
}

/// A recorded call with the connection before it and what it left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The call.
    pub call: Call,
    /// The connection before it.
    pub before: Conn,
    /// The tick counter after it: a tick may have fallen inside.
    pub ticks_after: u32,
    /// `cwnd`, `ssthresh` and `cwnd_cnt` after it.
    pub after: [u32; 3],
}

/// A replay in progress.
#[derive(Debug)]
pub struct Replay {
    cc: Controller,
    calls: u64,
    differences: u64,
}

/// What a replayed call gave: `cwnd`, `ssthresh`, `cwnd_cnt`, and what the hook returned (0 for those that return nothing).
pub type Outcome = [u32; 4];

impl Replay {
    /// Replays on `cc`, which has not been initialised.
    #[must_use]
    pub const fn new(cc: Controller) -> Self {
        Self { cc, calls: 0, differences: 0 }
    }

    /// Calls so far.
    #[must_use]
    pub const fn calls(&self) -> u64 {
        self.calls
    }

    /// Calls whose outcome was not the recorded one.
    #[must_use]
    pub const fn differences(&self) -> u64 {
        self.differences
    }

    /// Replays one call. Returns expected and actual outcome where they differ.
    pub fn step(&mut self, row: &Row) -> Option<(Outcome, Outcome)> {
        self.calls += 1;
        let returned = match row.call {
            Call::Ssthresh(value) | Call::UndoCwnd(value) => value,
            _ => 0,
        };
        let [cwnd, ssthresh, cwnd_cnt] = row.after;
        let expected = [cwnd, ssthresh, cwnd_cnt, returned];
        // Where a tick fell inside the call, the module may have read either value.
        let spare = if row.ticks_after == row.before.ticks { None } else { self.cc.duplicate() };
        let actual = call(&mut self.cc, row, row.before.ticks);
        if actual == expected {
            return None;
        }
        if let Some(mut other) = spare
            && call(&mut other, row, row.ticks_after) == expected
        {
            self.cc = other;
            return None;
        }
        self.differences += 1;
        Some((expected, actual))
    }
}

fn call(cc: &mut Controller, row: &Row, ticks: u32) -> Outcome {
    let mut conn = Conn { ticks, ..row.before };
    let mut returned = 0;
    match row.call {
        Call::Init => cc.init(&mut conn),
        Call::CongAvoid(ack, acked) => cc.cong_avoid(&mut conn, ack, acked),
        Call::Ssthresh(_) => returned = cc.ssthresh(&mut conn),
        Call::UndoCwnd(_) => returned = cc.undo_cwnd(&mut conn),
        Call::SetState(new) => cc.set_state(&mut conn, new),
        Call::CwndEvent(event) => cc.cwnd_event(&mut conn, event),
        Call::InAckEvent(flags) => cc.in_ack_event(&mut conn, flags),
        Call::PktsAcked(sample) => cc.pkts_acked(&mut conn, &sample),
    }
    [conn.cwnd, conn.ssthresh, conn.cwnd_cnt, returned]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Row {
        let before = Conn { is_cwnd_limited: true, ssthresh: 10, ..Conn::new(1448, 10) };
        Row { call: Call::CongAvoid(0, 4), before, ticks_after: before.ticks, after: [10, 10, 4] }
    }

    #[test]
    fn a_true_record_has_no_difference_and_a_false_one_is_found() {
        let mut replay = Replay::new(Controller::by_name("reno-linux").expect("registered"));
        assert_eq!(replay.step(&row()), None);
        assert_eq!(replay.step(&Row { after: [10, 10, 5], ..row() }), Some(([10, 10, 5, 0], [10, 10, 4, 0])));
        let halved = Row { call: Call::Ssthresh(5), after: [10, 10, 0], ..row() };
        assert_eq!(replay.step(&halved), None);
        assert!(replay.step(&Row { call: Call::Ssthresh(7), ..halved }).is_some());
        assert_eq!((replay.calls(), replay.differences()), (4, 2));
    }
}
