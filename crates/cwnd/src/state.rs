// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an algorithm's state may be made of.
//!
//! In the kernel the state lies in the socket's private area: the hooks get a reference to bytes that Rust has not written. So every bit
//! pattern must be a value of the state. Integers qualify; `bool`, `char` and enums do not.

/// A type of which every bit pattern is a value: integers, arrays of them, and structs declared by [`state!`](crate::state).
///
/// A state with a `bool` does not compile:
///
/// ```compile_fail,E0277
/// cwnd::state! {
///     /// State of an algorithm.
///     pub struct Careless {
///         w_max: u32,
///         has_lost: bool,
///     }
/// }
/// ```
///
/// A flag is a `u8` that is 0 or 1, and every other value of it means one of the two:
///
/// ```
/// cwnd::state! {
///     /// State of an algorithm.
///     pub struct Careful {
///         w_max: u32,
///         /// 1 once a loss has come.
///         has_lost: u8,
///     }
/// }
/// assert_eq!(size_of::<Careful>(), 8);
/// ```
#[diagnostic::on_unimplemented(
    message = "not every bit pattern is a value of `{Self}`, so it cannot be part of an algorithm's state",
    note = "a state is a struct of integers that is declared by `cwnd::state!`; a flag in it is a `u8`"
)]
pub trait AnyBitPattern: Copy + 'static {}

macro_rules! integers {
    ($($integer:ty),+) => {
        $(impl AnyBitPattern for $integer {})+
    };
}

integers!(u8, u16, u32, u64, i8, i16, i32, i64);

impl<T: AnyBitPattern, const N: usize> AnyBitPattern for [T; N] {}

/// Declares a state: a struct in the layout of C, of fields that are [`AnyBitPattern`]. It can be copied, compared and printed, and
/// its default is zeros.
///
/// ```
/// cwnd::state! {
///     /// State of an algorithm.
///     pub struct Lull {
///         w_max: u32,
///     }
/// }
/// assert_eq!(Lull::default(), Lull { w_max: 0 });
/// ```
///
/// With the unit of every field behind its type, it is a [`SegmentState`](crate::SegmentState), too, and
/// [`CongestionControl::rescale`](crate::CongestionControl::rescale) can take it to segments of another size: `as segments` (a count of
/// segments, or of parts of them), `as squared` (segments times segments, such as a credit that a whole window is worth a segment of),
/// `as nested` (a [`SegmentState`](crate::SegmentState)), `as unchanged` (times, bytes, ratios, flags). Either all fields have one or none.
#[macro_export]
macro_rules! state {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident {
            $($(#[$field_meta:meta])* $field_visibility:vis $field:ident: $type:ty as $unit:ident),+ $(,)?
        }
    ) => {
        $crate::state! {
            $(#[$meta])*
            $visibility struct $name {
                $($(#[$field_meta])* $field_visibility $field: $type,)+
            }
        }

        impl $crate::SegmentState for $name {
            fn rescale(&mut self, _scale: $crate::Rescale) {
                $($crate::rescale_field!($unit, self.$field, _scale);)+
            }
        }
    };
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident {
            $($(#[$field_meta:meta])* $field_visibility:vis $field:ident: $type:ty),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[repr(C)]
        $visibility struct $name {
            $($(#[$field_meta])* $field_visibility $field: $type,)*
        }

        impl $crate::AnyBitPattern for $name
        where
            $($type: $crate::AnyBitPattern,)*
        {
        }
    };
}
