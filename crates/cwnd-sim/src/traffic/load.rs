// SPDX-License-Identifier: MIT OR Apache-2.0
//! The load of a group: asked, offered, carried.
//!
//! The asked load is the mean that the scenario's numbers imply. The offered load is what the sources drew. The carried load is what
//! the link transmitted. With a heavy tail the asked and the offered load differ for a long time: at a shape of 1.2 the mean of n
//! transfers converges as n^(−1/6), so 2 % takes about 10¹⁰ transfers. Therefore both are reported.

use super::{Datagram, Direction, Transfer};
use cwnd_record::TransferCounts;
use cwnd_scenario::HEADER_BYTES;

/// Bytes on the wire of a transfer of `payload` bytes in segments of `mss`: headers once per segment, the last one
/// short. Acknowledgements and retransmissions are not counted.
#[must_use]
pub const fn wire_bytes(payload: u64, mss: u32) -> u64 {
    payload.saturating_add(
        payload.div_ceil(if mss == 0 { 1 } else { mss as u64 }).saturating_mul(HEADER_BYTES as u64),
    )
}

/// The load that a group asks for in one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Asked {
    /// This many bits on the wire per second, on average.
    Rate(f64),
    /// At most this rate: pauses begin when transfers end, so the duration of transfers reduces it.
    AtMost(f64),
    /// All available capacity.
    Everything,
    /// Its mean does not exist.
    Unbounded,
}

impl Asked {
    /// What kind it is, in a word, and its bits per second where it has some.
    #[must_use]
    pub const fn in_words(self) -> (&'static str, Option<f64>) {
        match self {
            Self::Rate(rate) => ("rate", Some(rate)),
            Self::AtMost(rate) => ("at most", Some(rate)),
            Self::Everything => ("everything", None),
            Self::Unbounded => ("no mean", None),
        }
    }

    /// The load of this many sources.
    pub(super) fn times(self, sources: f64) -> Self {
        match self {
            _ if sources == 0.0 => Self::Rate(0.0),
            Self::Rate(rate) => Self::Rate(rate * sources),
            Self::AtMost(rate) => Self::AtMost(rate * sources),
            other => other,
        }
    }

    /// The sum of both.
    pub(super) fn plus(self, other: Self) -> Self {
        match (self, other) {
            (load, Self::Rate(0.0)) | (Self::Rate(0.0), load) => load,
            (Self::Rate(a), Self::Rate(b)) => Self::Rate(a + b),
            (Self::AtMost(a) | Self::Rate(a), Self::AtMost(b) | Self::Rate(b)) => Self::AtMost(a + b),
            (Self::Everything, _) | (_, Self::Everything) => Self::Everything,
            (Self::Unbounded, _) | (_, Self::Unbounded) => Self::Unbounded,
        }
    }
}

/// Counts of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrafficCounts {
    /// Transfers that started.
    pub transfers: u64,
    /// Of these, transfers without an end.
    pub endless: u64,
    /// Payload of the transfers with an end, bytes.
    pub bytes: u64,
    /// Transfers that finished.
    pub finished: u64,
    /// Datagrams.
    pub packets: u64,
    /// Bytes on the wire of transfers with an end ([`wire_bytes`]) and of datagrams.
    pub wire: u64,
    /// Bytes on the wire that left the bottleneck, retransmissions included.
    pub carried: u64,
}

impl TrafficCounts {
    /// Mean payload of the transfers with an end, bytes.
    #[must_use]
    pub fn mean_size(&self) -> Option<f64> {
        let ended = self.transfers - self.endless;
        (ended > 0).then(|| self.bytes as f64 / ended as f64)
    }

    /// Offered bits on the wire per second over `interval` ns.
    #[must_use]
    pub fn offered(&self, interval: u64) -> f64 {
        self.wire as f64 * 8e9 / interval.max(1) as f64
    }

    /// Carried bits on the wire per second over `interval` ns.
    #[must_use]
    pub fn carried(&self, interval: u64) -> f64 {
        self.carried as f64 * 8e9 / interval.max(1) as f64
    }
}

/// Counts of a group: of the measured interval, and a few over the whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    measured: [TrafficCounts; 2],
    run: [TransferCounts; 2],
}

impl Load {
    /// Counts of one direction.
    #[must_use]
    pub const fn of(&self, direction: Direction) -> &TrafficCounts {
        &self.measured[direction as usize]
    }

    /// Counts of one direction over the whole run.
    #[must_use]
    pub const fn over_the_run(&self, direction: Direction) -> &TransferCounts {
        &self.run[direction as usize]
    }

    fn counts_mut(&mut self, direction: Direction) -> &mut TrafficCounts {
        &mut self.measured[direction as usize]
    }

    /// A transfer started, in segments of `mss`; `measured`: within the measured interval.
    pub fn started(&mut self, transfer: &Transfer, mss: u32, measured: bool) {
        self.run[transfer.direction as usize].transfers += 1;
        if !measured {
            return;
        }
        let counts = self.counts_mut(transfer.direction);
        counts.transfers += 1;
        match transfer.bytes {
            None => counts.endless += 1,
            Some(bytes) => {
                counts.bytes = counts.bytes.saturating_add(bytes);
                counts.wire = counts.wire.saturating_add(wire_bytes(bytes, mss));
            }
        }
    }

    /// A transfer in this direction finished.
    pub fn finished(&mut self, direction: Direction, measured: bool) {
        self.run[direction as usize].finished += 1;
        self.counts_mut(direction).finished += u64::from(measured);
    }

    /// A datagram was sent.
    pub fn sent(&mut self, packet: &Datagram, measured: bool) {
        self.run[packet.direction as usize].datagrams += 1;
        if !measured {
            return;
        }
        let counts = self.counts_mut(packet.direction);
        counts.packets += 1;
        counts.wire = counts.wire.saturating_add(u64::from(packet.bytes));
    }

    /// A packet of the group left the bottleneck.
    pub fn carried(&mut self, direction: Direction, bytes: u64) {
        let counts = self.counts_mut(direction);
        counts.carried = counts.carried.saturating_add(bytes);
    }
}
