// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scenario: links, the flows through them, and what to record.

use crate::traffic::Traffic;
use cwnd::registry::Recovery;
use cwnd_link::random::Stream;
use cwnd_link::{Jitter, Limit, Loss, Queue, RedParams, RedUnit, Reorder, Trace};
use std::sync::Arc;

/// IP and TCP headers with timestamps: 20 + 20 + 12 bytes.
pub const HEADER_BYTES: u32 = 52;

/// Random streams of a run, by what draws from them: those of the links, `STREAMS_OF_A_LINK` each, then the flows'.
pub(crate) const STREAM_LOSS: u64 = 0;
pub(crate) const STREAM_QUEUE: u64 = 1;
pub(crate) const STREAM_DELAY: u64 = 2;
pub(crate) const STREAMS_OF_A_LINK: u64 = 4;
pub(crate) const STREAM_FLOWS: u64 = 1 << 32;
pub(crate) const STREAM_OVERHEAD: u64 = 2 << 32;

/// What to run. Times in ns, rates in bit/s.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// Name, for people.
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
    pub links: Vec<Link>,
    /// Which links a dumbbell is made of; `None` for any graph.
    pub dumbbell: Option<Dumbbell>,
    /// Groups of like flows, in the order of their numbers.
    pub flows: Vec<Group>,
    /// Traffic beside them.
    pub traffic: Vec<Traffic>,
    /// What is done to flows and links at given times, in the order of time.
    pub actions: Vec<Action>,
    /// What to record.
    pub record: Record,
}

/// The two ways through a dumbbell, as numbers of links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dumbbell {
    /// The bottleneck.
    pub forward: u32,
    /// The way back, when it is a link with a queue of its own; else nothing is ever queued or lost there.
    pub reverse: Option<u32>,
}

/// A one-way link behind a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Name, unlike every other link's.
    pub name: String,
    /// The node that it leads from.
    pub from: String,
    /// The node that it leads to.
    pub to: String,
    /// How fast it sends, IP bits on the wire.
    pub rate: LinkRate,
    /// One-way propagation of the link itself; a flow's round trip beyond its links' is spent at its ends.
    pub delay: u64,
    /// Round trip time that sizes in multiples of the BDP refer to; in a dumbbell also that of flows that name none.
    pub rtt: u64,
    /// Size of the queue.
    pub buffer: Buffer,
    /// What drops packets beside its limit.
    pub discipline: Discipline,
    /// Losses beside the queue's.
    pub loss: Loss,
    /// Random delay beside the propagation.
    pub jitter: Jitter,
    /// Whether jitter may put packets out of order.
    pub overtaking: bool,
    /// Packets held back, so that later ones pass them.
    pub reorder: Option<Reorder>,
}

/// How fast a link sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkRate {
    /// At this rate, bit/s.
    Constant(u64),
    /// At the first rate, then at others from given times on, bit/s; 0 is an outage.
    Steps(u64, Vec<(u64, u64)>),
    /// By a trace of opportunities, and the file that it was read from.
    Trace(Trace, String),
}

impl LinkRate {
    /// The rate that sizes in time and BDP refer to: the first, of a trace the mean.
    #[must_use]
    pub fn nominal(&self) -> u64 {
        match self {
            Self::Constant(rate) | Self::Steps(rate, _) => *rate,
            Self::Trace(trace, _) => trace.mean_rate(),
        }
    }
}

/// Something done at a given time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// When.
    pub at: u64,
    /// What.
    pub what: What,
}

/// See [`Action`]. Flows and links by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The flow's application starts, or goes on after a stop.
    Start(String),
    /// The flow's application stops.
    Stop(String),
    /// The live connection goes over to another algorithm with these parameters.
    Switch(String, String, Vec<(String, String)>),
    /// The link's rate becomes this, bit/s; 0 is an outage.
    Rate(String, u64),
    /// The link's one-way propagation becomes this.
    Delay(String, u64),
    /// The link's queue gets this limit. A queue that shrinks drops nobody who waits.
    Buffer(String, Buffer),
}

/// Size of a queue as a person says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// Packets.
    Packets(u64),
    /// Bytes.
    Bytes(u64),
    /// What the link sends in this time, ns.
    Time(u64),
    /// Multiples of rate × RTT, in millionths, and the fewest packets that it may come to; 0 when no such floor is named.
    Bdp(u64, u64),
}

/// What a queue does beside holding packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Discipline {
    /// Nothing: it drops what it has no room for.
    #[default]
    DropTail,
    /// Random Early Detection.
    Red(Red),
}

/// Settings of RED (Floyd and Jacobson 1993) as a person says them. Thresholds in bytes both, or neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Red {
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

