// SPDX-License-Identifier: MIT OR Apache-2.0
//! A parameter, described, and its values as text.

use core::fmt;

use crate::math::ONE_X64K;

/// How a parameter's `u32` is read and written. Exhaustive: whoever shows or reads parameters has to know every kind.
///
/// ```
/// use cwnd::params::{ParamKind, Spec};
///
/// let counting = Spec::new("counting", ParamKind::Choice(&["segments", "acks"]), 0, 1);
/// assert_eq!(counting.parse("acks"), Ok(1));
/// ```
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
///
/// ```
/// use cwnd::{algorithms::scalable::Scalable, params::Params};
///
/// fn first<P: Params>(_: &P) -> &'static str {
///     P::SPECS[0].name
/// }
/// assert_eq!(first(&Scalable::builder().build().unwrap().params), "per_segment");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
///
/// ```
/// use cwnd::params::{ParamKind, Refused, Spec};
///
/// let keep = Spec::new("keep", ParamKind::Decimal, 0, 65_536);
/// assert_eq!((keep.parse("1.5"), keep.parse("½")), (Err(Refused::OutOfRange), Err(Refused::Malformed)));
/// ```
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
    ///
    /// ```
    /// use cwnd::params::{ParamKind, Spec};
    ///
    /// assert_eq!(Spec::new("delay", ParamKind::Whole, 0, 1_000).unit("ms").unit, "ms");
    /// ```
    #[must_use]
    pub const fn unit(mut self, unit: &'static str) -> Self {
        self.unit = unit;
        self
    }

    /// With this help.
    ///
    /// ```
    /// use cwnd::params::{ParamKind, Spec};
    ///
    /// assert_eq!(Spec::new("delay", ParamKind::Whole, 0, 1_000).help("longest delay").help, "longest delay");
    /// ```
    #[must_use]
    pub const fn help(mut self, help: &'static str) -> Self {
        self.help = help;
        self
    }

    /// With this source.
    ///
    /// ```
    /// use cwnd::params::{ParamKind, Spec};
    ///
    /// assert_eq!(Spec::new("delay", ParamKind::Whole, 0, 1_000).source("RFC 9002 §5.3").source, "RFC 9002 §5.3");
    /// ```
    #[must_use]
    pub const fn source(mut self, source: &'static str) -> Self {
        self.source = source;
        self
    }

    /// The parameter and the value of it that this one needs to have an effect: a help that begins `with NAME=VALUE: ` says so.
    ///
    /// ```
    /// use cwnd::params::{ParamKind, Spec};
    ///
    /// let rounds = Spec::new("css_rounds", ParamKind::Whole, 1, 255).help("with slow_start=hystart++: rounds of slower growth");
    /// assert_eq!(rounds.condition(), Some(("slow_start", "hystart++")));
    /// ```
    #[must_use]
    pub fn condition(&self) -> Option<(&'static str, &'static str)> {
        self.help.strip_prefix("with ")?.split_once(": ")?.0.split_once('=')
    }

    /// Reads `text` as a value of this parameter.
    ///
    /// ```
    /// use cwnd::params::{ParamKind, Refused, Spec};
    ///
    /// let flag = Spec::new("fast_convergence", ParamKind::Flag, 0, 1);
    /// assert_eq!((flag.parse("true"), flag.parse("on")), (Ok(1), Err(Refused::Malformed)));
    /// ```
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

/// What a parameter accepts, for error messages: `0.1 to 0.99`, `true or false`, `segments or acks`.
pub(crate) struct Accepted(pub(crate) &'static Spec);

impl fmt::Display for Accepted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(spec) = self;
        match spec.kind {
            ParamKind::Decimal => {
                write_decimal_x64k(f, spec.min)?;
                f.write_str(" to ")?;
                write_decimal_x64k(f, spec.max)
            }
            ParamKind::Whole => write!(f, "{} to {}", spec.min, spec.max),
            ParamKind::Flag => f.write_str("true or false"),
            ParamKind::Choice(names) => {
                let last = names.len().saturating_sub(1);
                for (index, name) in names.iter().enumerate() {
                    let before = if index == 0 {
                        ""
                    } else if index == last {
                        " or "
                    } else {
                        ", "
                    };
                    write!(f, "{before}{name}")?;
                }
                Ok(())
            }
        }
    }
}

/// Writes the shortest decimal that [`parse_decimal_x64k`] reads as `value`. Five digits are always enough: 10⁻⁵ is less than 1/65536.
fn write_decimal_x64k(f: &mut impl fmt::Write, value: u32) -> fmt::Result {
    let one = u64::from(ONE_X64K);
    let mut digits = 0;
    let mut denominator = 1_u64;
    loop {
        let numerator = (u64::from(value) * denominator + one / 2) / one;
        if digits == 5 || (numerator * one + denominator / 2) / denominator == u64::from(value) {
            write!(f, "{}", numerator / denominator)?;
            return if digits == 0 { Ok(()) } else { write!(f, ".{:0digits$}", numerator % denominator) };
        }
        digits += 1;
        denominator *= 10;
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
    fn a_value_is_written_as_the_shortest_decimal_that_is_read_as_it() {
        for (value, text) in [
            (0, "0"),
            (65_536, "1"),
            (6_554, "0.1"),
            (64_881, "0.99"),
            (66, "0.001"),
            (1, "0.00002"),      // 0.000 015
            (65_535, "0.99998"), // 0.999 985
            (u32::MAX, "65535.99998"),
        ] {
            let mut written = String::new();
            write_decimal_x64k(&mut written, value).expect("a String takes all");
            assert_eq!(written, text, "{value}");
        }
        for value in (0..1 << 17).chain(u32::MAX - 70_000..=u32::MAX) {
            let mut written = String::new();
            write_decimal_x64k(&mut written, value).expect("a String takes all");
            assert_eq!(parse_decimal_x64k(&written), Some(value), "{written}");
        }
    }

    #[test]
    fn what_is_no_decimal_is_refused() {
        for text in ["", ".", ".5", "-1", "+1", "1e3", "1.2.3", "0.1234567890.1", "0,8", "nan", "70000"] {
            assert_eq!(parse_decimal_x64k(text), None, "{text:?}");
        }
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
