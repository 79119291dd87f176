// SPDX-License-Identifier: MIT OR Apache-2.0
//! An algorithm with settings of the caller's, as one type: a builder per algorithm, with a method per parameter.

use core::fmt;

use crate::hooks::{Configured, CongestionControl};
use crate::math::ONE_X64K;
use crate::params::{Params, Refused, Spec};
use crate::registration::Registered;
use crate::spec::Accepted;

/// A decimal parameter as a ratio of whole numbers: 0.7 is `Fraction::new(7, 10)`.
///
/// Why no `f64`: the core runs where there is none (in the Linux kernel), a parameter is kept in 1/65536, and a ratio says exactly which of
/// those is meant, on every machine. A decimal that a program reads, from a file of settings, goes to [`Builder::param`] as text.
///
/// ```
/// use cwnd::Fraction;
/// use cwnd::algorithms::cubic::Cubic;
///
/// let cubic = Cubic::builder().beta(Fraction::new(7, 10)).c(Fraction::new(4, 10)).build().unwrap();
/// assert_eq!(cubic.params.beta, 45_875); // 0.7 × 65 536 = 45 875.2
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fraction {
    numerator: u32,
    denominator: u32,
}

impl Fraction {
    /// `numerator` / `denominator`. A denominator of 0 is refused by the parameter that it is given to.
    ///
    /// ```
    /// # use cwnd::{Fraction, algorithms::cubic::Cubic};
    /// let three_quarters = Cubic::builder().beta(Fraction::new(3, 4)).build().unwrap();
    /// assert_eq!(three_quarters.params.beta, 49_152); // of 65 536
    /// let why = Cubic::builder().beta(Fraction::new(1, 0)).build().unwrap_err();
    /// assert_eq!(why.to_string(), "beta: the value is malformed; expected 0.1 to 0.99");
    /// ```
    #[must_use]
    pub const fn new(numerator: u32, denominator: u32) -> Self {
        Self { numerator, denominator }
    }

    /// A whole number.
    ///
    /// ```
    /// # use cwnd::{Fraction, algorithms::cubic::Cubic};
    /// assert_eq!(Cubic::builder().alpha(Fraction::whole(1)).build().unwrap().params.alpha, 65_536);
    /// ```
    #[must_use]
    pub const fn whole(number: u32) -> Self {
        Self::new(number, 1)
    }
}

/// What a typed setter of a [`Builder`] takes.
pub(crate) trait Setting {
    /// The stored form, not yet compared with the range.
    fn stored(self, spec: &Spec) -> Result<u32, Refused>;
}

impl Setting for Fraction {
    /// Rounded to the nearest 1/65536, as [`Spec::parse`] rounds a text.
    fn stored(self, _spec: &Spec) -> Result<u32, Refused> {
        let denominator = u64::from(self.denominator);
        let scaled = u64::from(self.numerator) * u64::from(ONE_X64K) + denominator / 2;
        let value = scaled.checked_div(denominator).ok_or(Refused::Malformed)?;
        u32::try_from(value).map_err(|_| Refused::OutOfRange)
    }
}

impl Setting for u32 {
    fn stored(self, _spec: &Spec) -> Result<u32, Refused> {
        Ok(self)
    }
}

impl Setting for bool {
    fn stored(self, _spec: &Spec) -> Result<u32, Refused> {
        Ok(self.into())
    }
}

impl Setting for &str {
    fn stored(self, spec: &Spec) -> Result<u32, Refused> {
        spec.parse(self)
    }
}

/// Makes a [`Configured`] algorithm, each parameter compared with its range. The methods stand for the parameters of the algorithm; what is
/// not set has the value of the parameter set that the builder began with.
///
/// ```
/// use core::time::Duration;
/// use cwnd::Fraction;
/// use cwnd::algorithms::cubic::Cubic;
/// use cwnd::transport::{Config, Transport};
///
/// # fn main() -> Result<(), cwnd::ParamError> {
/// let cubic = Cubic::builder()
///     .beta(Fraction::new(8, 10))
///     .fast_convergence(false)
///     .slow_start("hystart")
///     .build()?;
/// let cc = Transport::new(cubic, &Config::new(), Duration::ZERO);
/// assert_eq!(cc.window(), 12_000);
/// # Ok(())
/// # }
/// ```
///
/// A value out of its range is refused when the algorithm is built; the first refusal counts:
///
/// ```
/// # use cwnd::{Fraction, algorithms::cubic::Cubic};
/// let why = Cubic::builder().beta(Fraction::new(15, 10)).slow_start("fast").build().unwrap_err();
/// assert_eq!(why.to_string(), "beta: the value is out of its range, 0.1 to 0.99");
/// ```
///
/// An algorithm that is not in this crate has its parameters by name:
/// `Builder::<Mine>::new().param("beta", "0.7").build()`.
#[must_use = "nothing is made before `build`"]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builder<A: CongestionControl> {
    params: A::Params,
    refused: Option<ParamError>,
}

