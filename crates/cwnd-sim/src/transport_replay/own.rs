// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a sender does besides calls of hooks.

use crate::tcp::Expired;

/// What a sender did that is no call of a hook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Own {
    /// Segments sent again in the record, and those of them that the sender would not have sent again then.
    pub retransmissions: (u32, u32),
    /// The timer that expired in the record.
    pub timer: Option<ExpiredTimer>,
}

/// A timer that expired in the record, and the sender's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpiredTimer {
    /// What the kernel's was set for.
    pub kernel: Expired,
    /// What the sender's was set for.
    pub sender: Option<Expired>,
    /// Whether it was due within three ticks of the kernel's, which counts in ticks and rounds each time up.
    pub on_time: bool,
}
