// SPDX-License-Identifier: MIT OR Apache-2.0
//! Foreign stacks as endpoints: what the engine asks of one end of a connection whose transport is not ours.
//!
//! An endpoint has no clock, no sockets and no threads: time is handed in, in nanoseconds since the run began, and datagrams go in and
//! out as bytes. What it does must follow from that alone, so that one seed gives one result.
//!
//! After each call of [`Endpoint::open`], [`Endpoint::on_datagram`], [`Endpoint::on_timer`], [`Endpoint::write`] or [`Endpoint::finish`]
//! the engine calls [`Endpoint::transmit`] until it has nothing more, then asks for [`Endpoint::next_timer`] and, of the sending end,
//! for the [`Probe`].

use core::fmt;
use cwnd_scenario::{DATAGRAM_HEADERS, Stack};

/// The ECN field of an IP header. // RFC 3168 §5
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum EcnCodepoint {
    /// Not ECN-capable.
    #[default]
    NotEct = 0,
    /// ECT(1).
    Ect1 = 1,
    /// ECT(0).
    Ect0 = 2,
    /// Congestion experienced.
    Ce = 3,
}

/// One end of a connection.
pub trait Endpoint: fmt::Debug + Send {
    /// The connection opens: the sending end begins its handshake. The engine calls it once, first.
    fn open(&mut self, now: u64);

    /// Bytes of the headers around each datagram in the network: those of IPv4 and UDP, or of IPv4 alone around the segments of a TCP.
    /// The engine asks before the connection opens.
    fn headers(&self) -> u32 {
        DATAGRAM_HEADERS
    }

    /// A datagram arrives: the payload of UDP, or the IP payload of a TCP.
    fn on_datagram(&mut self, now: u64, datagram: &[u8], ecn: EcnCodepoint);

    /// The time that [`Endpoint::next_timer`] gave has come.
    fn on_timer(&mut self, now: u64);

    /// The application has `bytes` more to send; `u64::MAX`: without an end. Only of the sending end.
    fn write(&mut self, now: u64, bytes: u64);

    /// The application has nothing more to send, what it has not handed over included; it may go on later by [`Endpoint::write`].
    fn finish(&mut self, now: u64);

    /// Writes the next datagram into `buffer`, which is empty; `None` when there is nothing to send now.
    fn transmit(&mut self, now: u64, buffer: &mut Vec<u8>) -> Option<EcnCodepoint>;

    /// When [`Endpoint::on_timer`] is to be called, ns; `u64::MAX` for never. It may lie in the past: then it is called at once.
    fn next_timer(&mut self) -> u64;

    /// What it shows of itself.
    fn probe(&self) -> Probe;

    /// Why the connection is over, where it is: by a fault, or by the peer.
    fn failure(&self) -> Option<String>;
}

/// What an endpoint shows of itself: state, and counts since the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Probe {
    /// Congestion window, bytes.
    pub cwnd: u64,
    /// Slow start threshold, bytes; `None`: none yet, or not shown.
    pub ssthresh: Option<u64>,
    /// Bytes in flight, as the stack counts them; `None`: not shown.
    pub in_flight: Option<u64>,
    /// Smoothed round trip time, ns; 0 before the first sample.
    pub srtt: u64,
    /// Smallest round trip time, ns; 0 before the first sample.
    pub min_rtt: u64,
    /// Pacing rate, bytes a second; `None`: not paced, or not shown.
    pub pacing_rate: Option<u64>,
    /// Packets declared lost.
    pub lost: u64,
    /// Reductions of the window.
    pub congestion_events: u64,
    /// Times that congestion was persistent (QUIC), or that the retransmission timer fired (TCP), where the stack shows it.
    pub timeouts: u64,
    /// Bytes that the application of a receiving end has read, in order, each once.
    pub read: u64,
}

/// Both ends of a connection.
#[derive(Debug)]
pub struct Connection {
    /// The end that sends data.
    pub sender: Box<dyn Endpoint>,
    /// The end that receives it.
    pub receiver: Box<dyn Endpoint>,
}

/// What a connection of a foreign stack is to be.
#[derive(Debug)]
pub struct ConnectionSpec<'a> {
    /// The stack.
    pub stack: Stack,
    /// The algorithm.
    pub algorithm: StackAlgorithm,
    /// Largest datagram, bytes without the headers of IPv4 and UDP. What a stack sends is at most this and 28 bytes, with its
    /// [`Endpoint::headers`].
    pub datagram: u16,
    /// Receive window of the connection and of its stream, bytes; `None`: the stack's default.
    pub receive_window: Option<u64>,
    /// Whether packets are encrypted and the handshake is TLS.
    pub tls: bool,
    /// Seed of what the stack draws at random.
    pub seed: u64,
    /// The command of a child process that is the stack.
    pub exec: Option<&'a str>,
}

/// The algorithm of a connection of a foreign stack.
#[derive(Debug)]
pub enum StackAlgorithm {
    /// One of ours, with its parameters.
    Ours(cwnd::Controller),
    /// One of the stack's own: `cubic`.
    Stock(String),
}

/// Who makes connections of foreign stacks.
pub trait Stacks {
    /// Makes both ends of a connection, neither of which has been opened.
    ///
    /// # Errors
    /// What the stack cannot be, in one line.
    fn connect(&self, spec: ConnectionSpec<'_>) -> Result<Connection, String>;
}
