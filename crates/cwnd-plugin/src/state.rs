// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bytes of an algorithm's state, as the kernel's private area holds them: what a replay compares.
//!
//! Every bit pattern is a value of a state ([`cwnd::AnyBitPattern`]). So each of its bytes can be set to 1 by itself, which is how
//! padding is found: bytes that equality does not see.

use core::mem::MaybeUninit;

use cwnd::registry::{MakeState, ReadState, Registered};
use cwnd::{Controller, PRIVATE_BYTES, PrivateWords, StateWords};

/// The private area, aligned as the kernel's is.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
struct Area([u8; PRIVATE_BYTES]);

impl Area {
    /// The state that lies in it.
    ///
    /// # Safety
    /// A state is no larger than the area and needs no stricter alignment.
    unsafe fn state<A: Registered>(&self) -> &A {
        // SAFETY: the caller vouches for size and alignment; every bit pattern is a value of a state.
        unsafe { &*self.0.as_ptr().cast() }
    }

    fn words(&self) -> PrivateWords {
        let mut words = PrivateWords::default();
        for (word, bytes) in words.iter_mut().zip(self.0.chunks_exact(4)) {
            *word = bytes.first_chunk().map_or(0, |bytes| u32::from_ne_bytes(*bytes));
        }
        words
    }
}

/// 255 where a field of the state lies, and behind it; 0 in its padding.
fn fields<A: Registered>() -> Area {
    let mut fields = Area([u8::MAX; PRIVATE_BYTES]);
    let (zeros, mut probe) = (Area([0; PRIVATE_BYTES]), Area([0; PRIVATE_BYTES]));
    for (place, field) in fields.0.iter_mut().enumerate().take(size_of::<A>()) {
        probe.0[place] = 1;
        // SAFETY: `state_words`, the only caller, asserts size and alignment.
        let is_seen = unsafe { probe.state::<A>() != zeros.state::<A>() };
        probe.0[place] = 0;
        *field = if is_seen { u8::MAX } else { 0 };
    }
    fields
}

/// The bytes of `state`.
#[must_use]
pub fn state_words<A: Registered>(state: &A) -> StateWords {
    const {
        assert!(size_of::<A>() <= PRIVATE_BYTES, "the state must fit the kernel's private area: 104 bytes");
        assert!(align_of::<A>() <= align_of::<Area>(), "the kernel's private area is aligned to 8 bytes");
    }
    let fields = fields::<A>();
    let mut copy = MaybeUninit::<Area>::zeroed();
    // SAFETY: size and alignment are asserted above.
    unsafe { copy.as_mut_ptr().cast::<A>().write(*state) };
    let mut words = Area([0; PRIVATE_BYTES]);
    for (place, (byte, field)) in words.0.iter_mut().zip(fields.0).enumerate() {
        if field != 0 {
            // SAFETY: within the area, and written: by a field of the state, or behind it by the zeros. Padding is not read.
            *byte = unsafe { copy.as_ptr().cast::<u8>().add(place).read() };
        }
    }
    StateWords { words: words.words(), fields: fields.words() }
}

struct Reader;

impl ReadState for Reader {
    fn read<A: Registered>(&self, state: &A) -> StateWords {
        state_words(state)
    }
}

/// The bytes of a controller's state, for [`cwnd::replay::Replay`]; `None` for an algorithm that does not give them.
#[must_use]
pub fn controller_words(controller: &Controller) -> Option<StateWords> {
    controller.state_words(&Reader)
}

/// Makes a state of the bytes of a private area.
struct Maker(Area);

impl MakeState for Maker {
    fn make<A: Registered>(&self) -> A {
        const {
            assert!(
                size_of::<A>() <= PRIVATE_BYTES,
                "the state must fit the kernel's private area: 104 bytes"
            );
            assert!(align_of::<A>() <= align_of::<Area>(), "the kernel's private area is aligned to 8 bytes");
        }
        // SAFETY: size and alignment are asserted above.
        *unsafe { self.0.state() }
    }
}

