// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace's tables: `hooks` in the schema of the golden traces (`vectors/golden/README.md`), `cwnd` as the simulator has it.

use arrow_array::StructArray;
use cwnd_arrow::table;
use cwnd_bpf::ProbeSample;
use cwnd_kernel_records::{CallRecord, PacketRecord, StateLayout, call, packet_row, window, window_after};
use cwnd_record::{Lane, tables};

use super::connections::TracedConnection;

/// The table `hooks`.
pub fn hooks(records: &[CallRecord], layout: StateLayout) -> StructArray {
    let rows: Vec<_> = records.iter().map(call).collect();
    table(Lane::Kernel, tables::HOOKS.iter().chain(layout.columns()), &rows)
}

/// The table `packets`.
pub fn packets(records: &[PacketRecord]) -> StructArray {
    let rows: Vec<_> = records.iter().map(packet_row).collect();
    table(Lane::Kernel, &*tables::PACKETS, &rows)
}

/// The table `cwnd`: the connection after each call that can change its window or state.
pub fn cwnd(records: &[CallRecord]) -> StructArray {
    let rows: Vec<_> = records.iter().filter_map(window_after).collect();
    table(Lane::Kernel, &*tables::CWND, &rows)
}

/// The table `cwnd` of a probe: the connection after each acknowledgement.
pub fn samples(samples: &[ProbeSample], numbers: &[u64]) -> StructArray {
    let pairs = numbers.iter().zip(samples);
    let rows: Vec<_> =
        pairs.map(|(number, sample)| window(sample.conn.now_us, *number, &sample.conn)).collect();
    table(Lane::Kernel, &*tables::CWND, &rows)
}

/// The table `flows`.
pub fn flows(connections: &[TracedConnection]) -> StructArray {
    let rows: Vec<_> = connections.iter().map(TracedConnection::row).collect();
    table(Lane::Kernel, &*tables::CONNECTIONS, &rows)
}
