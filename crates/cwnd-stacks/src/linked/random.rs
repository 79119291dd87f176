// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the stacks draw at random, from one seed.
//!
//! quinn and noq seed their own generator by [`seed_bytes`]. Connection ids come from the generator of the thread unless one hands
//! them in, so both ends make them with a [`Generator`].

/// SplitMix64: Steele, Lea and Flood, *Fast splittable pseudorandom number generators* (2014).
#[derive(Clone, Debug)]
pub(crate) struct Generator {
    state: u64,
}

/// What a generator is for: two uses of one seed have nothing in common.
#[derive(Clone, Copy, Debug)]
#[repr(u64)]
pub(crate) enum Stream {
    Client = 1,
    Server = 2,
    ClientIds = 3,
    ServerIds = 4,
    FirstDestination = 5,
}

impl Generator {
    /// The generator of one use of a seed.
    pub(crate) fn new(seed: u64, stream: Stream) -> Self {
        let mut own = Self { state: seed };
        let state = own.next() ^ (stream as u64).wrapping_mul(0xD1B5_4A32_D192_ED03);
        Self { state }
    }

    /// 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.state)
    }
}

/// The finaliser of SplitMix64.
fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}

/// The seed of a stack's own generator.
pub(crate) fn seed_bytes(seed: u64, stream: Stream) -> [u8; 32] {
    let mut generator = Generator::new(seed, stream);
    let mut bytes = [0; 32];
    for word in bytes.chunks_exact_mut(8) {
        word.copy_from_slice(&generator.next().to_be_bytes());
    }
    bytes
}

/// Fills `out` with what stands for a signature of `data`: equal data, equal bytes.
pub(crate) fn fingerprint(data: &[u8], out: &mut [u8]) {
    let folded = data.iter().fold(0x5157_4943, |sum, &byte| mix(sum ^ u64::from(byte)));
    let mut generator = Generator { state: folded };
    for word in out.chunks_mut(8) {
        let bytes = generator.next().to_be_bytes();
        word.copy_from_slice(&bytes[..word.len()]);
    }
}
