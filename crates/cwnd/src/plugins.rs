// SPDX-License-Identifier: MIT OR Apache-2.0
//! Plugins: algorithms that are added to the registry at run time, found by name like the built-in ones.
//!
//! The list belongs to the process, like loaded code. A plugin replaces an earlier one of the same name, so that a rebuilt
//! algorithm can be tried again in one session. Controllers of the earlier one keep running it.

use std::sync::{PoisonError, RwLock};

use crate::description::{ALGORITHMS, Description};

/// The name of a parameter set that another algorithm has already.
///
/// ```
/// assert_eq!(cwnd::registry::NameTaken("reno").0, "reno");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameTaken(pub &'static str);

static PLUGINS: RwLock<Vec<&'static Description>> = RwLock::new(Vec::new());

/// Adds a plugin. It stays for the life of the process.
///
/// # Errors
/// [`NameTaken`], when an algorithm of another name has a parameter set of one of its names; nothing is changed then.
pub fn add(algorithm: Description) -> Result<(), NameTaken> {
    let mut plugins = PLUGINS.write().unwrap_or_else(PoisonError::into_inner);
    let others =
        ALGORITHMS.iter().chain(plugins.iter().copied().filter(|other| other.name != algorithm.name));
    let names: Vec<_> = others.flat_map(Description::sets).map(|set| set.name).collect();
    if let Some(set) = algorithm.sets().find(|set| names.contains(&set.name)) {
        return Err(NameTaken(set.name));
    }
    plugins.retain(|other| other.name != algorithm.name);
    plugins.push(Box::leak(Box::new(algorithm)));
    Ok(())
}

/// All plugins, the latest last.
///
/// ```
/// assert!(cwnd::registry::plugins().is_empty()); // until one is added
/// ```
#[must_use]
pub fn plugins() -> Vec<&'static Description> {
    PLUGINS.read().unwrap_or_else(PoisonError::into_inner).clone()
}
