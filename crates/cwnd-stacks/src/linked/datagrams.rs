// SPDX-License-Identifier: MIT OR Apache-2.0
//! Received datagrams as the stacks want them: buffers of their own.

use bytes::BytesMut;

/// Bytes that are allocated at once.
const BLOCK: usize = 1 << 16;

/// Cuts the buffers of datagrams from blocks: an allocation for each 45 datagrams, and a block is used again when nothing of it is
/// left in the stack.
#[derive(Debug, Default)]
pub(crate) struct Datagrams {
    block: BytesMut,
}

impl Datagrams {
    /// A copy of `datagram`.
    pub(crate) fn copy(&mut self, datagram: &[u8]) -> BytesMut {
        if self.block.capacity() < datagram.len() {
            self.block.reserve(BLOCK.max(datagram.len()));
        }
        self.block.extend_from_slice(datagram);
        self.block.split()
    }
}
