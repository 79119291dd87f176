// SPDX-License-Identifier: MIT OR Apache-2.0
//! Loading beside other loaders: the same algorithm with the same settings is there once, and stays as long as anybody holds it.

use std::path::PathBuf;
use std::time::Duration;

use crate::doctor::diagnosed;
use crate::error::Error;
use crate::loaded::Loaded;
use crate::module::Module;
use crate::registration::{Registration, Shared, is_available, registrations};

/// How often to look again for a registration that another loader is making, and how long to wait between.
const LOOKS: u32 = 20;
const PAUSE: Duration = Duration::from_millis(25);

/// An algorithm in the kernel, one's own or another loader's.
#[derive(Debug)]
pub enum Held {
    /// Loaded here.
    Own(Loaded),
    /// Loaded elsewhere, with the same code and settings.
    Shared(Shared),
}

impl Held {
    /// The name for `TCP_CONGESTION`.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Own(loaded) => loaded.name(),
            Self::Shared(shared) => &shared.registration().name,
        }
    }

    /// Connections that run on it now, in all namespaces.
    #[must_use]
    pub fn connections(&self) -> Option<u64> {
        match self {
            Self::Own(loaded) => loaded.connections(),
            Self::Shared(shared) => shared.connections(),
        }
    }

    /// Whether new connections can choose it; not after somebody has unloaded it.
    #[must_use]
    pub fn is_registered(&self) -> bool {
        match self {
            Self::Own(loaded) => loaded.is_registered(),
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
            Self::Own(loaded) => loaded.pin(),
            Self::Shared(shared) => shared.pin(),
        }
    }
}

impl Module {
    /// Loads it as `kernel_name`, or shares what has that name if it is the same code with the same settings.
    ///
    /// # Errors
    /// [`Error::Taken`], when something else has the name; and as [`Module::load`].
    pub fn hold(&self, kernel_name: &str) -> Result<Held, Error> {
        hold(kernel_name, self.hash(), || self.load(kernel_name))
    }
}

/// Loads by `load` what has this `hash`, or shares it.
pub(crate) fn hold(
    kernel_name: &str,
    hash: u64,
    load: impl Fn() -> Result<Loaded, Error>,
) -> Result<Held, Error> {
    for look in 0.. {
        if let Some(other) = diagnosed("load", registered(kernel_name))? {
            if other.hash == hash {
                // It may have gone between the two.
                match other.share() {
                    Err(_) if look < LOOKS => {}
                    result => return result.map(Held::Shared),
                }
            } else {
                return Err(taken(kernel_name, &other));
            }
        } else {
            match load() {
                // Another loader was faster, and has not said yet who it is; or it is none of ours.
                Err(_) if is_available(kernel_name) => {
                    if look >= LOOKS {
                        return Err(Error::KernelsOwn(kernel_name.to_owned()));
                    }
                }
                result => return result.map(Held::Own),
            }
        }
        std::thread::sleep(PAUSE);
    }
    unreachable!("the loop ends with a result")
}

fn registered(kernel_name: &str) -> Result<Option<Registration>, Error> {
    Ok(registrations()?.into_iter().find(|found| found.registered && found.name == kernel_name))
}

fn taken(name: &str, other: &Registration) -> Error {
    let by = format!("{} with other settings or of another version (process {})", other.set, other.pid);
    Error::Taken { name: name.to_owned(), by }
}
