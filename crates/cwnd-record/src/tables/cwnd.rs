// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table `cwnd`: a row per sample of a flow.

use super::shared::{STATES, seconds};
use crate::Lane;
use crate::column::columns;

columns! {
    /// A row of the table `cwnd`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    pub struct CwndRow {}
    /// A row per sample of a flow.
    pub static CWND;
    Number time_s = |time_ns: u64| seconds(time_ns), "s", "time of the sample";
    Index flow: u32, "", "number of the flow";
    Index cwnd: u32, "segments", "congestion window";
    Index ssthresh: u32, "segments", "slow start threshold";
    // `srtt_us8` is in eighths of a µs.
    Number srtt_ms = |srtt_us8: u32| f64::from(srtt_us8) / 8e3, "ms", "smoothed round trip time; 0 before the first sample";
    Index in_flight: u32, "segments", "segments in flight";
    Count forwarded: u64, "segments", "segments that have left the flow's last link so far, retransmissions included", only(Lane::OF_SCENARIOS);
    // Of a fused flow, as of the newest acknowledgement at the sender.
    Count delivered: u64, "segments", "distinct segments that have reached the receiver so far, as the sender knows of them";
    // The field has Linux's number.
    Text ca_state = |ca_state: u8| STATES.get(usize::from(*ca_state)).copied().unwrap_or(""), "", "state of loss recovery: open, disorder, cwr, recovery or loss";
}
