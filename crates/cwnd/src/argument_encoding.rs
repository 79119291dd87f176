// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the types in the table of hooks can do: cross a C interface, and be recorded. A new type of argument is added here.

use crate::conn::CaState;
use crate::hook_argument_types::{AckSample, CaEvent};

/// An argument as a hook takes it, and how it crosses a C interface (a plugin's, or that of the kernel's glue).
///
/// ```
/// use cwnd::{CaState, WireArgument};
///
/// assert_eq!(CaState::Loss.into_wire(), 4_u8);
/// assert_eq!(CaState::from_wire(3), Some(CaState::Recovery));
/// ```
pub trait WireArgument: Sized {
    /// What crosses.
    type Wire;
    /// What the hook takes; `None` for a number that means nothing, with which no hook is called.
    ///
    /// ```
    /// use cwnd::{CaEvent, WireArgument};
    ///
    /// assert_eq!(CaEvent::from_wire(3), Some(CaEvent::Loss));
    /// assert_eq!(CaEvent::from_wire(6), None); // no hook is called with it
    /// ```
    fn from_wire(wire: Self::Wire) -> Option<Self>;
    /// What crosses for it.
    ///
    /// ```
    /// use cwnd::{CaEvent, WireArgument};
    ///
    /// assert_eq!(CaEvent::Loss.into_wire(), 3_u8);
    /// ```
    fn into_wire(self) -> Self::Wire;
}

/// How a record holds an argument: as 32-bit words, in the kernel's units. Those of a trace are the columns `arg0`, `arg1`, …
///
/// ```
/// use cwnd::{AckSample, RecordedArgument};
///
/// let mut words = [0; AckSample::WORDS];
/// AckSample::new(2, 50_000, 10).write(&mut words.iter_mut(), 1448);
/// assert_eq!(words, [2, 50_000, 14_480]); // the flight in bytes, as in the kernel
/// assert_eq!(AckSample::read(&mut words.into_iter(), 1448), Some(AckSample::new(2, 50_000, 10)));
/// ```
pub trait RecordedArgument: Copy {
    /// How many.
    const WORDS: usize;
    /// From the next words; `None` where they have no meaning. A segment of the connection has `mss` bytes.
    ///
    /// ```
    /// use cwnd::{CaState, RecordedArgument};
    ///
    /// assert_eq!(CaState::read(&mut [4].into_iter(), 1448), Some(CaState::Loss));
    /// assert_eq!(CaState::read(&mut [].into_iter(), 1448), None);
    /// ```
    fn read(words: &mut impl Iterator<Item = u32>, mss: u32) -> Option<Self>;
    /// Into the next words.
    ///
    /// ```
    /// use cwnd::{CaState, RecordedArgument};
    ///
    /// let mut words = [0; 1];
    /// CaState::Loss.write(&mut words.iter_mut(), 1448);
    /// assert_eq!(words, [4]);
    /// ```
    fn write<'a>(self, words: &mut impl Iterator<Item = &'a mut u32>, mss: u32);
}

/// What a hook returns, and how a record holds it: 0 where that is nothing.
///
/// ```
/// use cwnd::HookResult;
///
/// assert_eq!((7_u32.word(), ().word()), (7, 0));
/// ```
pub trait HookResult {
    /// From a recorded word.
    ///
    /// ```
    /// use cwnd::HookResult;
    ///
    /// assert_eq!(u32::from_word(7), 7);
    /// ```
    fn from_word(word: u32) -> Self;
    /// As recorded.
    ///
    /// ```
    /// use cwnd::HookResult;
    ///
    /// assert_eq!(7_u32.word(), 7);
    /// ```
    fn word(self) -> u32;
}

impl HookResult for () {
    fn from_word(_: u32) {}

    fn word(self) -> u32 {
        0
    }
}

impl HookResult for u32 {
    fn from_word(word: u32) -> Self {
        word
    }

    fn word(self) -> u32 {
        self
    }
}

impl WireArgument for u32 {
    type Wire = Self;

    #[inline]
    fn from_wire(wire: Self) -> Option<Self> {
        Some(wire)
    }

    #[inline]
    fn into_wire(self) -> Self {
        self
    }
}

impl RecordedArgument for u32 {
    const WORDS: usize = 1;

    fn read(words: &mut impl Iterator<Item = Self>, _: u32) -> Option<Self> {
        words.next()
    }

    fn write<'a>(self, words: &mut impl Iterator<Item = &'a mut Self>, _: u32) {
        if let Some(word) = words.next() {
            *word = self;
        }
    }
}

impl WireArgument for CaState {
    type Wire = u8;

    #[inline]
    fn from_wire(wire: u8) -> Option<Self> {
        Some(Self::from_u8(wire))
    }

    #[inline]
    fn into_wire(self) -> u8 {
        self as u8
    }
}

impl RecordedArgument for CaState {
    const WORDS: usize = 1;

    fn read(words: &mut impl Iterator<Item = u32>, _: u32) -> Option<Self> {
        Some(Self::from_u8(words.next()? as u8))
    }

    fn write<'a>(self, words: &mut impl Iterator<Item = &'a mut u32>, mss: u32) {
        (self as u32).write(words, mss);
    }
}

impl WireArgument for CaEvent {
    type Wire = u8;

    #[inline]
    fn from_wire(wire: u8) -> Option<Self> {
        Self::from_u8(wire)
    }

    #[inline]
    fn into_wire(self) -> u8 {
        self as u8
    }
}

impl RecordedArgument for CaEvent {
    const WORDS: usize = 1;

    fn read(words: &mut impl Iterator<Item = u32>, _: u32) -> Option<Self> {
        Self::from_u8(words.next()? as u8)
    }

    fn write<'a>(self, words: &mut impl Iterator<Item = &'a mut u32>, mss: u32) {
        (self as u32).write(words, mss);
    }
}

impl WireArgument for &AckSample {
    type Wire = Self;

    #[inline]
    fn from_wire(wire: Self) -> Option<Self> {
        Some(wire)
    }

    #[inline]
    fn into_wire(self) -> Self {
        self
    }
}

impl RecordedArgument for AckSample {
    const WORDS: usize = Self::FIELDS.len();

    fn read(words: &mut impl Iterator<Item = u32>, mss: u32) -> Option<Self> {
        Some(Self {
            pkts_acked: words.next()?,
            rtt_us: words.next()? as i32,
            // The kernel's is in bytes.
            in_flight: words.next()? / mss.max(1),
        })
    }

    fn write<'a>(self, words: &mut impl Iterator<Item = &'a mut u32>, mss: u32) {
        let Self { pkts_acked, rtt_us, in_flight } = self;
        for word in [pkts_acked, rtt_us as u32, in_flight.wrapping_mul(mss)] {
            word.write(words, mss);
        }
    }
}
