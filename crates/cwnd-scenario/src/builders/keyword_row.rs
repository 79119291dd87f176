// SPDX-License-Identifier: MIT OR Apache-2.0
//! A keyword: what a row of the table [`KEYWORDS`](super::KEYWORDS) says.

use cwnd_link::Discipline;

/// A keyword. Its option is its name with hyphens: `--packet-size`. The options of commands, their panels and completion, keywords and
/// types in Python, and what a page's link writes follow from its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keyword {
    /// Its name.
    pub name: &'static str,
    /// Where its value stands in a scenario.
    pub place: Place,
    /// What holds where it is not given.
    pub default: KeywordDefault,
    /// How the command line has its value.
    pub option: OptionForm,
    /// What it is, as a sentence.
    pub help: &'static str,
    /// More sentences about the values of the option.
    pub option_help: &'static str,
    /// What the help of commands calls its value; empty: what its form is called.
    pub metavar: &'static str,
    /// The panel of the help that its option is in.
    pub group: Group,
    /// Values that are an axis of `cwnd sweep`, as an example; empty: it is no axis by this name.
    pub axis: &'static str,
    /// Whether `cwnd shell` has its option, too.
    pub in_shell: bool,
    /// Whether it is a keyword of `cwnd.parking_lot`: a key of the link may be.
    pub in_parking_lot: bool,
    /// Its type in Python.
    pub python: &'static str,
    /// What Python takes besides the option's values.
    pub python_help: &'static str,
}

/// A panel of a command's help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The link.
    Link,
    /// The queue.
    Queue,
    /// Traffic, time and seed.
    Time,
    /// What is recorded: options of `cwnd compare` alone.
    Records,
}

impl Group {
    /// Its heading.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Link => "Link",
            Self::Queue => "Queue",
            Self::Time => "Traffic, time and seed",
            Self::Records => "Records",
        }
    }
}

/// Where the value of a keyword stands in a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A key of the document, of the keyword's name.
    Document,
    /// A key of `[link]`, of the keyword's name.
    Link,
    /// `limit` of the link's queue.
    Limit,
    /// This key of `[record]`.
    Record(&'static str),
    /// Tables of this name.
    Tables(&'static str),
    /// `ecn` of the queue and of the flows.
    Ecn,
}

/// What holds where a keyword is not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeywordDefault {
    /// This is written into the scenario.
    Written(&'static str),
    /// This, which is the scenario's own default.
    Scenarios(&'static str),
    /// Nothing, or what is made of other keywords.
    Nothing,
}

impl KeywordDefault {
    /// The text of the option that means the same.
    #[must_use]
    pub const fn text(self) -> Option<&'static str> {
        match self {
            Self::Written(text) | Self::Scenarios(text) => Some(text),
            Self::Nothing => None,
        }
    }
}

/// How the command line has the value of a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionForm {
    /// As it is.
    Text,
    /// A whole number.
    Number,
    /// An option without a value, for `true`.
    Flag,
    /// Two texts, `FROM..TO`.
    Pair,
    /// A word, or names and numbers with commas between them.
    Names,
    /// An option for each: the name of a preset, or the keys of a table.
    Tables,
    /// It has no option.
    None,
}

/// The keyword of a queue discipline.
pub(super) fn keyword_of(discipline: Discipline) -> String {
    discipline.name().replace('-', "_")
}

/// The queue disciplines that are keywords with a table of settings.
pub(super) fn disciplines() -> impl Iterator<Item = Discipline> {
    Discipline::ALL.iter().copied().filter(|discipline| !discipline.settings().is_empty())
}

/// The queue disciplines without settings, whose keywords are flags.
pub(super) fn flags() -> impl Iterator<Item = Discipline> {
    let others = Discipline::ALL.iter().copied().filter(|discipline| *discipline != Discipline::DropTail);
    others.filter(|discipline| discipline.settings().is_empty())
}
