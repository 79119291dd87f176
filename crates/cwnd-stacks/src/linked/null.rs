// SPDX-License-Identifier: MIT OR Apache-2.0
//! Packets in the clear: what replaces the cryptography of a QUIC stack. Each stack implements its own traits for [`Null`].
//!
//! Kept: the 16 bytes of a tag, the sample of 16 bytes that sets the length of the smallest packet, and the handshake's flights
//! (`handshake.rs`). Tags are zeros and nothing is checked, so a datagram costs no cipher and can be read in a capture.

/// Length of a tag, and of a sample for the protection of headers. // RFC 9001 §5.3, §5.4.2
pub(crate) const TAG: usize = 16;

/// All keys and configurations of a connection in the clear.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Null;
