// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traffic as the papers have it: generators that say when to send what, and know nothing of the network.
//!
//! A [`Group`] is prepared from one `[[traffic]]` of a scenario ([`cwnd_scenario::traffic`] holds the keys, the named
//! sets of numbers and their sources). It makes its [`Source`]s, small states that only it can advance. An engine
//! drives a source like this:
//!
//! * [`Group::next`] at the beginning, and again when the transfer or packet that it answered last has started.
//! * [`Group::finished`] when a transfer of the source has finished, if [`Group::closed`]; sources of open groups
//!   need not be told.
//! * Either answers with one [`Event`]: start this at that time; nothing before a transfer finishes; nothing ever
//!   again.
//!
//! So a source has at most one start that is announced and has not happened, and an engine needs one place per source
//! in its queue. A
//! source's times never go back.
//!
//! **Randomness.** Each source draws from a stream of its own, and in an order that its own decisions fix: pages,
//! objects and sizes of a session are the same whatever the network, the algorithm or the other sources do; only
//! their times differ.
//!
//! **Sources and what nobody has checked.** See [`cwnd_scenario::traffic::PRESETS`]. Settled here, because the
//! documents are silent: a session begins with a pause (so that sessions that start together do not fetch together);
//! sizes are drawn in bytes, also where a mean is given in packets; a transfer has one byte at least, a page one
//! object; a `mix` begins empty (no transfers that are under way at time 0, so its load builds up within the longest
//! common transfer time); the wire share counts data with headers, not acknowledgements, which load the other
//! direction with about 52 bytes for every second segment.

mod distribution;
mod group;
mod law;
mod load;
mod special;
mod steps;

pub use distribution::Draw;
pub use group::{Group, LinkFacts};
pub use load::{Asked, Load, Started, Tally, wire_bytes};

use cwnd_link::random::Stream;

/// Which way through the bottleneck.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// As the experiment's flows go.
    Forward = 0,
    /// Against them.
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

/// What a source wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Start this transfer at its time; then ask for the next event.
    Start(Transfer),
    /// Send this datagram at its time; then ask for the next event.
    Send(Packet),
    /// Nothing before a transfer of this source finishes (or, for an answer of [`Group::finished`], beyond the start
    /// that is announced).
    Wait,
    /// Nothing any more. Transfers that run may still finish.
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
    /// Which way the payload goes.
    pub direction: Direction,
    /// Whether it opens a connection. If not, it follows on the source's last one (as a response does, in the other
    /// direction).
    pub fresh: bool,
}

/// A datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// When it is sent, ns.
    pub at: u64,
    /// Size on the wire, bytes.
    pub bytes: u32,
    /// Which way it goes.
    pub direction: Direction,
}

/// State of one source; its [`Group`] knows what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    stream: Stream,
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

const _: () = assert!(size_of::<Source>() <= 64);
