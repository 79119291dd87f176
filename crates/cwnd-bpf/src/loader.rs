// SPDX-License-Identifier: MIT OR Apache-2.0
//! Puts an object into the kernel with the settings of a parameter set, and takes it out again.

use std::cell::RefCell;
use std::ffi::OsStr;
use std::fmt;
use std::path::Path;

use cwnd::CaState;
use cwnd::registry::{self, Description};
use libbpf_rs::{Link, MapCore, MapFlags, Object, ObjectBuilder, OpenObject, PrintLevel};

use crate::hook::Hook;

/// Bytes at an address fit for what libbpf reads in them.
#[repr(C, align(8))]
struct Aligned<T: ?Sized>(T);

// OBJECTS: the algorithm's name and its object.
include!(concat!(env!("OUT_DIR"), "/objects.rs"));

/// Longest name of a congestion control (the kernel's `TCP_CA_NAME_MAX` with its final zero is 16).
const NAME_MAX: usize = 15;
/// Connection states that the object counts.
const STATES: usize = 5;

/// Names of the object's maps, as `bpf/glue.bpf.c` has them.
const OPS: &str = "ops";
const PARAMS: &str = ".rodata.params";
const COUNTERS: &str = ".data.counters";

/// Why an algorithm was not loaded, or its counters not read.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The registry has no parameter set of this name.
    UnknownSet(String),
    /// The kernel takes names of 1 to 15 letters, digits, `_`, `-` and `.`.
    Name(String),
    /// The embedded object is not what this loader expects.
    Object(String),
    /// The kernel refused, or libbpf did; with what libbpf had to say, the verifier's log included.
    Kernel {
        /// What was being done.
        what: &'static str,
        /// The system's answer.
        why: libbpf_rs::Error,
        /// libbpf's messages.
        log: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownSet(name) => {
                write!(f, "no parameter set is called {name:?}; there are ")?;
                for (place, set) in registry::ALGORITHMS.iter().flat_map(Description::sets).enumerate() {
                    write!(f, "{}{}", if place == 0 { "" } else { ", " }, set.name)?;
                }
                Ok(())
            }
            Self::Name(name) => {
                write!(f, "{name:?} is no name for the kernel: 1 to {NAME_MAX} letters, digits, _, - and .")
            }
            Self::Object(what) => write!(f, "the embedded object has {what}"),
            Self::Kernel { what, why, log } => {
                write!(f, "cannot {what}: {why}")?;
                if log.is_empty() { Ok(()) } else { write!(f, "\n{}", log.trim_end()) }
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Kernel { why, .. } => Some(why),
            _ => None,
        }
    }
}

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
        // moment has copied it. Before Linux 6.11 there is no such call, and the close has to suffice.
        let _ = self.link.detach();
    }
}

/// How often the kernel called each hook, over all connections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counters {
    calls: [u64; Hook::ALL.len()],
    states: [u64; STATES],
}

impl Counters {
    /// Calls of `hook`.
    #[must_use]
    pub const fn calls(&self, hook: Hook) -> u64 {
        self.calls[hook as usize]
    }

    /// Calls of `set_state` with `state`.
    #[must_use]
    pub const fn entered(&self, state: CaState) -> u64 {
        self.states[state as usize]
    }
}

impl fmt::Display for Counters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for hook in Hook::ALL {
            write!(f, "{} {}, ", hook.name(), self.calls(hook))?;
        }
        write!(f, "set_state(Recovery) {}", self.entered(CaState::Recovery))
    }
}

/// Registers the parameter set `set` (such as `cubic-2.2`) on the running kernel as `kernel_name`.
///
/// # Errors
/// [`Error`]: an unknown set, a name that the kernel does not take or already has, or a kernel that lacks BTF, links of
/// `struct_ops` or the right to load.
pub fn load(set: &str, kernel_name: &str) -> Result<Loaded, Error> {
    let unknown = || Error::UnknownSet(set.to_owned());
    let (algorithm, description) = registry::find(set).ok_or_else(unknown)?;
    let controller = description.controller().ok_or_else(unknown)?;
    check(kernel_name)?;
    let bytes = OBJECTS
        .iter()
        .find(|(name, _)| *name == algorithm.name)
        .map(|(_, object)| &object.0)
        .ok_or_else(|| Error::Object(format!("no form of {}", algorithm.name)))?;
    let params: Vec<_> = (0..algorithm.specs.len()).map(|index| controller.param(index)).collect();
    let open = || ObjectBuilder::default().open_memory(bytes).map_err(refused("read the embedded object"));
    let (object, link) = hearing(|| register(open()?, kernel_name, &params))?;
    Ok(Loaded { name: kernel_name.to_owned(), params: params.len(), link, object })
}

