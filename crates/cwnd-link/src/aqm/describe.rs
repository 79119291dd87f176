// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a queue discipline's file says of it, as data: its name, its settings, and its cause of drops.
//!
//! Scenarios, the command line, documentation and the tables of results read this data; here nothing knows of them.

use crate::limit::Limit;

/// What a queue discipline's file says of it.
pub(crate) trait Described {
    /// Name in a scenario, and of the option of the command line.
    const NAME: &'static str;
    /// What captions and the page call it.
    const TITLE: &'static str;
    /// The settings that a caption has, in their order.
    const SHOWN: &'static [&'static str];
    /// What it is, in a line.
    const HELP: &'static str;
    /// Settings that the command line takes as one option.
    const OPTION: Option<SettingOption>;
    /// What is said of the packets that it drops.
    const CAUSE: CauseWords;
}

/// A setting of a queue discipline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// The values that it accepts.
    pub kind: SettingKind,
    /// Its default; `None` where it must be given.
    pub default: Option<SettingValue>,
    /// Unit of a plain number, if it has one.
    pub unit: &'static str,
    /// Its meaning.
    pub help: &'static str,
    /// The RFC or paper that it is from, if there is one.
    pub source: &'static str,
}

/// The values that a setting accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingKind {
    /// Yes or no.
    Flag,
    /// A time above 0, ns.
    TimeAbove0,
    /// A time above 0 that is not below that of the setting of this name, which has a row before it, ns.
    TimeNotBelow(&'static str),
    /// A probability above 0, in units of 2⁻⁶⁴.
    Fraction,
    /// A size of the queue, in packets or bytes.
    QueueSize,
    /// A size of the queue above that of the setting of this name, and in bytes if that is.
    QueueSizeAbove(&'static str),
}

/// The value of a setting; `S` is the type of a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingValue<S = Limit> {
    /// Of [`SettingKind::Flag`].
    Flag(bool),
    /// Of [`SettingKind::TimeAbove0`], [`SettingKind::TimeNotBelow`] and [`SettingKind::Fraction`].
    Number(u64),
    /// Of [`SettingKind::QueueSize`] and [`SettingKind::QueueSizeAbove`].
    Size(S),
}

impl<S> SettingValue<S> {
    /// The same value with another type of sizes.
    pub fn map_size<T>(self, map: impl FnOnce(S) -> T) -> SettingValue<T> {
        match self {
            Self::Flag(flag) => SettingValue::Flag(flag),
            Self::Number(number) => SettingValue::Number(number),
            Self::Size(size) => SettingValue::Size(map(size)),
        }
    }
}

/// Settings that an option of the command line takes: one as `VALUE`, two as `FIRST..SECOND`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettingOption {
    /// The settings, at least one.
    pub names: &'static [&'static str],
    /// A value of each, for messages.
    pub example: &'static [&'static str],
    /// Help of the option.
    pub help: &'static str,
    /// What the settings are together, for messages.
    pub what: &'static str,
}

/// What is said of drops by one cause, in the tables of results and in reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CauseWords {
    /// Name of the event of such a drop.
    pub event: &'static str,
    /// Column with their number in the measured interval, of a flow, a link or a sample.
    pub column: &'static str,
    /// Column with their number in the whole run.
    pub column_run: &'static str,
    /// Meaning of the column of a link, and of those of a sample, a flow and the whole run.
    pub of_link: &'static str,
    /// See `of_link`.
    pub of_sample: &'static str,
    /// See `of_link`.
    pub of_flow: &'static str,
    /// See `of_link`.
    pub of_run: &'static str,
    /// Heading of their number in a report.
    pub heading: &'static str,
    /// What follows their number in a sentence.
    pub counted: &'static str,
    /// Meaning of the heading.
    pub legend: &'static str,
    /// What a picture calls them.
    pub picture: &'static str,
    /// Whether a report has their number also where it is 0.
    pub always: bool,
}

