// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can go wrong in the live lane.

use cwnd_scenario::Invalid;
use std::fmt;
use std::io;

/// An error of the live lane.
#[derive(Debug)]
pub enum Error {
    /// The scenario asks for what this lane does not do.
    Scenario(Invalid),
    /// The system refuses something: what was to be done, and why it was not.
    System(String, io::Error),
    /// A command that cannot be run: its name, and why.
    Command(String, io::Error),
    /// The emulator fell behind: how, in words. There is no result.
    Behind(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scenario(invalid) => invalid.fmt(f),
            Self::System(what, why) => {
                let hint = match why.kind() {
                    io::ErrorKind::PermissionDenied => "; expected root (CAP_NET_ADMIN and CAP_SYS_ADMIN)",
                    _ => "",
                };
                write!(f, "lane live: {what}: {why}{hint}")
            }
            Self::Command(name, why) => write!(f, "{name}: {why}"),
            Self::Behind(how) => write!(
                f,
                "lane live: this machine did not keep up: {how}; the run is invalid and has no result; expected a longer round trip, a lower rate, or a less busy machine"
            ),
        }
    }
}

impl std::error::Error for Error {}

/// Turns the system's error into one that says what was to be done.
pub(crate) fn while_doing<E: Into<io::Error>>(what: impl Into<String>) -> impl FnOnce(E) -> Error {
    |why| Error::System(what.into(), why.into())
}
