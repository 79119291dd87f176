// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rights that a loader no longer needs once the algorithm is in the kernel.

use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities, set_no_new_privs};

use crate::kernel::error::Error;

/// Gives up every capability of the calling thread for good, and with them loading, listing and pinning. What is loaded stays loaded
/// and readable through its descriptors, and can be unloaded. Each thread has capabilities of its own: call it before starting other
/// threads, which inherit what is left.
///
/// # Errors
/// [`Error::Rights`], when the kernel refuses, which it has no reason to.
pub fn give_up_rights() -> Result<(), Error> {
    limit_to(CapabilitySet::empty())
}

/// Gives up all capabilities but these.
pub(crate) fn limit_to(capabilities: CapabilitySet) -> Result<(), Error> {
    let failed = |why: rustix::io::Errno| Error::Rights(why.into());
    let left = capabilities & rustix::thread::capabilities(None).map_err(failed)?.permitted;
    let sets = CapabilitySets { effective: left, permitted: left, inheritable: CapabilitySet::empty() };
    // The first, or else a program that the superuser starts would have them all back.
    set_no_new_privs(true).and_then(|()| set_capabilities(None, sets)).map_err(failed)
}
