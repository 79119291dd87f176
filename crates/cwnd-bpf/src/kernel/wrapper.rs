// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's own algorithms, recorded.

use std::fmt;

use libbpf_rs::{Link, ObjectBuilder};

use crate::kernel::doctor::explain_refusal;
use crate::kernel::error::{Error, refused};
use crate::kernel::libbpf_log::with_libbpf_log;
use crate::kernel::loaded_module::Load;
use crate::kernel::loader::{LoadConfig, RING_MAX, RING_MIN, TRANSPORTS, WRAPPERS, load};
use crate::kernel::maps::RECORDS;
use crate::kernel::owned_module::OwnedModule;
use crate::kernel::recorder::{self, Recorder};
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

/// What the sections of programs at tracepoints begin with.
const TRACEPOINT: &str = "tp_btf/";

/// What is attached beside a wrapper to record the packets and timers of its connections; dropping takes it away.
pub struct PacketPrograms(#[expect(dead_code, reason = "held until it is dropped")] Vec<Link>);

impl fmt::Debug for PacketPrograms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PacketPrograms").finish_non_exhaustive()
    }
}

impl Wrapper {
    /// As [`Wrapper::find`], to record every hook, also those for which the algorithm has no function, and the packets and timers.
    ///
    /// # Errors
    /// As [`Wrapper::find`].
    pub fn of_transport(name: &str) -> Result<Self, Error> {
        let transport = TRANSPORTS.iter().find(|(known, _)| *known == name);
        let (name, object) = transport.ok_or_else(|| Error::UnknownSet(name.to_owned()))?;
        Ok(Self { name, object: &object.0 })
    }

    /// Loads what [`Wrapper::of_transport`] found, as [`Load::load_recording`] does, and attaches the programs that record packets.
    ///
    /// # Errors
    /// As [`Load::load_recording`]; and a kernel that does not let programs be attached to its functions.
    pub fn record_transport(
        &self,
        kernel_name: &str,
        ring_bytes: u32,
    ) -> Result<(OwnedModule, Recorder, PacketPrograms), Error> {
        let ring_bytes = ring_bytes.clamp(RING_MIN, RING_MAX).next_power_of_two();
        let loaded = self.register(kernel_name, Some(ring_bytes))?;
        let recorder = recorder::open(loaded.object(), RECORDS)?;
        let attached = with_libbpf_log(|| {
            let programs = loaded.object().progs_mut();
            // The others are the algorithm's.
            let programs =
                programs.filter(|program| program.section().to_string_lossy().starts_with(TRACEPOINT));
            programs.map(|program| program.attach().map_err(refused("attach to the kernel's TCP"))).collect()
        });
        let links = explain_refusal("trace of packets", attached)?;
        Ok((loaded, recorder, PacketPrograms(links)))
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
