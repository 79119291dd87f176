// SPDX-License-Identifier: MIT OR Apache-2.0
//! Replays a recorded sequence of hook calls and compares what an algorithm does with what was recorded.
//!
//! The algorithm's own state is carried from call to call; the connection, and with it `cwnd`, `cwnd_cnt`, `ssthresh` and
//! the pacing rate, comes from the record at every call, because between two calls the transport may change them. Compared
//! after every call: what the hook returned, those four, the pacing status, and the state itself, byte for byte, as far as
//! the record holds them.

use core::fmt;

use crate::conn::{Conn, PacingStatus};
use crate::controller::Controller;
use crate::hook_argument::{HookResult as _, RecordedArgument as _};
use crate::hooks::{ARGUMENT_WORDS, Hook, PrivateWords, StateWords};

macro_rules! calls {
    ($($variant:ident = $number:literal $(if $has:ident)?:
        $hook:ident($($arg:ident: $([$by:tt])? $type:path),*) $(-> $result:ty)?;)+) => {
        /// A recorded call: the hook and its arguments.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the arguments are those of CongestionControl")]
        pub enum Call {
            $(
                #[doc = concat!("[`CongestionControl::", stringify!($hook), "`](crate::CongestionControl::", stringify!($hook), ")")]
                $variant { $($arg: $type),* },
            )+
        }

        impl Call {
            /// The hook that was called.
            #[must_use]
            pub const fn hook(&self) -> Hook {
                match self {
                    $(Self::$variant { .. } => Hook::$variant,)+
                }
            }

            /// The call that these words of a record mean, on a connection whose segments have `mss` bytes; `None` if there is
            /// none.
            #[must_use]
            pub fn read(hook: Hook, words: [u32; ARGUMENT_WORDS], mss: u32) -> Option<Self> {
                let words = &mut words.into_iter();
                Some(match hook {
                    $(Hook::$variant => Self::$variant { $($arg: <$type>::read(words, mss)?),* },)+
                })
            }

            /// Its arguments in the words of a record.
            #[must_use]
            pub fn words(&self, mss: u32) -> [u32; ARGUMENT_WORDS] {
                let mut all = [0; ARGUMENT_WORDS];
                let words = &mut all.iter_mut();
                match *self {
                    $(Self::$variant { $($arg),* } => { $($arg.write(words, mss);)* })+
                }
                all
            }

            /// Makes the call; what the hook returned.
            fn make(&self, cc: &mut Controller, conn: &mut Conn) -> u32 {
                match *self {
                    $(Self::$variant { $($arg),* } => cc.$hook(conn $(, $($by)? $arg)*).word(),)+
                }
            }
        }
    };
}

crate::for_each_hook!(calls);

/// A recorded call with the connection before it and what it left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The call.
    pub call: Call,
    /// The connection before it.
    pub before: Conn,
    /// The tick counter after it: a tick may have fallen inside.
    pub ticks_after: u32,
    /// What it left.
    pub after: After,
}

impl Row {
    /// The connection after a call that can change its window, or the state of its loss recovery; `None` after any other.
    #[must_use]
    pub const fn window(&self) -> Option<Conn> {
        let ca_state = match self.call {
            Call::SetState { new } => new,
            Call::Init {}
            | Call::CongAvoid { .. }
            | Call::CongControl { .. }
            | Call::UndoCwnd {}
            | Call::CwndEvent { .. } => self.before.ca_state,
            Call::Release {} | Call::Ssthresh {} | Call::InAckEvent { .. } | Call::PktsAcked { .. } => {
                return None;
            }
        };
        let After { cwnd, ssthresh, .. } = self.after;
        Some(Conn { cwnd, ssthresh, ca_state, ..self.before })
    }
}

