// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parameters that describe themselves: name, unit, range, default, help and source stand once, beside the algorithm.
//!
//! A parameter struct is all `u32`, `#[repr(C)]`: the same bytes lie in a kernel object's `.rodata`.

pub use crate::spec::{ParamKind, Refused, Spec};

/// `own`, then `shared`: the descriptions of a struct that ends with another's parameters.
///
/// `N` is their number; of more than that the last are left out.
///
/// ```
/// use cwnd::params::{ParamKind, Spec, joined};
///
/// const OWN: &[Spec] = &[Spec::new("own", ParamKind::Flag, 0, 1)];
/// const SHARED: &[Spec] = &[Spec::new("shared", ParamKind::Flag, 0, 1)];
/// const ALL: [Spec; 2] = joined(OWN, SHARED);
/// assert_eq!(ALL.map(|spec| spec.name), ["own", "shared"]);
/// ```
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
///
/// ```
/// use cwnd::algorithms::cubic::Cubic;
/// use cwnd::params::Params;
///
/// fn named<P: Params>(params: &P, name: &str) -> Option<u32> {
///     P::SPECS.iter().position(|spec| spec.name == name).map(|index| params.get(index))
/// }
/// let cubic = Cubic::builder().build().unwrap();
/// assert_eq!(named(&cubic.params, "beta"), Some(45_875));
/// ```
pub trait Params: Copy + PartialEq + core::fmt::Debug + 'static {
    /// The parameters, in the struct's order.
    const SPECS: &'static [Spec];

    /// Value of parameter `index`; 0 beyond the last.
    ///
    /// ```
    /// use cwnd::{algorithms::scalable::Scalable, params::Params};
    ///
    /// let params = Scalable::builder().build()?.params;
    /// assert_eq!([0, 1, 2, 3].map(|index| params.get(index)), [100, 16, 1, 0]); // three parameters
    /// # Ok::<(), cwnd::ParamError>(())
    /// ```
    fn get(&self, index: usize) -> u32;

    /// Sets parameter `index`, which the caller has checked against its [`Spec`].
    ///
    /// ```
    /// use cwnd::{algorithms::scalable::Scalable, params::Params};
    ///
    /// let mut params = Scalable::builder().build()?.params;
    /// params.set(0, 50);
    /// assert_eq!(params.per_segment, 50);
    /// # Ok::<(), cwnd::ParamError>(())
    /// ```
    fn set(&mut self, index: usize, value: u32);
}

/// Declares a parameter struct with its descriptions. Parameters that several algorithms share stand once, in a struct of their
/// own; a last line `..field: Struct;` takes them in.
///
/// In this crate, `struct CubicParams for Cubic` gives the algorithm its `builder()`, and the [`Builder`](crate::Builder) a method
/// per parameter; `for _` gives the methods to every algorithm that takes the struct in. Elsewhere a table has no `for`: methods of
/// `Builder` cannot be added there.
///
/// ```
/// use cwnd::params::{ParamKind, Params};
///
/// cwnd::params! {
///     /// Settings of an algorithm.
///     pub struct LullParams {
///         beta: ParamKind::Decimal, "", 6_554 => 64_881, "RFC 9438 §4.6", "factor of the window kept after a loss";
///     }
/// }
/// assert_eq!(LullParams::SPECS[0].parse("0.75"), Ok(49_152)); // 0.75 × 65 536
/// ```
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
        impl<A: $crate::CongestionControl<Params: $crate::params::Params + $crate::Includes<$name>> + Default> $crate::Builder<A> {
            $($setters)+
        }
    };
    (@builder $name:ident $algorithm:ident { $($setters:item)+ }) => {
        impl $algorithm {
            /// Settings of the caller's, beginning with the default ones.
            ///
            /// ```
            /// # macro_rules! types { ($($name:ident: $type:path, $string:literal;)+) => { $(type $name = $type;)+ } }
            /// # cwnd::for_each_algorithm!(types);
            /// # use cwnd::Configured;
            #[doc = concat!("let built = ", stringify!($algorithm), "::builder().build()?;")]
            #[doc = concat!("assert_eq!(built.params, Configured::<", stringify!($algorithm), ">::registered().params);")]
            /// # Ok::<(), cwnd::ParamError>(())
            /// ```
            pub fn builder() -> $crate::Builder<Self> {
                $crate::Builder::new()
            }
        }

        #[doc = concat!("Of [`", stringify!($name), "`].")]
        impl $crate::Builder<$algorithm> {
            $($setters)+
        }
    };
    (@argument Decimal) => { $crate::Fraction };
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

        $(impl $crate::Includes<$type> for $name {})?

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
}
