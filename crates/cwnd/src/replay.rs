// SPDX-License-Identifier: MIT OR Apache-2.0
//! Replays a recorded sequence of hook calls and compares what an algorithm does with what was recorded.
//!
//! The algorithm's own state is carried from call to call; the connection, and with it `cwnd`, `cwnd_cnt`, `ssthresh` and
//! the pacing rate, comes from the record at every call, because between two calls the transport may change them. Compared
//! after every call: what the hook returned, those four, the pacing status, and the state itself, byte for byte, as far as
//! the record holds them.

mod call;
mod row;

use crate::conn::Conn;
use crate::controller::Controller;
use crate::hooks::{PrivateWords, StateWords};
pub use call::Call;
pub use row::{After, Difference, Row};

/// Reads the bytes of an algorithm's state (see [`Controller::state_words`]).
pub type StateReader = fn(&Controller) -> Option<StateWords>;

/// A replay in progress.
///
/// ```
/// # use cwnd::{Conn, Controller, Hook, replay::*};
/// # let before = Conn { is_cwnd_limited: true, ssthresh: 10, ..Conn::new(1448, 10) };
/// # let after = After { returned: 0, cwnd: 10, ssthresh: 10, cwnd_cnt: 4, pacing: None, state: None };
/// # let row = Row { call: Call::CongAvoid { ack: 0, acked: 4 }, before, ticks_after: before.ticks, after };
/// # let mut replay = Replay::new(Controller::by_name("reno-linux").unwrap(), None);
///
/// replay.step(&row);
/// replay.step(&Row { after: After { cwnd: 11, ..after }, ..row });
/// assert_eq!((replay.calls(), replay.differences()), (2, 1));
/// ```
#[derive(Debug)]
pub struct Replay {
    /// States that agree with everything so far. There is one, and a second while a tick that fell inside a call has
    /// left the module in either of two states, until a later call tells which.
    states: [Option<Controller>; STATES],
    read: Option<StateReader>,
    calls: u64,
    differences: u64,
    states_compared: u64,
    pacing_compared: u64,
}

/// Ticks that can stay undecided at a time, as a power of two of states.
const STATES: usize = 8;

impl Replay {
    /// Replays on `cc`, which has not been initialised. Without a `read`, or where it gives nothing, states are not compared.
    ///
    /// ```
    /// # use cwnd::{Conn, Controller, Hook, replay::*};
    /// # let before = Conn { is_cwnd_limited: true, ssthresh: 10, ..Conn::new(1448, 10) };
    /// # let after = After { returned: 0, cwnd: 10, ssthresh: 10, cwnd_cnt: 4, pacing: None, state: None };
    /// # let row = Row { call: Call::CongAvoid { ack: 0, acked: 4 }, before, ticks_after: before.ticks, after };
    ///
    /// let replay = Replay::new(Controller::by_name("reno-linux").unwrap(), None);
    /// assert_eq!((replay.calls(), replay.state().is_some()), (0, true));
    /// ```
    #[must_use]
    pub fn new(cc: Controller, read: Option<StateReader>) -> Self {
        let mut states = [const { None }; STATES];
        add_state(&mut states, cc);
        Self { states, read, calls: 0, differences: 0, states_compared: 0, pacing_compared: 0 }
    }

    /// Goes on from the state that the module's private words held: at the beginning of a record that does not begin with
    /// `init`, and where calls are missing from it. Returns whether the algorithm knows how to read them; nothing is
    /// changed otherwise.
    ///
    /// ```
    /// # use cwnd::{Conn, Controller, Hook, replay::*};
    /// # let before = Conn { is_cwnd_limited: true, ssthresh: 10, ..Conn::new(1448, 10) };
    /// # let after = After { returned: 0, cwnd: 10, ssthresh: 10, cwnd_cnt: 4, pacing: None, state: None };
    /// # let row = Row { call: Call::CongAvoid { ack: 0, acked: 4 }, before, ticks_after: before.ticks, after };
    ///
    /// let mut replay = Replay::new(Controller::by_name("hybla-linux").unwrap(), None);
    /// assert!(replay.load(&[0; 26]));
    /// ```
    pub fn load(&mut self, words: &PrivateWords) -> bool {
        let Some(cc) = self.states.iter().flatten().find_map(|cc| cc.with_words(words)) else { return false };
        self.states = [const { None }; STATES];
        add_state(&mut self.states, cc);
        true
    }

