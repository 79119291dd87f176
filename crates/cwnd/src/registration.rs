// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an algorithm's file tells the registry: its name, its published forms, and the recovery that goes with each. The list of the
//! algorithms is in `algorithms/mod.rs`.

use crate::hooks::{Configured, CongestionControl, PrivateWords};
use crate::params::Params;
use crate::state::AnyBitPattern;

/// How a TCP sender repairs losses; a key of a flow beside its algorithm.
///
/// ```
/// use cwnd::registry::Recovery;
///
/// assert_eq!(Recovery::ALL.len(), 6);
/// assert_eq!(Recovery::default(), Recovery::Sack);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
#[non_exhaustive]
pub enum Recovery {
    /// RFC 6675: scoreboard of selective acknowledgements.
    #[default]
    Sack,
    /// RFC 6675 for what to send, proportional rate reduction (RFC 6937) for how much.
    SackPrr,
    /// Linux's: losses are found by time (RFC 8985), also those of retransmissions; `SackPrr`'s reduction; undo (RFC 3522, RFC 5682, D-SACK).
    Linux,
    /// RFC 6582: fast recovery lasts until everything out at its start is acknowledged.
    NewReno,
    /// RFC 5681: fast recovery ends at the first new acknowledgement.
    Reno,
    /// Fast retransmit, then slow start from one segment.
    Tahoe,
}

impl Recovery {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Sack, Self::SackPrr, Self::Linux, Self::NewReno, Self::Reno, Self::Tahoe];

    /// Names that stand for one of them beside its own.
    pub const ALIASES: [(&'static str, Self); 1] = [("rfc", Self::SackPrr)];

    /// Name in scenarios and on the command line.
    ///
    /// ```
    /// assert_eq!(cwnd::registry::Recovery::SackPrr.name(), "sack-prr");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sack => "sack",
            Self::SackPrr => "sack-prr",
            Self::Linux => "linux",
            Self::NewReno => "newreno",
            Self::Reno => "reno",
            Self::Tahoe => "tahoe",
        }
    }

    /// The recovery called `name`, or that an alias stands for.
    ///
    /// ```
    /// use cwnd::registry::Recovery;
    ///
    /// assert_eq!(Recovery::by_name("rfc"), Some(Recovery::SackPrr));
    /// ```
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        let alias = || Self::ALIASES.into_iter().find(|(alias, _)| *alias == name);
        Self::ALL
            .into_iter()
            .find(|recovery| recovery.name() == name)
            .or_else(|| alias().map(|(_, recovery)| recovery))
    }
}

/// A named parameter set: one published form of an algorithm.
///
/// ```
/// use cwnd::{algorithms::reno::Reno, registry::{Recovery, Registered}};
///
/// let tahoe = Reno::SETS.iter().find(|set| set.name == "tahoe").unwrap();
/// assert_eq!(tahoe.recovery, Recovery::Tahoe);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Set<P> {
    /// Name, unique over the whole registry.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Where this form is published.
    pub source: &'static str,
    /// Recovery that a flow of this name uses unless it says otherwise.
    pub recovery: Recovery,
    /// The settings.
    pub params: P,
}

/// What an algorithm's file tells the registry.
///
/// ```
/// use cwnd::{algorithms::reno::Reno, registry::Registered};
///
/// assert_eq!((Reno::NAME, Reno::SETS[0].name), ("reno", "reno"));
/// ```
pub trait Registered: CongestionControl<Params: Params> + AnyBitPattern + Default + PartialEq {
    /// Name of the algorithm and of its default parameter set.
    const NAME: &'static str;
    /// One line.
    const SUMMARY: &'static str;
    /// Parameter sets, the default first; its name is [`Registered::NAME`].
    const SETS: &'static [Set<Self::Params>];

    /// The state that corresponds to the private words of Linux's module of this algorithm, for replays of records that
    /// begin in the middle of a connection. Not written where there is no such module or its state does not matter.
    ///
    /// ```
    /// use cwnd::{PrivateWords, algorithms::{hybla::Hybla, reno::Reno}, registry::Registered};
    ///
    /// let words: PrivateWords = [0; 26];
    /// assert!(Hybla::from_words(&words).is_some() && Reno::from_words(&words).is_none());
    /// ```
    fn from_words(_words: &PrivateWords) -> Option<Self> {
        None
    }
}

impl<A: Registered> Configured<A> {
    /// A new instance of the algorithm with its default settings.
    ///
    /// ```
    /// use cwnd::{Configured, algorithms::vegas::Vegas};
    ///
    /// let vegas = Configured::<Vegas>::registered();
    /// assert_eq!((vegas.params.alpha, vegas.params.beta), (1, 3)); // segments in queues
    /// ```
    #[must_use]
    pub fn registered() -> Self {
        const { assert!(!A::SETS.is_empty(), "an algorithm has its default settings") };
        Self { state: A::default(), params: A::SETS[0].params }
    }
}

#[cfg(test)]
mod tests {
    use super::Recovery;

    #[test]
    fn recoveries_are_found_by_their_names_and_by_an_alias() {
        for recovery in Recovery::ALL {
            assert_eq!(Recovery::by_name(recovery.name()), Some(recovery));
        }
        assert_eq!(Recovery::by_name("rfc"), Some(Recovery::SackPrr));
        assert_eq!(Recovery::by_name("RFC"), None);
    }
}
