// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registry's lists, and algorithms by name.

pub use crate::controller::{Controller, MakeState, ReadState};
#[cfg(feature = "std")]
pub use crate::controller::{Custom, Duplicate};
#[cfg(feature = "std")]
pub use crate::description::PluginFactory;
pub use crate::description::{ALGORITHMS, Description, SetDescription};
use crate::params::ParamKind;
#[cfg(feature = "std")]
pub use crate::plugins::{NameTaken, add, plugins};

impl Controller {
    /// The parameter set called `name`, as a new instance.
    ///
    /// ```
    /// use cwnd::Controller;
    ///
    /// assert!(Controller::by_name("cubic-2.2").is_some());
    /// assert!(Controller::by_name("cubic-9").is_none());
    /// ```
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        find(name)?.1.controller()
    }

    /// The parameter set called `name`, as a new instance for a QUIC stack: where the set has HyStart++ (RFC 9406) it has Linux's HyStart
    /// instead, which leaves slow start as soon as the round trip time rises. HyStart++ goes on for five round trips then, and what is
    /// lost of those makes so many gaps in the peer's stream that it ends the connection (`docs/results/stacks.md` has the table).
    /// What a set has of recovery is the transport's matter: `tahoe`, `newreno` and `sack` are Reno.
    ///
    /// ```
    /// use cwnd::Controller;
    ///
    /// let (tcp, quic) = (Controller::by_name("cubic").unwrap(), Controller::for_quic("cubic").unwrap());
    /// assert!(!tcp.is_same(&quic));
    /// ```
    #[must_use]
    pub fn for_quic(name: &str) -> Option<Self> {
        let (algorithm, set) = find(name)?;
        let mut controller = set.controller()?;
        let slow_start = algorithm.specs.iter().position(|spec| spec.name == SLOW_START);
        let is = |index: usize| match algorithm.specs[index].kind {
            ParamKind::Choice(names) => names.get(controller.param(index) as usize) == Some(&"hystart++"),
            _ => false,
        };
        if slow_start.is_some_and(is) {
            controller.set_param(SLOW_START, "hystart").ok()?;
        }
        Some(controller)
    }
}

/// The parameter of algorithms that names their slow start.
const SLOW_START: &str = "slow_start";

/// Every algorithm: the built-in ones, then the plugins.
///
/// ```
/// let names: Vec<_> = cwnd::registry::all().map(|algorithm| algorithm.name).collect();
/// assert!(names.contains(&"vegas"));
/// ```
pub fn all() -> impl Iterator<Item = &'static Description> {
    #[cfg(feature = "std")]
    let more = plugins();
    #[cfg(not(feature = "std"))]
    let more = [];
    ALGORITHMS.iter().chain(more)
}

/// The algorithm and parameter set called `name`.
///
/// ```
/// let (algorithm, set) = cwnd::registry::find("cubic-rfc8312").unwrap();
/// assert_eq!((algorithm.name, set.name), ("cubic", "cubic-rfc8312"));
/// ```
#[must_use]
pub fn find(name: &str) -> Option<(&'static Description, SetDescription)> {
    all().find_map(|algorithm| algorithm.sets().find(|set| set.name == name).map(|set| (algorithm, set)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::ParamError;
    use crate::inner_variables::unit_and_scale;
    use crate::params::Refused;

    #[test]
    fn every_set_has_a_name_of_its_own_and_the_first_is_the_algorithms() {
        let mut names: Vec<_> = ALGORITHMS.iter().flat_map(|a| a.sets().map(|set| set.name)).collect();
        for algorithm in ALGORITHMS {
            assert_eq!(algorithm.sets().next().map(|set| set.name), Some(algorithm.name));
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn every_default_lies_within_its_range() {
        for algorithm in ALGORITHMS {
            for set in algorithm.sets() {
                let controller = set.controller().expect("a listed set exists");
                for (index, spec) in algorithm.specs.iter().enumerate() {
                    let value = controller.param(index);
                    assert!(spec.min <= value && value <= spec.max, "{} {} = {value}", set.name, spec.name);
                }
            }
        }
    }

    #[test]
    fn parameters_are_set_by_name_and_refused_with_a_reason() {
        let mut cubic = Controller::by_name("cubic").expect("registered");
        assert_eq!(cubic.set_param("beta", "0.8"), Ok(()));
        assert_eq!(cubic.param(0), 52_429); // 0.8 × 65 536 = 52 428.8
        let specs = find("cubic").expect("registered").0.specs;
        assert_eq!(cubic.set_param("beta", "1.5"), Err(ParamError::Refused(&specs[0], Refused::OutOfRange)));
        assert_eq!(cubic.set_param("bata", "0.8"), Err(ParamError::Unknown(specs)));
    }

    #[test]
    fn inner_variables_have_names_of_their_own_and_known_scales() {
        for algorithm in ALGORITHMS {
            let names: Vec<_> = algorithm.inner().collect();
            for (place, name) in names.iter().enumerate() {
                assert!(!names[..place].contains(name), "{} shows {name} twice", algorithm.name);
                let words = name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
                assert!(words, "{}: {name}", algorithm.name);
                let scaled =
                    name.rsplit_once("_x").is_some_and(|(_, n)| n.starts_with(|c: char| c.is_ascii_digit()));
                assert!(
                    !scaled || unit_and_scale(name).1 > 1,
                    "{}: the scale of {name} is unknown",
                    algorithm.name
                );
            }
        }
    }
}
