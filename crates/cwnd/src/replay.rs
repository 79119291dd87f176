// SPDX-License-Identifier: MIT OR Apache-2.0
//! Replays a recorded sequence of hook calls and compares what an algorithm does with what was recorded.
//!
//! The algorithm's own state is carried from call to call; the connection, and with it `cwnd`, `cwnd_cnt` and `ssthresh`,
//! comes from the record at every call, because between two calls the transport may change them.

use crate::conn::{AckSample, CaEvent, CaState, Conn};
use crate::control::PrivateWords;
use crate::registry::Controller;

/// A recorded call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// `init`
    Init,
    /// `release`
    Release,
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
    /// `cong_control`: segments newly delivered.
    CongControl(u32),
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
    /// States that agree with everything so far. There is one, and a second while a tick that fell inside a call has
    /// left the module in either of two states, until a later call tells which.
    states: [Option<Controller>; STATES],
    calls: u64,
    differences: u64,
}

/// Ticks that can stay undecided at a time, as a power of two of states.
const STATES: usize = 8;

/// What a replayed call gave: `cwnd`, `ssthresh`, `cwnd_cnt`, and what the hook returned (0 for those that return nothing).
pub type Outcome = [u32; 4];

impl Replay {
    /// Replays on `cc`, which has not been initialised.
    #[must_use]
    pub fn new(cc: Controller) -> Self {
        let mut states = [const { None }; STATES];
        keep(&mut states, cc);
        Self { states, calls: 0, differences: 0 }
    }

    /// Goes on from the state that the module's private words held: at the beginning of a record that does not begin with
    /// `init`, and where calls are missing from it. Returns whether the algorithm knows how to read them; nothing is
    /// changed otherwise.
    pub fn load(&mut self, words: &PrivateWords) -> bool {
        let Some(cc) = self.states.iter().flatten().find_map(|cc| cc.with_words(words)) else { return false };
        self.states = [const { None }; STATES];
        keep(&mut self.states, cc);
        true
    }

    /// Whether a state that agrees with everything so far is the one that these private words hold; `None` where the
    /// algorithm does not know how to read them.
    #[must_use]
    pub fn agrees(&self, words: &PrivateWords) -> Option<bool> {
        let recorded = self.states.iter().flatten().find_map(|cc| cc.with_words(words))?;
        Some(self.states.iter().flatten().any(|cc| cc.is_same(&recorded)))
    }

    /// The algorithm in a state that agrees with everything so far; where none does, one that went its own way.
    #[must_use]
    pub fn state(&self) -> Option<&Controller> {
        self.states.iter().flatten().next()
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
        let mut kept = [const { None }; STATES];
        let mut wrong = None;
        for state in self.states.iter_mut().filter_map(Option::take) {
            // Where a tick fell inside the call, the module may have read either value.
            let spare = if row.ticks_after == row.before.ticks { None } else { state.duplicate() };
            for (mut cc, ticks) in
                [Some((state, row.before.ticks)), spare.map(|cc| (cc, row.ticks_after))].into_iter().flatten()
            {
                let actual = call(&mut cc, row, ticks);
                if actual == expected {
                    keep(&mut kept, cc);
                } else if wrong.is_none() {
                    wrong = Some((cc, actual));
                }
            }
        }
        self.states = kept;
        if self.states.iter().any(Option::is_some) {
            return None;
        }
        self.differences += 1;
        let (cc, actual) = wrong?;
        let [first, ..] = &mut self.states;
        *first = Some(cc);
        Some((expected, actual))
    }
}

/// Adds `cc` to the states, unless one is in the same state or there is no room.
fn keep(states: &mut [Option<Controller>; STATES], cc: Controller) {
    if states.iter().flatten().any(|other| other.is_same(&cc)) {
        return;
    }
    if let Some(free) = states.iter_mut().find(|state| state.is_none()) {
        *free = Some(cc);
    }
}

fn call(cc: &mut Controller, row: &Row, ticks: u32) -> Outcome {
    let mut conn = Conn { ticks, ..row.before };
    let mut returned = 0;
    match row.call {
        Call::Init => cc.init(&mut conn),
        Call::Release => cc.release(&mut conn),
        Call::CongAvoid(ack, acked) => cc.cong_avoid(&mut conn, ack, acked),
        Call::Ssthresh(_) => returned = cc.ssthresh(&mut conn),
        Call::UndoCwnd(_) => returned = cc.undo_cwnd(&mut conn),
        Call::SetState(new) => cc.set_state(&mut conn, new),
        Call::CwndEvent(event) => cc.cwnd_event(&mut conn, event),
        Call::InAckEvent(flags) => cc.in_ack_event(&mut conn, flags),
        Call::PktsAcked(sample) => cc.pkts_acked(&mut conn, &sample),
        Call::CongControl(acked) => cc.cong_control(&mut conn, acked),
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
