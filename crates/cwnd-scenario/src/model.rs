// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scenario: one bottleneck, the flows through it, and what to record.

use cwnd::Controller;
use cwnd::registry::Recovery;
use cwnd_link::random::Stream;
use cwnd_link::{Limit, Loss, Queue, RedParams, RedUnit};

/// IP and TCP headers with timestamps: 20 + 20 + 12 bytes.
pub const HEADER_BYTES: u32 = 52;

/// Random streams of a run, by what draws from them; flows come after.
const STREAM_LOSS: u64 = 0;
const STREAM_QUEUE: u64 = 1;
const STREAM_FLOWS: u64 = 1 << 32;
const STREAM_OVERHEAD: u64 = 2 << 32;

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
    /// The bottleneck.
    pub link: Link,
    /// Groups of like flows, in the order of their numbers.
    pub flows: Vec<Group>,
    /// What to record.
    pub record: Record,
}

/// The bottleneck: a queue before a link of constant rate. The way back is never congested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Rate, IP bits on the wire.
    pub rate: u64,
    /// Round trip time without queueing and serialisation, for flows that name none of their own.
    pub rtt: u64,
    /// Size of the queue.
    pub buffer: Buffer,
    /// What drops packets beside its limit.
    pub discipline: Discipline,
    /// Size of every data packet on the wire, bytes.
    pub packet_size: u32,
    /// Losses beside the queue's.
    pub loss: Loss,
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
    /// Multiples of rate × RTT, in millionths.
    Bdp(u64),
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

/// Like flows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Algorithm or parameter set.
    pub cc: String,
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

/// What to record beside the summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Distance of the samples in the tables `cwnd` and `queue`; 0 for none.
    pub interval: u64,
    /// A row of `cwnd` at every acknowledgement, instead of samples.
    pub per_ack: bool,
    /// Inner variables of the algorithms, in the table `inner`, whenever a row of `cwnd` is written.
    pub inner: Inner,
}

/// One flow, everything resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Name: that of `cc`, with a number where a group has several flows or the name occurs again.
    pub name: String,
    /// Recovery.
    pub recovery: Recovery,
    /// Round trip time without queueing and serialisation.
    pub rtt: u64,
    /// Start.
    pub start: u64,
    /// What the send overhead draws from.
    pub overhead_stream: Stream,
    /// What it shares with its like.
    pub group: Group,
}

impl Flow {
    /// A new instance of the flow's algorithm with its parameters.
    ///
    /// # Panics
    /// When algorithm or parameter do not exist; [`Scenario`]s that came through validation have only those that do.
    #[must_use]
    pub fn controller(&self) -> Controller {
        let mut controller =
            Controller::by_name(&self.group.cc).expect("validated: the algorithm is registered");
        for (name, value) in &self.group.params {
            controller.set_param(name, value).expect("validated: the parameter exists and is in range");
        }
        controller
    }
}

impl Link {
    /// rate × RTT in whole packets, rounded down.
    #[must_use]
    pub fn bdp_packets(&self) -> u64 {
        self.packets_in(self.rtt)
    }

    fn packets_in(&self, time: u64) -> u64 {
        (u128::from(self.rate) * u128::from(time) / (8_000_000_000 * u128::from(self.packet_size))) as u64
    }

    /// The queue's limit.
    #[must_use]
    pub fn limit(&self) -> Limit {
        self.threshold(self.buffer)
    }

    /// A size in packets or bytes.
    pub(crate) fn threshold(&self, buffer: Buffer) -> Limit {
        match buffer {
            Buffer::Packets(packets) => Limit::Packets(packets),
            Buffer::Bytes(bytes) => Limit::Bytes(bytes),
            Buffer::Time(time) => Limit::Packets(self.packets_in(time)),
            Buffer::Bdp(millionths) => {
                let bits_e9 = u128::from(self.rate) * u128::from(self.rtt);
                let packet = 8_000_000_000 * u128::from(self.packet_size);
                Limit::Packets((bits_e9 * u128::from(millionths) / (packet * 1_000_000)) as u64)
            }
        }
    }
}

impl Link {
    /// The discipline as the link takes it. A typical packet is a full one.
    #[must_use]
    pub fn queue(&self) -> Queue {
        let Discipline::Red(red) = self.discipline else { return Queue::DropTail };
        let threshold = |buffer| match self.threshold(buffer) {
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
            mean_packet: self.packet_size,
        })
    }
}

impl Scenario {
    /// Payload of a full segment, bytes.
    #[must_use]
    pub const fn mss(&self) -> u32 {
        self.link.packet_size - HEADER_BYTES
    }

    /// The stream that random losses draw from.
    #[must_use]
    pub const fn loss_stream(&self) -> Stream {
        Stream::new(self.seed, STREAM_LOSS)
    }

    /// The stream that the queue's discipline draws from.
    #[must_use]
    pub const fn queue_stream(&self) -> Stream {
        Stream::new(self.seed, STREAM_QUEUE)
    }

    /// Every flow by itself, start times drawn.
    #[must_use]
    pub fn expand(&self) -> Vec<Flow> {
        let mut flows = Vec::new();
        for group in &self.flows {
            let same: u32 =
                self.flows.iter().filter(|other| other.cc == group.cc).map(|other| other.count).sum();
            for _ in 0..group.count {
                let number = flows.iter().filter(|flow: &&Flow| flow.group.cc == group.cc).count() + 1;
                let name = if same > 1 { format!("{} {number}", group.cc) } else { group.cc.clone() };
                let index = flows.len() as u64;
                flows.push(self.flow(group, name, index));
            }
        }
        flows
    }

    fn flow(&self, group: &Group, name: String, index: u64) -> Flow {
        let recovery = group
            .recovery
            .or_else(|| cwnd::registry::find(&group.cc).map(|(_, set)| set.recovery))
            .unwrap_or_default();
        let start = match group.start {
            Start::At(at) => at,
            Start::Uniform(from, to) => from + Stream::new(self.seed, STREAM_FLOWS + index).below(to - from),
        };
        let overhead_stream = Stream::new(self.seed, STREAM_OVERHEAD + index);
        let rtt = group.rtt.unwrap_or(self.link.rtt);
        Flow { name, recovery, rtt, start, overhead_stream, group: group.clone() }
    }
}
