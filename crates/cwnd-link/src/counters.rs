// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a link counts, and what it counts a packet as.

use crate::aqm::DropCause;
use crate::drops::Drops;
use crate::ecn::Ecn;

/// Counters of a link.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinkCounters {
    /// Drops in the measured interval.
    pub drops_measured: Drops,
    /// Drops over the whole run.
    pub drops: Drops,
    /// Data packets that leave by the end of the run; a queue that knows departures ahead counts them when it accepts them.
    pub data_packets: u64,
    /// Packets of all classes that left in the measured interval.
    pub measured_packets: u64,
    /// Their bytes.
    pub measured_bytes: u64,
    /// The sum of their waits, ns.
    pub wait_sum: u128,
    /// The longest of their waits, ns.
    pub wait_max: u64,
    /// Packets that got a congestion mark and left in the measured interval, and over the whole run.
    pub marks_measured: u64,
    /// See `marks_measured`.
    pub marks: u64,
}

impl LinkCounters {
    /// Packets that a full queue has dropped, in the measured interval or not.
    #[cold]
    pub(crate) fn drop_full(&mut self, packets: u32, is_measured: bool) {
        self.drops.count_many(DropCause::Full, packets);
        if is_measured {
            self.drops_measured.count_many(DropCause::Full, packets);
        }
    }
}

/// What a link counts a packet as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketClass {
    /// Data of a flow, or a datagram.
    Data,
    /// Data that is ECN-capable: it may be marked instead of dropped.
    MarkableData,
    /// An acknowledgement.
    Ack,
}

impl PacketClass {
    /// Whether it carries data.
    #[inline]
    #[must_use]
    pub const fn is_data(self) -> bool {
        !matches!(self, Self::Ack)
    }

    /// Whether it may be marked.
    #[inline]
    pub(crate) const fn ecn(self) -> Ecn {
        if matches!(self, Self::MarkableData) { Ecn::Capable } else { Ecn::NotCapable }
    }
}
