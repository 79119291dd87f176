// SPDX-License-Identifier: MIT OR Apache-2.0
//! One flow: sender, receiver, and what the engine keeps of it.
//!
//! Where the way behind a flow's last queue has a constant delay, and the way back loses and queues nothing, a packet's arrival
//! and the arrival of its acknowledgement at the sender are one event, at the latter's time; everything the receiver
//! does is shifted by the constant way back. Such a flow is *fused*.

use crate::host::Host;
use crate::line::Kind;
use crate::receiver::Receiver;
use crate::record::Drops;
use crate::sender::Sender;
use crate::summary::FlowCounts;
use cwnd_scenario::{Flow, HEADER_BYTES};

/// State of one flow.
#[derive(Debug)]
pub struct FlowState {
    /// The times of its entries among the timers, `u64::MAX` when it has none: the retransmission timer's, which is moved by
    /// every acknowledgement, and that of all others. Apart, so that a near one leaves no far one behind.
    pub rto_armed: u64,
    pub armed: u64,
    /// When a delayed acknowledgement is sent (fused: reaches the sender), ns; `u64::MAX` when none is delayed.
    pub ack_at: u64,
    /// When the flow starts, ns; `u64::MAX` once it has.
    pub start_at: u64,
    /// Position that completes the transfer under way, at the receiver; `u64::MAX` when nothing does.
    pub goal: u64,
    /// From the far end of its last link to the receiver, and the way back, without links, ns.
    pub tails: (u64, u64),
    /// From the far end of its last link to its packet's next event, ns.
    pub beyond: u64,
    /// The line behind its last link, and the one to its sender.
    pub exits: (u32, u32),
    /// The last segment that has been written, low half of its position, and its size on the wire, bytes.
    pub last: (u32, u32),
    /// Its links, a number of [`crate::network::Network`].
    pub route: u32,
    /// Its link, where its packets come to the only one as soon as its sender decides; else [`NOT_DIRECT`].
    pub direct: u32,
    pub ack_every: u32,
    pub ack_delay: u64,
    /// Acknowledgements that travel by themselves, under way.
    pub acks_out: u32,
    /// Its transfer under way, a row of the table.
    pub transfer: u32,
    /// What it belongs to.
    pub owner: Owner,
    /// See above.
    pub fused: bool,
    /// Whether its lines are its own.
    pub private: bool,
    /// Whether it has rows in the tables of samples.
    pub recorded: bool,
    /// The receiver.
    pub receiver: Receiver,
    /// The sender.
    pub sender: Sender,
    /// Decided on by the sender, not yet sent, where the host takes its time.
    pub host: Option<Box<Host>>,
    /// Counters and integrals.
    pub count: Count,
}

/// See [`FlowState::direct`].
pub const NOT_DIRECT: u32 = u32::MAX;

/// No transfer.
pub const NO_TRANSFER: u32 = u32::MAX;

/// What a flow belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The scenario: it has a number in the tables.
    Scenario,
    /// A source of traffic, which lives on it, and in which direction (0 or 1).
    Source(u32, u8),
    /// Nobody: its place is free.
    Nobody,
}

/// What a flow's summary is made of.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    /// Packets that left the last link in the measured interval.
    pub forwarded_measured: u64,
    /// Packets that left the last link, as far as known: see [`crate::line::Line::pass`].
    pub forwarded: u64,
    /// Distinct segments that reached the receiver in the measured interval.
    pub distinct_measured: u64,
    /// Bytes that those of either lack to full ones: last segments of transfers are short.
    pub forwarded_short: u64,
    pub distinct_short: u64,
    /// Packets dropped.
    pub dropped: Drops,
    /// ∫ cwnd dt over the measured interval so far, segment · ns.
    pub cwnd_ns: u128,
    /// Window since `cwnd_since`.
    cwnd: u32,
    cwnd_since: u64,
}

/// How a flow is tied to the network.
#[derive(Clone, Copy, Debug)]
pub struct Ties {
    pub route: u32,
    pub direct: u32,
    pub tails: (u64, u64),
    pub exits: (u32, u32),
    pub fused: bool,
}

