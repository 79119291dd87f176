// SPDX-License-Identifier: MIT OR Apache-2.0
//! The random streams of traffic.

use cwnd_link::random::RandomStream;

/// Numbers of the random streams of traffic: disjoint from those of flows and links.
const STREAMS: u64 = 1 << 63;
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
