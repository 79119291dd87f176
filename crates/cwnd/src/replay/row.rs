// SPDX-License-Identifier: MIT OR Apache-2.0
//! A recorded call, what it left, and how a replayed one differs.

use core::fmt;

use super::call::Call;
use crate::conn::{Conn, PacingStatus};
use crate::hooks::PrivateWords;

/// A recorded call with the connection before it and what it left.
///
/// ```
/// # use cwnd::{Conn, Controller, Hook, replay::*};
/// # let before = Conn { is_cwnd_limited: true, ssthresh: 10, ..Conn::new(1448, 10) };
/// # let after = After { returned: 0, cwnd: 10, ssthresh: 10, cwnd_cnt: 4, pacing: None, state: None };
/// # let row = Row { call: Call::CongAvoid { ack: 0, acked: 4 }, before, ticks_after: before.ticks, after };
/// # let mut replay = Replay::new(Controller::by_name("reno-linux").unwrap(), None);
///
/// assert_eq!(replay.step(&row), None); // Reno does what was recorded
/// ```
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
    ///
    /// ```
    /// # use cwnd::{Conn, Controller, Hook, replay::*};
    /// # let before = Conn { is_cwnd_limited: true, ssthresh: 10, ..Conn::new(1448, 10) };
    /// # let after = After { returned: 0, cwnd: 10, ssthresh: 10, cwnd_cnt: 4, pacing: None, state: None };
    /// # let row = Row { call: Call::CongAvoid { ack: 0, acked: 4 }, before, ticks_after: before.ticks, after };
    ///
    /// assert_eq!(row.window().map(|conn| conn.cwnd), Some(10));
    /// assert_eq!(Row { call: Call::Ssthresh {}, ..row }.window(), None);
    /// ```
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
///
/// ```
/// # use cwnd::{Conn, Controller, Hook, replay::*};
/// # let before = Conn { is_cwnd_limited: true, ssthresh: 10, ..Conn::new(1448, 10) };
/// # let after = After { returned: 0, cwnd: 10, ssthresh: 10, cwnd_cnt: 4, pacing: None, state: None };
/// # let row = Row { call: Call::CongAvoid { ack: 0, acked: 4 }, before, ticks_after: before.ticks, after };
///
/// let after = After { cwnd: 12, ..after };
/// assert_eq!(Row { after, ..row }.window().unwrap().cwnd, 12);
/// ```
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
///
/// ```
/// # use cwnd::{Conn, Controller, Hook, replay::*};
/// # let before = Conn { is_cwnd_limited: true, ssthresh: 10, ..Conn::new(1448, 10) };
/// # let after = After { returned: 0, cwnd: 10, ssthresh: 10, cwnd_cnt: 4, pacing: None, state: None };
/// # let row = Row { call: Call::CongAvoid { ack: 0, acked: 4 }, before, ticks_after: before.ticks, after };
/// # let mut replay = Replay::new(Controller::by_name("reno-linux").unwrap(), None);
///
/// let wrong = Row { after: After { cwnd_cnt: 5, ..after }, ..row };
/// assert_eq!(replay.step(&wrong).unwrap().to_string(), "cwnd_cnt 4 instead of 5");
/// ```
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
