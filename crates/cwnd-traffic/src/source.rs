// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a source announces, and its state.

use crate::direction::Direction;

/// What a source announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceEvent {
    /// Start this transfer at its time; then ask for the next event.
    Start(Transfer),
    /// Send this datagram at its time; then ask for the next event.
    Send(Datagram),
    /// Nothing before a transfer of this source finishes (or, for an answer of [`TrafficGroup::finished`](crate::TrafficGroup::finished), beyond the start
    /// that is announced).
    Wait,
    /// Nothing any more. Running transfers may still finish.
    Done,
}

/// The connection of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connection {
    /// It opens one.
    New,
    /// It uses the source's last one (as a response does, in the other direction).
    Last,
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
    /// Its connection.
    pub connection: Connection,
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

/// State of one source; only its [`TrafficGroup`](crate::TrafficGroup) interprets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrafficSource {
    /// Start of the page, of the burst; else of the source.
    pub(crate) at: u64,
    /// From where the next gap counts; for datagrams, how many of the burst were sent.
    pub(crate) last: u64,
    /// Pages, exchanges, datagrams of the burst that are left.
    pub(crate) left: u64,
    /// Round trip time, ns; none: the path's own.
    pub(crate) rtt: Option<u64>,
    /// Objects of the page that are left.
    pub(crate) objects: u32,
    /// Transfers announced or running.
    pub(crate) running: u32,
    pub(crate) direction: Direction,
    /// A start is announced and has not happened.
    pub(crate) pending: bool,
    /// A response is due, not a request.
    pub(crate) responds: bool,
    /// A connection exists.
    pub(crate) connected: bool,
    /// No start will be announced any more.
    pub(crate) over: bool,
}

impl TrafficSource {
    /// The connection of the next transfer, where the source keeps its connection or not.
    pub(crate) const fn connection(&self, keep: bool) -> Connection {
        if keep && self.connected { Connection::Last } else { Connection::New }
    }
}

const _: () = assert!(size_of::<TrafficSource>() <= 56);
