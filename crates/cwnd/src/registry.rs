// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every algorithm and every named parameter set. Adding an algorithm is one file and one line here.

#[cfg(feature = "std")]
pub use crate::added::{Maker, Taken, add, added};
use crate::conn::{AckSample, CaEvent, CaState, Conn};
use crate::control::{CongestionControl, Info, PRIVATE_BYTES, PrivateWords, StateWords, Tuned};
pub use crate::describe::{Description, SetDescription};
use crate::describe::{Sets, describe_set};
use crate::params::{Params, Refused};

/// How a TCP sender repairs losses; a key of a flow beside its algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum Recovery {
    /// RFC 6675: scoreboard of selective acknowledgements.
    #[default]
    Sack,
    /// RFC 6675 for what to send, proportional rate reduction (RFC 6937) for how much.
    SackPrr,
    /// RFC 6582: fast recovery lasts until everything out at its start is acknowledged.
    NewReno,
    /// RFC 5681: fast recovery ends at the first new acknowledgement.
    Reno,
    /// Fast retransmit, then slow start from one segment.
    Tahoe,
}

impl Recovery {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Sack, Self::SackPrr, Self::NewReno, Self::Reno, Self::Tahoe];

    /// Name in scenarios and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sack => "sack",
            Self::SackPrr => "sack-prr",
            Self::NewReno => "newreno",
            Self::Reno => "reno",
            Self::Tahoe => "tahoe",
        }
    }

    /// The recovery called `name`.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|recovery| recovery.name() == name)
    }
}

/// A named parameter set: one published form of an algorithm.
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
pub trait Registered: CongestionControl<Params: Params> + Default + Copy + PartialEq {
    /// Name of the algorithm and of its default parameter set.
    const NAME: &'static str;
    /// One line.
    const SUMMARY: &'static str;
    /// Parameter sets, the default first; its name is [`Registered::NAME`].
    const SETS: &'static [Set<Self::Params>];

    /// The state that corresponds to the private words of Linux's module of this algorithm, for replays of records that
    /// begin in the middle of a connection. Not written where there is no such module or its state does not matter.
    fn from_words(_words: &PrivateWords) -> Option<Self> {
        None
    }
}

/// Reads a state's bytes. The core has no `unsafe`, so whoever wants them brings the means (`cwnd_plugin::state_words`).
pub trait ReadState {
    /// The state's bytes.
    fn read<A: Registered>(&self, state: &A) -> StateWords;
}

fn tuned<A: Registered>(index: usize) -> Option<Tuned<A>> {
    A::SETS.get(index).map(|set| Tuned { state: A::default(), params: set.params })
}

/// Lists the registry for other macros: `for_each_algorithm!(m)` expands to `m! { Name: path::Type, "name"; … }`.
#[macro_export]
macro_rules! for_each_algorithm {
    ($callback:path) => {
        $callback! {
            Reno: $crate::algorithms::reno::Reno, "reno";
            Cubic: $crate::algorithms::cubic::Cubic, "cubic";
            CubicCounted: $crate::algorithms::cubic::counted::Counted, "cubic-linux";
            Bic: $crate::algorithms::bic::Bic, "bic";
            HighSpeed: $crate::algorithms::highspeed::HighSpeed, "highspeed";
            Fast: $crate::algorithms::fast::Fast, "fast";
            Illinois: $crate::algorithms::illinois::Illinois, "illinois";
            Scalable: $crate::algorithms::scalable::Scalable, "scalable";
            Sqrt: $crate::algorithms::sqrt::Sqrt, "sqrt";
            Vegas: $crate::algorithms::vegas::Vegas, "vegas";
            Westwood: $crate::algorithms::westwood::Westwood, "westwood";
            Veno: $crate::algorithms::veno::Veno, "veno";
            Htcp: $crate::algorithms::htcp::Htcp, "htcp";
            Hybla: $crate::algorithms::hybla::Hybla, "hybla-growth";
            Yeah: $crate::algorithms::yeah::Yeah, "yeah";
        }
    };
}