/// Registers an object from a file, as `build_object` makes it, with the settings that it has.
///
/// # Errors
/// [`Error`], as for [`load`], or a file that is no such object.
pub fn load_file(file: &Path, kernel_name: &str) -> Result<Loaded, Error> {
    check(kernel_name)?;
    let open = || ObjectBuilder::default().open_file(file).map_err(refused("read the object"));
    let (object, link) = hearing(|| register(open()?, kernel_name, &[]))?;
    // All that the map holds.
    Ok(Loaded { name: kernel_name.to_owned(), params: usize::MAX, link, object })
}

/// Refuses a name that the kernel does not take.
fn check(kernel_name: &str) -> Result<(), Error> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    if kernel_name.is_empty() || kernel_name.len() > NAME_MAX || !kernel_name.chars().all(fits) {
        return Err(Error::Name(kernel_name.to_owned()));
    }
    Ok(())
}

/// Failure of a step, before libbpf's messages are added.
fn refused(what: &'static str) -> impl FnOnce(libbpf_rs::Error) -> Error {
    move |why| Error::Kernel { what, why, log: String::new() }
}

/// Loads an object that was opened. Without parameters, it keeps those that it has.
fn register(mut open: OpenObject, kernel_name: &str, params: &[u32]) -> Result<(Object, Link), Error> {
    let param_bytes: Vec<_> = params.iter().flat_map(|value| value.to_ne_bytes()).collect();
    let mut name = [0; NAME_MAX + 1];
    name[..kernel_name.len()].copy_from_slice(kernel_name.as_bytes());
    set(&mut open, PARAMS, &param_bytes)?;
    set(&mut open, OPS, &name)?;
    let mut object = open.load().map_err(refused("load the programs"))?;
    let link = object
        .maps_mut()
        .find(|map| map.name() == OPS)
        .ok_or_else(|| Error::Object(format!("no map {OPS}")))?
        .attach_struct_ops()
        .map_err(refused("register the algorithm (is one of its name registered already?)"))?;
    Ok((object, link))
}

/// Puts `bytes` at the start of a map's first value.
fn set(open: &mut OpenObject, map: &str, bytes: &[u8]) -> Result<(), Error> {
    open.maps_mut()
        .find(|found| found.name() == OsStr::new(map))
        .and_then(|mut found| {
            found.initial_value_mut()?.get_mut(..bytes.len())?.copy_from_slice(bytes);
            Some(())
        })
        .ok_or_else(|| Error::Object(format!("no map {map} of {} bytes", bytes.len())))
}

thread_local! {
    /// What libbpf said to this thread since [`hearing`] began.
    static HEARD: RefCell<String> = const { RefCell::new(String::new()) };
}

fn hear(_level: PrintLevel, text: String) {
    HEARD.with_borrow_mut(|heard| heard.push_str(&text));
}

/// Runs `step` with libbpf's warnings kept, not printed, and adds them to its error.
fn hearing<T>(step: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    libbpf_rs::set_print(Some((PrintLevel::Warn, hear)));
    HEARD.take();
    let result = step();
    let heard = HEARD.take();
    result.map_err(|error| match error {
        Error::Kernel { what, why, .. } => Error::Kernel { what, why, log: heard },
        other => other,
    })
}

impl Loaded {
    /// The name for `TCP_CONGESTION`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
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
        let bytes = self.read(COUNTERS)?;
        let mut values =
            bytes.chunks_exact(8).filter_map(|value| Some(u64::from_ne_bytes(value.try_into().ok()?)));
        let mut counters = Counters { calls: [0; Hook::ALL.len()], states: [0; STATES] };
        for counter in counters.calls.iter_mut().chain(&mut counters.states) {
            *counter = values.next().ok_or_else(|| Error::Object("too few counters".to_owned()))?;
        }
        Ok(counters)
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
