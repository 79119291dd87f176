// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sizes of queues: packets, bytes, time, or multiples of the BDP.

use crate::units::{self, decimal_millionths, rounded};
use serde_json::Value;

/// What the size of a queue may be, for error messages.
pub(crate) const BUFFER: &str = "packets (1000packets), a size (500kB), a time (50ms) or multiples of the BDP (1bdp; 0.1bdp, at least 4packets)";

/// Limit of a queue, in the units of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// Packets.
    Packets(u64),
    /// Bytes.
    Bytes(u64),
    /// As many bytes as the link sends in this time, ns.
    Time(u64),
    /// Multiples of rate × RTT, in millionths, and the min number of packets; 0 without a minimum.
    Bdp(u64, u64),
    /// No limit: the queue holds whatever the senders have in flight.
    Infinite,
}

/// A queue without a limit, as a scenario writes it.
pub(crate) const INFINITE: &str = "infinite";

/// A limit of a queue.
pub(crate) fn read(value: &Value) -> Option<Buffer> {
    value.as_str().and_then(read_buffer)
}

/// The text between a multiple of the BDP and its min number of packets.
const FLOOR: &str = ", at least ";

/// `4packets` or `1packet`.
pub(crate) fn read_packets(text: &str) -> Option<u64> {
    let number = text.strip_suffix("packets").or_else(|| text.strip_suffix("packet"))?;
    number.trim_end().parse().ok()
}

fn read_buffer(text: &str) -> Option<Buffer> {
    if let Some(packets) = read_packets(text) {
        return Some(Buffer::Packets(packets));
    }
    let (size, floor) = match text.split_once(FLOOR) {
        Some((size, floor)) => (size, read_packets(floor.trim()).filter(|packets| *packets > 0)?),
        None => (text, 0),
    };
    if let Some(multiple) = size.trim_end().strip_suffix("bdp") {
        return rounded(multiple.trim_end(), 1_000_000).map(|millionths| Buffer::Bdp(millionths, floor));
    }
    units::read_size(text).map(Buffer::Bytes).or_else(|| units::read_time(text).map(Buffer::Time))
}

impl Buffer {
    /// The limit with a space before each unit: `1.5 BDP`, `100 packets`.
    #[must_use]
    pub fn in_words(self) -> String {
        match self {
            Self::Packets(n) => format!("{n} packets"),
            Self::Bytes(n) => units::size_in_words(n),
            Self::Time(t) => units::time_in_words(t),
            Self::Infinite => "no limit".to_owned(),
            Self::Bdp(n, 0) => format!("{} BDP", decimal_millionths(n)),
            Self::Bdp(n, floor) => format!("{} BDP{FLOOR}{floor} packets", decimal_millionths(n)),
        }
    }
}

/// Prints a limit of a queue.
pub(crate) fn write(buffer: Buffer) -> String {
    match buffer {
        Buffer::Packets(n) => format!("{n}packets"),
        Buffer::Bytes(n) => units::write_size(n),
        Buffer::Time(t) => units::write_time(t),
        Buffer::Infinite => INFINITE.to_owned(),
        Buffer::Bdp(n, 0) => format!("{}bdp", decimal_millionths(n)),
        Buffer::Bdp(n, floor) => format!("{}bdp{FLOOR}{floor}packets", decimal_millionths(n)),
    }
}