    /// Whether a state that agrees with everything so far is the one that these private words hold; `None` where the
    /// algorithm does not know how to read them.
    ///
    /// ```
    /// # use cwnd::{Conn, Controller, Hook, replay::*};
    /// # let before = Conn { is_cwnd_limited: true, ssthresh: 10, ..Conn::new(1448, 10) };
    /// # let after = After { returned: 0, cwnd: 10, ssthresh: 10, cwnd_cnt: 4, pacing: None, state: None };
    /// # let row = Row { call: Call::CongAvoid { ack: 0, acked: 4 }, before, ticks_after: before.ticks, after };
    ///
    /// let mut replay = Replay::new(Controller::by_name("hybla-linux").unwrap(), None);
    /// let words = [1; 26];
    /// replay.load(&words);
    /// assert_eq!(replay.agrees(&words), Some(true));
    /// assert_eq!(replay.agrees(&[0; 26]), Some(false));
    /// ```
    #[must_use]
    pub fn agrees(&self, words: &PrivateWords) -> Option<bool> {
        let recorded = self.states.iter().flatten().find_map(|cc| cc.with_words(words))?;
        Some(self.states.iter().flatten().any(|cc| cc.is_same(&recorded)))
    }

    /// The algorithm in a state that agrees with everything so far; where none does, one that went its own way.
    ///
    /// ```
    /// # use cwnd::{Conn, Controller, Hook, replay::*};
    /// # let before = Conn { is_cwnd_limited: true, ssthresh: 10, ..Conn::new(1448, 10) };
    /// # let after = After { returned: 0, cwnd: 10, ssthresh: 10, cwnd_cnt: 4, pacing: None, state: None };
    /// # let row = Row { call: Call::CongAvoid { ack: 0, acked: 4 }, before, ticks_after: before.ticks, after };
    /// # let mut replay = Replay::new(Controller::by_name("reno-linux").unwrap(), None);
    ///
    /// replay.step(&row);
    /// assert!(replay.state().is_some_and(|cc| !cc.has_cong_control()));
    /// ```
    #[must_use]
    pub fn state(&self) -> Option<&Controller> {
        self.states.iter().flatten().next()
    }

    /// Calls so far.
    ///
    /// ```
    /// # use cwnd::{Conn, Controller, Hook, replay::*};
    /// # let before = Conn { is_cwnd_limited: true, ssthresh: 10, ..Conn::new(1448, 10) };
    /// # let after = After { returned: 0, cwnd: 10, ssthresh: 10, cwnd_cnt: 4, pacing: None, state: None };
    /// # let row = Row { call: Call::CongAvoid { ack: 0, acked: 4 }, before, ticks_after: before.ticks, after };
    /// # let mut replay = Replay::new(Controller::by_name("reno-linux").unwrap(), None);
    ///
    /// replay.step(&row);
    /// assert_eq!(replay.calls(), 1);
    /// ```
    #[must_use]
    pub const fn calls(&self) -> u64 {
        self.calls
    }

    /// Calls that did not leave what was recorded.
    ///
    /// ```
    /// # use cwnd::{Conn, Controller, Hook, replay::*};
    /// # let before = Conn { is_cwnd_limited: true, ssthresh: 10, ..Conn::new(1448, 10) };
    /// # let after = After { returned: 0, cwnd: 10, ssthresh: 10, cwnd_cnt: 4, pacing: None, state: None };
    /// # let row = Row { call: Call::CongAvoid { ack: 0, acked: 4 }, before, ticks_after: before.ticks, after };
    /// # let mut replay = Replay::new(Controller::by_name("reno-linux").unwrap(), None);
    ///
    /// replay.step(&Row { after: After { cwnd: 11, ..after }, ..row });
    /// assert_eq!(replay.differences(), 1);
    /// ```
    #[must_use]
    pub const fn differences(&self) -> u64 {
        self.differences
    }

    /// Calls after which the bytes of the state were compared.
    ///
    /// ```
    /// # use cwnd::{Conn, Controller, Hook, replay::*};
    /// # let before = Conn { is_cwnd_limited: true, ssthresh: 10, ..Conn::new(1448, 10) };
    /// # let after = After { returned: 0, cwnd: 10, ssthresh: 10, cwnd_cnt: 4, pacing: None, state: None };
    /// # let row = Row { call: Call::CongAvoid { ack: 0, acked: 4 }, before, ticks_after: before.ticks, after };
    /// # let mut replay = Replay::new(Controller::by_name("reno-linux").unwrap(), None);
    ///
    /// replay.step(&row); // the row holds no state
    /// assert_eq!(replay.states_compared(), 0);
    /// ```
    #[must_use]
    pub const fn states_compared(&self) -> u64 {
        self.states_compared
    }

