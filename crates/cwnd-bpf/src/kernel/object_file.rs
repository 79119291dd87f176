// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel object of a plugin, in a file: read once, checked, and loaded from the bytes that were checked.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use cwnd::Controller;
use cwnd::params::Spec;
use cwnd::registry;
use libbpf_rs::btf::types::{DataSec, Struct, Var};
use libbpf_rs::btf::{Btf, ReferencesType};
use libbpf_rs::{AsRawLibbpf, MapType, ObjectBuilder, OpenObject, libbpf_sys};
use rustix::fs::{Mode, OFlags, open};

use crate::kernel::elf;
use crate::kernel::error::{Error, refused};
use crate::kernel::kernel_types::OPS as OPS_TYPE;
use crate::kernel::libbpf_log::with_libbpf_log;
use crate::kernel::loaded_module::Load;
use crate::kernel::loader::{LAYOUT, LoadConfig, bad_param, check, hashed_name, load, settings_text};
use crate::kernel::maps::OPS;
use crate::kernel::meta::{Meta, SECTION};
use crate::kernel::owned_module::OwnedModule;
use cwnd_bpf_build::fnv;

/// Section of the struct of hooks, which names the programs that the kernel calls.
const HOOKS: &str = ".struct_ops.link";
/// How the sections of programs begin that the kernel calls through such a struct. Functions of their own are in `.text`.
const PROGRAMS: &str = "struct_ops/";
/// Bytes of the largest object that is read: those of `build_object` have about a hundred thousand.
const LARGEST: u64 = 16 << 20;

/// An object as `build_object` makes it, ready to be loaded, any number of times.
#[derive(Clone, Debug)]
pub struct ObjectFile {
    file: PathBuf,
    /// At an address that is aligned for what libbpf reads in it.
    bytes: Vec<u64>,
    len: usize,
    meta: Meta,
    values: Vec<u32>,
}

impl ObjectFile {
    /// Reads it.
    ///
    /// # Errors
    /// [`Error::Foreign`], when it is something else, has programs that are no hooks of a congestion control, or was built by a
    /// cwnd whose objects this one cannot load; [`Error::File`].
    pub fn open(file: &Path) -> Result<Self, Error> {
        let foreign = |why: String| Error::Foreign(file.to_owned(), why);
        let read = read_bounded(file)
            .map_err(|why| Error::File(file.to_owned(), why))?
            .ok_or_else(|| foreign("it is not a file of at most 16 MiB".to_owned()))?;
        let meta = checked_meta(&read).map_err(foreign)?;
        let words = read.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_ne_bytes(word)
        });
        let values = meta.values.clone();
        let file = std::path::absolute(file).map_err(|why| Error::File(file.to_owned(), why))?;
        let object = Self { file, bytes: words.collect(), len: read.len(), meta, values };
        with_libbpf_log(|| {
            let open = object.open_object().map_err(refused("read the object"))?;
            only_hooks(&open).map_err(|why| Error::Foreign(object.file.clone(), why))
        })?;
        Ok(object)
    }

    /// Sets a parameter, written as in a scenario.
    ///
    /// # Errors
    /// [`Error::Param`], as for [`crate::Module::set`].
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), Error> {
        let param = self.meta.specs.iter().zip(&mut self.values).find(|(spec, _)| spec.name == name);
        match param.and_then(|(spec, stored)| Some((stored, spec.parse(value).ok()?))) {
            Some((stored, value)) => {
                *stored = value;
                Ok(())
            }
            None => Err(bad_param(self.meta.specs, name, value)),
        }
    }

    /// Gives the parameters these values, in the stored form; more than there are parameters do not count.
    pub(crate) fn set_values(&mut self, values: &[u32]) -> Result<(), Error> {
        for (name, value) in settings_text(self.meta.specs, values) {
            self.set(name, &value)?;
        }
        Ok(())
    }

    /// Names and values of its parameters, written as in a scenario.
    #[must_use]
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        settings_text(self.meta.specs, &self.values)
    }

    /// Name of its algorithm.
    #[must_use]
    pub fn algorithm(&self) -> &str {
        &self.meta.algorithm
    }

    /// The parameter set from which its settings come.
    #[must_use]
    pub fn set_name(&self) -> &str {
        &self.meta.built
    }

    /// Name for `TCP_CONGESTION`: `cwnd_` and the file's name up to its first dot, or `cwnd_` and eight hexadecimal digits where
    /// parameters were set.
    ///
    /// # Errors
    /// [`Error::FileName`], when the kernel does not take such a name.
    pub fn kernel_name(&self) -> Result<String, Error> {
        let file = self.file_name();
        if self.values != self.meta.values {
            return Ok(hashed_name(file.bytes().chain(self.value_bytes())));
        }
        let name = format!("cwnd_{}", file.split('.').next().unwrap_or_default());
        check(&name).map_err(|_| Error::FileName(self.file.clone(), name.clone()))?;
        Ok(name)
    }

    /// Another name for it, beside one that is loaded.
    #[must_use]
    pub fn traced_name(&self) -> String {
        hashed_name(self.file_name().bytes().chain(self.value_bytes()).chain(*b"traced"))
    }

    /// The same algorithm with the same settings on the host, not yet initialised; `None`, when the registry has none of its name:
    /// its crate has not been loaded.
    ///
    /// # Errors
    /// [`Error::Host`], when the registry's is another.
    pub fn host(&self) -> Result<Option<Controller>, Error> {
        let Some((algorithm, set)) = registry::find(&self.meta.built) else { return Ok(None) };
        let other = || {
            let what = format!("the crate that {} was built from, as it was then", self.file.display());
            Error::Host(self.meta.algorithm.clone(), what)
        };
        let same = |(one, other): (&Spec, &Spec)| {
            (one.name, one.kind, one.min, one.max) == (other.name, other.kind, other.min, other.max)
        };
        let is_same = algorithm.name == self.meta.algorithm
            && algorithm.specs.len() == self.meta.specs.len()
            && algorithm.specs.iter().zip(self.meta.specs).all(same);
        let mut controller = set.controller().filter(|_| is_same).ok_or_else(other)?;
        for (name, value) in self.settings() {
            controller.set_param(name, &value).map_err(|_| other())?;
        }
        Ok(Some(controller))
    }

    fn open_object(&self) -> libbpf_rs::Result<OpenObject> {
        ObjectBuilder::default().open_memory(self.content())
    }

    /// The file's bytes.
    fn content(&self) -> &[u8] {
        // SAFETY: the words hold at least `len` bytes, any of which is a valid u8, and are borrowed as long as the result.
        unsafe { std::slice::from_raw_parts(self.bytes.as_ptr().cast::<u8>(), self.len) }
    }

    fn value_bytes(&self) -> impl Iterator<Item = u8> {
        self.values.iter().flat_map(|value| value.to_le_bytes())
    }

    fn file_name(&self) -> String {
        self.file.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

impl Load for ObjectFile {
    fn hash(&self) -> u64 {
        fnv(self.content().iter().copied().chain(self.value_bytes()))
    }

    fn register(&self, kernel_name: &str, ring_bytes: Option<u32>) -> Result<OwnedModule, Error> {
        let set = self.file_name();
        let file = self.file.to_str().unwrap_or_default();
        let config = LoadConfig { set: &set, hash: self.hash(), params: &self.values, file, ring_bytes };
        load(|| self.open_object(), kernel_name, &config)
    }
}

/// The bytes of a regular file; `None` for another kind, which might never end, and for what no object is as large as.
fn read_bounded(path: &Path) -> std::io::Result<Option<Vec<u8>>> {
    // A pipe would be waited for.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(open(path, flags, Mode::empty())?);
    if !file.metadata()?.is_file() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= LARGEST).then_some(bytes))
}