/// The same algorithm with the same settings in the state of these bytes, which our algorithm has left in a private area; `None` for an
/// algorithm that is not in the registry.
#[must_use]
pub fn controller_of_words(controller: &Controller, words: &PrivateWords) -> Option<Controller> {
    let mut area = Area([0; PRIVATE_BYTES]);
    for (bytes, word) in area.0.chunks_exact_mut(4).zip(words) {
        bytes.copy_from_slice(&word.to_ne_bytes());
    }
    controller.with_state(&Maker(area))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cwnd::params::Params;
    use cwnd::registry::{Recovery, Set};
    use cwnd::{CongestionControl, Conn};

    cwnd::state! {
        /// Bytes 1 to 3 and 9 to 15 are padding.
        struct Holes {
            flag: u8,
            word: u32,
            byte: u8,
            wide: u64,
        }
    }

    #[derive(Clone, Copy, Debug, PartialEq)]
    struct NoParams;

    impl Params for NoParams {
        const SPECS: &'static [cwnd::params::Spec] = &[];
        fn get(&self, _index: usize) -> u32 {
            0
        }
        fn set(&mut self, _index: usize, _value: u32) {}
    }

    impl Registered for Holes {
        const NAME: &'static str = "holes";
        const SUMMARY: &'static str = "";
        const SETS: &'static [Set<NoParams>] =
            &[Set { name: "holes", summary: "", source: "", recovery: Recovery::Sack, params: NoParams }];
    }

    impl CongestionControl for Holes {
        type Params = NoParams;
        fn ssthresh(&mut self, _conn: &mut Conn, _params: &NoParams) -> u32 {
            2
        }
        fn cong_avoid(&mut self, _conn: &mut Conn, _ack: u32, _acked: u32, _params: &NoParams) {}
    }

    fn bytes(words: &PrivateWords) -> impl Iterator<Item = u8> {
        words.iter().flat_map(|word| word.to_ne_bytes())
    }

    // Any bytes make a state, whose bytes they are; behind it lie zeros. None of these words is 0.
    #[test]
    fn a_state_of_bytes_has_these_bytes() {
        let words: PrivateWords = core::array::from_fn(|place| 0x0102_0304 * (place as u32 + 1));
        for set in cwnd::registry::ALGORITHMS.iter().flat_map(cwnd::registry::Description::sets) {
            let controller = set.controller().expect("listed");
            let made = controller_of_words(&controller, &words).expect("of the registry");
            let read = controller_words(&made).expect("of the registry");
            let behind = read.words.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
            assert!(behind > 0, "{} has no state", set.name);
            assert_eq!(read.over(&words)[..behind], words[..behind], "{}", set.name);
            assert!(controller_of_words(&controller, &read.words).is_some_and(|again| again.is_same(&made)));
        }
    }

    #[test]
    fn fields_are_given_as_they_lie_and_padding_as_zero() {
        let read = state_words(&Holes { flag: 1, word: 0x0403_0201, byte: 9, wide: u64::MAX });
        let mut expected = [0; PRIVATE_BYTES];
        expected[0] = 1;
        expected[4..8].copy_from_slice(&0x0403_0201_u32.to_ne_bytes());
        expected[8] = 9;
        expected[16..24].fill(255);
        assert!(bytes(&read.words).eq(expected));
        let is_padding = |place: usize| matches!(place, 1..4 | 9..16);
        assert!(
            bytes(&read.fields)
                .enumerate()
                .all(|(place, field)| field == if is_padding(place) { 0 } else { 255 })
        );
    }

    #[test]
    fn padding_of_the_record_does_not_matter_and_any_other_byte_does() {
        let read = state_words(&Holes { flag: 1, word: 5, byte: 9, wide: 7 });
        for place in 0..PRIVATE_BYTES {
            let mut recorded = read.words;
            let word = &mut recorded[place / 4];
            let mut bytes = word.to_ne_bytes();
            bytes[place % 4] ^= 0x40;
            *word = u32::from_ne_bytes(bytes);
            assert_eq!(read.over(&recorded) == recorded, matches!(place, 1..4 | 9..16), "byte {place}");
        }
    }
}
