// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's own algorithms, recorded.

use std::fmt;

use libbpf_rs::ObjectBuilder;

use crate::kernel::error::Error;
use crate::kernel::loaded_module::Load;
use crate::kernel::loader::{LoadConfig, WRAPPERS, load};
use crate::kernel::owned_module::OwnedModule;
use crate::kernel::registration::WRAPPED;
use cwnd_bpf_build::fnv;

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
}

impl Load for Wrapper {
    fn hash(&self) -> u64 {
        fnv(self.object.iter().copied())
    }

    fn register(&self, kernel_name: &str, ring_bytes: Option<u32>) -> Result<OwnedModule, Error> {
        let set = format!("{WRAPPED}{}", self.name);
        let config = LoadConfig { set: &set, hash: self.hash(), params: &[], file: "", ring_bytes };
        load(|| ObjectBuilder::default().open_memory(self.object), kernel_name, &config)
    }
}
