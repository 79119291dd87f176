// SPDX-License-Identifier: MIT OR Apache-2.0
//! Algorithms that are added to the registry while the program runs, found by name like those that are built in.
//!
//! The list belongs to the process, as loaded code does. A later addition of the same name takes the place of the
//! earlier one, so that a rebuilt algorithm can be tried again in one session; what runs on the earlier one keeps it.

use std::fmt::Debug;
use std::sync::{PoisonError, RwLock};

use crate::registry::{ALGORITHMS, Custom, Description};

/// Makes instances of an algorithm that is not built in.
pub trait Maker: Debug + Send + Sync {
    /// A new instance, not yet initialised, with the settings of parameter set `set`; `None` beyond the last.
    fn make(&self, set: usize) -> Option<Box<dyn Custom>>;
}

/// The name of a parameter set that another algorithm has already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken(pub &'static str);

static ADDED: RwLock<Vec<&'static Description>> = RwLock::new(Vec::new());

/// Adds an algorithm; it stays for the life of the process.
///
/// # Errors
/// [`Taken`], when an algorithm of another name has a parameter set of one of its names; nothing is changed then.
pub fn add(algorithm: Description) -> Result<(), Taken> {
    let mut added = ADDED.write().unwrap_or_else(PoisonError::into_inner);
    let others = ALGORITHMS.iter().chain(added.iter().copied().filter(|other| other.name != algorithm.name));
    let names: Vec<_> = others.flat_map(Description::sets).map(|set| set.name).collect();
    if let Some(set) = algorithm.sets().find(|set| names.contains(&set.name)) {
        return Err(Taken(set.name));
    }
    added.retain(|other| other.name != algorithm.name);
    added.push(Box::leak(Box::new(algorithm)));
    Ok(())
}

/// What was added, the latest last.
#[must_use]
pub fn added() -> Vec<&'static Description> {
    ADDED.read().unwrap_or_else(PoisonError::into_inner).clone()
}
