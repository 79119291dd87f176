// SPDX-License-Identifier: MIT OR Apache-2.0
//! The load of a group: asked, offered, carried.
//!
//! Asked is what the scenario's numbers say, offered what the sources drew, carried what the engine says went over
//! the link. With a heavy tail the first two differ for long: at a shape of 1.2 the mean of n transfers comes within
//! a given distance of its own only as n^(−1/6), so 2 % takes of the order of 10¹⁰ transfers. That is why they are
//! reported side by side.

use super::{Direction, Packet, Transfer};
use cwnd_scenario::HEADER_BYTES;

/// Bytes on the wire of a transfer of `payload` bytes in segments of `mss`: headers once per segment, the last one
/// short. Acknowledgements and retransmissions are not counted.
#[must_use]
pub const fn wire_bytes(payload: u64, mss: u32) -> u64 {
    payload.saturating_add(
        payload.div_ceil(if mss == 0 { 1 } else { mss as u64 }).saturating_mul(HEADER_BYTES as u64),
    )
}

/// What a group asks of the link in one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Asked {
    /// This many bits on the wire per second, on average.
    Rate(f64),
    /// At most that: pauses begin when transfers end, so the time that these take lowers it.
    AtMost(f64),
    /// As much as there is.
    Everything,
    /// No mean exists.
    Unbounded,
}

impl Asked {
    /// Of so many sources.
    pub(super) fn times(self, sources: f64) -> Self {
        match self {
            _ if sources == 0.0 => Self::Rate(0.0),
            Self::Rate(rate) => Self::Rate(rate * sources),
            Self::AtMost(rate) => Self::AtMost(rate * sources),
            other => other,
        }
    }

    /// Of both together.
    pub(super) fn plus(self, other: Self) -> Self {
        match (self, other) {
            (one, Self::Rate(0.0)) | (Self::Rate(0.0), one) => one,
            (Self::Rate(a), Self::Rate(b)) => Self::Rate(a + b),
            (Self::AtMost(a) | Self::Rate(a), Self::AtMost(b) | Self::Rate(b)) => Self::AtMost(a + b),
            (Self::Everything, _) | (_, Self::Everything) => Self::Everything,
            (Self::Unbounded, _) | (_, Self::Unbounded) => Self::Unbounded,
        }
    }
}

/// Counts of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Transfers that started.
    pub transfers: u64,
    /// Those of them without an end.
    pub endless: u64,
    /// Payload of the others, bytes.
    pub bytes: u64,
    /// Transfers that finished.
    pub finished: u64,
    /// Datagrams.
    pub packets: u64,
    /// Bytes on the wire of transfers with an end ([`wire_bytes`]) and of datagrams.
    pub wire: u64,
    /// Bytes on the wire that left the bottleneck, retransmissions and all.
    pub carried: u64,
}

impl Tally {
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

/// What is counted of one direction over the whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Started {
    /// Transfers that started.
    pub transfers: u64,
    /// Transfers that finished.
    pub finished: u64,
    /// Datagrams.
    pub packets: u64,
}

/// Counts of a group: of the measured interval, and a few over the whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    tallies: [Tally; 2],
    run: [Started; 2],
}

impl Load {
    /// Counts of one direction.
    #[must_use]
    pub const fn of(&self, direction: Direction) -> &Tally {
        &self.tallies[direction as usize]
    }

    /// Counts of one direction over the whole run.
    #[must_use]
    pub const fn over_the_run(&self, direction: Direction) -> &Started {
        &self.run[direction as usize]
    }

    fn tally(&mut self, direction: Direction) -> &mut Tally {
        &mut self.tallies[direction as usize]
    }

    /// A transfer started, in segments of `mss`; `measured`: within the measured interval.
    pub fn started(&mut self, transfer: &Transfer, mss: u32, measured: bool) {
        self.run[transfer.direction as usize].transfers += 1;
        if !measured {
            return;
        }
        let tally = self.tally(transfer.direction);
        tally.transfers += 1;
        match transfer.bytes {
            None => tally.endless += 1,
            Some(bytes) => {
                tally.bytes = tally.bytes.saturating_add(bytes);
                tally.wire = tally.wire.saturating_add(wire_bytes(bytes, mss));
            }
        }
    }

    /// A transfer in this direction finished.
    pub fn finished(&mut self, direction: Direction, measured: bool) {
        self.run[direction as usize].finished += 1;
        self.tally(direction).finished += u64::from(measured);
    }

    /// A datagram was sent.
    pub fn sent(&mut self, packet: &Packet, measured: bool) {
        self.run[packet.direction as usize].packets += 1;
        if !measured {
            return;
        }
        let tally = self.tally(packet.direction);
        tally.packets += 1;
        tally.wire = tally.wire.saturating_add(u64::from(packet.bytes));
    }

    /// A packet of the group left the bottleneck.
    pub fn carried(&mut self, direction: Direction, bytes: u64) {
        let tally = self.tally(direction);
        tally.carried = tally.carried.saturating_add(bytes);
    }
}