impl FlowState {
    pub fn new(flow: &Flow, mss: u32, ties: Ties, owner: Owner) -> Self {
        let overhead = flow.group.overhead;
        Self {
            rto_armed: u64::MAX,
            armed: u64::MAX,
            ack_at: u64::MAX,
            start_at: flow.start,
            goal: u64::MAX,
            tails: ties.tails,
            beyond: ties.tails.0 + if ties.fused { ties.tails.1 } else { 0 },
            exits: ties.exits,
            last: (0, mss + HEADER_BYTES),
            route: ties.route,
            direct: if overhead > 0 { NOT_DIRECT } else { ties.direct },
            ack_every: flow.group.ack_every,
            ack_delay: flow.group.ack_delay,
            acks_out: 0,
            transfer: NO_TRANSFER,
            owner,
            fused: ties.fused,
            private: false,
            recorded: false,
            receiver: Receiver::default(),
            sender: Sender::new(flow, mss),
            host: (overhead > 0).then(|| Box::new(Host::new(overhead, flow.overhead_stream))),
            count: Count { cwnd_since: flow.start, ..Count::default() },
        }
    }

    /// When something next happens at its ends beside a retransmission timeout, ns.
    #[inline]
    pub fn next_event(&self) -> u64 {
        let host = self.host.as_ref().map_or(u64::MAX, |host| host.next());
        self.sender.wake_at().min(self.ack_at).min(self.start_at).min(host)
    }

    /// The application has written `bytes`, of which whole segments carry `mss`: notes how long the last one is.
    pub fn end_with(&mut self, bytes: u64, mss: u32) {
        let rest = (bytes % u64::from(mss)) as u32;
        let payload = if rest == 0 { mss } else { rest };
        self.last = ((self.goal as u32).wrapping_sub(1), payload + HEADER_BYTES);
    }

    /// Size of the segment at a position, of which the low half is given, bytes on the wire; `full` if it is no last one.
    #[inline]
    pub const fn size(&self, position: u32, full: u32) -> u32 {
        if position == self.last.0 { self.last.1 } else { full }
    }

    /// Counts a segment of `size` bytes that leaves the last link within the measured interval.
    #[inline]
    pub const fn count_forwarded(&mut self, size: u32, full: u32) {
        self.count.forwarded_measured += 1;
        self.count.forwarded_short += (full - size) as u64;
    }

    /// What it has counted so far.
    pub const fn counts(&self) -> FlowCounts {
        let sent = &self.sender.sent;
        FlowCounts {
            packets_sent: sent.packets,
            retransmits: sent.retransmits,
            timeouts: sent.timeouts,
            drops: self.count.dropped,
        }
    }

    /// Wire bytes that left the last link in the measured interval, if full segments have `full`.
    pub const fn forwarded_bytes(&self, full: u32) -> u64 {
        self.count.forwarded_measured * full as u64 - self.count.forwarded_short
    }

    /// What a packet behind its last link is.
    #[inline]
    pub const fn kind(&self) -> Kind {
        if self.fused { Kind::Fused } else { Kind::Data }
    }

    /// How long ago, at `now`, the receiver did what the engine does now.
    #[inline]
    pub const fn lag(&self) -> u64 {
        if self.fused { self.tails.1 } else { 0 }
    }

    /// Packets under way: in lines, in links.
    pub fn on_the_way(&self) -> u64 {
        let waiting = self.host.as_ref().map_or(0, |host| host.len());
        self.sender.sent.packets - self.receiver.arrived - waiting - self.count.dropped.total()
    }

    /// Whether nothing of it is left anywhere.
    pub fn is_gone(&self) -> bool {
        let waiting = self.host.as_ref().map_or(0, |host| host.len());
        self.acks_out == 0 && self.on_the_way() == 0 && waiting == 0
    }

    /// Notes the window at `now`, for the mean over the measured interval.
    #[inline]
    pub fn note_window(&mut self, now: u64, measure: (u64, u64)) {
        let cwnd = self.sender.driver.conn.cwnd;
        if cwnd != self.count.cwnd {
            self.close_window(now, measure);
            self.count.cwnd = cwnd;
        }
    }

    /// Adds the time up to `now` to the mean's integral.
    pub fn close_window(&mut self, now: u64, measure: (u64, u64)) {
        let from = self.count.cwnd_since.max(measure.0);
        let to = now.min(measure.1);
        if to > from {
            self.count.cwnd_ns += u128::from(to - from) * u128::from(self.count.cwnd);
        }
        self.count.cwnd_since = now;
    }
}
