// SPDX-License-Identifier: MIT OR Apache-2.0
//! The unit of a distribution's values.

use crate::units::{read_size, read_time, rounded, write_size, write_time};
use serde_json::{Value, json};

/// Max value of a parameter: whole numbers up to here are exact in an `f64`.
const MAX_VALUE: u64 = 1 << 53;

/// The unit of a distribution's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// ns.
    Time,
    /// Bytes of payload. Written in bytes, or in packets of this payload.
    Size {
        /// Payload of a full packet, bytes.
        packet: u32,
    },
    /// A count.
    Count,
}

impl Unit {
    /// Reads a value: text with its unit, or a whole number for [`Unit::Count`].
    pub(crate) fn read(self, value: &Value) -> Option<u64> {
        let read = match self {
            Self::Time => read_time(value.as_str()?),
            Self::Size { packet } => {
                let text = value.as_str()?;
                let packets = text.strip_suffix("packets").or_else(|| text.strip_suffix("packet"));
                packets.map_or_else(|| read_size(text), |n| rounded(n.trim(), u64::from(packet)))
            }
            Self::Count => value.as_u64(),
        };
        read.filter(|n| *n <= MAX_VALUE)
    }

    /// Writes `value` so that it reads back.
    pub(crate) fn write(self, value: u64) -> Value {
        match self {
            Self::Time => json!(write_time(value)),
            Self::Size { .. } => json!(write_size(value)),
            Self::Count => json!(value),
        }
    }

    /// The expected form of a value, for error messages.
    pub(crate) const fn expected(self) -> &'static str {
        match self {
            Self::Time => "a time with its unit, such as 40ms",
            Self::Size { .. } => "a size with its unit (B, kB, MB, GB, packets), such as 100kB or 6packets",
            Self::Count => "a whole number",
        }
    }
}
