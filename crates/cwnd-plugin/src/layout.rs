// SPDX-License-Identifier: MIT OR Apache-2.0
//! The layouts that host and library must share before either reads the other's memory.

use core::mem::offset_of;

use cwnd::{AckSample, Conn, StateWords};

use crate::guard::Panic;
use crate::hooks::SIGNATURES;
use crate::values::{Memory, SetText, SpecText, Text, Variable};

/// Version of cwnd that this side was compiled from.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Rises when a function of [`PluginTable`](crate::PluginTable) changes its meaning and no layout does.
const INTERFACE: u32 = 1;

const MAGIC: [u8; 8] = *b"cwnd cc\n";
const VERSION_BYTES: usize = 32;

/// The beginning of a [`PluginTable`](crate::PluginTable), the same in every version: fixed sizes, no addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct TableHeader {
    magic: [u8; 8],
    interface: u32,
    layout: u32,
    /// [`VERSION`], cut off at 32 bytes, for messages only.
    version: [u8; VERSION_BYTES],
}

impl TableHeader {
    /// This side's, before a table of so many bytes.
    pub(crate) const fn of_table(bytes: usize) -> Self {
        Self {
            magic: MAGIC,
            interface: INTERFACE,
            layout: layout(bytes),
            version: padded(VERSION.as_bytes()),
        }
    }

    /// Whether this is the head of a table at all.
    #[must_use]
    pub fn is_ours(&self) -> bool {
        self.magic == MAGIC
    }

    /// Whether the interface and the layout are those of `other`.
    pub(crate) const fn has_layout_of(&self, other: &Self) -> bool {
        self.interface == other.interface && self.layout == other.layout
    }

    /// The other side's version.
    #[must_use]
    pub fn version(&self) -> &str {
        let end = self.version.iter().position(|byte| *byte == 0).unwrap_or(VERSION_BYTES);
        self.version.get(..end).and_then(|bytes| core::str::from_utf8(bytes).ok()).unwrap_or("")
    }
}

const fn padded(text: &[u8]) -> [u8; VERSION_BYTES] {
    let mut bytes = [0; VERSION_BYTES];
    let mut index = 0;
    while index < text.len() && index < VERSION_BYTES {
        bytes[index] = text[index];
        index += 1;
    }
    bytes
}

/// FNV-1a over sizes, offsets and what the hooks take: any change of the interface changes it, and nothing has to be kept up by hand.
const fn layout(table_bytes: usize) -> u32 {
    let numbers = [
        table_bytes,
        size_of::<Text>(),
        size_of::<SpecText>(),
        size_of::<SetText>(),
        size_of::<Variable>(),
        size_of::<Panic>(),
        offset_of!(Panic, ours),
        size_of::<Memory>(),
        size_of::<StateWords>(),
        size_of::<AckSample>(),
        size_of::<Conn>(),
    ];
    let mut hash = hashed(0x811c_9dc5, &numbers);
    hash = with_offsets(hash, Conn::FIELDS);
    hash = with_offsets(hash, AckSample::FIELDS);
    hashed(hash, SIGNATURES)
}

/// The hash with the offsets of a structure's fields.
const fn with_offsets(mut hash: u32, fields: &[(&str, &str, usize)]) -> u32 {
    let mut field = 0;
    while field < fields.len() {
        hash = hashed(hash, &[fields[field].2]);
        field += 1;
    }
    hash
}

const fn hashed(mut hash: u32, numbers: &[usize]) -> u32 {
    let mut index = 0;
    while index < numbers.len() {
        hash = (hash ^ numbers[index] as u32).wrapping_mul(0x0100_0193);
        index += 1;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_sides_head_matches_and_any_other_does_not() {
        assert!(TableHeader::HERE.matches());
        assert_eq!(TableHeader::HERE.version(), VERSION);
        assert!(!TableHeader { layout: TableHeader::HERE.layout ^ 1, ..TableHeader::HERE }.matches());
        let newer = TableHeader { interface: INTERFACE + 1, version: padded(b"9.9.9"), ..TableHeader::HERE };
        assert!(newer.is_ours() && !newer.matches());
        assert_eq!(newer.version(), "9.9.9");
        assert!(!TableHeader { magic: *b"\x7fELF\0\0\0\0", ..TableHeader::HERE }.is_ours());
    }
}
