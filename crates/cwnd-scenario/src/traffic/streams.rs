// SPDX-License-Identifier: MIT OR Apache-2.0
//! The random streams of traffic.

use cwnd_link::random::RandomStream;

/// Numbers of the random streams of traffic: disjoint from those of flows and links.
const STREAMS: u64 = 1 << 63;
/// Those of the send overhead of its connections.
const OVERHEADS: u64 = 1 << 62;
/// Those of the clocks of its hosts.
const CLOCKS: u64 = 1 << 61;
/// The stream of a group that draws its sources' starts.
const STARTS: u32 = u32::MAX;

/// The stream that draws when the sources of a group start. `group` is its index in the scenario.
#[must_use]
pub const fn start_stream(seed: u64, group: u32) -> RandomStream {
    source_stream(seed, group, STARTS)
}

/// The stream of one source of a group.
#[must_use]
pub const fn source_stream(seed: u64, group: u32, source: u32) -> RandomStream {
    RandomStream::new(seed, STREAMS | (group as u64) << 32 | source as u64)
}

/// The stream of the send overhead of a group's connections, the `connection`-th that it opens.
#[must_use]
pub const fn overhead_stream(seed: u64, group: u32, connection: u32) -> RandomStream {
    RandomStream::new(seed, STREAMS | OVERHEADS | (group as u64) << 32 | connection as u64)
}

/// The stream that draws the clocks of a source's hosts; `source` is its number among those of all groups.
#[must_use]
pub const fn clock_stream(seed: u64, group: u32, source: u32) -> RandomStream {
    RandomStream::new(seed, STREAMS | CLOCKS | (group as u64) << 32 | source as u64)
}
