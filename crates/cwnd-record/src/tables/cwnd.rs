// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table `cwnd`: a row per sample of a flow.

use super::shared::{STATES, seconds};
use crate::Lane;
use crate::column::{Column, Read};
use Read::{Count, Index, Number};

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

/// A row per sample of a flow.
pub static CWND: &[Column<CwndRow>] = &[
    Column::new("time_s", "s", "time of the sample", Number(|r| seconds(r.time_ns))),
    Column::new("flow", "", "number of the flow", Index(|r| r.flow)),
    Column::new("cwnd", "segments", "congestion window", Index(|r| r.cwnd)),
    Column::new("ssthresh", "segments", "slow start threshold", Index(|r| r.ssthresh)),
    Column::new(
        "srtt_ms",
        "ms",
        "smoothed round trip time; 0 before the first sample",
        Number(|r| f64::from(r.srtt_us8) / 8e3),
    ),
    Column::new("in_flight", "segments", "segments in flight", Index(|r| r.in_flight)),
    Column::only(
        Lane::OF_SCENARIOS,
        "forwarded",
        "segments",
        "segments that have left the flow's last link so far, retransmissions included",
        Count(|r| r.forwarded),
    ),
    Column::new(
        "delivered",
        "segments",
        "distinct segments that have reached the receiver so far, as the sender knows of them",
        Count(|r| r.delivered),
    ),
    Column::new(
        "ca_state",
        "",
        "state of loss recovery: open, disorder, cwr, recovery or loss",
        Read::Text(|r| STATES.get(r.ca_state as usize).copied().unwrap_or("")),
    ),
];
