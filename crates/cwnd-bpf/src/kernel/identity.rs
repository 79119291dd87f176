// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an object says of its loader, in its map `.data.identity`.

use std::mem::{offset_of, size_of};

use libbpf_rs::{MapCore, MapFlags, MapHandle};
use rustix::fs::{FlockOperation, flock};

use crate::kernel::maps::first_value;
use cwnd_bpf_build::shared_structs::Identity;

impl Identity {
    /// The bytes that the map holds.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(size_of::<Self>());
        bytes.extend(self.name);
        bytes.extend(self.set);
        bytes.extend(self.hash.to_ne_bytes());
        for number in [self.link, self.counters, self.pid, self.sharers, self.params] {
            bytes.extend(number.to_ne_bytes());
        }
        bytes.extend(self.file);
        bytes
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let u32_at = |offset: usize| Some(u32::from_ne_bytes(*bytes.get(offset..)?.first_chunk()?));
        Some(Self {
            name: *bytes.get(offset_of!(Self, name)..)?.first_chunk()?,
            set: *bytes.get(offset_of!(Self, set)..)?.first_chunk()?,
            hash: u64::from_ne_bytes(*bytes.get(offset_of!(Self, hash)..)?.first_chunk()?),
            link: u32_at(offset_of!(Self, link))?,
            counters: u32_at(offset_of!(Self, counters))?,
            pid: u32_at(offset_of!(Self, pid))?,
            sharers: u32_at(offset_of!(Self, sharers))?,
            params: u32_at(offset_of!(Self, params))?,
            file: *bytes.get(offset_of!(Self, file)..)?.first_chunk()?,
        })
    }
}

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
