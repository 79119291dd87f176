// SPDX-License-Identifier: MIT OR Apache-2.0
//! Puts an object into the kernel with the settings of a parameter set and the caller's own.

use std::cell::RefCell;
use std::ffi::OsStr;
use std::fmt;
use std::path::Path;

use cwnd::Controller;
use cwnd::registry::{self, Description, ParamError};
use cwnd_scenario::{Invalid, expectation, unknown_key};
use libbpf_rs::{Link, MapCore, Object, ObjectBuilder, OpenMapMut, OpenObject, PrintLevel};

use crate::error::{Error, NAME_MAX, refused};
use crate::loaded::{Loaded, PARAMS};
use crate::recorder::{self, Recorder};

/// Bytes at an address fit for what libbpf reads in them.
#[repr(C, align(8))]
struct Aligned<T: ?Sized>(T);

// OBJECTS: the algorithm's name and its object.
include!(concat!(env!("OUT_DIR"), "/objects.rs"));

/// Names of the object's maps, as `bpf/kernel.bpf.h` has them.
const OPS: &str = "ops";
const RECORDING: &str = ".rodata.recording";
const RECORDS: &str = "records";

/// Smallest ring buffer: one page.
const RING_MIN: u32 = 1 << 12;
const RING_MAX: u32 = 1 << 30;

/// An algorithm with its settings, ready to be loaded, any number of times.
pub struct Module {
    algorithm: &'static Description,
    controller: Controller,
    object: &'static [u8],
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
        Ok(Self { algorithm, controller, object })
    }

    /// Sets a parameter, written as in a scenario.
    ///
    /// # Errors
    /// [`Error::Param`], when the algorithm has no such parameter, or the value is malformed or out of its range; nothing is
    /// changed then.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), Error> {
        let specs = self.algorithm.specs;
        let expected = match self.controller.set_param(name, value) {
            Ok(()) => return Ok(()),
            Err(ParamError::Unknown) => {
                unknown_key(name, &specs.iter().map(|spec| spec.name).collect::<Vec<_>>())
            }
            Err(ParamError::Refused(..)) => {
                specs.iter().find(|spec| spec.name == name).map_or_else(String::new, expectation)
            }
        };
        Err(Error::Param(Invalid { field: name.to_owned(), value: Some(value.to_owned()), expected }))
    }

    /// The same algorithm with the same settings on the host, not yet initialised.
    ///
    /// # Panics
    /// Never: algorithms of the registry can be copied.
    #[must_use]
    pub fn controller(&self) -> Controller {
        self.controller.duplicate().expect("an algorithm of the registry")
    }

    /// Size of the object, bytes.
    #[must_use]
    pub const fn object_bytes(&self) -> usize {
        self.object.len()
    }

    /// Registers it on the running kernel as `kernel_name`.
    ///
    /// # Errors
    /// [`Error`]: a name that the kernel does not take or already has, or a kernel that lacks BTF, links of `struct_ops` or
    /// the right to load.
    pub fn load(&self, kernel_name: &str) -> Result<Loaded, Error> {
        self.register(kernel_name, None)
    }

    /// As [`Module::load`], with every call of a hook recorded: in a ring buffer of at least `ring_bytes` (which the
    /// kernel sets aside at once), until the recorder takes it from there.
    ///
    /// # Errors
    /// As [`Module::load`].
    pub fn load_recording(&self, kernel_name: &str, ring_bytes: u32) -> Result<(Loaded, Recorder), Error> {
        let ring_bytes = ring_bytes.clamp(RING_MIN, RING_MAX).next_power_of_two();
        let loaded = self.register(kernel_name, Some(ring_bytes))?;
        let recorder = recorder::open(loaded.object(), RECORDS)?;
        Ok((loaded, recorder))
    }

    fn register(&self, kernel_name: &str, ring_bytes: Option<u32>) -> Result<Loaded, Error> {
        check(kernel_name)?;
        let params: Vec<_> =
            (0..self.algorithm.specs.len()).map(|index| self.controller.param(index)).collect();
        let open =
            || ObjectBuilder::default().open_memory(self.object).map_err(refused("read the embedded object"));
        let (object, link) = hearing(|| register(open()?, kernel_name, &params, ring_bytes))?;
        Ok(Loaded::new(kernel_name, params.len(), link, object))
    }
}

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
        let found = WRAPPERS.iter().find(|(known, _)| *known == name);
        let (name, object) = found.ok_or_else(|| Error::UnknownSet(name.to_owned()))?;
        Ok(Self { name, object: &object.0 })
    }

    /// Registers it as `kernel_name`, with every call recorded, as [`Module::load_recording`] does.
    ///
    /// # Errors
    /// As [`Module::load`].
    pub fn load_recording(&self, kernel_name: &str, ring_bytes: u32) -> Result<(Loaded, Recorder), Error> {
        check(kernel_name)?;
        let ring_bytes = ring_bytes.clamp(RING_MIN, RING_MAX).next_power_of_two();
        let open =
            || ObjectBuilder::default().open_memory(self.object).map_err(refused("read the embedded object"));
        let (object, link) = hearing(|| register(open()?, kernel_name, &[], Some(ring_bytes)))?;
        let loaded = Loaded::new(kernel_name, 0, link, object);
        let recorder = recorder::open(loaded.object(), RECORDS)?;
        Ok((loaded, recorder))
    }
}

