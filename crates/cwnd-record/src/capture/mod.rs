// SPDX-License-Identifier: MIT OR Apache-2.0
//! Packets as a host sends and receives them, for Wireshark and `tshark`: capture files in pcapng, the headers of simulated segments, and
//! the datagrams of foreign stacks.
//!
//! A file holds what one host sees. Where the same packet is seen twice, readers take it for a retransmission.

mod datagram;
mod host;
mod pcapng;
mod segment;

pub use datagram::{datagram, foreign_segment};
pub use host::{CaptureHost, FIRST_PORT};
pub use pcapng::Pcapng;
pub use segment::{EcnField, SACK_BLOCKS, SegmentHeaders, WireSegment};
