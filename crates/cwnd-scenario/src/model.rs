// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scenario: links, the flows through them, and what to record.

use crate::route::RouteSpec;
use crate::traffic::Traffic;
use cwnd::registry::Recovery;
use cwnd_link::random::RandomStream;
use cwnd_link::{Jitter, Limit, Loss, QueueConfig, RedConfig, RedUnit, Reorder, Trace};
use std::sync::Arc;

/// IP and TCP headers with timestamps: 20 + 20 + 12 bytes.
pub const HEADER_BYTES: u32 = 52;

/// Numbers of the random streams of a run: `STREAMS_OF_A_LINK` per link, then those of the flows.
pub(crate) const STREAM_LOSS: u64 = 0;
pub(crate) const STREAM_QUEUE: u64 = 1;
pub(crate) const STREAM_DELAY: u64 = 2;
pub(crate) const STREAMS_OF_A_LINK: u64 = 4;
pub(crate) const STREAM_FLOWS: u64 = 1 << 32;
pub(crate) const STREAM_OVERHEAD: u64 = 2 << 32;

/// A scenario. Times in ns, rates in bit/s.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// Name, for display.
    pub name: String,
    /// Simulated time.
    pub duration: u64,
    /// Interval that the summary measures.
    pub measure: (u64, u64),
    /// Seed of every random draw.
    pub seed: u64,
    /// Size of every full data packet on the wire, bytes.
    pub packet_size: u32,
    /// The links; the first is the one that a summary calls the bottleneck. Never empty.
    pub links: Vec<LinkSpec>,
    /// The links of a dumbbell; `None` for any other graph.
    pub dumbbell: Option<Dumbbell>,
    /// Groups of flows, in the order of their numbers.
    pub flows: Vec<FlowGroup>,
    /// Traffic groups.
    pub traffic: Vec<Traffic>,
    /// Actions on flows and links, in the order of time.
    pub actions: Vec<Action>,
    /// What to record.
    pub record: RecordSpec,
}

/// The numbers of the links of a dumbbell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dumbbell {
    /// The bottleneck.
    pub forward: u32,
    /// The reverse link, if the reverse path is a link with a queue. Without, the reverse path neither queues nor loses packets.
    pub reverse: Option<u32>,
}

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

/// A scheduled action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// When.
    pub at: u64,
    /// What.
    pub what: ActionKind,
}

/// See [`Action`]. Flows and links by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActionKind {
    /// The flow's application starts, or resumes after a stop.
    Start(String),
    /// The flow's application stops.
    Stop(String),
    /// The live connection switches to another algorithm with these parameters.
    Switch(String, String, Vec<(String, String)>),
    /// The link's rate becomes this, bit/s; 0 is an outage.
    Rate(String, u64),
    /// The link's one-way propagation delay becomes this.
    Delay(String, u64),
    /// The link's queue gets this limit. Shrinking the limit does not drop queued packets.
    Buffer(String, Buffer),
}

/// Limit of a queue, in the units of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// Packets.
    Packets(u64),
    /// Bytes.
    Bytes(u64),
    /// As many bytes as the link sends in this time, ns.
    Time(u64),
    /// Multiples of rate × RTT, in millionths, and the min number of packets; 0 without a minimum.
    Bdp(u64, u64),
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

/// When a flow starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At this time.
    At(u64),
    /// Uniformly within this interval, drawn from the seed.
    Uniform(u64, u64),
}

/// An access link: a link of one flow, before all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessLink {
    /// Rate, bit/s.
    pub rate: u64,
    /// Limit of its queue, packets.
    pub limit: u64,
}