/// Declares [`CauseWords`]: the name that events and columns end in, then what the drops of a link and of a flow are, then the words of
/// a report.
macro_rules! cause {
    (
        $name:literal, link $link:literal, flow $flow:literal,
        heading $heading:literal, counted $counted:literal, legend $legend:literal, picture $picture:literal, always $always:literal
    ) => {
        $crate::aqm::CauseWords {
            event: concat!("drop_", $name),
            column: concat!("drops_", $name),
            column_run: concat!("drops_", $name, "_run"),
            of_link: concat!("drops ", $link),
            of_sample: concat!("drops so far ", $link),
            of_flow: concat!("drops ", $flow),
            of_run: concat!("`drops_", $name, "` of the whole run"),
            heading: $heading,
            counted: $counted,
            legend: $legend,
            picture: $picture,
            always: $always,
        }
    };
}
pub(crate) use cause;

/// What is said of packets that found no room, whatever the discipline.
pub(crate) const FULL: CauseWords = cause!(
    "queue", link "for lack of space", flow "for lack of space",
    heading "full", counted "by the full queue", legend "for lack of space", picture "full-queue drops", always true
);

/// Declares the settings of a queue discipline: `name: Kind = default, unit, help, source;` a row, without the default where the setting
/// must be given. The struct has a field per row; fields that are no settings may follow in `also`, by the size of a full packet in bytes.
macro_rules! settings {
    (
        $(#[$meta:meta])*
        pub struct $config:ident {
            $($name:ident: $kind:ident $(($other:literal))? $(= $default:expr)?, $unit:tt, $help:literal, $source:literal;)+
        }
        also($packet:ident) { $($(#[$more_meta:meta])* $more:ident: $more_type:ty = $more_value:expr;)* }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $config {
            $(#[doc = $crate::aqm::describe::settings!(@doc $help, $unit)] pub $name: $crate::aqm::describe::settings!(@type $kind),)+
            $($(#[$more_meta])* pub $more: $more_type,)*
        }

        impl $config {
            /// The rows.
            pub(crate) const SETTINGS: &'static [$crate::aqm::Setting] = &[$($crate::aqm::Setting {
                name: stringify!($name),
                kind: $crate::aqm::SettingKind::$kind $(($other))?,
                default: $crate::aqm::describe::settings!(@default $kind $($default)?),
                unit: $unit,
                help: $help,
                source: $source,
            }),+];

            /// From the values of the settings in the order of the rows, and the size of a full packet.
            pub(crate) fn new(settings: &[$crate::aqm::SettingValue], $packet: u32) -> Self {
                let mut settings = settings.iter().copied();
                Self {
                    $($name: match settings.next() {
                        Some($crate::aqm::describe::settings!(@value $kind value)) => value,
                        other => unreachable!("{} is not {other:?}", stringify!($name)),
                    },)+
                    $($more: $more_value,)*
                }
            }
        }
    };
    ($(#[$meta:meta])* pub struct $config:ident { $($rows:tt)+ }) => {
        $crate::aqm::describe::settings! { $(#[$meta])* pub struct $config { $($rows)+ } also(_packet) {} }
    };
    (@type Flag) => { bool };
    (@type TimeAbove0) => { u64 };
    (@type TimeNotBelow) => { u64 };
    (@type Fraction) => { u64 };
    (@type $size:ident) => { $crate::limit::Limit };
    (@value Flag $value:ident) => { $crate::aqm::SettingValue::Flag($value) };
    (@value TimeAbove0 $value:ident) => { $crate::aqm::SettingValue::Number($value) };
    (@value TimeNotBelow $value:ident) => { $crate::aqm::SettingValue::Number($value) };
    (@value Fraction $value:ident) => { $crate::aqm::SettingValue::Number($value) };
    (@value $size:ident $value:ident) => { $crate::aqm::SettingValue::Size($value) };
    (@default $kind:ident) => { None };
    (@default Flag $value:expr) => { Some($crate::aqm::SettingValue::Flag($value)) };
    (@default $number:ident $value:expr) => { Some($crate::aqm::SettingValue::Number($value)) };
    (@doc $help:literal, "") => { $help };
    (@doc $help:literal, $unit:literal) => { concat!($help, ", ", $unit) };
}
pub(crate) use settings;
