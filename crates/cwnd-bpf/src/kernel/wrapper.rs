// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's own algorithms, recorded.

use std::fmt;

use libbpf_rs::ObjectBuilder;

use crate::fnv::fnv;
use crate::kernel::error::Error;
use crate::kernel::loader::{LoadConfig, WRAPPERS, load, recording};
use crate::kernel::owned_module::OwnedModule;
use crate::kernel::recorder::Recorder;
use crate::kernel::registration::WRAPPED;

/// One of the kernel's own algorithms, to be recorded under another name: it does what the kernel's does, to the bit.
pub struct Wrapper {
    name: &'static str,
    object: &'static [u8],
}

impl fmt::Debug for Wrapper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wrapper").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Wrapper {
    /// Names of those that can be wrapped.
    pub fn names() -> impl Iterator<Item = &'static str> {
        WRAPPERS.iter().map(|(name, _)| *name)
    }

    /// The kernel's `name`, such as `cubic`.
    ///
    /// # Errors
    /// [`Error::UnknownSet`], when it cannot be wrapped: its functions are not open to BPF programs.
    pub fn find(name: &str) -> Result<Self, Error> {
        let wrapper = WRAPPERS.iter().find(|(known, _)| *known == name);
        let (name, object) = wrapper.ok_or_else(|| Error::UnknownSet(name.to_owned()))?;
        Ok(Self { name, object: &object.0 })
    }

    /// Registers it as `kernel_name`, with every call recorded, as [`Module::load_recording`] does.
    ///
    /// # Errors
    /// As [`Module::load`].
    pub fn load_recording(
        &self,
        kernel_name: &str,
        ring_bytes: u32,
    ) -> Result<(OwnedModule, Recorder), Error> {
        let set = format!("{WRAPPED}{}", self.name);
        let hash = fnv(self.object.iter().copied());
        recording(ring_bytes, |ring_bytes| {
            let config = LoadConfig { set: &set, hash, params: &[], file: "", ring_bytes: Some(ring_bytes) };
            load(|| ObjectBuilder::default().open_memory(self.object), kernel_name, &config)
        })
    }
}
