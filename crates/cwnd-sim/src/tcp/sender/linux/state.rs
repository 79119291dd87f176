// SPDX-License-Identifier: MIT OR Apache-2.0
//! What this recovery knows, for whoever compares it with the kernel.

use super::LinuxRecovery;

/// What it knows, under Linux's names where it has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinuxState {
    /// RTTVAR × 4, µs.
    pub rttvar_us4: u32,
    /// RACK.rtt, µs.
    pub rack_rtt_us: u32,
    /// RACK.reo_wnd_mult.
    pub reo_wnd_steps: u32,
    /// The reordering degree, segments.
    pub reordering: u32,
    /// Retransmissions not yet reported as duplicates; `None` before the first.
    pub undo_retrans: Option<u32>,
    /// Whether the reduction can be undone.
    pub may_undo: bool,
    /// Whether F-RTO goes on.
    pub frto: bool,
    /// Whether a probe is out.
    pub has_probe: bool,
}

impl LinuxRecovery {
    /// What it knows.
    pub fn state(&self) -> LinuxState {
        LinuxState {
            rttvar_us4: self.variation.us4(),
            rack_rtt_us: self.rack_rtt_us().unwrap_or(0) as u32,
            reo_wnd_steps: self.window.quarters(),
            reordering: self.window.degree,
            undo_retrans: self.undo.awaited(),
            may_undo: self.undo.may(),
            frto: self.undo.frto,
            has_probe: self.probe.end.is_some(),
        }
    }
}
