// SPDX-License-Identifier: MIT OR Apache-2.0
//! An algorithm of the package with its settings, ready to be loaded into the kernel.

use std::fmt;

use cwnd::Controller;
use cwnd::registry::{self, Description};
use libbpf_rs::ObjectBuilder;

use crate::kernel::error::{Error, NAME_MAX};
use crate::kernel::loaded_module::Load;
use crate::kernel::loader::{LoadConfig, OBJECTS, bad_param, hashed_name, load, settings_text};
use crate::kernel::owned_module::OwnedModule;
use cwnd_bpf_build::fnv;

/// An algorithm with its settings, ready to be loaded, any number of times.
pub struct Module {
    set: &'static str,
    algorithm: &'static Description,
    controller: Controller,
    pub(crate) object: &'static [u8],
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Module").field("controller", &self.controller).finish_non_exhaustive()
    }
}

impl Module {
    /// The parameter set `set`, such as `cubic-2.2`.
    ///
    /// # Errors
    /// [`Error::UnknownSet`].
    pub fn find(set: &str) -> Result<Self, Error> {
        let unknown = || Error::UnknownSet(set.to_owned());
        let (algorithm, description) = registry::find(set).ok_or_else(unknown)?;
        let controller = description.controller().ok_or_else(unknown)?;
        let object = OBJECTS
            .iter()
            .find(|(name, _)| *name == algorithm.name)
            .map(|(_, object)| &object.0)
            .ok_or_else(|| Error::Object(format!("no form of {}", algorithm.name)))?;
        Ok(Self { set: description.name, algorithm, controller, object })
    }

    /// Sets a parameter, written as in a scenario.
    ///
    /// # Errors
    /// [`Error::Param`], when the algorithm has no such parameter, or the value is malformed or out of its range; nothing is
    /// changed then.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), Error> {
        match self.controller.set_param(name, value) {
            Ok(()) => Ok(()),
            Err(_) => Err(bad_param(self.algorithm.specs, name, value)),
        }
    }

    /// Names and values of its parameters, written as in a scenario.
    #[must_use]
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        settings_text(self.algorithm.specs, &self.params())
    }

    /// Its parameter set.
    #[must_use]
    pub const fn set_name(&self) -> &'static str {
        self.set
    }

    /// Gives the parameters these values, in the stored form, if there are as many and all of them are in range.
    pub(crate) fn set_values(&mut self, values: &[u32]) -> Result<(), Error> {
        for (name, value) in settings_text(self.algorithm.specs, values) {
            self.set(name, &value)?;
        }
        Ok(())
    }

    /// The same algorithm with the same settings on the host, not yet initialised.
    #[must_use]
    pub fn controller(&self) -> Controller {
        self.controller.clone()
    }

    /// With another build of its object, for tests of the glue.
    #[doc(hidden)]
    #[must_use]
    pub const fn with_object(mut self, object: &'static [u8]) -> Self {
        self.object = object;
        self
    }

    /// Size of the object, bytes.
    #[must_use]
    pub const fn object_bytes(&self) -> usize {
        self.object.len()
    }

    /// Name for `TCP_CONGESTION`: `cwnd_` and the set's name (with `_` for its `-`, which the kernel does not take in a module of
    /// BPF) where that fits and no parameter was set, else `cwnd_` and eight hexadecimal digits of set and parameters.
    #[must_use]
    pub fn kernel_name(&self) -> String {
        let plain = format!("cwnd_{}", self.set.replace('-', "_"));
        let published = registry::find(self.set).and_then(|(_, set)| set.controller());
        let as_published = published.is_some_and(|published| published.is_same(&self.controller));
        if as_published && plain.len() <= NAME_MAX {
            return plain;
        }
        hashed_name(self.set.bytes().chain(self.param_bytes()))
    }

    /// Another name for it, beside one that is loaded.
    #[must_use]
    pub fn traced_name(&self) -> String {
        hashed_name(self.set.bytes().chain(self.param_bytes()).chain(*b"traced"))
    }

    pub(crate) fn params(&self) -> Vec<u32> {
        (0..self.algorithm.specs.len()).map(|index| self.controller.param(index)).collect()
    }

    fn param_bytes(&self) -> impl Iterator<Item = u8> {
        self.params().into_iter().flat_map(u32::to_le_bytes)
    }
}

impl Load for Module {
    fn hash(&self) -> u64 {
        fnv(self.object.iter().copied().chain(self.set.bytes()).chain(self.param_bytes()))
    }

    fn register(&self, kernel_name: &str, ring_bytes: Option<u32>) -> Result<OwnedModule, Error> {
        let config =
            LoadConfig { set: self.set, hash: self.hash(), params: &self.params(), file: "", ring_bytes };
        load(|| ObjectBuilder::default().open_memory(self.object), kernel_name, &config)
    }
}
