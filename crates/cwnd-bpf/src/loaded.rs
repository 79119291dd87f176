// SPDX-License-Identifier: MIT OR Apache-2.0
//! An algorithm that the kernel has: its counters and its cost, and how it is taken out again.

use std::ffi::OsStr;
use std::fmt;
use std::os::fd::AsFd;
use std::path::PathBuf;

use libbpf_rs::query::{ProgInfoIter, ProgInfoQueryOptions};
use libbpf_rs::{Link, MapCore, MapFlags, Object, Program};

use crate::counters::{COUNTERS, Counters, connections_in};
use crate::error::{Error, refused};
use crate::hook::Hook;
use crate::loader::TX_START;
use crate::registration::{IDENTITY, is_registered, is_shared, pin};

/// Name of the map, as `bpf/glue.bpf.c` has it.
pub(crate) const PARAMS: &str = ".rodata.params";

/// An algorithm that the kernel has; dropping it takes it out of the list that new connections choose from. Those that
/// run on it keep it until they end. The kernel does the same when the process dies, however it dies.
pub struct Loaded {
    name: String,
    /// How many.
    params: usize,
    // Dropped in this order: the registration before the programs.
    link: Link,
    object: Object,
}

impl fmt::Debug for Loaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loaded").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        // Closing the link would do, were it the last descriptor of it: another thread that starts a process at this
        // moment has copied it. Before Linux 6.11 there is no such call, and the close has to suffice. Somebody who shares
        // the registration, or its pin, keeps it.
        let shared = self.object.maps().find(|map| map.name() == IDENTITY).is_some_and(|map| is_shared(&map));
        if !shared && self.link.pin_path().is_none() {
            let _ = self.link.detach();
        }
    }
}

/// What the program of a hook costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
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

impl Loaded {
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
        let counters = self.object.maps().find(|map| map.name() == COUNTERS);
        counters.and_then(|map| connections_in(&map))
    }

    /// Whether new connections can choose it; not after somebody has unloaded it.
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
    pub fn costs(&self) -> Result<Vec<Cost>, Error> {
        let mut hooks = Vec::new();
        // A hook that this kernel does not have stays out.
        for program in self.object.progs().filter(|program| program.autoload()) {
            let name = program.name().to_string_lossy();
            let of_four = name.strip_suffix("_of_two").unwrap_or(&name);
            let hook = Hook::ALL
                .into_iter()
                .find(|hook| of_four.strip_prefix("program_") == Some(hook.name()))
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
                Some(Cost {
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
        // Two programs of one hook are one thing.
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
        let map = self.object.maps().find(|map| map.name() == OsStr::new(name));
        map.ok_or_else(|| Error::Object(format!("no map {name}")))?
            .lookup(&0_u32.to_ne_bytes(), MapFlags::ANY)
            .map_err(refused("read a map"))?
            .ok_or_else(|| Error::Object(format!("no value in {name}")))
    }
}
