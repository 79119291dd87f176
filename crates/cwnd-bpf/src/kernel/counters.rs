// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an object counts, read from its map.

use std::fmt;
use std::mem::offset_of;

use cwnd::{CaState, Hook};
use libbpf_rs::MapCore;

use crate::kernel::maps::first_value;
use cwnd_bpf_build::shared_structs::{RawCounters, STATES};

/// One counter of the map's value, by its place in [`RawCounters`].
pub(crate) fn counter(value: &[u8], offset: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(*value.get(offset..)?.first_chunk()?))
}

/// The same from the map; `None` too where the object is of a cwnd that did not count it.
pub(crate) fn counter_in(map: &dyn MapCore, offset: usize) -> Option<u64> {
    counter(&first_value(map).ok()??, offset)
}

/// Connections that were initialised and not released.
pub(crate) fn connections_in(map: &dyn MapCore) -> Option<u64> {
    let value = first_value(map).ok()??;
    let calls = |hook: Hook| counter(&value, offset_of!(RawCounters, calls) + 8 * hook as usize);
    Some(calls(Hook::Init)?.saturating_sub(calls(Hook::Release)?))
}

/// How often the kernel called each hook, over all connections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counters {
    calls: [u64; Hook::ALL.len()],
    states: [u64; STATES],
    recorded: u64,
    lost: u64,
    repaired: u64,
    unguarded: u64,
}

impl Counters {
    /// Calls of `hook`.
    #[must_use]
    pub const fn calls(&self, hook: Hook) -> u64 {
        self.calls[hook as usize]
    }

    /// Calls of all hooks.
    #[must_use]
    pub fn all_calls(&self) -> u64 {
        self.calls.iter().sum()
    }

    /// Calls of `set_state` with `state`.
    #[must_use]
    pub const fn entered(&self, state: CaState) -> u64 {
        self.states[state as usize]
    }

    /// Calls of which there is a record: none, unless loaded by [`crate::Load::load_recording`].
    #[must_use]
    pub const fn recorded(&self) -> u64 {
        self.recorded
    }

    /// Calls whose record found the ring buffer full.
    #[must_use]
    pub const fn lost(&self) -> u64 {
        self.lost
    }

    /// Windows and thresholds that the algorithm had not set, and that were replaced (`docs/adr/0007`).
    #[must_use]
    pub const fn repaired(&self) -> u64 {
        self.repaired
    }

    /// Connections that began where the kernel had no room for their last window and threshold (`net.core.optmem_max`): nothing is
    /// replaced there.
    #[must_use]
    pub const fn unguarded(&self) -> u64 {
        self.unguarded
    }

    /// From the map's only value; `None`, if it is too short.
    pub(crate) fn read(value: &[u8]) -> Option<Self> {
        let (mut calls, mut states) = ([0; Hook::ALL.len()], [0; STATES]);
        for (number, calls) in calls.iter_mut().enumerate() {
            *calls = counter(value, offset_of!(RawCounters, calls) + 8 * number)?;
        }
        for (number, calls) in states.iter_mut().enumerate() {
            *calls = counter(value, offset_of!(RawCounters, states) + 8 * number)?;
        }
        let lost = counter(value, offset_of!(RawCounters, lost))?;
        Some(Self {
            calls,
            states,
            recorded: counter(value, offset_of!(RawCounters, seq))?.saturating_sub(lost),
            lost,
            repaired: counter(value, offset_of!(RawCounters, repaired))?,
            unguarded: counter(value, offset_of!(RawCounters, unguarded))?,
        })
    }
}

impl fmt::Display for Counters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for hook in Hook::ALL {
            write!(f, "{} {}, ", hook.name(), self.calls(hook))?;
        }
        write!(f, "set_state(Recovery) {}", self.entered(CaState::Recovery))
    }
}
