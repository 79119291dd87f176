// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the registry knows of an algorithm and of its parameter sets.

#[cfg(feature = "std")]
use crate::added::Maker;
use crate::conn::Conn;
use crate::control::Info;
use crate::params::Spec;
#[cfg(feature = "std")]
use crate::registry::Set;
use crate::registry::{Controller, Recovery, Registered};

/// A registered algorithm, described.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// Name.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Its parameters.
    pub specs: &'static [Spec],
    pub(crate) sets: Sets,
}

/// Where an algorithm's parameter sets are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sets {
    /// Of an algorithm that is built in: how many, and each by its number.
    BuiltIn(usize, fn(usize) -> Option<SetDescription>),
    /// Of one that was added.
    #[cfg(feature = "std")]
    Added(&'static [SetDescription]),
}

impl Description {
    /// An algorithm for [`add`](crate::registry::add); `sets` has its default first.
    #[cfg(feature = "std")]
    #[must_use]
    pub const fn outside(
        name: &'static str,
        summary: &'static str,
        specs: &'static [Spec],
        sets: &'static [SetDescription],
    ) -> Self {
        Self { name, summary, specs, sets: Sets::Added(sets) }
    }

    /// Names of its inner variables, as [`CongestionControl::info`] gives them in any of its sets.
    ///
    /// [`CongestionControl::info`]: crate::CongestionControl::info
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
    pub fn sets(&self) -> impl Iterator<Item = SetDescription> {
        let sets = self.sets;
        let count = match sets {
            Sets::BuiltIn(count, _) => count,
            #[cfg(feature = "std")]
            Sets::Added(list) => list.len(),
        };
        (0..count).filter_map(move |index| match sets {
            Sets::BuiltIn(_, set) => set(index),
            #[cfg(feature = "std")]
            Sets::Added(list) => list.get(index).copied(),
        })
    }
}

/// A named parameter set, described; made into a running algorithm by [`SetDescription::controller`].
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
    Added(&'static dyn Maker),
}

impl SetDescription {
    /// Parameter set `index` of an algorithm for [`add`](crate::registry::add); `set.params` are those that `maker` gives it.
    #[cfg(feature = "std")]
    #[must_use]
    pub const fn outside(set: &Set<()>, index: usize, maker: &'static dyn Maker) -> Self {
        let Set { name, summary, source, recovery, params: () } = *set;
        Self { name, summary, source, recovery, make: Make::Added(maker), index }
    }

    /// A new instance with this set's settings, not yet initialised.
    #[must_use]
    pub fn controller(&self) -> Option<Controller> {
        match self.make {
            Make::BuiltIn(make) => make(self.index),
            #[cfg(feature = "std")]
            Make::Added(maker) => maker.make(self.index).map(Controller::Custom),
        }
    }
}

/// Parameter set `index` of an algorithm that is built in.
pub(crate) fn describe_set<A: Registered>(
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