/// Makes the enum over all algorithms, with inlined dispatch, and the list of descriptions.
macro_rules! registry {
    ($($variant:ident: $algorithm:ty, $name:literal;)+) => {
        /// A running algorithm of the registry, or one of the caller's own.
        #[derive(Debug)]
        pub enum Controller {
            $(
                #[doc = concat!("`", $name, "`")]
                $variant(Tuned<$algorithm>),
            )+
            /// An algorithm that is not in the registry.
            #[cfg(feature = "std")]
            Custom(Box<dyn Custom>),
        }

        /// Every algorithm that is built in; see [`all`].
        pub const ALGORITHMS: &[Description] = &[$(
            Description {
                name: <$algorithm as Registered>::NAME,
                summary: <$algorithm as Registered>::SUMMARY,
                specs: <<$algorithm as CongestionControl>::Params as Params>::SPECS,
                sets: Sets::BuiltIn(<$algorithm as Registered>::SETS.len(), |index| {
                    describe_set::<$algorithm>(index, |i| tuned(i).map(Controller::$variant))
                }),
            },
        )+];

        $(
            const _: () = assert!(
                size_of::<$algorithm>() <= PRIVATE_BYTES,
                "the state must fit the kernel's private area",
            );
        )+

        fn duplicate(controller: &Controller) -> Option<Controller> {
            match controller {
                $(Controller::$variant(tuned) => Some(Controller::$variant(*tuned)),)+
                #[cfg(feature = "std")]
                Controller::Custom(custom) => custom.duplicate().map(Controller::Custom),
            }
        }

        fn with_words(controller: &Controller, words: &PrivateWords) -> Option<Controller> {
            match controller {
                $(Controller::$variant(tuned) => <$algorithm as Registered>::from_words(words)
                    .map(|state| Controller::$variant(Tuned { state, params: tuned.params })),)+
                #[cfg(feature = "std")]
                Controller::Custom(custom) => custom.with_words(words).map(Controller::Custom),
            }
        }

        fn is_same(one: &Controller, other: &Controller) -> bool {
            match (one, other) {
                $((Controller::$variant(a), Controller::$variant(b)) => a == b,)+
                #[cfg(feature = "std")]
                (Controller::Custom(a), Controller::Custom(b)) => a.is_same(&**b),
                _ => false,
            }
        }

        macro_rules! dispatch {
            ($self:expr, $t:ident => $call:expr, $custom:ident => $custom_call:expr) => {
                match $self {
                    $(Controller::$variant($t) => $call,)+
                    #[cfg(feature = "std")]
                    Controller::Custom($custom) => $custom_call,
                }
            };
        }
    };
}

for_each_algorithm!(registry);

/// An algorithm that is not built in. Its settings are its own affair, so the hooks are given none; what an observer or a
/// scenario may do with them stands here, and an algorithm without settings writes `impl Custom for Mine {}`.
#[cfg(feature = "std")]
pub trait Custom: CongestionControl<Params = ()> + core::any::Any + core::fmt::Debug + Send + Sync {
    /// See [`Controller::set_param`].
    ///
    /// # Errors
    /// [`ParamError`]; nothing is changed then.
    fn set_param(&mut self, _name: &str, _text: &str) -> Result<(), ParamError> {
        Err(ParamError::Unknown)
    }

    /// See [`Controller::param`].
    fn param(&self, _index: usize) -> u32 {
        0
    }

    /// See [`Controller::duplicate`].
    fn duplicate(&self) -> Option<Box<dyn Custom>> {
        None
    }

    /// See [`Controller::with_words`].
    fn with_words(&self, _words: &PrivateWords) -> Option<Box<dyn Custom>> {
        None
    }

    /// See [`Controller::state_words`].
    fn state_words(&self) -> Option<StateWords> {
        None
    }

    /// See [`Controller::is_same`]; `other` may be of another type.
    fn is_same(&self, _other: &dyn Custom) -> bool {
        false
    }

    /// See [`Controller::has_failed`].
    fn has_failed(&self) -> bool {
        false
    }
}

