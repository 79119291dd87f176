// SPDX-License-Identifier: MIT OR Apache-2.0
//! The hosts whose packets a capture holds.

/// The two ends of all flows. Each is one host with one address, whatever nodes a scenario has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CaptureHost {
    /// The host of the senders.
    Senders,
    /// The host of the receivers.
    Receivers,
}

impl CaptureHost {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Senders, Self::Receivers];

    /// Name of its interface in a capture.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Senders => "senders",
            Self::Receivers => "receivers",
        }
    }

    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Senders => Self::Receivers,
            Self::Receivers => Self::Senders,
        }
    }

    /// Its IPv4 address, in both lanes.
    #[must_use]
    pub const fn address(self) -> [u8; 4] {
        // RFC 2544: for benchmarks.
        [198, 18, 0, 1 + self as u8]
    }
}

/// The receiver of flow 0 has this port, that of flow 1 the next, in both lanes.
pub const FIRST_PORT: u16 = 10_000;
