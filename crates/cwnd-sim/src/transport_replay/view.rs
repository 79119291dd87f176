// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the two sides know before an event.

use super::record::KernelState;
use crate::tcp::SenderState;
use cwnd::Conn;

/// Both sides before an event.
#[derive(Clone, Copy, Debug)]
pub struct View {
    pub kernel: KernelState,
    /// The kernel's `snd_una` as a position.
    pub kernel_una: u64,
    pub sender: SenderState,
    pub conn: Conn,
    /// What the event before has left.
    pub windows: Windows,
}

/// Window and slow start threshold of both sides, before the sender takes over the kernel's.
#[derive(Clone, Copy, Debug)]
pub struct Windows {
    pub kernel: (u32, u32),
    pub sender: (u32, u32),
}

impl Windows {
    /// What differs.
    pub const fn difference(&self) -> Option<&'static str> {
        match (self.kernel.0 == self.sender.0, self.kernel.1 == self.sender.1) {
            (true, true) => None,
            (false, true) => Some("window: cwnd"),
            (true, false) => Some("window: ssthresh"),
            (false, false) => Some("window: cwnd and ssthresh"),
        }
    }
}

/// The first so many of [`View::values`] say what is out, and the state.
const IN_STEP: usize = 6;

impl View {
    /// What both sides know, under one name: the kernel's value, and the simulator's.
    pub fn values(&self) -> Vec<(&'static str, u64, u64)> {
        let Self { kernel, kernel_una, sender, conn, windows: _ } = self;
        let min_rtt_us = if kernel.rtt_min_us == u32::MAX { 0 } else { kernel.rtt_min_us };
        let undo = |may: bool, awaited: Option<u32>| {
            awaited.filter(|&awaited| may && awaited != u32::MAX).map_or(u64::from(u32::MAX), u64::from)
        };
        vec![
            ("una", *kernel_una, sender.una),
            ("packets_out", kernel.packets_out.into(), conn.packets_out.into()),
            ("sacked_out", kernel.sacked_out.into(), sender.sacked_out.into()),
            ("lost_out", kernel.lost_out.into(), sender.lost_out.into()),
            ("retrans_out", kernel.retrans_out.into(), sender.retrans_out.into()),
            ("ca_state", kernel.ca_state.into(), (conn.ca_state as u32).into()),
            ("srtt_us8", kernel.srtt_us8.into(), conn.srtt_us8.into()),
            ("rttvar_us4", kernel.rttvar_us.into(), sender.linux.rttvar_us4.into()),
            ("min_rtt_us", min_rtt_us.into(), conn.min_rtt_us.into()),
            ("rack_rtt_us", kernel.rack_rtt_us.into(), sender.linux.rack_rtt_us.into()),
            ("reo_wnd_steps", kernel.reo_wnd_steps.into(), sender.linux.reo_wnd_steps.into()),
            ("reordering", kernel.reordering.into(), sender.linux.reordering.into()),
            ("may_undo", (kernel.undo_marker != 0).into(), sender.linux.may_undo.into()),
            (
                "undo_retrans",
                undo(kernel.undo_marker != 0, Some(kernel.undo_retrans)),
                undo(sender.linux.may_undo, sender.linux.undo_retrans),
            ),
            ("frto", kernel.frto.into(), sender.linux.frto.into()),
            ("probe_out", (kernel.tlp_high_seq != 0).into(), sender.linux.has_probe.into()),
        ]
    }

    /// Whether both sides agree on what is out and on the state.
    pub fn is_in_step(&self) -> bool {
        self.values().iter().take(IN_STEP).all(|(_, kernel, simulator)| kernel == simulator)
    }
}