    /// Calls after which pacing rate and status were compared.
    ///
    /// ```
    /// # use cwnd::{Conn, Controller, Hook, replay::*};
    /// # let before = Conn { is_cwnd_limited: true, ssthresh: 10, ..Conn::new(1448, 10) };
    /// # let after = After { returned: 0, cwnd: 10, ssthresh: 10, cwnd_cnt: 4, pacing: None, state: None };
    /// # let row = Row { call: Call::CongAvoid { ack: 0, acked: 4 }, before, ticks_after: before.ticks, after };
    /// # let mut replay = Replay::new(Controller::by_name("reno-linux").unwrap(), None);
    ///
    /// let pacing = Some((u64::MAX, cwnd::PacingStatus::None));
    /// replay.step(&Row { after: After { pacing, ..after }, ..row });
    /// assert_eq!((replay.pacing_compared(), replay.differences()), (1, 0));
    /// ```
    #[must_use]
    pub const fn pacing_compared(&self) -> u64 {
        self.pacing_compared
    }

    /// Replays one call. Returns what differs, if anything does.
    ///
    /// ```
    /// # use cwnd::{Conn, Controller, Hook, replay::*};
    /// # let before = Conn { is_cwnd_limited: true, ssthresh: 10, ..Conn::new(1448, 10) };
    /// # let after = After { returned: 0, cwnd: 10, ssthresh: 10, cwnd_cnt: 4, pacing: None, state: None };
    /// # let row = Row { call: Call::CongAvoid { ack: 0, acked: 4 }, before, ticks_after: before.ticks, after };
    /// # let mut replay = Replay::new(Controller::by_name("reno-linux").unwrap(), None);
    ///
    /// assert_eq!(replay.step(&row), None);
    /// let difference = replay.step(&Row { after: After { cwnd: 11, ..after }, ..row }).unwrap();
    /// assert_eq!((difference.actual.cwnd, difference.expected.cwnd), (10, 11));
    /// ```
    pub fn step(&mut self, row: &Row) -> Option<Difference> {
        self.calls += 1;
        self.pacing_compared += u64::from(row.after.pacing.is_some());
        let read = self.read.filter(|_| row.after.state.is_some());
        let mut agreeing = [const { None }; STATES];
        let mut wrong = None;
        let mut compared = false;
        for state in self.states.iter_mut().filter_map(Option::take) {
            // Where a tick fell inside the call, the module may have read either value.
            let spare = (row.ticks_after != row.before.ticks).then(|| state.clone());
            for (mut cc, ticks) in
                [Some((state, row.before.ticks)), spare.map(|cc| (cc, row.ticks_after))].into_iter().flatten()
            {
                let difference = call(&mut cc, row, ticks, read);
                compared |= difference.actual.state.is_some();
                if difference.actual == difference.expected {
                    add_state(&mut agreeing, cc);
                } else if wrong.is_none() {
                    wrong = Some((cc, difference));
                }
            }
        }
        self.states_compared += u64::from(compared);
        self.states = agreeing;
        if self.states.iter().any(Option::is_some) {
            return None;
        }
        self.differences += 1;
        let (cc, difference) = wrong?;
        let [first, ..] = &mut self.states;
        *first = Some(cc);
        Some(difference)
    }
}

/// Adds `cc` to the states, unless one is in the same state or there is no room.
fn add_state(states: &mut [Option<Controller>; STATES], cc: Controller) {
    if states.iter().flatten().any(|other| other.is_same(&cc)) {
        return;
    }
    if let Some(free) = states.iter_mut().find(|state| state.is_none()) {
        *free = Some(cc);
    }
}

/// Makes the call; what it left, beside what was recorded.
fn call(cc: &mut Controller, row: &Row, ticks: u32, read: Option<StateReader>) -> Difference {
    let mut conn = Conn { ticks, ..row.before };
    let returned = row.call.make(cc, &mut conn);
    let state =
        read.and_then(|read| read(cc)).zip(row.after.state).map(|(host, recorded)| host.over(&recorded));
    let actual = After {
        returned,
        cwnd: conn.cwnd,
        ssthresh: conn.ssthresh,
        cwnd_cnt: conn.cwnd_cnt,
        pacing: row.after.pacing.map(|_| (conn.pacing_rate, conn.pacing_status)),
        state,
    };
    // A state that cannot be read here is not compared.
    let expected = After { state: row.after.state.filter(|_| state.is_some()), ..row.after };
    Difference { expected, actual }
}

#[cfg(test)]
mod tests;