/// Whether the names of a `.BTF` section are text. Its header says at bytes 4, 16 and 20 how long it is, where behind it the names
/// begin, and how long they are.
fn has_text(btf: &[u8]) -> bool {
    let word = |at: usize| Some(u32::from_le_bytes(btf.get(at..at + 4)?.try_into().ok()?) as usize);
    let names = || {
        let begin = word(4)?.checked_add(word(16)?)?;
        btf.get(begin..begin.checked_add(word(20)?)?)
    };
    names().is_some_and(|names| std::str::from_utf8(names).is_ok())
}

/// The description in a file, if it is an object of ours and has no program other than hooks; else why it is refused.
fn checked_meta(file: &[u8]) -> Result<Meta, String> {
    let sections = elf::sections(file).ok_or("it is not a BPF object")?;
    let foreign = sections.iter().find(|section| {
        section.is_code
            && !section.data.is_empty()
            && section.name != ".text"
            && !section.name.starts_with(PROGRAMS)
    });
    if let Some(section) = foreign {
        return Err(format!("it has a program for {}, which is not a congestion control hook", section.name));
    }
    let about = sections
        .iter()
        .find(|section| section.name == SECTION)
        .ok_or("it lacks the metadata that objects of this version have")?;
    // libbpf prints names from them, and its printer takes text alone.
    if sections.iter().any(|section| section.name == ".strtab" && std::str::from_utf8(section.data).is_err())
        || sections.iter().any(|section| section.name == ".BTF" && !has_text(section.data))
    {
        return Err("its names are not text".into());
    }
    let text = std::str::from_utf8(about.data).map_err(|_| "its metadata is not text")?;
    let meta = Meta::read(text).ok_or("its metadata is incomplete")?;
    if meta.layout != LAYOUT {
        return Err(format!("cwnd {} built it, with another object format: build it again", meta.version));
    }
    Ok(meta)
}

/// Refuses an object that has more than the hooks of one congestion control and their variables.
fn only_hooks(open: &OpenObject) -> Result<(), String> {
    let mut hooks = open.maps().filter(|map| map.map_type() == MapType::StructOps);
    match (hooks.next(), hooks.next()) {
        (Some(map), None) if map.name() == OPS => {}
        (_, Some(_)) => return Err("it has more than one struct of hooks".to_owned()),
        _ => return Err(format!("it has no struct of hooks called {OPS}")),
    }
    // SAFETY: the object outlives the reference, and libbpf hands the same pointer out for it every time.
    let raw = unsafe { open.as_libbpf_object().as_ref() };
    let types = Btf::from_bpf_object(raw).ok().flatten().ok_or("it has no type information")?;
    let of_what = hooks_type(&types).unwrap_or_default();
    if of_what != OPS_TYPE {
        return Err(format!("its hooks are of {of_what:?}, not of {OPS_TYPE}"));
    }
    // SAFETY: as above; a map of the object, and a text of libbpf's or none.
    let is_pinned = |map: &libbpf_rs::OpenMap<'_>| unsafe {
        !libbpf_sys::bpf_map__pin_path(map.as_libbpf_object().as_ptr()).is_null()
    };
    match open.maps().find(is_pinned) {
        Some(map) => Err(format!("it would pin its map {}", map.name().to_string_lossy())),
        None => Ok(()),
    }
}

/// Name of the struct's type.
fn hooks_type(types: &Btf<'_>) -> Option<String> {
    let section: DataSec<'_> = types.type_by_name(HOOKS)?;
    let mut variables = section.iter();
    let variable: Var<'_> = types.type_by_id(variables.next()?.ty)?;
    let of: Struct<'_> = variable.referenced_type().try_into().ok()?;
    Some(of.name()?.to_string_lossy().into_owned())
}
