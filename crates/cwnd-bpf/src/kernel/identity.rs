// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an object says of its loader, in its map `.data.identity`.

use libbpf_rs::{MapCore, MapFlags, MapHandle};
use rustix::fs::{FlockOperation, flock};

use crate::kernel::maps::first_value;
use cwnd_bpf_build::shared_structs::Identity;

/// What the object of this map says.
pub(crate) fn read(map: &MapHandle) -> Option<Identity> {
    Identity::read(&first_value(map).ok()??)
}

/// Changes the number of loaders that share the object.
pub(crate) fn count_sharers(map: &MapHandle, change: i32) {
    // The lock prevents two processes from counting one too few. To `flock` the descriptors of all maps are one file; that is more
    // than is needed, but nothing else locks them, and the update takes microseconds. The lock ends with the process.
    let _ = flock(map, FlockOperation::LockExclusive);
    if let Some(mut identity) = read(map) {
        identity.sharers = identity.sharers.saturating_add_signed(change);
        let _ = map.update(&0_u32.to_ne_bytes(), &identity.bytes(), MapFlags::ANY);
    }
    let _ = flock(map, FlockOperation::Unlock);
}

/// Whether other processes share the object of this map with its first loader.
pub(crate) fn is_shared(map: &dyn MapCore) -> bool {
    first_value(map)
        .ok()
        .flatten()
        .and_then(|bytes| Identity::read(&bytes))
        .is_some_and(|identity| identity.sharers > 0)
}
