// SPDX-License-Identifier: MIT OR Apache-2.0
//! Real transfers over UDP, through a queue that drops.

mod queue;
mod quic_transfer;

use cwnd_quinn::Cwnd;
use quinn as stack;

fn path_stats(connection: &quinn::Connection) -> quinn::PathStats {
    connection.stats().path
}