impl<A: Registered> Builder<A> {
    /// Begins with the algorithm's default parameter set. `Cubic::builder()` is short for it.
    ///
    /// ```
    /// # use cwnd::{Builder, Configured, algorithms::vegas::Vegas};
    /// assert_eq!(Builder::<Vegas>::new().build(), Ok(Configured::registered()));
    /// ```
    pub fn new() -> Self {
        Self { params: Configured::<A>::registered().params, refused: None }
    }

    /// Begins with the algorithm's parameter set of this name; `None` if it has no such set.
    ///
    /// ```
    /// # use cwnd::{Builder, algorithms::cubic::Cubic};
    /// let cubic = Builder::<Cubic>::named("cubic-2.2").unwrap().counting("segments").build().unwrap();
    /// assert_eq!(cubic.params.beta, 52_429); // 0.8, the paper's
    /// assert_eq!(Builder::<Cubic>::named("reno"), None);
    /// ```
    #[must_use]
    pub fn named(set: &str) -> Option<Self> {
        let set = A::SETS.iter().find(|other| other.name == set)?;
        Some(Self { params: set.params, refused: None })
    }
}

impl<A: CongestionControl<Params: Params> + Default> Builder<A> {
    /// Sets the parameter `name` from a text, as scenarios and command lines write it.
    ///
    /// ```
    /// # use cwnd::{ParamError, algorithms::cubic::Cubic};
    /// let from_file = ("beta", "0.85");
    /// let cubic = Cubic::builder().param(from_file.0, from_file.1).build().unwrap();
    /// assert_eq!(cubic.params.beta, 55_706); // 0.85 × 65 536 = 55 705.6
    /// assert!(matches!(Cubic::builder().param("bata", "0.85").build(), Err(ParamError::Unknown(_))));
    /// ```
    pub fn param(self, name: &str, text: &str) -> Self {
        self.with(name, text)
    }

    /// Sets the parameter `name`, or notes why not.
    pub(crate) fn with(mut self, name: &str, value: impl Setting) -> Self {
        if let Err(why) = set(&mut self.params, name, value) {
            self.refused = self.refused.or(Some(why));
        }
        self
    }

    /// The algorithm with these settings, not yet begun.
    ///
    /// ```
    /// # use cwnd::{Controller, algorithms::cubic::Cubic};
    /// let cubic = Cubic::builder().max_increment(160).build().unwrap();
    /// // As one among others that are chosen at run time:
    /// let any = Controller::from(cubic);
    /// # assert!(any.is_same(&Controller::Cubic(cubic)));
    /// ```
    ///
    /// # Errors
    /// [`ParamError`], the first, where a setting was refused.
    pub fn build(self) -> Result<Configured<A>, ParamError> {
        match self.refused {
            Some(why) => Err(why),
            None => Ok(Configured { state: A::default(), params: self.params }),
        }
    }
}

impl<A: Registered> Default for Builder<A> {
    fn default() -> Self {
        Self::new()
    }
}

/// A parameter struct that ends with those of another, which several algorithms share.
///
/// ```
/// use cwnd::{Includes, algorithms::cubic::CubicParams, slow_start::SlowStartParams};
///
/// fn has_slow_start<P: Includes<SlowStartParams>>() {}
/// has_slow_start::<CubicParams>();
/// ```
pub trait Includes<P> {}

/// Sets the parameter `name` of `params`.
pub(crate) fn set<P: Params>(params: &mut P, name: &str, value: impl Setting) -> Result<(), ParamError> {
    let mut specs = P::SPECS.iter().enumerate();
    let (index, spec) = specs.find(|(_, spec)| spec.name == name).ok_or(ParamError::Unknown(P::SPECS))?;
    let value = value.stored(spec).and_then(|value| spec.in_range(value));
    params.set(index, value.map_err(|why| ParamError::Refused(spec, why))?);
    Ok(())
}

