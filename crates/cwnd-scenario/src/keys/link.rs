// SPDX-License-Identifier: MIT OR Apache-2.0
//! The keys of a link.

use crate::buffer::Buffer;
use cwnd_link::{Jitter, Limit, Loss, QueueConfig, RedConfig, RedUnit, Reorder, Trace};

/// A one-way link and its queue, as a scenario specifies them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkSpec {
    /// Its name, unique among the links.
    pub name: String,
    /// The node that it starts at.
    pub from: String,
    /// The node that it ends at.
    pub to: String,
    /// Its rate, IP bits on the wire.
    pub rate: LinkRate,
    /// One-way propagation delay of the link. The rest of a flow's round trip time is delay at its ends.
    pub delay: u64,
    /// Round trip time for sizes in multiples of the BDP; in a dumbbell also the default round trip time of flows.
    pub rtt: u64,
    /// Limit of the queue.
    pub buffer: Buffer,
    /// Queue discipline.
    pub discipline: DisciplineSpec,
    /// Random losses.
    pub loss: Loss,
    /// Random delay in addition to the propagation delay.
    pub jitter: Jitter,
    /// Whether jitter may put packets out of order.
    pub overtaking: bool,
    /// Packets that are delayed extra, so that later ones overtake them.
    pub reorder: Option<Reorder>,
}

/// Rate of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkRate {
    /// A constant rate, bit/s.
    Constant(u64),
    /// The first rate, and further rates from given times on, bit/s; 0 is an outage.
    Steps(u64, Vec<(u64, u64)>),
    /// A trace of delivery opportunities, and the file that it was read from.
    Trace(Trace, String),
}

impl LinkRate {
    /// The rate for sizes in time and BDP: the first rate; of a trace the mean.
    #[must_use]
    pub fn nominal(&self) -> u64 {
        match self {
            Self::Constant(rate) | Self::Steps(rate, _) => *rate,
            Self::Trace(trace, _) => trace.mean_rate(),
        }
    }
}

/// Queue discipline, as a scenario specifies it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DisciplineSpec {
    /// Drops packets that arrive at a full queue.
    #[default]
    DropTail,
    /// Random Early Detection.
    Red(RedSpec),
}

/// Settings of RED (Floyd and Jacobson 1993) in the units of a scenario. Either both thresholds are in bytes, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RedSpec {
    /// Average queue from which packets are dropped.
    pub min: Buffer,
    /// Average queue at which `max_p` is reached; above `min`.
    pub max: Buffer,
    /// Probability of a drop there, in units of 2⁻⁶⁴.
    pub max_p: u64,
    /// Weight of a new sample in the average, in units of 2⁻⁶⁴.
    pub weight: u64,
    /// Whether the probability rises on to 1 at twice `max`.
    pub gentle: bool,
}

impl LinkSpec {
    /// rate × RTT in whole packets of `packet` bytes, rounded down.
    #[must_use]
    pub fn bdp_packets(&self, packet: u32) -> u64 {
        self.packets_in(self.rtt, packet)
    }

    fn packets_in(&self, time: u64, packet: u32) -> u64 {
        let packets =
            u128::from(self.rate.nominal()) * u128::from(time) / (8_000_000_000 * u128::from(packet));
        u64::try_from(packets).unwrap_or(u64::MAX)
    }

    /// A size in packets of `packet` bytes, or in bytes.
    #[must_use]
    pub fn threshold(&self, buffer: Buffer, packet: u32) -> Limit {
        match buffer {
            Buffer::Packets(packets) => Limit::Packets(packets),
            Buffer::Bytes(bytes) => Limit::Bytes(bytes),
            Buffer::Time(time) => Limit::Packets(self.packets_in(time, packet)),
            Buffer::Bdp(millionths, floor) => {
                let bits_e9 = u128::from(self.rate.nominal()) * u128::from(self.rtt);
                let packet = 8_000_000_000 * u128::from(packet);
                let packets = bits_e9.saturating_mul(u128::from(millionths)) / (packet * 1_000_000);
                Limit::Packets(u64::try_from(packets).unwrap_or(u64::MAX).max(floor))
            }
        }
    }

    /// The limit of this link's queue for a size. A fraction of a BDP that is less than a packet is one packet.
    #[must_use]
    pub fn limit(&self, buffer: Buffer, packet: u32) -> Limit {
        let above_0 = self.rate.nominal() > 0 && self.rtt > 0;
        match (buffer, self.threshold(buffer, packet)) {
            (Buffer::Bdp(1.., _), Limit::Packets(0)) if above_0 => Limit::Packets(1),
            (_, limit) => limit,
        }
    }

    /// The queue discipline with its parameters in packets or bytes. RED's mean packet is a full one.
    #[must_use]
    pub fn queue_config(&self, packet: u32) -> QueueConfig {
        let DisciplineSpec::Red(red) = self.discipline else { return QueueConfig::DropTail };
        let threshold = |buffer| match self.threshold(buffer, packet) {
            Limit::Packets(n) => (RedUnit::Packets, n),
            Limit::Bytes(n) | Limit::Time(n) => (RedUnit::Bytes, n),
        };
        let ((unit, min), (_, max)) = (threshold(red.min), threshold(red.max));
        QueueConfig::Red(RedConfig {
            unit,
            min,
            max,
            max_p: red.max_p,
            weight: red.weight,
            gentle: red.gentle,
            ecn: false,
            mean_packet: packet,
        })
    }
}
