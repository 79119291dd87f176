// SPDX-License-Identifier: MIT OR Apache-2.0
//! Loading beside other loaders. The same algorithm with the same settings is loaded once, and stays until its last loader has ended.

use std::path::PathBuf;
use std::time::Duration;

use crate::kernel::doctor::explain_refusal;
use crate::kernel::error::Error;
use crate::kernel::loader::{RING_MAX, RING_MIN};
use crate::kernel::maps::RECORDS;
use crate::kernel::owned_module::OwnedModule;
use crate::kernel::recorder::{self, Recorder};
use crate::kernel::registration::{Registration, is_available, registrations};
use crate::kernel::shared_module::SharedModule;

/// How often to look again for a registration that another loader is making, and how long to wait between.
const LOOKS: u32 = 20;
const PAUSE: Duration = Duration::from_millis(25);

/// An algorithm in the kernel, loaded by this process or by another.
#[derive(Debug)]
pub enum LoadedModule {
    /// Loaded by this process.
    Owned(OwnedModule),
    /// Loaded by another process, with the same code and settings.
    Shared(SharedModule),
}

impl LoadedModule {
    /// The name for `TCP_CONGESTION`.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Owned(loaded) => loaded.name(),
            Self::Shared(shared) => &shared.registration().name,
        }
    }

    /// Connections that run on it now, in all namespaces.
    #[must_use]
    pub fn connections(&self) -> Option<u64> {
        match self {
            Self::Owned(loaded) => loaded.connections(),
            Self::Shared(shared) => shared.connections(),
        }
    }

    /// Whether new connections can choose it: no longer, once it is unloaded.
    #[must_use]
    pub fn is_registered(&self) -> bool {
        match self {
            Self::Owned(loaded) => loaded.is_registered(),
            Self::Shared(shared) => shared.is_registered(),
        }
    }

    /// Pins it, if it is not: it stays in the kernel when all its loaders have ended, until it is unloaded or the machine
    /// restarts. Returns where, and whether the kernel's file system for that had to be mounted.
    ///
    /// # Errors
    /// [`Error`], when it cannot be mounted or written.
    pub fn pin(&mut self) -> Result<(PathBuf, bool), Error> {
        match self {
            Self::Owned(loaded) => loaded.pin(),
            Self::Shared(shared) => shared.pin(),
        }
    }
}

/// What can be loaded into the kernel, any number of times.
pub trait Load {
    /// Of everything that decides what it does.
    #[doc(hidden)]
    fn hash(&self) -> u64;

    /// Registers it on the running kernel as `kernel_name`; with a ring buffer of `ring_bytes`, a power of two, every call is recorded.
    #[doc(hidden)]
    fn register(&self, kernel_name: &str, ring_bytes: Option<u32>) -> Result<OwnedModule, Error>;

    /// Registers it on the running kernel as `kernel_name`.
    ///
    /// # Errors
    /// [`Error`]: a name that the kernel does not take or already has, or a kernel that lacks BTF, links of `struct_ops` or
    /// the right to load.
    fn load(&self, kernel_name: &str) -> Result<OwnedModule, Error> {
        self.register(kernel_name, None)
    }

    /// As [`Load::load`], with every call of a hook recorded: in a ring buffer of at least `ring_bytes` (which the
    /// kernel sets aside at once), until the recorder takes it from there.
    ///
    /// # Errors
    /// As [`Load::load`].
    fn load_recording(&self, kernel_name: &str, ring_bytes: u32) -> Result<(OwnedModule, Recorder), Error> {
        let ring_bytes = ring_bytes.clamp(RING_MIN, RING_MAX).next_power_of_two();
        let loaded = self.register(kernel_name, Some(ring_bytes))?;
        let recorder = recorder::open(loaded.object(), RECORDS)?;
        Ok((loaded, recorder))
    }

    /// Loads it as `kernel_name`, or shares what has that name if it is the same code with the same settings.
    ///
    /// # Errors
    /// [`Error::Taken`], when something else has the name; and as [`Load::load`].
    fn load_or_share(&self, kernel_name: &str) -> Result<LoadedModule, Error> {
        for look in 0.. {
            if let Some(other) = explain_refusal("load", registered(kernel_name))? {
                if other.hash == self.hash() {
                    // It may have been unloaded since it was listed.
                    match other.share() {
                        Err(_) if look < LOOKS => {}
                        result => return result.map(LoadedModule::Shared),
                    }
                } else {
                    return Err(taken(kernel_name, &other));
                }
            } else {
                match self.load(kernel_name) {
                    // Another loader was faster, and has not written its identity yet; or the name is not one of ours.
                    Err(_) if is_available(kernel_name) => {
                        if look >= LOOKS {
                            return Err(Error::KernelsOwn(kernel_name.to_owned()));
                        }
                    }
                    result => return result.map(LoadedModule::Owned),
                }
            }
            std::thread::sleep(PAUSE);
        }
        unreachable!("the loop ends with a result")
    }
}

fn registered(kernel_name: &str) -> Result<Option<Registration>, Error> {
    Ok(registrations()?
        .into_iter()
        .find(|registration| registration.registered && registration.name == kernel_name))
}

fn taken(name: &str, other: &Registration) -> Error {
    let by = format!("{} with other settings or of another version (process {})", other.set, other.pid);
    Error::Taken { name: name.to_owned(), by }
}
