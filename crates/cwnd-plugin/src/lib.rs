// SPDX-License-Identifier: MIT OR Apache-2.0
//! The C interface between the simulator and an algorithm that was built outside cwnd's tree, as a library of its own.
//!
//! The library exports one symbol, [`SYMBOL`], a [`PluginTable`] made by [`PluginTable::of`]:
//!
//! ```ignore
//! #[unsafe(no_mangle)]
//! pub static cwnd_plugin: cwnd_plugin::PluginTable = cwnd_plugin::PluginTable::of::<mine::Mine>();
//! ```
//!
//! An instance is a [`Configured`] in memory that the host owns and does not interpret; it may copy it as bytes. Both sides
//! compile this crate and the core, maybe with different compilers and from different versions: everything that crosses is
//! `#[repr(C)]`, and [`TableHeader::matches`] compares the layouts before anything else is read.
//!
//! The algorithm's crate has no standard library; this one has, because a panic must not cross the boundary: see [`Panic`].

mod guard;
mod hooks;
mod layout;
mod state;
mod values;

use cwnd::params::{ParamKind, Params};
use cwnd::registry::Registered;
use cwnd::{Configured, Conn, PrivateWords, StateWords};

pub use guard::{Panic, Reporter};
pub use hooks::HookTable;
pub use layout::{TableHeader, VERSION};
pub use state::{controller_of_words, controller_words, state_words};
pub use values::{Instance, InstanceRef, Memory, SetText, SpecText, Text, Variable, WORDS};

use values::NOTHING;

/// Name of the symbol that a library exports.
pub const SYMBOL: &core::ffi::CStr = c"cwnd_plugin";

/// What a library exports. `head` stands first in every version.
///
/// The functions take instances by address: the host vouches that it is that of a [`Memory`] of its own, aligned, into
/// which this library's `make` has put an instance (only `make` may be given memory without one).
#[derive(Debug)]
#[repr(C)]
pub struct PluginTable {
    /// Says whether the rest can be read.
    pub head: TableHeader,
    /// Name of the algorithm.
    pub name: Text,
    /// One line.
    pub summary: Text,
    /// Says whom to tell of panics, before any of the functions below is called.
    pub report_to: extern "C" fn(Reporter),
    /// How many parameters, and one of them by its number (anything beyond the last).
    pub specs: u32,
    /// See `specs`.
    pub spec: extern "C" fn(u32) -> SpecText,
    /// Name of a choice: parameter, number.
    pub choice: extern "C" fn(u32, u32) -> Text,
    /// How many parameter sets, and one of them by its number (anything beyond the last).
    pub sets: u32,
    /// See `sets`.
    pub set: extern "C" fn(u32) -> SetText,
    /// Makes an instance with the settings of a parameter set; whether there is such a set.
    pub make: unsafe extern "C" fn(Instance, u32) -> bool,
    /// Value of a parameter; 0 beyond the last.
    pub param: unsafe extern "C" fn(InstanceRef, u32) -> u32,
    /// Sets a parameter to a value within its range.
    pub set_param: unsafe extern "C" fn(Instance, u32, u32),
    /// `Registered::from_words`: puts an instance into the state of a module's private words; whether it could.
    pub load_words: unsafe extern "C" fn(Instance, &PrivateWords) -> bool,
    /// The bytes of the state, see [`state_words`].
    pub state_words: unsafe extern "C" fn(InstanceRef, &mut StateWords),
    /// Whether two instances are in the same state with the same settings.
    pub is_same: unsafe extern "C" fn(InstanceRef, InstanceRef) -> bool,
    /// The hooks that a transport calls.
    pub hooks: HookTable,
    /// `CongestionControl::min_cwnd`
    pub min_cwnd: unsafe extern "C" fn(InstanceRef, &Conn) -> u32,
    /// `CongestionControl::info`: one of its variables by its number (an unused one beyond the last)
    pub info: unsafe extern "C" fn(InstanceRef, &Conn, u32) -> Variable,
}

// SAFETY: functions and constants; the texts in it are never written.
unsafe impl Sync for PluginTable {}

impl PluginTable {
    /// The table of an algorithm.
    #[must_use]
    pub const fn of<A: Registered>() -> Self {
        const {
            assert!(
                size_of::<A>() <= cwnd::PRIVATE_BYTES,
                "the state must fit the kernel's private area: 104 bytes"
            );
            assert!(size_of::<Configured<A>>() <= size_of::<Memory>(), "there are too many parameters");
            assert!(
                align_of::<Configured<A>>() <= align_of::<Memory>(),
                "state and parameters are integers of up to 64 bits"
            );
        }
        Self {
            head: TableHeader::HERE,
            name: Text::of(A::NAME),
            summary: Text::of(A::SUMMARY),
            report_to: guard::report_to,
            specs: A::Params::SPECS.len() as u32,
            spec: spec::<A>,
            choice: choice::<A>,
            sets: A::SETS.len() as u32,
            set: set::<A>,
            make: hooks::make::<A>,
            param: hooks::param::<A>,
            set_param: hooks::set_param::<A>,
            load_words: hooks::load_words::<A>,
            state_words: hooks::state_words::<A>,
            is_same: hooks::is_same::<A>,
            hooks: HookTable::of::<A>(),
            min_cwnd: hooks::min_cwnd::<A>,
            info: hooks::info::<A>,
        }
    }
}

impl TableHeader {
    /// This side's.
    pub const HERE: Self = Self::of_table(size_of::<PluginTable>());

    /// Whether the rest of the table means here what it means there.
    #[must_use]
    pub fn matches(&self) -> bool {
        self.is_ours() && self.has_layout_of(&Self::HERE)
    }
}

extern "C" fn spec<A: Registered>(index: u32) -> SpecText {
    let Some(spec) = A::Params::SPECS.get(index as usize) else {
        return SpecText {
            name: NOTHING,
            unit: NOTHING,
            help: NOTHING,
            source: NOTHING,
            min: 0,
            max: 0,
            kind: 0,
            choices: 0,
        };
    };
    let (kind, choices) = match spec.kind {
        ParamKind::Decimal => (0, 0),
        ParamKind::Whole => (1, 0),
        ParamKind::Flag => (2, 0),
        ParamKind::Choice(names) => (3, names.len() as u32),
    };
    SpecText {
        name: Text::of(spec.name),
        unit: Text::of(spec.unit),
        help: Text::of(spec.help),
        source: Text::of(spec.source),
        min: spec.min,
        max: spec.max,
        kind,
        choices,
    }
}

extern "C" fn choice<A: Registered>(index: u32, name: u32) -> Text {
    match A::Params::SPECS.get(index as usize).map(|spec| spec.kind) {
        Some(ParamKind::Choice(names)) => names.get(name as usize).map_or(NOTHING, |name| Text::of(name)),
        _ => NOTHING,
    }
}

extern "C" fn set<A: Registered>(index: u32) -> SetText {
    A::SETS.get(index as usize).map_or(
        SetText { name: NOTHING, summary: NOTHING, source: NOTHING, recovery: NOTHING },
        |set| SetText {
            name: Text::of(set.name),
            summary: Text::of(set.summary),
            source: Text::of(set.source),
            recovery: Text::of(set.recovery.name()),
        },
    )
}
