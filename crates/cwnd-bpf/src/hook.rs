// SPDX-License-Identifier: MIT OR Apache-2.0
//! The hooks that the kernel lane has, in the order of the object's counters. Compiled into the build script too.

/// A hook of `tcp_congestion_ops` that the objects implement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hook {
    /// `cwnd::CongestionControl::init`
    Init,
    /// `cwnd::CongestionControl::release`
    Release,
    /// `cwnd::CongestionControl::ssthresh`
    Ssthresh,
    /// `cwnd::CongestionControl::cong_avoid`
    CongAvoid,
    /// `cwnd::CongestionControl::set_state`
    SetState,
    /// `cwnd::CongestionControl::cwnd_event`
    CwndEvent,
    /// `cwnd::CongestionControl::in_ack_event`
    InAckEvent,
    /// `cwnd::CongestionControl::undo_cwnd`
    UndoCwnd,
    /// `cwnd::CongestionControl::pkts_acked`
    PktsAcked,
    /// `cwnd::CongestionControl::cong_control`
    CongControl,
}

impl Hook {
    /// All of them, by number.
    pub const ALL: [Self; 10] = [
        Self::Init,
        Self::Release,
        Self::Ssthresh,
        Self::CongAvoid,
        Self::SetState,
        Self::CwndEvent,
        Self::InAckEvent,
        Self::UndoCwnd,
        Self::PktsAcked,
        Self::CongControl,
    ];

    /// Linux's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Init => "init",
            Self::Release => "release",
            Self::Ssthresh => "ssthresh",
            Self::CongAvoid => "cong_avoid",
            Self::SetState => "set_state",
            Self::CwndEvent => "cwnd_event",
            Self::InAckEvent => "in_ack_event",
            Self::UndoCwnd => "undo_cwnd",
            Self::PktsAcked => "pkts_acked",
            Self::CongControl => "cong_control",
        }
    }
}
