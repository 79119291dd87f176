// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads what a kernel records of its connections (hook calls, packets, timers), and makes rows of the tables of a trace of it.
//!
//! The recorded structs are in [`cwnd_bpf_build::shared_structs`]. BPF programs and the driver of lane linux write them.
#![forbid(unsafe_code)]

mod reading;
mod rows;

pub use cwnd_bpf_build::shared_structs::{RawPacket, RawRateSample, RawRecord, Socket};
pub use reading::{CallRecord, PACKET_BYTES, PacketRecord, conn, field, packet, read, socket};
pub use rows::{StateLayout, call, packet_row, window, window_after};
