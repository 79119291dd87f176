// SPDX-License-Identifier: MIT OR Apache-2.0
//! An algorithm that this process has loaded: its counters, its cost, and how it is unregistered.

use std::fmt;
use std::os::fd::AsFd;
use std::path::PathBuf;

use cwnd::Hook;
use libbpf_rs::query::{ProgInfoIter, ProgInfoQueryOptions};
use libbpf_rs::{Link, Object, Program};

use crate::kernel::counters::{Counters, connections_in};
use crate::kernel::error::{Error, refused};
use crate::kernel::identity::is_shared;
use crate::kernel::link::is_registered;
use crate::kernel::maps::{COUNTERS, IDENTITY, PARAMS, TX_START, find, first_value};
use crate::kernel::pins::pin;

/// An algorithm that this process has loaded. Dropping it unregisters it: new connections no longer find it, and those that run
/// on it keep it until they end. The kernel does the same when the process ends, however it ends.
pub struct OwnedModule {
    name: String,
    /// How many.
    params: usize,
    // Dropped in this order: the registration before the programs.
    link: Link,
    object: Object,
}

impl fmt::Debug for OwnedModule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnedModule").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Drop for OwnedModule {
    fn drop(&mut self) {
        // Closing the link is not enough if another thread starts a process at this moment: the child has a copy of the
        // descriptor. Before Linux 6.11 a link cannot be detached, and closing it has to suffice. A registration that is shared or
        // pinned stays.
        let shared = find(&self.object, IDENTITY).is_ok_and(|map| is_shared(&map));
        if !shared && self.link.pin_path().is_none() {
            let _ = self.link.detach();
        }
    }
}

/// What the program of a hook costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookCost {
    /// Which hook.
    pub hook: Hook,
    /// Instructions that the verifier left of it.
    pub instructions: usize,
    /// Instructions that the verifier walked through, along every path, to prove it safe.
    pub verified: u32,
    /// Bytes of machine code.
    pub machine_bytes: usize,
    /// Calls while the kernel took times.
    pub runs: u64,
    /// Time in them, ns.
    pub run_ns: u64,
}

impl OwnedModule {
    pub(crate) fn new(name: &str, params: usize, link: Link, object: Object) -> Self {
        Self { name: name.to_owned(), params, link, object }
    }

    pub(crate) const fn object(&self) -> &Object {
        &self.object
    }

    /// The name for `TCP_CONGESTION`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Pins it: it stays in the kernel when this process ends, until it is unloaded or the machine restarts. Returns where,
    /// and whether the kernel's file system for that had to be mounted.
    ///
    /// # Errors
    /// [`Error`], when it cannot be mounted or written.
    pub fn pin(&mut self) -> Result<(PathBuf, bool), Error> {
        pin(&mut self.link, &self.name)
    }

    /// Connections that run on it now, in all namespaces; `None`, when the kernel does not answer.
    #[must_use]
    pub fn connections(&self) -> Option<u64> {
        connections_in(&find(&self.object, COUNTERS).ok()?)
    }

    /// Whether new connections can choose it: no longer, once it is unloaded.
    #[must_use]
    pub fn is_registered(&self) -> bool {
        is_registered(self.link.as_fd())
    }

    /// Values of the parameters, read back from the kernel.
    ///
    /// # Errors
    /// [`Error`], when the kernel does not answer.
    pub fn params(&self) -> Result<Vec<u32>, Error> {
        let bytes = self.read(PARAMS)?;
        let values =
            bytes.chunks_exact(4).filter_map(|value| Some(u32::from_ne_bytes(value.try_into().ok()?)));
        Ok(values.take(self.params).collect())
    }

    /// Calls so far.
    ///
    /// # Errors
    /// [`Error`], when the kernel does not answer.
    pub fn counters(&self) -> Result<Counters, Error> {
        Counters::read(&self.read(COUNTERS)?).ok_or_else(|| Error::Object("too few counters".to_owned()))
    }

    /// What each program costs; times only of calls while [`crate::Timing`] was on.
    ///
    /// # Errors
    /// [`Error`], when the kernel does not answer.
    pub fn costs(&self) -> Result<Vec<HookCost>, Error> {
        let mut hooks = Vec::new();
        // The program of a hook that this kernel lacks is not loaded.
        for program in self.object.progs().filter(|program| program.autoload()) {
            let name = program.name().to_string_lossy();
            let of_four = name.strip_suffix("_of_two").unwrap_or(&name);
            let hook = of_four
                .strip_prefix("program_")
                .and_then(Hook::by_name)
                // One of the events by itself.
                .or_else(|| name.ends_with(TX_START).then_some(Hook::CwndEvent));
            let hook = hook.ok_or_else(|| Error::Object(format!("a program {name}")))?;
            hooks.push((Program::id_from_fd(program.as_fd()).map_err(refused("read a program"))?, hook));
        }
        let options =
            ProgInfoQueryOptions::default().include_xlated_prog_insns(true).include_jited_prog_insns(true);
        let mut costs: Vec<_> = ProgInfoIter::with_query_opts(options)
            .filter_map(|info| {
                let (_, hook) = hooks.iter().find(|(id, _)| *id == info.id)?;
                Some(HookCost {
                    hook: *hook,
                    // The size of an instruction is part of the kernel's stable interface.
                    instructions: info.xlated_prog_insns.len() / 8,
                    verified: info.verified_insns,
                    machine_bytes: info.jited_prog_insns.len(),
                    runs: info.run_cnt,
                    run_ns: info.run_time_ns,
                })
            })
            .collect();
        if costs.len() < hooks.len() {
            return Err(Error::Object(format!("{} programs, {} of them known", hooks.len(), costs.len())));
        }
        costs.sort_by_key(|cost| cost.hook as usize);
        // The programs of one hook are added up.
        costs.dedup_by(|next, cost| {
            let same = next.hook == cost.hook;
            if same {
                cost.instructions += next.instructions;
                cost.verified += next.verified;
                cost.machine_bytes += next.machine_bytes;
                cost.runs += next.runs;
                cost.run_ns += next.run_ns;
            }
            same
        });
        Ok(costs)
    }

    /// The only value of a map of variables.
    fn read(&self, name: &str) -> Result<Vec<u8>, Error> {
        first_value(&find(&self.object, name)?)
            .map_err(refused("read a map"))?
            .ok_or_else(|| Error::Object(format!("no value in {name}")))
    }
}