/// A group of flows with the same settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowGroup {
    /// Algorithm or parameter set.
    pub cc: String,
    /// The user's label; without, [`Scenario::labels`] derives one.
    pub label: Option<String>,
    /// Parameters that differ from the set, as written.
    pub params: Vec<(String, String)>,
    /// How many flows.
    pub count: u32,
    /// Start of each.
    pub start: Start,
    /// When the application stops, if it does.
    pub stop: Option<u64>,
    /// Round trip time, when not the link's.
    pub rtt: Option<u64>,
    /// Recovery, when not the one that goes with `cc`.
    pub recovery: Option<Recovery>,
    /// Initial window, segments (RFC 6928).
    pub initial_cwnd: u32,
    /// Initial slow start threshold, segments.
    pub initial_ssthresh: Option<u32>,
    /// The receiver acknowledges every n-th segment at the latest.
    pub ack_every: u32,
    /// Longest delay of an acknowledgement.
    pub ack_delay: u64,
    /// Receive window, segments.
    pub rwnd: Option<u32>,
    /// Min distance of the retransmission timeout above the smoothed RTT (Linux: 200 ms).
    pub min_rto: u64,
    /// Whether early duplicate acknowledgements release new segments (RFC 3042).
    pub limited_transmit: bool,
    /// Max random delay between the sender's decision to send a packet and its transmission, ns.
    pub overhead: u64,
    /// Ticks per second of the host's clock.
    pub host_clock: u32,
    /// Its route.
    pub route: RouteSpec,
    /// The access link of each flow, before the route.
    pub access: Option<AccessLink>,
    /// One-way propagation delay from the sender to the first link, part of the round trip time.
    pub access_delay: u64,
    /// Whether the flow is paced.
    pub pacing: bool,
    /// Max packets per burst.
    pub burst: Option<u32>,
    /// Payload of each flow, bytes; without, it never ends.
    pub size: Option<u64>,
    /// Rate at which the application writes payload, bit/s; without, there is always data to send.
    pub app_rate: Option<u64>,
    /// Whether the window is reset after an idle time (RFC 5681 §4.1).
    pub idle_restart: bool,
}

/// Which inner variables of the algorithms to record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Inner {
    /// None.
    #[default]
    Off,
    /// All that the flows' algorithms show.
    All,
    /// Those with these names.
    Only(Vec<String>),
}

impl Inner {
    /// Whether the variable called `name` is one of them.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        match self {
            Self::Off => false,
            Self::All => true,
            Self::Only(names) => names.iter().any(|known| known == name),
        }
    }
}

/// Which flows have rows in the tables `cwnd` and `inner`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RecordedFlows {
    /// All of them.
    #[default]
    All,
    /// None of them.
    Nothing,
    /// These.
    Only(Vec<FlowRef>),
}

/// Flows that [`RecordedFlows::Only`] names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlowRef {
    /// The flow of this number in the tables.
    Number(u32),
    /// The flow of this name, or all flows of the algorithm of this name.
    Name(String),
}

/// What to record in addition to the summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordSpec {
    /// Interval of the samples in the tables `cwnd` and `queue`; 0 for no samples.
    pub interval: u64,
    /// A row of `cwnd` at every acknowledgement, instead of samples.
    pub per_ack: bool,
    /// Inner variables of the algorithms, in the table `inner`, whenever a row of `cwnd` is written.
    pub inner: Inner,
    /// The flows that have such rows.
    pub flows: RecordedFlows,
    /// Max expected size of the tables, bytes, if limited.
    pub limit: Option<u64>,
}

/// One flow, everything resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Name: the label, with a number where several flows have it.
    pub name: String,
    /// The label of its group, see [`Scenario::labels`].
    pub label: Arc<str>,
    /// Recovery.
    pub recovery: Recovery,
    /// Round trip time without queueing and serialisation, at time 0.
    pub rtt: u64,
    /// Numbers of the links of its data, in order.
    pub path: Arc<[u32]>,
    /// Numbers of the links of its acknowledgements. A reverse path without links neither queues nor loses packets.
    pub back: Arc<[u32]>,
    /// Start.
    pub start: u64,
    /// Random stream of the send overhead.
    pub overhead_stream: RandomStream,
    /// Its group.
    pub group: Arc<FlowGroup>,
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

impl Scenario {
    /// Payload of a full segment, bytes.
    #[must_use]
    pub const fn mss(&self) -> u32 {
        self.packet_size - HEADER_BYTES
    }

    /// The first link.
    #[must_use]
    pub fn bottleneck(&self) -> &LinkSpec {
        &self.links[0]
    }
}
