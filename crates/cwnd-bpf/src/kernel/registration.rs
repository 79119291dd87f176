// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the loaders of this machine have registered: listed by any of them, and unloaded.
//!
//! Each object identifies its loader in its map `.data.identity`. The kernel lists maps, so no file is needed that a crash could
//! leave behind.

use std::mem::offset_of;
use std::os::fd::AsRawFd;
use std::path::PathBuf;

use libbpf_rs::MapHandle;
use libbpf_rs::libbpf_sys;
use libbpf_rs::query::{LinkInfoIter, LinkTypeInfo, MapInfoIter};

use crate::kernel::counters::{connections_in, counter_in};
use crate::kernel::error::Error;
use crate::kernel::identity;
use crate::kernel::link;
use crate::kernel::maps::{IDENTITY, text};
use crate::kernel::pins::{PINS, check_pins, pin_of};
use cwnd_bpf_build::shared_structs::RawCounters;

/// An algorithm that a loader of this machine has registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registration {
    /// Name for `TCP_CONGESTION`.
    pub name: String,
    /// Parameter set; for a wrapper, `kernel/` and the kernel's name for what it wraps.
    pub set: String,
    /// Process that loaded it.
    pub pid: u32,
    /// Where it is pinned, if it is.
    pub pinned: Option<PathBuf>,
    /// Connections that run on it now, in all namespaces; `None` for a wrapper, which is not told of a connection's end.
    pub connections: Option<u64>,
    /// Windows and thresholds that the algorithm had not set, and that were replaced (`docs/adr/0007`); `None` for a wrapper.
    pub repaired: Option<u64>,
    /// Connections that began without room for their last window and threshold, so that nothing is replaced there; `None` for a wrapper.
    pub unguarded: Option<u64>,
    /// Whether new connections can choose it. One that was taken out stays until its last connection ends.
    pub registered: bool,
    /// Loaders that share it with the first; one that was killed is still counted.
    pub sharers: u32,
    /// File of the object that it was loaded from; `None` for what the package carries, and where the path was too long.
    pub file: Option<PathBuf>,
    pub(crate) hash: u64,
    pub(crate) link: u32,
    pub(crate) identity_map: u32,
    pub(crate) params_map: u32,
}

/// Everything that any cwnd on this machine has loaded and that is still in use.
///
/// # Errors
/// [`Error`], when the kernel does not let this process list its maps.
pub fn registrations() -> Result<Vec<Registration>, Error> {
    may_list()?;
    // One that was detached is listed until the kernel frees it; it no longer leads to its algorithm.
    let leads = |info: &LinkTypeInfo| matches!(info, LinkTypeInfo::StructOps(info) if info.map_id != 0);
    let links: Vec<u32> =
        LinkInfoIter::default().filter(|link| leads(&link.info)).map(|link| link.id).collect();
    let pins_are_ours = check_pins().is_ok();
    let mut registrations = Vec::new();
    for info in MapInfoIter::default().filter(|info| info.name == IDENTITY) {
        // It may be unloaded at any moment.
        let Ok(map) = MapHandle::from_map_id(info.id) else { continue };
        let Some(identity) = identity::read(&map) else { continue };
        let name = text(&identity.name);
        let registered = links.contains(&identity.link);
        let pin = pin_of(&name);
        let set = text(&identity.set);
        let counters = MapHandle::from_map_id(identity.counters).ok().filter(|_| !set.starts_with(WRAPPED));
        let connections = counters.as_ref().and_then(|map| connections_in(map));
        let counted = |offset| counters.as_ref().and_then(|map| counter_in(map, offset));
        // The kernel frees what is no longer used a little later.
        if !registered && connections.unwrap_or(0) == 0 {
            continue;
        }
        registrations.push(Registration {
            pinned: (registered && pins_are_ours && pin.exists()).then_some(pin),
            connections,
            repaired: counted(offset_of!(RawCounters, repaired)),
            unguarded: counted(offset_of!(RawCounters, unguarded)),
            name,
            set,
            pid: identity.pid,
            sharers: identity.sharers,
            registered,
            hash: identity.hash,
            link: identity.link,
            identity_map: info.id,
            params_map: identity.params,
            file: Some(text(&identity.file)).filter(|file| !file.is_empty()).map(PathBuf::from),
        });
    }
    registrations.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(registrations)
}

/// Without the right to it, the lists that follow would be empty, and look like an answer.
pub(crate) fn may_list() -> Result<(), Error> {
    let mut next = 0;
    // SAFETY: a system call that writes a number to where it is told.
    let result = unsafe { libbpf_sys::bpf_map_get_next_id(0, &raw mut next) };
    if result < 0 && -result != rustix::io::Errno::NOENT.raw_os_error() {
        let why = libbpf_rs::Error::from_raw_os_error(-result);
        return Err(Error::Kernel { what: "list what is loaded", why, log: String::new() });
    }
    Ok(())
}

/// How the set of a wrapper begins.
pub(crate) const WRAPPED: &str = "kernel/";

/// Whether the kernel knows an algorithm of this name, ours or not.
pub(crate) fn is_available(kernel_name: &str) -> bool {
    let names = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control");
    names.is_ok_and(|names| names.split_whitespace().any(|name| name == kernel_name))
}

impl Registration {
    /// Unregisters it and removes its pin: new connections no longer find it, and those that run on it keep it until they end.
    ///
    /// # Errors
    /// [`Error`], when the kernel refuses.
    pub fn unload(&self) -> Result<(), Error> {
        let link = link::open(self.link)?;
        if let Some(pin) = &self.pinned {
            std::fs::remove_file(pin).map_err(|why| Error::File(pin.clone(), why))?;
            // Only if it was the last.
            let _ = std::fs::remove_dir(PINS);
        }
        // SAFETY: a system call on a descriptor that is open.
        let result = unsafe { libbpf_sys::bpf_link_detach(link.as_raw_fd()) };
        if result < 0 {
            let why = libbpf_rs::Error::from_raw_os_error(-result);
            return Err(Error::Kernel { what: "unload the algorithm", why, log: String::new() });
        }
        Ok(())
    }
}