/// The links that a flow uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Route {
    /// A dumbbell's forward way, and back by its reverse one.
    #[default]
    Forward,
    /// The other way round.
    Reverse,
    /// By the fewest links from one node to another and, if links lead there, back.
    Ends(String, String),
    /// By these links, in order, and back by those; nothing is ever queued or lost on a way back without links.
    Links(Vec<String>, Vec<String>),
}

/// A link of a flow's own before all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Rate, bit/s.
    pub rate: u64,
    /// Size of its queue, packets.
    pub limit: u64,
}

/// Like flows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Algorithm or parameter set.
    pub cc: String,
    /// What the user calls it; without, [`Scenario::labels`] derives a name.
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
    /// How far the retransmission timeout lies above the smoothed RTT at least (Linux's 200 ms).
    pub min_rto: u64,
    /// Whether early duplicate acknowledgements release new segments (RFC 3042).
    pub limited_transmit: bool,
    /// The host sends a packet a random time of up to this after it decided to, ns.
    pub overhead: u64,
    /// Ticks per second of the host's clock.
    pub host_clock: u32,
    /// Its links.
    pub route: Route,
    /// A link of each flow's own before them.
    pub access: Option<Access>,
    /// One-way propagation from the sender to the first link, part of the round trip.
    pub access_delay: u64,
    /// Whether packets leave at a pace instead of in bursts.
    pub pacing: bool,
    /// Most packets that leave at once.
    pub burst: Option<u32>,
    /// Payload of each flow, bytes; without, it never ends.
    pub size: Option<u64>,
    /// Rate at which the application writes payload, bit/s; without, it is always ahead.
    pub app_rate: Option<u64>,
    /// Whether the window falls back after an idle time (RFC 5681 §4.1).
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
            Self::Only(names) => names.iter().any(|one| one == name),
        }
    }
}

/// Which flows have rows in the tables `cwnd` and `inner`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Chosen {
    /// All of them.
    #[default]
    All,
    /// None of them.
    Nothing,
    /// These.
    Only(Vec<Pick>),
}

/// Flows that [`Chosen::Only`] names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pick {
    /// The flow of this number in the tables.
    Number(u32),
    /// The flow of this name, or all flows of the algorithm of this name.
    Name(String),
}

/// What to record beside the summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Distance of the samples in the tables `cwnd` and `queue`; 0 for none.
    pub interval: u64,
    /// A row of `cwnd` at every acknowledgement, instead of samples.
    pub per_ack: bool,
    /// Inner variables of the algorithms, in the table `inner`, whenever a row of `cwnd` is written.
    pub inner: Inner,
    /// Whose rows those are.
    pub flows: Chosen,
    /// Most bytes that the tables may be expected to hold, when there is such a limit.
    pub limit: Option<u64>,
}

/// One flow, everything resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Name: the label, with a number where several flows have it.
    pub name: String,
    /// What its group is called, see [`Scenario::labels`].
    pub label: Arc<str>,
    /// Recovery.
    pub recovery: Recovery,
    /// Round trip time without queueing and serialisation, at time 0.
    pub rtt: u64,
    /// Numbers of the links that its data crosses, in order.
    pub path: Arc<[u32]>,
    /// Numbers of the links that its acknowledgements cross; nothing is queued or lost on a way back without links.
    pub back: Arc<[u32]>,
    /// Start.
    pub start: u64,
    /// What the send overhead draws from.
    pub overhead_stream: Stream,
    /// What it shares with its like.
    pub group: Arc<Group>,
}

impl Link {
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

    /// A size as the limit of this link's queue. A part of a BDP that is less than a packet is one packet.
    #[must_use]
    pub fn room(&self, buffer: Buffer, packet: u32) -> Limit {
        let above_0 = self.rate.nominal() > 0 && self.rtt > 0;
        match (buffer, self.threshold(buffer, packet)) {
            (Buffer::Bdp(1.., _), Limit::Packets(0)) if above_0 => Limit::Packets(1),
            (_, limit) => limit,
        }
    }

    /// The discipline as the link takes it. A typical packet is a full one.
    #[must_use]
    pub fn queue(&self, packet: u32) -> Queue {
        let Discipline::Red(red) = self.discipline else { return Queue::DropTail };
        let threshold = |buffer| match self.threshold(buffer, packet) {
            Limit::Packets(n) => (RedUnit::Packets, n),
            Limit::Bytes(n) | Limit::Time(n) => (RedUnit::Bytes, n),
        };
        let ((unit, min), (_, max)) = (threshold(red.min), threshold(red.max));
        Queue::Red(RedParams {
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
    pub fn bottleneck(&self) -> &Link {
        &self.links[0]
    }
}
