// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rows of a run's tables, as a lane fills them. Integers, in the units that the lane counts in.

use crate::counts::EventKind;
use cwnd_link::Drops;

/// A row of the table `cwnd`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CwndRow {
    /// Time, ns.
    pub time_ns: u64,
    /// Flow number.
    pub flow: u32,
    /// Congestion window, segments.
    pub cwnd: u32,
    /// Slow start threshold, segments.
    pub ssthresh: u32,
    /// Smoothed RTT, eighths of a µs; 0 before the first sample.
    pub srtt_us8: u32,
    /// Segments in flight.
    pub in_flight: u32,
    /// Segments that have left the flow's last link so far.
    pub forwarded: u64,
    /// Distinct segments that have reached the receiver; of a fused flow, as of the newest acknowledgement at the sender.
    pub delivered: u64,
    /// State of loss recovery, Linux's number.
    pub ca_state: u8,
}

/// A row of the table `queue`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueRow {
    /// Time, ns.
    pub time_ns: u64,
    /// Number of the link.
    pub link: u32,
    /// Packets queued or being sent.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Packets dropped so far.
    pub drops: Drops,
}

/// A row of the table `inner`: one inner variable of a flow's algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InnerRow {
    /// Time, ns.
    pub time_ns: u64,
    /// Flow number.
    pub flow: u32,
    /// Name, which tells unit and scale (`cwnd show` has both).
    pub name: &'static str,
    /// Value, as the algorithm keeps it.
    pub value: u64,
}

/// A row of the table `transfers`: a flow with an end, or one that a source of traffic started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferRow {
    /// Number of the group of traffic; `None` for a flow of the scenario.
    pub group: Option<u32>,
    /// Number of the source within the run, or of the flow.
    pub number: u32,
    /// When it started, ns.
    pub start_ns: u64,
    /// When its last byte reached the receiver, ns; `None` if it did not.
    pub end_ns: Option<u64>,
    /// Payload, bytes; `None` for a transfer without an end.
    pub bytes: Option<u64>,
    /// Round trip time without queueing and serialisation, ns.
    pub rtt_ns: u64,
    /// Whether it went against the direction of the experiment's flows.
    pub reverse: bool,
}

/// A row of the table `events`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventRow {
    /// Time, ns.
    pub time_ns: u64,
    /// Flow number.
    pub flow: u32,
    /// What happened.
    pub kind: EventKind,
    /// Drops: number of the link; `None` for a flow's access link, and for all other events.
    pub link: Option<u32>,
    /// Drops: the segment's position; state changes: the new state.
    pub value: u64,
    /// Window at that time, segments.
    pub cwnd: u32,
    /// Slow start threshold at that time, segments.
    pub ssthresh: u32,
}

/// A row of the table `rates`: how fast a link sends from a time on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateRow {
    /// Number of the link.
    pub link: u32,
    /// From when on, ns.
    pub from_ns: u64,
    /// Rate, bit/s; 0 is an outage; of a trace its mean.
    pub rate: u64,
}

/// A row of the table `waits`: a class of a link's queueing delays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitRow {
    /// Number of the link.
    pub link: u32,
    /// Queueing delay, ns, within 1/128.
    pub wait_ns: u64,
    /// Packets that had it.
    pub packets: u64,
}
