// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the registry knows of an algorithm and of its parameter sets.

use crate::conn::Conn;
use crate::controller::Controller;
#[cfg(feature = "std")]
use crate::controller::Custom;
use crate::hooks::{Configured, CongestionControl, Info};
use crate::params::{Params, Spec};
#[cfg(feature = "std")]
use crate::registration::Set;
use crate::registration::{Recovery, Registered};

/// A registered algorithm, described.
///
/// ```
/// let (cubic, _) = cwnd::registry::find("cubic").unwrap();
/// for spec in cubic.specs {
///     println!("{}: {} {}", spec.name, spec.help, spec.unit);
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// Name.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Its parameters.
    pub specs: &'static [Spec],
    sets: ParamSets,
}

/// Where an algorithm's parameter sets are.
#[derive(Clone, Copy, Debug)]
enum ParamSets {
    /// Of an algorithm that is built in: how many, and each by its number.
    BuiltIn(usize, fn(usize) -> Option<SetDescription>),
    /// Of a plugin.
    #[cfg(feature = "std")]
    Plugin(&'static [SetDescription]),
}

impl Description {
    /// A plugin for [`add`](crate::registry::add); `sets` has its default first.
    #[cfg(feature = "std")]
    #[must_use]
    pub const fn outside(
        name: &'static str,
        summary: &'static str,
        specs: &'static [Spec],
        sets: &'static [SetDescription],
    ) -> Self {
        Self { name, summary, specs, sets: ParamSets::Plugin(sets) }
    }

    /// Names of its inner variables, as [`CongestionControl::info`] gives them in any of its sets.
    ///
    /// [`CongestionControl::info`]: crate::CongestionControl::info
    ///
    /// ```
    /// let (cubic, _) = cwnd::registry::find("cubic").unwrap();
    /// assert!(cubic.inner().any(|name| name == "w_max"));
    /// ```
    pub fn inner(&self) -> impl Iterator<Item = &'static str> {
        let shown = |set: SetDescription| {
            let info = set.controller().map_or_else(Info::default, |cc| cc.info(&Conn::new(1448, 10)));
            info.fields.into_iter().map(|(name, _)| name).filter(|name| !name.is_empty())
        };
        let this = *self;
        self.sets().enumerate().flat_map(move |(place, set)| {
            shown(set)
                .filter(move |name| !this.sets().take(place).flat_map(shown).any(|other| other == *name))
        })
    }

    /// Its parameter sets, the default first.
    ///
    /// ```
    /// let (cubic, _) = cwnd::registry::find("cubic").unwrap();
    /// assert_eq!(cubic.sets().next().unwrap().name, "cubic");
    /// ```
    pub fn sets(&self) -> impl Iterator<Item = SetDescription> {
        let sets = self.sets;
        let count = match sets {
            ParamSets::BuiltIn(count, _) => count,
            #[cfg(feature = "std")]
            ParamSets::Plugin(list) => list.len(),
        };
        (0..count).filter_map(move |index| match sets {
            ParamSets::BuiltIn(_, set) => set(index),
            #[cfg(feature = "std")]
            ParamSets::Plugin(list) => list.get(index).copied(),
        })
    }
}

/// Makes instances of a plugin.
#[cfg(feature = "std")]
pub trait PluginFactory: core::fmt::Debug + Send + Sync {
    /// A new instance, not yet initialised, with the settings of parameter set `set`; `None` beyond the last.
    fn make(&self, set: usize) -> Option<Box<dyn Custom>>;
}

/// A named parameter set, described; made into a running algorithm by [`SetDescription::controller`].
///
/// ```
/// let (_, set) = cwnd::registry::find("cubic-2.2").unwrap();
/// println!("{}: {} ({})", set.name, set.summary, set.source);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SetDescription {
    /// Name.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Where this form is published.
    pub source: &'static str,
    /// Recovery that goes with the name.
    pub recovery: Recovery,
    make: Make,
    index: usize,
}

#[derive(Clone, Copy, Debug)]
enum Make {
    BuiltIn(fn(usize) -> Option<Controller>),
    #[cfg(feature = "std")]
    Plugin(&'static dyn PluginFactory),
}

impl SetDescription {
    /// Parameter set `index` of a plugin for [`add`](crate::registry::add); `set.params` are those that `factory` gives it.
    #[cfg(feature = "std")]
    #[must_use]
    pub const fn outside(set: &Set<()>, index: usize, factory: &'static dyn PluginFactory) -> Self {
        let Set { name, summary, source, recovery, params: () } = *set;
        Self { name, summary, source, recovery, make: Make::Plugin(factory), index }
    }

    /// A new instance with this set's settings, not yet initialised.
    ///
    /// ```
    /// let (_, set) = cwnd::registry::find("reno").unwrap();
    /// assert!(set.controller().is_some());
    /// ```
    #[must_use]
    pub fn controller(&self) -> Option<Controller> {
        match self.make {
            Make::BuiltIn(make) => make(self.index),
            #[cfg(feature = "std")]
            Make::Plugin(factory) => factory.make(self.index).map(Controller::Custom),
        }
    }
}

/// Parameter set `index` of an algorithm that is built in.
fn describe_set<A: Registered>(
    index: usize,
    make: fn(usize) -> Option<Controller>,
) -> Option<SetDescription> {
    A::SETS.get(index).map(|set| SetDescription {
        name: set.name,
        summary: set.summary,
        source: set.source,
        recovery: set.recovery,
        make: Make::BuiltIn(make),
        index,
    })
}

fn configured<A: Registered>(index: usize) -> Option<Configured<A>> {
    A::SETS.get(index).map(|set| Configured { state: A::default(), params: set.params })
}

/// Makes the list of descriptions.
macro_rules! descriptions {
    ($($variant:ident: $algorithm:ty, $name:literal;)+) => {
        /// Every algorithm that is built in; see [`all`](crate::registry::all).
        pub const ALGORITHMS: &[Description] = &[$(
            Description {
                name: <$algorithm as Registered>::NAME,
                summary: <$algorithm as Registered>::SUMMARY,
                specs: <<$algorithm as CongestionControl>::Params as Params>::SPECS,
                sets: ParamSets::BuiltIn(<$algorithm as Registered>::SETS.len(), |index| {
                    describe_set::<$algorithm>(index, |i| configured(i).map(Controller::$variant))
                }),
            },
        )+];
    };
}

crate::for_each_algorithm!(descriptions);
