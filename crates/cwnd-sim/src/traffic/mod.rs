// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traffic models of the papers: generators that decide when to send what. They do not depend on the network.
//!
//! A [`TrafficGroup`] is prepared from one `[[traffic]]` of a scenario ([`cwnd_scenario::traffic`] holds the keys, the named
//! sets of numbers and their sources). It creates its [`TrafficSource`]s, small states that only it can advance. An
//! engine drives a source as follows:
//!
//! * [`TrafficGroup::next`] at the beginning, and again when the transfer or datagram that it returned last has started.
//! * [`TrafficGroup::finished`] when a transfer of the source has finished, if [`TrafficGroup::closed`]; not called
//!   for the sources of open groups.
//! * Both return one [`SourceEvent`]: a start at a given time; nothing before a transfer finishes; or nothing any more.
//!
//! So a source has at most one pending start, and an engine needs one place per source in its queue. The times of a source never
//! decrease.
//!
//! **Randomness.** Each source draws from its own random stream, in an order that depends on its own decisions only. Pages, objects and
//! sizes of a session do not depend on the network, the algorithm or other sources; only their times do.
//!
//! **Sources and unverified numbers.** See [`cwnd_scenario::traffic::PRESETS`]. Where the papers state nothing, we chose: a session
//! begins with a pause, so that sessions that start together do not fetch at the same time; sizes are drawn in bytes, also where a mean
//! is given in packets; a transfer has at least one byte, a page at least one object; a `mix` begins without transfers, so its load
//! builds up within the longest common transfer time; the share counts data with headers, but not acknowledgements, which load the
//! other direction with about 52 bytes for every second segment.

mod continuous;
mod group;
mod load;
mod normal_and_gamma;
mod sampler;
mod source_models;

pub use group::{LinkFacts, TrafficGroup};
pub use load::{Asked, Load, TrafficCounts, wire_bytes};
pub use sampler::Sampler;

use cwnd_link::random::RandomStream;

/// The direction through the bottleneck.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The direction of the experiment's flows.
    Forward = 0,
    /// The opposite direction.
    Reverse = 1,
}

impl Direction {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Forward, Self::Reverse];

    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Forward => Self::Reverse,
            Self::Reverse => Self::Forward,
        }
    }
}

/// What a source announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceEvent {
    /// Start this transfer at its time; then ask for the next event.
    Start(Transfer),
    /// Send this datagram at its time; then ask for the next event.
    Send(Datagram),
    /// Nothing before a transfer of this source finishes (or, for an answer of [`TrafficGroup::finished`], beyond the start
    /// that is announced).
    Wait,
    /// Nothing any more. Running transfers may still finish.
    Done,
}

/// A transfer over TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// When it starts, ns.
    pub at: u64,
    /// Payload, bytes; `None`: no end.
    pub bytes: Option<u64>,
    /// Round trip time without queueing and serialisation, ns; `None`: the path's own.
    pub rtt: Option<u64>,
    /// Receive window, bytes.
    pub window: Option<u64>,
    /// Direction of the payload.
    pub direction: Direction,
    /// Whether it opens a connection. If not, it uses the source's last one (as a response does, in the other direction).
    pub fresh: bool,
}

/// A datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// When it is sent, ns.
    pub at: u64,
    /// Size on the wire, bytes.
    pub bytes: u32,
    /// Its direction.
    pub direction: Direction,
}

/// State of one source; only its [`TrafficGroup`] interprets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrafficSource {
    stream: RandomStream,
    /// Start of the page, of the burst; else of the source.
    at: u64,
    /// From where the next gap counts; for datagrams, how many of the burst were sent.
    last: u64,
    /// Pages, exchanges, datagrams of the burst that are left.
    left: u64,
    /// Round trip time; [`u64::MAX`]: the path's own.
    rtt: u64,
    /// Objects of the page that are left.
    objects: u32,
    /// Transfers announced or running.
    running: u32,
    direction: Direction,
    /// A start is announced and has not happened.
    pending: bool,
    /// A response is due, not a request.
    responds: bool,
    /// A connection exists.
    connected: bool,
    /// No start will be announced any more.
    over: bool,
}

const _: () = assert!(size_of::<TrafficSource>() <= 64);