/// Registers an object from a file, as `build_object` makes it, with the settings that it has.
///
/// # Errors
/// [`Error`], as for [`Module::load`], or a file that is no such object.
pub fn load_file(file: &Path, kernel_name: &str) -> Result<Loaded, Error> {
    check(kernel_name)?;
    let open = || ObjectBuilder::default().open_file(file).map_err(refused("read the object"));
    let (object, link) = hearing(|| register(open()?, kernel_name, &[], None))?;
    // All that the map holds.
    Ok(Loaded::new(kernel_name, usize::MAX, link, object))
}

/// Refuses a name that the kernel does not take.
fn check(kernel_name: &str) -> Result<(), Error> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    if kernel_name.is_empty() || kernel_name.len() > NAME_MAX || !kernel_name.chars().all(fits) {
        return Err(Error::Name(kernel_name.to_owned()));
    }
    Ok(())
}

/// Loads an object that was opened. Without parameters, it keeps those that it has.
fn register(
    mut open: OpenObject,
    kernel_name: &str,
    params: &[u32],
    ring_bytes: Option<u32>,
) -> Result<(Object, Link), Error> {
    let param_bytes: Vec<_> = params.iter().flat_map(|value| value.to_ne_bytes()).collect();
    let mut name = [0; NAME_MAX + 1];
    name[..kernel_name.len()].copy_from_slice(kernel_name.as_bytes());
    if !params.is_empty() {
        fill(&mut open, PARAMS, &param_bytes)?;
    }
    fill(&mut open, OPS, &name)?;
    fill(&mut open, RECORDING, &u32::from(ring_bytes.is_some()).to_ne_bytes())?;
    let mut ring = map(&mut open, RECORDS)?;
    match ring_bytes {
        Some(size) => ring.set_max_entries(size),
        // What refers to it is code that the verifier removes before it looks.
        None => ring.set_autocreate(false),
    }
    .map_err(refused("size the ring buffer"))?;
    let mut object = open.load().map_err(refused("load the programs"))?;
    let link = object
        .maps_mut()
        .find(|map| map.name() == OPS)
        .ok_or_else(|| Error::Object(format!("no map {OPS}")))?
        .attach_struct_ops()
        .map_err(refused("register the algorithm (is one of its name registered already?)"))?;
    Ok((object, link))
}

fn map<'obj>(open: &'obj mut OpenObject, name: &str) -> Result<OpenMapMut<'obj>, Error> {
    open.maps_mut()
        .find(|found| found.name() == OsStr::new(name))
        .ok_or_else(|| Error::Object(format!("no map {name}")))
}

/// Puts `bytes` at the start of a map's first value.
fn fill(open: &mut OpenObject, name: &str, bytes: &[u8]) -> Result<(), Error> {
    map(open, name)?
        .initial_value_mut()
        .and_then(|value| value.get_mut(..bytes.len()))
        .ok_or_else(|| Error::Object(format!("fewer than {} bytes in {name}", bytes.len())))?
        .copy_from_slice(bytes);
    Ok(())
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
