// SPDX-License-Identifier: MIT OR Apache-2.0
//! The load of a group: asked, offered, carried.
//!
//! The asked load is the mean that the scenario's numbers imply. The offered load is what the sources drew. The carried load is what
//! the link transmitted. With a heavy tail the asked and the offered load differ for a long time: at a shape of 1.2 the mean of n
//! transfers converges as n^(−1/6), so 2 % takes about 10¹⁰ transfers. Therefore both are reported.

use crate::direction::Direction;
use crate::source::{Datagram, Transfer};

/// Sizes of a full segment, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SegmentSize {
    /// Its payload.
    pub payload: u32,
    /// The headers of each segment, on the wire.
    pub headers: u32,
}

impl SegmentSize {
    /// Bytes on the wire of a transfer of `payload` bytes: headers once per segment, the last one short. Acknowledgements and
    /// retransmissions are not counted.
    #[must_use]
    pub const fn wire_bytes(self, payload: u64) -> u64 {
        let full = if self.payload == 0 { 1 } else { self.payload as u64 };
        payload.saturating_add(payload.div_ceil(full).saturating_mul(self.headers as u64))
    }
}

/// The load that a group asks for in one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AskedLoad {
    /// This many bits on the wire per second, on average.
    Rate(f64),
    /// At most this rate: pauses begin when transfers end, so the duration of transfers reduces it.
    AtMost(f64),
    /// All available capacity.
    Everything,
    /// Its mean does not exist.
    Unbounded,
    /// Listed transfers, which name no rate.
    List,
}

impl AskedLoad {
    /// What kind it is, in a word, and its bits per second where it has some.
    #[must_use]
    pub const fn in_words(self) -> (&'static str, Option<f64>) {
        match self {
            Self::Rate(rate) => ("rate", Some(rate)),
            Self::AtMost(rate) => ("at most", Some(rate)),
            Self::Everything => ("everything", None),
            Self::Unbounded => ("no mean", None),
            Self::List => ("list", None),
        }
    }

    /// The load of this many sources.
    pub(crate) fn times(self, sources: f64) -> Self {
        match self {
            _ if sources == 0.0 => Self::Rate(0.0),
            Self::Rate(rate) => Self::Rate(rate * sources),
            Self::AtMost(rate) => Self::AtMost(rate * sources),
            other => other,
        }
    }

    /// The sum of both.
    pub(crate) fn plus(self, other: Self) -> Self {
        match (self, other) {
            (load, Self::Rate(0.0)) | (Self::Rate(0.0), load) => load,
            (Self::Rate(a), Self::Rate(b)) => Self::Rate(a + b),
            (Self::AtMost(a) | Self::Rate(a), Self::AtMost(b) | Self::Rate(b)) => Self::AtMost(a + b),
            (Self::Everything, _) | (_, Self::Everything) => Self::Everything,
            (Self::Unbounded, _) | (_, Self::Unbounded) => Self::Unbounded,
            (Self::List, _) | (_, Self::List) => Self::List,
        }
    }
}

/// Counts of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
    pub datagrams: u64,
    /// Bytes on the wire of transfers with an end ([`SegmentSize::wire_bytes`]) and of datagrams.
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

/// Counts of a group: of the measured interval, and over the whole run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Load {
    interval: (u64, u64),
    segment: SegmentSize,
    measured: [TrafficCounts; 2],
    run: [TrafficCounts; 2],
}

impl Load {
    /// Nothing counted yet. The measured interval is from the first to before the second time, ns.
    #[must_use]
    pub fn new(interval: (u64, u64), segment: SegmentSize) -> Self {
        Self { interval, segment, measured: Default::default(), run: Default::default() }
    }

    /// Counts of one direction in the measured interval.
    #[must_use]
    pub const fn measured(&self, direction: Direction) -> &TrafficCounts {
        &self.measured[direction as usize]
    }

    /// Counts of one direction over the whole run. What was carried is not counted over the run.
    #[must_use]
    pub const fn run(&self, direction: Direction) -> &TrafficCounts {
        &self.run[direction as usize]
    }

    fn count(&mut self, now: u64, direction: Direction, count: impl Fn(&mut TrafficCounts)) {
        count(&mut self.run[direction as usize]);
        if self.interval.0 <= now && now < self.interval.1 {
            count(&mut self.measured[direction as usize]);
        }
    }

    /// A transfer starts at `now`, ns.
    pub fn started(&mut self, now: u64, transfer: &Transfer) {
        let segment = self.segment;
        self.count(now, transfer.direction, |counts| {
            counts.transfers += 1;
            match transfer.bytes {
                None => counts.endless += 1,
                Some(bytes) => {
                    counts.bytes = counts.bytes.saturating_add(bytes);
                    counts.wire = counts.wire.saturating_add(segment.wire_bytes(bytes));
                }
            }
        });
    }

    /// A transfer in this direction finished at `now`, ns.
    pub fn finished(&mut self, now: u64, direction: Direction) {
        self.count(now, direction, |counts| counts.finished += 1);
    }

    /// A datagram is sent at `now`, ns.
    pub fn sent(&mut self, now: u64, datagram: &Datagram) {
        self.count(now, datagram.direction, |counts| {
            counts.datagrams += 1;
            counts.wire = counts.wire.saturating_add(u64::from(datagram.bytes));
        });
    }

    /// Packets of the group left the bottleneck in the measured interval.
    pub fn carried(&mut self, direction: Direction, bytes: u64) {
        let counts = &mut self.measured[direction as usize];
        counts.carried = counts.carried.saturating_add(bytes);
    }
}
