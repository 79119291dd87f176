// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parameters that describe themselves: name, unit, range, default, help and source stand once, beside the algorithm.
//!
//! A parameter struct is all `u32`, `#[repr(C)]`: the same bytes lie in a kernel object's `.rodata`.

use core::fmt;

pub use crate::builder::{Builder, Fraction, Includes, ParamError};
use crate::math::ONE_X64K;

/// How a parameter's `u32` is read and written. Exhaustive: whoever shows or reads parameters has to know every kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// A decimal number, kept in 1/65536.
    Decimal,
    /// A whole number.
    Whole,
    /// `true` or `false`, kept as 1 or 0.
    Flag,
    /// One of these names, kept as its index.
    Choice(&'static [&'static str]),
}

/// One parameter's description.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Spec {
    /// Name, as in scenarios and on the command line.
    pub name: &'static str,
    /// How the value is written.
    pub kind: ParamKind,
    /// Unit of the value; empty for pure numbers.
    pub unit: &'static str,
    /// Smallest value, in the stored form.
    pub min: u32,
    /// Largest value, in the stored form.
    pub max: u32,
    /// One line of help.
    pub help: &'static str,
    /// RFC or paper, with section.
    pub source: &'static str,
}

/// Why a value was refused; the caller knows the field's name and words the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refused {
    /// The text is no value of this kind.
    Malformed,
    /// The value lies outside the range.
    OutOfRange,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Malformed => "the value is malformed",
            Self::OutOfRange => "the value is out of its range",
        })
    }
}

impl core::error::Error for Refused {}

impl Spec {
    /// A parameter with these fields, and nothing said of it yet.
    ///
    /// ```
    /// use cwnd::params::{ParamKind, Spec};
    ///
    /// const KEEP: Spec = Spec::new("keep", ParamKind::Whole, 1, 99).unit("%").help("part of the window kept after a loss");
    /// assert_eq!(KEEP.parse("75"), Ok(75));
    /// ```
    #[must_use]
    pub const fn new(name: &'static str, kind: ParamKind, min: u32, max: u32) -> Self {
        Self { name, kind, unit: "", min, max, help: "", source: "" }
    }

    /// With this unit.
    #[must_use]
    pub const fn unit(mut self, unit: &'static str) -> Self {
        self.unit = unit;
        self
    }

    /// With this help.
    #[must_use]
    pub const fn help(mut self, help: &'static str) -> Self {
        self.help = help;
        self
    }

    /// With this source.
    #[must_use]
    pub const fn source(mut self, source: &'static str) -> Self {
        self.source = source;
        self
    }

    /// The parameter and the value of it that this one needs to have an effect: a help that begins `with NAME=VALUE: ` says so.
    #[must_use]
    pub fn condition(&self) -> Option<(&'static str, &'static str)> {
        self.help.strip_prefix("with ")?.split_once(": ")?.0.split_once('=')
    }

    /// Reads `text` as a value of this parameter.
    ///
    /// # Errors
    /// [`Refused`], when it is malformed or out of range.
    pub fn parse(&self, text: &str) -> Result<u32, Refused> {
        let value = match self.kind {
            ParamKind::Decimal => parse_decimal_x64k(text).ok_or(Refused::Malformed)?,
            ParamKind::Whole => text.parse().map_err(|_| Refused::Malformed)?,
            ParamKind::Flag => match text {
                "true" => 1,
                "false" => 0,
                _ => return Err(Refused::Malformed),
            },
            ParamKind::Choice(names) => match names.iter().position(|name| *name == text) {
                Some(index) => index as u32,
                None => return Err(Refused::Malformed),
            },
        };
        self.in_range(value)
    }

    /// `value`, in the stored form, if it lies in the range.
    pub(crate) fn in_range(&self, value: u32) -> Result<u32, Refused> {
        if value < self.min || value > self.max { Err(Refused::OutOfRange) } else { Ok(value) }
    }
}

/// A decimal such as `0.8` in 1/65536, rounded to nearest. Digits behind the ninth are left out, as 1/65536 is 15 000 times as
/// much: what a program computed (`0.7999999999999999`) is as good as what a person writes.
fn parse_decimal_x64k(text: &str) -> Option<u32> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if whole.is_empty() || !text.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    let mut numerator = 0_u64;
    let mut denominator = 1_u64;
    if fraction.contains('.') {
        return None;
    }
    for digit in fraction.bytes().take(9) {
        numerator = numerator * 10 + u64::from(digit - b'0');
        denominator *= 10;
    }
    let one = u64::from(ONE_X64K);
    let fraction_x64k = (numerator * one + denominator / 2) / denominator;
    u32::try_from(whole.checked_mul(one)?.checked_add(fraction_x64k)?).ok()
}

