// SPDX-License-Identifier: MIT OR Apache-2.0
//! Real transfers over UDP, through a queue that drops.

#[path = "../../cwnd-quinn/tests/queue.rs"]
mod queue;
#[path = "../../cwnd-quinn/tests/quic_transfer/mod.rs"]
mod quic_transfer;

use cwnd_noq::Cwnd;
use noq as stack;

fn path_stats(connection: &noq::Connection) -> noq::PathStats {
    connection.path_stats(noq::PathId::ZERO).expect("the connection keeps its first path")
}
