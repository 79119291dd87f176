// SPDX-License-Identifier: MIT OR Apache-2.0
//! A digest that tells contents apart; it is not cryptographic.

/// FNV-1a, 64 bits.
#[must_use]
pub fn fnv(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