/// `own`, then `shared`: the descriptions of a struct that ends with another's parameters.
///
/// `N` is their number; of more than that the last are left out.
#[must_use]
pub const fn joined<const N: usize>(own: &[Spec], shared: &[Spec]) -> [Spec; N] {
    const EMPTY: Spec =
        Spec { name: "", kind: ParamKind::Whole, unit: "", min: 0, max: 0, help: "", source: "" };
    let mut all = [EMPTY; N];
    let (mut places, mut own, mut shared): (&mut [Spec], _, _) = (&mut all, own, shared);
    while let [place, more @ ..] = places {
        if let [spec, rest @ ..] = own {
            *place = *spec;
            own = rest;
        } else if let [spec, rest @ ..] = shared {
            *place = *spec;
            shared = rest;
        }
        places = more;
    }
    all
}

/// A parameter struct, seen as a list of numbers.
pub trait Params: Copy + PartialEq + core::fmt::Debug + 'static {
    /// The parameters, in the struct's order.
    const SPECS: &'static [Spec];

    /// Value of parameter `index`; 0 beyond the last.
    fn get(&self, index: usize) -> u32;

    /// Sets parameter `index`, which the caller has checked against its [`Spec`].
    fn set(&mut self, index: usize, value: u32);
}

/// Declares a parameter struct with its descriptions. Parameters that several algorithms share stand once, in a struct of their
/// own; a last line `..field: Struct;` takes them in.
///
/// In this crate, `struct CubicParams for Cubic` gives the algorithm its `builder()`, and the [`Builder`](crate::params::Builder) a method
/// per parameter; `for _` gives the methods to every algorithm that takes the struct in. Elsewhere a table has no `for`: methods of
/// `Builder` cannot be added there.
#[macro_export]
macro_rules! params {
    (
        $(#[$meta:meta])*
        pub struct $name:ident for $algorithm:tt {
            $(
                $field:ident: $kinds:ident::$kind:ident $(($names:expr))?, $unit:literal,
                    $min:expr => $max:expr, $source:literal, $help:literal;
            )+
            $(..$shared:ident: $type:ty;)?
        }
    ) => {
        $crate::params! {
            $(#[$meta])*
            pub struct $name {
                $($field: $kinds::$kind $(($names))?, $unit, $min => $max, $source, $help;)+
                $(..$shared: $type;)?
            }
        }

        $crate::params! { @builder $name $algorithm {
            $(
                #[doc = concat!("Sets `", stringify!($field), "`: ", $help, ".")]
                ///
                #[doc = concat!("Source: ", $source, ". Range, in the stored form: `", stringify!($min), "` to `", stringify!($max), "`.")]
                pub fn $field(self, value: $crate::params!(@argument $kind)) -> Self {
                    self.with(stringify!($field), value)
                }
            )+
        } }
    };
    (@builder $name:ident _ { $($setters:item)+ }) => {
        #[doc = concat!("Of [`", stringify!($name), "`], for every algorithm that takes them in.")]
        impl<A: $crate::registry::Registered<Params: $crate::params::Includes<$name>>> $crate::params::Builder<A> {
            $($setters)+
        }
    };
    (@builder $name:ident $algorithm:ident { $($setters:item)+ }) => {
        impl $algorithm {
            /// Settings of the caller's, beginning with the default ones.
            pub fn builder() -> $crate::params::Builder<Self> {
                $crate::params::Builder::new()
            }
        }

        #[doc = concat!("Of [`", stringify!($name), "`].")]
        impl $crate::params::Builder<$algorithm> {
            $($setters)+
        }
    };
    (@argument Decimal) => { $crate::params::Fraction };
    (@argument Whole) => { u32 };
    (@argument Flag) => { bool };
    (@argument Choice) => { &str };
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $(
                $field:ident: $kind:expr, $unit:literal, $min:expr => $max:expr, $source:literal, $help:literal;
            )+
            $(..$shared:ident: $type:ty;)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(C)]
        pub struct $name {
            $(#[doc = $help] pub $field: u32,)+
            $(#[doc = concat!("See [`", stringify!($type), "`].")] pub $shared: $type,)?
        }

        $(impl $crate::params::Includes<$type> for $name {})?

        impl $crate::params::Params for $name {
            const SPECS: &'static [$crate::params::Spec] = {
                const OWN: &[$crate::params::Spec] = &[
                    $($crate::params::Spec::new(stringify!($field), $kind, $min, $max)
                        .unit($unit).help($help).source($source),)+
                ];
                $crate::params!(@specs OWN $(, $type)?)
            };

            fn get(&self, index: usize) -> u32 {
                let own = [$(self.$field),+];
                own.get(index).copied()
                    $(.or_else(|| Some($crate::params::Params::get(&self.$shared, index.saturating_sub(own.len())))))?
                    .unwrap_or(0)
            }

            fn set(&mut self, index: usize, value: u32) {
                let mut fields = [$(&mut self.$field),+];
                let own = fields.len();
                if let Some(field) = fields.get_mut(index) {
                    **field = value;
                    return;
                }
                let _shared = index.saturating_sub(own);
                $($crate::params::Params::set(&mut self.$shared, _shared, value);)?
            }
        }
    };
    (@specs $own:ident) => { $own };
    (@specs $own:ident, $type:ty) => {{
        const SHARED: &[$crate::params::Spec] = <$type as $crate::params::Params>::SPECS;
        const ALL: [$crate::params::Spec; $own.len() + SHARED.len()] = $crate::params::joined($own, SHARED);
        &ALL
    }};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_round_to_the_nearest_65536th() {
        assert_eq!(parse_decimal_x64k("0.7"), Some(45_875)); // 45 875.2
        assert_eq!(parse_decimal_x64k("0.4"), Some(26_214)); // 26 214.4
        assert_eq!(parse_decimal_x64k("1"), Some(65_536));
        assert_eq!(parse_decimal_x64k("0.7999999999999999"), Some(52_429)); // 52 428.8
        assert_eq!(parse_decimal_x64k("0.30000000000000004"), Some(19_661)); // 19 660.8
        assert_eq!(parse_decimal_x64k("65535.999999999"), None); // rounds past 32 bits
    }

    #[test]
    fn what_is_no_decimal_is_refused() {
        for text in ["", ".", ".5", "-1", "+1", "1e3", "1.2.3", "0.1234567890.1", "0,8", "nan", "70000"] {
            assert_eq!(parse_decimal_x64k(text), None, "{text:?}");
        }
    }

    params! {
        /// Two of several algorithms.
        pub struct SharedParams {
            third: ParamKind::Whole, "", 0 => 9, "", "the third";
            fourth: ParamKind::Whole, "", 0 => 9, "", "the fourth";
        }
    }
    params! {
        /// Two of its own, and those.
        pub struct TestParams {
            first: ParamKind::Whole, "", 0 => 9, "", "the first";
            second: ParamKind::Whole, "", 0 => 9, "", "the second";
            ..shared: SharedParams;
        }
    }

    #[test]
    fn shared_parameters_follow_an_algorithms_own() {
        let names: Vec<_> = TestParams::SPECS.iter().map(|spec| spec.name).collect();
        assert_eq!(names, ["first", "second", "third", "fourth"]);
        let mut own = TestParams { first: 1, second: 2, shared: SharedParams { third: 3, fourth: 4 } };
        assert_eq!([0, 1, 2, 3, 4].map(|index| own.get(index)), [1, 2, 3, 4, 0]);
        (0..5).for_each(|index| own.set(index, 9 - index as u32));
        assert_eq!(own, TestParams { first: 9, second: 8, shared: SharedParams { third: 7, fourth: 6 } });
    }

    #[test]
    fn a_help_that_begins_with_a_condition_states_it() {
        let needs = |help| {
            Spec { name: "x", kind: ParamKind::Whole, unit: "", min: 0, max: 1, help, source: "" }.condition()
        };
        assert_eq!(needs("with slow_start=hystart++: rounds: five"), Some(("slow_start", "hystart++")));
        assert_eq!(needs("with friendliness=newreno: for good"), Some(("friendliness", "newreno")));
        assert_eq!(needs("remember a lower W_max: with care"), None);
        assert_eq!(needs("what the threshold after a loss is half of"), None);
    }

    #[test]
    fn choices_and_flags_know_their_names() {
        let spec = |kind, max| Spec { name: "x", kind, unit: "", min: 0, max, help: "", source: "" };
        assert_eq!(spec(ParamKind::Choice(&["a", "b"]), 1).parse("b"), Ok(1));
        assert_eq!(spec(ParamKind::Choice(&["a", "b"]), 1).parse("c"), Err(Refused::Malformed));
        assert_eq!(spec(ParamKind::Flag, 1).parse("true"), Ok(1));
        assert_eq!(spec(ParamKind::Flag, 1).parse("yes"), Err(Refused::Malformed));
        assert_eq!(spec(ParamKind::Whole, 5).parse("6"), Err(Refused::OutOfRange));
    }
}
