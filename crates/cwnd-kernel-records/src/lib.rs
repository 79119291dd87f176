// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a kernel records of its connections: calls of hooks, packets, timers. Read from its memory, and as rows of the tables of a trace.
//!
//! The structs of that memory are in [`cwnd_bpf_build::shared_structs`]. Programs of BPF write them, and so does the driver of lane linux.
#![forbid(unsafe_code)]

mod reading;
mod rows;

pub use cwnd_bpf_build::shared_structs::{RawPacket, RawRateSample, RawRecord, Socket};
pub use reading::{CallRecord, PACKET_BYTES, PacketRecord, conn, field, packet, read, socket};
pub use rows::{StateLayout, call, packet_row, window, window_after};
