// SPDX-License-Identifier: MIT OR Apache-2.0
//! An algorithm that another process has loaded, and that this one keeps in the kernel.

use std::ffi::CString;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use libbpf_rs::MapHandle;
use libbpf_rs::libbpf_sys;

use crate::kernel::counters::connections_in;
use crate::kernel::error::Error;
use crate::kernel::identity::{self, count_sharers};
use crate::kernel::link::{self, is_registered};
use crate::kernel::pins::place;
use crate::kernel::registration::{Registration, WRAPPED};

/// A registration of another process. It stays in the kernel until this value is dropped.
#[derive(Debug)]
pub struct SharedModule {
    registration: Box<Registration>,
    link: OwnedFd,
    identity: MapHandle,
    counters: Option<MapHandle>,
    pinned: bool,
}

impl SharedModule {
    /// The registration.
    #[must_use]
    pub fn registration(&self) -> &Registration {
        &self.registration
    }

    /// Connections that run on it now, as [`Registration::connections`].
    #[must_use]
    pub fn connections(&self) -> Option<u64> {
        let is_wrapper = self.registration.set.starts_with(WRAPPED);
        self.counters.as_ref().filter(|_| !is_wrapper).and_then(|map| connections_in(map))
    }

    /// Whether new connections can choose it: no longer, once it is unloaded.
    #[must_use]
    pub fn is_registered(&self) -> bool {
        is_registered(self.link.as_fd())
    }

    /// Pins it, if it is not: it stays in the kernel when all its loaders have ended. Returns where, and whether the kernel's
    /// file system for that had to be mounted.
    ///
    /// # Errors
    /// [`Error`], when it cannot be mounted or written.
    pub fn pin(&mut self) -> Result<(PathBuf, bool), Error> {
        let (path, mounted) = place(&self.registration.name)?;
        if !path.exists() {
            let text = CString::new(path.as_os_str().as_bytes())
                .map_err(|why| Error::File(path.clone(), why.into()))?;
            // SAFETY: a system call on a descriptor that is open, and a text that ends with a zero.
            let result = unsafe { libbpf_sys::bpf_obj_pin(self.link.as_raw_fd(), text.as_ptr()) };
            if result < 0 {
                let why = libbpf_rs::Error::from_raw_os_error(-result);
                return Err(Error::Kernel { what: "pin the algorithm", why, log: String::new() });
            }
        }
        self.pinned = true;
        Ok((path, mounted))
    }
}

impl Drop for SharedModule {
    fn drop(&mut self) {
        // The pin keeps it in the kernel, so the count stays: its first loader must not unregister it.
        if !self.pinned {
            count_sharers(&self.identity, -1);
        }
    }
}

impl Registration {
    /// Keeps it in the kernel as long as the result lives, even if its first loader ends.
    ///
    /// # Errors
    /// [`Error`], when it has gone.
    pub fn share(&self) -> Result<SharedModule, Error> {
        let link = link::open(self.link)?;
        let gone = |why| Error::Kernel { what: "find a registration", why, log: String::new() };
        // Opened now: the process may give up the right to look for maps later.
        let identity = MapHandle::from_map_id(self.identity_map).map_err(gone)?;
        let counters =
            identity::read(&identity).and_then(|known| MapHandle::from_map_id(known.counters).ok());
        count_sharers(&identity, 1);
        Ok(SharedModule { registration: Box::new(self.clone()), link, identity, counters, pinned: false })
    }
}