/// The hooks of [`CongestionControl`] without the settings, which a `Controller` holds.
macro_rules! hooks {
    ($($(#[$meta:meta])* $hook:ident($($arg:ident: $type:ty),*) $(-> $ret:ty)?;)+) => {
        impl Controller {
            $(
                $(#[$meta])*
                #[inline]
                pub fn $hook(&mut self, conn: &mut Conn $(, $arg: $type)*) $(-> $ret)? {
                    dispatch!(self, t => t.state.$hook(conn $(, $arg)*, &t.params), c => c.$hook(conn $(, $arg)*, &()))
                }
            )+
        }
    };
}

hooks! {
    /// See [`CongestionControl::init`].
    init();
    /// See [`CongestionControl::release`].
    release();
    /// See [`CongestionControl::ssthresh`].
    ssthresh() -> u32;
    /// See [`CongestionControl::cong_avoid`].
    cong_avoid(ack: u32, acked: u32);
    /// See [`CongestionControl::set_state`].
    set_state(new: CaState);
    /// See [`CongestionControl::cwnd_event`].
    cwnd_event(event: CaEvent);
    /// See [`CongestionControl::in_ack_event`].
    in_ack_event(flags: u32);
    /// See [`CongestionControl::undo_cwnd`].
    undo_cwnd() -> u32;
    /// See [`CongestionControl::pkts_acked`].
    pkts_acked(sample: &AckSample);
    /// See [`CongestionControl::cong_control`].
    cong_control(acked: u32);
}

/// Why a parameter was not set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamError {
    /// The algorithm has no parameter of that name.
    Unknown,
    /// The value was refused.
    Refused(&'static str, Refused),
}

impl Controller {
    /// The parameter set called `name`, as a new instance.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        find(name)?.1.controller()
    }

    /// See [`CongestionControl::has_cong_control`].
    #[inline]
    #[must_use]
    pub fn has_cong_control(&self) -> bool {
        dispatch!(self, t => t.state.has_cong_control(), c => c.has_cong_control())
    }

    /// See [`CongestionControl::min_cwnd`].
    #[must_use]
    pub fn min_cwnd(&self, conn: &Conn) -> u32 {
        dispatch!(self, t => t.state.min_cwnd(conn, &t.params), c => c.min_cwnd(conn, &()))
    }

    /// See [`CongestionControl::info`].
    #[must_use]
    pub fn info(&self, conn: &Conn) -> Info {
        dispatch!(self, t => t.state.info(conn, &t.params), c => c.info(conn, &()))
    }

    /// Sets the parameter `name` from `text`, before [`Controller::init`].
    ///
    /// # Errors
    /// [`ParamError`]; nothing is changed then.
    pub fn set_param(&mut self, name: &str, text: &str) -> Result<(), ParamError> {
        fn set<P: Params>(params: &mut P, name: &str, text: &str) -> Result<(), ParamError> {
            let (index, spec) =
                P::SPECS.iter().enumerate().find(|(_, spec)| spec.name == name).ok_or(ParamError::Unknown)?;
            params.set(index, spec.parse(text).map_err(|why| ParamError::Refused(spec.name, why))?);
            Ok(())
        }
        dispatch!(self, t => set(&mut t.params, name, text), c => c.set_param(name, text))
    }

    /// A copy in the same state; `None` for an algorithm of the caller's own that cannot be copied.
    #[must_use]
    pub fn duplicate(&self) -> Option<Self> {
        duplicate(self)
    }

    /// The same algorithm with the same settings in the state of `words` (see [`Registered::from_words`]); `None` where
    /// the algorithm does not say how to read them.
    #[must_use]
    pub fn with_words(&self, words: &PrivateWords) -> Option<Self> {
        with_words(self, words)
    }

    /// The state's bytes, as the private area holds them; `None` for an algorithm of the caller's own that does not give them.
    #[must_use]
    pub fn state_words(&self, reader: &impl ReadState) -> Option<StateWords> {
        dispatch!(self, t => Some(reader.read(&t.state)), c => c.state_words())
    }

    /// Whether both are the same algorithm in the same state with the same settings, as far as the algorithm can tell.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        is_same(self, other)
    }

    /// Whether it has stopped for good by a fault of its own: an algorithm that was loaded, and panicked. Its hooks do nothing
    /// from then on.
    #[cfg(feature = "std")]
    #[must_use]
    pub fn has_failed(&self) -> bool {
        matches!(self, Self::Custom(custom) if custom.has_failed())
    }

    /// Value of parameter `index` in the kept form (see [`crate::params`]); 0 beyond the last.
    #[must_use]
    pub fn param(&self, index: usize) -> u32 {
        dispatch!(self, t => t.params.get(index), c => c.param(index))
    }
}

/// Every algorithm: those that are built in, then those that were added.
pub fn all() -> impl Iterator<Item = &'static Description> {
    #[cfg(feature = "std")]
    let more = added();
    #[cfg(not(feature = "std"))]
    let more = [];
    ALGORITHMS.iter().chain(more)
}

/// The algorithm and parameter set called `name`.
#[must_use]
pub fn find(name: &str) -> Option<(&'static Description, SetDescription)> {
    all().find_map(|algorithm| algorithm.sets().find(|set| set.name == name).map(|set| (algorithm, set)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::unit_and_scale;

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
        assert_eq!(cubic.set_param("beta", "1.5"), Err(ParamError::Refused("beta", Refused::OutOfRange)));
        assert_eq!(cubic.set_param("bata", "0.8"), Err(ParamError::Unknown));
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