/// Why a parameter was not set.
///
/// ```
/// use cwnd::Fraction;
/// use cwnd::algorithms::cubic::Cubic;
///
/// let why = Cubic::builder().beta(Fraction::whole(2)).build().unwrap_err();
/// assert_eq!(why.to_string(), "beta: the value is out of its range, 0.1 to 0.99");
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParamError {
    /// The algorithm has no parameter of that name, but these.
    Unknown(&'static [Spec]),
    /// The value of this parameter was refused.
    Refused(&'static Spec, Refused),
}

/// The message: `main` and `unwrap` print an error in this form, and a [`Spec`] in full takes many lines.
impl fmt::Debug for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ParamError({self})")
    }
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(specs) => {
                f.write_str("the algorithm has no parameter of that name; it has ")?;
                for (index, spec) in specs.iter().enumerate() {
                    write!(f, "{}{}", if index == 0 { "" } else { ", " }, spec.name)?;
                }
                f.write_str(if specs.is_empty() { "none" } else { "" })
            }
            Self::Refused(spec, why) => {
                let link = if *why == Refused::OutOfRange { "," } else { "; expected" };
                write!(f, "{}: {why}{link} {}", spec.name, Accepted(spec))
            }
        }
    }
}

impl core::error::Error for ParamError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::cubic::{Cubic, CubicParams};
    use crate::params::ParamKind;

    const BETA: ParamError = ParamError::Refused(&CubicParams::SPECS[0], Refused::OutOfRange);

    #[test]
    fn a_refusal_says_what_is_expected() {
        let why = |builder: Builder<Cubic>| builder.build().unwrap_err().to_string();
        let cubic = Cubic::builder;
        for (said, expected) in [
            (why(cubic().beta(Fraction::whole(2))), "beta: the value is out of its range, 0.1 to 0.99"),
            (why(cubic().param("beta", "half")), "beta: the value is malformed; expected 0.1 to 0.99"),
            (
                why(cubic().slow_start("fast")),
                "slow_start: the value is malformed; expected standard, hystart++, hystart or rfc5681",
            ),
            (
                why(cubic().param("fast_convergence", "yes")),
                "fast_convergence: the value is malformed; expected true or false",
            ),
        ] {
            assert_eq!(said, expected);
        }
        let unknown = cubic().param("bata", "0.7").build().unwrap_err();
        let begin = "the algorithm has no parameter of that name; it has beta, c, ";
        assert!(unknown.to_string().starts_with(begin), "{unknown}");
        assert_eq!(
            ParamError::Unknown(&[]).to_string(),
            "the algorithm has no parameter of that name; it has none"
        );
        assert_eq!(format!("{BETA:?}"), "ParamError(beta: the value is out of its range, 0.1 to 0.99)");
    }

    // 0.1 = 6553.6/65 536 and 0.99 = 64 880.6/65 536 are the ends of beta's range, as the decimals are.
    #[test]
    fn a_fraction_is_rounded_and_limited_as_the_decimal_is() {
        for (numerator, denominator, text) in [(1, 10, "0.1"), (99, 100, "0.99"), (7, 10, "0.7")] {
            let typed = Cubic::builder().beta(Fraction::new(numerator, denominator)).build();
            assert_eq!(typed, Cubic::builder().param("beta", text).build(), "{text}");
            assert!(typed.is_ok(), "{text}");
        }
        for (numerator, denominator) in [(9, 100), (1, 1), (u32::MAX, 1), (0, u32::MAX)] {
            assert_eq!(Cubic::builder().beta(Fraction::new(numerator, denominator)).build(), Err(BETA));
        }
    }

    #[test]
    fn the_first_refusal_stays_whatever_is_set_after_it() {
        let refused =
            Cubic::builder().beta(Fraction::whole(1)).c(Fraction::new(1, 0)).beta(Fraction::new(7, 10));
        assert_eq!(refused.build(), Err(BETA));
    }

    macro_rules! every_algorithm {
        ($($variant:ident: $algorithm:ty, $name:literal;)+) => {
            // An algorithm whose table has no `for` has no `builder`: this does not compile then.
            #[test]
            fn every_algorithm_has_a_builder_that_begins_with_its_defaults() {
                $(assert_eq!(<$algorithm>::builder().build(), Ok(Configured::registered()), $name);)+
            }

            #[test]
            fn the_ends_of_every_range_are_taken_and_what_lies_beyond_is_refused() {
                $(every_range::<$algorithm>();)+
            }
        };
    }

    crate::for_each_algorithm!(every_algorithm);

    fn every_range<A: Registered>() {
        for (index, spec) in A::Params::SPECS.iter().enumerate() {
            let numbers = !matches!(spec.kind, ParamKind::Choice(_));
            for value in [spec.min, spec.max].into_iter().filter(|_| numbers) {
                let built = Builder::<A>::new().with(spec.name, value).build();
                assert_eq!(built.map(|cc| cc.params.get(index)), Ok(value), "{} {}", A::NAME, spec.name);
            }
            let beyond = Builder::<A>::new().with(spec.name, spec.max + 1).build().err();
            assert_eq!(
                beyond,
                Some(ParamError::Refused(spec, Refused::OutOfRange)),
                "{} {}",
                A::NAME,
                spec.name
            );
        }
    }
}
