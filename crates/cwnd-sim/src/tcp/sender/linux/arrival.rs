// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an acknowledgement brings, and what may be sent after it.

use super::timer::{HostTimers, TIMESTAMP_US};

/// What may be sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sending {
    /// What is lost, then new data.
    #[default]
    All,
    /// New data only: what is lost may be late. // Linux: tcp_try_undo_partial
    New,
    /// New data, if there is any. // RFC 5682 §3.1, step 2.b
    NewFirst,
}

/// What an acknowledgement brings.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arrival {
    /// Segments acknowledged by the cumulative acknowledgement.
    pub acked: u32,
    /// Segments newly reported selectively.
    pub sacked: u32,
    /// Segments that have newly arrived.
    pub delivered: u32,
    /// `una` and the highest position that had arrived, before it.
    pub una_before: u64,
    pub highest_before: u64,
    /// The lowest segment, of those sent once, that was reported beneath one that had been; or that was reported twice.
    pub reordered: Option<u64>,
    /// One past a segment that it has reported with nothing reported before it, and past those of its packet.
    pub apart_end: u64,
    /// When the last of those was sent, µs.
    pub newest_us: Option<u64>,
    /// The segment that it reports as a duplicate.
    pub dsack: Option<u64>,
    /// Whether that is the probe that is out.
    pub dsack_of_probe: bool,
    /// Whether it echoes a congestion mark. // RFC 3168 §6.1.2
    pub echo: bool,
    /// Whether a segment sent once arrived that was out when the recovery began.
    pub original: bool,
    /// Whether a segment sent more than once was acknowledged cumulatively.
    pub again: bool,
    /// When the first and the last segment that it acknowledges, and the first and last that it reports, were sent, µs; of those sent once.
    pub acked_us: Option<(u64, u64)>,
    pub sacked_us: Option<(u64, u64)>,
    /// What it echoes, µs.
    pub echo_us: Option<u64>,
}

impl Arrival {
    /// The segment at `position` is reported, when the highest report ends at `highest`.
    pub fn note_reordered(&mut self, position: u64, highest: u64) {
        if position < highest {
            self.reordered = Some(self.reordered.map_or(position, |lowest| lowest.min(position)));
        }
    }

    /// A duplicate acknowledgement that says nothing new.
    pub const fn is_pure_duplicate(&self) -> bool {
        self.acked == 0 && self.sacked == 0 && self.dsack.is_none()
    }

    /// Round trips of the oldest and the newest segment, µs. From retransmissions only where the echo tells which it was.
    // Linux: tcp_ack_update_rtt
    pub fn round_trips(&self, now_us: u64, timers: &HostTimers) -> Option<(u32, u32)> {
        let since = |sent_us: u64| u32::try_from(now_us.saturating_sub(sent_us)).unwrap_or(u32::MAX);
        let acked_us = self.acked_us.filter(|_| !self.again);
        if let Some((first_us, _)) = acked_us.or(self.sacked_us)
            && let Some((_, last_us)) = self.sacked_us.or(acked_us)
        {
            return Some((since(first_us), since(last_us)));
        }
        let echo_us = self.echo_us.filter(|_| self.acked > 0)?;
        // The clock of the timestamps counts milliseconds; none of them reads as one. // Linux: tcp_rtt_tsopt_us
        let ticks = timers.timestamp(now_us).saturating_sub(timers.timestamp(echo_us)).max(1);
        let rtt_us = u32::try_from(ticks * TIMESTAMP_US).unwrap_or(u32::MAX);
        Some((rtt_us, rtt_us))
    }
}
