// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a distribution's file says of it, as data: its name, its definition, and its parameters.
//!
//! Scenarios, documentation and the generator of the fuzzer read this data; here nothing knows of them.

/// One, in millionths, the unit of shapes and shares.
pub const ONE: u64 = 1_000_000;

/// What a distribution's file says of it.
pub(crate) trait Described {
    /// Name in a scenario.
    const NAME: &'static str;
    /// Its definition, in a line.
    const HELP: &'static str;
}

/// A distribution with a density.
pub(crate) trait Continuous: Described {
    /// Its density.
    type Density: Density;

    /// The density without bounds.
    fn density(&self) -> Self::Density;

    /// The bounds that it is truncated to.
    fn bounds(&self) -> Bounds;
}

/// A density with its parameters, in units of the value.
pub(crate) trait Density: Copy {
    /// The value that is exceeded with probability `p`, 0 < p ≤ 1.
    fn at_survival(self, p: f64) -> f64;

    /// P(X > x) for x > 0.
    fn survival(self, x: f64) -> f64;

    /// ∫ x f(x) dx from `a` to `b`; `None` when it is infinite.
    fn mean_between(self, a: f64, b: f64) -> Option<f64>;
}

/// A distribution over whole numbers.
pub(crate) trait Discrete: Described {
    /// Its smallest and its largest value.
    fn range(&self) -> (u64, u64);

    /// The value that the random number `number` stands for, where the range is `low..=high`.
    fn at(&self, number: u64, low: u64, high: u64) -> u64;

    /// The mean where the range is `low..=high`.
    fn mean(&self, low: u64, high: u64) -> f64;
}

/// A parameter of a distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// The values that it accepts.
    pub kind: ParameterKind,
    /// What it is.
    pub help: &'static str,
}

/// The values that a parameter accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// A number in millionths, from the first to the second.
    Number(u64, u64),
    /// A value of the distribution, 0 or more.
    Value,
    /// A value not below that of the parameter of this name.
    NotBelow(&'static str),
    /// A value above 0.
    Positive,
    /// A value above that of the parameter of this name.
    Above(&'static str),
    /// The same, or none.
    OptionalAbove(&'static str),
    /// The mean of the distribution without its bounds.
    Mean,
    /// The scale: `mean`, or the parameter of the row's name. A distribution whose mean is infinite with a shape of one or less
    /// has the name of the shape here.
    Scale(Option<&'static str>),
    /// The bounds `at_least` and `at_most`, each or none: around the mean or the scale, so that a substantial part of the
    /// distribution lies between them.
    Bounds,
    /// An upper bound above the mean or the scale, or none. The distribution has no `at_least`: why, in words.
    UpperBound(&'static str),
}

/// The value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterValue {
    /// A number that must be given.
    Number(u64),
    /// One that may be left out.
    Optional(Option<u64>),
    /// Of [`ParameterKind::Scale`].
    Scale(Scale),
    /// Of [`ParameterKind::Bounds`].
    Bounds(Bounds),
}

/// How a scale was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// By the mean of the unbounded distribution.
    Mean(u64),
    /// By the scale parameter of the distribution.
    Parameter(u64),
}

/// Bounds that a distribution is truncated to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Lower bound.
    pub at_least: Option<u64>,
    /// Upper bound.
    pub at_most: Option<u64>,
}

impl Bounds {
    /// From the lower to the upper bound.
    pub(crate) fn interval(self) -> (f64, f64) {
        let to = self.at_most.map_or(f64::INFINITY, |most| most as f64);
        (self.at_least.unwrap_or(0) as f64, to)
    }
}

/// Whether a row of bounds has one before it that says what they are around: a mean or a scale.
pub(crate) const fn bounds_have_a_middle(rows: &[Parameter]) -> bool {
    let (mut has_middle, mut index) = (false, 0);
    while index < rows.len() {
        match rows[index].kind {
            ParameterKind::Mean | ParameterKind::Scale(_) => has_middle = true,
            ParameterKind::Bounds | ParameterKind::UpperBound(_) if !has_middle => return false,
            _ => {}
        }
        index += 1;
    }
    true
}

/// Millionths as a number.
pub(crate) fn fraction(millionths: u64) -> f64 {
    millionths as f64 / ONE as f64
}

/// Declares a distribution's parameters: `name: Kind, help;` a row. The struct has a field per row.
macro_rules! parameters {
    (
        $(#[$meta:meta])*
        pub struct $spec:ident { $($name:ident: $kind:ident $(($($of:expr),+))?, $help:literal;)+ }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $spec {
            $(#[doc = $help] pub $name: $crate::distribution::describe::parameters!(@type $kind),)+
        }

        impl $spec {
            /// The rows.
            pub(crate) const PARAMETERS: &'static [$crate::Parameter] = &[$($crate::Parameter {
                name: stringify!($name),
                kind: $crate::ParameterKind::$kind $(($($of),+))?,
                help: $help,
            }),+];

            const BOUNDS_HAVE_A_MIDDLE: () = assert!(
                $crate::distribution::describe::bounds_have_a_middle(Self::PARAMETERS),
                "bounds are around a mean or a scale, whose row is before theirs"
            );

            /// From the values of the parameters in the order of the rows.
            pub(crate) fn from_values(values: &[$crate::ParameterValue]) -> Self {
                let () = Self::BOUNDS_HAVE_A_MIDDLE;
                let mut values = values.iter().copied();
                Self {
                    $($name: match values.next() {
                        Some($crate::distribution::describe::parameters!(@value $kind value)) => value,
                        other => unreachable!("{} is not {other:?}", stringify!($name)),
                    },)+
                }
            }

            /// The values of the parameters in the order of the rows.
            pub(crate) fn values(&self) -> Vec<$crate::ParameterValue> {
                $(let $name = self.$name;)+
                vec![$($crate::distribution::describe::parameters!(@value $kind $name)),+]
            }
        }
    };
    (@type Scale) => { $crate::Scale };
    (@type Bounds) => { $crate::Bounds };
    (@type OptionalAbove) => { Option<u64> };
    (@type UpperBound) => { Option<u64> };
    (@type $number:ident) => { u64 };
    (@value Scale $value:ident) => { $crate::ParameterValue::Scale($value) };
    (@value Bounds $value:ident) => { $crate::ParameterValue::Bounds($value) };
    (@value OptionalAbove $value:ident) => { $crate::ParameterValue::Optional($value) };
    (@value UpperBound $value:ident) => { $crate::ParameterValue::Optional($value) };
    (@value $number:ident $value:ident) => { $crate::ParameterValue::Number($value) };
}
pub(crate) use parameters;