/// What a call left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct After {
    /// What the hook returned; 0 for one that returns nothing.
    pub returned: u32,
    /// The window, segments.
    pub cwnd: u32,
    /// The slow start threshold, segments.
    pub ssthresh: u32,
    /// Progress towards the next increment of the window.
    pub cwnd_cnt: u32,
    /// Pacing rate, bytes/s, and who paces; `None` in a record that holds neither.
    pub pacing: Option<(u64, PacingStatus)>,
    /// The algorithm's private area; `None` in a record that does not hold it in our layout.
    pub state: Option<PrivateWords>,
}

/// What a replayed call gave, beside what was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What the call left in the record.
    pub expected: After,
    /// What it left here; what the record does not hold is `None` here too, and padding of the state is the record's.
    pub actual: After,
}

impl fmt::Display for Difference {
    /// What differs, as `cwnd 11 instead of 10, …`: first the value here, then the recorded one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { expected, actual } = self;
        let numbers = [
            ("cwnd", u64::from(actual.cwnd), u64::from(expected.cwnd)),
            ("ssthresh", u64::from(actual.ssthresh), u64::from(expected.ssthresh)),
            ("cwnd_cnt", u64::from(actual.cwnd_cnt), u64::from(expected.cwnd_cnt)),
            ("returned", u64::from(actual.returned), u64::from(expected.returned)),
            pair("pacing_rate", actual, expected, |pacing| pacing.0),
            pair("pacing_status", actual, expected, |pacing| pacing.1 as u64),
        ];
        let mut separator = "";
        for (name, actual, expected) in numbers.into_iter().filter(|(_, actual, expected)| actual != expected)
        {
            write!(f, "{separator}{name} {actual} instead of {expected}")?;
            separator = ", ";
        }
        let bytes = bytes(actual.state).zip(bytes(expected.state)).enumerate();
        let mut others = bytes.filter(|(_, (actual, expected))| actual != expected);
        if let Some((place, (actual, expected))) = others.next() {
            write!(f, "{separator}state byte {place} {actual:#04x} instead of {expected:#04x}")?;
            match others.count() {
                0 => {}
                more => write!(f, " and {more} more")?,
            }
        }
        Ok(())
    }
}

fn pair(
    name: &'static str,
    actual: &After,
    expected: &After,
    of: fn((u64, PacingStatus)) -> u64,
) -> (&'static str, u64, u64) {
    (name, actual.pacing.map_or(0, of), expected.pacing.map_or(0, of))
}

fn bytes(state: Option<PrivateWords>) -> impl Iterator<Item = u8> {
    state.into_iter().flatten().flat_map(u32::to_ne_bytes)
}

/// Reads the bytes of an algorithm's state (see [`Controller::state_words`]).
pub type StateReader = fn(&Controller) -> Option<StateWords>;

/// A replay in progress.
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
    #[must_use]
    pub fn new(cc: Controller, read: Option<StateReader>) -> Self {
        let mut states = [const { None }; STATES];
        add_state(&mut states, cc);
        Self { states, read, calls: 0, differences: 0, states_compared: 0, pacing_compared: 0 }
    }

    /// Goes on from the state that the module's private words held: at the beginning of a record that does not begin with
    /// `init`, and where calls are missing from it. Returns whether the algorithm knows how to read them; nothing is
    /// changed otherwise.
    pub fn load(&mut self, words: &PrivateWords) -> bool {
        let Some(cc) = self.states.iter().flatten().find_map(|cc| cc.with_words(words)) else { return false };
        self.states = [const { None }; STATES];
        add_state(&mut self.states, cc);
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

    /// Calls that did not leave what was recorded.
    #[must_use]
    pub const fn differences(&self) -> u64 {
        self.differences
    }

    /// Calls after which the bytes of the state were compared.
    #[must_use]
    pub const fn states_compared(&self) -> u64 {
        self.states_compared
    }

    /// Calls after which pacing rate and status were compared.
    #[must_use]
    pub const fn pacing_compared(&self) -> u64 {
        self.pacing_compared
    }

    /// Replays one call. Returns what differs, if anything does.
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
