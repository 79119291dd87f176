// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of keywords: what `cwnd compare`, `cwnd.compare` and `cwnd.dumbbell` call the settings of one bottleneck.

use cwnd_link::Discipline;

/// A keyword. Its option is its name with hyphens: `--packet-size`.
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

/// One row.
const fn row(name: &'static str, place: Place, default: KeywordDefault, option: OptionForm) -> Keyword {
    Keyword { name, place, default, option }
}

use KeywordDefault::{Nothing, Scenarios, Written};
use OptionForm::{Flag, Names, Number, Pair, Tables, Text};

/// All keywords, but for `flows` and the queue disciplines, which are called by their names.
pub const KEYWORDS: &[Keyword] = &[
    row("rate", Place::Link, Written("100Mbit/s"), Text),
    row("rtt", Place::Link, Written("40ms"), Text),
    row("buffer", Place::Limit, Written("1bdp"), Text),
    row("ecn", Place::Ecn, Nothing, Flag),
    row("duration", Place::Document, Written("60s"), Text),
    row("measure", Place::Document, Nothing, Pair),
    row("seed", Place::Document, Scenarios("1"), Number),
    row("loss", Place::Link, Nothing, Text),
    row("delay", Place::Link, Nothing, OptionForm::None),
    row("delay_limit", Place::Link, Nothing, OptionForm::None),
    row("jitter", Place::Link, Nothing, Text),
    row("reorder", Place::Link, Nothing, OptionForm::None),
    row("tick", Place::Link, Nothing, OptionForm::None),
    row("count_in_service", Place::Link, Nothing, OptionForm::None),
    row("reverse", Place::Link, Nothing, Flag),
    row("traffic", Place::Tables("traffic"), Nothing, Tables),
    row("packet_size", Place::Document, Scenarios("1500B"), Text),
    row("interval", Place::Record("interval"), Scenarios("100ms"), Text),
    row("per_ack", Place::Record("per_ack"), Nothing, Flag),
    row("inner", Place::Record("inner"), Nothing, Flag),
    row("record_flows", Place::Record("flows"), Scenarios("all"), Names),
    row("record_limit", Place::Record("limit"), Scenarios("2GB"), Text),
    row("record_packets", Place::Record("packets"), Nothing, OptionForm::None),
    row("snap_length", Place::Record("snap_length"), Nothing, OptionForm::None),
    row("live", Place::Document, Nothing, OptionForm::None),
    row("actions", Place::Tables("action"), Nothing, OptionForm::None),
    row("name", Place::Document, Nothing, OptionForm::None),
];

/// The queue disciplines that are keywords with a table of settings.
pub(super) fn disciplines() -> impl Iterator<Item = Discipline> {
    Discipline::ALL.iter().copied().filter(|discipline| !discipline.settings().is_empty())
}

/// The queue disciplines without settings, whose keywords are flags, with these keywords.
pub(super) fn flags() -> impl Iterator<Item = (&'static str, Discipline)> {
    [("drop_head", Discipline::DropHead)].into_iter()
}

/// The names of all keywords.
pub(super) fn names() -> Vec<&'static str> {
    let rows = KEYWORDS.iter().map(|keyword| keyword.name);
    ["flows"]
        .into_iter()
        .chain(rows)
        .chain(disciplines().map(Discipline::name))
        .chain(flags().map(|flag| flag.0))
        .collect()
}
